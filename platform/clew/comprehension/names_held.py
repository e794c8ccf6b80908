"""Which names of a question evidence about them must hold, and whether it does, in any form."""

import re

from clew.comprehension.amounts import is_a_value, is_money, unit_of
from clew.comprehension.candidates import without_marks
from clew.comprehension.dates import dates_of, otherwise_written
from clew.comprehension.evidence_view import EvidenceView
from clew.comprehension.lexicon import OF_NO_ONE
from clew.comprehension.naming import as_a_day, as_addressed, initialled
from clew.comprehension.question_form import QuestionForm
from clew_ingest.parsing.entity_names import normalise_name

_WHOSE = re.compile(r"(?:['’]s|(?<=s)['’])(?= )")
_WRITTEN = re.compile(r"\w[\w.,]*\w")


def unowned(text: str) -> str:
    """Return a normalised text without the endings that say whose something is, "st botulf's"."""
    return _WHOSE.sub("", text)


def things_named(form: QuestionForm) -> list[str]:
    """Return the keys of names that evidence about them must hold: values, "by 10pm", "a 5kg bag"
    and "EUR 20", it may well tell in other words."""
    values = {normalise_name(one) for one in _WRITTEN.findall(form.text) if is_a_value(one)}
    usual = {*OF_NO_ONE, *values}
    names = [name for name in map(without_marks, form.names) if name and name not in usual]
    return [name for name in names if not _is_money(name) and not _is_unit(name)]


def _is_unit(name: str) -> bool:
    return name.isalpha() and unit_of(name)[0] != ""


def _is_money(name: str) -> bool:
    currency, *figures = name.split()
    return is_money(currency) and not any(map(str.isalpha, "".join(figures)))


def _words_held(name: str, form: QuestionForm, text: str) -> float:
    """Return the share of the words that the text has of what the parser took for a name though it
    stands in small letters in the question, "visitor parking daily"; 0 of another name."""
    words = name.split()
    if len(words) < 2 or name not in form.text:
        return 0.0
    return sum(f" {word}" in text for word in words) / len(words)


def held_otherwise(name: str, text: str) -> bool:
    """Say whether a normalised text has a name in another form: by an initial, without the form of
    address, as another number of a day of the week, as a date written otherwise."""
    otherwise = (initialled, as_a_day, as_addressed, otherwise_written)
    return any(has(name, text) for has in otherwise)


def names_found(form: QuestionForm, view: EvidenceView) -> float:
    """The share of the names in the question that the evidence holds at all, half of one of which
    it has but the first name or the last, and of nobody else, and of a day or a month, on which
    something may be though it is told of the week; 1 without names.
    """
    text = unowned("".join(view.passages.values()))
    people = {one.key for one in view.candidates if one.label == "PERSON"}
    others = {word for key in people if " " in key for word in key.split()}
    alone = people - others
    found = [
        1.0
        if f" {name} " in text or held_otherwise(name, text)
        else max(
            0.5 * (bool(dates_of(name)) or not alone.isdisjoint(name.split())),
            _words_held(name, form, text),
        )
        for name in things_named(form)
    ]
    return sum(found) / len(found) if found else 1.0
