"""The levels and relations that the network passes messages along, and its settings (QS-1, QS-8).

Source: QSGNN §3.1. The paper's objects O are our entities, its chunks C our sentences, its
documents D our chunks. Two relations are ours: an entity that is the title of a chunk's document,
and a sentence that names the title of another.
"""

from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal

LEVELS = ("entity", "sentence", "chunk")
INTRA = {"entity": "E_oo", "sentence": "E_cc"}
"""The relation within a level: a triple each; neighbouring sentences."""
INTER = {
    "E_oc": ("entity", "sentence"),
    "E_od": ("entity", "chunk"),
    "E_cd": ("sentence", "chunk"),
    "titles": ("entity", "chunk"),
    "names": ("sentence", "chunk"),
}
"""The relations between levels. E_oc, E_od, E_cd: contained in; the last two are ours."""
PAPER = ("E_oc", "E_od", "E_cd")
MARKS = {"entity": 3, "sentence": 2, "chunk": 4}
"""How many marks the nodes of each level have: see ``neighbourhood.py``."""


@dataclass(frozen=True)
class NetworkOptions:
    """What a network is made of; kept with its weights.

    ``input``: D, dimension of the embeddings; ``dimension``: n (paper: 128); ``layers`` (paper: 2).
    ``temperature``: of the softmax over neighbours (paper: 1). ``relations``: between levels.
    ``form``: 'paper' is Eq. 2 and 3 as they stand; 'residual' adds what a node was, so that an
    untrained network ranks as the embeddings do. ``marks``: nodes carry what the question says of
    them (ours). ``titles``: ``relations`` of titles too (ours). The last six are the ablations of
    Table 10; what is off does not exist in the network.
    """

    input: int = 384
    dimension: int = 128
    layers: int = 2
    temperature: float = 0.2
    form: Literal["paper", "residual"] = "residual"
    marks: bool = True
    titles: bool = True
    entity_level: bool = True
    sentence_level: bool = True
    chunk_level: bool = True
    question_attention: bool = True
    intra: bool = True
    inter: bool = True

    def __post_init__(self) -> None:
        if min(self.input, self.dimension, self.layers) < 1 or self.temperature <= 0:
            raise ValueError(
                "Expected input, dimension and layers of at least 1 and a temperature above 0, got "
                f"{self.input}, {self.dimension}, {self.layers} and {self.temperature}."
            )
        if not (self.sentence_level or self.chunk_level):
            raise ValueError("Expected sentences or chunks: without both nothing can be ranked.")

    @property
    def levels(self) -> tuple[str, ...]:
        """The levels that are not ablated."""
        return tuple(level for level in LEVELS if getattr(self, f"{level}_level"))

    @property
    def within(self) -> tuple[str, ...]:
        """The levels with messages within them."""
        return tuple(level for level in INTRA if self.intra and level in self.levels)

    @property
    def between(self) -> tuple[str, ...]:
        """The relations between levels that messages take, in both directions."""
        names = tuple(INTER) if self.titles else PAPER
        there = self.levels
        return tuple(n for n in names if self.inter and set(INTER[n]) <= set(there))

    @property
    def by_sentences(self) -> bool:
        """Whether a chunk is ranked by its best sentence: nothing reaches chunks (Table 10)."""
        return not self.chunk_level or (not self.inter and self.sentence_level)

    def without(self, switches: Iterable[str]) -> "NetworkOptions":
        """Return the options with these switches off."""
        off: dict[str, Any] = dict.fromkeys(switches, False)
        return replace(self, **off)

    def as_json(self) -> dict[str, Any]:
        """Return the options as JSON has them."""
        return asdict(self)
