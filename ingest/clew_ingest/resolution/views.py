"""What is known of an entity when pairs are judged, and what is said of a pair."""

from dataclasses import dataclass
from typing import Literal

Verdict = Literal["same", "unsure", "different"]


@dataclass(frozen=True)
class EntityView:
    """An entity as the judge of pairs sees it.

    ``key`` tells entities apart (the graph's id, or a normalised name); ``name`` as it is written,
    since "JRR" is told by its capitals; ``type``: spaCy's, "" where no sentence names it.
    ``aliases``: other names it is known to go by. ``mentions``: how often it is named.
    ``documents``: ids of the documents that name it, where known.
    """

    key: str
    name: str
    type: str = ""
    aliases: tuple[str, ...] = ()
    mentions: int = 1
    documents: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Decision:
    """Whether two entities are one thing, why, and how sure that is.

    ``verdict``: "same" is merged, "unsure" waits for a person, "different" is never merged.
    ``score``: in [0, 1], at least 0.9 for "same", below 0.3 for "different"; orders reviews.
    """

    verdict: Verdict
    reasons: tuple[str, ...]
    score: float


@dataclass(frozen=True)
class JudgedPair:
    """A decision on the entities with keys ``a`` and ``b``, in any order."""

    a: str
    b: str
    decision: Decision
