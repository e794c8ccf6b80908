"""The amounts of two things that a question compares: asked for of each, and taken in pairs of one
unit that are together the likeliest."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import takewhile

from clew.answering.comparison.durations import lasting, span_of
from clew.answering.comparison.sides import Side
from clew.answering.comparison.values import Value
from clew.comprehension.amounts import amount_in, counted_in, each_time, is_money, unit_of
from clew.comprehension.annotation import AnnotatedSentence
from clew.comprehension.candidates import YEAR, Candidate
from clew.comprehension.lexicon import BASE_FORMS, COUNT, LEAST_NUMBER, MOST_NUMBER
from clew.comprehension.naming import bare
from clew.comprehension.question_form import QuestionForm, understand
from clew.comprehension.read_evidence import ReadEvidence
from clew.comprehension.scorer import Asked, Scored, rank_candidates
from clew.comprehension.stems import stem

_STOPS = (
    r"(?!(?:than|in|of|for|at|as|on|to|or|out|between|among|from|with|per|an?|the|does?|did|is)\b)"
)
_PHRASE = rf"{_STOPS}[\w-]+(?:\s{_STOPS}[\w-]+){{0,2}}"
_SUM = re.compile(r"\b(?:costs?|costlier|cheap(?:er|est)|dear(?:er|est)|pricier|expensive)\b", re.I)
_WEIGHS = re.compile(r"\bweigh(?:s|ed|ing)?\b", re.I)
_OF = re.compile(
    rf"^(?:is|was|are|were)\s+the\s+(?P<what>{_PHRASE})\s+(?:of|for|at|in|with|on)\s.*\bthan\b",
    re.IGNORECASE,
)
"""What of each is compared: "Is the rent for The Tanner lower than the rent for Boiler House?"."""
_NUMBER_OF = re.compile(rf"\b(?:number|amount|total) of (?P<what>{_PHRASE})", re.IGNORECASE)
_OF_COUNTS = frozenset({"fewer", "fewest"})
_ATTRIBUTE = re.compile(
    rf"(?P<be>\b(?:is|was|are|were)\s+|^(?:is|was|are|were)\b.*)?(?:\b(?:the|an?)\s+)?\b(?P<word>\w+(?:er|est))\s+"
    rf"(?P<what>{_PHRASE})",
    re.I,
)
"""What things have more or less of: "had the higher revenue", and not "is the longer river"."""
_COUNTED = re.compile(rf"\b(?:more|less|fewer|most|least|fewest)\s+(?P<what>{_PHRASE})", re.I)
_ALONE = re.compile(
    r"\b(?:more|less)\b\s*(?:,|\?|$|(?:than|or|does|do|did|is|was)\b)", re.IGNORECASE
)
_PLURAL = re.compile(r"(?:s|people|men|women|children|staff)$", re.I)
_UNITS = {
    "long": frozenset({"metre", "second"}),
    "heavy": frozenset({"gram"}),
    **dict.fromkeys(("deep", "tall", "wide"), frozenset({"metre"})),
}
"""What lengths, weights and heights are told in."""
_FLOWS = frozenset({"litre", "metre", "byte", "gram"})
"""Units of what is told by the hour or the day, too, as sums of money are."""
_MEASURES = {
    noun: frozenset({unit})
    for nouns, unit in (
        ("weight mass load payload", "gram"),
        ("time duration period", "second"),
        ("area", "metre²"),
        ("distance length height width depth", "metre"),
        ("speed", "metre/second"),
        ("power", "watt"),
    )
    for noun in nouns.split()
}
"""What the nouns of measures are told in."""


@dataclass(frozen=True)
class _Amount:
    """What is asked of each thing, "{}" for its name, the units it is told in, None: any, the noun
    that is counted, and the unit that it is told in where there are several.
    """

    text: str
    units: frozenset[str] | None = None
    counted: str = ""
    rather: str = "none"


def amounts_of(
    form: QuestionForm, sides: Sequence[Side], read: ReadEvidence
) -> tuple[Value, ...] | None:
    """Return the amounts of things, else those told behind where they are mentioned; None where the
    evidence has none of one unit of all.
    """
    found = _amounts(form, sides, read)
    if found is None and any(side.around for side in sides):
        around = [replace(s, sentences=s.around or s.sentences) for s in sides]
        found = _amounts(form, around, read)
    if found is None and (lasts := lasting(form.text)):
        things = [_of_kind(form.focus, bare(side.name)) for side in sides]
        spans = [span_of(f"How long did {thing} {lasts}?", read) for thing in things]
        known = tuple(span for span in spans if span is not None)
        found = known if len(known) == len(sides) else None
    return found


def _of_kind(noun: str, name: str) -> str:
    """Return what of a name is asked about: "the strike of Corbel Shipyard" of "which strike"."""
    named = {stem(word) for word in name.casefold().split()}
    return name if not noun or stem(noun) in named else f"the {noun} of {name}"


def _amounts(
    form: QuestionForm, sides: Sequence[Side], read: ReadEvidence
) -> tuple[Value, ...] | None:
    wanted = _wanted(form, read.parsed([form.text])[0][0])
    told = [_told(wanted, form, side, read) for side in sides]
    sums = bool(_SUM.search(form.text))
    rows = []
    for unit in sorted({value.unit for values in told for value in values}):
        likeliest = [
            max(
                (value for value in values if _is_in(value, unit, sums=sums)),
                key=lambda value: value.score,
                default=None,
            )
            for values in told
        ]
        known = tuple(value for value in likeliest if value is not None)
        apart = len({(value.text, value.sentences) for value in known}) == len(sides)
        if len(known) == len(sides) and (apart or all(side.told for side in sides)):
            rows.append((unit == wanted.rather, sum(value.score for value in known), known))
    return max(rows, key=lambda row: row[:2])[2] if rows else None


def _told(wanted: _Amount, form: QuestionForm, side: Side, read: ReadEvidence) -> list[Value]:
    """Return the amounts that the evidence may mean, of one side."""
    text = wanted.text.format(bare(side.name))
    asked = understand(read.parsed([text])[0][0])
    money = bool(_SUM.search(form.text)) or "MONEY" in asked.measures
    asked = replace(asked, classes=frozenset({"NUMBER"}))
    if not side.described:
        asked = replace(asked, words=form.words, verb=form.verb)
    if money:  # the parser takes "2,480 pounds" for a weight
        asked = replace(asked, measures=asked.measures | {"QUANTITY"})
    part = read.view.restricted(side.sentences)
    ranked = rank_candidates([Asked(asked, read.embedded([text])[0])], part, 20)[0]
    values = [value for found in ranked if (value := value_in(found, read, money=money))]
    values = [
        value
        for value in values
        if (wanted.units is None or value.unit in wanted.units)
        and not any(_part_of(value, other) for other in values)
    ]
    counted = [value for value in values if _counts(value, wanted.counted)]
    return counted or values


def _counts(value: Value, noun: str) -> bool:
    """Whether a value says itself that it counts what a noun names: "85 teachers"."""
    return bool(noun) and stem(value.text.split()[-1].casefold()) == stem(noun.casefold())


def _part_of(value: Value, other: Value) -> bool:
    """Whether a value is cut off one of another unit: "six litres" of "six litres per second"."""
    within = value.sentences == other.sentences and value.text in other.text
    return within and value.unit != other.unit


def _is_in(value: Value, unit: str, *, sums: bool) -> bool:
    """Whether a value has a unit; of ``sums`` of money it may leave its currency out."""
    return value.unit == unit or (sums and not value.unit and is_money(unit))


def value_in(found: Scored, read: ReadEvidence, *, money: bool) -> Value | None:
    """Return the amount of a candidate; None where it has none, and of a year."""
    candidate = found.candidate
    amount = None if YEAR.fullmatch(candidate.text) else _amount(candidate, money=money)
    if amount is None:
        return None
    number, unit = amount
    if is_money(unit) or unit in _FLOWS:
        told = read.view.sentences[candidate.sentence].parse.text
        each = each_time(told.partition(candidate.text)[2])
        number, unit = (number, unit) if each is None else (number / each, f"{unit}/second")
    return Value((number,), candidate.text, (candidate.sentence,), unit, found.score, found.span)


def _amount(candidate: Candidate, *, money: bool) -> tuple[float, str] | None:
    """Return the amount and the unit of a candidate; a number in words counts what is counted."""
    counts = candidate.label in {COUNT, "CARDINAL"}
    return (counted_in if counts else amount_in)(candidate.text, money=money)


def _wanted(form: QuestionForm, parse: AnnotatedSentence) -> _Amount:
    """Return what is asked of each of the things that a question compares."""
    question = form.text
    verbs = {one.text for one in parse.tokens if one.pos in {"VERB", "AUX"}}
    root = parse.tokens[parse.root]
    verb = form.verb or (root.lemma if root.pos == "VERB" else "")
    if _SUM.search(question):
        return _Amount("How much did {} cost?")
    if _WEIGHS.search(question):
        return _Amount("How much does {} weigh?", _UNITS["heavy"])
    if lasts := lasting(question):
        return _Amount(f"How long does {{}} {lasts}?", frozenset({"second"}))
    of = _OF.search(question)
    if of is not None:
        return _Amount(f"What is the {of['what']} of {{}}?", _measure(of["what"]))
    counted = _NUMBER_OF.search(question) or _COUNTED.search(question)
    orders = (LEAST_NUMBER | MOST_NUMBER) - _OF_COUNTS
    for found in () if counted else _ATTRIBUTE.finditer(question):
        if not found["be"] and found["word"].casefold() in orders:
            return _Amount(f"What is the {found['what']} of {{}}?", _measure(found["what"]))
    for word in () if counted else re.findall(r"[a-z]+", question.casefold()):
        base = BASE_FORMS.get(f"{word[:-2]}r" if word.endswith("est") else word)
        if base is not None:
            rather = "metre²" if base in {"large", "big"} else "none"
            return _Amount(f"How {base} is {{}}?", _UNITS.get(base), rather=rather)
    asked = "has {}" if verb in {"", "be", "have", "do"} else f"did {{}} {verb}"
    if counted is None and _ALONE.search(question) and verb:
        return _Amount(f"How much {asked}?")
    if counted is None:
        return _Amount(question.replace("{", "").replace("}", ""))
    words = counted["what"].split()
    what = " ".join(takewhile(lambda word: word not in verbs, words)) or words[0]
    if not _PLURAL.search(what):
        return _Amount(f"How much {what} {asked}?", _measure(what))
    last = what.split()[-1]
    return _Amount(f"How many {what} {asked}?", frozenset({unit_of(last)[0]}), last)


def _measure(what: str) -> frozenset[str] | None:
    """Return the units of what a phrase measures, "full running time"; None: any."""
    return _MEASURES.get(what.split()[-1].casefold())
