"""What belongs to an answer where a question asks for several things.

They stand together with the best answer: in a sentence ("Ada Thorne, Evan Orr and Gwen Pell"), in
a list's lines, in a table's column. Or they stand in lines behind a sentence that calls them as the
question does ("We have six centers:"). Or each is what a document is about: the films of a director
whose own pages say so.
"""

import re
from calendar import day_name, month_name
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from clew.comprehension.candidates import Candidate, EvidenceSentence, without_marks
from clew.comprehension.evidence_view import EvidenceView
from clew.comprehension.lexicon import CODE, LABELS, SURE_TYPES, classes_of
from clew.comprehension.lists import is_separated, items_behind, leads_in, together
from clew.comprehension.marks import MARKED
from clew.comprehension.naming import QUALIFIER
from clew.comprehension.question_form import QuestionForm
from clew_ingest.parsing.entity_names import normalise_name

TOLD = 1 / 3
"""The least share of what is asked, beside names, that a document tells of what it is about, or the
sentence that leads a list in."""
FIRST = 2
"""Sentences of a document, of which one says what it is about."""
NUMBERS = ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
WORDS_BEFORE = 4
"""Words before a noun among which its number stands: "four different levels"."""

_CALENDAR = frozenset(map(str.casefold, (*day_name, *month_name[1:])))
_WORD = re.compile(r"\w+")
_DECADE = re.compile(r"\d{3}0s")

By = Literal["reader", "led", "about"]


@dataclass(frozen=True)
class Things:
    """What is asked for, and how it was found: by what the ``reader`` takes for the best answer,
    behind a sentence that ``led`` it in, or as what documents are ``about``.
    """

    items: tuple[Candidate, ...]
    by: By = "reader"


def things_asked_for(form: QuestionForm, best: Candidate, view: EvidenceView) -> Things:
    """Return all that is asked for; ``best`` alone where that is one thing, or the cell of a row
    that was looked up, or is joined to another.

    Who did something may have been several, though no plural says so.
    """
    person = best.label in {"PERSON", MARKED} or best.holding == "PERSON"
    who = form.classes == {"PERSON"} and not form.focus and person
    row = best.told > 0 and (form.several or best.by >= 0)
    if row or (not form.several and not who and not _is_list(best, view)):
        return Things((best,))
    found = together(form, best, view)
    if "PERSON" in form.classes:  # "Ada <ada@example.org>"
        found = [one for one in found if one.label != CODE]
    things = _of_several(form, best, found, view) if form.several else Things(tuple(found))
    items = _distinct(form, things.items)
    return Things(items, things.by) if items else Things((best,))


def _of_several(
    form: QuestionForm, best: Candidate, found: Sequence[Candidate], view: EvidenceView
) -> Things:
    """Return what a plural asks for; ``found``: the list that ``best`` stands in."""
    listed, titled = _led(form, view), _about(form, view)
    fits = len(found) > 1 and not clashes(form, best)
    titles = {one.key for one in titled}
    apart = not titles & {one.key for one in found}
    if len(titled) > 1 and apart and (not fits or form.classes & {"PLACE", "WORK"}):
        return Things(tuple(titled), "about")
    if listed and not fits:
        return Things(tuple(listed), "led")
    if best.key in titles:
        return Things((*found, *titled), "about")
    if titled and not fits:
        return Things(tuple(titled), "about")
    return Things((*found, *titled))


def _is_list(best: Candidate, view: EvidenceView) -> bool:
    """Say whether the best answer itself is a list, "Richard, Robert, and Jordan"."""
    tokens = view.sentences[best.sentence].parse.tokens[best.first : best.last]
    return best.label == MARKED and not best.implicit and is_separated(tokens)


def _distinct(form: QuestionForm, found: Sequence[Candidate]) -> tuple[Candidate, ...]:
    """Return what the question does not name itself, each once, by its longest name."""
    question = f" {without_marks(normalise_name(form.text))} "
    items: list[Candidate] = []
    for one in found:
        key = without_marks(one.key)
        if f" {key} " in question:
            continue
        same = [o for o in items if _is_of(key, o.key) or _is_of(o.key, key)]
        if not same:
            items.append(one)
        elif one.label == "TITLE" or all(len(o.key) < len(key) for o in same):
            items[items.index(same[0])] = one
            items = [o for o in items if o not in same]
    return tuple(items)


def _is_of(short: str, long: str) -> bool:
    if re.sub(r"\W+", "", short) == re.sub(r"\W+", "", long):
        return True
    rest = f" {long} ".replace(f" {short} ", " ", 1)
    return len(rest) < len(long) + 2 and not re.search(r"\d", rest)  # "La Boum 2" is another


def clashes(form: QuestionForm, found: Candidate) -> bool:
    """Say whether what was found is of another kind than what is asked for: a person for a film."""
    asked = frozenset[str]().union(*(LABELS[name] for name in form.classes))
    return bool(asked) and found.label in SURE_TYPES - asked


def _about(form: QuestionForm, view: EvidenceView) -> list[Candidate]:
    """Return the titles of documents that say to be about one of what is asked for, hold all names
    of the question, and at least TOLD of the rest; best passages first.
    """
    names = [name for name in map(without_marks, form.names) if name]
    if not form.focus or not names:
        return []
    asked, question = _asked(form), f" {without_marks(normalise_name(form.text))} "
    passages: defaultdict[int, list[int]] = defaultdict(list)
    for index, sentence in enumerate(view.sentences):
        passages[sentence.chunk].append(index)
    found: dict[str, Candidate] = {}
    for own in passages.values():
        first = view.sentences[own[0]]
        title = without_marks(first.title_key)
        if first.position or title in found or f" {title} " in question:
            continue
        text = " ".join([title, *(without_marks(view.sentences[i].key) for i in own)])
        begins = [view.sentences[i] for i in own[:FIRST]]
        says = _is_named(title, begins) and any(_is_called(form, one) for one in begins)
        if not says or not all(_holds(text, name) for name in names):
            continue
        if not asked or view.covered(asked, own) >= TOLD:
            shown = QUALIFIER.sub("", first.title)
            says_most = max(own, key=lambda i: (view.covered(form.words, [i]), -i))
            found[title] = Candidate(shown, title, "TITLE", says_most, 0, 1, implicit=True)
    return list(found.values())


def _is_named(title: str, begins: Sequence[EvidenceSentence]) -> bool:
    """Say whether most words of a title are told where a document begins: it is a name, and no
    heading as "Benefits and perks" is."""
    told = {word for one in begins for word in _WORD.findall(one.key)}
    words = _WORD.findall(title)
    return sum(word in told for word in words) >= max(1, len(words) / 2)


def _is_called(form: QuestionForm, sentence: EvidenceSentence) -> bool:
    """Say whether a sentence calls its subject as the question does: "is a film", "a comedy film"
    where comedies are asked for; a "film director" is no film.
    """
    tokens = sentence.parse.tokens
    for token, own in zip(tokens, sentence.parse.stems, strict=True):
        if own not in form.kin:
            continue
        if token.dep in {"compound", "nmod", "amod"}:
            token = tokens[token.head]
            if not classes_of(token.lemma) & form.classes:
                continue
        if token.dep in {"attr", "appos", "conj", "oprd", "ROOT"}:
            return True
    return False


def _asked(form: QuestionForm) -> list[str]:
    """Return what the question says itself beside names, titles and decades."""
    question = normalise_name(form.text)
    return [w for w in form.unnamed if w[:4] in question and f"{w}s" not in form.names]


def _holds(text: str, name: str) -> bool:
    """Say whether a text holds a name, or all its words, "Peru's Cusco Province", or a year of a
    decade, "the 1950s"."""
    if _DECADE.fullmatch(name):
        return re.search(rf"\b{name[:3]}\d\b", text) is not None
    words = {word.removesuffix("'s") for word in text.split()}
    return f" {name} " in f" {text} " or {w.removesuffix("'s") for w in name.split()} <= words


def _led(form: QuestionForm, view: EvidenceView) -> list[Candidate]:
    """Return the items in the lines behind a sentence that calls them as the question does: "We
    have six centers:"; none where there is no such list.
    """
    asked = [*_asked(form), *sorted(form.kin)]
    best, most = list[Candidate](), 0.0
    for index, sentence in enumerate(view.sentences):
        kin = _kin_in(form, sentence)
        if kin is None or len(sentence.fields) > 1:
            continue
        before = sentence.parse.tokens[max(0, kin - WORDS_BEFORE) : kin]
        count = next((n for token in before if (n := _number(token.text))), None)
        told = view.covered(asked, [index])
        if (leads_in(sentence) or count is not None) and told >= TOLD and told > most:
            items = items_behind(index, count, view)
            if len(items) > 1 and not (form.classes == {"DATE"} and any(map(_no_date, items))):
                best, most = items, told
    return best


def _no_date(item: Candidate) -> bool:
    return not any(map(str.isdigit, item.key)) and _CALENDAR.isdisjoint(item.key.split())


def _kin_in(form: QuestionForm, sentence: EvidenceSentence) -> int | None:
    """Return the first token that is called as what the question asks for."""
    stems = enumerate(sentence.parse.stems)
    return next((index for index, own in stems if own in form.kin), None)


def _number(word: str) -> int | None:
    """Return how many a word says; None for those that are no small number."""
    if word.isdecimal():
        return int(word)
    return NUMBERS.index(word.casefold()) + 2 if word.casefold() in NUMBERS else None
