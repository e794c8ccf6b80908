"""The stretch of a passage that is read with a question."""

from collections.abc import Sequence


def stretch(sentences: Sequence[tuple[str, float]], characters: int) -> str:
    """Return the sentence nearest to the question with its neighbours, the nearer one first, as
    long as they are ``characters`` together. ``sentences``: (text, cosine), in their order.
    """
    if not sentences:
        return ""
    first = last = max(range(len(sentences)), key=lambda i: sentences[i][1])
    size = len(sentences[first][0])
    while True:
        sides = [i for i in (first - 1, last + 1) if 0 <= i < len(sentences)]
        sides = [i for i in sides if size + 1 + len(sentences[i][0]) <= characters]
        if not sides:
            return " ".join(text for text, _ in sentences[first : last + 1])
        side = max(sides, key=lambda i: sentences[i][1])
        size += 1 + len(sentences[side][0])
        first, last = min(first, side), max(last, side)


def stretch_at(sentences: Sequence[tuple[str, float]], arriving: int, characters: int) -> str:
    """Return the sentence at ``arriving``, that which is nearest to the question, and what stands
    beside them, as long as they are ``characters`` together, in the order of the text.
    """
    nearest = max(range(len(sentences)), key=lambda place: sentences[place][1])
    chosen, size = {arriving}, len(sentences[arriving][0])
    beside = (arriving + 1, arriving - 1, nearest + 1, nearest - 1, arriving + 2)
    for place in (nearest, *beside):
        if place in chosen or not 0 <= place < len(sentences):
            continue
        longer = size + 1 + len(sentences[place][0])
        if longer <= characters:
            chosen.add(place)
            size = longer
    return " ".join(sentences[place][0] for place in sorted(chosen))
