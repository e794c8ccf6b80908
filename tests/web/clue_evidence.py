"""Evidence as translator makes it, written by hand; for the fake of the workers."""

from clew.evidence import ClueSentence, Evidence, EvidenceClue, SeedEntity

BUILT = "She was built at the Seld Shipyard."
FOUNDED = "The Seld Shipyard was founded by Victor Ferrand in 1874."
HIDDEN = "Victor Ferrand <b>sold</b> the works in 1890."


def clue(
    entity: tuple[str, str], relation: str, score: float, *sentences: ClueSentence, **more: object
) -> EvidenceClue:
    values: dict[str, object] = {
        "entity_id": entity[0],
        "entity": entity[1],
        "relation": relation,
        "direction": "forward",
        "score": score,
        "named": False,
        "sentences": sentences,
        "chunk_ids": tuple(dict.fromkeys(one.chunk_id for one in sentences)),
    }
    return EvidenceClue.model_validate(values | more)


def sentence(number: int, chunk_id: str, text: str, piece: str = "") -> ClueSentence:
    start = text.index(piece) if piece else None
    end = text.index(piece) + len(piece) if piece else None
    return ClueSentence(id=f"s{number}", chunk_id=chunk_id, text=text, start=start, end=end)


CLUES = (
    clue(
        ("e1", "Aurelia"),
        "was built at ##",
        -0.36,
        sentence(1, "c1", BUILT, "was built at"),
        named=True,
    ),
    clue(
        ("e2", "Seld Shipyard"),
        "## was founded by ## in",
        -2.3,
        sentence(2, "c2", FOUNDED, "was founded by Victor Ferrand in"),
        after=0,
        chunk_ids=("c2", "c3", "c9"),
    ),
    clue(
        ("e3", "Victor Ferrand"),
        "sold the",
        -14.5,
        sentence(3, "c9", HIDDEN),
        direction="reverse",
        tail_id="e4",
        tail="1874",
    ),
)


def translated(evidence: Evidence) -> Evidence:
    """Return the evidence with clues, and with their entities as where it began."""
    decoded = tuple(
        SeedEntity(id=id_, name=name, mention=name, match="decoded", weight=0.1)
        for id_, name in (("e2", "Seld Shipyard"), ("e3", "Victor Ferrand"))
    )
    return evidence.model_copy(
        update={"clues": CLUES, "seeds": (*evidence.seeds, *decoded), "notices": ()}
    )
