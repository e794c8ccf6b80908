"""Triples from the dependency parse, without a language model.

Differs from an open information extraction system: every argument is a name or a short noun
phrase, every predicate is a few lemmas, and a statement with many parts gives one triple a part.
Of a table's row, and of who wrote an e-mail to whom, only what one value says is a statement.
"""

from typing import Any

from clew_ingest.parsing.entity_names import SUBJECT_REACH, normalise_name
from clew_ingest.parsing.spacy_pipeline import rows_in
from clew_ingest.triples.arguments import Argument, Arguments
from clew_ingest.triples.base import ExtractedTriple
from clew_ingest.triples.coreference import Subject
from clew_ingest.triples.rules_clauses import clause_triples
from clew_ingest.triples.rules_nouns import noun_triples
from clew_ingest.triples.tree import Tree
from clew_ingest.triples.written import as_written


def extract_triples(document: Any, title: str, coreference: bool = True) -> list[ExtractedTriple]:
    """Return what a parsed text states, each statement once, in the order of the text.

    ``document``: a spaCy ``Doc`` with a dependency parse and named entities; no tags are needed.
    ``title``: what the document is about, "" where that is not known. ``coreference``: whether
    pronouns and definite noun phrases that surely mean the title's entity are resolved to it;
    those that do not are dropped either way. Arguments are spans of the text, or the title.
    """
    title = _full_title(document, title)
    tree = Tree(document, title)
    arguments = Arguments(tree, Subject(tree, title), coreference)
    found = _Found(tree)
    for place in range(len(tree.words)):
        for head, predicate, tail in clause_triples(tree, arguments, place):
            found.add(head, predicate, tail, place)
        for head, predicate, tail in noun_triples(tree, arguments, place):
            found.add(head, predicate, tail, place)
    return found.triples()


def _full_title(document: Any, title: str) -> str:
    """Return the person's full name that a text begins with, where its title is the last name.

    Files are often called so: "babbage.txt" begins with "Charles Babbage was born in London".
    """
    last = normalise_name(title)
    for entity in document.ents:
        if entity.start_char > SUBJECT_REACH:
            break
        name = entity.text.removesuffix("'s").removesuffix("’s")
        words = normalise_name(name).split()
        if entity.label_ == "PERSON" and len(words) > 1 and words[-1] == last:
            return str(name)
    return title


class _Found:
    """The triples of a text: the first of those that say the same is kept."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self._rows = rows_in(tree.text)
        self._by_key: dict[tuple[str, str, str], ExtractedTriple] = {}

    def add(self, head: Argument, predicate: str, tail: Argument, place: int) -> None:
        if head.is_value or head.key == tail.key or not predicate:
            return
        if not self._is_in_one_value(head, tail, place):
            return
        self._by_key.setdefault(
            (head.key, predicate, tail.key),
            ExtractedTriple(
                head.text,
                head.type,
                predicate,
                tail.text,
                tail.type,
                self._tree.sentence_of[place],
                as_written(self._tree, place, predicate),
            ),
        )

    def _is_in_one_value(self, head: Argument, tail: Argument, place: int) -> bool:
        """Whether a triple is no table's row, or of one of its values, said of it or the title."""
        offset = self._tree.offsets[place]
        row = next((row for row in self._rows if row[0] <= offset < row[1]), None)
        if row is None:
            return True
        cells = self._tree.text[slice(*row)].rstrip(".").split("; ")
        values = (cell.partition(": ")[2] or cell for cell in cells)
        wanted = [tail.text] if head.key == self._tree.title_key else [head.text, tail.text]
        return any(all(text in value for text in wanted) for value in values)

    def triples(self) -> list[ExtractedTriple]:
        return sorted(self._by_key.values(), key=lambda triple: triple.sentence or 0)
