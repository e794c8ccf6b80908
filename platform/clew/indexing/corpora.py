"""Corpora: named, made, checked and deleted, with their documents; how full they are, and who makes
their triples.
"""

import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields
from typing import TYPE_CHECKING, Any

from clew.errors import InvalidRequest
from clew.indexing.extractors import (
    check_extractor,
    forget_replies,
    sources_of_corpus,
    sources_of_documents,
)
from clew.results.corpus import CorpusInfo, Deletion, GrowthDay
from clew_cypher import corpora as graph_corpora
from clew_cypher.checking.checks import Finding, check_corpus, check_database
from clew_cypher.errors import UnknownCorpus
from clew_cypher.searching.documents import get_document
from clew_cypher.store import GraphStore
from clew_cypher.writing import documents as graph_documents

if TYPE_CHECKING:
    from clew.resources.resources import Resources
    from clew.settings import Settings

NAME_LENGTH = 100
"""Characters of a corpus' name, the most."""


def check_name(name: str) -> str:
    """Return a corpus name that can be used; raises InvalidRequest for one that cannot."""
    plain = plain_name(name)
    unfit = not plain.isprintable() or "/" in plain or plain in {".", ".."}
    if not plain.strip() or len(plain) > NAME_LENGTH or unfit:
        raise InvalidRequest(
            f"{name[:40]!r} cannot be the name of a corpus.",
            remedy=f"Take 1 to {NAME_LENGTH} printable characters, no slash, and not dots alone.",
        )
    return plain


def plain_name(name: str) -> str:
    """Return a corpus name as it is kept: without blanks around it, its letters composed (NFC).

    Blanks alone stay what they are: no corpus is called so, and they do not mean the default one.
    Raises InvalidRequest for what is no Unicode.
    """
    try:
        name.encode()
    except UnicodeEncodeError as error:
        raise InvalidRequest(
            "The name of the corpus is not valid Unicode.", remedy="Write it in UTF-8."
        ) from error
    return unicodedata.normalize("NFC", name.strip() or name)


def chosen_name(settings: "Settings", name: str | None) -> str:
    """Return the name, as it is kept, of the corpus that is asked for; None: of the settings'."""
    return plain_name(name or settings.corpus)


def all_corpora(resources: "Resources") -> list[CorpusInfo]:
    """Return every corpus with how full it is."""
    own = {field.name for field in fields(graph_corpora.Corpus)}
    return [
        _corpus_info(
            resources,
            graph_corpora.Corpus(**{name: row[name] for name in own}),
            row,
        )
        for row in graph_corpora.list_corpora(resources.store)
    ]


def corpus(resources: "Resources", name: str) -> CorpusInfo:
    """Return how full a corpus is; its content is counted once a revision. Raises UnknownCorpus."""
    found = graph_corpora.get_corpus(resources.store, name)
    return _corpus_info(resources, found, graph_corpora.document_counts(resources.store, name))


def growth(store: GraphStore, name: str) -> list[GrowthDay]:
    """Return how full a corpus was at the end of each day it grew on. Raises UnknownCorpus."""
    days: list[GrowthDay] = []
    for row in graph_corpora.corpus_growth(store, name):
        before = days[-1] if days else GrowthDay(day="", documents=0, chunks=0, triples=0)
        days.append(
            GrowthDay(
                day=row["day"],
                documents=before.documents + row["documents"],
                chunks=before.chunks + row["chunks"],
                triples=before.triples + row["triples"],
            )
        )
    return days


def extractor_of(store: GraphStore, name: str) -> str | None:
    """Return the extractor of a corpus; None where there is no such corpus."""
    try:
        return graph_corpora.get_corpus(store, name).extractor
    except UnknownCorpus:
        return None


def ensure_corpus(resources: "Resources", name: str, extractor: str | None) -> str:
    """Make a corpus where it is missing; return its extractor.

    Raises InvalidRequest for a wrong name and for a corpus that has another extractor.
    """
    settings = resources.settings
    present = present_extractor(resources.store, settings, name, extractor)
    if present is not None:
        return present
    chosen = check_extractor(settings, extractor or settings.extractor)
    # no model is loaded here: the first ingest sets the vectors' dimension
    graph_corpora.ensure_corpus(
        resources.store,
        check_name(name),
        embedder=settings.embedder,
        dimension=0,
        extractor=chosen,
    )
    return chosen


def present_extractor(
    store: GraphStore, settings: "Settings", name: str, wanted: str | None
) -> str | None:
    """Return the extractor of a corpus, None where there is none such.

    Raises InvalidRequest where another one is wanted.
    """
    present = extractor_of(store, name)
    if None not in (present, wanted) and check_extractor(settings, str(wanted)) != present:
        raise InvalidRequest(
            f"The corpus {name!r} has the extractor {present!r}.",
            remedy=f"Leave the extractor out, or change it: `clew corpora set {name} "
            f"--extractor {wanted}`.",
        )
    return present


def require_embedder(resources: "Resources", name: str) -> None:
    """Raise EmbedderMismatch where the corpus' vectors are not this embedder's; UnknownCorpus."""
    graph_corpora.get_corpus(resources.store, name)
    embedder = resources.embedder
    graph_corpora.ensure_corpus(
        resources.store, name, embedder=embedder.name, dimension=embedder.dimension
    )


def check(
    resources: "Resources", corpus: str | None = None, *, repair: bool = False
) -> Iterator[Finding]:
    """Yield what each check found, in the database and in a corpus (None: in each).

    ``repair``: mend what is found. Raises UnknownCorpus; EmbedderMismatch where a corpus that is to
    be repaired was embedded by another embedder.
    """
    store = resources.store
    yield from check_database(store, resources.embedder.dimension if repair else None)
    names = [corpus] if corpus else [row["name"] for row in graph_corpora.list_corpora(store)]
    for name in names:
        if repair:
            require_embedder(resources, name)
        yield from check_corpus(store, name, resources.embedder.embed if repair else None)


def set_extractor(resources: "Resources", name: str, extractor: str) -> None:
    """Choose who makes the triples of what is ingested from now on.

    Raises UnknownCorpus, UnknownExtractor, UnreadableSource for a file of triples.
    """
    graph_corpora.set_extractor(
        resources.store, name, check_extractor(resources.settings, extractor)
    )


def delete_corpus(resources: "Resources", name: str) -> Deletion:
    """Remove a corpus with its documents and all that is derived from it. Raises UnknownCorpus."""
    forget_replies(resources.settings, sources_of_corpus(resources.store, name))
    counts = graph_corpora.delete_corpus(resources.store, name)
    resources.forget(name)
    return _deletion(counts)


def delete_documents(resources: "Resources", corpus: str, ids: Iterable[str]) -> Deletion:
    """Remove documents and all that only they supported; those that are gone are passed over."""

    def forgotten() -> Iterator[str]:
        for document_id in ids:
            sources = sources_of_documents(resources.store, corpus, [document_id])
            forget_replies(resources.settings, sources)
            yield document_id

    return _deletion(graph_documents.delete_documents(resources.store, corpus, forgotten()))


def delete_document(resources: "Resources", corpus: str, document_id: str) -> Deletion:
    """Remove one document, as `delete_documents`. Raises UnknownDocument."""
    get_document(resources.store, corpus, document_id)
    return delete_documents(resources, corpus, [document_id])


def _corpus_info(
    resources: "Resources", found: graph_corpora.Corpus, documents: Mapping[str, Any]
) -> CorpusInfo:
    (content,) = resources.remembered(
        ("content", found.created_at, found.revision),
        [found.name],
        lambda names: [graph_corpora.content_counts(resources.store, one) for one in names],
    )
    counts = {**documents, **content}
    return CorpusInfo(
        name=found.name,
        revision=found.revision,
        embedder=found.embedder if counts["chunks"] or counts["triples"] else None,
        documents=counts["documents"],
        failed=counts["failed"],
        pending=counts["accepted"],
        chunks=counts["chunks"],
        sentences=counts["sentences"],
        entities=counts["entities"],
        mentions=counts["mentions"],
        extractor=found.extractor,
        triples=counts["triples"],
        failed_chunks=counts["failed_chunks"],
        of_bench=found.of_bench,
    )


def _deletion(counts: Mapping[str, int]) -> Deletion:
    return Deletion(**{name: counts[name] for name in Deletion.model_fields})
