"""Extractors of corpora end to end: chosen, refused, planned, paid for, forgotten."""

import json
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from clew.clew import Clew
from clew.errors import InvalidRequest
from clew.indexing.pace import calibrated_pace, measured_pace
from clew.resources.replies import reply_cache
from clew.settings import Settings
from clew_cypher.errors import UnknownCorpus
from clew_cypher.jobs.ledger import close_job, enter_and_take_job
from clew_cypher.searching.chunks import texts_of_corpus
from clew_cypher.store import GraphStore
from clew_cypher.writing.documents import put_off_document
from clew_ingest.errors import UnreadableSource
from clew_ingest.triples.extractor_choice import UnknownExtractor

from ..running_clew import OwnSettings
from ..scripted_llm import (
    COMPLETION_TOKENS,
    PROMPT_TOKENS,
    ScriptedLanguageModel,
    serving,
)

TEXTS = {
    "Helena Marsh": "Helena Marsh was born in Dunmore. She was an astronomer.",
    "Port Ellis": "Port Ellis is a harbour. Its lighthouse is old.",
    "Ella Brand": "Ella Brand was born in Oakham.",
}


@pytest.fixture(scope="module")
def endpoint() -> Iterator[ScriptedLanguageModel]:
    with serving(ScriptedLanguageModel()) as server:
        yield server


@pytest.fixture(scope="module")
def clew(
    own_settings: OwnSettings,
    endpoint: ScriptedLanguageModel,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Clew]:
    settings = own_settings(
        tmp_path_factory.mktemp("home"),
        llm_base_url=endpoint.url,
        llm_model=f"scripted-{uuid.uuid4().hex[:8]}",
        llm_retries=0,
    )
    with Clew(settings) as clew:
        clew.resources.prepare_graph()
        yield clew


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "documents"
    folder.mkdir()
    for title, text in TEXTS.items():
        (folder / f"{title}.txt").write_text(text)
    return folder


def nodes(store: GraphStore, corpus: str) -> int:
    """How many nodes a corpus has, itself among them: other tests may write to others."""
    text = "CYPHER 25 MATCH (n) WHERE n.corpus = $c OR n.name = $c RETURN count(n) AS nodes"
    return int(store.run_declared(text, {"c": corpus})[0]["nodes"])


@contextmanager
def read_only(store: GraphStore) -> Iterator[None]:
    """Whatever would write to the graph fails within."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(store, "write", None)
        patched.setattr(store, "in_transaction", None)
        yield


def test_what_a_dry_run_plans_is_what_the_ingest_asks_and_a_second_one_asks_nothing(
    clew: Clew, corpus: str, folder: Path, endpoint: ScriptedLanguageModel
) -> None:
    asked = len(endpoint.asked)
    with read_only(clew.resources.store):
        planned = clew.dry_run(folder, corpus=corpus, extractor="llm")
    assert (nodes(clew.resources.store, corpus), len(endpoint.asked)) == (0, asked)
    with pytest.raises(UnknownCorpus):
        clew.stats(corpus)
    assert (planned.new, planned.changed, planned.unchanged, planned.failed) == (3, 0, 0, 0)
    assert (planned.chunks, planned.llm_calls, planned.llm_cached) == (3, 6, 0)
    assert planned.prompt_tokens > 6 * 100  # the wording of the prompts alone
    assert planned.completion_tokens > 0
    assert planned.seconds > 0
    assert {"parse", "embed", "write", "extract"} <= set(planned.stages)
    assert any("embedder" in line for line in planned.assumptions)

    report = clew.ingest(folder, corpus=corpus, extractor="llm")
    assert (report.ready, report.failed, report.triples) == (3, (), 2)
    # the harbour has no triple, so that no textual triplet is asked for
    assert report.llm_calls == len(endpoint.asked) - asked == 5
    assert clew.stats(corpus).triples == 2
    assert clew.stats(corpus).extractor == "llm"

    marsh = clew.resolve_document(corpus, "Helena Marsh")
    assert (marsh.llm_calls, marsh.prompt_tokens, marsh.completion_tokens) == (
        *(2, 2 * PROMPT_TOKENS),
        2 * COMPLETION_TOKENS,
    )
    assert marsh.seconds > 0
    triple = clew.document(corpus, marsh.id).triples[0]
    assert (triple.head, triple.predicate, triple.tail) == ("Helena Marsh", "bear in", "Dunmore")
    assert triple.text == "Helena Marsh comes from Dunmore."
    assert triple.sentence == "Helena Marsh was born in Dunmore."
    assert triple.extractor == "llm"

    again = clew.dry_run(folder, corpus=corpus)
    assert (again.new, again.changed, again.unchanged, again.chunks) == (0, 0, 3, 0)
    assert (again.llm_calls, again.seconds) == (0, 0)
    assert clew.ingest(folder, corpus=corpus).unchanged == 3

    # all documents are worked on again where their corpus is new, and their replies are kept
    clew.delete_corpus(corpus)
    assert clew.dry_run(folder, corpus=corpus, extractor="llm").llm_cached == 0


def test_replies_that_are_kept_cost_nothing_and_go_with_their_chunk(
    clew: Clew, corpus: str, folder: Path, endpoint: ScriptedLanguageModel
) -> None:
    clew.create_corpus(corpus, "llm")
    clew.ingest(folder, corpus=corpus)
    asked = len(endpoint.asked)
    clew.set_extractor(corpus, "none")
    assert clew.dry_run(folder, corpus=corpus).changed == 3
    assert clew.ingest(folder, corpus=corpus).ready == 3
    assert clew.stats(corpus).triples == 0
    clew.set_extractor(corpus, "llm")
    planned = clew.dry_run(folder, corpus=corpus)
    assert (planned.llm_calls, planned.llm_cached) == (0, 5)
    clew.ingest(folder, corpus=corpus)
    assert len(endpoint.asked) == asked
    assert clew.stats(corpus).triples == 2

    kept = reply_cache(clew.settings)
    count = len(kept)
    (folder / "Helena Marsh.txt").write_text("Helena Marsh was born in Oakham.")
    assert clew.dry_run(folder, corpus=corpus).llm_calls == 2
    clew.ingest(folder, corpus=corpus)
    assert len(kept) == count  # two for the new text, and the old one's two are gone
    clew.delete(corpus, clew.resolve_document(corpus, "Ella Brand").id)
    assert len(kept) == count - 2
    kept.close()


def test_a_refused_text_and_malformed_items_are_counted_and_cost_nothing_else(
    clew: Clew, corpus: str, folder: Path, endpoint: ScriptedLanguageModel
) -> None:
    (folder / "Grey Hill.txt").write_text("Grey Hill is a hill. It rains there.")
    (folder / "Dora Finch.txt").write_text("Dora Finch was born in Dunmore.")
    endpoint.refused, endpoint.malformed = {"Grey Hill"}, {"Dora Finch"}
    try:
        report = clew.ingest(folder, corpus=corpus, extractor="llm")
    finally:
        endpoint.refused, endpoint.malformed = set(), set()
    assert (report.ready, report.triples) == (5, 3)
    assert (report.triples_dropped, report.extractions_failed) == (2, 1)


def test_what_an_extractor_failed_on_is_taken_up_again_and_told_until_it_is_well(
    clew: Clew, corpus: str, folder: Path, endpoint: ScriptedLanguageModel
) -> None:
    (folder / "Grey Hill.txt").write_text("Grey Hill was born in Dunmore.")
    records = [
        {"title": "Grey Moor", "text": "Grey Moor was born in Oakham."},
        {"title": "Dora Finch", "text": "Dora Finch was born in Dunmore."},
    ]
    (folder / "hills.jsonl").write_text("\n".join(map(json.dumps, records)))
    endpoint.refused = {"Grey Hill", "Grey Moor"}
    try:
        report = clew.ingest(folder, corpus=corpus, extractor="llm")
        assert (report.ready, report.triples, report.extractions_failed) == (7, 3, 2)
        hill = clew.resolve_document(corpus, "Grey Hill")
        assert (hill.status, hill.failed_chunks) == ("ready", 1)
        assert clew.resolve_document(corpus, "hills.jsonl").failed_chunks == 1
        assert clew.stats(corpus).failed_chunks == 2

        planned = clew.dry_run(folder, corpus=corpus)
        assert (planned.failed_before, planned.unchanged) == (1, 4)
        assert (planned.changed, planned.chunks, planned.llm_calls) == (1, 2, 4)
        again = clew.ingest(folder, corpus=corpus)
        # the file of records, and the document
        assert (again.ready, again.unchanged, again.extractions_failed) == (3, 4, 2)
        assert clew.stats(corpus).failed_chunks == 2
    finally:
        endpoint.refused = set()

    # who is cancelled before it is begun loses nothing
    accepted = clew.accept([folder / "Grey Hill.txt"], corpus=corpus)
    assert [(item.changed, item.failed_before) for item in accepted.documents] == [(True, True)]
    put_off_document(clew.resources.store, corpus, hill.id, "Its job was cancelled.")
    put_off = clew.document(corpus, hill.id)
    assert (put_off.document.status, len(put_off.chunks)) == ("failed", 1)

    asked = len(endpoint.asked)
    healed = clew.ingest(folder, corpus=corpus)
    assert (healed.ready, healed.triples, healed.extractions_failed) == (3, 2, 0)
    assert len(endpoint.asked) - asked == 4
    assert clew.resolve_document(corpus, "Grey Hill").failed_chunks == 0
    assert (clew.stats(corpus).failed_chunks, clew.stats(corpus).triples) == (0, 5)
    assert clew.ingest(folder, corpus=corpus).unchanged == 5


def test_triples_of_a_file_and_what_is_wrong_with_one(
    clew: Clew, corpus: str, folder: Path, tmp_path: Path
) -> None:
    file = tmp_path / "triples.jsonl"
    record = {"title": "Ella Brand", "head": "Ella Brand", "predicate": "bear in"}
    file.write_text(json.dumps(record | {"tail": "Oakham"}))
    report = clew.ingest(folder, corpus=corpus, extractor=f"file:{file}")
    assert report.triples == 1
    assert clew.stats(corpus).extractor == f"file:{file}"
    found = clew.document(corpus, clew.resolve_document(corpus, "Ella Brand").id).triples
    assert [(each.tail, each.extractor) for each in found] == [("Oakham", "ready-made")]
    assert clew.ingest(folder, corpus=corpus).unchanged == 3
    file.write_text(json.dumps(record | {"tail": "Oakham"}) + "\n" + json.dumps(record))
    with pytest.raises(UnreadableSource, match=r'triples\.jsonl, line 2: the field "tail"'):
        clew.set_extractor(corpus, f"file:{file}")


def test_an_extractor_that_is_chosen_while_documents_wait_is_the_one_they_get(
    clew: Clew, corpus: str, folder: Path
) -> None:
    clew.create_corpus(corpus, "none")
    waiting = clew.accept([folder], corpus=corpus).pending
    clew.set_extractor(corpus, "rules")
    report = clew.process(corpus, waiting)
    assert (report.ready, report.superseded) == (3, 0)
    assert report.triples > 0
    assert clew.accept([folder], corpus=corpus).unchanged == 3


def test_the_speed_is_a_sample_s_or_that_of_the_largest_job(clew: Clew, corpus: str) -> None:
    samples = list(TEXTS.items()) * 4
    pace = calibrated_pace(
        clew.resources.parser, clew.resources.embedder, samples, by_rules=True, processes=1
    )
    assert min(pace.stages["parse"], pace.stages["embed"]) > 0
    assert pace.stages["parse"] <= pace.wall < sum(pace.stages.values()) + 1e-9
    assert "12 chunks" in pace.source

    clew.create_corpus(corpus)
    for chunks, calls in ((60, 0), (200, 50), (10, 0)):
        progress = {
            "chunks": chunks,
            "llm_calls": calls,
            "seconds": {"accept": 9.0, "parse": 4.0, "embed": 10.0, "extract": 100.0 * bool(calls)},
            "wall_seconds": 20.0,
        }
        job = enter_and_take_job(clew.resources.store, "ingest", corpus, "test", lease_s=60)
        assert close_job(clew.resources.store, job, "done", progress=progress)
    measured = measured_pace(clew.resources.store, corpus)
    assert measured is not None
    assert measured.stages == {"parse": 4 / 200, "embed": 10 / 200}
    assert (measured.wall, measured.call_s) == (10 / 200, 2.0)
    assert "200 chunks" in measured.source


def test_wrong_extractors_are_refused_at_once(clew: Clew, corpus: str) -> None:
    with pytest.raises(UnknownExtractor, match="rules, llm, model, none, file:PATH"):
        clew.create_corpus(corpus, "ruls")
    without = Settings.load(**{**clew.settings.model_dump(), "llm_model": None})
    with Clew(without) as other, pytest.raises(UnknownExtractor, match="CLEW_LLM_MODEL"):
        other.create_corpus(corpus, "llm")
    with pytest.raises(UnreadableSource, match="cannot be read"):
        clew.create_corpus(corpus, "file:/no/such/file.jsonl")
    with pytest.raises(UnknownCorpus):
        clew.set_extractor(corpus, "rules")
    assert clew.create_corpus(corpus).extractor == "rules"
    with pytest.raises(InvalidRequest, match="has the extractor 'rules'"):
        clew.create_corpus(corpus, "none")
    assert list(texts_of_corpus(clew.resources.store, corpus)) == []


def test_a_dry_run_tells_new_changed_failing_and_records(
    clew: Clew, corpus: str, folder: Path
) -> None:
    records = folder / "records.jsonl"
    lines = [{"title": f"Record {n}", "text": f"Text {n} is short."} for n in range(3)]
    records.write_text("\n".join(map(json.dumps, lines)))
    clew.ingest(folder, corpus=corpus)
    before = nodes(clew.resources.store, corpus)
    lines[1]["text"] = "It is another one."
    records.write_text("\n".join(map(json.dumps, [*lines, {"title": "Record 9", "text": "New."}])))
    (folder / "broken.pdf").write_bytes(b"%PDF-1.4 nonsense")
    (folder / "Port Ellis.txt").write_text(f"{TEXTS['Port Ellis']}\n\n{'It rains. ' * 200}")
    with read_only(clew.resources.store):
        found = clew.dry_run(folder, "/no/such/place", corpus=corpus)
    assert (found.new, found.changed, found.unchanged, found.failed) == (2, 2, 4, 1)
    assert "broken.pdf" in found.failing[0].uri
    assert [skipped.uri for skipped in found.skipped] == ["/no/such/place"]
    assert (found.llm_calls, found.prompt_tokens) == (0, 0)
    assert nodes(clew.resources.store, corpus) == before
    clew.ingest(folder, corpus=corpus)
    again = clew.dry_run(folder, corpus=corpus)
    assert (again.new, again.changed, again.failed_before, again.unchanged) == (0, 0, 1, 4)
    assert again.failed == 1
