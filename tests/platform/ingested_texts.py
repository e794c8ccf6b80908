"""A corpus of a test module's own texts."""

from collections import deque
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from clew.resources.resources import Resources
from clew_cypher.corpora import delete_corpus
from clew_ingest.pipeline.pipeline import IngestPipeline
from clew_ingest.reading.sources import uploaded


@contextmanager
def ingested(
    resources: Resources, corpus_names: deque[str], texts: Mapping[str, str]
) -> Iterator[str]:
    """Ingest texts, by their titles, into one of ``corpus_names``; give it back afterwards."""
    name = corpus_names.popleft()
    pipeline = IngestPipeline(resources.store, resources.embedder, resources.parser)
    pipeline.accept(
        name, [uploaded(f"{title}.txt", text.encode()) for title, text in texts.items()]
    )
    pipeline.process(name)
    yield name
    delete_corpus(resources.store, name)
    corpus_names.append(name)
