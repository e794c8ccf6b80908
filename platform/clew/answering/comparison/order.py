"""Which of two events was earlier, told in clauses: "Was the roof repaired before the windows were
replaced?", "Was it built after 1900?", "Which came first, the flood or the vote?"."""

import re

from clew.answering.comparison.moments import SURE, moment_of, when
from clew.answering.comparison.outcome import Compared, told_of_two
from clew.answering.comparison.sides import options
from clew.answering.comparison.values import Value
from clew.comprehension.chains import parsed_question
from clew.comprehension.dates import moments_in
from clew.comprehension.question_form import QuestionForm, understand
from clew.comprehension.read_evidence import ReadEvidence

_ORDERED = re.compile(
    r"^(?P<one>(?P<be>was|were|did|had|has|have|is|are|do|does)\b.+?)\s+"
    r"(?P<order>before or after|before|after|when|by the time)\s+(?P<other>.+?)[?\s]*$",
    re.IGNORECASE,
)
_NOW = frozenset({"is", "are", "do", "does"})
_PRONOUN = re.compile(r"^(?:it|they|he|she)\b", re.IGNORECASE)
_ALREADY = re.compile(r"\b(?:already|yet)\s+", re.IGNORECASE)
_FIRST = re.compile(
    r"^(?:which|what)(?:\s+(?:of (?:these|the two)|event|one))?\s+"
    r"(?:happened|came|was|took place|occurred|began|started)\s+"
    r"(?P<order>first|earlier|last|later)\b",
    re.IGNORECASE,
)
_LATER = frozenset({"last", "later"})


def asks_order(form: QuestionForm) -> bool:
    """Whether a question asks if one thing was before another."""
    return _asked(form) is not None


def _asked(form: QuestionForm) -> re.Match[str] | None:
    """Return the parts of a question for an order of events: of what was, or of a date; not of what
    is to be: "Do I have to sign before I leave?"."""
    asked = _ORDERED.search(form.text)
    if asked is None:
        return None
    if asked["be"].casefold() in _NOW and _dated(asked["other"]) is None:
        return None
    told = asked["order"].casefold() in {"before or after", "before", "after"}
    return asked if told or _ALREADY.search(asked["one"]) else None


def clauses_in_order(form: QuestionForm, read: ReadEvidence) -> Compared | None:
    """Return whether what is asked was before or after what a clause tells, or a date; None where
    this is not asked, or the evidence does not tell both."""
    asked = _asked(form)
    if asked is None:
        return None
    question = f"When {_ALREADY.sub('', _lowered(asked['one']))}?"
    one, other = moment_of(question, read), _dated(asked["other"]) or _moment(asked, read)
    before = 0 if one is None or other is None else _compared(one, other)
    if one is None or other is None or not before:
        return None
    steps = ((question, one), (asked["other"], other))
    order = asked["order"].casefold()
    if order == "before or after":
        return told_of_two("before" if before < 0 else "after", steps, SURE)
    after = order == "after" and not _ALREADY.search(asked["one"])
    return told_of_two("yes" if before == (1 if after else -1) else "no", steps, SURE)


def came_first(form: QuestionForm, read: ReadEvidence) -> Compared | None:
    """Return which of two events a question asks for as the first, or the last; None where it
    asks otherwise, or the evidence does not tell both."""
    asked = _FIRST.search(form.text)
    events = options(form.text) if asked else ()
    if asked is None or len(events) < 2 or not all(events):
        return None
    one, other = (moment_of(when(event, read)[0], read) for event in events)
    if one is None or other is None or not (before := _compared(one, other)):
        return None
    last = asked["order"].casefold() in _LATER
    steps = tuple(zip(events, (one, other), strict=True))
    return told_of_two(events[int((before > 0) != last)], steps, SURE)


def _moment(asked: re.Match[str], read: ReadEvidence) -> Value | None:
    """Return when that was which stands behind "before"; of a phrase the likelier one of when it
    was and when the same was so of it: "did the east wing open after the café"."""
    sentence = parsed_question(asked["one"], read)
    tokens = sentence.tokens
    subject = next((i for i, t in enumerate(tokens) if t.dep in {"nsubj", "nsubjpass"}), None)
    first, last = (0, 0) if subject is None else sentence.subtree(subject)
    name = sentence.slice(first, last)
    other = _PRONOUN.sub(lambda _: name, asked["other"]) if name else asked["other"]
    question, is_phrase = when(other, read)
    questions = [question]
    if is_phrase and name:
        before, behind = sentence.text[: tokens[first].start], sentence.text[tokens[last - 1].end :]
        questions.append(f"When {_lowered(before)}{other}{behind}?")
    found = [(question, value) for question in questions if (value := moment_of(question, read))]

    def told(one: tuple[str, Value]) -> float:
        words = understand(parsed_question(one[0], read)).words
        return (one[1].span or 0.0) + read.view.covered_by(words, one[1].sentences[0])

    return max(found, key=told)[1] if found else None


def _dated(text: str) -> Value | None:
    """Return the date that a text is; None of one that tells more."""
    found = moments_in(text)
    if len(found) != 1 or not found[0][2][0]:
        return None
    start, end, numbers = found[0]
    rest = re.sub(r"\b(?:the|year|in|end|of)\b", "", text[:start] + text[end:]).strip(" ,?")
    return Value(numbers, text, ()) if not rest else None


def _compared(one: Value, other: Value) -> int:
    """Return -1, 0 or 1, earlier or later; 0 where the year of one alone is known."""
    if (one.numbers[0] == 0) != (other.numbers[0] == 0):
        return 0
    return one.compared(other)


def _lowered(text: str) -> str:
    return text[:1].lower() + text[1:]
