"""What noun phrases state: appositions, possessives, phrases of names, dates in brackets."""

from collections.abc import Iterator

from clew_ingest.parsing.entity_names import is_entity_name, normalise_name
from clew_ingest.parsing.mentions import VALUE_TYPES
from clew_ingest.triples.arguments import PLACES, Argument, Arguments
from clew_ingest.triples.predicates import noun_base
from clew_ingest.triples.rules_brackets import bracket_triples
from clew_ingest.triples.rules_clauses import Statement
from clew_ingest.triples.rules_phrases import along, phrases
from clew_ingest.triples.tree import Name, Tree


def noun_triples(tree: Tree, arguments: Arguments, place: int) -> Iterator[Statement]:
    """Yield the statements within the noun phrase that this token heads."""
    yield from _appositions(tree, arguments, place)
    yield from _possessive(tree, arguments, place)
    yield from _name_phrases(tree, arguments, place)
    yield from bracket_triples(tree, arguments, place)


def _appositions(tree: Tree, arguments: Arguments, place: int) -> Iterator[Statement]:
    """ "X, the capital of Y," says that X is it, and whose."""
    if not arguments.is_name(place):
        return
    head = arguments.of(place)
    own = arguments.name(place)
    if head is None or own is None:
        return
    for child in tree.all_children(place, "appos"):
        for part in arguments.conjuncts(child):
            name = arguments.name(part)
            if name is own:
                continue
            if name is not None:
                tail = arguments.of(part)
                listed = tree.child(child, "cc", "conj") is not None
                if tail is not None and not tail.is_value and not listed:
                    yield head, _joined(tree, own, name), tail
                continue
            for predicate, tail in along(tree, arguments, part, "be", "be", 2):
                yield head, predicate, tail


def _joined(tree: Tree, name: Name, other: Name) -> str:
    """How a name is joined to the next one: a place to its region, in brackets to its body."""
    if other.type in PLACES and (name.type in PLACES or tree.words[other.start - 1] == "("):
        return "in"
    if name.type == "PERSON" and other.type == "ORG":
        return "of"
    return "be"


def _possessive(tree: Tree, arguments: Arguments, place: int) -> Iterator[Statement]:
    """ "X's son Y": (X, son, Y)."""
    for owner in tree.all_children(place, "poss"):
        name = arguments.name(place)
        if name is None or name.start <= owner < name.end:
            continue
        noun = place if tree.name_at[place] is None else _role(tree, name.start)
        head, tail = arguments.of(arguments.referent(owner)), arguments.of(place)
        if noun is not None and head is not None and tail is not None:
            yield head, noun_base(tree.lower[noun]), tail


def _role(tree: Tree, start: int) -> int | None:
    """The common noun directly before a name: "director Steven Spielberg"."""
    before = start - 1
    if before < 0 or tree.deps[before] != "compound" or tree.name_at[before] is not None:
        return None
    first = before == 0 or tree.sentence_of[before - 1] != tree.sentence_of[before]
    return before if first or tree.words[before].islower() else None


def _name_phrases(tree: Tree, arguments: Arguments, place: int) -> Iterator[Statement]:
    """ "X of Y", "X in Y": what is attached to a name."""
    name = tree.name_at[place]
    if name is None or name.type in VALUE_TYPES:
        return
    head = arguments.of(place)
    if head is None or (
        tree.heads[place] in range(name.start, name.end) and tree.heads[place] != place
    ):
        return
    for predicate, tail in phrases(tree, arguments, place, "", 2):
        yield head, predicate.strip(), tail
    role = _role(tree, name.start)
    if role is not None:
        start, end = arguments.core(role)
        text = tree.span(start, end)
        if is_entity_name(text):
            yield head, "be", Argument(text, normalise_name(text), "")
