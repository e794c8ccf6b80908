"""chain-ranking on a real graph: its thread, odd corpora, arrays that follow the documents."""

import json
from collections.abc import Callable, Mapping

import numpy as np
import pytest

from clew.answering.asking import part_search
from clew.evaluation.asking import cited
from clew.resources.resources import Resources
from clew.results.asked_documents import AskedDocuments
from clew.results.evidence import Evidence
from clew.results.explanation import QuotesCard, SubgraphCard
from clew.strategies.chain_ranking.arrays import (
    export_chains,
    names_inside,
    title_parts,
    titled_documents,
)
from clew.strategies.chain_ranking.options import ChainOptions
from clew.strategies.chain_ranking.step_reading import passages_of, step_reader, steps_among
from clew.strategies.retrieval import Retrieval
from clew.strategies.searching import build_strategy, search
from clew_cypher.checking.validity import existing
from clew_cypher.corpora import get_corpus
from clew_cypher.export.title_links import export_titles
from clew_cypher.store import GraphStore
from clew_cypher.titles.linking import link_titles
from clew_cypher.titles.matching import TitleMatcher
from clew_cypher.writing.documents import delete_document
from clew_ingest.pipeline.pipeline import IngestPipeline
from clew_ingest.reading.sources import Source
from clew_models.chain_ranking import ChainParts, TitleParts, build_chain_arrays
from clew_models.guided_pagerank import GraphParts
from clew_models.step_reader import StepText
from clew_models.words import content_words, words_of

from ..held_resources import like
from ..models.made_arrays import DIMENSION, check_same, vectors

NAME = "chain-ranking"
DOCUMENTS = {
    "Seld Shipyard": "The yard was founded in 1881 by Victor Ferrand. It closed after the war.",
    "Aurelia": "The Aurelia is a sailing ship. She was built at the Seld Shipyard in 1902.",
    "Victor Ferrand": "Victor Ferrand was an engineer from Corvay. He loved the violin.",
    "Corvay": "Corvay is an island with a lighthouse and three villages.",
    "Ferrand Prize": "The prize is given each year to a young engineer.",
    "Herring": "Herring are forage fish that move in large schools near the coast.",
    "Violin": "The violin has four strings and is played with a bow.",
    "Clock Tower": "The tower was designed by Ada Thorne. Its clock is of copper.",
    "Old Mill": "The mill on the river belongs to Ada Thorne.",
}
QUESTION = "Where is the founder of the yard from that built the Aurelia?"

Fill = Callable[[str, Mapping[str, str]], None]


@pytest.fixture
def fill(resources: Resources) -> Fill:
    """Ingests {title: text}; a title of "" is left out."""

    def ingest(corpus: str, documents: Mapping[str, str]) -> None:
        pipeline = IngestPipeline(resources.store, resources.embedder, resources.parser)
        sources = []
        for title, text in documents.items():
            record = {"title": title.partition("#")[0], "text": text}
            data = json.dumps({key: value for key, value in record.items() if value}).encode()
            sources.append(Source(uri=f"memory:{title}", name="record.json", data=data))
        pipeline.accept(corpus, sources)
        pipeline.process(corpus)
        link_titles(resources.store, corpus)

    return ingest


def ask(resources: Resources, corpus: str, question: str = QUESTION, k: int = 10) -> Evidence:
    return build_strategy(NAME, resources).retrieve(question, corpus, k)


def cards(evidence: Evidence) -> tuple[QuotesCard, SubgraphCard]:
    quotes, graph = evidence.explanation
    assert isinstance(quotes, QuotesCard)
    assert isinstance(graph, SubgraphCard)
    return quotes, graph


def test_the_thread_goes_from_the_name_over_titles_to_the_passages(
    resources: Resources, corpus: str, fill: Fill
) -> None:
    fill(corpus, DOCUMENTS)
    evidence = ask(resources, corpus, k=4)
    found = [chunk.title for chunk in evidence.chunks]
    assert set(found[:3]) == {"Aurelia", "Seld Shipyard", "Victor Ferrand"}
    quotes, graph = cards(evidence)
    places = {quote.chunk_ids[0]: number for number, quote in enumerate(quotes.quotes)}
    titles = {node.id: node.label for node in graph.nodes if node.kind == "chunk"}
    chunk_of = {title: id_ for id_, title in titles.items()}
    yard = quotes.quotes[places[chunk_of["Seld Shipyard"]]]
    assert yard.text == "She was built at the Seld Shipyard in 1902."
    assert yard.after == places[chunk_of["Aurelia"]]
    # the ship is named in the question, and the drawing begins there
    assert next(node for node in graph.nodes if node.stage == 0).label == "Aurelia"
    stages = {node.label: node.stage for node in graph.nodes if node.kind == "chunk"}
    assert stages["Aurelia"] < stages["Seld Shipyard"] < stages["Victor Ferrand"]
    assert len(graph.stages) == 1 + max(node.stage for node in graph.nodes)
    # a part of a question is searched for by its passages alone
    part = part_search(resources, evidence)(QUESTION, 3)
    assert [chunk.id for chunk in part.chunks] == [chunk.id for chunk in evidence.chunks][:3]
    assert not part.explanation


def test_all_that_is_drawn_and_quoted_is_in_the_graph(
    resources: Resources, corpus: str, fill: Fill
) -> None:
    fill(corpus, DOCUMENTS)
    evidence = ask(resources, corpus)
    quotes, graph = cards(evidence)
    assert quotes.quotes
    assert {edge.kind for edge in graph.edges} >= {"NAMES", "IN_CHUNK", "PART_OF"}
    shared = ask(resources, corpus, "Which building was designed by Ada Thorne?")
    mentions = [edge for edge in cards(shared)[1].edges if edge.kind == "MENTIONED_IN"]
    assert {"The tower was designed by Ada Thorne."} <= {edge.text for edge in mentions}
    both = cited(shared)
    assert not (both - existing(resources.store, corpus, both)).words()
    named = cited(evidence)
    assert len(named) > 10
    assert named.documents
    assert not (named - existing(resources.store, corpus, named)).words()
    # no edge without its ends, and nothing that leads nowhere but to a passage of the evidence
    ids = {node.id for node in graph.nodes}
    assert all({edge.source, edge.target} <= ids for edge in graph.edges)
    texts = {chunk.id: chunk.text for chunk in evidence.chunks}
    for quote in quotes.quotes:
        assert quote.text
        for span in quote.spans:
            assert span.text in texts.get(span.chunk_id, span.text)
    carried = [edge for edge in graph.edges if edge.kind == "NAMES"]
    assert all(edge.text for edge in carried)


def test_a_passage_is_said_to_have_words_of_the_question_where_it_has(
    resources: Resources, corpus: str, fill: Fill
) -> None:
    fill(corpus, DOCUMENTS)
    asked = "Which sea animals move in large schools, and who loved playing music?"
    told = {quote.chunk_ids[0]: quote for quote in cards(ask(resources, corpus, asked))[0].quotes}
    tagged = [quote for quote in told.values() if "has words of the question" in quote.tags]
    assert tagged
    for quote in tagged:
        assert set(content_words(asked)) & set(words_of(quote.text))
    other = cards(ask(resources, corpus, "ما هي عاصمة البلاد؟"))[0].quotes
    said = {quote.tags[0] for quote in other}
    assert "near in meaning" in said
    assert "has words of the question" not in said


def test_titles_of_the_question_are_found_however_it_is_typed(
    resources: Resources, corpus: str, fill: Fill
) -> None:
    fill(corpus, DOCUMENTS)
    arrays = export_chains(resources.store, get_corpus(resources.store, corpus))
    title_of = {document: title for _, document, title in export_titles(resources.store, corpus)}

    def found(question: str, *mentions: str) -> set[str]:
        return {
            title_of[id_] for ids in titled_documents(arrays, question, mentions) for id_ in ids
        }

    assert found("when was the seld shipyard founded") == {"Seld Shipyard"}
    assert found("WHO WAS VICTOR FERRAND?") == {"Victor Ferrand"}
    # a word may be any word; a name of the question is one
    assert found("who plays the violin?") == set()
    assert found("Is the Violin played with a bow?", "Violin") == {"Violin"}
    assert found("") == set()


NAMED = (
    *("Time", "Time (magazine)", "The Wall", "The Lord of the Rings (film)", "Of Mice and Men"),
    *("Aircraft carriers", "Glass box", "PEP 498 – Literal strings", "pep-0498", "RFC2119"),
    *("AT&amp;T", "Report 7", "Report 7 (draft)", "北京", "1984 (novel)"),
    *(f"The {'long' * 20} walk", *["Annual Report"] * 21),
)


@pytest.mark.parametrize(
    ("question", "most"),
    [
        ("What does the report say of time, and of the wall?", 3),
        ("was the lord of the rings film, or of mice and men, the longer one", 2),
        ("Which aircraft carrier and which glass boxes does PEP 498 or RFC 2119 name?", 5),
        ("Is report 7 draft with AT&T in 北京, and the 1984 novel?", 5),
        (f"Who took a {'long' * 20} walk in the annual report?", 22),
        ("Notes of 2 Oct 2024", 0),
    ],
)
def test_a_question_looks_only_at_titles_that_begin_as_it_goes_on(
    question: str, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    from clew.strategies.chain_ranking import arrays as module

    titles = [*NAMED, *(f"Report of {n} harbours" for n in range(300)), "Log of 2024-10-02"]
    of_chunk = {f"c{n:03}": title_parts(f"d{n:03}", title) for n, title in enumerate(titles)}
    parts = ChainParts(GraphParts(list(of_chunk), [], [], []), of_chunk, [], [])
    arrays = build_chain_arrays(parts, DIMENSION, vectors, lambda ids: dict.fromkeys(ids, ""))
    looked_at: list[str] = []

    def matcher(some: list[tuple[str, str]]) -> TitleMatcher:
        looked_at.extend(title for _, title in some)
        return TitleMatcher(some)

    monkeypatch.setattr(module, "TitleMatcher", matcher)
    found = titled_documents(arrays, question, ["Time"])
    assert len(looked_at) <= most
    # what all titles together give
    every = TitleMatcher((title.document_id, title.title) for title in of_chunk.values())
    wanted = {name.document_ids for name in every.find(question, cased=False)}
    if "2024" in question:
        wanted = {(f"d{len(titles) - 1:03}",)}
    assert found == sorted(wanted)


CHINESE = {
    "上海": "上海是中国最大的城市。黄浦江流经上海。",
    "黄浦江": "黄浦江是一条河。它流入长江。",
    "长江": "长江是亚洲最长的河流。",
}


def test_the_best_steps_are_read_with_what_led_there(
    resources: Resources, fill: Fill, corpus: str
) -> None:
    fill(corpus, DOCUMENTS)
    unread = ask(like(resources, chain_led=0, chain_read=0), corpus)
    read = ask(like(resources, chain_led=4, chain_read=4), corpus)
    assert not {"leads", "read steps"} & {step.name for step in unread.trace}
    details = [step.detail for step in read.trace if step.name in ("leads", "read steps")]
    assert details == [{"passages": 4}, {"passages": 4}]
    by_id = {chunk.id: chunk.title for chunk in unread.chunks}
    assert {chunk.id for chunk in read.chunks[:4]} == {chunk.id for chunk in unread.chunks[:4]}
    assert [c.id for c in read.chunks[4:]] == [c.id for c in unread.chunks[4:]]
    scores = [chunk.score for chunk in read.chunks]
    assert scores == sorted(scores, reverse=True)
    # by as much as the weights say, and no more
    weighed = ask(
        like(resources, chain_read=4, chain_read_weight=0.0, chain_lead_weight=0.0), corpus
    )
    assert [c.id for c in weighed.chunks] == [c.id for c in unread.chunks]
    options = resources.settings.options(ChainOptions)
    ids = [chunk.id for chunk in unread.chunks[:4]]
    retrieval = Retrieval(resources, NAME, QUESTION, corpus, 5)
    steps = steps_among(QUESTION, passages_of(retrieval, ids))
    fits = step_reader(resources).fits(QUESTION, [step.text for step in steps])
    after = {chunk.id: chunk.score for chunk in read.chunks}
    for chunk, step, fit in zip(unread.chunks, steps, fits, strict=False):
        expected = chunk.score + options.lead_weight * step.fit + options.read_weight * fit
        assert after[chunk.id] == pytest.approx(expected, abs=0.05)
    texts = {by_id[id_]: step.text for id_, step in zip(ids, steps, strict=True)}
    founder = texts["Victor Ferrand"]
    assert founder.lead == "The yard was founded in 1881 by Victor Ferrand."
    assert founder.lead_title == "Seld Shipyard"
    assert founder.text == "Victor Ferrand was an engineer from Corvay. He loved the violin."
    assert {text.title for text in texts_read(resources, corpus, 4)} == set(texts)


def test_passages_are_ordered_by_what_leads_to_them_without_reading(
    resources: Resources, fill: Fill, corpus: str
) -> None:
    fill(corpus, DOCUMENTS)
    unread = ask(like(resources, chain_led=0, chain_read=0), corpus)
    led = ask(like(resources, chain_led=8, chain_read=0, chain_lead_weight=100.0), corpus)
    (detail,) = [step.detail for step in led.trace if step.name in ("leads", "read steps")]
    assert detail == {"passages": 8}
    ids = [chunk.id for chunk in unread.chunks[:8]]
    retrieval = Retrieval(resources, NAME, QUESTION, corpus, 5)
    steps = steps_among(QUESTION, passages_of(retrieval, ids))
    fits = dict(zip(ids, (step.fit for step in steps), strict=True))
    assert [chunk.id for chunk in led.chunks[:8]] == sorted(ids, key=lambda id_: -fits[id_])
    assert [chunk.id for chunk in led.chunks[:8]] != ids


def texts_read(resources: Resources, corpus: str, count: int) -> list[StepText]:
    """What the model is shown."""
    shown: list[list[StepText]] = []

    class Shown:
        def fits(self, question: str, steps: list[StepText]) -> np.ndarray:
            shown.append(steps)
            return np.zeros(len(steps))

    watched = like(resources, chain_led=count, chain_read=count)
    watched.models.get("step reader", Shown, name="step reader")
    ask(watched, corpus)
    return shown[0]


REGISTERS = {
    "tickets": "By: Mara Pell; Trouble: lift stuck at noon. By: Nora Quill; Trouble: lamp is out.",
    "phone list": "Pell, Mara, 205, box office. Quill, Nora, 212, green room.",
    **{f"memo {n}": f"House {n} has got a new lift." for n in range(30)},
}
LIFT = "What extension has the person who reported the lift stuck at noon?"


def test_what_the_best_sentences_lead_to_comes_in_from_the_whole_corpus(
    resources: Resources, fill: Fill, corpus: str
) -> None:
    fill(corpus, REGISTERS)
    few = {"chain_pool": 8, "chain_led": 6, "chain_read": 4, "chain_predecessors": 4}
    alone = ask(like(resources, chain_further=0, **few), corpus, LIFT)
    assert "phone list" not in [chunk.title for chunk in alone.chunks]
    evidence = ask(like(resources, **few), corpus, LIFT)
    titles = [chunk.title for chunk in evidence.chunks]
    assert "phone list" in titles[:5]
    scores = [chunk.score for chunk in evidence.chunks]
    assert scores == sorted(scores, reverse=True)
    details = [step.detail for step in evidence.trace if step.name in ("leads", "read steps")]
    assert details == [{"passages": 7}, {"passages": 5}]
    # its step is the pair of sentences, each where it stands
    quotes, graph = cards(evidence)
    chunk_of = {chunk.title: chunk.id for chunk in evidence.chunks}
    place = {quote.chunk_ids[0]: number for number, quote in enumerate(quotes.quotes)}
    phones = quotes.quotes[place[chunk_of["phone list"]]]
    assert phones.tags == ("shares rare words with it",)
    assert [span.chunk_id for span in phones.spans] == [
        chunk_of["tickets"],
        chunk_of["phone list"],
    ]
    assert phones.spans[0].text.startswith("By: Mara Pell; Trouble: lift stuck at noon.")
    assert phones.spans[1].text.startswith("Pell, Mara")
    assert phones.after == place[chunk_of["tickets"]]
    assert chunk_of["phone list"] in {node.id for node in graph.nodes}
    named = cited(evidence)
    assert not (named - existing(resources.store, corpus, named)).words()
    # nothing comes in that was not asked for
    within = AskedDocuments(names=tuple(t for t in REGISTERS if t != "phone list"))
    asked = search(like(resources, **few), LIFT, corpus, NAME, 10, documents=within)
    assert asked.chunks
    assert "phone list" not in [chunk.title for chunk in asked.chunks]


def test_a_row_that_leads_on_is_told_where_no_name_does(
    resources: Resources, fill: Fill, corpus: str
) -> None:
    rows = {title: REGISTERS[title] for title in ("tickets", "phone list", "memo 1", "memo 2")}
    fill(corpus, rows)
    evidence = ask(resources, corpus, LIFT)  # all are of the pool
    quotes, _ = cards(evidence)
    chunk_of = {chunk.title: chunk.id for chunk in evidence.chunks}
    (phones,) = [one for one in quotes.quotes if one.chunk_ids == (chunk_of["phone list"],)]
    assert phones.tags == ("shares rare words with it",)
    assert [span.chunk_id for span in phones.spans] == [
        chunk_of["tickets"],
        chunk_of["phone list"],
    ]


def test_only_documents_that_are_asked_are_read(
    resources: Resources, fill: Fill, corpus: str
) -> None:
    fill(corpus, DOCUMENTS)
    two = AskedDocuments(names=("Corvay", "Old Mill"))
    evidence = search(resources, QUESTION, corpus, NAME, 5, documents=two)
    (step,) = [step for step in evidence.trace if step.name == "read steps"]
    assert step.detail == {"passages": 2}
    assert evidence.chunks[0].title == "Corvay"


@pytest.mark.parametrize(
    ("documents", "question", "best"),
    [
        ({"Corvay": DOCUMENTS["Corvay"]}, "What is Corvay?", "Corvay"),
        ({"Where Are You": "Where are you?"}, "Where are you?", "Where Are You"),
        ({f"Report#{n}": f"Report {n} is about the yard of number {n}." for n in range(50)},
         "What is the yard of number 31?", "Report"),
        ({"": "The lighthouse of Corvay has a copper dome."}, "What is the dome made of?", None),
        ({title.upper(): text.upper() for title, text in DOCUMENTS.items()},
         "WHO FOUNDED THE SELD SHIPYARD?", "SELD SHIPYARD"),
        (CHINESE, "黄浦江流入哪里？", "黄浦江"),
        ({"Table": "| name | year |\n|---|---|\n| yard | 1881 |\n| ship | 1902 |"},
         "When was the yard founded?", "Table"),
        ({"Twin#1": "The bell rings at noon.", "Twin#2": "The bell rings at noon."},
         "When does the bell ring?", "Twin"),
    ],
    ids=["one", "no-entity", "one-title", "no-title", "capitals", "chinese", "table", "twins"],
)  # fmt: skip
def test_odd_corpora_are_searched(
    resources: Resources,
    corpus: str,
    fill: Fill,
    documents: dict[str, str],
    question: str,
    best: str | None,
) -> None:
    fill(corpus, documents)
    evidence = ask(resources, corpus, question)
    assert evidence.chunks
    assert all(np.isfinite(chunk.score) for chunk in evidence.chunks)
    if best is not None:
        assert evidence.chunks[0].title == best
    if "number 31" in question:
        assert "31" in evidence.chunks[0].text
    named = cited(evidence)
    assert not (named - existing(resources.store, corpus, named)).words()


def test_arrays_follow_documents_and_read_only_what_is_new(
    resources: Resources, corpus: str, fill: Fill, monkeypatch: pytest.MonkeyPatch
) -> None:
    from clew.strategies.chain_ranking import arrays as module

    store = resources.store
    first = dict(list(DOCUMENTS.items())[:5])
    fill(corpus, first)
    before = export_chains(store, get_corpus(store, corpus))
    rest = {title: text for title, text in DOCUMENTS.items() if title not in first}
    fill(corpus, rest)
    gone = next(id_ for _, id_, title in export_titles(store, corpus) if title == "Corvay")
    delete_document(store, corpus, gone)
    link_titles(store, corpus)
    fresh = export_chains(store, get_corpus(store, corpus))
    read: list[str] = []
    plain = module.chunks_by_id

    def counted(store: GraphStore, name: str, ids: list[str]) -> list[dict[str, object]]:
        read.extend(ids)
        return plain(store, name, ids)

    monkeypatch.setattr(module, "chunks_by_id", counted)
    again = export_chains(store, get_corpus(store, corpus), before)
    check_same(fresh, again)
    titles = {chunk: title for chunk, _, title in export_titles(store, corpus)}
    assert sorted(titles[id_] for id_ in read) == sorted(rest)


def test_names_inside_titles() -> None:
    titles = {
        "c1": TitleParts("d1", "Stockholm Arlanda Airport", "stockholm arlanda airport", ""),
        "c2": TitleParts("d2", "Ed Wood (film)", "ed wood", ""),
        "c3": TitleParts("d3", "1984", "1984", ""),
    }
    names = [
        ("stockholm", ("stockholm",)),
        ("arlanda", ("arlanda airport", "arlanda")),
        ("whole", ("stockholm arlanda airport",)),
        ("wood", ("ed wood",)),
        ("film", ("film",)),
        ("year", ("1984",)),
        ("ed", ("ed",)),
    ]
    assert sorted(names_inside(titles, names)) == [
        ("arlanda", "c1"),
        ("film", "c2"),
        ("stockholm", "c1"),
    ]
