"""The extractors of corpora, as the settings allow them: checked, described, opened for a job."""

import logging
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from itertools import islice
from typing import TYPE_CHECKING

from clew.resources.language_models import EXTRACTION, check, name_of
from clew.resources.replies import has_replies, reply_cache
from clew.settings import Settings
from clew_cypher.errors import GraphError
from clew_ingest.triples.extractor_choice import (
    FILE_PREFIX,
    SUMMARIES,
    ExtractorChoice,
    UnknownExtractor,
)
from clew_models.errors import LanguageModelUnavailable, ModelNotInstalled

if TYPE_CHECKING:
    from clew.resources.resources import Resources
    from clew_cypher.store import GraphStore
    from clew_ingest.triples.extraction import Extraction

CHOOSABLE = {word: told for word, told in SUMMARIES.items() if not word.startswith(FILE_PREFIX)}
"""What callers of REST and the pages choose from: a file of triples is named on this machine."""

log = logging.getLogger(__name__)

_TOGETHER = 1000
"""Sources whose replies are looked for, or forgotten, together."""


def check_extractor(settings: Settings, word: str) -> str:
    """Return an extractor's name as a corpus keeps it, where it can be used here and now.

    A file is read whole. Raises UnknownExtractor for a wrong name or a missing language model,
    ModelNotInstalled, and UnreadableSource for a file, with the record and the field.
    """
    choice = ExtractorChoice.parse(word)
    if choice.kind == "llm":
        with _as_extractor():
            check(settings, EXTRACTION)
    if choice.kind == "model":
        _version(settings)
    if choice.path is not None:
        from clew_ingest.triples.ready_made import read_ready_made

        read_ready_made(choice.path)
    return str(choice)


def names_a_file(word: str) -> bool:
    """Return whether an extractor would read a file of this machine."""
    return word.strip().startswith(FILE_PREFIX)


def fingerprint_of(settings: Settings, spec: str) -> str:
    """Return the fingerprint of documents that are indexed with these settings and this
    extractor; loads no model. Raises as ``check_extractor``, but reads no record of a file.
    """
    from clew_ingest.pipeline.accepting import document_fingerprint
    from clew_ingest.triples.extraction import extraction_fingerprint

    name = None
    if ExtractorChoice.parse(spec).kind == "llm":
        with _as_extractor():
            name = name_of(settings, EXTRACTION)
    elif ExtractorChoice.parse(spec).kind == "model":
        name = _version(settings)
    return document_fingerprint(
        settings.parser, settings.chunk_tokens, extraction_fingerprint(spec, name)
    )


@contextmanager
def opened_extraction(resources: "Resources", spec: str) -> "Iterator[Extraction]":
    """Open an extractor for a job, with its model and the cache of replies, and close them after.

    Raises as ``check_extractor``.
    """
    from clew_ingest.triples.extraction import build_extraction

    with ExitStack() as opened:
        kind = ExtractorChoice.parse(spec).kind
        if kind == "model":
            from clew.strategies.text_to_triples.writer import TripleWriter

            _version(resources.settings)
            yield build_extraction(spec, trained=TripleWriter(resources))
            return
        if kind != "llm":
            yield build_extraction(spec)
            return
        settings = resources.settings
        with _as_extractor():
            model = resources.language_model(EXTRACTION)
        yield build_extraction(
            spec,
            model,
            opened.enter_context(reply_cache(settings)),
            concurrency=settings.llm_concurrency,
            triple_tokens=settings.llm_triple_tokens,
            triplet_tokens=settings.llm_triplet_tokens,
        )


def sources_of_documents(store: "GraphStore", corpus: str, ids: Sequence[str]) -> Iterator[str]:
    """Yield what the kept replies about documents are known by: the texts of their chunks, the ids
    of the lines of knowledge bases.
    """
    from clew_cypher.searching.chunks import texts_of_documents
    from clew_cypher.writing.knowledge_bases import line_ids_of_documents

    yield from texts_of_documents(store, corpus, ids)
    yield from line_ids_of_documents(store, corpus, ids)


def sources_of_corpus(store: "GraphStore", corpus: str) -> Iterator[str]:
    """Yield what the kept replies about a whole corpus are known by."""
    from clew_cypher.searching.chunks import texts_of_corpus
    from clew_cypher.writing.knowledge_bases import line_ids_of_corpus

    yield from texts_of_corpus(store, corpus)
    yield from line_ids_of_corpus(store, corpus)


def forget_replies(settings: Settings, sources: Iterable[str]) -> int:
    """Drop the kept replies about what is gone, and return how many there were."""
    if not has_replies(settings):
        return 0
    coming = iter(sources)
    forgotten = 0
    with reply_cache(settings) as cache:
        while some := list(islice(coming, _TOGETHER)):
            forgotten += cache.forget(some)
    return forgotten


@contextmanager
def forgetting_replies(
    settings: Settings, store: "GraphStore", corpus: str, document_ids: Sequence[str] | None
) -> Iterator[None]:
    """Forget, after an ingest, the replies about what it replaced: chunks, and lines of knowledge
    bases.

    ``document_ids`` None: all that wait. Without a cache of replies this costs nothing.
    """
    if not has_replies(settings):
        yield
        return
    from clew_cypher.writing.documents import accepted_documents

    ids = document_ids
    if ids is None:
        ids = [row["id"] for row in accepted_documents(store, corpus, limit=1_000_000)]
    before = _replied(settings, sources_of_documents(store, corpus, ids))
    try:
        yield
    finally:
        try:
            if before:
                before.difference_update(sources_of_documents(store, corpus, ids))
        except GraphError as error:  # what ended the ingest is told; replies are only a copy
            log.warning("Replies about what was replaced are still kept: %s", error)
        else:
            forget_replies(settings, before)


def _replied(settings: Settings, sources: Iterable[str]) -> set[str]:
    """Return those of which there are replies: a few of the many lines of a knowledge base."""
    coming = iter(sources)
    found: set[str] = set()
    with reply_cache(settings) as cache:
        while some := list(islice(coming, _TOGETHER)):
            found |= cache.known(some)
    return found


def _version(settings: Settings) -> str:
    """Return the version of the extractor ``model`` that serves. Raises UnknownExtractor."""
    from clew.strategies.text_to_triples.writer import serving_folder

    try:
        return serving_folder(settings).name
    except ModelNotInstalled as error:
        raise UnknownExtractor(error.message, remedy=error.remedy) from error


@contextmanager
def _as_extractor() -> Iterator[None]:
    """Say that it is the extractor which lacks a language model."""
    try:
        yield
    except LanguageModelUnavailable as error:
        raise UnknownExtractor(error.message, remedy=error.remedy) from error
