"""The documents of a data set as a corpus has them: what labelled questions are proved by."""

from collections.abc import Iterable, Sequence

from clew.results.data_set import BenchDocument, squeezed
from clew_cypher.export.training import StoredPassage, titled_passages
from clew_cypher.store import GraphStore
from clew_ingest.reading.records import record_document


def stored_passages(
    store: GraphStore, corpus: str, documents: Iterable[BenchDocument]
) -> dict[str, StoredPassage]:
    """Return the documents that ``corpus`` has, by their keys in the data set.

    A document is found by its title; the text decides where several have it.
    """
    # as the graph has it: cleaned, and never without a title
    stored = {
        document.key: record_document({"title": document.title, "text": document.text})
        for document in documents
    }
    known = titled_passages(store, corpus, [one.title for one in stored.values()])
    found = {key: _passage(known[one.title], one.text) for key, one in stored.items()}
    return {key: passage for key, passage in found.items() if passage}


def _passage(passages: Sequence[StoredPassage], text: str) -> StoredPassage | None:
    if len(passages) == 1:
        return passages[0]
    return next((one for one in passages if squeezed(one.text) == squeezed(text)), None)
