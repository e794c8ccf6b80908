"""Titles in text by longest match: which documents a sentence names. Free of the graph.

An Aho-Corasick automaton (Aho and Corasick, 1975, DOI 10.1145/360825.360855) finds every name of
every title in one pass over a sentence's folded words; of what overlaps, the leftmost counts, and
of those that begin there the longest. Nothing here depends on other sentences, so that what a
sentence names follows from it and the titles alone.
"""

import html
import re
import unicodedata
from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import NamedTuple

from ahocorasick_rs import AhoCorasick

MOST_HOMONYMS = 20
"""A name that more documents go by tells none of them from the others, and names none."""

MOST_WORDS = 30
"""Words of the longest name: what is longer is the beginning of a text, not a title."""

_LEAST_LETTERS = 3
"""Letters of the shortest name of one word."""

_LONGEST_INITIALISM = 4
"""Letters up to which a title of one word in capitals ("WHO") is found in capitals only."""

_LONGEST_SHORT_FORM = 3
"""Letters of what stands with a full stop before a name: "St. Paul", "J. Paul"."""

_JOIN = re.compile(r" |[ ]?[-‐‑–][ ]?")
_ARTICLES = frozenset({"a", "an", "the"})
_NUMBERED = re.compile(r"([^\W\d_]{2,})(\d{2,})")
_SERIES = re.compile(r"([^\W\d_]{2,}[ -]?\d[\w.-]*)(?::| [-‐‑–—]) ")
_QUALIFIER = re.compile(r"\s*\([^()]*\)\s*$")

# Scripts that run on without spaces, and Hangul, whose particles do: each character is a word.
_RUNS_ON = (
    "\u0e00-\u0eff"  # Thai, Lao
    "\u1000-\u109f\u1780-\u17ff"  # Burmese, Khmer
    "\u3005-\u3007\u3040-\u309f"  # Hiragana
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"  # Han
    "\uac00-\ud7a3"  # Hangul
)
_KATAKANA = "\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff\uff66-\uff9f"
_ACCENTS = re.compile(
    "[\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f"  # of all scripts
    "\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670"  # points of Hebrew and Arabic
    "\u200c\u200d\\s]"
)


class Word(NamedTuple):
    """A word of a text: folded, the characters [start, end) that it stands in, and its case.

    ``cased``: has a letter that could be large or small; ``capital``: has a large one.
    """

    folded: str
    start: int
    end: int
    cased: bool
    capital: bool


@dataclass(frozen=True)
class Name:
    """A name that a document goes by. ``key``: its folded words, with single spaces.

    ``capitals``: which words must be capitalised in a text, at least half of them; none for what
    is a common noun. ``initialism``: must be in capitals throughout. ``article``: it is one word
    after an article ("The Wall").
    """

    key: str
    capitals: tuple[bool, ...]
    initialism: bool = False
    article: bool = False


class Found(NamedTuple):
    """A name in a text, at its characters [start, end), with the documents that go by it.

    None for a name that too many go by (MOST_HOMONYMS).
    """

    start: int
    end: int
    key: str
    document_ids: tuple[str, ...]


def words_of(text: str) -> list[Word]:
    """Return the words of a text in order.

    A word is a run of letters, digits and marks; "RFC2119" is two, as "RFC 2119". Where a script
    runs on without spaces (Chinese, Japanese, Thai, …) and in Korean each character is one;
    Katakana stays together.
    """
    found = []
    for match in _words()[0].finditer(text):
        start, end = match.span()
        numbered = _NUMBERED.fullmatch(text, start, end) if text[end - 1].isdecimal() else None
        parts = (numbered.span(1), numbered.span(2)) if numbered else ((start, end),)
        for first, last in parts:
            folded, cased, capital = _fold(text[first:last])
            if folded:
                found.append(Word(folded, first, last, cased, capital))
    return found


def names_of(title: str) -> tuple[Name, ...]:
    """Return the names that a document of this title goes by: what its sentences' readers would
    call it.

    The bare title, without what stands in brackets at its end, first, then the whole one, and the
    number of a series that it begins with: "PEP 498" of "PEP 498 – Literal strings". This is the
    place for other names of a document, such as its headings, when the graph holds them.
    """
    plain = html.unescape(title)
    bare = words_of(bare_title(plain))
    # of "The Wall" the article is what tells it from a wall
    skipped = int(len(bare) > 2 and bare[0].folded in _ARTICLES)
    found: dict[Name, None] = {}
    series = _SERIES.match(plain)
    heads = (series.group(1),) if series and series.group(1).isupper() else ()
    for form in (bare_title(plain), plain, *heads):
        found.update(dict.fromkeys(_names_of_form(form, skipped)))
    return tuple(found)


def bare_title(title: str) -> str:
    """Return a title without the brackets at its end: "Ed Wood (film)" is "Ed Wood"."""
    return _QUALIFIER.sub("", title).strip() or title


def bare_key(title: str) -> str:
    """Return what two titles have in common that are told apart by a qualifier only."""
    keys = [word.folded for word in words_of(bare_title(html.unescape(title)))]
    return " ".join(keys[1:] if len(keys) > 1 and keys[0] in _ARTICLES else keys)


def first_word(title: str) -> str:
    """Return the folded word that every name of this title begins with; "" where it has none."""
    names = names_of(title)
    return names[0].key.split(" ", 1)[0] if names else ""


class TitleMatcher:
    """Finds the titles of documents in texts; a pass over a text finds all of them at once.

    ``titles``: by the id of each document. Building it takes time in the order of the titles'
    characters, a search in that of the text's.
    """

    def __init__(self, titles: Iterable[tuple[str, str]]) -> None:
        self._names: dict[str, dict[Name, list[str]]] = {}
        self._namesakes: dict[str, set[str]] = {}
        for document_id, title in titles:
            self._namesakes.setdefault(bare_key(title), set()).add(document_id)
            for name in names_of(title):
                documents = self._names.setdefault(name.key, {}).setdefault(name, [])
                documents.append(document_id)
        self._keys = list(self._names)
        self._crowded = {
            key
            for key, names in self._names.items()
            if len({document for ids in names.values() for document in ids}) > MOST_HOMONYMS
        }
        # words stand between spaces, so that no name is found within a word
        self._automaton = AhoCorasick(f" {key} " for key in self._keys) if self._keys else None

    def namesakes(self, title: str) -> Set[str]:
        """Return the ids of the documents whose titles differ from this one by a qualifier only."""
        return self._namesakes.get(bare_key(title), frozenset())

    def find(self, text: str, *, cased: bool = True) -> list[Found]:
        """Return the names in ``text`` from left to right; none of them overlap.

        ``cased=False``: take all of them, however they are written (a question, typed in haste).
        """
        return self.find_in(words_of(text), text, cased=cased)

    def find_in(self, words: Sequence[Word], text: str, *, cased: bool = True) -> list[Found]:
        """Return what `find` returns; ``words``: those of ``text``."""
        if self._automaton is None or not words:
            return []
        folded = " ".join(word.folded for word in words)
        hits = self._automaton.find_matches_as_indexes(f" {folded} ", overlapping=True)
        if not hits:
            return []
        at, places = 0, {}
        for number, word in enumerate(words):
            places[at] = number
            at += len(word.folded) + 1
        passage = _Passage(words, text) if cased else None
        found: list[Found] = []
        free = 0
        for index, start, _ in sorted(hits, key=lambda hit: (hit[1], -hit[2])):
            first = places[start]
            if first < free:
                continue
            key = self._keys[index]
            last = first + key.count(" ")
            names = self._names[key]
            fitting = [
                document
                for name, ids in names.items()
                if passage is None or passage.fits(name, first, last)
                for document in ids
            ]
            if not fitting:
                continue
            free = last + 1
            documents = () if key in self._crowded else tuple(sorted(set(fitting)))
            found.append(Found(words[first].start, words[last].end, key, documents))
        return found


class _Passage:
    """What the case of a text's letters says."""

    def __init__(self, words: Sequence[Word], text: str) -> None:
        self._words = words
        self._text = text
        lettered = (number for number, word in enumerate(words) if word.cased)
        self._begins = next(lettered, -1)
        cased = [word for word in words if word.cased and word.end - word.start > 1]
        self._shouts = bool(cased) and all(self._raw(word).isupper() for word in cased)

    def fits(self, name: Name, first: int, last: int) -> bool:
        """Say whether the words [first, last] are written as the name may be."""
        if name.initialism and not self._raw(self._words[first]).isupper():
            return False
        wanted = [
            self._words[first + number].capital
            for number, capital in enumerate(name.capitals)
            if capital
        ]
        if not wanted:
            return True
        alone = first == last
        if alone and (self._shouts or first == self._begins or self._goes_before(first)):
            return False  # any word is capitalised here, or the name is a longer one
        if (alone or name.article) and self._goes_after(last):
            return False
        return sum(wanted) * 2 >= len(wanted)

    def _goes_after(self, place: int) -> bool:
        """Say whether a capitalised word follows: "King" after "Stephen"."""
        if place + 1 == len(self._words) or not self._words[place + 1].capital:
            return False
        return bool(_JOIN.fullmatch(self._gap(place)))

    def _goes_before(self, place: int) -> bool:
        """Say whether a word stands before that is capitalised not merely as the first one."""
        if place == 0 or place - 1 == self._begins or not self._words[place - 1].capital:
            return False
        gap, before = self._gap(place - 1), self._words[place - 1]
        short = before.end - before.start <= _LONGEST_SHORT_FORM
        return bool(_JOIN.fullmatch(gap)) or (short and gap == ". ")

    def _gap(self, place: int) -> str:
        """Return what stands between a word and the next one."""
        return self._text[self._words[place].end : self._words[place + 1].start]

    def _raw(self, word: Word) -> str:
        return self._text[word.start : word.end]


def _names_of_form(title: str, skipped: int) -> list[Name]:
    words = words_of(title)[skipped:]
    keys = [word.folded for word in words]
    if not 0 < len(words) <= MOST_WORDS or not any(key[0].isalpha() for key in keys):
        return []
    if len(words) == 1:
        (word,) = words
        if len(word.folded) < _LEAST_LETTERS or not word.folded[0].isalpha():
            return []
        raw = title[word.start : word.end]
        initialism = raw.isupper() and len(raw) <= _LONGEST_INITIALISM
        return [Name(word.folded, (word.cased,), initialism)]
    if any(word.capital or word.folded[0].isdigit() for word in words[1:]) or not words[-1].cased:
        # "The" begins many a sentence
        capitals = tuple(word.capital and word.folded not in _ARTICLES for word in words)
        article = len(words) == 2 and keys[0] in _ARTICLES
        return [Name(" ".join(keys), capitals, article=article)]
    nobody = (False,) * len(words)
    ends = (keys[-1], *_other_number(keys[-1]))
    return [Name(" ".join((*keys[:-1], end)), nobody) for end in ends]


def _other_number(noun: str) -> tuple[str, ...]:
    """Return the plurals of an English noun, and the singular where it may be a plural itself."""
    plurals = [f"{noun}s"]
    if re.search(r"(?:s|x|z|ch|sh)$", noun):
        plurals = [f"{noun}es"]
    elif re.search(r"[^aeiou]y$", noun):
        plurals = [f"{noun[:-1]}ies"]
    if len(noun) > 3 and noun.endswith("ies"):
        return (f"{noun[:-3]}y",)
    if len(noun) > 3 and noun.endswith("s") and not noun.endswith("ss"):
        return (noun[:-1], *plurals)
    return tuple(plurals)


@cache
def _words() -> tuple[re.Pattern[str]]:
    marks = "".join(
        character
        for character in map(chr, range(0x300, 0x10000))
        if unicodedata.category(character) in ("Mn", "Mc")
    )
    marks = f"{marks}\u200c\u200d"
    letter = f"[^\\W_{_RUNS_ON}{_KATAKANA}]"
    return (
        re.compile(
            f"{letter}+(?:[{marks}]+{letter}*)*"  # without the marks, a word of Hindi falls apart
            f"|[{_RUNS_ON}][{marks}]*|[{_KATAKANA}]+"
        ),
    )


@lru_cache(maxsize=50_000)
def _fold(word: str) -> tuple[str, bool, bool]:
    """Return a word folded, a number without zeros before it, and whether it is cased and has a
    capital."""
    lower, upper = word.lower(), word.upper()
    folded = (lower.lstrip("0") or "0") if word.isdecimal() else lower
    if not word.isascii():
        folded = unicodedata.normalize("NFKD", word).casefold()
        folded = unicodedata.normalize("NFC", _ACCENTS.sub("", folded))
    return folded, lower != upper, word != lower
