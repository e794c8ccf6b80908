"""What a reader answers from passages that a test writes down."""

from collections.abc import Iterable, Mapping

from clew.answering.extractive import ExtractiveReader
from clew.results.evidence import Answer, Evidence, ScoredChunk


def chunks_of(passages: Mapping[str, str], titles: Iterable[str]) -> tuple[ScoredChunk, ...]:
    """Return passages by their titles, which are their ids too."""
    return tuple(
        ScoredChunk(id=title, document_id=title, title=title, text=passages[title], score=1.0)
        for title in titles
    )


def answer_from(
    reader: ExtractiveReader, question: str, passages: Mapping[str, str], *titles: str
) -> Answer:
    """Return the answer from the passages of such titles, from all without any."""
    chunks = chunks_of(passages, titles or passages)
    asked = Evidence(question=question, corpus="test", strategy="none", chunks=chunks)
    answer = list(reader.read(asked))[-1]
    assert isinstance(answer, Answer)
    return answer
