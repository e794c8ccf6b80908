"""The words of a text as they are compared: folded, singular, without function words."""

import re
import unicodedata

_WORD = re.compile(r"[^\W_]+")
_COMPOUND = re.compile(r"(?<![^\W_])[^\W_]+(?:[-./:_][^\W_]+)+")
"""What is written as one word: a date, a version, an identifier, where it holds a digit or "_". Not
tried within a word: a run of n letters would cost n² steps."""
_WHOLE = re.compile(r"[\d_]")
MOST_LETTERS = 64
"""Letters of a word that count: a vocabulary takes as much for each word as for its longest."""
_SINGLE = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
"""Letters of scripts that put no space between words: each counts as one."""
FUNCTION_WORDS = frozenset(
    """
    a an the of in on at to for by with from and or is are was were be been has had have do does
    did what which who whom whose when where why how that this it its as he she his her they their
    """.split()  # noqa: SIM905
)


def words_of(text: str) -> list[str]:
    """Return the words of ``text`` in order: accents and case folded, plurals of English made
    singular, zeros before a number left out, a letter a word where the script has no spaces. Behind
    them those that are joined and hold a digit or "_", whole: 2024-10-02, v2.1.0, max_fee. Of a
    word the first letters count (MOST_LETTERS).
    """
    folded = unicodedata.normalize("NFKD", text).casefold()
    plain = "".join(letter for letter in folded if not unicodedata.combining(letter))
    spaced = _SINGLE.sub(r" \g<0> ", plain)
    joined = [word for word in _COMPOUND.findall(spaced) if _WHOLE.search(word)]
    return [word[:MOST_LETTERS] for word in (*map(_plain, _WORD.findall(spaced)), *joined)]


def content_words(question: str) -> list[str]:
    """Return the words of a question once each, in order, without function words."""
    return [word for word in dict.fromkeys(words_of(question)) if word not in FUNCTION_WORDS]


def _plain(word: str) -> str:
    if word.isdecimal():
        return word.lstrip("0") or "0"
    plural = len(word) > 3 and word.endswith("s") and not word.endswith("ss")
    return word[:-1] if plural else word
