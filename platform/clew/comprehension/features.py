"""What speaks for a candidate as the answer to a question: one number a reason.

Each feature lies between about -1 and 1, so that the scorer's weights can be read.
"""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from clew.comprehension.annotation import AnnotatedSentence
from clew.comprehension.candidates import YEAR, Candidate, without_marks
from clew.comprehension.evidence_view import EvidenceView
from clew.comprehension.lexicon import (
    DEFINITION,
    LABELS,
    MEASURES,
    VALUE_LABELS,
    WHOLE,
    is_of_size,
)
from clew.comprehension.marks import MARKED, holding
from clew.comprehension.question_form import QuestionForm
from clew.comprehension.stems import family, stem
from clew_ingest.parsing.entity_names import normalise_name, without_honorifics

PLAIN = (
    "cosine",
    "cosine_gap",
    "class_agrees",
    "class_clashes",
    "noun_phrase",
    "noun_phrase_open",
    "implicit_title",
    "words_covered",
    "words_near",
    "names_covered",
    "name_missing",
    "focus_in_text",
    "focus_near",
    "focus_described",
    "verb_governs",
    "verb_in_sentence",
    "subject_agrees",
    "chunk_rank",
)
MARKS = ("span", "span_gap", "marked")
FEATURES = (*PLAIN, *MARKS)
"""Those of the words, and those of the span model."""

SPAN_RANGE = (-15.0, 10.0)
"""Log-odds of the span model that are told apart."""
UNREAD, HIGHEST = (-1.5, -1.0, 0.0), (1.0, 0.0, 1.0)
"""MARKS of a candidate in a passage that was not read, the lowest there are, and the highest."""


LIVES = frozenset({"bear", "die", "live", "come"})
"""What people do in towns and countries, not in buildings."""

YEAR_RANGE = re.compile(r"[12]\d{3}(?:\s*[–-]\s*\d{2,4})?")
LIFESPAN = re.compile(r"\((?:born\s+)?([^()–-]*?\d{4})(?:\s*[–-]?\s*([^()]*\d{4}))?[^()]*\)")
"""The dates in brackets after a person's name; some texts have lost the dash between them."""


class Pool:
    """The candidates for one question, and their features.

    ``without``: keys of further texts that name what is no answer. Where numbers are asked for, or
    dates, and there are any, nothing else is a candidate, and no value where names are.
    ``named``: the answer takes the place of a description, so that another one is of no use.
    """

    def __init__(
        self,
        form: QuestionForm,
        vector: NDArray[np.float32],
        view: EvidenceView,
        without: Sequence[str] = (),
        *,
        named: bool = False,
    ) -> None:
        self._only_named = named
        candidates = _defining(form, view.candidates)
        self._defines = any(candidate.label == DEFINITION for candidate in candidates)
        self.form = form
        self.view = view
        self._cosines = [float(s.vector @ vector) for s in view.sentences]
        self._nearest = max(self._cosines, default=0.0)
        self._asked = [without_marks(name) for name in form.names]
        self._named = [_padded(key) for key in (normalise_name(form.text), *without)]
        self._total = sum(view.weight(word) for word in form.words) or 1.0
        self._wanted = frozenset[str]().union(*map(family, form.words))
        self._kin = family(form.focus) if form.focus else frozenset()
        self._verbs = family(form.verb) if form.verb not in {"be", "do", ""} else frozenset()
        self._known: dict[int, _SentenceFacts] = {}
        self._agreements: dict[str, tuple[float, float]] = {}
        pool: Sequence[Candidate] = _of_asked_values(form, candidates)
        pool = [candidate for candidate in pool if self._is_possible(candidate)]
        sized = [c for c in pool if c.label in VALUE_LABELS or is_of_size(form.focus, c.key)]
        self.candidates = sized or pool
        self._plain = self._rows(self.candidates)

    def features(self) -> NDArray[np.float64]:
        """Return [N, F]: each candidate's features, without those of the span model."""
        return self._plain

    def marked_features(self, passages: Sequence[int]) -> NDArray[np.float64]:
        """Return [N, F] with the span model's features; it reads ``passages`` only, and what it
        proposes there joins the candidates.
        """
        question, sentences, marks = self.form.text, self.view.sentences, self.view.marks
        marks.read([(question, passages)])
        known = {candidate.key for candidate in self.candidates}
        wholes = [c for c in self.candidates if c.label in WHOLE]
        new: dict[str, Candidate] = {}
        for candidate in () if self._defines else marks.candidates(question, sentences):
            if any(whole.holds(candidate) for whole in wholes):
                continue  # the "12" of "12 weeks"
            if candidate.key not in known and self._is_possible(candidate):
                new.setdefault(candidate.key, candidate)
        self.candidates += new.values()
        self._plain = np.concatenate([self._plain, self._rows(list(new.values()))])
        scores = [marks.score(question, c, sentences) for c in self.candidates]
        best = max((score for score in scores if score is not None), default=0.0)
        rows = [
            UNREAD
            if score is None
            else (
                min(max(score, SPAN_RANGE[0]), SPAN_RANGE[1]) / 10,
                max(score - best, -10.0) / 10,
                float(candidate.label == MARKED),
            )
            for score, candidate in zip(scores, self.candidates, strict=True)
        ]
        marked = np.array(rows, dtype=np.float64).reshape(len(rows), len(MARKS))
        return np.concatenate([self.features(), marked], axis=1)

    def ceiling(self, passages: Sequence[int], weights: NDArray[np.float64]) -> float:
        """Return the score, by ``weights`` [F], that no candidate can exceed, whatever the span
        model makes of ``passages``.
        """
        view, low, high = self.view, [], []
        read = {*passages, *view.marks.read_for(self.form.text)}
        described = any(self._kin & words for words in view.descriptions.values())
        for candidate, plain in zip(self.candidates, self._plain.tolist(), strict=True):
            is_read = view.sentences[candidate.sentence].chunk in read
            low.append([*plain, *UNREAD])
            high.append([*plain, *(HIGHEST if is_read else UNREAD)])
        for index, sentence in enumerate(view.sentences):
            if sentence.chunk in read:  # the span model may propose what stands there, anyhow
                facts = self._facts(index)
                anyhow = _Stands(
                    implicit=True,
                    near=min(sum(weight for _, weight in facts.matched) / self._total, 1.0),
                    told=bool(self.form.focus),
                    focus_near=bool(facts.kin),
                    described=described,
                    governed=bool(facts.kin) or facts.has_verb,
                    agrees=True,
                )
                for label in {MARKED, *holding(sentence.parse)}:
                    low.append([*self._columns(facts, label, _Stands()), *UNREAD])
                    high.append([*self._columns(facts, label, anyhow), *HIGHEST])
        if not low:
            return -math.inf
        most = np.maximum(np.array(low, np.float64) * weights, np.array(high, np.float64) * weights)
        return float(most.sum(axis=1).max())

    def _is_possible(self, candidate: Candidate) -> bool:
        bare = without_honorifics(candidate.text)
        keys = [candidate.key] if bare == candidate.text else [candidate.key, normalise_name(bare)]
        if any(f" {key} " in text for key in keys for text in self._named):
            return False
        if self.form.defined and f" {self.form.defined} " in f" {candidate.key} ":
            return False  # "GSA Touchpoints" says nothing of what Touchpoints is
        if self._only_named and not any(c.isupper() or c.isdigit() for c in candidate.text):
            return False
        if self.form.measures and candidate.holding in MEASURES - self.form.measures:
            return False
        if candidate.label == MARKED and self.form.classes:
            value = self.form.classes <= {"DATE", "NUMBER"}
            if value != any(letter.isdigit() for letter in candidate.key):
                return False
            if not value and not is_of_size(self.form.focus, candidate.key):
                return False
            if self.form.classes == {"DATE"} and len(YEAR.findall(candidate.text)) > 1:
                return False  # "March 11, 1887 – December 31, 1980" is no date
        return not _other_end_of_life(self.form, candidate, self.view)

    def _rows(self, candidates: Sequence[Candidate]) -> NDArray[np.float64]:
        """Return [N, F] the features of candidates."""
        rows = [self._row(candidate) for candidate in candidates]
        return np.array(rows, dtype=np.float64).reshape(len(rows), len(PLAIN))

    def _row(self, candidate: Candidate) -> list[float]:
        form, implicit, focus = self.form, candidate.implicit, self.form.focus
        facts = self._facts(candidate.sentence)
        place = facts.parse.place(candidate.first, candidate.last)
        own = range(0) if implicit else range(candidate.first, candidate.last)
        near = [w / (1 + place.distances[i] / 2) for i, w in facts.matched if i not in own]
        beside = [i for i in facts.kin if place.distances[i] <= 2 and i not in own]
        told = focus in candidate.key.split() or (not implicit and focus in place.lemmas)
        subject = place.subject or implicit
        if place.of_be and form.verb == "be":
            subject = form.asks_subject
        stands = _Stands(
            implicit=implicit,
            near=min(sum(near) / self._total, 1.0),
            told=bool(focus) and told,
            focus_near=not implicit and bool(beside),
            described=bool(self._kin & self.view.descriptions.get(candidate.key, frozenset())),
            governed=place.governor in self._kin or place.governor in self._verbs,
            agrees=subject == form.asks_subject,
        )
        return self._columns(facts, candidate.holding or candidate.label, stands)

    def _columns(self, facts: "_SentenceFacts", label: str, stands: "_Stands") -> list[float]:
        """Return PLAIN of what has a label and stands so in a sentence."""
        agreement = self._agreements.get(label)
        if agreement is None:
            agreement = self._agreements[label] = _class_agreement(self.form, label)
        noun = label in {"NOUN", DEFINITION}
        return [
            facts.cosine,
            facts.cosine - self._nearest,
            *agreement,
            noun,
            noun and not self.form.classes,
            stands.implicit,
            facts.covered,
            stands.near,
            facts.names,
            facts.names == 0,
            stands.told,
            stands.focus_near,
            stands.described,
            stands.governed,
            facts.has_verb,
            stands.agrees,
            facts.rank,
        ]

    def _facts(self, index: int) -> "_SentenceFacts":
        found = self._known.get(index)
        if found is None:
            found = self._known[index] = self._facts_of(index)
        return found

    def _facts_of(self, index: int) -> "_SentenceFacts":
        view, sentence = self.view, self.view.sentences[index]
        here = f" {sentence.key} {sentence.context_key} "
        hits = 0.0
        for name in self._asked:
            if f" {name} " in here:
                hits += 1
            elif f" {name.split()[-1]} " in here:
                hits += 0.5
        tokens, stems = sentence.parse.tokens, list(enumerate(sentence.parse.stems))
        return _SentenceFacts(
            parse=sentence.parse,
            cosine=self._cosines[index],
            covered=view.covered(self.form.words, [index]),
            names=hits / len(self._asked) if self._asked else 0.5,
            matched=[(i, view.weight(tokens[i].lemma)) for i, own in stems if own in self._wanted],
            kin=[i for i, own in stems if own in self._kin],
            has_verb=bool(self._verbs & view.lemmas[index]),
            rank=1 / (1 + sentence.chunk),
        )


def _padded(key: str) -> str:
    """A key between spaces, without the marks that may follow a name in a sentence."""
    return f" {without_marks(key)} "


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
    if not form.classes & {"DATE", "NUMBER"}:
        if not form.classes:
            return candidates
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


def _counts(candidate: Candidate, focus: str) -> bool:
    """The candidate is a number of what is asked for: "71 years"."""
    words = candidate.key.replace("-", " ").split()
    return bool(focus) and len(words) > 1 and stem(words[-1]) in {stem(focus), stem(focus + "s")}


@dataclass(frozen=True)
class _SentenceFacts:
    """What is the same for all candidates of a sentence.

    ``matched``: its words that the question has, and what they weigh; ``kin``: those of the family
    of what is asked for. ``rank``: of its passage.
    """

    parse: AnnotatedSentence
    cosine: float
    covered: float
    names: float
    matched: list[tuple[int, float]]
    kin: list[int]
    has_verb: bool
    rank: float


class _Stands(NamedTuple):
    """What is a candidate's own: see the last lines of PLAIN."""

    implicit: bool = False
    near: float = 0.0
    told: bool = False
    focus_near: bool = False
    described: bool = False
    governed: bool = False
    agrees: bool = False


def _other_end_of_life(form: QuestionForm, candidate: Candidate, view: EvidenceView) -> bool:
    """The date of death in the brackets after a name where birth is asked for, or the reverse."""
    wanted = "bear" if "bear" in form.words else "die" if "die" in form.words else ""
    if not wanted or candidate.label not in VALUE_LABELS:
        return False
    sentence = view.sentences[candidate.sentence]
    if sentence.position:
        return False
    found = LIFESPAN.search(sentence.parse.text)
    if found is None or candidate.text not in found.group():
        return False
    birth, death = found.groups()
    return candidate.text not in ((birth if wanted == "bear" else death) or "")


def _class_agreement(form: QuestionForm, label: str) -> tuple[float, float]:
    """Return whether what has a label is of a class that is asked for, and whether it cannot be."""
    if label == DEFINITION:
        return 1.0, 0.0  # it is among the candidates where it is asked for
    if not form.classes:
        return 0.0, float(label in VALUE_LABELS)
    labels = frozenset[str]().union(*(LABELS[name] for name in form.classes))
    if form.classes == {"PLACE"} and LIVES & set(form.words):
        labels = labels - {"FAC"}
    if label in labels:
        return float(not form.measures or label in form.measures), 0.0
    if label in {"NAME", "TITLE", "NOUN", "QUOTED", MARKED}:
        return 0.0, float(form.classes <= {"DATE", "NUMBER"})
    return 0.0, 1.0
