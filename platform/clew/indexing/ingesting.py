"""Documents into the graph: accepted with their raw bytes, then indexed, here and now."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from clew.indexing.corpora import ensure_corpus, extractor_of
from clew.indexing.extractors import fingerprint_of, forgetting_replies, opened_extraction
from clew.indexing.limits import limits_of
from clew.results.ingest import Accepted, AcceptedDocument, SkippedSource
from clew_cypher import corpora as graph_corpora
from clew_cypher.store import Transaction
from clew_ingest.limits import IngestLimits
from clew_ingest.parsing.parser import Parser
from clew_ingest.pipeline.accepting import accept_sources
from clew_ingest.pipeline.pipeline import IngestPipeline, finish_run
from clew_ingest.pipeline.progress import AcceptReport, IngestReport, ProgressCallback, Tally
from clew_ingest.reading import sources as sources_found
from clew_ingest.reading.sources import Source

if TYPE_CHECKING:
    from clew.resources.resources import Resources


def accept_report(
    resources: "Resources",
    sources: Sequence[str | Path | Source],
    corpus: str,
    progress: ProgressCallback | None = None,
    extractor: str | None = None,
    job_id: str | None = None,
    *,
    as_triples: bool = False,
    cancelled: Callable[[], bool] = lambda: False,
) -> AcceptReport:
    """Store the sources' raw bytes and register their documents; nothing is indexed yet.

    ``job_id``: the job that indexes them. ``as_triples``: they are knowledge bases, a triple a
    line; N-Triples and Turtle always are. Raises IngestCancelled as soon as ``cancelled`` says so;
    what was accepted until then stays accepted.
    """
    found, skipped = _found(sources, limits_of(resources.settings))
    if sources and not found:  # a path that was mistyped makes no corpus
        return AcceptReport((), tuple(skipped))
    chosen = ensure_corpus(resources, corpus, extractor)
    report = accept_sources(
        resources.store,
        corpus,
        found,
        limits_of(resources.settings),
        fingerprint=fingerprint_of(resources.settings, chosen),
        job_id=job_id,
        progress=progress,
        cancelled=cancelled,
        as_triples=as_triples,
    )
    return replace(report, skipped=(*skipped, *report.skipped))


def _found(
    sources: Sequence[str | Path | Source],
    limits: IngestLimits,
) -> tuple[list[Source], list[sources_found.SkippedSource]]:
    """Return the sources that paths, folders, pages and buckets stand for, and what is left out."""
    found: list[Source] = []
    skipped: list[sources_found.SkippedSource] = []
    for given in sources:
        if isinstance(given, Source):
            found.append(given)
            continue
        more, left_out = sources_found.find_sources([given], limits)
        found += more
        skipped += left_out
    return found, skipped


def accept(
    resources: "Resources",
    sources: Sequence[str | Path | Source],
    corpus: str,
    progress: ProgressCallback | None = None,
    extractor: str | None = None,
    *,
    as_triples: bool = False,
) -> Accepted:
    """As ``accept_report``, told as a result."""
    report = accept_report(resources, sources, corpus, progress, extractor, as_triples=as_triples)
    return Accepted(
        documents=tuple(
            AcceptedDocument(
                id=item.id,
                uri=item.uri,
                changed=item.changed,
                error=item.error,
                gone=item.gone,
                failed_before=item.failed_before,
            )
            for item in report.sources
        ),
        skipped=tuple(SkippedSource(uri=item.uri, reason=item.reason) for item in report.skipped),
    )


def process(
    resources: "Resources",
    corpus: str,
    document_ids: Sequence[str] | None = None,
    progress: ProgressCallback | None = None,
    cancelled: Callable[[], bool] = lambda: False,
    *,
    guard: Callable[[Transaction], None] | None = None,
) -> IngestReport:
    """Index accepted documents (all that wait where none are named), in this process.

    ``guard`` runs in every writing transaction: a job that lost its lease raises there. Raises
    EmbedderMismatch or EmbeddingDimensionMismatch where the graph holds vectors of another
    embedder, and as ``set_extractor`` where the corpus' extractor cannot be used.
    """
    settings, store, embedder = resources.settings, resources.store, resources.embedder
    resources.prepare_graph()
    graph_corpora.ensure_corpus(store, corpus, embedder=embedder.name, dimension=embedder.dimension)
    extractor = extractor_of(store, corpus) or graph_corpora.DEFAULT_EXTRACTOR
    with (
        forgetting_replies(settings, store, corpus, document_ids),
        opened_extraction(resources, extractor) as extraction,
    ):
        pipeline = IngestPipeline(
            store,
            embedder,
            Parser(settings.parser),
            limits_of(settings),
            extraction=extraction,
            resolves=settings.resolve_entities,
        )
        return pipeline.process(corpus, document_ids, progress, cancelled, guard=guard)


def finish(
    resources: "Resources",
    corpus: str,
    cancelled: Callable[[], bool] = lambda: False,
    *,
    guard: Callable[[Transaction], None] | None = None,
) -> None:
    """Do what ends an ingest (`finish_run`), where a killed job or a deletion left something of it.

    No model is loaded where nothing waits. Raises UnknownCorpus; ``guard`` as of ``process``.
    """
    if not graph_corpora.get_corpus(resources.store, corpus).dimension:
        return  # nothing was ever indexed: the graph may lack its indexes
    finish_run(
        resources.store,
        corpus,
        lambda: resources.embedder,
        resolves=resources.settings.resolve_entities,
        tally=Tally(),
        cancelled=cancelled,
        guard=guard,
    )
