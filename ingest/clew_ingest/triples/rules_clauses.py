"""What clauses state: subject, verb and each of its objects, complements and phrases."""

from collections.abc import Iterator

from clew_ingest.triples.arguments import Argument, Arguments
from clew_ingest.triples.predicates import noun_base, verb_base
from clew_ingest.triples.rules_phrases import Tail, along, phrases, verb_phrase
from clew_ingest.triples.rules_subjects import (
    DIRECT,
    is_clause,
    is_fallen_name,
    owners_of,
    subjects_of,
)
from clew_ingest.triples.tree import Tree
from clew_ingest.triples.word_lists import RELATIVE

Statement = tuple[Argument, str, Argument]

_STEPS = 8
_DEPTH = 3


def clause_triples(tree: Tree, arguments: Arguments, verb: int) -> Iterator[Statement]:
    """Yield the statements of the clause that this token heads, if it heads one."""
    if not is_clause(tree, verb):
        return
    subjects = subjects_of(tree, arguments, verb)
    predicate = verb_phrase(tree, verb)
    lemma = verb_base(tree.lower[verb])
    tails = list(_complements(tree, arguments, verb, predicate))
    for place in subjects:
        head = arguments.of(arguments.identity(place))
        if head is None:
            continue
        for phrase, tail in tails:
            yield head, phrase, tail
        if lemma != "be" and not arguments.is_name(place):
            noun = noun_base(tree.lower[place])
            for whole in _wholes(tree, arguments, place):
                for phrase, tail in tails:
                    yield whole, f"{noun} {phrase}", tail
    if lemma == "be":
        yield from _copula(tree, arguments, verb)
    yield from _object_phrases(tree, arguments, verb, predicate)


def _complements(tree: Tree, arguments: Arguments, verb: int, predicate: str) -> Iterator[Tail]:
    relative = _relative_object(tree, arguments, verb)
    if relative is not None:
        where = any(tree.lower[child] == "where" for child in tree.children[verb])
        yield f"{predicate} in" if where else predicate, relative
    if tree.child(verb, *DIRECT, "prep", "agent", "acomp") is None:
        shared = _shared_object(tree, verb)
        if shared is not None:
            yield from along(tree, arguments, shared, predicate, predicate, _DEPTH)
    there = tree.child(verb, "expl") is not None
    holders = [verb, *tree.all_children(verb, "acomp")]
    for child in tree.children[verb]:
        if there and tree.deps[child] in ("attr", "dobj"):
            yield from phrases(tree, arguments, child, predicate, _DEPTH)
        elif tree.deps[child] in DIRECT or (child > verb and is_fallen_name(tree, child)):
            yield from along(tree, arguments, child, predicate, predicate, _DEPTH)
        elif tree.deps[child] == "npadvmod" and arguments.is_name(child):
            tail = arguments.of(child)
            if tail is not None:
                yield predicate, tail
    for holder in holders:
        yield from phrases(tree, arguments, holder, predicate, _DEPTH)


def _shared_object(tree: Tree, verb: int) -> int | None:
    """The object of the last of several verbs: "wrote, produced and directed the film"."""
    place = verb
    for _ in range(_STEPS):
        following = tree.child(place, "conj")
        if following is None or tree.child(following, "nsubj", "nsubjpass") is not None:
            return None
        place = following
        found = tree.child(place, "dobj")
        if found is not None:
            return found
    return None


def _relative_object(tree: Tree, arguments: Arguments, verb: int) -> Argument | None:
    """The noun a relative clause is about, where it is the object: "the book he wrote"."""
    if tree.deps[verb] != "relcl":
        return None
    own = tree.child(verb, "nsubj")
    if own is None or arguments.identity(own) != own:
        return None
    where = any(tree.lower[child] == "where" for child in tree.children[verb])
    if not where and tree.child(verb, *DIRECT, "acomp", "advmod") is not None:
        return None
    noun = tree.heads[verb]
    before = range(noun + 1, verb)
    if any(tree.lower[p] in RELATIVE and tree.deps[p] in ("pobj", "poss") for p in before):
        return None
    return arguments.of(arguments.identity(noun))


def _copula(tree: Tree, arguments: Arguments, verb: int) -> Iterator[Statement]:
    """ "The capital of X is Y" and "X's capital is Y": (X, capital, Y)."""
    subject, attribute = tree.child(verb, "nsubj"), tree.child(verb, "attr")
    if subject is None or attribute is None or arguments.is_name(subject):
        return
    noun = noun_base(tree.lower[subject])
    owners = owners_of(tree, subject)
    heads = [arguments.of(arguments.identity(owner)) for owner in owners]
    if not owners and arguments.is_name(attribute):
        heads = [arguments.of_whole(subject)]
    for head in heads:
        for part in arguments.conjuncts(attribute):
            tail = arguments.of(part)
            if head is not None and tail is not None:
                yield head, noun, tail


def _object_phrases(
    tree: Tree, arguments: Arguments, verb: int, predicate: str
) -> Iterator[Statement]:
    """ "They moved the journal to Paris" also says where the journal moved."""
    for thing in tree.all_children(verb, "dobj", "nsubjpass"):
        if tree.deps[thing] == "nsubjpass" or not arguments.is_name(arguments.identity(thing)):
            continue
        head = arguments.of(arguments.identity(thing))
        if head is None:
            continue
        for phrase, tail in phrases(tree, arguments, verb, predicate, 1):
            yield head, phrase, tail


def _wholes(tree: Tree, arguments: Arguments, place: int) -> list[Argument]:
    """Return what the subject at this token is of, as far as it is named: "X's first song …"."""
    owners = [arguments.identity(owner) for owner in owners_of(tree, place)]
    if not owners:
        found = [arguments.of_whole(place)]
    else:
        found = [arguments.of(owner) for owner in owners if arguments.is_named(owner)]
    return [whole for whole in found if whole is not None]
