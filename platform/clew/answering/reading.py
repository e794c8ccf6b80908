"""The evidence as the extractive reader sees it: sentences with parses and vectors."""

from collections.abc import Sequence

from clew.answering.annotation import Annotator
from clew.answering.candidates import EvidenceSentence, find_candidates, without_marks
from clew.answering.features import EvidenceView
from clew.evidence import ScoredChunk
from clew_ingest.entities import normalise_name
from clew_models.embedding.base import Embedder


def view_evidence(
    chunks: Sequence[ScoredChunk], annotator: Annotator, embedder: Embedder
) -> EvidenceView:
    """Return the chunks' sentences with candidates; a sentence is embedded after its title."""
    parsed = annotator.annotate([chunk.text for chunk in chunks])
    rows = [
        (number, position, sentence)
        for number, sentences in enumerate(parsed)
        for position, sentence in enumerate(sentences)
    ]
    vectors = embedder.embed([f"{chunks[n].title}\n{sentence.text}" for n, _, sentence in rows])
    sentences = [
        EvidenceSentence(
            chunk=number,
            position=position,
            title=chunks[number].title,
            title_key=normalise_name(chunks[number].title.split(" (")[0]),
            parse=sentence,
            key=without_marks(normalise_name(sentence.text)),
            vector=vector,
        )
        for (number, position, sentence), vector in zip(rows, vectors, strict=True)
    ]
    return EvidenceView.of(sentences, find_candidates(sentences))
