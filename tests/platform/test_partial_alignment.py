"""partial-alignment (KAMR): the stages over a graph, what is shown of them, and its settings."""

from collections import deque
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from clew.errors import InvalidSetting
from clew.evaluation.asking import cited
from clew.resources.resources import Resources
from clew.results.evidence import Evidence
from clew.results.explanation import QuotesCard, SubgraphCard
from clew.settings import Settings
from clew.strategies.partial_alignment.explanation import NAMES
from clew.strategies.searching import search
from clew_cypher.checking.validity import existing
from clew_cypher.corpora import delete_corpus, get_corpus
from clew_cypher.export.triple_parts import triple_parts
from clew_ingest.pipeline.pipeline import IngestPipeline
from clew_ingest.reading.sources import uploaded

from ..held_resources import like

TEXTS = {
    "Aurelia": "The Aurelia is a research ship. The Seld Shipyard built the Aurelia in 1905.",
    "Seld Shipyard": "Victor Ferrand founded the Seld Shipyard. The yard lies in Port Ansel.",
    "Victor Ferrand": "Victor Ferrand married Ada Lind. Victor Ferrand died in Tessmark.",
    "Tessmark": "Tessmark is a town of weavers. Ada Lind opened a school in Tessmark.",
    "Silver ferns": "Silver ferns grow in the hills. Ines Halloran described the silver fern.",
    "Comets": "Edmund Halloway discovered a comet. Edmund Halloway lived in Merrin.",
}
FACTS = """\
Mira Solen\tspouse\tTomas Brandt
Tomas Brandt\tplace_of_birth\tVelmora
Velmora\tcountry\tOstrava Republic
Mira Solen\tprofession\tpainter
Ivo Kral\tprofession\tpainter
Ivo Kral\tplace_of_birth\tDrusk
"""
QUESTION = "Who founded the shipyard that built the Aurelia?"
Ask = Callable[..., Evidence]


@pytest.fixture(scope="module")
def resources(resources: Resources) -> Resources:
    return like(resources, partial_alignment_version="untrained")


def filled_with(
    resources: Resources, names: deque[str], files: dict[str, str], as_triples: bool
) -> Iterator[str]:
    name = names.popleft()
    pipeline = IngestPipeline(resources.store, resources.embedder, resources.parser)
    sources = [uploaded(file, text.encode()) for file, text in files.items()]
    pipeline.accept(name, sources, as_triples=as_triples)
    pipeline.process(name)
    yield name
    delete_corpus(resources.store, name)
    names.append(name)


@pytest.fixture(scope="module")
def filled(resources: Resources, corpus_names: deque[str]) -> Iterator[str]:
    files = {f"{title}.txt": text for title, text in TEXTS.items()}
    yield from filled_with(resources, corpus_names, files, False)


@pytest.fixture(scope="module")
def base(resources: Resources, corpus_names: deque[str]) -> Iterator[str]:
    yield from filled_with(resources, corpus_names, {"facts.tsv": FACTS}, True)


@pytest.fixture
def ask(resources: Resources, filled: str) -> Ask:
    """Ask with other settings than the defaults."""

    def asked(question: str = QUESTION, corpus: str = filled, **changes: Any) -> Evidence:
        settings = {f"partial_alignment_{name}": value for name, value in changes.items()}
        return search(like(resources, **settings), question, corpus, "partial-alignment", 3)

    return asked


def cards(evidence: Evidence) -> tuple[QuotesCard, SubgraphCard]:
    quotes, subgraph = evidence.explanation
    assert isinstance(quotes, QuotesCard)
    assert isinstance(subgraph, SubgraphCard)
    return quotes, subgraph


def stages(evidence: Evidence) -> list[str]:
    return [quote.tags[0] for quote in cards(evidence)[0].quotes]


def test_the_passages_of_connected_triples_come_first(ask: Ask) -> None:
    evidence = ask(budget=6, anchors=2, third=2)
    assert {chunk.title for chunk in evidence.chunks[:2]} == {"Aurelia", "Seld Shipyard"}
    assert 4 <= len(evidence.triples) <= 6  # a source may have no neighbour left
    scores = [one.score for one in evidence.triples]
    assert scores == sorted(scores, reverse=True)
    found = stages(evidence)
    assert found == sorted(found)
    assert found.count("anchors") == found.count("connected") == 2
    assert "third hop" in found
    ends = [{one.head_id, one.tail_id} for one in evidence.triples]
    assert any(a & b for i, a in enumerate(ends) for b in ends[:i])
    assert not evidence.notices


def test_a_small_budget_has_all_stages(ask: Ask) -> None:
    assert set(stages(ask(budget=6, anchors=2))) == {"anchors", "connected", "third hop"}


def test_all_that_is_shown_is_in_the_graph(ask: Ask, resources: Resources, filled: str) -> None:
    evidence = ask()
    quotes, subgraph = cards(evidence)
    told = cited(evidence)
    assert existing(resources.store, filled, told) == told
    assert told.triples
    assert told.edges
    assert subgraph.stages == NAMES
    assert {edge.id for edge in subgraph.edges if edge.id} == {one.id for one in evidence.triples}
    anchor = quotes.quotes[0]
    assert anchor.text.count("?") == 1
    assert any(tag.endswith(" masked") for tag in anchor.tags)
    later = next(quote for quote in quotes.quotes if quote.tags[0] == "connected")
    assert later.after is not None
    assert quotes.quotes[later.after].tags[0] == "anchors"


def test_each_stage_is_one_statement(
    ask: Ask, resources: Resources, monkeypatch: pytest.MonkeyPatch
) -> None:
    ask()
    asked: list[str] = []
    read = resources.store.read

    def counting(name: str, /, **params: Any) -> Any:
        asked.append(name)
        return read(name, **params)

    monkeypatch.setattr(resources.store, "read", counting)
    ask(budget=6, anchors=2, third=2)
    assert asked.count("triples_by_id") == 3


def test_anchors_alone_fill_the_budget(ask: Ask) -> None:
    evidence = ask(expand=False, budget=5, anchors=2)
    assert stages(evidence) == ["anchors"] * 5


@pytest.mark.parametrize("switch", ["full_anchors", "full_connected"])
def test_whole_triples_are_another_ranking(ask: Ask, switch: str) -> None:
    plain, whole = (
        ask(budget=4, anchors=2, third=0),
        ask(budget=4, anchors=2, third=0, **{switch: True}),
    )
    assert len(whole.triples) == len(plain.triples) == 4
    stage = 0 if switch == "full_anchors" else -1
    tags = cards(whole)[0].quotes[stage].tags
    assert not any("masked" in tag or "by its" in tag for tag in tags)


def test_a_single_triple_is_said_to_be_connected_to_none(ask: Ask) -> None:
    told = ask("Who discovered a comet?", budget=2, anchors=2, third=0, expand=False).notices
    connected = ask("Who married Ada Lind?", budget=6, anchors=2, third=2).notices
    assert connected == ()
    assert told == () or "connected" in told[0]
    lone = ask(
        "Who described the silver fern and who discovered a comet?",
        budget=2,
        expand=False,
        anchors=1,
    )
    ends = [{one.head_id, one.tail_id} for one in lone.triples]
    assert bool(ends[0] & ends[1]) == (lone.notices == ())


def test_a_knowledge_base_gives_triples_and_no_passages(ask: Ask, base: str) -> None:
    evidence = ask(
        "Where was the spouse of Mira Solen born?", corpus=base, budget=4, anchors=1, third=1
    )
    found = [(one.head, one.relation, one.tail) for one in evidence.triples]
    assert ("Mira Solen", "spouse", "Tomas Brandt") in found
    assert ("Tomas Brandt", "place_of_birth", "Velmora") in found
    assert evidence.chunks == ()
    assert {one.chunk_id for one in evidence.triples} == {""}
    quotes, subgraph = cards(evidence)
    told = {quote.label: quote.tags for quote in quotes.quotes}
    assert "line 1 of facts" in told["Mira Solen → spouse → Tomas Brandt"]
    assert {edge.label for edge in subgraph.edges} == {one.relation for one in evidence.triples}


def test_the_index_follows_the_graph_by_what_changed(
    resources: Resources, base: str, ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    ask("Where was Ivo Kral born?", corpus=base)
    before = get_corpus(resources.store, base).revision
    known = {part for row in triple_parts(resources.store, base) for part in row[2:]}
    pipeline = IngestPipeline(resources.store, resources.embedder, resources.parser)
    pipeline.accept(
        base, [uploaded("more.tsv", b"Ivo Kral\tchildren\tNela Kral\n")], as_triples=True
    )
    pipeline.process(base)
    assert get_corpus(resources.store, base).revision > before
    embedded: list[str] = []
    embed = resources.embedder.embed

    def counting(texts: Any) -> Any:
        embedded.extend(texts)
        return embed(texts)

    monkeypatch.setattr(resources.embedder, "embed", counting)
    monkeypatch.setattr("clew.resources.revision_cache.REFRESH_SHARE", 0.0)
    question = "Who is a child of Ivo Kral?"
    evidence = ask(question, corpus=base, budget=3, anchors=1, third=1)
    assert evidence.triples[0].tail == "Nela Kral"
    assert {*embedded} - {question} == {
        "Ivo Kral children",
        "children Nela Kral",
        "Ivo Kral Nela Kral",
        "children",
        "Nela Kral",
    }
    assert "Nela Kral" not in known


def test_past_the_limit_pagerank_is_asked_and_said(ask: Ask) -> None:
    evidence = ask(triple_limit=1, index="hnsw")  # another index, so that none is there yet
    assert "pagerank" in evidence.notices[0]
    assert evidence.chunks


@pytest.mark.parametrize(
    "changes",
    [
        {"partial_alignment_anchors": 60},
        {"partial_alignment_anchor_loss": False, "partial_alignment_connected_loss": False},
    ],
)
def test_settings_that_cannot_be_are_refused(changes: dict[str, Any]) -> None:
    with pytest.raises(InvalidSetting, match="partial_alignment"):
        Settings.load(**changes)
