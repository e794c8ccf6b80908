"""The full-text index of a corpus' chunks: one a corpus, so that words weigh as they do there.

BM25 weighs a word by how many texts hold it, and Lucene counts that over a whole index. In an
index of all corpora the words of one would decide the ranking in another, and tell of it.
"""

from clew_cypher.ids import corpus_key
from clew_cypher.schema import word_index_commands
from clew_cypher.store import GraphStore

LABEL_BATCH = 2000
INDEX_TIMEOUT_S = 300


def chunk_label(corpus: str) -> str:
    """Return the second label of the corpus' chunks, by which its index finds them."""
    return f"CorpusChunk_{corpus_key(corpus)}"


def index_name(corpus: str) -> str:
    """Return the name of the corpus' full-text index."""
    return f"chunk_text_{corpus_key(corpus)}"


def ensure_word_index(store: GraphStore, corpus: str) -> None:
    """Create the corpus' index where it is missing, and wait until it can be searched."""
    if index_name(corpus) in _existing(store):
        return  # the command itself takes a lock on the schema, and 40 ms
    create, _ = word_index_commands(corpus_key(corpus))
    store.run_declared(*create)
    store.read("await_index", name=index_name(corpus), timeout_s=INDEX_TIMEOUT_S)


def drop_word_index(store: GraphStore, corpus: str) -> None:
    """Remove the index of a corpus that is gone."""
    _, drop = word_index_commands(corpus_key(corpus))
    store.run_declared(*drop)


def ensure_word_indexes(store: GraphStore) -> None:
    """Create the index of every corpus that has none: of one that an earlier Clew filled."""
    existing = _existing(store)
    for row in store.read("list_corpora"):
        name = row["name"]
        if index_name(name) in existing:
            continue
        label = chunk_label(name)
        while store.write("label_chunks", corpus=name, label=label, limit=LABEL_BATCH)[0]["done"]:
            pass
        ensure_word_index(store, name)


def _existing(store: GraphStore) -> set[str]:
    return {row["name"] for row in store.read("full_text_indexes")}
