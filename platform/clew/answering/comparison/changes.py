"""What one thing amounted to at two times: "Were there more visitors in 2024 than in 2023?", "In
which year were sales higher, 2021 or 2022?", "By how much did the fee go up?"."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from clew.answering.comparison.amounts import value_in
from clew.answering.comparison.differences import amount_written
from clew.answering.comparison.outcome import Compared, told_of_two
from clew.answering.comparison.timed import YEAR_BEFORE, Time, is_at, time_of, times_in, written
from clew.answering.comparison.values import Value
from clew.comprehension.amounts import DIGITS, amount_in
from clew.comprehension.chains import parsed_question
from clew.comprehension.dates import MONTHS, moments_in
from clew.comprehension.evidence_view import EvidenceView
from clew.comprehension.lexicon import LEAST_NUMBER
from clew.comprehension.question_form import QuestionForm, content_words, understand
from clew.comprehension.read_evidence import ReadEvidence
from clew.comprehension.scorer import Asked, rank_candidates
from clew.comprehension.stems import family, stem

HELD = 0.5
"""The share of what is asked, by weight, that the sentence of a value, the one before it and what
they stand under hold at least; and that these sentences hold beside what the title says, so that it
is no guess. Set, not measured."""
LIKELY = 20
"""Candidates that are looked at for an amount."""
ALIKE = 3.0
"""By what two amounts are likelier a pair that count the same, in the scorer's log-odds; set."""
_UP = (
    r"gr(?:ow|ew|own)|r(?:ise|ose|isen)|(?<=was )raised|(?<=were )raised|increased?|climb(?:ed)?"
    r"|(?:goes|going|gone|go|went) up|(?:get|got) dearer"
)
_DOWN = (
    r"f(?:all|ell|allen)|drop(?:ped)?|decreased?|declined?|(?:goes|going|gone|go|went) down"
    r"|shr(?:ink|ank|unk)|lowered|cut|reduced"
)
_MOVED = re.compile(rf"\b(?:(?P<up>{_UP})|(?P<down>{_DOWN})|changed?)\b(?!-)", re.IGNORECASE)
_HOW_MUCH = re.compile(r"\b(?:by )?how (?:much|many|far)\b", re.IGNORECASE)
_BY = re.compile(
    r"\bby how (?:much|many)\b|\bhow (?:much|far) (?:did|has|have|was|were|do|does)\b",
    re.IGNORECASE,
)
_ORDERS = (
    r"more|less|fewer|higher|lower|larger|smaller|greater|better|worse|longer|shorter|cheaper"
    r"|dearer|bigger|faster|slower|heavier|lighter|deeper|taller|wider|warmer|colder|hotter|fuller"
    r"|stronger|weaker|later|earlier|older|younger"
)
_NUMBERED = re.compile(rf"\D{{0,3}}(?:{DIGITS})\s*([^\W\d_]{{3,}})?")
_COUNTED = re.compile(r"\bhow many (?:more|fewer|less) (?P<noun>[^\W\d_]+)", re.IGNORECASE)
_HIGHER = re.compile(rf"^how much (?:{_ORDERS})\b(?!.*\bthan\b)", re.IGNORECASE)
_COMPARES = re.compile(rf"\b(?P<word>{_ORDERS})\b", re.IGNORECASE)
_WHICH = re.compile(r"^(?:in |during )?(?:which|what) (?:year|month)\b|^when\b", re.IGNORECASE)
_OR = re.compile(rf"\b(?:1[0-9]{{3}}|20[0-9]{{2}}|{'|'.join(MONTHS)}),? or\b", re.IGNORECASE)
_SINCE = re.compile(r"\bsince\b", re.IGNORECASE)
_EARLIER = re.compile(
    r"\b(?:a|one|the) year (?:earlier|before)\b|\bthe previous year\b", re.IGNORECASE
)
_PLANNED = re.compile(
    r"\bthan (?:was |had been )?(?:planned|budgeted|estimated|expected|agreed"
    r"|the (?:estimate|budget|plan))\b"
    r"|\b(?:over|above|under|below|exceed(?:ed)?) (?:the |its |their )?(?:budget|estimate|plan)\b",
    re.IGNORECASE,
)
_PLANS = frozenset(map(stem, ("plan", "budget", "estimate", "expect", "forecast", "target")))
"""Stems of what is said of a sum before it is known."""
_UNDER = re.compile(r"\b(?:less|under|below|lower|cheaper)\b", re.IGNORECASE)
_TIME = "⏰"
"""Stands for a time of the question."""
_SEASON = r"(?:(?:the|early|late|end of|start of|spring|summer|autumn|winter) )*"
_BEFORE_TIME = re.compile(
    rf"(?:\b(?:than|between|and|or|from|to|in|since|during|of|until)\s+)*{_SEASON}{_TIME}", re.I
)
_AT_TIME = re.compile(
    r"(?:[,:]|\s(?:in|than|since|between|and|or|during|from|to|until|by|early|late|spring|summer"
    r"|autumn|winter|(?:end|start) of|season|year)(?: the)?) $",
    re.IGNORECASE,
)
"""What stands before a time, and not before the name of a thing: "the 1998 film"."""
_AUXILIARY = re.compile(
    r"^\s*(?:were|was|are|is|did|do|does|has|have|had)\b(?:\s+there\b)?"
    r"|\b(?:did|do|does|has|have|were there|was there|again|than)\b",
    re.IGNORECASE,
)
_AMOUNT = rf"[£$€]?\s?(?:{DIGITS})(?:\s?(?!to\b|from\b|instead\b)[^\W\d_]+)?"
_FROM_TO = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"\bfrom (?P<old>{_AMOUNT})[^.;]{{0,20}}? to (?P<new>{_AMOUNT})",
        rf"(?P<new>{_AMOUNT})[^.;]{{0,30}}? (?:instead of|(?:up|down) from|against"
        rf"|compared (?:with|to)) (?P<old>{_AMOUNT})",
        rf"(?P<old>{_AMOUNT})\s?(?:→|->|=>)\s?(?P<new>{_AMOUNT})",
        rf"(?P<new>{_AMOUNT})\s?\((?:last year|before|previously|until[^:)]*)[:,]? "
        rf"(?P<old>{_AMOUNT})",
    )
)
"""What an amount was and what it became, in one sentence."""
_SHARE = re.compile(r"%|\bper ?cent\b|\bfold\b", re.IGNORECASE)
_MORE = re.compile(r"\s+(?:more|less|fewer|higher|lower|cheaper|dearer)\b", re.IGNORECASE)
_TOLD = re.compile(
    r"\b(?:by (?:about |almost |nearly |some |over |around |a )?|(?:an )?(?:extra|additional) )$",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class _Two:
    """What a thing amounted to at two times, the earlier one first."""

    times: tuple[Time, Time]
    values: tuple[Value, Value]
    guessed: bool = False

    @property
    def grew(self) -> float:
        """By how much it was more at the later time."""
        return self.values[1].numbers[0] - self.values[0].numbers[0]

    def counts(self, question: str, view: EvidenceView) -> bool:
        """Whether one of both counts what is asked for, "how many more floods": no other thing."""
        asked = _COUNTED.search(question)
        nouns = {noun for _, noun in (_counted(value, view) for value in self.values)}
        return asked is None or stem(asked["noun"].casefold()) in nouns

    def told(self, short: str) -> Compared:
        """Return an answer that follows from both."""
        steps = tuple(zip(map(written, self.times), self.values, strict=True))
        told = told_of_two(short, steps)
        return replace(told, guessed=told.guessed or self.guessed)


def asks_change(form: QuestionForm) -> bool:
    """Whether a question asks by how much something rose or fell, or was over what was planned."""
    text = form.text
    by = _BY.search(text) is not None and _MOVED.search(text) is not None
    return by or _HIGHER.search(text) is not None or _asks_plan(text)


def asks_more(form: QuestionForm) -> bool:
    """Whether a question asks how much more something is, than what it does not say."""
    return _HIGHER.search(form.text) is not None


def asks_times(form: QuestionForm) -> bool:
    """Whether a question asks how two times that it names compare: not why something fell."""
    text = form.text
    ordered = _MOVED.search(text) or _COMPARES.search(text)
    asks = form.kind == "yes-no" or any(one.search(text) for one in (_HOW_MUCH, _WHICH, _OR))
    return ordered is not None and asks and _times(text) is not None


def tells_change(short: str, sentence: str) -> bool:
    """Whether a sentence tells an amount as that of a change: "dropped by 62 percent"."""
    before, there, behind = sentence.partition(short)
    told = _TOLD.search(before) or _MORE.match(behind) or _SHARE.search(short)
    return bool(there) and (told is not None or short.casefold().startswith("by "))


def changed(form: QuestionForm, read: ReadEvidence) -> Compared | None:
    """Return by how much, or whether, or in which year something was more or less; None where this
    is not asked, or the evidence does not tell it of both times."""
    text = form.text
    moved, compares = _MOVED.search(text), _COMPARES.search(text)
    if _asks_plan(text):
        return _beside_plan(text, read)
    if (moved is None and compares is None) or not (what := _what(text)):
        return None
    times = _times(text) or _since(text, what, read)
    if times is None:
        return _in_one_sentence(what, moved, read) if asks_change(form) else None
    found = _at_both(what, times, read)
    if found is None:
        return None
    words = _words(what, read)
    tells = all(_tells(words, v.sentences[0], read.view) >= HELD for v in found.values)
    found = replace(found, guessed=not tells or not found.counts(text, read.view))
    less = compares is not None and compares["word"].casefold() in LEAST_NUMBER
    if _WHICH.search(text) or _OR.search(text):
        if not found.grew or compares is None:
            return None
        return found.told(written(times[(found.grew > 0) != less]))
    falls = moved["down"] is not None if moved else less
    back = moved is None and _earlier_first(text, times)
    grew = -found.grew if back else found.grew
    either = moved is not None and moved["up"] is None and moved["down"] is None  # "changed"
    right = bool(grew) if either else grew < 0 if falls else grew > 0
    if _HOW_MUCH.search(text):
        amount = amount_written(abs(found.grew), found.values[1])
        return found.told(amount) if right else None
    return found.told("yes" if right else "no") if form.kind == "yes-no" else None


def _asks_plan(text: str) -> bool:
    return _HOW_MUCH.search(text) is not None and _PLANNED.search(text) is not None


def _times(text: str) -> tuple[Time, Time] | None:
    """Return the two times that a question names, the earlier one first: both of a year, or two
    months."""
    named = list(
        dict.fromkeys(one for at, _, one in moments_in(text) if _AT_TIME.search(f" {text[:at]}"))
    )
    if len(named) == 1 and named[0][0] and _EARLIER.search(text):
        year, *rest = named[0]
        named.append((year - 1, *rest))
    if len({bool(one[0]) for one in named}) != 1 or len(named) != 2:
        return None
    first, second = sorted(named)
    return first, second


def _since(text: str, what: str, read: ReadEvidence) -> tuple[Time, Time] | None:
    """Return the time since when something is asked, and the latest year of what is told of it."""
    named = [one for _, _, one in moments_in(text) if one[0]]
    if len(named) != 1 or not _SINCE.search(text):
        return None
    view, words = read.view, _words(what, read)
    told = (
        text
        for place, one in enumerate(view.sentences)
        if view.covered_by(words, place) >= HELD
        for text in (one.title, one.parse.text)
    )
    latest = max((one[0] for text in told for _, _, one in moments_in(text)), default=0.0)
    return (named[0], (latest,)) if latest > named[0][0] else None


def _earlier_first(text: str, times: tuple[Time, Time]) -> bool:
    """Whether the later time stands behind "than": "fewer in 2012 than in 2016"."""
    than = text.casefold().rfind(" than ")
    behind = [one for start, _, one in moments_in(text) if start > than]
    return than >= 0 and bool(behind) and behind[0] == times[1]


def _what(text: str) -> str:
    """Return what is counted or measured, without times, and without what asks and compares:
    "visitors to the clock museum"."""
    for start, end, _ in sorted(moments_in(text), reverse=True):
        text = f"{text[:start]}{_TIME}{text[end:]}"
    for asks in (_BEFORE_TIME, _EARLIER, _HOW_MUCH, _WHICH, _COMPARES, _MOVED, _AUXILIARY):
        text = asks.sub(" ", text)
    return re.sub(r"\s+", " ", text).strip(" ?,")


def _words(what: str, read: ReadEvidence) -> tuple[str, ...]:
    """Return the words that tell what is counted or measured."""
    return content_words(parsed_question(what, read).tokens)


def _tells(words: Sequence[str], place: int, view: EvidenceView) -> float:
    """Return the share of words that a sentence, or the one before it, holds beside its title."""
    here = [word for word in words if not family(word) & view.context_lemmas[place]]
    return view.covered_by(here, place) if here else 1.0


def _at_both(what: str, times: tuple[Time, Time], read: ReadEvidence) -> _Two | None:
    """Return the likeliest two amounts of one unit, one of each time."""
    first, second = (_at(what, time, read) for time in times)
    pairs = [
        (one.score + other.score + ALIKE * _alike(one, other, read.view), one, other)
        for one in first
        for other in second
        if one.unit == other.unit and (one.text, one.sentences) != (other.text, other.sentences)
    ]
    if not pairs:
        return None
    _, one, other = max(pairs, key=lambda pair: pair[0])
    return _Two(times, (one, other))


def _alike(one: Value, other: Value, view: EvidenceView) -> bool:
    """Whether two amounts stand in one column, or sentence, or count the same by the words behind
    them."""
    (column, noun), (its_column, its_noun) = (_counted(value, view) for value in (one, other))
    if max(column, its_column) >= 0:
        return column == its_column
    return one.sentences == other.sentences or (bool(noun) and noun == its_noun)


def _counted(value: Value, view: EvidenceView) -> tuple[int, str]:
    """Return the column that an amount stands in, -1 for none, and the stem of the word behind its
    number."""
    text = view.sentences[value.sentences[0]].parse.text
    before, _, _ = text.partition(value.text)
    number = _NUMBERED.match(text, len(before))
    noun = stem(number[1].casefold()) if number and number[1] else ""
    return (before.count("|") if "|" in text else -1), noun


def _at(what: str, time: Time, read: ReadEvidence) -> list[Value]:
    """Return what the evidence may mean by an amount at a time: of sentences that name the time, or
    stand under it."""
    view = read.view
    under = [next(iter(times_in(one.title, time)), None) for one in view.sentences]
    places = [
        place
        for place, one in enumerate(view.sentences)
        if any(
            is_at(time, own)
            for own in (*times_in(one.parse.text, time), *filter(None, [under[place]]))
        )
        or YEAR_BEFORE.search(one.parse.text)
    ]
    wanted = _words(what, read)
    pounds = any("£" in one.parse.text for one in view.sentences)

    def is_told(value: Value) -> bool:
        (place,) = value.sentences
        own = time_of(value.text, view.sentences[place].parse.text, time, under[place])
        cell, _, _ = value.text.partition("|")
        alone = ":" not in cell and len(re.findall(DIGITS, cell)) == 1
        here = own is not None and is_at(time, own)
        return alone and here and view.covered_by(wanted, place) >= HELD

    return _amounts(f"What was {what} in {written(time)}?", places, read, is_told, money=pounds)


def _amounts(
    question: str,
    places: list[int],
    read: ReadEvidence,
    is_told: Callable[[Value], bool],
    *,
    money: bool,
) -> list[Value]:
    """Return the amounts of some sentences that may answer a question, the likeliest first."""
    asked = understand(parsed_question(question, read))
    asked = replace(asked, classes=frozenset({"NUMBER"}), measures=frozenset())
    part = Asked(asked, read.embedded([question])[0])
    ranked = rank_candidates([part], read.view.restricted(places), LIKELY)[0]
    values = (value_in(one, read, money=money) for one in ranked)
    return [value for value in values if value is not None and is_told(value)]


def _in_one_sentence(what: str, moved: re.Match[str] | None, read: ReadEvidence) -> Compared | None:
    """Return by how much something changed where a sentence says it "from 150 to 400 crowns"."""
    view = read.view
    words = _words(what, read)
    telling = [
        place for place, _ in enumerate(view.sentences) if _tells(words, place, view) >= HELD
    ]
    for place in sorted(telling, key=lambda place: -view.covered(words, [place])):
        found = _from_to(view.sentences[place].parse.text, place)
        if found is None:
            continue
        old, new = found
        grew = new.numbers[0] - old.numbers[0]
        against = moved is not None and moved["down" if grew > 0 else "up"] is not None
        if not grew or against:
            return None
        return told_of_two(amount_written(abs(grew), new), (("before", old), ("then", new)))
    return None


def _from_to(text: str, place: int) -> tuple[Value, Value] | None:
    """Return what an amount was and what it became, as a sentence says it."""
    for pattern in _FROM_TO:
        found = pattern.search(text)
        amounts = [amount_in(found[name]) for name in ("old", "new")] if found else []
        dated = found and any(
            start < found.end("new") and found.start("old") < end
            for start, end, _ in moments_in(text)
        )
        if found and not dated and amounts[0] and amounts[1]:
            unit = amounts[0][1] or amounts[1][1]
            old, new = (
                Value((amount[0],), found[name].strip(), (place,), unit)
                for name, amount in zip(("old", "new"), amounts, strict=True)
                if amount
            )
            return old, new
    return None


def _beside_plan(text: str, read: ReadEvidence) -> Compared | None:
    """Return by how much a sum is over, or under, what was planned for it."""
    view = read.view
    words = tuple(
        word for word in understand(parsed_question(text, read)).words if stem(word) not in _PLANS
    )

    def is_told(value: Value) -> bool:
        return view.covered_by(words, value.sentences[0]) >= HELD

    plans = [place for place, own in enumerate(view.lemmas) if own & _PLANS]
    planned = _amounts(text, plans, read, is_told, money=True)
    everywhere = list(range(len(view.sentences)))
    spent = _amounts(f"What was the final cost? {text}", everywhere, read, is_told, money=True)
    for value in spent if planned else ():
        if value.unit == planned[0].unit and value.text != planned[0].text:
            grew = value.numbers[0] - planned[0].numbers[0]
            if not grew or (grew < 0) != (_UNDER.search(text) is not None):
                return None
            steps = (("planned", planned[0]), ("in the end", value))
            told = told_of_two(amount_written(abs(grew), value), steps)
            tells = all(_tells(words, place, view) >= HELD for place in told.carriers)
            return replace(told, guessed=told.guessed or not tells)
    return None
