"""What every extractor of triples gets and returns."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class ExtractedTriple:
    """A statement of a text: ``head`` and ``tail`` as the text names them in full, the
    ``predicate`` in base form with its preposition ("bear in" for "was born in").

    ``head_type`` and ``tail_type``: spaCy's types or the model's, "" where the argument is a
    phrase that names nothing. ``sentence``: the place of its sentence in the text, from 0; None
    where the extractor cannot say. ``written``: the predicate as it is written, "" where that is
    not known.
    """

    head: str
    head_type: str
    predicate: str
    tail: str
    tail_type: str
    sentence: int | None = None
    written: str = field(default="", compare=False)


@dataclass(frozen=True)
class ChunkText:
    """A chunk as extractors see it; each of ``sentences`` is a part of ``text``, in order."""

    title: str
    text: str
    sentences: tuple[str, ...]


@dataclass(frozen=True)
class ChunkTriples:
    """The triples of one chunk, and what they cost.

    ``ttrs``: a textual triplet for each triple, None: its sentences. ``calls``, tokens and
    ``seconds`` are those spent now: none for what came from the cache. ``dropped``: what was no
    usable triple, by reason; ``failed``: why this chunk has none, or no textual triplets, else "".
    """

    triples: tuple[ExtractedTriple, ...] = ()
    ttrs: tuple[str | None, ...] = ()
    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    seconds: float = 0.0
    dropped: Mapping[str, int] = field(default_factory=dict)
    failed: str = ""
