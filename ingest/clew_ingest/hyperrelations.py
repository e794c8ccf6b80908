"""Hyperrelations (KT-2): a sentence with every entity mention masked by ``##``.

Source: KG-Translator §3.2: "Emily Rapp Black (born July 12, 1974) is an American memoirist." is
"## (born ##) is an ## memoirist."; there is exactly one for a sentence.
"""

from collections.abc import Iterable

MASK = "##"


def mask_mentions(sentence: str, spans: Iterable[tuple[int, int]]) -> str:
    """Return ``sentence`` with each span [start, end) of characters replaced by ``##``.

    Spans may come in any order; overlapping ones count as one mention. Raises ValueError for a
    span that is empty or lies outside the sentence.
    """
    pieces: list[str] = []
    position = 0
    for start, end in sorted(spans):
        if not 0 <= start < end <= len(sentence):
            raise ValueError(f"The span [{start}, {end}) does not lie in {len(sentence)} letters.")
        if start < position:
            position = max(position, end)
            continue
        pieces += [sentence[position:start], MASK]
        position = end
    return "".join(pieces) + sentence[position:]
