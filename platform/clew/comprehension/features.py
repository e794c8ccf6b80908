"""What speaks for a candidate as the answer to a question: one number a reason.

Each feature lies between about -1 and 1, so that the scorer's weights can be read.
"""

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from clew.comprehension.candidates import YEAR, Candidate, EvidenceSentence, without_marks
from clew.comprehension.lexicon import LABELS, SPANS_OF_TIME, VALUE_LABELS, is_of_size
from clew.comprehension.marks import MARKED, Marks
from clew.comprehension.question_form import QuestionForm
from clew.comprehension.stems import family, stem
from clew_ingest.parsing.entity_names import normalise_name

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
UNREAD = -1.5
"""Log-odds of the span model that are told apart, and a tenth of those of an unread passage."""


LIVES = frozenset({"bear", "die", "live", "come"})
"""What people do in towns and countries, not in buildings."""

YEAR_RANGE = re.compile(r"[12]\d{3}(?:\s*[–-]\s*\d{2,4})?")
LIFESPAN = re.compile(r"\((?:born\s+)?([^()–-]*?\d{4})(?:\s*[–-]?\s*([^()]*\d{4}))?[^()]*\)")
"""The dates in brackets after a person's name; some texts have lost the dash between them."""


@dataclass(frozen=True)
class EvidenceView:
    """The evidence's sentences, candidates and word weights, made once for a question."""

    sentences: tuple[EvidenceSentence, ...]
    candidates: tuple[Candidate, ...]
    lemmas: tuple[frozenset[str], ...]
    title_lemmas: tuple[frozenset[str], ...]
    descriptions: dict[str, frozenset[str]]
    weights: dict[str, float]
    marks: Marks

    @classmethod
    def of(
        cls,
        sentences: Sequence[EvidenceSentence],
        candidates: Sequence[Candidate],
        marks: Marks,
    ) -> "EvidenceView":
        """Count words, and what each document's first sentence calls its subject."""
        lemmas = tuple(frozenset(s.parse.stems) for s in sentences)
        titles = tuple(frozenset(map(stem, s.title_key.split())) for s in sentences)
        counts = Counter(lemma for words in lemmas for lemma in words)
        weights = {w: math.log(1 + len(sentences) / n) for w, n in counts.items()}
        descriptions: dict[str, frozenset[str]] = {}
        for sentence, words in zip(sentences, lemmas, strict=True):
            if sentence.position == 0:
                descriptions.setdefault(sentence.title_key, words)
        return cls(
            tuple(sentences),
            tuple(candidates),
            lemmas,
            titles,
            descriptions,
            weights,
            marks,
        )

    @cached_property
    def _weighed(self) -> dict[str, float]:
        return {}

    def weight(self, word: str) -> float:
        """Return the idf within the evidence of a word's stem, of the commonest in its family."""
        found = self._weighed.get(word)
        if found is None:
            unknown = math.log(1 + len(self.sentences))
            found = min(self.weights.get(own, unknown) for own in family(word))
            self._weighed[word] = found
        return found

    def covered(self, words: Sequence[str], sentences: Iterable[int]) -> float:
        """Return the share of words, by weight, that the sentences with their titles hold."""
        present = frozenset[str]().union(
            *(self.lemmas[i] | self.title_lemmas[i] for i in sentences)
        )
        total = sum(self.weight(word) for word in words)
        held = sum(self.weight(word) for word in words if family(word) & present)
        return held / total if total else 0.0


class Pool:
    """The candidates for one question, and their features.

    ``without``: keys of further texts that name what is no answer. Where values (dates, numbers)
    are asked for, and there are any, nothing else is a candidate, and no value where names are.
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
        self._facts: dict[int, _SentenceFacts] = {}
        self._agreements: dict[str, tuple[float, float]] = {}
        pool: Sequence[Candidate] = _of_asked_values(form, view.candidates)
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
        new: dict[str, Candidate] = {}
        for candidate in marks.candidates(question, sentences):
            if candidate.key not in known and self._is_possible(candidate):
                new.setdefault(candidate.key, candidate)
        self.candidates += new.values()
        self._plain = np.concatenate([self._plain, self._rows(list(new.values()))])
        scores = [marks.score(question, c, sentences) for c in self.candidates]
        best = max((score for score in scores if score is not None), default=0.0)
        rows = [
            (UNREAD, -1.0, 0.0)
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

    def _is_possible(self, candidate: Candidate) -> bool:
        if any(f" {candidate.key} " in text for text in self._named):
            return False
        if self._only_named and not any(c.isupper() or c.isdigit() for c in candidate.text):
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
        form, implicit, inside = self.form, candidate.implicit, range(candidate.first, candidate.last)
        facts = self._facts.get(candidate.sentence)
        if facts is None:
            facts = self._facts[candidate.sentence] = self._facts_of(candidate.sentence)
        agreement = self._agreements.get(candidate.label)
        if agreement is None:
            agreement = self._agreements[candidate.label] = _class_agreement(form, candidate.label)
        parse = self.view.sentences[candidate.sentence].parse
        place = parse.place(candidate.first, candidate.last)
        near = sum(
            [
                weight / (1 + place.distances[i] / 2)
                for i, weight in facts.matched
                if implicit or i not in inside
            ]
        )
        focus_near = not implicit and any(
            place.distances[i] <= 2 and i not in inside for i in facts.kin
        )
        subject = place.subject or implicit
        if place.of_be and form.verb == "be":
            subject = form.asks_subject
        noun = candidate.label == "NOUN"
        told = form.focus in candidate.key.split() or (not implicit and form.focus in place.lemmas)
        return [
            facts.cosine,
            facts.cosine - self._nearest,
            *agreement,
            noun,
            noun and not form.classes,
            implicit,
            facts.covered,
            min(near / self._total, 1.0),
            facts.names,
            facts.names == 0,
            bool(form.focus) and told,
            focus_near,
            bool(self._kin & self.view.descriptions.get(candidate.key, frozenset())),
            place.governor in self._kin or place.governor in self._verbs,
            facts.has_verb,
            subject == form.asks_subject,
            facts.rank,
        ]

    def _facts_of(self, index: int) -> "_SentenceFacts":
        view, sentence = self.view, self.view.sentences[index]
        here = f" {sentence.key} {sentence.title_key} "
        hits = 0.0
        for name in self._asked:
            if f" {name} " in here:
                hits += 1
            elif f" {name.split()[-1]} " in here:
                hits += 0.5
        tokens = sentence.parse.tokens
        stems = list(enumerate(sentence.parse.stems))
        return _SentenceFacts(
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
    dated = "DATE" in form.classes
    if form.focus in SPANS_OF_TIME and not dated:
        labels |= LABELS["DATE"]
    counted = [c for c in candidates if c.label in labels and _counts(c, form.focus)]
    if counted and not dated:
        return counted
    return [
        c for c in candidates if c.label in labels and (dated or not YEAR_RANGE.fullmatch(c.text))
    ] or candidates


def _counts(candidate: Candidate, focus: str) -> bool:
    """The candidate is a number of what is asked for: "71 years"."""
    words = candidate.key.split()
    return bool(focus) and len(words) > 1 and stem(words[-1]) in {stem(focus), stem(focus + "s")}


@dataclass(frozen=True)
class _SentenceFacts:
    """What is the same for all candidates of a sentence.

    ``matched``: its words that the question has, and what they weigh; ``kin``: those of the family
    of what is asked for. ``rank``: of its passage.
    """

    cosine: float
    covered: float
    names: float
    matched: list[tuple[int, float]]
    kin: list[int]
    has_verb: bool
    rank: float


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
    if not form.classes:
        return 0.0, float(label in VALUE_LABELS)
    labels = frozenset[str]().union(*(LABELS[name] for name in form.classes))
    if form.classes == {"PLACE"} and LIVES & set(form.words):
        labels = labels - {"FAC"}
    if label in labels:
        return 1.0, 0.0
    if label in {"NAME", "TITLE", "NOUN", "QUOTED", MARKED}:
        return 0.0, float(form.classes <= {"DATE", "NUMBER"})
    return 0.0, 1.0
