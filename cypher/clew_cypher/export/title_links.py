"""Which sentences name which documents, and the titles themselves: passages joined by names."""

from collections.abc import Iterator
from typing import NamedTuple

from clew_cypher.corpora import get_corpus
from clew_cypher.store import GraphStore


class TitleLink(NamedTuple):
    """A sentence that names a document by its title; never the one that it stands in."""

    sentence_id: str
    document_id: str


class ChunkTitle(NamedTuple):
    """A chunk with its document and the title that it was indexed with."""

    chunk_id: str
    document_id: str
    title: str


def export_title_links(store: GraphStore, corpus: str) -> Iterator[TitleLink]:
    """Yield every link of ``corpus`` in the order of ids; raises UnknownCorpus.

    Read in one statement, but not at one moment: compare ``corpus_revision`` before and after.
    """
    get_corpus(store, corpus)
    for row in store.stream("title_links", corpus=corpus):
        yield TitleLink(row["sentence_id"], row["document_id"])


def export_titles(store: GraphStore, corpus: str) -> Iterator[ChunkTitle]:
    """Yield every chunk of ``corpus`` with its title, in the order of chunk ids.

    Raises UnknownCorpus. See :func:`export_title_links` for what may change meanwhile.
    """
    get_corpus(store, corpus)
    for row in store.stream("chunk_titles", corpus=corpus):
        yield ChunkTitle(row["chunk_id"], row["document_id"], row["title"])
