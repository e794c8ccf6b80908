"""Questions that compare two things they name: "which of A or B", "are both …", "the same …"."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from clew.comprehension.candidates import YEAR
from clew.comprehension.chains import parsed_question, resolve_inner
from clew.comprehension.compared import Comparison, Property, comparison_in
from clew.comprehension.dates import dates_in, life_dates
from clew.comprehension.evidence_view import EvidenceView
from clew.comprehension.lexicon import BASE_FORMS, LEAST_DATE, OF_COUNTRIES
from clew.comprehension.naming import bare
from clew.comprehension.nationalities import countries_told
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
    name holds a title, 0 where sentences mention it. ``answer``: what the side is called where it
    is the answer; ``carriers``: the sentences that led to it from what the question names.
    """

    name: str
    key: str
    sentences: tuple[int, ...]
    told: float
    answer: str
    carriers: tuple[int, ...] = ()


def compare(question: str, form: QuestionForm, read: ReadEvidence) -> Compared | None:
    """Return the answer to a choice or yes/no question; None where no two things are found.

    The things are two titles that the question names, or who is meant by a noun with each of them;
    else what it names once its descriptions are resolved.
    """
    asked = comparison_in(parsed_question(question, read))
    if asked is not None:
        found = _of_titles(asked, form, read)
        if found is not None:
            return found
        if any(option.relation for option in asked.options):
            return None
    plain = resolve_inner(question, read)
    form = replace(understand(parsed_question(plain.question, read)), kind=form.kind)
    names = _options(form.text) if form.kind == "choice" else ()
    sides = [side for name in names if (side := _side(name, read.view))]
    if len(sides) < 2:
        sides = _named_sides(form, read.view)
    if len(sides) < 2:
        return None
    asked = Comparison.of_names(form.text, [side.name for side in sides[:2]])
    return _compared(asked, form, sides[:2], read)


def _of_titles(asked: Comparison, form: QuestionForm, read: ReadEvidence) -> Compared | None:
    """Return the answer for titles that the question names; None where one is not found, or who is
    meant by it.
    """
    sides = [_side(option.written, read.view) for option in asked.options]
    if sides[0] is None or sides[1] is None:
        return None
    if not any(option.relation for option in asked.options):
        return _compared(asked, form, [sides[0], sides[1]], read)
    steps: list[dict[str, Any]] = []
    met: list[tuple[str, str, tuple[int, ...]]] = []
    for named, option in zip((sides[0], sides[1]), asked.options, strict=True):
        if not option.relation:
            met.append((named.name, named.answer, ()))
            continue
        found = _related(option.relation, named, read)
        if found is None:
            return None
        name = found.candidate.text
        met.append((name, named.answer if asked.whole else name, (found.candidate.sentence,)))
        steps.append({"asked": f"{option.relation} of {named.name}", "found": name})
        read.look_for(asked.question(name), name)
    people = [
        replace(side, answer=answer, carriers=carriers)
        for name, answer, carriers in met
        if (side := _side(name, read.view)) is not None
    ]
    if len(people) < 2:
        return None
    result = _compared(asked, form, people, read)
    return replace(result, steps=(*steps, *result.steps))


def _compared(
    asked: Comparison, form: QuestionForm, sides: Sequence[Side], read: ReadEvidence
) -> Compared:
    if form.kind == "choice":
        found = _choice(asked, form, sides, read)
    else:
        found = _yes_no(asked, form, sides, read)
    led = [index for side in sides for index in side.carriers]
    carriers = tuple(dict.fromkeys([*found.carriers, *led]))
    return replace(found, told=min(side.told for side in sides), carriers=carriers)


def _related(relation: str, side: Side, read: ReadEvidence) -> Scored | None:
    """Return who is meant by "the director of Spione", by the sentences about it."""
    text = f"the {relation} of {side.name}"
    parse = read.parsed([text])[0][0]
    head = next((i for i, t in enumerate(parse.tokens) if t.lemma == relation), parse.root)
    asked = Asked(
        understand(parse, phrase_head=head),
        read.embedded([text])[0],
        (side.key,),
        named=True,
    )
    (found,) = rank_candidates([asked], _restricted(read.view, side.sentences), 1)
    return found[0] if found else None


def _options(question: str) -> tuple[str, ...]:
    found = re.search(r"^(.*)\bor\b(.*)$", question.rstrip(" ?"), re.IGNORECASE)
    if found is None:
        return ()
    left = re.split(r"[,:]|\bbetween\b|\b[Ff]irst\b|\bformed\b", found.group(1).strip(" ,"))[-1]
    return left.strip(), re.split(r",", found.group(2))[0].strip()


def _side(name: str, view: EvidenceView) -> Side | None:
    key = normalise_name(bare(name))
    if not key:
        return None
    written = normalise_name(name)
    whole = tuple(i for i, s in enumerate(view.sentences) if normalise_name(s.title) == written)
    titles = {sentence.title_key for sentence in view.sentences}
    exact = [title for title in titles if title == key]
    close = exact or sorted(
        (t for t in titles if f" {t} " in f" {key} " or f" {key} " in f" {t} "), key=len
    )
    if whole:
        return Side(name, key, whole, 1.0, name)
    if close:
        title = close[-1]
        about = tuple(i for i, s in enumerate(view.sentences) if s.title_key == title)
    else:
        about = tuple(i for i, s in enumerate(view.sentences) if f" {key} " in f" {s.key} ")
    told = 1.0 if exact else 0.5 if close else 0.0
    return Side(name, key, about, told, name) if about else None


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
    asked: Comparison,
    form: QuestionForm,
    sides: Sequence[Side],
    read: ReadEvidence,
) -> Compared:
    if asked.compared:
        values = [_value(asked.compared, form, side, read) for side in sides]
        one, other = values
        if one is not None and other is not None and (order := one.compared(other)):
            at = int((order > 0) == asked.least)
            return Compared(
                sides[at].answer,
                1.0,
                (*one.sentences, *other.sentences),
                _steps(sides, [one, other]),
            )
    return _closest(form, sides, read)


def _steps(sides: Sequence[Side], values: Sequence["Value"]) -> tuple[dict[str, Any], ...]:
    return tuple(
        {"asked": side.name, "found": value.text} for side, value in zip(sides, values, strict=True)
    )


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
    return Compared(sides[at].answer, 0.3, tuple(carriers), steps)


@dataclass(frozen=True)
class Value:
    """A date (year, month, day, as far as known), a span of life (years) or a number; as it was
    found, and the sentences that it stands in."""

    numbers: tuple[float, ...]
    text: str
    sentences: tuple[int, ...]

    def compared(self, other: "Value") -> int:
        """Return -1, 0 or 1: smaller, not to be told apart, greater."""
        shared = min(len(self.numbers), len(other.numbers))
        own, its = self.numbers[:shared], other.numbers[:shared]
        return (own > its) - (own < its)


def _value(of: Property, form: QuestionForm, side: Side, read: ReadEvidence) -> Value | None:
    """Return what the evidence gives for a side, None where it gives nothing."""
    if of == "life":
        born, died = (_value(end, form, side, read) for end in ("birth", "death"))
        if born is None or died is None:
            return None
        years = _years(died.numbers) - _years(born.numbers)
        text = f"{born.text} – {died.text}"
        return Value((years,), text, (*born.sentences, *died.sentences))
    view, name = read.view, bare(side.name)  # "(1962 Film)" is no answer that the question gives
    if of in {"birth", "death"}:
        for index in side.sentences:
            if view.sentences[index].position == 0:
                written = life_dates(view.sentences[index].parse.text)[of == "death"]
                if written and (numbers := _date(written)):
                    return Value(numbers, written, (index,))
        text = f"When was {name} born?" if of == "birth" else f"When did {name} die?"
    else:
        text = f"When was {name} {_predicate(form)}?" if of == "date" else _how(form, side)
    asked = understand(read.parsed([text])[0][0])
    dated = of != "number"
    asked = replace(asked, classes=frozenset({"DATE"} if dated else {"NUMBER"}))
    if of in {"date", "number"}:
        asked = replace(asked, words=form.words, verb=form.verb)
    part = _restricted(view, side.sentences)
    for found in rank_candidates([Asked(asked, read.embedded([text])[0])], part, 20)[0]:
        written, index = found.candidate.text, found.candidate.sentence
        if dated and (numbers := _date(written)):
            return Value(numbers, written, (index,))
        number = NUMBER.search(written)
        if not dated and number and not YEAR.fullmatch(number.group()):
            return Value((float(number.group().replace(",", "")),), number.group(), (index,))
    return None


def _date(text: str) -> tuple[float, ...]:
    """Return year, month and day of a text, as far as it names them."""
    named = dates_in(text)
    if named:
        return tuple(float(part) for part in named[0].split("-"))
    year = YEAR.search(text)
    return (float(year.group()),) if year else ()


def _years(date: tuple[float, ...]) -> float:
    return sum(part / size for part, size in zip(date, (1, 12, 365), strict=False))


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
    asked: Comparison,
    form: QuestionForm,
    sides: Sequence[Side],
    read: ReadEvidence,
) -> Compared:
    same = SAME.search(form.text)
    if same is not None:
        found = _same(same.group(1), form, sides, read)
        if found is not None:
            return found
    order = ORDER.search(form.text)
    if order is not None:
        of = asked.compared if asked.compared in {"birth", "death"} else "date"
        values = [_value(of, form, side, read) for side in sides]
        one, other = values
        if one is not None and other is not None:
            first = order.group(1).casefold() in LEAST_DATE
            right = one.compared(other) == (-1 if first else 1)
            return Compared(
                "yes" if right else "no",
                1.0,
                (*one.sentences, *other.sentences),
                _steps(sides, [one, other]),
            )
    return _both(form, sides, read.view)


def _same(
    noun: str, form: QuestionForm, sides: Sequence[Side], read: ReadEvidence
) -> Compared | None:
    """Return whether two sides have one ``noun``; None where the evidence does not say it."""
    if noun.split()[-1] in OF_COUNTRIES:
        told = [_countries(side, read.view) for side in sides]
        if all(told):
            (one, first), (other, second) = (found for found in told if found)
            steps = tuple(
                {"asked": f"{noun} of {side.name}", "found": ", ".join(sorted(countries))}
                for side, countries in zip(sides, (one, other), strict=True)
            )
            return Compared("yes" if one & other else "no", 1.0, (first, second), steps)
    answers = [_attribute(form, noun, side, read) for side in sides]
    if not all(answers):
        return None
    equal = _overlap(answers[0], answers[1])
    steps = tuple(
        {"asked": f"{noun} of {side.name}", "found": answer[0].candidate.text}
        for side, answer in zip(sides, answers, strict=True)
    )
    carriers = tuple(answer[0].candidate.sentence for answer in answers)
    return Compared("yes" if equal else "no", 1.0, carriers, steps)


def _countries(side: Side, view: EvidenceView) -> tuple[frozenset[str], int] | None:
    """Return the countries that the first sentence about a side names that names any, and it."""
    for index in side.sentences:
        text = view.sentences[index].parse.text
        found = countries_told(text.replace(view.sentences[index].title, " "))
        if found:
            return found, index
    return None


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
