"""Questions that compare two things they name: "which of A or B", "are both …", "the same …"."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from clew.comprehension.candidates import YEAR
from clew.comprehension.evidence_view import EvidenceView
from clew.comprehension.lexicon import BASE_FORMS, LEAST_DATE, LEAST_NUMBER, MOST_DATE, MOST_NUMBER
from clew.comprehension.question_form import QuestionForm, understand
from clew.comprehension.read_evidence import ReadEvidence
from clew.comprehension.scorer import Asked, Scored, rank_candidates
from clew.comprehension.stems import family
from clew_ingest.parsing.entity_names import normalise_name

SAME = re.compile(r"\bsame ([\w ]+?)\s*(?:\?|$|as\b|for\b|of\b)", re.IGNORECASE)
ORDER = re.compile(r"\b(before|after|(?:earlier|later|older|younger)(?= than\b))", re.IGNORECASE)
NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?")


@dataclass(frozen=True)
class Compared:
    """The outcome: the answer, how clear it is in [0, 1], the sentences and the steps.

    ``told``: how much the evidence is about the side that it is least about, see :class:`Side`.
    """

    short: str
    score: float
    carriers: tuple[int, ...]
    steps: tuple[dict[str, Any], ...]
    told: float = 0.0


@dataclass(frozen=True)
class Side:
    """One of the compared things: its name and the sentences of the evidence about it.

    ``told``: 1 where a passage has its name for a title, 0.5 where a title holds the name or the
    name holds a title, 0 where sentences mention it.
    """

    name: str
    key: str
    sentences: tuple[int, ...]
    told: float


def compare(form: QuestionForm, read: ReadEvidence) -> Compared | None:
    """Return the answer to a choice or yes/no question; None where no two things are found."""
    view = read.view
    names = _options(form.text) if form.kind == "choice" else ()
    sides = [side for name in names if (side := _side(name, view))]
    if len(sides) < 2:
        sides = _named_sides(form, view)
    if len(sides) < 2:
        return None
    sides = sides[:2]
    found = _choice(form, sides, read) if form.kind == "choice" else _yes_no(form, sides, read)
    return replace(found, told=min(side.told for side in sides))


def _options(question: str) -> tuple[str, ...]:
    found = re.search(r"^(.*)\bor\b(.*)$", question.rstrip(" ?"), re.IGNORECASE)
    if found is None:
        return ()
    left = re.split(r"[,:]|\bbetween\b|\b[Ff]irst\b|\bformed\b", found.group(1).strip(" ,"))[-1]
    return left.strip(), re.split(r",", found.group(2))[0].strip()


def _side(name: str, view: EvidenceView) -> Side | None:
    key = normalise_name(name)
    if not key:
        return None
    titles = {sentence.title_key for sentence in view.sentences}
    exact = [title for title in titles if title == key]
    close = exact or sorted(
        (t for t in titles if f" {t} " in f" {key} " or f" {key} " in f" {t} "), key=len
    )
    if close:
        title = close[-1]
        about = tuple(i for i, s in enumerate(view.sentences) if s.title_key == title)
    else:
        about = tuple(i for i, s in enumerate(view.sentences) if f" {key} " in f" {s.key} ")
    told = 1.0 if exact else 0.5 if close else 0.0
    return Side(name, key, about, told) if about else None


def _named_sides(form: QuestionForm, view: EvidenceView) -> list[Side]:
    question = f" {normalise_name(form.text.replace('?', ' ').replace(',', ' '))} "
    places: dict[str, int] = {}
    for sentence in view.sentences:
        at = question.find(f" {sentence.title_key} ")
        if at >= 0 and sentence.title_key:
            places[sentence.title_key] = at
    for name in form.names:
        at = question.find(f" {name} ")
        if at >= 0 and not any(name in title or title in name for title in places):
            places[name] = at
    names = sorted(places, key=lambda name: places[name])
    return [side for name in names if (side := _side(name, view))]


def _choice(
    form: QuestionForm,
    sides: Sequence[Side],
    read: ReadEvidence,
) -> Compared:
    words = set(re.findall(r"[a-z]+", form.text.casefold()))
    dated = bool(words & (LEAST_DATE | MOST_DATE))
    least = bool(words & (LEAST_DATE if dated else LEAST_NUMBER))
    if dated or least or words & MOST_NUMBER:
        values = [_value(form, side, read, dated) for side in sides]
        if all(value is not None for value in values):
            numbers = [value[0] for value in values if value]
            if numbers[0] != numbers[1]:
                best = min if least else max
                at = numbers.index(best(numbers))
                carriers = tuple(value[1] for value in values if value)
                steps = tuple(
                    {"asked": side.name, "found": f"{number:g}"}
                    for side, number in zip(sides, numbers, strict=True)
                )
                return Compared(sides[at].name, 1.0, carriers, steps)
    return _closest(form, sides, read)


def _closest(form: QuestionForm, sides: Sequence[Side], read: ReadEvidence) -> Compared:
    """The side whose sentences say most of what the question asks."""
    view = read.view
    vector = read.embedded([form.text])[0]
    scores, carriers = [], []
    for side in sides:
        own = set(side.key.split())
        rated = [
            (
                sum(
                    view.weight(w)
                    for w in form.words
                    if family(w) & view.lemmas[i] and w not in own
                )
                + float(view.sentences[i].vector @ vector),
                -i,
            )
            for i in side.sentences
        ]
        scores.append(max(rated)[0])
        carriers.append(-max(rated)[1])
    at = scores.index(max(scores))
    steps = tuple(
        {"asked": side.name, "found": round(score, 2)}
        for side, score in zip(sides, scores, strict=True)
    )
    return Compared(sides[at].name, 0.3, tuple(carriers), steps)


def _value(
    form: QuestionForm,
    side: Side,
    read: ReadEvidence,
    dated: bool,
) -> tuple[float, int] | None:
    """The year or number that the evidence gives for a side, and the sentence it stands in."""
    view = read.view
    if dated and form.verb in {"bear", "be"} and "PERSON" in form.classes:
        for index in side.sentences:
            if view.sentences[index].position == 0 and (
                year := YEAR.search(view.sentences[index].parse.text)
            ):
                return float(year.group()), index
    text = f"When was {side.name} {_predicate(form)}?" if dated else _how(form, side)
    asked = understand(read.parsed([text])[0][0])
    asked = replace(
        asked,
        classes=frozenset({"DATE"} if dated else {"NUMBER"}),
        words=form.words,
        verb=form.verb,
    )
    part = _restricted(view, side.sentences)
    vector = read.embedded([text])[0]
    for found in rank_candidates([Asked(asked, vector)], part, 20)[0]:
        pattern = YEAR if dated else NUMBER
        value = pattern.search(found.candidate.text)
        if value and (dated or not YEAR.fullmatch(value.group())):
            return float(value.group().replace(",", "")), found.candidate.sentence
    return None


def _how(form: QuestionForm, side: Side) -> str:
    """The question that asks one side's number."""
    for word in re.findall(r"[a-z]+", form.text.casefold()):
        if word in BASE_FORMS:
            return f"How {BASE_FORMS[word]} is {side.name}?"
    counted = re.search(r"\b(?:more|fewer|most|least|fewest) (\w+)", form.text)
    return f"How many {counted.group(1)} has {side.name}?" if counted else form.text


def _predicate(form: QuestionForm) -> str:
    found = re.search(r"\b(\w+ed|born|built|begun|written|made)\b", form.text)
    return found.group() if found else "founded"


def _restricted(view: EvidenceView, sentences: Sequence[int]) -> EvidenceView:
    kept = set(sentences)
    return replace(view, candidates=tuple(c for c in view.candidates if c.sentence in kept))


def _yes_no(
    form: QuestionForm,
    sides: Sequence[Side],
    read: ReadEvidence,
) -> Compared:
    same = SAME.search(form.text)
    if same is not None:
        answers = [_attribute(form, same.group(1), s, read) for s in sides]
        if all(answers):
            found = [answer for answer in answers if answer]
            equal = _overlap(found[0], found[1])
            steps = tuple(
                {"asked": f"{same.group(1)} of {side.name}", "found": answer[0].candidate.text}
                for side, answer in zip(sides, found, strict=True)
            )
            carriers = tuple(answer[0].candidate.sentence for answer in found)
            return Compared("yes" if equal else "no", 1.0, carriers, steps)
    order = ORDER.search(form.text)
    if order is not None:
        values = [_value(form, side, read, True) for side in sides]
        dated = [value for value in values if value is not None]
        if len(dated) == 2:
            first = order.group(1).casefold() in LEAST_DATE
            right = dated[0][0] < dated[1][0] if first else dated[0][0] > dated[1][0]
            steps = tuple(
                {"asked": side.name, "found": f"{value[0]:g}"}
                for side, value in zip(sides, dated, strict=True)
            )
            carriers = tuple(value[1] for value in dated)
            return Compared("yes" if right else "no", 1.0, carriers, steps)
    return _both(form, sides, read.view)


def _attribute(
    form: QuestionForm,
    noun: str,
    side: Side,
    read: ReadEvidence,
) -> list[Scored]:
    words = [w for w in form.words if w not in side.key.split()]
    text = f"In what {noun} was {side.name} {' '.join(words[-2:])}?"
    asked = understand(read.parsed([f"In what {noun} is {side.name}?"])[0][0])
    vector = read.embedded([text])[0]
    return rank_candidates([Asked(asked, vector)], _restricted(read.view, side.sentences), 2)[0]


def _overlap(left: Sequence[Scored], right: Sequence[Scored]) -> bool:
    return left[0].candidate.key in {s.candidate.key for s in right} or right[0].candidate.key in {
        s.candidate.key for s in left
    }


def _both(form: QuestionForm, sides: Sequence[Side], view: EvidenceView) -> Compared:
    """Yes where the evidence says of each side all that the question asks."""
    own = {word for side in sides for word in side.key.split()}
    wanted = [word for word in form.words if word not in own and word not in {"both", "same"}]
    shares, carriers = [], []
    for side in sides:
        lemmas = frozenset[str]().union(*(view.lemmas[i] for i in side.sentences))
        present = [word for word in wanted if _said(word, lemmas)]
        shares.append(len(present) / len(wanted) if wanted else 0.0)
        rated = [(sum(_said(w, view.lemmas[i]) for w in wanted), -i) for i in side.sentences]
        carriers.append(-max(rated)[1])
    steps = tuple(
        {"asked": f"{side.name}: {', '.join(wanted)}", "found": round(share, 2)}
        for side, share in zip(sides, shares, strict=True)
    )
    short = "yes" if min(shares) >= 0.99 else "no"
    return Compared(short, min(shares), tuple(carriers), steps)


def _said(word: str, lemmas: frozenset[str]) -> bool:
    return bool(family(word) & lemmas)
