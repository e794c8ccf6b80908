"""What a question asks of a whole table: how many rows, which is the largest, what they sum to."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

from clew.comprehension.annotation import AnnotatedSentence
from clew.comprehension.lexicon import DIMENSIONS, classes_of
from clew.comprehension.lexicon import words as spelt
from clew.comprehension.question_form import QuestionForm
from clew.comprehension.stems import family
from clew.comprehension.tables.table import stems_of, words_of
from clew_ingest.parsing.entity_names import STOP_WORDS

Operation = Literal["count", "total", "average", "largest", "smallest", "list"]

_COUNT = re.compile(r"\bhow many\b|(?:^|\b(?:the|total) )number of\b|\bcount of\b", re.I)
_ONE = re.compile(r"^who(?:se)?(?: is| was| has| does|'s|’s)\b", re.IGNORECASE)
"""So begins who asks for one person."""
_TOTAL = re.compile(
    r"\bin total\b|\bin all\b|\baltogether\b|\ball together\b|\boverall\b|\bcombined\b"
    r"|\btotals?\b|\bsum of\b|\bsum\b|\badd(?:s|ed|ing)? up\b|\bcomes? to\b",
    re.I,
)
_AVERAGE = re.compile(r"\bon average\b|\baverage\b|\bmean\b", re.I)
_LIST = re.compile(
    r"^(?:which|what|who|whose|list|show|name|give|tell)\b|\bwhich\b|\bwho\b", re.IGNORECASE
)
_RELATIVE = re.compile(
    r"\b(?:last|this|next|past|coming) (?:\w+ )?"
    r"(?:year|month|week|quarter|term|season|day|time)s?\b"
    r"|\b(?:today|yesterday|tomorrow|recently|ago)\b|\bout of (?!the\b|our\b|all\b)",
    re.IGNORECASE,
)
"""What is not told by the table alone, or by no row of it."""

BY_PRICE, BY_DAY, BY_AGE = "price", "day", "age"
BY_LENGTH = "length duration time minutes hours days weeks months years"
"""What something is called that is long, or takes or lasts long."""
EXTREMES: dict[str, tuple[int, str]] = {
    **dict.fromkeys(("most", "highest", "largest", "biggest", "greatest", "maximum"), (1, "")),
    **dict.fromkeys(("least", "lowest", "smallest", "fewest", "minimum"), (-1, "")),
    **dict.fromkeys(("dearest", "priciest", "costliest"), (1, BY_PRICE)),
    "cheapest": (-1, BY_PRICE),
    **dict.fromkeys(("latest", "newest", "last"), (1, BY_DAY)),
    **dict.fromkeys(("earliest", "first", "soonest"), (-1, BY_DAY)),
    **dict.fromkeys(("oldest", "eldest"), (1, BY_AGE)),
    "youngest": (-1, BY_AGE),
    "heaviest": (1, "weight"),
    "lightest": (-1, "weight"),
    "longest": (1, BY_LENGTH),
    "shortest": (-1, BY_LENGTH),
    "tallest": (1, "height"),
    "deepest": (1, "depth"),
    "shallowest": (-1, "depth"),
    "widest": (1, "width"),
    "narrowest": (-1, "width"),
    "fastest": (1, "speed"),
    "slowest": (-1, "speed"),
    "hottest": (1, "temperature"),
    "warmest": (1, "temperature"),
    "coldest": (-1, "temperature"),
    "loudest": (1, "noise"),
    "quietest": (-1, "noise"),
    "farthest": (1, "distance"),
    "furthest": (1, "distance"),
    "nearest": (-1, "distance"),
    "closest": (-1, "distance"),
}
"""Superlatives: whether the greatest or the least is meant, and of what where the word says it."""

OF_ALL = spelt("total overall combined altogether average mean")
"""Words by which the rows of one thing are taken together."""
GENERIC = spelt("thing item product entry piece bit one row record line case position article")
"""Nouns for whatever the rows of a table are."""
PEOPLE = spelt("people person persons staff employee employees colleague colleagues member members")
"""Nouns for whoever a table names."""
_OF_TABLES = spelt(
    "list register matrix log sheet table rota timetable page file document spreadsheet database "
    "inventory directory overview version schedule plan report"
)
"""What people call a table, whatever its document is called."""

_BEFORE_NOUN = spelt("of the our my these those all")
"""Words between "how many" and the noun that is counted."""
_LIGHT = spelt(
    "be do have get there exist list record register keep hold belong contain include show tell "
    "name give know find want need say see please currently altogether total sum number count many "
    "much average mean overall row entry one thing all any different separate single registered "
    "recorded listed our own ever item value amount figure so far whole together going according "
    "whats which accord go enter yet still already now onward onwards"
)
"""Words that a table need not say."""


_LITTLE = spelt("DET PRON ADP AUX PART CCONJ SCONJ")
"""Parts of speech that say nothing by themselves."""


@dataclass(frozen=True)
class Word:
    """A word of the question with its stems; ``says``: something that the table has to know;
    ``weak``: a verb, or a noun for tables, which need not be said where other words choose rows;
    ``proper``: of a name, or a number.
    """

    text: str
    stems: frozenset[str]
    says: bool
    weak: bool = False
    proper: bool = False


@dataclass(frozen=True)
class TableQuestion:
    """What is asked; ``by``: what the superlative is of, "" where another word says it; ``thing``:
    the places, among ``words``, of the noun that is asked for, and ``measure`` of what is
    measured; ``several``: of things that are listed, more than one is asked for.
    """

    operation: Operation
    text: str
    words: tuple[Word, ...]
    people: bool
    thing: tuple[int, ...]
    measure: tuple[int, ...] = ()
    by: str = ""
    several: bool = False

    @cached_property
    def starts(self) -> tuple[int, ...]:
        """Where each word begins in the text."""
        lower, found, at = self.text.casefold(), [], 0
        for word in self.words:
            at = max(lower.find(word.text, at), at)
            found.append(at)
            at += len(word.text)
        return tuple(found)

    def within(self, start: int, end: int) -> list[int]:
        """Return the places of the words that begin within characters [start, end)."""
        return [place for place, at in enumerate(self.starts) if start <= at < end]

    def spelt(self, span: range) -> str:
        """Return words as the question writes them."""
        last = span[-1]
        return self.text[self.starts[span[0]] : self.starts[last] + len(self.words[last].text)]

    @cached_property
    def thing_stems(self) -> frozenset[str]:
        """The stems of the noun that is asked for."""
        return frozenset[str]().union(*(self.words[place].stems for place in self.thing[-1:]))


def asked_of_a_table(form: QuestionForm, sentence: AnnotatedSentence) -> TableQuestion | None:
    """Return what a question asks of a whole table; None where it asks for no such thing."""
    text = sentence.text
    if form.kind == "yes-no" or _RELATIVE.search(text):
        return None
    words = _words(sentence)
    extreme = next((i for i, word in enumerate(words) if _is_extreme(words, i)), None)
    thing = _thing(form, words)
    people = text.casefold().startswith("who") or _are_people(words, thing)
    if extreme is not None and not _COUNT.search(text):
        return _of_extreme(text, words, extreme, thing, people)
    if _AVERAGE.search(text):
        return TableQuestion("average", text, tuple(words), people, thing, thing)
    if _COUNT.search(text):
        return TableQuestion("count", text, tuple(words), people, thing) if thing else None
    if _TOTAL.search(text):
        return TableQuestion("total", text, tuple(words), people, thing, thing)
    if _LIST.search(text) and (form.several or people) and not _ONE.match(text):
        return TableQuestion("list", text, tuple(words), people, thing, several=form.several)
    return None


def _words(sentence: AnnotatedSentence) -> list[Word]:
    found: list[Word] = []
    for token in sentence.tokens:
        proper = token.pos == "PROPN" or bool(found and token.text[:1].isupper())
        for text in words_of(token.text):
            digits = any(map(str.isdecimal, text))
            light = {token.lemma.casefold(), text} & _LIGHT
            says = digits or not (light or text in STOP_WORDS or token.pos in _LITTLE)
            weak = token.pos == "VERB" or token.lemma.casefold() in _OF_TABLES
            stems = stems_of(text) | family(token.lemma.casefold())
            found.append(Word(text, stems, says, weak, proper or digits))
    return found


def _is_extreme(words: list[Word], place: int) -> bool:
    """Say whether a word is a superlative: not the "first" of "first aid"."""
    following = words[place + 1].text if place + 1 < len(words) else ""
    return words[place].text in EXTREMES and following not in {"aid", "name", "names"}


def _thing(form: QuestionForm, words: list[Word]) -> tuple[int, ...]:
    """Return the place of the noun that is asked for, behind those of the words that say which."""
    texts = [word.text for word in words]
    counted = next((texts.index(word) for word in ("many", "number") if word in texts), None)
    several = counted is not None and texts[counted] == "many"
    if counted is not None and (several or "of" in texts[counted : counted + 2]):
        at = counted + 1
        while at < len(words) and texts[at] in _BEFORE_NOUN:
            at += 1
        while at + 1 < len(words) and words[at + 1].says and not words[at + 1].weak:
            at += 1
        if at == len(words) or not (several or _is_plural(texts[at])):
            return ()  # "the number of the pump"
        generic = not words[at].stems.isdisjoint(GENERIC)
        return (at,) if words[at].says or generic else ()
    if noun := _behind_which(words):
        return noun
    own = family(form.focus.casefold()) if form.focus else frozenset[str]()
    return tuple(i for i, word in enumerate(words) if own & word.stems)[:1]


def _is_plural(word: str) -> bool:
    return word.endswith("s") or word in PEOPLE


def _behind_which(words: list[Word]) -> tuple[int, ...]:
    """Return the place of the noun behind "which", () where there is none."""
    at = next((i for i, word in enumerate(words) if word.text == "which"), len(words))
    noun = at
    while (
        noun + 1 < len(words) and words[noun + 1].says and (noun == at or not words[noun + 1].weak)
    ):
        noun += 1
    return (noun,) if noun > at else ()


def _are_people(words: Sequence[Word], thing: tuple[int, ...]) -> bool:
    noun = words[thing[-1]].text if thing else ""
    return noun in PEOPLE or any("PERSON" in classes_of(w) for w in (noun, noun.removesuffix("s")))


def _of_extreme(
    text: str, words: list[Word], at: int, thing: tuple[int, ...], people: bool
) -> TableQuestion | None:
    """Return what is asked by a superlative: of what it is, the words behind it say, or the verb
    before it."""
    greatest, by = EXTREMES[words[at].text]
    silent = {at}
    following = at + 1
    if not by and words[at].text in {"most", "least"} and following < len(words):
        adjective = words[following].text
        if adjective == "recent" or adjective == "recently":
            by, silent = BY_DAY, silent | {following}
            following += 1
        elif (known := DIMENSIONS.get(adjective)) is not None:
            by, silent = known, silent | {following}
            following += 1
    run = []
    while following < len(words) and words[following].text in OF_ALL:
        following += 1
    while following < len(words) and words[following].says:
        run.append(following)
        following += 1
    measure: tuple[int, ...] = ()
    if run and not (set(run) & set(thing)):
        if by and not thing and not people:
            thing = (run[-1],)
        else:
            measure = tuple(run)
    elif run and not by:
        measure = thing  # "the highest price", or "the biggest invoice", by what it is told
    elif not run and not by:
        verbs = [i for i in range(at) if words[i].says and words[i].weak and i not in thing]
        measure = tuple(verbs[-1:])
    told = tuple(
        replace(word, says=word.says and place not in silent) for place, word in enumerate(words)
    )
    operation: Operation = "largest" if greatest > 0 else "smallest"
    return TableQuestion(operation, text, told, people, thing, measure, by)
