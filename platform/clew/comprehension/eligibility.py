"""What can be the answer to a question at all, by the kind of thing that it asks for."""

import re
from collections.abc import Sequence
from functools import cached_property, lru_cache

from clew.comprehension.candidates import DAY, YEAR, Candidate, EvidenceSentence, without_marks
from clew.comprehension.dates import life_dates
from clew.comprehension.evidence_view import EvidenceView
from clew.comprehension.gender import PARENTS, asked_gender
from clew.comprehension.lexicon import (
    ADDRESSED,
    CODE,
    COUNT,
    DEFINITION,
    LABELS,
    MEASURES,
    MONEY_WORDS,
    NUMBERED,
    VALUE_LABELS,
    AnswerClass,
    classes_of,
    is_of_size,
)
from clew.comprehension.marks import MARKED
from clew.comprehension.other_things import OtherThings
from clew.comprehension.question_form import QuestionForm, phrase_text
from clew.comprehension.stems import stem
from clew.comprehension.values import SPANS, counted_up_to
from clew_ingest.parsing.entity_names import is_address, normalise_name, without_honorifics

_TIMELESS = frozenset[AnswerClass]({"PERSON", "PLACE", "ORG", "GROUP", "CAUSE"})
"""Classes of which no day is one, "yesterday"."""
_NAMES = frozenset({"PERSON", "NAME", "ORG", "GPE", "LOC", "FAC", "NORP", "PRODUCT"})
"""Types of names, of which none is why something is so."""
_UNNAMED = re.compile(
    r"(?:(?:the|a|an|one|that|this|same|next|last|first|other) )*"
    r"(?:day|date|time|week|weekend|month|year|morning|afternoon|evening|night|season)"
    r"|\d{4}/\d{3,}"
)
"""A day that only who knows which is meant is told by, "the day", and what is none: "2023/0112"."""
CLOCK = re.compile(
    r"\d[:.]\d\d\b|\d ?[ap]\.?m\b|\d ?(?:h|uhr|o['’]clock)\b|\bnoon\b|\bmidnight\b", re.IGNORECASE
)
"""A time of day somewhere in a text, "Monday until 16:30"."""
_DAYS = frozenset({"day", "date", "weekday", "week", "month", "year", "season"})
"""Nouns that ask for days."""
_ONLY_CLOCK = re.compile(r"^\W*\d{1,2}(?::\d\d| ?[ap]\.?m)\b", re.IGNORECASE)
"""A time of day, which is no day: "12:05", "9 am"."""
_SOMEBODYS = re.compile(r"(?:(?:my|our|your|his|her|its|their|this|that|same|other) )+(\w+)")
"""A thing that only who knows who speaks is told by: "my room"."""
_WHO = frozenset[AnswerClass]({"PERSON", "ORG", "GROUP"})
_RELATIVE = frozenset({"who", "that", "which", "whoever"})
_MONEY_STEMS = frozenset(stem(own) for word in MONEY_WORDS for own in (word, f"{word}s"))
YEAR_RANGE = re.compile(r"[12]\d{3}(?:\s*[–-]\s*\d{2,4})?")


class Eligibility:
    """Which candidates of the evidence are let in for one question.

    ``without``: keys of further texts that name what is no answer. Where numbers are asked for, or
    dates, and there are any, nothing else is, and no value where names are. ``named``: the answer
    takes the place of a description, so that another one is of no use.
    """

    def __init__(
        self,
        form: QuestionForm,
        view: EvidenceView,
        without: Sequence[str] = (),
        *,
        named: bool = False,
    ) -> None:
        self._form = form
        self._view = view
        self._only_named = named
        self._named = [_padded(key) for key in (normalise_name(form.text), *without)]
        self._held: dict[int, float] = {}
        self._fields: dict[int, frozenset[str] | None] = {}
        self._numbered = "CODE" in form.classes and form.focus in NUMBERED  # "which version"

    def among(self, candidates: Sequence[Candidate]) -> list[Candidate]:
        """Return those that can be the answer."""
        if self._form.focus in PARENTS:
            candidates = [*candidates, *self._view.genders.named_parents(self._asked_of)]
        found = _of_asked_values(self._form, _defining(self._form, candidates))
        pool = [candidate for candidate in found if self.allows(candidate)]
        if self._form.classes == {"DATE"} and not self._form.asks_year:
            pool = _whole_days(pool)
        pool = self.of_kin(pool)
        focus = self._form.focus
        sized = [c for c in pool if c.label in VALUE_LABELS or is_of_size(focus, c.key)]
        return sized or pool

    def of_kin(self, candidates: list[Candidate]) -> list[Candidate]:
        """Return those that can be the mother, the husband … that is asked for."""
        gender = asked_gender(self._form.focus)
        if gender is not None:
            candidates = self._view.genders.among(candidates, gender)
        if self._form.focus not in PARENTS:
            return candidates
        return self._view.genders.parents_among(candidates, self._form.focus, self._asked_of)

    @cached_property
    def _others(self) -> OtherThings:
        return OtherThings(self._asked_of, self._view)

    @cached_property
    def _asked_of(self) -> list[str]:
        return [name for name in map(without_marks, self._form.names) if name]

    def allows(self, candidate: Candidate) -> bool:
        """Say whether a candidate can be the answer, whatever others there are."""
        form, sentence = self._form, self._view.sentences[candidate.sentence]
        if self.is_asked(candidate) or not self._in_asked_field(candidate):
            return False
        if self._others.told_in(candidate.sentence) or self._only_says_whose(candidate):
            return False
        if "PERSON" in form.classes and is_address(candidate.text):
            return False  # "Hon", where the parser ends a sentence behind "Hon."
        if self._only_named and not any(c.isupper() or c.isdigit() for c in candidate.text):
            return False
        if candidate.implicit and form.classes == {"PERSON"} and not sentence.of_person:
            return False
        if self._numbered and not any(letter.isdigit() for letter in candidate.key):
            return False
        if candidate.label == "YEAR" and candidate.field and not form.asks_year:
            return False  # of a field's date
        addresses = candidate.label == CODE and ("://" in candidate.text or "@" in candidate.text)
        if addresses and form.classes and "CODE" not in form.classes:
            return False
        if form.measures and candidate.holding in MEASURES - form.measures:
            return False
        if form.asks_sum and counts_goods(candidate):
            return False
        held = candidate.holding or candidate.label
        if form.classes == {"NUMBER"} and held in LABELS["DATE"]:
            return False  # no day is how old somebody became
        if form.asks_how_many and (held in {"MONEY", "PERCENT"} or counts_money(candidate)):
            return False
        if form.asks_clock and held in {"DATE", "YEAR"} and not CLOCK.search(candidate.text):
            return False
        if form.focus in _DAYS and _ONLY_CLOCK.search(candidate.text):
            return False
        if form.classes == {"DATE"} and _UNNAMED.fullmatch(candidate.key):
            return False
        somebodys = _SOMEBODYS.fullmatch(candidate.key)
        if somebodys and stem(somebodys.group(1)) in form.kin:
            return False
        timeless = bool(form.classes) and form.classes <= _TIMELESS
        if timeless and candidate.label == MARKED and held in LABELS["DATE"]:
            return False  # "yesterday" is no place
        if candidate.label == MARKED and not _is_of_class(form, candidate, sentence):
            return False
        return not _other_end_of_life(form, candidate, self._view)

    def is_asked(self, candidate: Candidate) -> bool:
        """Say whether a candidate is named in the question."""
        bare = without_honorifics(candidate.text)
        keys = [candidate.key] if bare == candidate.text else [candidate.key, normalise_name(bare)]
        if any(f" {key} " in text for key in keys for text in self._named):
            return True
        defined = self._form.defined  # "GSA Touchpoints" says nothing of what Touchpoints is
        return bool(defined) and f" {defined} " in f" {candidate.key} "

    def _only_says_whose(self, candidate: Candidate) -> bool:
        """Say whether a candidate only tells whose, or of which kind, something is that is not
        asked for, "Harbour" of "Harbour staff", in a sentence that tells the kind of what is:
        "Harbour staff are on a fixed schedule." of "which schedule".
        """
        parse = self._view.sentences[candidate.sentence].parse
        if candidate.implicit or not self._form.focus or self._form.classes:
            return False
        at = parse.phrase_head(candidate.first, candidate.last)
        noun = parse.tokens[at].head
        kin, text = self._form.kin, f" {normalise_name(self._form.text)} "
        if parse.tokens[at].dep != "compound" or parse.stems[noun] in kin:
            return False
        kinds = (c for c in parse.noun_chunks if parse.stems[c.last - 1] in kin)
        told = (without_marks(normalise_name(phrase_text(parse, c))) for c in kinds)
        return any(" " in kind and f" {kind} " not in text for kind in told)

    @cached_property
    def _named_in_rows(self) -> dict[str, float]:
        """The share of the names in the question that one row of a document holds, the most, by
        the document's title."""
        found: dict[str, float] = {}
        for index, one in enumerate(self._view.sentences):
            if len(one.fields) > 1:
                most = found.get(one.title_key, 0.0)
                found[one.title_key] = max(most, self.names_held(index))
        return found

    @cached_property
    def _named_around(self) -> dict[int, float]:
        """The share of them that one sentence of a passage that is no row holds, the most."""
        found: dict[int, float] = {}
        for index, one in enumerate(self._view.sentences):
            if len(one.fields) < 2:
                found[one.chunk] = max(found.get(one.chunk, 0.0), self.names_held(index))
        return found

    @cached_property
    def _most_named(self) -> float:
        """The share of them that any row holds, the most."""
        return max(self._named_in_rows.values(), default=0.0)

    def _is_row_named(self, index: int) -> bool:
        """Say whether a row holds as many names of the question as any row does; or as any of its
        document, where a sentence beside it holds as many as any row: of a table on Ms Abara's
        bedroom no row need name her.
        """
        sentence, held = self._view.sentences[index], self.names_held(index)
        around = max(held, self._named_around.get(sentence.chunk, 0.0))
        return held >= self._named_in_rows[sentence.title_key] and around >= self._most_named

    def names_held(self, index: int) -> float:
        """Return ``names_held`` of the evidence's sentence ``index``, found out once."""
        if index not in self._held:
            self._held[index] = names_held(self._form, self._view.sentences[index])
        return self._held[index]

    def _in_asked_field(self, candidate: Candidate) -> bool:
        """Say whether a candidate is no cell, or one of a row that holds as many names as any, in a
        field that is called what is asked for: by its name, else by what its value measures, else
        its class, else its verb; in any where none is.
        """
        sentence = self._view.sentences[candidate.sentence]
        if len(sentence.fields) < 2 or candidate.implicit:
            return True
        if not self._is_row_named(candidate.sentence):
            return False
        if candidate.sentence not in self._fields:
            self._fields[candidate.sentence] = self._asked_fields(candidate.sentence)
        asked = self._fields[candidate.sentence]
        if asked is None:
            return bool(candidate.field) or not self._form.classes
        return candidate.field in asked

    @cached_property
    def _measured(self) -> frozenset[tuple[int, str]]:
        """The rows and fields whose values measure what is asked for."""
        measures = self._form.measures & MEASURES
        found = self._view.candidates if measures else ()
        return frozenset((one.sentence, one.field) for one in found if one.label in measures)

    def _asked_fields(self, index: int) -> frozenset[str] | None:
        """Return the keys of the fields that are called what is asked for; None where none is."""
        form, row = self._form, self._view.sentences[index]
        for asked in (
            [one.key for one in row.fields if form.kin & called_by(one.name)],
            [one.key for one in row.fields if one.key and (index, one.key) in self._measured],
            [one.key for one in row.fields if form.classes & classes_called(one.name)],
            [one.key for one in row.fields if form.verbs & called_by(one.name)],
        ):
            if asked:
                return frozenset(asked)
        return None


def in_other_unit(form: QuestionForm, text: str) -> bool:
    """Say whether a span of time is told in another unit than is asked for, "15 days" of "how many
    hours"."""
    words = re.findall(r"[^\W\d_]+", text.casefold())
    said = {stem(own) for word in words for own in (word, word.removesuffix("s"))}
    return form.asks_how_many and stem(form.focus) in SPANS - said and bool(said & SPANS)


def counts_goods(candidate: Candidate) -> bool:
    """Say whether a candidate counts something else than money: "3 cartons"."""
    return candidate.label == COUNT and not counts_money(candidate)


def counts_money(candidate: Candidate) -> bool:
    """Say whether a candidate is a sum of money that the parser took for a count: "3 euros"."""
    words = candidate.key.replace("-", " ").split()
    return candidate.label == COUNT and not _MONEY_STEMS.isdisjoint(map(stem, words))


def _whole_days(candidates: Sequence[Candidate]) -> list[Candidate]:
    """Leave out years of days that stand there whole."""
    days = {
        (one.sentence, one.first, one.last, year.group())
        for one in candidates
        if one.label == "DATE" and DAY.fullmatch(one.text) and (year := YEAR.search(one.text))
    }
    return [
        one
        for one in candidates
        if one.label != "YEAR" or (one.sentence, one.first, one.last, one.text) not in days
    ]


def names_held(form: QuestionForm, sentence: EvidenceSentence) -> float:
    """Return the share of the names in a question that a sentence holds, or what it stands under; a
    name's last word counts half, and 0.5 is that of no names.
    """
    here, hits = f" {sentence.key} {sentence.context_key} ", 0.0
    names = [name for name in map(without_marks, form.names) if name]
    for name in names:
        if f" {name} " in here:
            hits += 1
        elif f" {name.split()[-1]} " in here:
            hits += 0.5
    return hits / len(names) if names else 0.5


@lru_cache(maxsize=1_000)
def called_by(field: str) -> frozenset[str]:
    """Return the stems of the words that a field is called by."""
    return frozenset(map(stem, field.casefold().split()))


@lru_cache(maxsize=1_000)
def classes_called(field: str) -> frozenset[AnswerClass]:
    """Return the classes of what a field's name says that its values are."""
    spelt = re.findall(r"\w+", field.casefold())
    words = [own for word in spelt for own in (word, word.removesuffix("s"))]
    return frozenset[AnswerClass]().union(*map(classes_of, words))


def _defining(form: QuestionForm, candidates: Sequence[Candidate]) -> Sequence[Candidate]:
    """Return the definitions of what a question wants to be told what it is, where there are any;
    else what is no definition, the noun phrases in it among them.
    """
    found = [c for c in candidates if c.label == DEFINITION and _is_one(form.defined, c.of)]
    return found or [c for c in candidates if c.label != DEFINITION]


def _is_one(asked: str, told: str) -> bool:
    """Say whether two keys can be of one thing: one is the other, or its last words."""
    long, short = sorted((f" {asked}", f" {told}"), key=len, reverse=True)
    return bool(asked and told) and long.endswith(short)


def _of_asked_values(form: QuestionForm, candidates: Sequence[Candidate]) -> Sequence[Candidate]:
    if "CODE" in form.classes:
        copied = [c for c in candidates if c.label == CODE and _is_code(c.text, form.focus)]
        if form.classes == {"CODE"}:
            return copied or [c for c in candidates if c.label not in VALUE_LABELS] or candidates
        return [*copied, *(c for c in candidates if c.label in LABELS["NUMBER"])] or candidates
    if not form.classes & {"DATE", "NUMBER"}:
        if not form.classes:
            return candidates
        if form.classes == {"CAUSE"}:
            return [c for c in candidates if c.label not in _NAMES | VALUE_LABELS] or candidates
        return [c for c in candidates if c.label not in VALUE_LABELS] or candidates
    if not form.classes <= {"DATE", "NUMBER"}:
        return candidates
    labels = frozenset[str]().union(*(LABELS[name] for name in form.classes))
    if form.asks_year:
        labels = frozenset({"YEAR"})
    if form.measures:
        candidates = [c for c in candidates if c.label not in MEASURES - form.measures]
    dated = "DATE" in form.classes
    counted = [c for c in candidates if c.label in labels and _counts(c, form.focus)]
    if counted and not dated:
        return counted
    valued = [
        c for c in candidates if c.label in labels and (dated or not YEAR_RANGE.fullmatch(c.text))
    ]
    return valued or (candidates if dated else [])


def _is_code(text: str, focus: str) -> bool:
    """Say whether what is copied can be what is asked for: an address with "@", a version with a
    digit, a flag, a path or a name of none of these.
    """
    if focus in ADDRESSED:
        return ADDRESSED[focus] in text
    if focus in NUMBERED:
        return any(letter.isdigit() for letter in text) and "/" not in text and "@" not in text
    return "://" not in text and "@" not in text


def _counts(candidate: Candidate, focus: str) -> bool:
    """The candidate is a number of what is asked for: "71 years"."""
    own = {stem(focus), stem(focus + "s")}
    if candidate.label == "CARDINAL" and candidate.of and stem(candidate.of) in own:
        return bool(focus)  # "The number of hours is 12"
    words = candidate.key.replace("-", " ").split()
    return bool(focus) and len(words) > 1 and stem(words[-1]) in own


def _padded(key: str) -> str:
    """A key between spaces, without the marks that may follow a name in a sentence."""
    return f" {without_marks(key)} "


def _is_of_class(form: QuestionForm, candidate: Candidate, sentence: EvidenceSentence) -> bool:
    """Say whether what the span model marked can be of the classes asked for."""
    if not form.classes or "CODE" in form.classes:
        return True
    figures = any(map(str.isdigit, candidate.key))
    if not form.classes <= {"DATE", "NUMBER"}:
        if form.classes <= _WHO and _holds_a_clause(candidate, sentence):
            return False
        return is_of_size(form.focus, candidate.key) and (
            not figures or _has_own_number(form, candidate)
        )
    if candidate.implicit:
        return False  # the number of a proposal or a meeting
    tokens = sentence.parse.tokens[candidate.first : candidate.last]
    if not figures and not any(token.pos == "NUM" for token in tokens):  # "six months"
        return False
    focus = stem(form.focus)
    counted = _counted(sentence, candidate.first, candidate.last)
    if form.asks_how_many and len(counted) > 1 and focus in counted:
        return False  # "90 guests and 31" before "cars", of "how many cars"
    if form.asks_how_many and counted and focus not in counted:
        beside = _counted(sentence, 0, len(sentence.parse.tokens))
        if focus in beside:
            return False  # the "90" of them
    # "March 11, 1887 – December 31, 1980" is no date
    return not (form.classes == {"DATE"} and len(YEAR.findall(candidate.text)) > 1)


def _holds_a_clause(candidate: Candidate, sentence: EvidenceSentence) -> bool:
    """Say whether what was marked has a clause in it, "free time, you must ask your manager", other
    than one that describes somebody, "people who sail"."""
    own = range(candidate.first, candidate.last)
    tokens = sentence.parse.tokens
    return not candidate.implicit and any(
        tokens[i].dep in {"nsubj", "nsubjpass"}
        and tokens[i].pos == "PRON"
        and tokens[i].text.casefold() not in _RELATIVE
        and tokens[i].head in own
        for i in own
    )


def _counted(sentence: EvidenceSentence, first: int, last: int) -> set[str]:
    """Return the stems of the nouns that the numbers among tokens [first, last) count."""
    tokens = sentence.parse.tokens
    numbers = (i for i in range(first, last) if tokens[i].pos == "NUM")
    ends = (counted_up_to(sentence.parse, i + 1) for i in numbers)
    return {stem(tokens[end - 1].lemma) for end in ends if end}


def _has_own_number(form: QuestionForm, candidate: Candidate) -> bool:
    """Say whether a number in what was marked is part of what it is called, "bays 21 to 24",
    "Room 12", "14 Cooper's Yard", and it is neither a date nor a measure.
    """
    if candidate.holding in LABELS["DATE"] | MEASURES:
        return False
    first, *more = candidate.text.split()
    if "PLACE" in form.classes and first.isdigit():
        return bool(more) and more[0][:1].isupper()
    return first[:1].isupper() or (first[:1].isalpha() and "PERSON" not in form.classes)


def _other_end_of_life(form: QuestionForm, candidate: Candidate, view: EvidenceView) -> bool:
    """The date of death in the brackets after a name where birth is asked for, or the reverse."""
    wanted = "bear" if "bear" in form.words else "die" if "die" in form.words else ""
    if not wanted or candidate.label not in VALUE_LABELS:
        return False
    sentence = view.sentences[candidate.sentence]
    if sentence.position:
        return False
    birth, death = life_dates(sentence.parse.text)
    own, other = (birth, death) if wanted == "bear" else (death, birth)
    return candidate.text in other and candidate.text not in own
