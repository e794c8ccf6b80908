"""From what the user named to questions with gold on an indexed corpus."""

import hashlib
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from clew.errors import CLEW_ERRORS, InvalidDataSet, InvalidRequest
from clew.evaluation.data_set_corpus import (
    corpus_name,
    corpus_of_data_set,
    index,
    index_triples,
    spent,
)
from clew.evaluation.data_sets.loading import fingerprint, load_data_set
from clew.evaluation.data_sets.synthetic import synthesise
from clew.evaluation.request import CORPUS_PREFIX, SAMPLE, BenchRequest
from clew.evaluation.request_checks import check_data_set, is_data_set
from clew.evaluation.run import IndexRecord
from clew.evaluation.tracking import Tracker
from clew.indexing import browsing, corpora
from clew.indexing.ingesting import accept, finish
from clew.jobs.here import index_here
from clew.resources.connecting import connection
from clew.results.data_set import BenchQuestion, DataSet, RefusedQuestion
from clew_cypher.corpora import get_corpus, mark_of_bench
from clew_ingest.pipeline.progress import IngestProgress
from clew_ingest.reading.sources import find_sources, local_path

if TYPE_CHECKING:
    from clew.resources.resources import Resources

PAGE = 500


@dataclass(frozen=True)
class Prepared:
    """A data set whose corpus is indexed. ``keys``: a document's id, or a triple's
    words, → its key in the data set;
    ``fingerprint``: of documents and questions; ``trained``: method → version that was trained here
    and serves the corpus; ``notices``: what the user has to know."""

    data_set: DataSet
    corpus: str
    fingerprint: str
    index: IndexRecord
    keys: Mapping[str, str] = field(default_factory=dict)
    trained: Mapping[str, str] = field(default_factory=dict)
    notices: tuple[str, ...] = ()


def prepare(
    resources: "Resources",
    request: BenchRequest,
    tracker: Tracker,
    cancelled: Callable[[], bool] = lambda: False,
) -> Prepared:
    """Read the data set, index its corpus where that is still to be done, and return both.

    A path that is no data set is a folder of documents: its questions are those of the request,
    or made from the graph. Raises InvalidDataSet, UnknownCorpus, IngestCancelled.
    """
    check_data_set(request.data_set)
    tracker.stage("load")

    def tell(state: IngestProgress) -> None:
        tracker.stage("index", state.documents_done, state.documents_total)

    if request.data_set.startswith(CORPUS_PREFIX):
        corpus = request.data_set.removeprefix(CORPUS_PREFIX)
        get_corpus(resources.store, corpus)
        return _on_corpus(resources, request, corpus, request.data_set, reused=True)
    if request.data_set != SAMPLE and not is_data_set(request.data_set):
        folder = local_path(request.data_set)
        return _on_folder(resources, request, folder, tell, cancelled)
    if request.questions is not None:
        raise InvalidRequest(
            f"{request.data_set!r} is a data set with questions of its own.",
            remedy="Give questions only for a folder of documents or a corpus.",
        )
    data_set = load_data_set(request.data_set)
    mark = fingerprint(data_set)
    corpus = corpus_of_data_set(data_set, request.seed, resources.settings)
    if data_set.unit == "triple":
        indexed = index_triples(resources, corpus, data_set.triples, request.seed, tell, cancelled)
    else:
        indexed = index(resources, corpus, data_set.documents, request.seed, tell, cancelled)
    record = _record(resources, corpus, indexed.reused, indexed.seconds, indexed.wall_seconds)
    return Prepared(data_set, corpus, mark, record, indexed.keys)


def _on_folder(
    resources: "Resources",
    request: BenchRequest,
    folder: Path,
    tell: Callable[[IngestProgress], None],
    cancelled: Callable[[], bool],
) -> Prepared:
    whole = folder.resolve()
    corpus = corpus_name(whole.name, str(whole), request.seed, resources.settings)
    sources, skipped = find_sources([folder])
    if not sources:
        raise InvalidDataSet(
            f"The folder {folder} holds neither a data set nor documents.",
            remedy="`clew bench --help` says what a data set looks like.",
        )
    random.Random(request.seed).shuffle(sources)
    accepted = accept(resources, sources, corpus)
    mark_of_bench(resources.store, corpus)
    if accepted.pending:
        index_here(resources, corpus, accepted.pending, tell, cancelled)
    gone = set(_document_ids(resources, corpus)) - {document.id for document in accepted.documents}
    if gone:
        corpora.delete_documents(resources, corpus, sorted(gone))
    finish(resources, corpus, cancelled)
    failed = corpora.corpus(resources, corpus).failed
    notices = ["The folder holds no data set of a known format: it was read as documents."]
    if failed:
        notices.append(f"{failed} documents could not be read and are not searched.")
    if skipped:
        notices.append(f"{len(skipped)} files were left out, the first: {skipped[0].reason}")
    prepared = _on_corpus(resources, request, corpus, whole.name, reused=not accepted.pending)
    return replace(prepared, notices=(*notices, *prepared.notices))


def _on_corpus(
    resources: "Resources", request: BenchRequest, corpus: str, name: str, *, reused: bool
) -> Prepared:
    """Return the questions on a corpus, as a data set of that name."""
    refused: tuple[RefusedQuestion, ...] = ()
    given = request.questions is not None
    if request.questions is not None:
        questions, refused = resolve_gold(resources, corpus, request.questions)
    else:
        questions = synthesise(resources.store, corpus, request.synthetic, request.seed)
    if not questions:
        reason = (
            f"none of the {len(refused)} questions can be scored, the first because: "
            f"{refused[0].reason}"
            if refused
            else "its graph holds no two documents that share an entity"
            if not given
            else "no question was given"
        )
        raise InvalidDataSet(
            f"There is nothing to ask of the corpus {corpus!r}: {reason}.",
            remedy="Give questions with their answers or documents (`--questions FILE`).",
        )
    data_set = DataSet(
        name=name,
        format="own questions" if given else "synthetic",
        documents=(),
        questions=questions,
        refused=refused,
        unit="document" if given else "chunk",
        synthetic=not given,
        corpus=corpus,
    )
    seconds, wall = spent(resources, corpus) if corpus.startswith("bench-") else ({}, None)
    index_record = _record(resources, corpus, reused, seconds, wall)
    mark = f"{fingerprint(data_set)} {corpus} {index_record.revision}"
    mark = hashlib.sha256(mark.encode()).hexdigest()[:16]
    return Prepared(data_set, corpus, mark, index_record)


def resolve_gold(
    resources: "Resources", corpus: str, questions: Sequence[BenchQuestion]
) -> tuple[list[BenchQuestion], tuple[RefusedQuestion, ...]]:
    """Return the questions with document ids for gold, and those whose gold cannot be found.

    Gold names a document by its id, address or title, as everywhere.
    """
    known: dict[str, str] = {}
    resolved: list[BenchQuestion] = []
    refused: list[RefusedQuestion] = []
    for question in questions:
        try:
            for name in [*question.gold, *(n for path in question.gold_paths for n in path)]:
                if name not in known:
                    known[name] = _gold_id(resources, corpus, name)
        except CLEW_ERRORS as error:
            refused.append(RefusedQuestion(id=question.id, reason=str(error)))
            continue
        gold = {known[name]: relevance for name, relevance in question.gold.items()}
        paths = tuple(tuple(known[name] for name in path) for path in question.gold_paths)
        resolved.append(question.model_copy(update={"gold": gold, "gold_paths": paths}))
    return resolved, tuple(refused)


def _gold_id(resources: "Resources", corpus: str, name: str) -> str:
    """Return the id of the document that gold names. Raises UnknownDocument, and InvalidRequest for
    several and for one that has no passages, which no strategy could find.
    """
    found = browsing.resolve_document(resources.store, corpus, name)
    if found.status != "ready":
        raise InvalidRequest(
            f"The document {name!r} is not indexed: it is {found.status}.",
            remedy=f"`clew documents show {found.id} --corpus {corpus}` says more.",
        )
    if found.kind == "collection":
        raise InvalidRequest(
            f"{name!r} is a file of {found.records} records, which are documents of their own.",
            remedy="Name the records that answer the question, by title or id.",
        )
    if not found.chunks:
        raise InvalidRequest(
            f"The document {name!r} has no passages.", remedy="Name one that has text."
        )
    return found.id


def _document_ids(resources: "Resources", corpus: str) -> list[str]:
    found: list[str] = []
    while page := browsing.documents(resources.store, corpus, limit=PAGE, offset=len(found)):
        found += [document.id for document in page]
    return found


def _record(
    resources: "Resources",
    corpus: str,
    reused: bool,
    seconds: Mapping[str, float],
    wall_seconds: float | None,
) -> IndexRecord:
    from clew.evaluation.measuring import database_bytes, neo4j_process

    info = corpora.corpus(resources, corpus)
    return IndexRecord(
        corpus=corpus,
        revision=info.revision,
        counts={
            name: getattr(info, name)
            for name in ("documents", "chunks", "sentences", "entities", "mentions")
        },
        reused=reused,
        seconds=dict(seconds),
        wall_seconds=wall_seconds,
        disk_bytes=database_bytes(neo4j_process(connection(resources.settings).neo4j.uri)),
    )
