"""What the facade tells of corpora: how full they are, and what a deletion took."""

from clew.results.result import Result
from clew_cypher.kinds import DEFAULT_EXTRACTOR


class CorpusInfo(Result):
    """A corpus with how full it is; ``embedder`` is None until something was indexed.

    ``extractor``: who makes the triples of what is ingested: rules, llm, model, none or file:PATH.
    ``entities`` have a name; arguments of triples that name nothing are not counted.
    ``failed_chunks``: those on which the extractor failed; ingesting their documents again tries
    them again. ``of_bench``: the bench made it for a data set, so that lists keep it apart.
    """

    name: str
    revision: int
    embedder: str | None
    documents: int
    failed: int
    pending: int
    chunks: int
    sentences: int
    entities: int
    mentions: int
    extractor: str = DEFAULT_EXTRACTOR
    triples: int = 0
    failed_chunks: int = 0
    of_bench: bool = False


class GrowthDay(Result):
    """What a corpus held at the end of a day (UTC), counted over the documents that it has now."""

    day: str
    documents: int
    chunks: int
    triples: int


class Deletion(Result):
    """What a deletion removed."""

    documents: int
    chunks: int
    sentences: int
    entities: int
