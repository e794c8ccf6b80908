"""What speaks for a candidate as the answer to a question: one number a reason.

Each feature lies between about -1 and 1, so that the scorer's weights can be read.
"""

import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

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
        lemmas = tuple(frozenset(stem(t.lemma) for t in s.parse.tokens) for s in sentences)
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

    def weight(self, word: str) -> float:
        """Return the idf within the evidence of a word's stem, of the commonest in its family."""
        unknown = math.log(1 + len(self.sentences))
        return min(self.weights.get(own, unknown) for own in family(word))


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
        self._cosines = np.array([float(s.vector @ vector) for s in view.sentences])
        self._asked = [without_marks(name) for name in form.names]
        self._named = [_padded(key) for key in (normalise_name(form.text), *without)]
        self._facts: dict[int, _SentenceFacts] = {}
        pool: Sequence[Candidate] = _of_asked_values(form, view.candidates)
        pool = [candidate for candidate in pool if self._is_possible(candidate)]
        sized = [c for c in pool if c.label in VALUE_LABELS or is_of_size(form.focus, c.key)]
        self.candidates = sized or pool
        self._rows = [self._row(candidate) for candidate in self.candidates]

    def features(self) -> NDArray[np.float64]:
        """Return [N, F]: each candidate's features, without those of the span model."""
        return np.array(self._rows, dtype=np.float64).reshape(len(self._rows), len(PLAIN))

    def marked_features(self, passages: Sequence[int]) -> NDArray[np.float64]:
        """Return [N, F] with the span model's features; it reads ``passages`` only, and what it
        proposes there joins the candidates.
        """
        question, sentences, marks = self.form.text, self.view.sentences, self.view.marks
        marks.read([(question, passages)])
        known = {candidate.key for candidate in self.candidates}
        for candidate in marks.candidates(question, sentences):
            if candidate.key not in known and self._is_possible(candidate):
                known.add(candidate.key)
                self.candidates.append(candidate)
                self._rows.append(self._row(candidate))
        scores = [marks.score(question, c, sentences) for c in self.candidates]
        best = max((score for score in scores if score is not None), default=0.0)
        rows = [
            (UNREAD, -1.0, 0.0)
            if score is None
            else (
                float(np.clip(score, *SPAN_RANGE)) / 10,
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

    def _row(self, candidate: Candidate) -> list[float]:
        index = candidate.sentence
        if index not in self._facts:
            self._facts[index] = _SentenceFacts.of(self.form, self._asked, self.view, index)
        cosine = float(self._cosines[index])
        gap = cosine - float(self._cosines.max())
        return [cosine, gap, *_features(self.form, candidate, self._facts[index], self.view)]


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
    """What is the same for all candidates of a sentence."""

    covered: float
    names: float
    matched: tuple[int, ...]
    total: float
    has_verb: bool

    @classmethod
    def of(
        cls, form: QuestionForm, asked: Sequence[str], view: EvidenceView, index: int
    ) -> "_SentenceFacts":
        sentence = view.sentences[index]
        total = sum(view.weight(word) for word in form.words) or 1.0
        present = view.lemmas[index] | view.title_lemmas[index]
        covered = sum(view.weight(word) for word in form.words if family(word) & present) / total
        here = f" {sentence.key} {sentence.title_key} "
        hits = 0.0
        for name in asked:
            if f" {name} " in here:
                hits += 1
            elif f" {name.split()[-1]} " in here:
                hits += 0.5
        wanted = frozenset[str]().union(*map(family, form.words))
        tokens = sentence.parse.tokens
        matched = tuple(i for i, t in enumerate(tokens) if stem(t.lemma) in wanted)
        return cls(
            covered,
            hits / len(asked) if asked else 0.5,
            matched,
            total,
            bool(family(form.verb) & view.lemmas[index]),
        )


def _features(
    form: QuestionForm, candidate: Candidate, facts: _SentenceFacts, view: EvidenceView
) -> list[float]:
    parse = view.sentences[candidate.sentence].parse
    tokens = parse.tokens
    head = parse.phrase_head(candidate.first, candidate.last)
    distance = parse.distances(head)
    inside = range(candidate.first, candidate.last)
    near = sum(
        view.weight(tokens[i].lemma) / (1 + distance[i] / 2)
        for i in facts.matched
        if candidate.implicit or i not in inside
    )
    agrees, clashes = _class_agreement(form, candidate)
    words = set(candidate.key.split())
    focus = form.focus
    kin = family(focus) if focus else frozenset()
    asked = kin | (family(form.verb) if form.verb not in {"be", "do", ""} else frozenset())
    own = {tokens[i].lemma for i in inside} if not candidate.implicit else set()
    governor = tokens[tokens[head].head]
    subject = tokens[head].dep in {"nsubj", "nsubjpass"} or candidate.implicit
    if governor.pos == "ADP":
        subject = subject or governor.lemma == "by"
        governor = tokens[governor.head]
    if governor.pos == "AUX" and governor.lemma == "be" and form.verb == "be":
        subject = form.asks_subject
    return [
        agrees,
        clashes,
        float(candidate.label == "NOUN"),
        float(candidate.label == "NOUN" and not form.classes),
        float(candidate.implicit),
        facts.covered,
        min(near / facts.total, 1.0),
        facts.names,
        float(facts.names == 0),
        float(bool(focus) and (focus in words or focus in own)),
        float(
            bool(focus)
            and not candidate.implicit
            and any(
                distance[i] <= 2 and i not in inside and stem(token.lemma) in kin
                for i, token in enumerate(tokens)
            )
        ),
        float(bool(kin & view.descriptions.get(candidate.key, frozenset()))),
        float(stem(governor.lemma) in asked),
        float(facts.has_verb and form.verb not in {"be", "do", ""}),
        float(subject == form.asks_subject),
        1 / (1 + view.sentences[candidate.sentence].chunk),
    ]


def _other_end_of_life(form: QuestionForm, candidate: Candidate, view: EvidenceView) -> bool:
    """The date of death in the brackets after a name where birth is asked for, or the reverse."""
    wanted = "bear" if "bear" in form.words else "die" if "die" in form.words else ""
    sentence = view.sentences[candidate.sentence]
    if not wanted or sentence.position or candidate.label not in VALUE_LABELS:
        return False
    found = LIFESPAN.search(sentence.parse.text)
    if found is None or candidate.text not in found.group():
        return False
    birth, death = found.groups()
    return candidate.text not in ((birth if wanted == "bear" else death) or "")


def _class_agreement(form: QuestionForm, candidate: Candidate) -> tuple[float, float]:
    """Return whether a candidate is of a class that is asked for, and whether it cannot be."""
    if not form.classes:
        return 0.0, float(candidate.label in VALUE_LABELS)
    labels = frozenset[str]().union(*(LABELS[name] for name in form.classes))
    if form.classes == {"PLACE"} and LIVES & set(form.words):
        labels = labels - {"FAC"}
    if candidate.label in labels:
        return 1.0, 0.0
    if candidate.label in {"NAME", "TITLE", "NOUN", "QUOTED", MARKED}:
        return 0.0, float(form.classes <= {"DATE", "NUMBER"})
    return 0.0, 1.0
