"""Lines of Hebrew and Arabic as a page shows them, from the left, in the order in which they are
read.

This is the bidirectional algorithm (Unicode Standard Annex 9) turned round, as far as a line can be
told without its paragraph: words of the other direction, and numbers, stay as they are shown.
"""

import re
import unicodedata

_RIGHT_TO_LEFT = ("R", "AL")
_LEFT_TO_RIGHT = ("L", "EN", "AN")
_MIRRORED = str.maketrans("()[]{}<>«»‹›", ")(][}{><»«›‹")
_SHOWN_FORM = re.compile("[\ufb1d-\ufdff\ufe70-\ufefc]")
"""Letters in the form that they have within a word, and several as one."""
_LETTER = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")


def is_right_to_left(text: str) -> bool:
    """Whether a text has letters that are read from the right."""
    return _LETTER.search(text) is not None


def as_read(shown: str) -> str:
    """Return a line, given from the left as it is shown, in the order in which it is read."""
    if not is_right_to_left(shown):
        return shown
    signs = _with_marks(shown)
    kinds = [_kind(sign) for sign in signs]
    if "R" not in kinds:  # digits or marks of such a script alone
        return shown
    if _begins_right(signs):
        runs = reversed(_runs(signs, kinds, "L"))
        parts = [_upright(run) if is_run else _turned(run) for is_run, run in runs]
    else:
        runs = iter(_runs(signs, kinds, "R"))
        parts = [_turned(run) if is_run else "".join(run) for is_run, run in runs]
    return _SHOWN_FORM.sub(lambda found: unicodedata.normalize("NFKC", found[0]), "".join(parts))


def _begins_right(signs: list[str]) -> bool:
    """Whether a line is one from the right: both its ends are, or more of its letters."""
    kinds = [unicodedata.bidirectional(sign[0]) for sign in signs]
    ours = [kind in _RIGHT_TO_LEFT for kind in kinds if kind in (*_RIGHT_TO_LEFT, "L")]
    return (ours[0] and ours[-1]) or 2 * sum(ours) > len(ours)


def _with_marks(text: str) -> list[str]:
    """Return the signs of a text, each with the marks above and below it."""
    signs: list[str] = []
    for sign in text:
        if signs and unicodedata.combining(sign):
            signs[-1] += sign
        else:
            signs.append(sign)
    return signs


def _kind(sign: str) -> str:
    found = unicodedata.bidirectional(sign[0])
    if found in _RIGHT_TO_LEFT:
        return "R"
    return "L" if found in _LEFT_TO_RIGHT else ""


def _runs(signs: list[str], kinds: list[str], kind: str) -> list[tuple[bool, list[str]]]:
    """Return the parts of a line: those that begin and end with signs of a kind and hold none of
    the other, and what is between them.
    """
    runs: list[tuple[bool, list[str]]] = []
    at = 0
    while at < len(signs):
        end = at + 1
        if kinds[at] == kind:
            ahead = end
            while ahead < len(signs) and kinds[ahead] in (kind, ""):
                ahead += 1
                end = ahead if kinds[ahead - 1] == kind else end
            runs.append((True, signs[at:end]))
        else:
            while end < len(signs) and kinds[end] != kind:
                end += 1
            runs.append((False, signs[at:end]))
        at = end
    return runs


def _turned(signs: list[str]) -> str:
    return "".join(sign.translate(_MIRRORED) for sign in reversed(signs))


def _upright(signs: list[str]) -> str:
    """Return words as they are; numbers alone are each read from the left, the right one first."""
    text = "".join(signs)
    if any(unicodedata.bidirectional(sign[0]) == "L" for sign in signs):
        return text
    return " ".join(reversed(text.split(" ")))
