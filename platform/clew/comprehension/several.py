"""What belongs to an answer where a question asks for several things.

They stand together with the best answer: in a sentence ("Ada Thorne, Evan Orr and Gwen Pell"), in
a list's lines, in a table's column. Or they stand in lines behind a sentence that calls them as the
question does ("We have six centers:"). Or each is what a document is about: the films of a director
whose own pages say so.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from typing import Literal

from clew.comprehension.annotation import Token
from clew.comprehension.candidates import ENDED, Candidate, EvidenceSentence, without_marks
from clew.comprehension.evidence_view import EvidenceView
from clew.comprehension.lexicon import DEFINITION, LABELS, VALUE_LABELS, classes_of
from clew.comprehension.lines import LABEL
from clew.comprehension.marks import MARKED
from clew.comprehension.naming import QUALIFIER
from clew.comprehension.question_form import QuestionForm
from clew.comprehension.stems import stem
from clew_ingest.parsing.entity_names import display_name, normalise_name

JOINING = frozenset({"and", "or", "&"})
SEPARATORS = JOINING | {",", ";", "/"}
_PASSED = frozenset({"DET", "PUNCT", "ADP", "ADV", "SPACE"})
"""Parts of speech before an item: "as well as the", quotation marks."""
LONGEST_LINE, LONGEST_NAME = 12, 6
"""Words of a list's line, the most, and of an item of which the line says more."""
_EXPLAINED = re.compile(r"(?:: | [-–—] ).*$")
"""What a list's line says of its item."""
TOLD = 1 / 3
"""The least share of what is asked, beside names, that a document tells of what it is about, or the
sentence that leads a list in."""
FIRST = 2
"""Sentences of a document, of which one says what it is about."""
NUMBERS = ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
WORDS_BEFORE = 4
"""Words before a noun among which its number stands: "four different levels"."""
SURE_TYPES = frozenset({"PERSON", "GPE", "NORP", "LANGUAGE"})
"""Types of entities that the parser tells from others most surely."""

_WORD = re.compile(r"\w+")
_DECADE = re.compile(r"\d{3}0s")

Find = Callable[[tuple[int, int]], Candidate | None]


By = Literal["reader", "led", "about"]


@dataclass(frozen=True)
class Things:
    """What is asked for, and how it was found: by what the ``reader`` takes for the best answer,
    behind a sentence that ``led`` it in, or as what documents are ``about``.
    """

    items: tuple[Candidate, ...]
    by: By = "reader"


def things_asked_for(form: QuestionForm, best: Candidate, view: EvidenceView) -> Things:
    """Return all that is asked for; ``best`` alone where that is one thing.

    Who did something may have been several, though no plural says so.
    """
    person = best.label in {"PERSON", MARKED} or best.holding == "PERSON"
    who = form.classes == {"PERSON"} and not form.focus and person
    if not form.several and not who and not _is_list(best, view):
        return Things((best,))
    found = _together(form, best, view)
    if not form.several:
        return Things(_distinct(form, found) or (best,))
    listed, titled = _led(form, view), _about(form, view)
    fits = len(found) > 1 and not clashes(form, best)
    titles = {one.key for one in titled}
    apart = not titles & {one.key for one in found}
    if len(titled) > 1 and apart and (not fits or form.classes & {"PLACE", "WORK"}):
        return Things(_distinct(form, titled), "about")
    if listed and not fits:
        return Things(_distinct(form, listed), "led")
    if titled and (best.key in titles or not fits):
        found = titled if best.key not in titles else [*found, *titled]
        return Things(_distinct(form, found), "about")
    if titled and fits:
        found = [*found, *titled]
    return Things(_distinct(form, found) or (best,))


def _is_list(best: Candidate, view: EvidenceView) -> bool:
    """Say whether the best answer itself is a list, "Richard, Robert, and Jordan"."""
    tokens = view.sentences[best.sentence].parse.tokens[best.first : best.last]
    return best.label == MARKED and not best.implicit and _separated(tokens)


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


def _together(form: QuestionForm, best: Candidate, view: EvidenceView) -> list[Candidate]:
    """Return the items of the list that ``best`` stands in, in their order; it alone where that is
    none.
    """
    if best.implicit:
        return [best]
    if best.field and len(view.sentences[best.sentence].fields) > 1:
        return _in_rows(form, best, view)
    return _in_lines(form, best, view) or _in_sentence(best, view) or [best]


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
    """Return the question's words that carry meaning, without those of names and titles."""
    question = normalise_name(form.text)
    named = {stem(word) for name in form.names for word in name.split()}
    return [
        word
        for word in form.words
        if word[:4] in question and stem(word) not in named and f"{word}s" not in form.names
    ]


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
        if (_opens(sentence) or count is not None) and told >= TOLD and told > most:
            items = _behind(index, count, view)
            if len(items) > 1:
                best, most = items, told
    return best


def _opens(sentence: EvidenceSentence) -> bool:
    return sentence.parse.text.rstrip().endswith(":") or "following" in sentence.key.split()


def _kin_in(form: QuestionForm, sentence: EvidenceSentence) -> int | None:
    """Return the first token that is called as what the question asks for."""
    stems = enumerate(sentence.parse.stems)
    return next((index for index, own in stems if own in form.kin), None)


def _behind(lead: int, count: int | None, view: EvidenceView) -> list[Candidate]:
    """Return the items in the lines behind a sentence, which stand together or have more said of
    them in between; ``count``: the most, None: as far as they stand together.
    """
    sentences, found = view.sentences, list[Candidate]()
    for index in range(lead + 1, len(sentences)):
        if sentences[index].chunk != sentences[lead].chunk or len(found) == count:
            break
        item = _of_line(index, view) if _is_line(sentences[index]) else None
        if item is not None:
            found.append(item)
        elif not found or count is None:
            break
    return found


def _number(word: str) -> int | None:
    """Return how many a word says; None for those that are no small number."""
    if word.isdigit():
        return int(word)
    return NUMBERS.index(word.casefold()) + 2 if word.casefold() in NUMBERS else None


def _in_rows(form: QuestionForm, best: Candidate, view: EvidenceView) -> list[Candidate]:
    """Return the cells of the column that ``best`` stands in, of rows that say as much of what is
    asked as its own.
    """
    asked = [*form.words, *sorted(form.kin)]

    def told(index: int) -> float:
        return view.covered(asked, [index])

    least, chunk = told(best.sentence), view.sentences[best.sentence].chunk
    cells = [
        one
        for one in view.candidates
        if one.field == best.field and view.sentences[one.sentence].chunk == chunk
    ]
    found: dict[int, Candidate] = {}
    for one in cells:
        longest = found.get(one.sentence)
        if longest is None or len(one.text) > len(longest.text):
            found[one.sentence] = one
    return [one for index, one in sorted(found.items()) if told(index) >= least] or [best]


def _in_sentence(best: Candidate, view: EvidenceView) -> list[Candidate]:
    """Return the items that commas and "and" join to ``best``, or that it is made of; none where
    nothing is joined.
    """
    tokens = view.sentences[best.sentence].parse.tokens
    items = _items(best, view)
    parts = _parts(tokens, items)
    here = [i for i, (first, last) in enumerate(parts) if first < best.last and best.first < last]
    if not here:
        return []
    begins, ends = _beginning(items, tokens), _ending(items, tokens)
    found: dict[int, Candidate] = {}
    if len(here) == 1:
        found[here[0]] = best
    else:
        found = {i: one for i in here[1:] if (one := begins(parts[i]))}
        first = ends(parts[here[0]])
        if first is not None:
            found[here[0]] = first
    if not found:
        return []
    at = max(found)
    while at + 1 < len(parts) and _reaches(ends(parts[at]), found[at]):
        following = begins(parts[at + 1])
        if following is None:
            break
        at += 1
        found[at] = following
    at = min(found)
    while at > 0 and _reaches(begins(parts[at]), found[at]):
        before = ends(parts[at - 1])
        if before is None:
            break
        at -= 1
        found[at] = before
    low, high = min(found), max(found)
    between = {token.text.casefold() for token in tokens[parts[low][1] : parts[high][0]]}
    one_span = best.first <= found[low].first and found[high].last <= best.last
    if len(found) < 2 or (len(found) == 2 and not one_span and not between & JOINING):
        return []  # "Paris, France"
    return [found[i] for i in sorted(found)]


def _reaches(edge: Candidate | None, item: Candidate) -> bool:
    return edge is not None and edge.first < item.last and item.first < edge.last


def _items(best: Candidate, view: EvidenceView) -> list[Candidate]:
    """Return the candidates of the sentence that can be items beside ``best``: names beside a name,
    values beside a value.
    """
    tokens = view.sentences[best.sentence].parse.tokens

    def kind(one: Candidate) -> str:
        if one.label in VALUE_LABELS:
            return "value"
        return "name" if any(c.isupper() or c.isdigit() for c in one.text) else "noun"

    return [
        one
        for one in view.candidates
        if one.sentence == best.sentence
        and not one.implicit
        and one.label != DEFINITION
        and kind(one) == kind(best)
        and (one.label == "QUOTED" or not _separated(tokens[one.first : one.last]))
    ]


def _separated(tokens: Sequence[Token]) -> bool:
    return any(token.text.casefold() in SEPARATORS for token in tokens)


def _parts(tokens: Sequence[Token], items: Sequence[Candidate]) -> list[tuple[int, int]]:
    """Return tokens [first, last) between the separators, without those within quotations."""
    quoted = {i for one in items if one.label == "QUOTED" for i in range(one.first, one.last)}
    found, first = [], 0
    for index, token in enumerate(tokens):
        if token.text.casefold() in SEPARATORS and index not in quoted:
            found.append((first, index))
            first = index + 1
    found.append((first, len(tokens)))
    return [(first, last) for first, last in found if first < last]


def _beginning(items: Sequence[Candidate], tokens: Sequence[Token]) -> Find:
    def find(part: tuple[int, int]) -> Candidate | None:
        passed = takewhile(lambda i: tokens[i].pos in _PASSED, range(*part))
        starts = {part[0], *(i + 1 for i in passed)}
        own = [one for one in items if one.first in starts and one.last <= part[1]]
        return max(own, key=lambda one: (one.last - one.first, one.label != "NOUN"), default=None)

    return find


def _ending(items: Sequence[Candidate], tokens: Sequence[Token]) -> Find:
    def find(part: tuple[int, int]) -> Candidate | None:
        last = part[1]
        while last > part[0] and tokens[last - 1].pos == "PUNCT":
            closes = tokens[last - 1].text == ")"
            last -= 1
            if closes:
                last = next(
                    (i for i in range(last - 1, part[0], -1) if tokens[i].text == "("), last
                )
        own = [one for one in items if one.first >= part[0] and last <= one.last <= part[1]]
        return max(own, key=lambda one: (one.last - one.first, one.label != "NOUN"), default=None)

    return find


def _in_lines(form: QuestionForm, best: Candidate, view: EvidenceView) -> list[Candidate]:
    """Return the lines of the list that ``best`` stands in as items, where what stands above calls
    them as the question does or leads them in; else none.
    """
    sentences, chunk = view.sentences, view.sentences[best.sentence].chunk

    def of_list(index: int) -> bool:
        same = 0 <= index < len(sentences) and sentences[index].chunk == chunk
        return same and _is_line(sentences[index])

    if not of_list(best.sentence):
        return []
    low = high = best.sentence
    while of_list(low - 1):
        low -= 1
    while of_list(high + 1):
        high += 1
    above = low > 0 and sentences[low - 1].chunk == chunk and _opens(sentences[low - 1])
    headed = any(form.kin & view.context_lemmas[i] for i in (low, high))
    if low == high or not (above or headed):
        return []
    return [one for i in range(low, high + 1) if (one := _of_line(i, view))]


def _is_line(sentence: EvidenceSentence) -> bool:
    text = LABEL.sub("", sentence.parse.text).strip()
    item = _EXPLAINED.sub("", text)
    if len(sentence.fields) > 1 or not item:
        return False
    if item != text:
        return len(item.split()) <= LONGEST_NAME and item[0].isupper()
    return len(text.split()) <= LONGEST_LINE and not ENDED.search(text)


def _of_line(index: int, view: EvidenceView) -> Candidate | None:
    """Return the item that a list's line is: the line, or the name that it begins with."""
    sentence, candidates = view.sentences[index], view.candidates
    text = LABEL.sub("", sentence.parse.text).strip()
    shown = display_name(QUALIFIER.sub("", _EXPLAINED.sub("", text)).strip(" *_"))
    if not shown:
        return None
    item = Candidate(shown, normalise_name(shown), "NAME", index, 0, len(sentence.parse.tokens))
    leading = [
        one
        for one in candidates
        if one.sentence == index and one.first == 0 and one.label in SURE_TYPES | {"ORG", "NAME"}
    ]
    name = max(leading, key=lambda one: len(one.text), default=None)
    if name is not None and len(shown.split()) > LONGEST_NAME / 2 + len(name.text.split()):
        return name  # "PagerDuty to send what is urgent"
    return replace(item, label="NAME" if shown[:1].isupper() else "NOUN")
