"""Yes or no of two things: "Is A longer than B?", "the same …", "are both …"."""

import re
from collections.abc import Collection, Sequence
from dataclasses import replace

from clew.answering.comparison.all_values import values_of
from clew.answering.comparison.amounts import amounts_of
from clew.answering.comparison.outcome import Compared, told_by
from clew.answering.comparison.sides import Side, names_of
from clew.answering.comparison.values import countries_of
from clew.comprehension.amounts import counted_in
from clew.comprehension.compared import Comparison
from clew.comprehension.evidence_view import EvidenceView
from clew.comprehension.lexicon import LEAST_DATE, LEAST_NUMBER, MOST_NUMBER, OF_COUNTRIES
from clew.comprehension.naming import bare
from clew.comprehension.question_form import QuestionForm, understand
from clew.comprehension.read_evidence import ReadEvidence
from clew.comprehension.scorer import Asked, Scored, rank_candidates
from clew.comprehension.stems import family, stem
from clew_ingest.parsing.entity_names import STOP_WORDS

SAME = re.compile(r"\bsame ([\w ]+?)\s*(?:\?|$|\b(?:as|for|of)\b)", re.IGNORECASE)
ORDER = re.compile(r"\b(before|after|(?:earlier|later|older|younger)(?= than\b))", re.IGNORECASE)
WHOLE_DATE = 3
"""Year, month, day: of dates that tell less and are alike nobody knows which is the earlier."""
FOR, AGAINST = 0.1, -0.45
"""The log-odds of yes against no from which on a sentence tells either of one of two."""
LOOKED_AT = 12
"""Sentences about a thing that are read for a yes or no, at most."""
_OF_ONE = {"are": "Is", "were": "Was", "do": "Does", "have": "Has"}
ALL = 0.99
"""The share of what is asked that is said where all is."""
_THAN = re.compile(r"\bthan\b", re.IGNORECASE)
_COMPARATIVE = re.compile(r"\b(?:more|less|fewer|\w+er)\b(?<!other)(?<!rather)", re.IGNORECASE)
"""What may compare before "than": of these, the last word that orders: "Is the River Seld longer
than …?"."""


def yes_or_no(
    asked: Comparison,
    form: QuestionForm,
    sides: Sequence[Side],
    read: ReadEvidence,
) -> Compared | None:
    """Return yes or no; None where the evidence does not tell it."""
    same = SAME.search(form.text)
    if same is not None:
        found = _same(same.group(1), form, sides, read)
        if found is not None:
            return found
    order = ORDER.search(form.text)
    if order is not None:
        of = asked.compared if asked.compared in {"birth", "death"} else "date"
        values = values_of(of, form, sides, read)
        if values is not None:
            one, other = values
            first = order.group(1).casefold() in LEAST_DATE
            before = one.compared(other)
            if not before and min(len(one.numbers), len(other.numbers)) < WHOLE_DATE:
                return None  # of 1962, both
            right = before == (-1 if first else 1)
            return told_by("yes" if right else "no", sides, values)
    than = _THAN.search(form.text)
    comparatives = _COMPARATIVE.findall(form.text.casefold()[: than.start()]) if than else []
    if comparatives:
        ordering = [word for word in comparatives if word in LEAST_NUMBER | MOST_NUMBER]
        return _more(ordering[-1], form, sides, read) if ordering else None
    return _both(form, sides, read) if asked.joined else None


def _more(
    word: str, form: QuestionForm, sides: Sequence[Side], read: ReadEvidence
) -> Compared | None:
    """Return whether the first side has the greater amount, the smaller for "fewer"; None where the
    evidence has no two amounts of one unit."""
    own = names_of(sides)
    near = [replace(side, sentences=_saying_most(form, side, own, read.view)) for side in sides]
    values = amounts_of(form, near, read) or amounts_of(form, sides, read)
    if values is None:
        return None
    one, other = values
    right = one.compared(other) == (-1 if word in LEAST_NUMBER else 1)
    return told_by("yes" if right else "no", sides, values)


def _saying_most(
    form: QuestionForm, side: Side, own: Collection[str], view: EvidenceView
) -> tuple[int, ...]:
    """Return the sentences of a side that say most of what is asked; ``own``: stems of names."""
    wanted = [word for word in form.words if stem(word) not in own and word not in STOP_WORDS]
    said = {
        place: sum(view.weight(word) for word in wanted if _said(word, view.lemmas[place]))
        for place in side.sentences
    }
    most = max(said.values())
    return tuple(place for place, share in said.items() if share == most)


def _same(
    noun: str, form: QuestionForm, sides: Sequence[Side], read: ReadEvidence
) -> Compared | None:
    """Return whether two sides have one ``noun``; None where the evidence does not say it."""
    if noun.split()[-1] == "number":
        values = amounts_of(form, sides, read)
        if values is None:
            return None
        return told_by("no" if values[0].compared(values[1]) else "yes", sides, values)
    if noun.split()[-1] in OF_COUNTRIES:
        told = [countries_of(side, read.view) for side in sides]
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
    equal = _overlap(answers[0], answers[1]) or _as_much(answers[0][0], answers[1][0])
    if not equal and _told_of_both(answers, sides, read.view):
        return None
    steps = tuple(
        {"asked": f"{noun} of {side.name}", "found": answer[0].candidate.text}
        for side, answer in zip(sides, answers, strict=True)
    )
    carriers = tuple(answer[0].candidate.sentence for answer in answers)
    span = min(answer[0].span for answer in answers)
    return Compared("yes" if equal else "no", 1.0, carriers, steps, span=span)


def _attribute(
    form: QuestionForm,
    noun: str,
    side: Side,
    read: ReadEvidence,
) -> list[Scored]:
    words = [w for w in form.words if w not in side.key.split()]
    if form.verb == "have":
        text = plain = f"What is the {noun} of {side.name}?"
    else:
        text = f"In what {noun} was {side.name} {' '.join(words[-2:])}?"
        plain = f"In what {noun} is {side.name}?"
    asked = understand(read.parsed([plain])[0][0])
    vector = read.embedded([text])[0]
    return rank_candidates([Asked(asked, vector)], read.view.restricted(side.sentences), 2)[0]


def _as_much(one: Scored, other: Scored) -> bool:
    """Whether two answers tell one amount: "two-year", "24 months"."""
    amounts = [counted_in(found.candidate.text) for found in (one, other)]
    return all(amounts) and amounts[0] == amounts[1]


def _told_of_both(
    answers: Sequence[Sequence[Scored]], sides: Sequence[Side], view: EvidenceView
) -> bool:
    """Whether one of two unequal answers is told of the other side, too: they may mean the same."""
    for (found, *_), other in zip(answers, reversed(sides), strict=True):
        name = f" {found.candidate.key} "
        if any(name in f" {view.sentences[i].key} " for i in other.sentences):
            return True
    return False


def _overlap(left: Sequence[Scored], right: Sequence[Scored]) -> bool:
    return left[0].candidate.key in {s.candidate.key for s in right} or right[0].candidate.key in {
        s.candidate.key for s in left
    }


def _both(form: QuestionForm, sides: Sequence[Side], read: ReadEvidence) -> Compared | None:
    """Return whether what is asked is so of each side: by whether the evidence says all of it, and
    by what the likeliest sentence about each tells; None where that is not clear.
    """
    view, own = read.view, names_of(sides)
    wanted = [w for w in form.words if stem(w) not in own and w not in {"both", "same"}]
    shares, carriers = [], []
    for side in sides:
        lemmas = frozenset[str]().union(*(view.lemmas[i] for i in side.sentences))
        present = [word for word in wanted if _said(word, lemmas)]
        shares.append(len(present) / len(wanted) if wanted else 0.0)
        rated = [(sum(_said(w, view.lemmas[i]) for w in wanted), -i) for i in side.sentences]
        carriers.append(-max(rated)[1])
    told = [_told_of(form.text, side, sides, read) for side in sides]
    verdicts = [verdict for verdict, _ in told]
    if min(shares) >= ALL and min(verdicts) > AGAINST:
        short, score = "yes", 1.0
    elif min(verdicts) <= AGAINST or min(verdicts) >= FOR:
        short, score = ("yes" if min(verdicts) >= FOR else "no"), 0.0
        carriers = [at for _, at in told]
    elif max(shares) >= ALL:
        short, score = "no", 0.0  # all of it is said of one, and of the other nothing tells it
    else:
        return None
    steps = tuple(
        {"asked": f"{side.name}: {', '.join(wanted)}", "found": round(verdict, 2)}
        for side, verdict in zip(sides, verdicts, strict=True)
    )
    return Compared(short, score, tuple(carriers), steps)


def _told_of(
    question: str, side: Side, sides: Sequence[Side], read: ReadEvidence
) -> tuple[float, int]:
    """Return the log-odds of yes against no of what is asked of both, for one side, and the
    sentence that tells it likeliest; 0 where none seems to.
    """
    both = r"\s+and\s+".join(rf"(?:the\s+)?{re.escape(bare(one.name))}" for one in sides)
    name = bare(side.name)
    one = re.sub(rf"(?:\bboth\s+)?{both}", lambda _: name, question, flags=re.IGNORECASE)
    one = re.sub(r"\s+\bboth\b", "", one)
    one = re.sub(r"^\w+", lambda found: _OF_ONE.get(found[0].casefold(), found[0]), one)
    places = side.sentences[:LOOKED_AT]
    texts = [(side.name, read.view.sentences[place].parse.text) for place in places]
    told = read.page_marks.told(one, texts)
    best = max(range(len(told)), key=lambda number: told[number][0])
    tells, yes = told[best]
    return (yes if tells > 0 else 0.0), places[best]


def _said(word: str, lemmas: frozenset[str]) -> bool:
    return bool(family(word) & lemmas)
