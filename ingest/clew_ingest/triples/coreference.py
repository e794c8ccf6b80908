"""Which pronouns and definite noun phrases mean the subject of the document, where it is safe.

The document's subject is what its title names. A pronoun or "the film" means it only while no
other candidate of its kind has been the subject since, so what is uncertain is dropped.
"""

import re

from clew_ingest.parsing.entity_names import is_entity_name, normalise_name
from clew_ingest.parsing.mentions import SUBJECTS
from clew_ingest.triples.tree import Name, Tree
from clew_ingest.triples.word_lists import (
    GENERIC,
    GROUP_NOUNS,
    NEUTRAL,
    PERSON_ENDINGS,
    PERSON_NOUNS,
    PERSONAL,
    PLURAL,
    SAME,
)

_WORD = re.compile(r"\w+")
_QUALIFIER = re.compile(r"\((?:[^()]* )?([^() ]+)\)$")


def _alike(nouns: set[str]) -> list[frozenset[str]]:
    """Return the nouns, and the nouns that the same thing is called by later in a text."""
    return [frozenset(nouns), *(group for group in SAME if group & nouns)]


class Subject:
    """The document's subject: what its title names, what kind of thing, and who stands between.

    ``kind`` is "person", "thing" or "" where the text does not tell.
    """

    def __init__(self, tree: Tree, title: str) -> None:
        self._tree = tree
        name = " ".join(title.split(" (")[0].split())
        # A title such as "It" names nothing that a text's words could be told from.
        self.name = name if is_entity_name(name) else ""
        self.key = normalise_name(self.name)
        self._words = set(_WORD.findall(self.key))
        self._first_places: dict[str, int] = {}
        for place, word in enumerate(tree.lower):
            self._first_places.setdefault(word, place)
        self.nouns = self._class_nouns(title)
        self.kind = self._kind() if self.name else ""
        self.type = self._type()

    def means_subject(self, place: int) -> bool:
        """Say whether the pronoun or noun phrase at this token surely means the subject."""
        if not self.name:
            return False
        word = self._tree.lower[place]
        if word in PERSONAL:
            return self.kind != "thing" and not self._stands_between(place, person=True)
        if word in NEUTRAL:
            return self.kind != "person" and not self._stands_between(place, person=False)
        if word in PLURAL:
            group = bool(self.nouns & GROUP_NOUNS) or self._words_plural()
            return self.kind != "person" and group and not self._stands_between(place, False)
        return self._definite(place)

    def is_called(self, name: Name) -> bool:
        """Say whether a person's name is the subject's in full or its last word alone."""
        if self.kind != "person" or name.type not in ("PERSON", "") or not self._words:
            return False
        words = name.key.split()
        own = self.key.split()
        return words == own[-1:] or (len(own) > 1 and words[0] == own[0] and set(own) <= set(words))

    def has_parts(self, place: int) -> bool:
        """Say whether "the editor" at this token can be the subject's: a thing, none between."""
        return self.kind == "thing" and not self._stands_between(place, person=False)

    def is_named(self, key: str) -> bool:
        """Say whether a name is the title or a part of it, or holds it."""
        words = set(_WORD.findall(key))
        return bool(words) and bool(self._words) and (words <= self._words or words >= self._words)

    def _definite(self, place: int) -> bool:
        tree = self._tree
        noun = tree.lower[place]
        if self.kind == "person" or tree.name_at[place] is not None:
            return False
        modifiers = tree.children[place]
        if not any(tree.lower[m] in ("the", "this") and tree.deps[m] == "det" for m in modifiers):
            return False
        if any(tree.deps[m] not in ("det", "punct", "relcl", "cc", "conj") for m in modifiers):
            return False
        if self.nouns:
            return any(noun in alike for alike in _alike(self.nouns))
        return noun in GENERIC and tree.deps[place] in SUBJECTS and self._is_first(place)

    def _is_first(self, place: int) -> bool:
        """Say whether the noun stands nowhere before, in a name neither."""
        return self._first_places.setdefault(self._tree.lower[place], place) == place

    def _stands_between(self, place: int, person: bool) -> bool:
        tree = self._tree
        number = tree.sentence_of[place]
        start, _ = tree.sentences[number]
        rivals = self._subjects(start, place, person)
        if rivals:
            return not rivals[-1]
        for earlier in range(number - 1, max(-1, number - 4), -1):
            first, last = tree.sentences[earlier]
            rivals = self._subjects(first, last, person)
            if rivals:
                return not rivals[0]
        return False

    def _subjects(self, start: int, end: int, person: bool) -> list[bool]:
        """For the named subjects of a stretch of text that fit: whether each is the title's."""
        tree = self._tree
        found = []
        for place in range(start, end):
            name = tree.name_at[place]
            if name is None or tree.deps[place] not in SUBJECTS:
                continue
            if self.is_named(name.key):
                found.append(True)
            elif (name.type == "PERSON") == person:
                found.append(False)
        return found

    def _class_nouns(self, title: str) -> set[str]:
        """The nouns that the text says the subject is, and the one in the title's brackets."""
        tree = self._tree
        qualifier = _QUALIFIER.search(title)
        nouns = {qualifier.group(1).lower()} if qualifier else set()
        for place, dep in enumerate(tree.deps):
            if dep not in ("nsubj", "nsubjpass"):
                continue
            name = tree.name_at[place]
            if name is None or not (name.key == self.key or name.key == tree.title_key):
                continue
            attribute = tree.child(tree.heads[place], "attr")
            while attribute is not None and tree.name_at[attribute] is None:
                nouns.add(tree.lower[attribute])
                attribute = tree.child(attribute, "conj")
        if self._words & GENERIC:
            nouns |= self._words & GENERIC
        return nouns

    def _kind(self) -> str:
        if self.nouns & PERSON_NOUNS:
            return "person"
        if self.nouns & GENERIC:
            return "thing"
        if any(noun.endswith(PERSON_ENDINGS) for noun in self.nouns):
            return "person"
        types = [name.type for name in self._tree.name_at if name and self.is_named(name.key)]
        named_person = types.count("PERSON") * 2 > len(types)
        for place, word in enumerate(self._tree.lower):
            if self._tree.deps[place] not in SUBJECTS:
                continue
            if word in ("he", "she"):
                return "person" if named_person or not types else ""
            if word == "it":
                return "thing" if not named_person else ""
        return "person" if named_person else ""

    def _type(self) -> str:
        types = [n.type for n in self._tree.name_at if n and n.key == self.key and n.type]
        if not types:
            return "PERSON" if self.kind == "person" else ""
        return max(sorted(set(types)), key=types.count)

    def _words_plural(self) -> bool:
        last = self.key.split()[-1] if self.key else ""
        return last.endswith("s") and not last.endswith(("ss", "us", "is"))
