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

from clew.answering.candidates import Candidate, EvidenceSentence, without_marks
from clew.answering.lexicon import LABELS, SPANS_OF_TIME, VALUE_LABELS, place_size
from clew.answering.question import QuestionForm
from clew.answering.stems import family, stem
from clew_ingest.entities import normalise_name

FEATURES = (
    "cosine",
    "cosine_gap",
    "class_agrees",
    "class_clashes",
    "class_unknown",
    "noun_phrase",
    "noun_phrase_open",
    "person_open",
    "title",
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
    "place_size",
    "place_preposition",
    "length",
    "chunk_rank",
    "mentions",
)


LIVES = frozenset({"bear", "die", "live", "come"})
"""What people do in towns and countries, not in buildings."""

YEAR_RANGE = re.compile(r"[12]\d{3}(?:\s*[–-]\s*\d{2,4})?")
LIFESPAN = re.compile(r"\((?:born\s+)?([^()–-]*\d{4})(?:\s*[–-]\s*([^()]*\d{4}))?[^()]*\)")
"""The dates in brackets after a person's name."""


@dataclass(frozen=True)
class EvidenceView:
    """The evidence's sentences, candidates and word weights, made once for a question."""

    sentences: tuple[EvidenceSentence, ...]
    candidates: tuple[Candidate, ...]
    lemmas: tuple[frozenset[str], ...]
    title_lemmas: tuple[frozenset[str], ...]
    descriptions: dict[str, frozenset[str]]
    weights: dict[str, float]
    mentions: dict[str, int]

    @classmethod
    def of(
        cls, sentences: Sequence[EvidenceSentence], candidates: Sequence[Candidate]
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
        chunks: dict[str, set[int]] = {}
        for candidate in candidates:
            chunks.setdefault(candidate.key, set()).add(sentences[candidate.sentence].chunk)
        mentions = {key: len(found) for key, found in chunks.items()}
        return cls(
            tuple(sentences), tuple(candidates), lemmas, titles, descriptions, weights, mentions
        )

    def weight(self, word: str) -> float:
        """Return the idf within the evidence of a word's stem, of the commonest in its family."""
        unknown = math.log(1 + len(self.sentences))
        return min(self.weights.get(own, unknown) for own in family(word))


def feature_matrix(
    form: QuestionForm,
    vector: NDArray[np.float32],
    view: EvidenceView,
    *,
    without: Sequence[str] = (),
) -> tuple[list[Candidate], NDArray[np.float64]]:
    """Return the candidates the question does not name itself, and their features [N, F].

    ``without``: keys of further texts that name what is no answer. Where values (dates, numbers)
    are asked for, and there are any, nothing else is a candidate, and no value where names are.
    """
    cosines = np.array([float(sentence.vector @ vector) for sentence in view.sentences])
    best = float(cosines.max()) if len(cosines) else 0.0
    asked = [without_marks(name) for name in form.names]
    named = [_padded(key) for key in (normalise_name(form.text), *without)]
    pool = [
        candidate
        for candidate in _of_asked_values(form, view.candidates)
        if not _other_end_of_life(form, candidate, view)
    ]
    rows: list[list[float]] = []
    kept: list[Candidate] = []
    by_sentence: dict[int, _SentenceFacts] = {}
    for candidate in pool:
        if any(f" {candidate.key} " in text for text in named):
            continue
        facts = by_sentence.get(candidate.sentence)
        if facts is None:
            facts = _SentenceFacts.of(form, asked, view, candidate.sentence)
            by_sentence[candidate.sentence] = facts
        rows.append(
            [
                float(cosines[candidate.sentence]),
                float(cosines[candidate.sentence]) - best,
                *_features(form, candidate, facts, view),
            ]
        )
        kept.append(candidate)
    return kept, np.array(rows, dtype=np.float64).reshape(len(rows), len(FEATURES))


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
    agrees, clashes, unknown = _class_agreement(form, candidate, view)
    words = set(candidate.key.split())
    focus = form.focus
    kin = family(focus) if focus else frozenset()
    asked = kin | (family(form.verb) if form.verb not in {"be", "do", ""} else frozenset())
    own = {tokens[i].lemma for i in inside} if not candidate.implicit else set()
    governor = tokens[tokens[head].head]
    if governor.pos == "ADP":
        preposition = governor.lemma
        governor = tokens[governor.head]
    else:
        preposition = ""
    subject = tokens[head].dep in {"nsubj", "nsubjpass"} or candidate.implicit
    if preposition == "by":
        subject = True
    if governor.pos == "AUX" and governor.lemma == "be" and form.verb == "be":
        subject = form.asks_subject
    return [
        agrees,
        clashes,
        unknown,
        float(candidate.label == "NOUN"),
        float(candidate.label == "NOUN" and not form.classes),
        float(candidate.label == "PERSON" and not form.classes and bool(form.focus)),
        float(candidate.key in view.descriptions),
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
        place_size(focus, candidate.key),
        float("PLACE" in form.classes and preposition in {"in", "at", "from", "to", "near"}),
        min(len(words), 8) / 8,
        1 / (1 + view.sentences[candidate.sentence].chunk),
        min(view.mentions[candidate.key] - 1, 3) / 3,
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


def _class_agreement(
    form: QuestionForm, candidate: Candidate, view: EvidenceView
) -> tuple[float, float, float]:
    if not form.classes:
        return 0.0, float(candidate.label in VALUE_LABELS), 1.0
    labels = frozenset[str]().union(*(LABELS[name] for name in form.classes))
    if form.classes == {"PLACE"} and LIVES & set(form.words):
        labels = labels - {"FAC"}
    if candidate.label in labels:
        return 1.0, 0.0, 0.0
    if candidate.label in {"NAME", "TITLE", "NOUN", "QUOTED"}:
        value = form.classes <= {"DATE", "NUMBER"}
        return 0.0, float(value), 0.0
    return 0.0, 1.0, 0.0
