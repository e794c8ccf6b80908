"""Corpora: named sets of documents, each with its embedder and its revision."""

from collections.abc import Collection
from dataclasses import dataclass

from clew_cypher.errors import EmbedderMismatch, UnknownCorpus
from clew_cypher.ids import corpus_key
from clew_cypher.kinds import DEFAULT_EXTRACTOR
from clew_cypher.searching.projection_catalog import drop_projections
from clew_cypher.searching.words import drop_word_index, ensure_word_index
from clew_cypher.store import GraphStore, Row, Transaction

WAITING_COUNTED = 1000
"""How far documents that wait are counted, so that a question never waits for the count."""
DELETE_BATCH = 2000
TRIPLE_BATCH = 10_000


@dataclass(frozen=True)
class Corpus:
    """A corpus; ``revision`` grows with every change of what can be searched in it.

    ``extractor``: who makes the triples of what is ingested; see ``set_extractor``.
    ``created_at`` tells a corpus from one of the same name that was deleted before. ``of_bench``:
    the bench made it for a data set; no person put documents in.
    """

    name: str
    revision: int
    embedder: str
    dimension: int
    created_at: str
    extractor: str = DEFAULT_EXTRACTOR
    of_bench: bool = False


@dataclass(frozen=True)
class AskedCorpus:
    """A corpus as a question finds it. ``waiting``: files that are still to be indexed, at most
    ``WAITING_COUNTED``; ``has_lines``: it has a knowledge base, among the documents asked."""

    corpus: Corpus
    waiting: int
    has_lines: bool


def ensure_corpus(
    store: GraphStore,
    name: str,
    *,
    embedder: str,
    dimension: int,
    extractor: str = DEFAULT_EXTRACTOR,
) -> Corpus:
    """Create the corpus and its index of words where they are missing, and return the corpus.

    ``extractor`` is that of a corpus that is made now; one that exists keeps its own.
    Raises EmbedderMismatch where it has chunks that another embedder embedded.
    """
    row = store.write(
        "ensure_corpus",
        name=name,
        corpus_key=corpus_key(name),
        embedder=embedder,
        dimension=dimension,
        extractor=extractor,
    )[0]
    filled = row.pop("filled")
    corpus = Corpus(**row)
    if filled:
        check_embedder(corpus, embedder, dimension)
    ensure_word_index(store, name)
    return corpus


def check_embedder(corpus: Corpus, embedder: str, dimension: int) -> None:
    """Raise EmbedderMismatch where the vectors of a corpus are not those of an embedder."""
    if (corpus.embedder, corpus.dimension) != (embedder, dimension):
        raise EmbedderMismatch(
            f"The corpus {corpus.name!r} was embedded with {corpus.embedder!r} "
            f"({corpus.dimension} dimensions), not with {embedder!r} ({dimension}).",
            remedy=f"Set CLEW_EMBEDDER={corpus.embedder}, or take another corpus.",
        )


def get_corpus(store: GraphStore, corpus: str) -> Corpus:
    """Return the corpus; raises UnknownCorpus."""
    rows = store.read("corpus", corpus=corpus)
    if not rows:
        raise unknown_corpus(corpus)
    return Corpus(**rows[0])


def asked_corpus(
    store: GraphStore, corpus: str, document_ids: Collection[str] | None = None
) -> AskedCorpus:
    """Return the corpus and what a question to ``document_ids`` (None: to all) is to be told of it;
    raises UnknownCorpus.
    """
    ids = None if document_ids is None else sorted(document_ids)
    rows = store.read("asked_corpus", corpus=corpus, ids=ids, limit=WAITING_COUNTED)
    if not rows:
        raise unknown_corpus(corpus)
    waiting, lines = rows[0].pop("waiting"), rows[0].pop("has_lines")
    return AskedCorpus(Corpus(**rows[0]), waiting, lines)


def set_extractor(store: GraphStore, corpus: str, extractor: str) -> None:
    """Have the triples of what is ingested from now on made by ``extractor``.

    Documents that are ready are indexed with another one: their next ingest makes them anew.
    Raises ValueError for what names no extractor, UnknownCorpus.
    """
    known = ("rules", "llm", "model", "none")
    if extractor not in known and not extractor.startswith("file:/"):
        raise ValueError(f"{extractor!r} is none of {known}, nor file: and an absolute path.")
    if not store.write("set_extractor", corpus=corpus, extractor=extractor):
        raise unknown_corpus(corpus)


def mark_of_bench(store: GraphStore, corpus: str) -> None:
    """Say of a corpus that the bench made it. Raises UnknownCorpus."""
    if not store.write("mark_of_bench", corpus=corpus):
        raise unknown_corpus(corpus)


def unknown_corpus(corpus: str) -> UnknownCorpus:
    """Return the error for a corpus that does not exist."""
    return UnknownCorpus(
        f"There is no corpus {corpus!r}.",
        remedy="`clew corpora` lists them; `clew ingest PATH --corpus NAME` makes one.",
    )


def corpus_revision(store: GraphStore, corpus: str) -> int:
    """Return how often the searchable content of ``corpus`` has changed; raises UnknownCorpus."""
    return get_corpus(store, corpus).revision


def list_corpora(store: GraphStore) -> list[Row]:
    """Return rows {name, revision, embedder, dimension, extractor, created_at, of_bench,
    documents, collections, failed, accepted}, by name.
    """
    return store.read("list_corpora")


def corpus_counts(store: GraphStore, corpus: str) -> dict[str, int]:
    """Return how many documents, collections (files of records), failed and accepted documents,
    chunks, sentences, entities (with a name), concepts (without), mentions, triples and chunks on
    which an extractor failed ``corpus`` has; raises UnknownCorpus.
    """
    get_corpus(store, corpus)
    return {**document_counts(store, corpus), **content_counts(store, corpus)}


def document_counts(store: GraphStore, corpus: str) -> dict[str, int]:
    """Return how many documents, collections, failed and accepted documents ``corpus`` has; zeros
    where there is none.
    """
    return store.read("document_counts", corpus=corpus)[0]


def content_counts(store: GraphStore, corpus: str) -> dict[str, int]:
    """Return how many chunks, sentences, entities, concepts, mentions, triples and failed chunks
    ``corpus`` has.

    They are the same as long as its revision is; among 100,000 chunks it takes half a second.
    """
    return store.read("content_counts", corpus=corpus)[0]


def has_chunks(store: GraphStore, corpus: str) -> bool:
    """Whether a corpus has text at all; a knowledge base has none."""
    return bool(store.read("has_chunks", corpus=corpus)[0]["there"])


def corpus_growth(store: GraphStore, corpus: str) -> list[Row]:
    """Return what became ready each day: rows {day, documents, chunks, triples}, oldest first.

    ``day`` is a date (UTC) in ISO form. Raises UnknownCorpus.
    """
    get_corpus(store, corpus)
    return store.read("corpus_growth", corpus=corpus)


def delete_corpus(store: GraphStore, corpus: str) -> dict[str, int]:
    """Delete the corpus and all it holds, and return what it held; raises UnknownCorpus.

    Runs in several transactions; after an interruption, call it again.
    """
    counts = corpus_counts(store, corpus)
    store.write("bump_revision", corpus=corpus)
    delete_corpus_content(store, corpus)
    while not store.in_transaction(lambda transaction: _deleted(transaction, corpus)):
        delete_corpus_content(store, corpus)
    return counts


def _deleted(transaction: Transaction, corpus: str) -> bool:
    """Delete the corpus itself; False where documents came after all that it held was deleted."""
    if not transaction.run("lock_corpus", corpus=corpus):
        return True  # by another
    return transaction.run("delete_corpus", corpus=corpus)[0]["deleted"] > 0


def delete_corpus_content(store: GraphStore, corpus: str) -> None:
    """Delete all that a corpus holds, its index of words and its projections, but not its node.

    It need not exist (any more): so the rest of an interrupted deletion goes.
    """
    while store.write("delete_corpus_triples", corpus=corpus, limit=TRIPLE_BATCH)[0]["deleted"]:
        pass
    while store.write("delete_corpus_nodes", corpus=corpus, limit=DELETE_BATCH)[0]["deleted"]:
        pass
    drop_word_index(store, corpus)
    drop_projections(store, corpus)
