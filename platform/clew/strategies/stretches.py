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
