"""Words that the end of a line parts: "man-" and "agement" are one word again."""

import re

_PARTED = re.compile(r"(?<![^\W\d_])([^\W\d_]{2,})([-\u2010\u00ad])[ \t]*\n[ \t]*([^\W\d_]+)")
_WORDS = re.compile(r"[^\W_]+(?:[-\u2010][^\W_]+)*")


def joined_words(text: str, *, typeset: bool) -> str:
    """Return the text with each word whole on one line.

    A hyphen at a line's end parts a word, or belongs to it ("well-known"): what the text writes
    elsewhere decides; where it does not, it is dropped if the text is ``typeset``, or the hyphen
    itself is one that people do not type, and stays otherwise.
    """
    if not _PARTED.search(text):
        return text
    written = {word.casefold().replace("\u2010", "-") for word in _WORDS.findall(text)}

    def joined(found: re.Match[str]) -> str:
        before, hyphen, after = found.groups()
        if not after[0].islower():
            return f"{before}-{after}"
        whole, compound = (f"{before}{mark}{after}".casefold() for mark in ("", "-"))
        if whole in written or compound in written:
            kept = compound in written and whole not in written
        else:
            kept = hyphen == "-" and not typeset
        return f"{before}{'-' if kept else ''}{after}"

    return _PARTED.sub(joined, text)
