"""What speaks for a candidate as the answer to a question: one number a reason.

Each feature lies between about -1 and 1, so that the scorer's weights can be read.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from clew.comprehension.annotation import AnnotatedSentence
from clew.comprehension.candidates import Candidate
from clew.comprehension.eligibility import Eligibility, called_by, classes_called
from clew.comprehension.evidence_view import EvidenceView
from clew.comprehension.lexicon import (
    CODE,
    DEFINITION,
    LABELS,
    VALUE_LABELS,
    WHOLE,
)
from clew.comprehension.marks import MARKED, holding
from clew.comprehension.question_form import QuestionForm
from clew.comprehension.stems import family
from clew.comprehension.tables.rows import told_in_a_row

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


def told_apart(odds: float) -> float:
    """Return a tenth of log-odds of the span model, of those that are told apart."""
    return min(max(odds, SPAN_RANGE[0]), SPAN_RANGE[1]) / 10


class Pool:
    """The candidates for one question, and their features.

    ``without`` and ``named``: as of Eligibility. What a table's row tells (rows) is the only one.
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
        self._eligible = Eligibility(form, view, without, named=named)
        self.form = form
        self.view = view
        self._cosines = [float(s.vector @ vector) for s in view.sentences]
        self._nearest = max(self._cosines, default=0.0)
        self._total = sum(view.weight(word) for word in form.words) or 1.0
        self._wanted = frozenset[str]().union(*map(family, form.words))
        self._known: dict[int, _SentenceFacts] = {}
        self._agreements: dict[tuple[str, str], tuple[float, float]] = {}
        told = told_in_a_row(form, view)
        if told is not None and (self._eligible.is_asked(told) or not view.offers(told)):
            told = None
        self.told = told is not None
        self.candidates = self._eligible.among(view.candidates) if told is None else [told]
        self._defines = any(candidate.label == DEFINITION for candidate in self.candidates)
        self._plain = self._rows(self.candidates)

    def features(self) -> NDArray[np.float64]:
        """Return [N, F]: each candidate's features, without those of the span model."""
        return self._plain

    def marked_features(self, passages: Sequence[int]) -> NDArray[np.float64]:
        """Return [N, F] with the span model's features; it reads ``passages`` only, and what it
        proposes there joins the candidates.
        """
        question, sentences, marks = self.form.read, self.view.sentences, self.view.marks
        marks.read([(question, passages)])
        known = {candidate.key for candidate in self.candidates}
        wholes = [c for c in self.candidates if c.label in WHOLE]
        new: dict[str, Candidate] = {}
        settled = self._defines or self.told
        proposed = () if settled else marks.candidates(question, sentences)
        for candidate in filter(self.view.offers, proposed):
            if any(whole.holds(candidate) for whole in wholes):
                continue  # the "12" of "12 weeks"
            if candidate.key not in known and self._eligible.allows(candidate):
                new.setdefault(candidate.key, candidate)
        kin = self._eligible.of_kin([*self.candidates, *new.values()])
        more = [candidate for candidate in new.values() if candidate in kin]
        self.candidates += more
        self._plain = np.concatenate([self._plain, self._rows(more)])
        scores = [marks.score(question, c, sentences) for c in self.candidates]
        best = max((score for score in scores if score is not None), default=0.0)
        rows = [
            UNREAD
            if score is None
            else (
                told_apart(score),
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
        read = {*passages, *view.marks.read_for(self.form.read)}
        described = any(self.form.kin & words for words in view.descriptions.values())
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
                names = {"", *(one.key for one in sentence.fields)}
                for label, name in product({MARKED, *holding(sentence.parse)}, names):
                    low.append([*self._columns(facts, label, _Stands(), name), *UNREAD])
                    high.append([*self._columns(facts, label, anyhow, name), *HIGHEST])
        if not low:
            return -math.inf
        most = np.maximum(np.array(low, np.float64) * weights, np.array(high, np.float64) * weights)
        return float(most.sum(axis=1).max())

    def _rows(self, candidates: Sequence[Candidate]) -> NDArray[np.float64]:
        """Return [N, F] the features of candidates."""
        rows = [self._row(candidate) for candidate in candidates]
        return np.array(rows, dtype=np.float64).reshape(len(rows), len(PLAIN))

    def _row(self, candidate: Candidate) -> list[float]:
        form, implicit, focus = self.form, candidate.implicit, self.form.focus
        facts = self._facts(candidate.sentence)
        if self.view.sentences[candidate.sentence].fields and not implicit:
            return self._columns(
                facts, _type(candidate), self._in_row(candidate, facts), candidate.field
            )
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
            described=bool(self.form.kin & self.view.descriptions.get(candidate.key, frozenset())),
            governed=place.governor in self.form.kin or place.governor in self.form.verbs,
            agrees=subject == form.asks_subject,
        )
        return self._columns(facts, _type(candidate), stands)

    def _in_row(self, candidate: Candidate, facts: "_SentenceFacts") -> "_Stands":
        """How a candidate stands in a line of fields, which has no grammar: what its field is
        called says what it is.
        """
        own = range(candidate.first, candidate.last)
        near = sum(w for i, w in facts.matched if i not in own) / 2
        asked = bool(self.form.kin & called_by(candidate.field))
        return _Stands(
            near=min(near / self._total, 1.0),
            told=asked,
            focus_near=asked,
            described=bool(self.form.kin & self.view.descriptions.get(candidate.key, frozenset())),
            governed=asked or bool(self.form.verbs & called_by(candidate.field)),
            agrees=True,
        )

    def _columns(
        self, facts: "_SentenceFacts", label: str, stands: "_Stands", field: str = ""
    ) -> list[float]:
        """Return PLAIN of what has a label and stands so in a sentence, in a field of a name."""
        agreement = self._agreements.get((label, field))
        if agreement is None:
            agreement = _class_agreement(self.form, label)
            called = classes_called(field)
            if called and self.form.classes:
                agrees = bool(called & self.form.classes)
                agreement = float(agrees), float(not agrees)
            self._agreements[label, field] = agreement
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
        tokens, stems = sentence.parse.tokens, list(enumerate(sentence.parse.stems))
        return _SentenceFacts(
            parse=sentence.parse,
            cosine=self._cosines[index],
            covered=view.covered(self.form.words, [index]),
            names=self._eligible.names_held(index),
            matched=[(i, view.weight(tokens[i].lemma)) for i, own in stems if own in self._wanted],
            kin=[i for i, own in stems if own in self.form.kin],
            has_verb=bool(self.form.verbs & view.lemmas[index]),
            rank=1 / (1 + sentence.chunk),
        )


def _type(candidate: Candidate) -> str:
    return candidate.holding or candidate.label


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
    if label in {"NAME", "TITLE", "NOUN", "QUOTED", CODE, MARKED}:
        return 0.0, float(form.classes <= {"DATE", "NUMBER"})
    return 0.0, 1.0
