"""What every extractor of triples returns."""

from dataclasses import dataclass


@dataclass(frozen=True)
class ExtractedTriple:
    """A statement of a text: ``head`` and ``tail`` as the text names them in full, the
    ``predicate`` in base form with its preposition ("bear in" for "was born in").

    ``head_type`` and ``tail_type``: spaCy's types or the model's, "" where the argument is a
    phrase that names nothing. ``sentence``: the place of its sentence in the text, from 0; None
    where the extractor cannot say.
    """

    head: str
    head_type: str
    predicate: str
    tail: str
    tail_type: str
    sentence: int | None = None
