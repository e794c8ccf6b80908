"""A recording fake of the facade and of the workers, and the app over it. Unit tests only."""

import re
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from clew.errors import InvalidRequest, JobNotOver
from clew.evaluation.run import BenchRun
from clew.jobs.listing import unknown_job
from clew.jobs.questions import Question
from clew.results.corpus import CorpusInfo, Deletion, GrowthDay
from clew.results.document import (
    ChunkProvenance,
    ChunkText,
    DocumentDetail,
    DocumentInfo,
    EntityInfo,
    FoundEntity,
    NamedDocument,
    SentenceProvenance,
    TripleInfo,
)
from clew.results.evidence import (
    Answer,
    AskEvent,
    Citation,
    Evidence,
    EvidencePath,
    PathEdge,
    PathNode,
    ScoredChunk,
    SeedEntity,
    TraceStep,
)
from clew.results.graph import Graph, GraphEdge, GraphNode
from clew.results.health import Health, ServiceHealth
from clew.results.ingest import Accepted, AcceptedDocument
from clew.results.job import Job, JobCount, JobEvent, Retried
from clew.sample_corpus import DEMO_QUESTION
from clew.settings import Settings
from clew.strategies.catalogue import in_one_step
from clew.strategies.iterative.merging import of_search
from clew_cypher.corpora import unknown_corpus
from clew_cypher.errors import (
    UnknownChunk,
    UnknownDocument,
)
from clew_ingest.triples.extractor_choice import ExtractorChoice, UnknownExtractor
from clew_web.app import create_app

from .bench_runs import kept_run
from .clue_evidence import translated
from .fake_access import FakeAccess
from .fake_bench import FakeBench, add_job
from .fake_entities import FakeEntities
from .fake_models import FakeModels
from .fake_schedules import FakeSchedules
from .fake_webhooks import FakeWebhooks
from .recorded_cards import EXPLANATION, ROUNDS

WHEN = "2026-11-21T03:00:00+00:00"
MARKUP = '<b>Not bold</b> & "quoted"'


def scored(number: int, title: str, text: str, score: float) -> ScoredChunk:
    return ScoredChunk(
        id=f"c{number}", document_id=f"d{number}", title=title, text=text, score=score
    )


CHUNKS = (
    scored(1, "Aurelia", "The Aurelia is a ship.\nShe was built at the Seld Shipyard.", 0.91),
    scored(2, "Seld Shipyard", "The Seld Shipyard was founded by Victor Ferrand in 1874.", 0.74),
    scored(3, MARKUP, "A passage with <script>alert(1)</script> in it, shown as text.", 0.12),
)


def triple(head: str, predicate: str, tail: str, sentence: str | None) -> TripleInfo:
    return TripleInfo(
        head=head,
        predicate=predicate,
        tail=tail,
        text=f"{head} {predicate} {tail}.",
        sentence=sentence,
        extractor="llm",
        chunk_id="c1",
        head_id="e1",
        tail_id="e2",
    )


TRIPLES = (
    triple("Aurelia", "be", MARKUP, None),
    triple("Aurelia", "build at", "Seld Shipyard", "She was built at the Seld Shipyard."),
)


def evidence_for(question: Question) -> Evidence:
    nodes = (
        PathNode(id="e1", kind="entity", label="Aurelia"),
        PathNode(id="c1", kind="chunk", label="Aurelia"),
        PathNode(id="e2", kind="entity", label="Seld Shipyard"),
        PathNode(id="c2", kind="chunk", label="Seld Shipyard"),
    )
    texts = ("The Aurelia is a research ship.", "She was built at the Seld Shipyard.", "")
    edges = tuple(
        PathEdge(source=a.id, target=b.id, kind="MENTIONED_IN", text=text)
        for a, b, text in zip(nodes[:-1], nodes[1:], texts, strict=True)
    )
    evidence = Evidence(
        question=question.question,
        corpus=question.corpus,
        strategy=question.strategy or "",
        chunks=CHUNKS[: question.k],
        paths=(EvidencePath(nodes=nodes, edges=edges),),
        seeds=(SeedEntity(id="e1", name="Aurelia", mention="Aurelia", match="name", weight=1.0),),
        trace=(
            TraceStep(name="embed", seconds=0.004, detail={"tokens": 14}),
            TraceStep(name="seeds", seconds=0.009, detail={"entities": ["Aurelia"]}),
            TraceStep(name="chain ranking", seconds=0.013, detail={"chunks": 3}),
        ),
        notices=("chain-ranking has no notice; this one is the fake's.",),
    )
    if in_one_step(evidence.strategy) == "translator":
        evidence = translated(evidence)
    return evidence if in_one_step(evidence.strategy) == evidence.strategy else in_steps(evidence)


def in_steps(evidence: Evidence) -> Evidence:
    """Return the evidence as if it had been searched for in two steps."""
    queries = (evidence.question, "founder of the Seld Shipyard")
    merge = TraceStep(name="merge", seconds=0.0001, detail={"steps": 2, "ended": "nothing missing"})
    steps = (
        step
        for number, query in enumerate(queries, 1)
        for step in of_search(number, query, evidence.trace)
    )
    return evidence.model_copy(update={"trace": (*steps, merge)})


def explanation(strategy: str | None) -> list[dict[str, Any]]:
    """The cards of a strategy, as JSON: the translator's, and rounds where there are steps."""
    name = strategy or ""
    cards = EXPLANATION if in_one_step(name) == "translator" else []
    return cards if in_one_step(name) == name else [*cards, ROUNDS]


class FakeQuestions:
    """Answers every question about the Aurelia; says so where the evidence does not."""

    def __init__(self) -> None:
        self.asked: list[Question] = []
        self.closed = 0
        self.error: Exception | None = None
        self.pause: Any = None
        self.loading: Any = None
        self.searching: Any = None
        self.early: list[tuple[Any, dict[str, Any]]] = []
        self.further: tuple[ScoredChunk, ...] = ()
        """What the reader finds for parts of the question."""
        self.rounds: tuple[dict[str, Any], ...] = ()
        self.meant: dict[str, str] = {}
        """What questions are understood as."""

    def ask_events(self, settings: Settings, question: Question) -> Iterator[AskEvent]:
        self.asked.append(question)
        if self.error is not None:
            raise self.error
        meant = self.meant.get(question.question, question.question)
        return self._events(question.model_copy(update={"question": meant}))

    def _events(self, question: Question) -> Iterator[AskEvent]:
        try:
            if self.loading is not None:
                yield AskEvent(event="progress", data={"text": "Loading the model"})
                self.loading()
            for kind, data in self.early:
                yield AskEvent.model_construct(event=kind, data=data)
            evidence = evidence_for(question)
            for step in evidence.trace:
                yield AskEvent(event="trace", data=step.model_dump(mode="json"))
            if self.searching is not None:
                self.searching()
            cards = {"explanation": explanation(question.strategy)}
            yield AskEvent(event="evidence", data=evidence.model_dump(mode="json") | cards)
            answer = self.answer(question)
            for word in re.split("(?<= )", answer.text):
                if self.pause is not None:
                    self.pause()
                yield AskEvent(event="piece", data={"text": word})
            whole = answer.model_dump(mode="json")
            whole["evidence"]["chunks"] += [one.model_dump(mode="json") for one in self.further]
            whole["evidence"]["explanation"] = [*cards["explanation"], *self.rounds]
            yield AskEvent(event="answer", data=whole)
        finally:
            self.closed += 1

    def answer(self, question: Question) -> Answer:
        supported = not any(word in question.question for word in ("marry", "Nothing"))
        citations = (
            Citation(
                number=1,
                chunk_id="c1",
                document_id="d1",
                title="Aurelia",
                quote="She was built at the Seld Shipyard.",
            ),
            Citation(
                number=2,
                chunk_id="c2",
                document_id="d2",
                title="Seld Shipyard",
                quote="founded by Victor Ferrand in 1874",
            ),
        )
        return Answer(
            question=question.question,
            text="Victor Ferrand [2]. The Aurelia was built at the Seld Shipyard [1], which he "
            "founded in 1874 [2]."
            if supported
            else "Nothing that was found says so.",
            short="Victor Ferrand" if supported else "",
            supported=supported,
            confidence=0.9 if supported else 0.1,
            citations=citations if supported else (),
            reader="extractive",
            evidence=evidence_for(question),
            trace=(
                TraceStep(name="read", seconds=0.031, detail={"candidates": 12}),
                TraceStep(name="total", seconds=0.061),
            ),
        )

    def ask(self, settings: Settings, question: Question) -> Answer:
        self.asked.append(question)
        if self.error is not None:
            raise self.error
        return self.answer(question)

    def search(self, settings: Settings, question: Question) -> Evidence:
        self.asked.append(question)
        if self.error is not None:
            raise self.error
        return evidence_for(question)


NAMES = {
    "e1": "Aurelia",
    "e2": "Seld Shipyard",
    "e3": "Victor Ferrand",
    "e4": "1874",
    "e10": "Port Ansel",
}


class FakeClew(FakeAccess, FakeBench, FakeEntities, FakeModels, FakeSchedules, FakeWebhooks):
    """Holds a few documents in memory; ``calls`` records what was asked of it."""

    def __init__(self, settings: Settings) -> None:
        super().__init__()
        self.webhook_list = []
        self.told = []
        self.settings = settings
        self.calls: list[tuple[Any, ...]] = []
        self.stored: dict[str, dict[str, DocumentInfo]] = {"default": {}, "sample": {}}
        self.extractors: dict[str, str] = {}
        self.originals: dict[str, str | Path] = {}
        self.job_list = []
        self.schedule_list = []
        self.runs = []
        self.kept = {}
        self.of_deleted: set[str] = set()
        self.versions = []
        self.review_list = []
        self.merge_list = []
        self.error = None
        self.up = True
        for title in ("Aurelia", "Seld Shipyard", "Victor Ferrand", MARKUP):
            self._put("sample", f"upload:{title}.md", title, "ready", None)
        self._put("sample", "upload:scan.pdf", "scan", "failed", "The PDF is broken.")

    def _put(
        self, corpus: str, uri: str, title: str, status: Any, error: str | None
    ) -> DocumentInfo:
        number = sum(len(documents) for documents in self.stored.values()) + 1
        document = DocumentInfo(
            id=f"d{number}",
            uri=uri,
            title=title,
            media_type="text/markdown",
            kind="text",
            status=status,
            error=error,
            parent_id=None,
            bytes=1536,
            chunks=2 if status == "ready" else 0,
            records=0,
            accepted_at=WHEN,
            ready_at=WHEN if status == "ready" else None,
            triples=2 if status == "ready" else 0,
            seconds=0.84 if status == "ready" else 0.0,
            llm_calls=2 if title == "Aurelia" else 0,
            prompt_tokens=1840 if title == "Aurelia" else 0,
            completion_tokens=212 if title == "Aurelia" else 0,
        )
        self.stored.setdefault(corpus, {})[document.id] = document
        return document

    def _known(self, corpus: str) -> dict[str, DocumentInfo]:
        if self.error is not None:
            raise self.error
        if corpus not in self.stored:
            raise unknown_corpus(corpus)
        return self.stored[corpus]

    def accept(
        self,
        sources: Sequence[Any],
        *,
        corpus: str | None = None,
        progress: Any = None,
        extractor: str | None = None,
        as_triples: bool = False,
    ) -> Accepted:
        self.calls.append(("accept", corpus, list(sources), *(["triples"] if as_triples else [])))
        name = corpus or "default"
        self.stored.setdefault(name, {})
        self._known(name)
        taken = [
            self._put(
                name, getattr(source, "uri", str(source)), self._title(source), "accepted", None
            )
            for source in sources
        ]
        documents = [
            AcceptedDocument(id=one.id, uri=one.uri, changed=True, error=None) for one in taken
        ]
        return Accepted(documents=tuple(documents), skipped=())

    @staticmethod
    def _title(source: Any) -> str:
        return str(source if isinstance(source, str | Path) else source.name)

    def submit(self, corpus: str, document_ids: Sequence[str], urls: Sequence[str] = ()) -> Job:
        self.calls.append(("submit", corpus, list(document_ids), *([list(urls)] if urls else [])))
        progress = {"done": 1, "total": len(document_ids) + 1, "stage": "parsing"}
        return add_job(self, "ingest", corpus, "running", progress)

    def documents(
        self,
        corpus: str | None = None,
        status: str | None = None,
        query: str | None = None,
        limit: int = 50,
        offset: int = 0,
        parent_id: str | None = None,
    ) -> list[DocumentInfo]:
        self.calls.append(("documents", corpus, status, query, limit, offset))
        found = [
            document
            for document in self._known(corpus or "default").values()
            if status in (None, document.status)
            and document.parent_id == parent_id
            and (query or "").lower() in f"{document.title} {document.uri}".lower()
        ]
        return found[offset : offset + limit]

    def count_documents(
        self,
        corpus: str | None = None,
        status: str | None = None,
        query: str | None = None,
        parent_id: str | None = None,
    ) -> int:
        return len(self.documents(corpus, status, query, 1_000_000, 0, parent_id))

    def document(self, corpus: str, document_id: str, *, line: int | None = None) -> DocumentDetail:
        document = self._known(corpus).get(document_id)
        if document is None:
            raise UnknownDocument(f"There is no document {document_id!r}.", remedy="List them.")
        said = () if line is None else (TRIPLES[0].model_copy(update={"line": line}),)
        return DocumentDetail(
            document=document,
            chunks=(ChunkText(id="c1", position=0, text=CHUNKS[2].text),),
            entities=(
                EntityInfo(id="e1", name="Aurelia", type="PRODUCT", chunk_count=2, triple_count=2),
            ),
            triples=TRIPLES[: document.triples] + said,
        )

    def provenance(self, corpus: str, chunk_id: str) -> ChunkProvenance:
        self._known(corpus)
        if chunk_id != "c1":
            raise UnknownChunk(f"There is no chunk {chunk_id!r}.", remedy="Open the document.")
        aurelia = FoundEntity(id="e1", name="Aurelia", type="PRODUCT")
        shipyard = FoundEntity(id="e2", name="Seld Shipyard", type="ORG")
        first = SentenceProvenance(
            id="s1",
            text="She was built at the Seld Shipyard.",
            heads=(aurelia,),
            tails=(shipyard,),
            names=(NamedDocument(id="d2", title="Seld Shipyard"),),
            triples=TRIPLES[1:],
        )
        return ChunkProvenance(
            id="c1",
            document_id="d1",
            document="Aurelia",
            position=0,
            title="Aurelia",
            text=CHUNKS[0].text,
            mentions=(aurelia, shipyard),
            sentences=(first,),
            triples=TRIPLES[:1],
        )

    def original(self, corpus: str, document_id: str) -> str | Path | None:
        self.document(corpus, document_id)
        return self.originals.get(document_id)

    def delete(self, corpus: str, document_id: str) -> Deletion:
        self.document(corpus, document_id)
        del self.stored[corpus][document_id]
        return Deletion(documents=1, chunks=1, sentences=2, entities=0)

    def corpora(self) -> list[CorpusInfo]:
        if self.error is not None:
            raise self.error
        return [self.stats(name) for name in self.stored]

    def growth(self, corpus: str | None = None) -> list[GrowthDay]:
        self._known(corpus or "default")
        days = (("2026-11-17", 1, 40, 90), ("2026-11-19", 3, 900, 2100), ("2026-11-21", 5, 6119, 9))
        return [
            GrowthDay(day=day, documents=documents, chunks=chunks, triples=triples)
            for day, documents, chunks, triples in days
            if corpus == "sample"
        ]

    def create_corpus(self, name: str, extractor: str | None = None) -> CorpusInfo:
        if extractor is not None:
            self._chosen(extractor)
        if name not in self.stored:
            self.stored[name] = {}
            self.extractors[name] = extractor or "rules"
        return self.stats(name)

    def set_extractor(self, corpus: str, extractor: str) -> CorpusInfo:
        self._known(corpus)
        self.extractors[corpus] = self._chosen(extractor)
        return self.stats(corpus)

    def _chosen(self, extractor: str) -> str:
        if extractor == "llm":
            raise UnknownExtractor("It needs a language model.", remedy="Set CLEW_LLM_MODEL.")
        return str(ExtractorChoice.parse(extractor))

    def delete_corpus(self, name: str) -> Deletion:
        documents = self._known(name)
        del self.stored[name]
        return Deletion(documents=len(documents), chunks=0, sentences=0, entities=0)

    def stats(self, corpus: str | None = None) -> CorpusInfo:
        documents = self._known(corpus or "default").values()
        return CorpusInfo(
            name=corpus or "default",
            revision=3,
            embedder="minilm",
            documents=len(documents),
            failed=sum(document.status == "failed" for document in documents),
            pending=sum(document.status == "accepted" for document in documents),
            chunks=sum(document.chunks for document in documents),
            sentences=6119 if documents else 0,
            entities=1204 if documents else 0,
            mentions=2410 if documents else 0,
            extractor=self.extractors.get(corpus or "default", "rules"),
            triples=sum(document.triples for document in documents),
            of_bench=(corpus or "").startswith("bench-"),
        )

    def neighbourhood(self, corpus: str, entity_id: str, limit: int = 50) -> Graph:
        self.calls.append(("neighbourhood", corpus, entity_id, limit))
        self._known(corpus)
        if entity_id not in NAMES:
            return Graph(nodes=(), edges=(), truncated=False)
        names = ("Port Ansel", "Johan Strand", "Meridian Expedition", "Hestrel Observatory")
        nodes = [node(entity_id, "entity", NAMES[entity_id])]
        nodes += [node(f"e1{index}", "entity", name) for index, name in enumerate(names)]
        edges = [edge(entity_id, other.id) for other in nodes[1:]]
        return Graph(nodes=tuple(nodes[:limit]), edges=tuple(edges), truncated=False)

    def answer_graph(
        self, corpus: str, entity_ids: Sequence[str], chunk_ids: Sequence[str], limit: int = 100
    ) -> Graph:
        self.calls.append(("answer_graph", corpus, list(entity_ids), list(chunk_ids), limit))
        self._known(corpus)
        nodes = [node(chunk.id, "chunk", chunk.title) for chunk in CHUNKS]
        nodes += [node("e1", "entity", "Aurelia"), node("e2", "entity", "Seld Shipyard")]
        nodes += [node("e3", "entity", "Victor Ferrand"), node("e4", "entity", "1874")]
        edges = [edge("e1", "c1"), edge("e2", "c1"), edge("e2", "c2"), edge("e3", "c2")]
        edges += [edge("e4", "c2"), edge("e4", "c3")]
        return Graph(nodes=tuple(nodes), edges=tuple(edges), truncated=True)

    def path_between(self, corpus: str, a: str, b: str) -> Graph:
        self.calls.append(("path_between", corpus, a, b))
        self._known(corpus)
        if a not in NAMES or b not in NAMES or a == b:
            return Graph(nodes=(), edges=(), truncated=False)
        nodes = (
            node(a, "entity", NAMES[a]),
            node("c1", "chunk", "Aurelia"),
            node(b, "entity", NAMES[b]),
        )
        return Graph(nodes=nodes, edges=(edge(a, "c1"), edge(b, "c1")), truncated=False)

    def jobs(
        self,
        corpus: str | None = None,
        limit: int = 20,
        *,
        states: Any = None,
        offset: int = 0,
        of_deleted: bool = True,
    ) -> list[Job]:
        if self.error is not None:
            raise self.error
        found = [
            job
            for job in self.job_list
            if corpus in (None, job.corpus)
            and (states is None or job.state in states)
            and (of_deleted or not job.corpus_deleted)
        ]
        return found[offset : offset + limit]

    def count_jobs(
        self, corpus: str | None = None, *, states: Any = None, of_deleted: bool = True
    ) -> int:
        return len(self.jobs(corpus, 1_000_000, states=states, of_deleted=of_deleted))

    def job_log(self, job_id: str) -> list[JobEvent]:
        self.job(job_id)
        return [
            JobEvent(at="2026-11-21T03:00:00.123456789Z", text="Queued."),
            JobEvent(at="2026-11-21T03:00:01Z", text="Try 1 begins, by ingest@here."),
            JobEvent(at="2026-11-21T03:00:09Z", text=f"Ended: failed. {MARKUP}"),
        ]

    def retry_job(self, job_id: str) -> Job:
        job = self.job(job_id)
        if job.state in ("queued", "running"):
            raise JobNotOver("The job is not over yet.", remedy="Wait for its end, or cancel it.")
        if job.state == "done":
            raise InvalidRequest("Nothing is left to be done again.", remedy="Upload them again.")
        return add_job(self, job.kind, job.corpus, "queued", {})

    def retry_documents(self, corpus: str, document_ids: Sequence[str]) -> Retried:
        self.calls.append(("retry_documents", corpus, list(document_ids)))
        for document_id in document_ids:
            self.document(corpus, document_id)
        job = add_job(self, "ingest", corpus, "queued", {})
        return Retried(job=job, documents=len(document_ids), left=())

    def job(self, job_id: str) -> Job:
        for job in self.job_list:
            if job.id == job_id:
                return job
        raise unknown_job(job_id)

    def cancel_job(self, job_id: str) -> Job:
        job = self.job(job_id).model_copy(update={"state": "cancelled", "finished_at": WHEN})
        self.job_list = [job if other.id == job_id else other for other in self.job_list]
        return job

    def job_counts(self) -> list[JobCount]:
        if self.error is not None:
            raise self.error
        counted = Counter((job.kind, job.state) for job in self.job_list)
        return [JobCount(kind=kind, state=state, jobs=n) for (kind, state), n in counted.items()]

    def health(self) -> Health:
        services = (
            ServiceHealth(name="Neo4j", ok=self.up, detail="2026.08.1 with GDS 2.26.0, 12 ms"),
            ServiceHealth(name="Broker", ok=True, detail="Valkey 9.1, 1 ms"),
            ServiceHealth(
                name="Query worker",
                ok=self.up,
                detail="no worker has answered for 40 s" if not self.up else "models warm",
                remedy="" if self.up else "`clew up` starts it.",
            ),
            ServiceHealth(name="Ingest worker", ok=True, detail="idle"),
        )
        return Health(ok=self.up, services=services)


def node(id_: str, kind: Any, label: str) -> GraphNode:
    text = next((chunk.text for chunk in CHUNKS if chunk.id == id_), "")
    return GraphNode(
        id=id_,
        kind=kind,
        label=label,
        type="" if kind == "chunk" else "ORG",
        size=1,
        text=text,
        document_id=id_.replace("c", "d") if kind == "chunk" else None,
    )


def edge(source: str, target: str) -> GraphEdge:
    return GraphEdge(source=source, target=target, kind="MENTIONED_IN")


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(home=tmp_path, corpus="default")


@pytest.fixture
def clew(settings: Settings) -> FakeClew:
    return FakeClew(settings)


@pytest.fixture
def runs(clew: FakeClew) -> dict[str, BenchRun]:
    """Two kept runs on the same questions, the second better, and an older one on others."""
    for run in (
        kept_run("r1", "2026-11-19T10:00:00+00:00"),
        kept_run("r2", "2026-11-20T10:00:00+00:00", luck=1),
        kept_run("r3", "2026-11-18T10:00:00+00:00", data_set="sample", synthetic=True, reader=None),
    ):
        clew.kept[run.id] = run
    return clew.kept


@pytest.fixture
def questions() -> FakeQuestions:
    return FakeQuestions()


@pytest.fixture
def app(clew: FakeClew, settings: Settings, questions: FakeQuestions) -> Any:
    return create_app(clew, settings, questions)


@pytest.fixture
def led(clew: FakeClew, tmp_path: Path, questions: FakeQuestions) -> Any:
    """The app where a language model is set, so that strategies can be asked in several steps."""
    settings = Settings(home=tmp_path, corpus="default", llm_model="m", llm_base_url="http://[::1]")
    clew.settings = settings
    return create_app(clew, settings, questions)


@pytest.fixture
def client(app: Any) -> Any:
    return app.test_client()


@pytest.fixture(scope="session")
def sample_question() -> str:
    return DEMO_QUESTION.question


def closing(app: Any) -> Any:
    """An app whose answers are closed when they are over: where a browser breaks off, Werkzeug's
    server reads what else it sent first, fails at that, and leaves a file open.
    """

    def answer(environ: Any, start_response: Any) -> Iterator[bytes]:
        parts = app(environ, start_response)

        def closed() -> Iterator[bytes]:
            try:
                yield from parts
            finally:
                parts.close()

        return closed()

    return answer


@pytest.fixture
def serve() -> Iterator[Callable[[Any], str]]:
    """Serves an app on a free port until the test ends; returns its address."""
    from werkzeug.serving import make_server

    servers = []

    def start(app: Any) -> str:
        server = make_server("127.0.0.1", 0, closing(app), threaded=True)
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        servers.append((server, thread))
        return f"http://127.0.0.1:{server.server_port}"

    yield start
    for server, thread in servers:
        server.shutdown()
        thread.join(10)
        server.server_close()


@pytest.fixture
def open_page(chromium: Any) -> Iterator[Callable[..., Any]]:
    """Opens pages. Any console error, policy violation or request to elsewhere fails the test."""
    contexts: list[Any] = []
    problems: list[str] = []

    def heard(message: Any) -> None:
        if message.type == "error" and "Failed to load resource" not in message.text:
            problems.append(f"console: {message.text}")

    def start(address: str, path: str = "/", **options: Any) -> Any:
        def asked(request: Any) -> None:
            if not request.url.startswith((address, "data:", "blob:")):
                problems.append(f"request: {request.url}")

        context = chromium.new_context(viewport={"width": 1280, "height": 900}, **options)
        context.set_default_timeout(20_000)
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: problems.append(f"error: {error}"))
        page.on("console", heard)
        page.on("request", asked)
        page.goto(address + path)
        return page

    yield start
    for context in contexts:
        context.close()
    assert problems == []
