"""The options of chain-ranking: settings ``chain_…``."""

from pydantic import BaseModel, ConfigDict, Field, field_validator

SIGNS = (
    *("walk", "titled", "dense", "sentence", "unnamed", "words", "bm25", "named"),
    *("before", "link", "shared", "part", "new", "back", "repeat"),
)
"""What can be left out; ``walk`` stands for its three walks."""


class ChainOptions(BaseModel):
    """How wide the ranking looks, and what each sign counts where no trained version serves."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    damping: float = Field(0.7, gt=0, lt=1, description="Damping of chain-ranking's walk.")
    temperature: float = Field(
        0.2, gt=0, description="Temperature τ of chain-ranking's edges and likeness."
    )
    dense_weight: float = Field(
        0.1, ge=0, le=1, description="Seed mass w of chain-ranking on the best dense chunks."
    )
    word_share: float = Field(
        0.5,
        ge=0,
        le=1,
        description="Share of the passages that chain-ranking's walk begins at which have the "
        "question's words (BM25); the rest are the nearest ones.",
    )
    pool: int = Field(80, ge=1, le=1000, description="Passages that chain-ranking scores.")
    predecessors: int = Field(
        12, ge=1, le=200, description="Passages of each of two rankings that steps begin at."
    )
    walk: float = Field(0.25, description="Weight of each of chain-ranking's three walks.")
    sentence: float = Field(0.2, description="Weight of the sentence nearest to the question.")
    unnamed: float = Field(
        0.5, description="The same as far as what the question names is common, or nothing."
    )
    bm25: float = Field(0.3, description="Weight of the passage's own words (BM25; at most 5).")
    titled: float = Field(0.6, description="Weight of a title that the question names (sign: 3).")
    named: float = Field(
        -0.6,
        description="Weight of what the question names in the passage (at most 5), which the walks "
        "begin at and count already.",
    )
    before: float = Field(0.5, ge=0, description="Weight of the passage that a step begins at.")
    link: float = Field(0.5, ge=0, description="Weight of a sentence that names the title.")
    shared: float = Field(0.5, ge=0, description="Weight of an entity of both passages.")
    part: float = Field(0.0, ge=0, description="Weight of an entity named inside the title.")
    new: float = Field(1.2, ge=0, description="Weight of the question's words that a step adds.")
    repeat: float = Field(
        0.5, ge=0, description="What a passage loses for each better one of its title."
    )
    led: int = Field(
        20,
        ge=0,
        le=100,
        description="Best passages that are ordered by how well each fits with what leads to it, "
        "too, before it is chosen which are read; 0: those that are read, if any.",
    )
    lead_weight: float = Field(
        0.5, ge=0, description="Weight of how well a passage fits with what leads to it."
    )
    further: int = Field(
        10,
        ge=0,
        le=100,
        description="Passages past those, out of the whole corpus, that are looked at as well: "
        "such as hold what the sentences of the best ones lead to; 0: none. Needs chain_led.",
    )
    read: int = Field(
        12,
        ge=0,
        le=100,
        description="Best passages that a model reads together with the question and the sentence "
        "that led to each, before they are ordered; 0: none.",
    )
    read_weight: float = Field(
        0.3, ge=0, description="Weight of what reading says (a difference of log-odds)."
    )
    trained: bool = Field(
        True, description="Use the weights that were trained for a corpus, where there are any."
    )
    without: str = Field(
        "",
        description="Signs that count nothing, in trained weights neither; with commas between "
        f"(ablations): {', '.join(SIGNS)}.",
    )
    sentence_limit: int = Field(
        2_000_000, ge=1, description="Sentences past which chain-ranking yields to pagerank."
    )

    @field_validator("without", mode="after")
    @classmethod
    def _known_signs(cls, value: str) -> str:
        if unknown := sorted(named(value) - set(SIGNS)):
            raise ValueError(f"There is no sign {', '.join(unknown)}; there are {', '.join(SIGNS)}")
        return value


def named(signs: str) -> set[str]:
    """Return the signs that a setting names, with commas between."""
    return {sign.strip() for sign in signs.split(",") if sign.strip()}
