"""The facade end to end, on the real graph: documents in, evidence and cited answers out."""

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from clew.clew import Clew
from clew.errors import InvalidRequest
from clew.jobs.kinds import index_documents
from clew.jobs.owner import owner_name
from clew.jobs.runner import Runner
from clew.results.evidence import Answer, AskEvent, Evidence, Turn
from clew.strategies.catalogue import STRATEGIES
from clew_cypher import corpora as graph_corpora
from clew_cypher.corpora import delete_corpus
from clew_cypher.errors import UnknownCorpus, UnknownDocument
from clew_cypher.schema import VALUE_TYPES
from clew_cypher.store import GraphStore
from clew_ingest.errors import AddressRefused, UnreadableSource
from clew_ingest.limits import IngestLimits
from clew_ingest.reading.fetching import FetchedPage
from clew_ingest.reading.sources import Source

from ..running_clew import OwnSettings

CORPUS = "test-facade"
RECORDS_CORPUS = "test-facade-records"
OTHER_CORPUS = "test-facade-other"
QUESTION = "In which town was the founder of the Larkin Observatory born?"
DOCUMENTS = {
    "larkin-observatory.md": "# Larkin Observatory\n\nThe Larkin Observatory stands on Mount "
    "Ashby. It was founded in 1871 by the astronomer Helena Marsh.",
    "helena-marsh.md": "# Helena Marsh\n\nHelena Marsh was an astronomer. Helena Marsh was born "
    "in the town of Dunmore in 1832.",
    "port-ellis.md": "# Port Ellis\n\nPort Ellis is a harbour. Its lighthouse was built in 1790.",
}


@pytest.fixture(scope="module")
def clew(own_settings: OwnSettings, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Clew]:
    settings = own_settings(
        tmp_path_factory.mktemp("home"),
        corpus=CORPUS,
    )
    with Clew(settings) as clew:
        yield clew
        with suppress(UnknownCorpus):
            delete_corpus(clew.resources.store, CORPUS)


@pytest.fixture(scope="module")
def folder(clew: Clew, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("documents")
    for name, text in DOCUMENTS.items():
        (folder / name).write_text(text)
    report = clew.ingest(folder)
    assert (report.ready, report.failed) == (3, ())
    return folder


def test_the_records_of_a_file_are_documents_that_can_be_listed_and_opened(
    clew: Clew, tmp_path: Path
) -> None:
    file = tmp_path / "rivers.jsonl"
    file.write_text('{"id": "a", "title": "Ashow", "text": "The Ashow is a river."}\n')
    try:
        clew.ingest(file, corpus=RECORDS_CORPUS)
        (parent,) = clew.documents(RECORDS_CORPUS)
        assert (parent.kind, parent.records, parent.bytes) == ("collection", 1, file.stat().st_size)
        (record,) = clew.documents(RECORDS_CORPUS, parent_id=parent.id)
        assert (record.title, record.bytes, record.parent_id) == ("Ashow", None, parent.id)
        opened = clew.document(RECORDS_CORPUS, record.id)
        assert [chunk.text for chunk in opened.chunks] == ["The Ashow is a river."]
        assert clew.resolve_document(RECORDS_CORPUS, "Ashow") == record
    finally:
        clew.delete_corpus(RECORDS_CORPUS)


def test_ingesting_again_changes_nothing(clew: Clew, folder: Path) -> None:
    before = clew.stats()
    report = clew.ingest(folder)
    assert (report.ready, report.unchanged) == (0, 3)
    assert clew.stats() == before
    assert (before.documents, before.failed, before.embedder) == (3, 0, "minilm")


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("strategy", [spec.name for spec in STRATEGIES if not spec.models])
def test_every_strategy_finds_both_documents(clew: Clew, strategy: str) -> None:
    evidence = clew.search(QUESTION, strategy=strategy, k=2)
    assert {chunk.title for chunk in evidence.chunks} == {"Larkin Observatory", "Helena Marsh"}
    assert evidence.strategy == strategy
    assert [step.name for step in evidence.trace][-1] == "paths"


@pytest.mark.usefixtures("folder")
def test_paths_lead_from_the_question_through_the_graph(clew: Clew) -> None:
    evidence = clew.search(QUESTION, k=2)
    (seed,) = evidence.seeds
    assert (seed.mention, seed.match) == ("the Larkin Observatory", "name")
    labels = [[node.label for node in path.nodes] for path in evidence.paths]
    joining = [path for path in labels if {"Larkin Observatory", "Helena Marsh"} <= set(path)]
    assert joining, labels
    chunk_ids = {chunk.id for chunk in evidence.chunks}
    for path in evidence.paths:
        assert len(path.edges) == len(path.nodes) - 1
        assert {node.id for node in path.nodes if node.kind == "chunk"} <= chunk_ids


@pytest.mark.usefixtures("folder")
def test_the_answer_is_right_and_cited(clew: Clew) -> None:
    answer = clew.ask(QUESTION)
    assert "Dunmore" in answer.short
    assert answer.supported
    assert 0 < answer.confidence <= 1
    chunks = {chunk.id: chunk.text for chunk in answer.evidence.chunks}
    assert any("Dunmore" in citation.quote for citation in answer.citations)
    for citation in answer.citations:
        assert citation.quote in chunks[citation.chunk_id]


@pytest.mark.usefixtures("folder")
def test_a_question_may_lean_on_the_one_before(clew: Clew) -> None:
    first = Turn(question="Who founded the Larkin Observatory?", answer="Helena Marsh")
    answer = clew.ask("In which town was she born?", history=[first])
    assert answer.question == "In which town was Helena Marsh born?"
    assert "Dunmore" in answer.short
    assert answer.evidence.trace[0].name == "follow-up"
    events = list(clew.ask_events("In which town was she born?", history=[first]))
    assert events[0].data["detail"]["understood"] == answer.question
    assert events[1].data == {"text": f"Asking: {answer.question}"}
    (evidence,) = [event.data for event in events if event.event == "evidence"]
    assert evidence["question"] == events[-1].data["question"] == answer.question
    assert evidence["trace"][0]["name"] == "follow-up"


def test_a_turn_says_what_was_answered_and_nothing_where_that_is_not_supported() -> None:
    evidence = Evidence(question=QUESTION, corpus="c", strategy="bm25")
    told = Answer(
        question=QUESTION,
        text="Dunmore, so the archive.",
        short="Dunmore",
        supported=True,
        confidence=0.9,
        citations=(),
        reader="extractive",
        evidence=evidence,
    )
    unknown = told.model_copy(
        update={"text": "Nothing here says.", "short": "", "supported": False}
    )
    assert told.as_turn() == Turn(question=QUESTION, answer="Dunmore")
    assert told.model_copy(update={"short": ""}).as_turn().answer == told.text
    assert unknown.as_turn() == Turn(question=QUESTION, answer="")


@pytest.mark.usefixtures("folder")
def test_events_come_in_order(clew: Clew) -> None:
    events = list(clew.ask_events(QUESTION))
    # what is made once is told where it takes long
    names = [event.event for event in events if event.event != "progress"]
    assert names == sorted(names, key=["trace", "evidence", "piece", "answer"].index)
    assert names[-1] == "answer"
    pieces = "".join(event.data["text"] for event in events if event.event == "piece")
    assert pieces == Answer.model_validate(events[-1].data).text


@pytest.mark.usefixtures("folder")
def test_the_first_question_of_a_strategy_says_what_it_waits_for(clew: Clew) -> None:
    with Clew(clew.settings) as fresh:
        events = list(fresh.ask_events(QUESTION, strategy="translator", answer=False))
        waits, *_ = [event for event in events if event.event == "progress"]
        assert "language model" in waits.data["text"]
        # it is said while it is loaded, before any step that needs it
        said = [event.data.get("name", event.event) for event in events]
        assert said.index("progress") < said.index("language model")
        for name in ("translator", "dense"):
            again = fresh.ask_events(QUESTION, strategy=name, answer=False)
            assert "progress" not in {event.event for event in again}
        # what cannot be asked at all does not wait first
        (refused,) = fresh.ask_events(QUESTION, strategy="iterative:translator")
        assert refused.data["code"] == "language_model_unavailable"


def test_what_people_do_wrong_is_an_event(clew: Clew) -> None:
    (event,) = clew.ask_events(QUESTION, corpus="no such corpus")
    assert (event.event, event.data["http_status"]) == ("error", 404)
    assert event == AskEvent.model_validate_json(event.model_dump_json())


@pytest.mark.usefixtures("folder")
def test_a_corpus_is_counted_once_a_revision(
    clew: Clew, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = clew.stats()
    counted: list[str] = []
    count = graph_corpora.content_counts

    def noted(store: GraphStore, corpus: str) -> dict[str, int]:
        counted.append(corpus)
        return count(store, corpus)

    monkeypatch.setattr(graph_corpora, "content_counts", noted)
    assert clew.stats() == before
    assert before in clew.corpora()
    assert before.name not in counted
    (tmp_path / "counted.txt").write_text("Helena Marsh counted lighthouses.")
    clew.accept([tmp_path / "counted.txt"])
    assert clew.stats().pending == before.pending + 1, "documents are counted each time"
    assert before.name not in counted
    clew.ingest(tmp_path / "counted.txt")
    assert clew.stats().chunks == before.chunks + 1
    assert before.name in counted
    (added,) = [one for one in clew.documents() if one.uri.endswith("counted.txt")]
    clew.delete(CORPUS, added.id)
    assert clew.stats().chunks == before.chunks


@pytest.mark.usefixtures("folder")
def test_bad_questions_and_names_are_refused(clew: Clew) -> None:
    with pytest.raises(InvalidRequest, match="empty"):
        clew.search("  ")
    with pytest.raises(InvalidRequest, match="bytes"):
        clew.search("x" * 9000)
    for ask in (clew.search, clew.ask):
        with pytest.raises(InvalidRequest, match="not valid Unicode"):
            ask("Who is \udcff?")  # a byte of the command line that is no UTF-8
    with pytest.raises(UnknownCorpus, match="no such corpus"):
        clew.search(QUESTION, corpus="no such corpus")
    with pytest.raises(InvalidRequest, match=r"guided-pagerank"):
        clew.search(QUESTION, strategy="guided-pagerang")
    with pytest.raises(InvalidRequest, match="reader"):
        clew.ask(QUESTION, reader="oracle")
    with pytest.raises(InvalidRequest, match="name of a corpus"):
        clew.create_corpus("a/b")


def test_blanks_around_a_name_and_how_its_letters_are_coded_make_no_other_corpus(
    clew: Clew, tmp_path: Path
) -> None:
    name, written = "test-facade-\u00e9t\u00e9", " test-facade-e\u0301te\u0301 "
    try:
        assert clew.create_corpus(written).name == name
        (tmp_path / "one.txt").write_text("Helena Marsh found one thing.")
        accepted = clew.accept([tmp_path / "one.txt"], corpus=f"{name} ")
        assert clew.stats(f"{name}\n").pending == 1
        assert clew.process(written, accepted.pending).ready == 1
        found = clew.resolve_document(written, "one.txt")
        assert clew.document(written, found.id).chunks[0].text == "Helena Marsh found one thing."
        assert clew.search("Who found one thing?", written).chunks
        (entity, *_) = clew.find_entities(written, "helena marsh")
        assert clew.entity(written, entity.id) == clew.entity(name, entity.id)
        assert {finding.corpus for finding in clew.check(written)} == {name, ""}
        assert clew.set_extractor(written, "none").extractor == "none"
        job = clew.submit(written, [found.id])
        assert [one.id for one in clew.jobs(written) if one.kind == "ingest"][:1] == [job.id]
        clew.cancel_job(job.id)
        assert clew.delete(written, found.id).documents == 1
        assert len([corpus for corpus in clew.corpora() if "facade-" in corpus.name]) <= 2
    finally:
        clew.delete_corpus(written)
    with pytest.raises(UnknownCorpus):  # blanks alone are no name, nor do they mean the default
        clew.delete_corpus("  ")


def test_a_path_that_is_not_there_makes_no_corpus(clew: Clew, tmp_path: Path) -> None:
    report = clew.ingest(tmp_path / "mistyped", corpus="test-facade-mistyped")
    assert [skipped.reason for skipped in report.skipped] == ["There is no such file or folder."]
    assert "test-facade-mistyped" not in {corpus.name for corpus in clew.corpora()}


def test_a_job_fetches_its_pages(clew: Clew, monkeypatch: pytest.MonkeyPatch) -> None:
    """What cannot be fetched is a failed document; what must not be fetched is none."""
    corpus = "test-facade-pages"

    def fetch(url: str, limits: IngestLimits) -> FetchedPage:
        if url.endswith("/inside"):
            raise AddressRefused("It is not a public address.")
        if url.endswith("/lost"):
            raise UnreadableSource("The server answers 404.")
        return FetchedPage(url, b"<p>Larkin wrote it.</p>", "text/html", "larkin")

    monkeypatch.setattr("clew_ingest.reading.sources.fetch", fetch)
    clew.create_corpus(corpus)
    try:
        urls = [f"https://example.org/{name}" for name in ("page", "lost", "inside")]
        job = clew.submit(corpus, [], urls)
        runner = Runner(clew.resources.store, clew.settings, owner_name())
        runner.run(job.id, lambda run: index_documents(clew.resources, run))
        ended = clew.job(job.id)
        assert (ended.state, ended.progress["ready"], ended.progress["failed"]) == ("done", 1, 2)
        assert {failure["uri"] for failure in ended.progress["failures"]} == set(urls[1:])
        found = {document.uri: document.status for document in clew.documents(corpus)}
        assert found == {urls[0]: "ready", urls[1]: "failed"}
    finally:
        clew.delete_corpus(corpus)


def test_an_address_that_was_kept_with_a_newline_can_be_opened(clew: Clew) -> None:
    """Earlier versions took such addresses in, and fetched them without."""
    corpus = "test-facade-newline"
    source = Source("https://example.org/a\nb", "a.txt", data=b"Larkin wrote it.")
    try:
        (kept,) = clew.accept([source], corpus=corpus).documents
        assert clew.original(corpus, kept.id) == "https://example.org/ab"
    finally:
        clew.delete_corpus(corpus)


def test_a_deleted_corpus_leaves_nothing(clew: Clew, tmp_path: Path) -> None:
    (tmp_path / "mill.md").write_text(DOCUMENTS["port-ellis.md"])
    clew.ingest(tmp_path, corpus=OTHER_CORPUS)
    assert clew.search("Port Ellis", corpus=OTHER_CORPUS).chunks
    kept = list((clew.settings.home / "derived").glob("*/*/*/manifest.json"))
    assert clew.delete_corpus(OTHER_CORPUS).chunks == 1
    assert len(list((clew.settings.home / "derived").glob("*/*/*/manifest.json"))) == len(kept) - 1
    with pytest.raises(UnknownCorpus):
        clew.stats(OTHER_CORPUS)


@pytest.mark.usefixtures("folder")
def test_the_graph_can_be_walked(clew: Clew) -> None:
    (entity,) = [e for e in clew.find_entities(CORPUS, "helena marsh") if e.chunk_count == 2]
    graph = clew.neighbourhood(CORPUS, entity.id)
    kinds = {node.id: node.kind for node in graph.nodes}
    assert list(kinds.values()).count("chunk") == 2
    assert all({edge.source, edge.target} <= kinds.keys() for edge in graph.edges)


@pytest.mark.usefixtures("folder")
def test_without_words_the_names_of_most_chunks_are_found_but_no_values(clew: Clew) -> None:
    found = clew.find_entities(CORPUS, " ", 100)
    chunks = [one.chunk_count for one in found]
    assert chunks == sorted(chunks, reverse=True)
    assert chunks[0] == 2
    assert "Helena Marsh" in [one.name for one in found if one.chunk_count == 2]
    assert {one.type for one in found}.isdisjoint(VALUE_TYPES)
    assert clew.find_entities(CORPUS, "", 2) == found[:2]
    assert clew.find_entities(CORPUS, "!?") == []


def test_deleting_a_document_takes_what_only_it_supported(clew: Clew, folder: Path) -> None:
    found = clew.resolve_document(CORPUS, "Port Ellis")
    assert clew.document(CORPUS, found.id).chunks[0].text.startswith("Port Ellis is")
    deleted = clew.delete(CORPUS, found.id)
    assert (deleted.documents, deleted.chunks) == (1, 1)
    assert clew.find_entities(CORPUS, "port ellis") == []
    with pytest.raises(UnknownDocument):
        clew.document(CORPUS, found.id)
    assert clew.ingest(folder).ready == 1
