"""A question in the words that the evidence writes.

    "Who chairs the AGM?"                  -> "Who chairs the annual general meeting?"
    "What does any other business tell?"   -> "What does AOB tell?"
    "When is API v1 switched off?"         -> "When is API version 1 switched off?"
    "Who is on duty on 7 May?"             -> "Who is on duty on 2025-05-07?"
    "Which room costs thirty-eight euros?" -> "Which room costs 38 euros?"
    "birthday of Soren Thygebaek"          -> "birthday of Søren Thygebæk"
    "when was it fouded"                   -> "when was it founded"

What stands nowhere in the evidence is looked for in other forms, each by what the evidence alone
tells: there is no list of words. Where two would do, the question stays as it is.
"""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from difflib import get_close_matches
from itertools import pairwise

from clew.comprehension.amounts import DIGITS, figure, numbers_in_words
from clew.comprehension.annotation import AnnotatedSentence, Token
from clew.comprehension.dates import IN_NUMBERS, MONTHS, moments_in, otherwise_written
from clew.comprehension.evidence_view import EvidenceView
from clew.comprehension.stems import stem
from clew_ingest.parsing.entity_names import STOP_WORDS, normalise_name

_SHORT = re.compile(r"(?<![\w-])(?:[A-Z]{3,5}|[A-Za-z](\d+(?:\.\d+)*))(?![\w-])")
"""Two letters are those of words that stand side by side in any text."""
_MEANS = re.compile(r"\b(?:stands? for|short for|means?|abbreviat\w+)\b", re.IGNORECASE)
"""Who asks so wants the words."""
_OF_PHRASE = frozenset({"NOUN", "PROPN", "ADJ", "ADV", "VERB"})
_JOINING = frozenset({"ADP", "CCONJ", "DET"})
_MOST_BETWEEN = 2
_WORD = re.compile(r"[^\W\d_]+")
_MONTHS = "|".join([*MONTHS, *(name[:3] for name in MONTHS)])
_OF_MONTH = re.compile(rf"\s+of\s+(?:{_MONTHS})\b", re.IGNORECASE)
_SMALL_MONTH = re.compile(
    rf"(?<=\d )(?:{_MONTHS})\b|(?<=\d of )(?:{_MONTHS})\b|\b(?:{_MONTHS})(?= \d)", re.IGNORECASE
)
_LETTERS = str.maketrans(
    {"ø": "o", "ł": "l", "đ": "d", "ð": "d", "ı": "i"}
    | {"æ": "ae", "œ": "oe", "þ": "th", "ß": "ss"}
)
"""Letters that are none with a mark."""
_AS_TWO = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ø": "oe", "å": "aa"})
"""How some write what their keyboard lacks."""
_SHORTENED = {"saint": "st", "st": "saint", "mount": "mt", "mt": "mount", "fort": "ft"}
_SAINT = re.compile(rf"\b({'|'.join(_SHORTENED)})\b\.?\s+(\w+)", re.IGNORECASE)
_NUMBER = re.compile(rf"(?<![\w.,:/-])(?:{DIGITS})(?!\w|[.,:/-]?\d)")
_FEW = 12
"""Numbers up to this stand in many a text: one is the same only before the same word."""
_IN_WORDS = re.compile(r"[a-z]{3,}")
_YEAR = re.compile(r"([12]\d)(\d\d)")
_IN_THOUSANDS = re.compile(r"\d{1,3}(?:[.,’']\d{3})+")
_LEAST, _ALIKE = 5, 0.84
"""Letters of a word that may be misspelt, and how alike two are of which one letter differs."""


def respelt(question: str, view: EvidenceView, usual: Callable[[str], bool]) -> str:
    """Return a question in the words of the evidence; itself where it asks what short forms are.
    ``usual``: says whether a word is one that is not taken for misspelt.
    """
    if _MEANS.search(question) is not None:
        return question
    text = "".join(view.passages.values())
    question = _with_dates(question, text)
    question = _with_digits(question, text, view)
    question = _with_saints(question, text)
    question = _with_hyphens(question, text)
    question = _with_words(question, text, view)
    question = _with_short_forms(question, text, view)
    return _with_letters(question, view, usual)


def _with_dates(question: str, text: str) -> str:
    """Return a question with its days as the text writes them, "the sixth of May" among them."""
    for start, end, value, ordinal in reversed(numbers_in_words(question)):
        if ordinal and _OF_MONTH.match(question, end):
            question = f"{question[:start]}{value:.0f}{question[end:]}"
    question = _SMALL_MONTH.sub(lambda found: found.group().title(), question)
    days = [(one.start(), one.end()) for one in IN_NUMBERS.finditer(question)]
    days += [(start, end) for start, end, told in moments_in(question) if len(told) > 2]
    bare = text.replace(",", "")
    for start, end in sorted(days, reverse=True):
        name = normalise_name(question[start:end]).replace(",", "")
        dates = [] if f" {name} " in bare else otherwise_written(name, bare)
        if len(dates) != 1:
            continue
        written = _IN_WORDS.sub(lambda found: found.group().title(), dates[0])
        year = _YEAR.search(name)
        if year and not re.search(rf"(?<!\d)(?:{year[1]})?{year[2]}(?!\d)", written):
            written = f"{written} {year[0]}"
        question = f"{question[:start]}{written}{question[end:]}"
    return question


def _with_digits(question: str, text: str, view: EvidenceView) -> str:
    """Return a question with its numbers as the text writes them: "38" for "thirty-eight", or the
    reverse, "1.940" for "1940"."""
    for start, end, value, ordinal in reversed(numbers_in_words(question)):
        words, digits = question[start:end].strip(), f"{value:.0f}"
        following = _WORD.search(question, end)
        beside = f" {following.group().casefold()}" if following and value <= _FEW else ""
        written = re.search(rf"(?<![\w.,]){digits}(?![\w.,]*\d){beside}", text)
        if not ordinal and value > 1 and written and f" {words.casefold()} " not in text:
            question = f"{question[:start]}{digits}{question[start + len(words) :]}"
    unknown = [
        one
        for one in _NUMBER.finditer(question)
        if re.search(rf"(?<![\w.,:/-]){re.escape(one.group())}(?![.,:/-]?\d)", text) is None
    ]
    if not unknown:
        return question
    forms: defaultdict[float, set[str]] = defaultdict(set)
    for one in _NUMBER.finditer(text):
        forms[figure(one.group())].add(one.group())
        if _IN_THOUSANDS.fullmatch(one.group()):
            forms[float(re.sub(r"\D", "", one.group()))].add(one.group())
    for sentence in view.sentences:
        for start, end, value, ordinal in numbers_in_words(sentence.parse.text):
            if not ordinal:
                forms[value].add(sentence.parse.text[start:end].strip().casefold())
    for one in reversed(unknown):
        if len(meant := forms.get(figure(one.group()), set())) == 1:
            question = f"{question[: one.start()]}{next(iter(meant))}{question[one.end() :]}"
    return question


def _with_words(question: str, text: str, view: EvidenceView) -> str:
    """Return a question with the words for its short forms."""
    for short in reversed(list(_SHORT.finditer(question))):
        if f" {normalise_name(short.group())} " in text:
            continue
        found = {
            words.casefold(): words
            for sentence in view.sentences
            for words in _words_of(short, sentence.parse)
        }
        if len(found) == 1:
            (words,) = found.values()
            question = f"{question[: short.start()]}{words}{question[short.end() :]}"
    return question


def _with_short_forms(question: str, text: str, view: EvidenceView) -> str:
    """Return a question with the short forms that the evidence alone has for its words."""
    words = list(_WORD.finditer(question))
    initials = "".join(word.group()[0].casefold() for word in words)
    forms = {
        token.text
        for sentence in view.sentences
        for token in sentence.parse.tokens
        if _SHORT.fullmatch(token.text) and token.text.isalpha()
    }
    for form in sorted(forms, key=len, reverse=True):
        at = initials.find(form.casefold())
        if at < 0:
            continue
        own = words[at : at + len(form)]
        start, end = own[0].start(), own[-1].end()
        first, last = own[0].group().casefold(), own[-1].group().casefold()
        asks = last in STOP_WORDS or (first in STOP_WORDS and first != "any")  # "What hotel offers"
        phrase = question[start:end]
        plain = phrase.islower() and len(phrase.split()) == len(form) and "-" not in phrase
        if plain and not asks and f" {normalise_name(phrase)} " not in text:
            return f"{question[:start]}{form}{question[end:]}"
    return question


def _with_saints(question: str, text: str) -> str:
    """Return a question with "St" where the text has "Saint" before a name, or the reverse."""

    def right(found: re.Match[str]) -> str:
        first, name = found[1], normalise_name(found[2])
        others = _SHORTENED[first.casefold()]
        if re.search(rf" {first.casefold()}\.? {re.escape(name)}", text) is not None:
            return found.group()
        other = re.search(rf" ({others})\.? {re.escape(name)}", text)
        return found.group() if other is None else f"{other[1].capitalize()} {found[2]}"

    return _SAINT.sub(right, question)


def _with_hyphens(question: str, text: str) -> str:
    """Return a question with two words joined as the text has them: "double kayak" for
    "double-kayaks", "e-mail" for "e mail", "boathouse" for "boat house"."""

    for one, other in reversed(list(pairwise(_WORD.finditer(question)))):
        between = question[one.end() : other.start()]
        first, second = one.group().casefold(), other.group().casefold()
        small = {first, second} & STOP_WORDS or question[other.end() : other.end() + 1].isdigit()
        if between not in {" ", "-"} or small or f" {first}{between}{second}" in text:
            continue
        forms = [f"{first}{way}{second}" for way in (" ", "-", "") if way != between]
        forms += [form.removesuffix("s") for form in forms]
        meant = next((form for form in forms if re.search(rf" {form}(?!\w)", text)), None)
        if meant is not None:
            begun = one.group()[0] + meant[1:]  # with the letters of a name in capitals
            question = f"{question[: one.start()]}{begun}{question[other.end() :]}"
    return question


def _with_letters(question: str, view: EvidenceView, usual: Callable[[str], bool]) -> str:
    """Return a question with the letters of the evidence's words in those of its own that are
    spelt otherwise: without marks, and in small words with one letter wrong."""
    words = {
        word.casefold(): word
        for sentence in view.sentences
        for word in _WORD.findall(f"{sentence.title} {sentence.above} {sentence.parse.text}")
    }
    folded: dict[str, set[str]] = {}
    for word in words.values():
        if not word.isascii():
            for one in _folds(word):
                folded.setdefault(one, set()).add(word)
    stems = frozenset[str]().union(*view.lemmas)
    small = [key for key, word in words.items() if word.islower()]

    def right(found: re.Match[str]) -> str:
        word = found.group()
        key = word.casefold()
        if key in words or key in STOP_WORDS:
            return word
        if len(meant := folded.get(_folds(word)[0], set())) == 1:
            return next(iter(meant))
        misspelt = word.islower() and len(word) >= _LEAST and stem(word) not in stems
        if not misspelt or usual(word):
            return word
        near = [
            one
            for one in small
            if (one[0], one[-2:]) == (key[0], key[-2:]) and abs(len(one) - len(key)) < 2
        ]
        return next(iter(get_close_matches(key, near, 1, _ALIKE)), word)

    return _WORD.sub(right, question)


def _folds(word: str) -> tuple[str, str]:
    """Return a word without marks on its letters, and with two letters for some."""
    key = unicodedata.normalize("NFC", word).casefold()
    two = key.translate(_AS_TWO)
    return normalise_name(key.translate(_LETTERS)), normalise_name(two.translate(_LETTERS))


def _words_of(short: re.Match[str], parse: AnnotatedSentence) -> Iterator[str]:
    """Yield what stands in a sentence for a short form."""
    number = short.group(1)
    tokens = parse.tokens
    for at, token in enumerate(tokens):
        if not token.text.isalpha() or token.text[0].casefold() != short.group()[0].casefold():
            continue
        if number is not None:
            numbered = at + 1 < len(tokens) and tokens[at + 1].text == number
            last = at + 1 if len(token.text) > 1 and numbered else None
        else:
            begins = token.pos in _OF_PHRASE
            last = _last_of(short.group().casefold(), tokens, at) if begins else None
        if last is not None:
            words = parse.slice(at, last + 1)
            yield words if at or token.pos == "PROPN" else words[:1].casefold() + words[1:]


def _last_of(letters: str, tokens: Sequence[Token], at: int, between: int = 0) -> int | None:
    """Return the last token of the words from ``at`` on that begin with the letters, "of" and the
    like for one of them or for none; None where they are no noun phrase."""
    if at >= len(tokens) or between > _MOST_BETWEEN:
        return None
    token, last = tokens[at], len(letters) == 1
    joins = token.text == "-" or (token.pos in _JOINING and token.text.isalpha())
    if token.text[0].casefold() == letters[0] and (joins or token.pos in _OF_PHRASE):
        if last:
            return at if token.pos in {"NOUN", "PROPN"} else None
        found = _last_of(letters[1:], tokens, at + 1)
        if found is not None:
            return found
    return _last_of(letters, tokens, at + 1, between + 1) if joins else None
