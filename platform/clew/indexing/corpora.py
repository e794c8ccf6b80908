"""Corpora: made, checked and deleted, with their documents; and who makes their triples."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from clew.errors import InvalidRequest
from clew.indexing import browsing
from clew.indexing.extractors import (
    check_extractor,
    forget_replies,
    sources_of_corpus,
    sources_of_documents,
)
from clew_cypher.checking.checks import Finding, check_corpus, check_database
from clew_cypher.corpora import ensure_corpus as ensure_embedder
from clew_cypher.corpora import get_corpus, list_corpora
from clew_cypher.corpora import set_extractor as write_extractor

if TYPE_CHECKING:
    from clew.resources.resources import Resources
    from clew.results.corpus import Deletion


def ensure_corpus(resources: "Resources", name: str, extractor: str | None) -> str:
    """Make a corpus where it is missing; return its extractor.

    Raises InvalidRequest for a wrong name and for a corpus that has another extractor.
    """
    present = browsing.extractor_of(resources.store, name)
    settings = resources.settings
    if present is None:
        chosen = check_extractor(settings, extractor or settings.extractor)
        browsing.create_corpus(resources.store, name, settings.embedder, chosen)
        return chosen
    if extractor is not None and check_extractor(settings, extractor) != present:
        raise InvalidRequest(
            f"The corpus {name!r} has the extractor {present!r}.",
            remedy=f"Leave the extractor out, or change it: `clew corpora set {name} "
            f"--extractor {extractor}`.",
        )
    return present


def require_embedder(resources: "Resources", name: str) -> None:
    """Raise EmbedderMismatch where the corpus' vectors are not this embedder's; UnknownCorpus."""
    get_corpus(resources.store, name)
    embedder = resources.embedder
    ensure_embedder(resources.store, name, embedder=embedder.name, dimension=embedder.dimension)


def check(
    resources: "Resources", corpus: str | None = None, *, repair: bool = False
) -> Iterator[Finding]:
    """Yield what each check found, in the database and in a corpus (None: in each).

    ``repair``: mend what is found. Raises UnknownCorpus; EmbedderMismatch where a corpus that is to
    be repaired was embedded by another embedder.
    """
    store = resources.store
    yield from check_database(store, resources.embedder.dimension if repair else None)
    names = [corpus] if corpus else [row["name"] for row in list_corpora(store)]
    for name in names:
        if repair:
            require_embedder(resources, name)
        yield from check_corpus(store, name, resources.embedder.embed if repair else None)


def set_extractor(resources: "Resources", name: str, extractor: str) -> None:
    """Choose who makes the triples of what is ingested from now on.

    Raises UnknownCorpus, UnknownExtractor, UnreadableSource for a file of triples.
    """
    write_extractor(resources.store, name, check_extractor(resources.settings, extractor))


def delete_corpus(resources: "Resources", name: str) -> "Deletion":
    """Remove a corpus with its documents and all that is derived from it. Raises UnknownCorpus."""
    forget_replies(resources.settings, sources_of_corpus(resources.store, name))
    deleted = browsing.delete_corpus(resources.store, name)
    resources.forget(name)
    return deleted


def delete_document(resources: "Resources", corpus: str, document_id: str) -> "Deletion":
    """Remove a document and all that only it supported. Raises UnknownDocument."""
    sources = sources_of_documents(resources.store, corpus, [document_id])
    forget_replies(resources.settings, sources)
    return browsing.delete_document(resources.store, corpus, document_id)
