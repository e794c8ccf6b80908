"""Lists as texts write them: what belongs to an item in its sentence ("Ada Thorne, Evan Orr and
Gwen Pell"), in the lines around it, in its column of a table; and what a sentence leads in.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import takewhile

from clew.comprehension.annotation import Token
from clew.comprehension.candidates import ENDED, Candidate, EvidenceSentence
from clew.comprehension.evidence_view import EvidenceView
from clew.comprehension.lexicon import DEFINITION, SURE_TYPES, VALUE_LABELS
from clew.comprehension.lines import LABEL
from clew.comprehension.naming import QUALIFIER
from clew.comprehension.question_form import QuestionForm
from clew_ingest.parsing.entity_names import display_name, normalise_name

JOINING = frozenset({"and", "or", "&"})
SEPARATORS = JOINING | {",", ";", "/"}
_PASSED = frozenset({"DET", "PUNCT", "ADP", "ADV", "SPACE"})
"""Parts of speech before an item: "as well as the", quotation marks."""
LONGEST_LINE, LONGEST_NAME = 12, 6
"""Words of a list's line, the most, and of an item of which the line says more."""
_EXPLAINED = re.compile(r"(?:: | [-–—] ).*$")
"""What a list's line says of its item."""

Find = Callable[[tuple[int, int]], Candidate | None]
"""Finds an item in tokens [first, last)."""


def together(form: QuestionForm, best: Candidate, view: EvidenceView) -> list[Candidate]:
    """Return the items of the list that ``best`` stands in, in their order; it alone where that is
    none.
    """
    if best.implicit:
        return [best]
    if best.field and len(view.sentences[best.sentence].fields) > 1:
        return _in_rows(form, best, view)
    return _in_lines(form, best, view) or _in_sentence(best, view) or [best]


def leads_in(sentence: EvidenceSentence) -> bool:
    """Say whether a list follows a sentence by its own words."""
    return sentence.parse.text.rstrip().endswith(":") or "following" in sentence.key.split()


def items_behind(lead: int, count: int | None, view: EvidenceView) -> list[Candidate]:
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
        and (one.label == "QUOTED" or not is_separated(tokens[one.first : one.last]))
    ]


def is_separated(tokens: Sequence[Token]) -> bool:
    """Say whether there are several items in tokens."""
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
    above = low > 0 and sentences[low - 1].chunk == chunk and leads_in(sentences[low - 1])
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
