"""What a token stands for as the argument of a triple: the full name, or its noun phrase."""

import re
from dataclasses import dataclass

from clew_ingest.parsing.entity_names import display_name, is_entity_name, normalise_name
from clew_ingest.parsing.mentions import VALUE_TYPES
from clew_ingest.triples.coreference import Subject
from clew_ingest.triples.tree import Name, Tree
from clew_ingest.triples.word_lists import PRONOUNS, QUANTIFIERS, RELATIVE

PLACES = ("GPE", "LOC", "FAC")
"""Types of places."""

MAX_WORDS = 12
"""Words of the longest noun phrase that is an argument; a name may be longer."""

_INNER = frozenset({"amod", "compound", "nummod", "quantmod", "nmod", "poss", "case", "advmod"})
_INNER |= {"punct", "npadvmod", "cc", "conj"}
_NUMBER = re.compile(r"[\d.,:/%$€£ –-]+(?:st|nd|rd|th|s)?")
_EQUATING = frozenset(
    ("is", "was", "are", "were", "became", "becomes", "become", "becoming", "remains", "remained")
)
_STEPS = 6


@dataclass(frozen=True)
class Argument:
    """A head or tail: its text, the key that two spellings of it share, and its type."""

    text: str
    key: str
    type: str

    @property
    def is_value(self) -> bool:
        """Whether it is a date, a number or an amount, which is never a head."""
        return self.type in VALUE_TYPES or _NUMBER.fullmatch(self.text) is not None


class Arguments:
    """The arguments of one text. ``coreference``: whether pronouns are resolved or dropped."""

    def __init__(self, tree: Tree, subject: Subject, coreference: bool) -> None:
        self._tree = tree
        self._subject = subject
        self._coreference = coreference
        self._known: dict[int, Argument | None] = {}

    def of(self, place: int) -> Argument | None:
        """Return the argument that a token heads, or None where it has none that is safe."""
        if place not in self._known:
            self._known[place] = self._find(place)
        return self._known[place]

    def is_name(self, place: int) -> bool:
        """Say whether the token's argument is a name."""
        return self.name(place) is not None

    def is_named(self, place: int) -> bool:
        """Say whether the token's argument is a name or the document's subject."""
        found = self.of(place)
        return found is not None and (self.is_name(place) or found.key == self._subject.key)

    def name(self, place: int) -> Name | None:
        """Return the name that a token belongs to, or that stands directly after it."""
        tree = self._tree
        name = tree.name_at[place]
        if name is not None:
            return name
        follower = tree.name_at[place + 1] if place + 1 < len(tree.words) else None
        if follower is None and place + 2 < len(tree.words) and tree.words[place + 1] in '"“``':
            follower = tree.name_at[place + 2]
        if follower is not None and follower.type not in VALUE_TYPES:
            for child in tree.all_children(place, "appos"):
                if follower.start <= child < follower.end:
                    return follower
        return None

    def of_whole(self, place: int) -> Argument | None:
        """Return whose part "the editor" is where nothing says it: the document's subject."""
        tree = self._tree
        definite = any(tree.lower[child] == "the" for child in tree.children[place])
        if not (self._coreference and definite and self._subject.has_parts(place)):
            return None
        return self.subject_argument()

    def subject_argument(self) -> Argument:
        """Return the document's subject."""
        return Argument(self._subject.name, self._subject.key, self._subject.type)

    def referent(self, place: int) -> int:
        """Return the noun that a relative pronoun stands for; any other token is its own."""
        antecedent = self._antecedent(place)
        return place if antecedent is None else antecedent

    def identity(self, place: int) -> int:
        """Follow a noun to what the text says it is: "X is a city that …", "X, a city in …"."""
        tree = self._tree
        for _ in range(_STEPS):
            if self.is_name(place) and not self._indefinite(place):
                break
            antecedent = self._antecedent(place)
            if antecedent is not None:
                place = antecedent
                continue
            head = tree.heads[place]
            if tree.deps[place] == "attr" and tree.lower[head] in _EQUATING:
                subject = tree.child(head, "nsubj")
                if subject is None:
                    break
                place = subject
            elif (tree.deps[place] == "appos" and tree.name_at[head] is not None) or (
                tree.deps[place] == "conj" and tree.deps[head] in ("attr", "appos")
            ):
                place = head
            else:
                break
        return place

    def _indefinite(self, place: int) -> bool:
        """Whether a capitalised phrase is one of its kind: "an American Viticultural Area"."""
        return any(self._tree.lower[child] in ("a", "an") for child in self._tree.children[place])

    def conjuncts(self, place: int) -> list[int]:
        """Return a token and what "and", "or" or commas join to it, in order."""
        name, last = self._tree.name_at[place], place
        found = [place]
        if name is not None:
            # The parser often loses a list in quotes; what it joins to it besides still counts.
            found = list(self._tree.quoted_lists.get(name.start, found))
        for _ in range(60):
            following = self._tree.child(last, "conj")
            if following is None:
                following = self._listed(last)
            if following is None:
                break
            found.append(following)
            last = following
        return list(dict.fromkeys(found))

    def regions(self, place: int) -> list[Argument]:
        """Return the places that a place lies in: "Huntington, West Virginia, United States"."""
        tree, found = self._tree, []
        for _ in range(3):
            name = tree.name_at[place]
            if name is None or name.type not in PLACES or name.end + 1 >= len(tree.words):
                break
            place = name.end + 1
            region = tree.name_at[place]
            if tree.words[name.end] != "," or region is None or region.type not in PLACES:
                break
            if not any(tree.deps[p] == "appos" for p in range(region.start, region.end)):
                break
            found.append(Argument(region.surface, region.key, region.type))
        return found

    def _listed(self, place: int) -> int | None:
        """The next name of a list that the parser took for an apposition: "X", "Y", and "Z"."""
        tree = self._tree
        following = tree.child(place, "appos")
        if following is None or tree.name_at[place] is None or tree.name_at[following] is None:
            return None
        return following if tree.child(following, "cc", "conj") is not None else None

    def _antecedent(self, place: int) -> int | None:
        """The noun that a relative pronoun stands for."""
        tree = self._tree
        if tree.lower[place] not in RELATIVE or tree.deps[place] in ("det", "mark"):
            return None
        for _ in range(_STEPS):
            head = tree.heads[place]
            if tree.deps[place] == "relcl":
                return head if head != place else None
            if head == place:
                return None
            place = head
        return None

    def _find(self, place: int) -> Argument | None:
        tree = self._tree
        name = self.name(place)
        if name is not None and not self._counts(name, place):
            if self._coreference and self._subject.is_called(name):
                return self.subject_argument()
            return Argument(name.surface, name.key, name.type)
        if tree.lower[place] in PRONOUNS or tree.deps[place] == "punct":
            if self._coreference and self._subject.means_subject(place):
                return self.subject_argument()
            return None
        if self._coreference and self._subject.means_subject(place):
            return self.subject_argument()
        return self._phrase(place)

    def _counts(self, name: Name, place: int) -> bool:
        """Whether a number is the quantity of a phrase: "hundreds of interviews"."""
        tree, after = self._tree, name.end
        return (
            name.type in ("CARDINAL", "ORDINAL")
            and after < len(tree.words)
            and tree.lower[after] == "of"
            and tree.heads[after] == place
        )

    def _phrase(self, place: int) -> Argument | None:
        start, end = self.core(place)
        full = self._with_of(end)
        for last in (full, end):
            while start < last and _is_edge(self._tree, start):
                start += 1
            text = display_name(self._tree.span(start, last)) if start < last else ""
            if last - start <= MAX_WORDS and is_entity_name(text) and "\n" not in text:
                key = normalise_name(text)
                return None if key in PRONOUNS else Argument(text, key, "")
        return None

    def core(self, place: int) -> tuple[int, int]:
        """Return the span of a noun with its modifiers before it, without the determiner."""
        tree = self._tree
        start = place
        while start > 0 and self._is_inside(start - 1, place):
            start -= 1
        while start < place and tree.deps[start] in ("punct", "cc", "case", "conj"):
            start += 1
        return start, place + 1

    def _is_inside(self, word: int, noun: int) -> bool:
        tree = self._tree
        if tree.sentence_of[word] != tree.sentence_of[noun] or (
            tree.lower[word] in PRONOUNS - QUANTIFIERS
        ):
            return False
        for _ in range(_STEPS):
            if tree.deps[word] not in _INNER or tree.words[word] in '"“”()[];:–—':
                return False
            word = tree.heads[word]
            if word == noun:
                return True
        return False

    def _with_of(self, end: int) -> int:
        tree = self._tree
        for _ in range(2):
            if end >= len(tree.words) or tree.lower[end] != "of" or tree.heads[end] != end - 1:
                break
            inner = tree.child(end, "pobj")
            if inner is None or tree.lower[inner] in PRONOUNS:
                break
            name = tree.name_at[inner]
            end = name.end if name is not None else inner + 1
        return end


def _is_edge(tree: Tree, place: int) -> bool:
    """Say whether a word cannot begin an argument: articles, determiners, marks."""
    return tree.deps[place] in ("det", "predet", "punct", "cc", "case")
