"""A sentence and its hyperrelation (KT-2), which has `##` for each mention: from places in the one
to places in the other.
"""

import re

MASK = "##"


def masked_place(text: str, hyperrelation: str, words: str) -> tuple[int, int] | None:
    """Return the characters of a hyperrelation that stand for ``words`` of its text.

    Whole words before parts of them ("35" in "1935"), else the first place. A mask that the words
    begin or end in counts whole. None where the words are not in the text, or the hyperrelation is
    not the text with words masked.
    """
    pieces = hyperrelation.split(MASK)
    found = re.fullmatch("(.+?)".join(map(re.escape, pieces)), text, flags=re.DOTALL)
    whole = re.search(rf"(?<!\w){re.escape(words)}(?!\w)", text)
    start = whole.start() if whole else text.find(words)
    if found is None or start < 0 or not words:
        return None
    low = high = None
    shift = 0  # what a place in the text is ahead of its place in the hyperrelation
    for number in range(1, len(pieces)):
        begin, end = found.span(number)
        if low is None and start < end:
            low = min(start, begin) - shift
        if high is None and start + len(words) <= begin:
            high = start + len(words) - shift
        shift += end - begin - len(MASK)
        if high is None and start + len(words) <= end:
            high = end - shift
    low = start - shift if low is None else low
    return low, start + len(words) - shift if high is None else high


def stated_place(text: str, hyperrelation: str, relation: str) -> tuple[int, int] | None:
    """Return the characters of a text that a relation, a piece of its hyperrelation, stands for.

    Masks at the ends of the relation are left out. Of several places the first. None where nothing
    is left, the piece is not there, or the hyperrelation is not the text with words masked.
    """
    piece = relation.strip("# \t\n")
    start = hyperrelation.find(piece)
    pieces = hyperrelation.split(MASK)
    found = re.fullmatch("(.+?)".join(map(re.escape, pieces)), text, flags=re.DOTALL)
    if found is None or start < 0 or not piece:
        return None
    low, high, shift = start, start + len(piece), 0
    for number in range(1, len(pieces)):
        begin, end = found.span(number)
        longer = end - begin - len(MASK)
        low += longer if begin - shift < start else 0
        high += longer if begin - shift < start + len(piece) else 0
        shift += longer
    return low, high
