"""A graph that an earlier version wrote is linked beside the jobs, and nobody's start waits."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from clew.answering.asking import warm
from clew.clew import Clew
from clew.jobs.title_links import TitleLinker
from clew_cypher.store import GraphStore
from clew_ingest.reading.sources import Source

from ..held_resources import like
from ..running_clew import OwnSettings

CORPUS = "test-title-linker"
TEXTS = {
    "Ada Lovelace": "Ada Lovelace wrote to Charles Babbage.",
    "Charles Babbage": "Charles Babbage met Ada Lovelace in London.",
}
LINKS = "CYPHER 25 MATCH (s:Sentence {corpus: $corpus})-[:NAMES]->(d) RETURN s.id AS s, d.id AS d"


@pytest.fixture
def clew(own_settings: OwnSettings, tmp_path: Path) -> Iterator[Clew]:
    settings = own_settings(tmp_path)
    with Clew(settings) as made:
        for title, text in TEXTS.items():
            data = json.dumps({"title": title, "text": text}).encode()
            made.ingest(Source(uri=f"memory:{title}", name="a.json", data=data), corpus=CORPUS)
        yield made
        made.delete_corpus(CORPUS)


def links(store: GraphStore) -> set[tuple[str, str]]:
    return {(row["s"], row["d"]) for row in store.run_declared(LINKS, {"corpus": CORPUS})}


def test_a_worker_links_it_beside_its_jobs(clew: Clew, store: GraphStore) -> None:
    whole = links(store)
    assert len(whole) == 2
    for statement in (
        "MATCH (:Sentence {corpus: $corpus})-[n:NAMES]->() DELETE n",
        "MATCH (c:Chunk {corpus: $corpus}) REMOVE c.folded, c.unlinked",
        "MATCH (d:Document {corpus: $corpus}) REMOVE d.named_as, d.first_word, d.unlinked",
        "MATCH (l:TitleLinks {corpus: $corpus}) DELETE l",
    ):
        store.run_declared(f"CYPHER 25 {statement}", {"corpus": CORPUS})
    warm(clew.resources)
    assert links(store) == set()
    linker = TitleLinker(store)
    linker.start()
    linker._thread.join(timeout=60)
    linker.stop()
    assert links(store) == whole


@pytest.mark.parametrize("reader", ["graph", "openai", "extractive"])
def test_a_worker_starts_whatever_reader_is_set(clew: Clew, reader: str) -> None:
    """A reader that needs a plan or a language model has neither for the question that warms."""
    warm(like(clew.resources, reader=reader))
