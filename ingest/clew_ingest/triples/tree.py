"""A parsed text as plain lists, so that the rules walk it quickly and without recursion."""

from dataclasses import dataclass
from typing import Any

from clew_ingest.parsing.entity_names import display_name, is_entity_name, normalise_name
from clew_ingest.parsing.mentions import VALUE_TYPES

QUOTED_WORDS = 10
"""Words of the longest span in quotes that is taken for a name."""

BRACKET_WORDS = 60
"""Words of the longest brackets that are set apart."""

_OPENING = frozenset({'"', "“", "``", "«"})
_CLOSING = frozenset({'"', "”", "''", "«", "»"})
_LISTING = _OPENING | _CLOSING | {",", ";", "and", "or", "&"}
_NOT_FIRST = frozenset(
    """the a an between from since about approximately around over nearly its his her their this
    that these those our my""".split()  # noqa: SIM905
)


@dataclass(frozen=True)
class Name:
    """The tokens [start, end) that name an entity. ``surface`` is cleaned, ``key`` its key."""

    start: int
    end: int
    surface: str
    key: str
    type: str


class Tree:
    """The words of a spaCy ``Doc`` with their labels, heads and children, by place in the text.

    Names are the title's, where the text has it, then what stands in quotes, then the
    recogniser's; the earlier kind wins where two overlap. ``sentence_of`` counts the sentences
    that hold more than white space, as the parser of the product does.
    """

    def __init__(self, document: Any, title: str) -> None:
        self.text: str = document.text
        self.words: list[str] = []
        self.lower: list[str] = []
        self.deps: list[str] = []
        self.heads: list[int] = []
        self.offsets: list[int] = []
        for token in document:
            word = token.text
            self.words.append(word)
            self.lower.append(word.lower())
            self.deps.append(token.dep_)
            self.heads.append(token.head.i)
            self.offsets.append(token.idx)
        self.children: list[list[int]] = [[] for _ in self.words]
        for place, head in enumerate(self.heads):
            if head != place:
                self.children[head].append(place)
        self.sentences: list[tuple[int, int]] = []
        self.sentence_of: list[int] = [0] * len(self.words)
        for span in document.sents:
            if span.text.strip():
                for place in range(span.start, span.end):
                    self.sentence_of[place] = len(self.sentences)
                self.sentences.append((span.start, span.end))
        self.bracket_of = self._mark_brackets()
        self.title_key = normalise_name(title)
        self.name_at: list[Name | None] = [None] * len(self.words)
        self._mark_names(document, title)
        self.quoted_lists = self._quoted_lists()

    def span(self, start: int, end: int) -> str:
        """Return the text of the tokens [start, end)."""
        return self.text[self.offsets[start] : self.offsets[end - 1] + len(self.words[end - 1])]

    def child(self, place: int, *deps: str) -> int | None:
        """Return the first child of a token with one of these labels."""
        return next((c for c in self.children[place] if self.deps[c] in deps), None)

    def all_children(self, place: int, *deps: str) -> list[int]:
        """Return the children of a token with one of these labels, in order."""
        return [child for child in self.children[place] if self.deps[child] in deps]

    def _mark_brackets(self) -> list[int | None]:
        """Return for each token the opening of the brackets that it stands in, or None."""
        opening: list[int | None] = []
        open_at: int | None = None
        for place, word in enumerate(self.words):
            if word == "(" and ")" in self.words[place : place + BRACKET_WORDS]:
                open_at = place
            opening.append(open_at)
            if word == ")":
                open_at = None
        return opening

    def _mark_names(self, document: Any, title: str) -> None:
        entities = [(entity.start, entity.end, entity.label_) for entity in document.ents]
        type_at = {p: label for start, end, label in entities for p in range(start, end)}
        for start, end in [*self._title_spans(title), *self._quoted_spans()]:
            self._add_name(start, end, type_at.get(end - 1, ""))
        for start, end, label in entities:
            self._add_name(start, end, label)

    def _add_name(self, start: int, end: int, type_: str) -> None:
        while start < end - 1 and self.lower[start] in _NOT_FIRST and self.words[start].islower():
            start += 1
        if self._is_numbered(start, end):
            end += 1
        while type_ not in VALUE_TYPES and self._continues_left(start, end):
            start -= 1
        surface = display_name(self.span(start, end))
        if any(self.name_at[start:end]) or not is_entity_name(surface):
            return
        name = Name(start, end, surface, normalise_name(surface), type_)
        self.name_at[start:end] = [name] * (end - start)

    def _is_numbered(self, start: int, end: int) -> bool:
        """Say whether a number ends the name: "Route" of "Route 52"; not "World Cup 4 times"."""
        if end >= len(self.words) or self.deps[end] != "nummod":
            return False
        counted = end + 1 < len(self.words) and self.words[end + 1].islower()
        return self.heads[end] in range(start, end) and (
            not counted or self.deps[end + 1] not in ("npadvmod", "dobj", "nsubj")
        )

    def _continues_left(self, start: int, end: int) -> bool:
        """Say whether the recogniser left out a name's first word: "Sadiq" of "Sadiq Khan"."""
        before = start - 1
        return (
            before > 0
            and self.deps[before] == "compound"
            and self.heads[before] in range(start, end)
            and self.words[before][:1].isupper()
            and self.name_at[before] is None
            and self.sentence_of[before] == self.sentence_of[before - 1]
        )

    def _title_spans(self, title: str) -> list[tuple[int, int]]:
        name = title.split(" (")[0]
        spans = self._spans_of(name)
        return spans or self._spans_of(name.split(",")[0])

    def _spans_of(self, name: str) -> list[tuple[int, int]]:
        wanted = [word.lower() for word in name.split()]
        if not wanted:
            return []
        spans = []
        for first in range(len(self.words)):
            # The title's words may be several tokens each ("X's", "Jr."): compared without blanks.
            if not self.words[first][:1].isupper() or not wanted[0].startswith(self.lower[first]):
                continue
            goal = "".join(wanted)
            built, last = "", first
            while last < len(self.words) and len(built) < len(goal):
                built += self.lower[last]
                last += 1
            if built == goal:
                spans.append((first, last))
        return spans

    def _quoted_spans(self) -> list[tuple[int, int]]:
        spans, opened = [], None
        for place, word in enumerate(self.words):
            if opened is not None and word in _CLOSING:
                inner = (opened + 1, place)
                if 0 < place - opened - 1 <= QUOTED_WORDS and self._looks_like_name(*inner):
                    spans.append(inner)
                opened = None
            elif word in _OPENING:
                opened = place
        return spans

    def _quoted_lists(self) -> dict[int, list[int]]:
        """Return, by each name's first token, the last tokens of the list in quotes it is in."""
        lists: dict[int, list[int]] = {}
        last: Name | None = None
        for start, _ in self._quoted_spans():
            name = self.name_at[start]
            if name is None or name.start != start:
                last = None
                continue
            between = self.lower[last.end : start] if last is not None else []
            if last is not None and set(between) <= _LISTING and len(set(between)) > 1:
                lists.setdefault(last.start, [last.end - 1]).append(name.end - 1)
                lists[start] = lists[last.start]
            last = name
        return lists

    def _looks_like_name(self, start: int, end: int) -> bool:
        first = next((word for word in self.words[start:end] if word[0].isalnum()), "")
        return first[:1].isupper() or first[:1].isdigit()
