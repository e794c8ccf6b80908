"""Objects and prepositional phrases: each with the predicate that leads to it from its verb."""

from collections.abc import Iterator

from clew_ingest.triples.arguments import Argument, Arguments
from clew_ingest.triples.predicates import noun_base, verb_base
from clew_ingest.triples.rules_subjects import DIRECT
from clew_ingest.triples.tree import Tree

Tail = tuple[str, Argument]


def verb_phrase(tree: Tree, verb: int) -> str:
    """Return a verb in base form with its particle, its negation and what it depends on."""
    words = [verb_base(tree.lower[verb])]
    words += [tree.lower[child] for child in tree.all_children(verb, "prt")]
    if tree.child(verb, "neg") is not None:
        words.insert(0, "not")
    adjective = tree.child(verb, "acomp")
    if adjective is not None:
        words.append(tree.lower[adjective])
    if tree.deps[verb] == "xcomp" and tree.child(tree.heads[verb], "dobj") is None:
        matrix = tree.heads[verb]
        to = any(tree.lower[child] == "to" for child in tree.all_children(verb, "aux"))
        if to or tree.lower[verb].endswith("ing"):
            words = [verb_base(tree.lower[matrix])] + (["to"] if to else []) + words
    return " ".join(words)


def phrases(
    tree: Tree, arguments: Arguments, holder: int, predicate: str, depth: int
) -> Iterator[Tail]:
    """Yield predicate and argument of every prepositional phrase of a token."""
    for child in _prepositions(tree, arguments, holder):
        words = [predicate, tree.lower[child]]
        inner = child
        for _ in range(2):
            further = tree.child(inner, "prep")
            if further is None or tree.child(inner, "pobj") is not None:
                break
            inner = further
            words.append(tree.lower[inner])
        for place in tree.all_children(inner, "pobj"):
            yield from along(tree, arguments, place, " ".join(words), predicate, depth - 1)
        if depth > 0 and tree.child(inner, "pobj") is not None:
            yield from phrases(tree, arguments, inner, predicate, depth - 1)


def _prepositions(tree: Tree, arguments: Arguments, holder: int) -> list[int]:
    """The prepositions of a token and those joined to them; those inside a name are no phrases."""
    return [
        part
        for child in tree.all_children(holder, "prep", "agent", "dative")
        if tree.name_at[child] is None
        for part in arguments.conjuncts(child)
    ]


def along(
    tree: Tree, arguments: Arguments, place: int, phrase: str, base: str, depth: int
) -> Iterator[Tail]:
    """Yield an object, what is joined to it, and what its own phrases add ("cover research in")."""
    for part in arguments.conjuncts(place):
        tail = arguments.of(arguments.referent(part))
        if tail is not None:
            yield phrase, tail
            for region in arguments.regions(part):
                yield phrase, region
        if depth <= 0:
            continue
        named = arguments.is_name(part)
        noun = base if named else f"{phrase} {noun_base(tree.lower[part])}"
        yield from phrases(tree, arguments, part, noun, depth)
        for child in tree.all_children(part, "amod"):
            if child > part:
                yield from phrases(tree, arguments, child, f"{noun} {tree.lower[child]}", depth)
        if not named:
            yield from _participles(tree, arguments, part, noun)
            for owner in tree.all_children(part, "poss"):
                owning = arguments.of(owner)
                if owning is not None:
                    yield f"{noun} of", owning


def _participles(tree: Tree, arguments: Arguments, place: int, noun: str) -> Iterator[Tail]:
    """What a noun's own clause adds: "has 59 members elected for …", "a team that won …"."""
    for child in tree.all_children(place, "acl", "relcl"):
        own = tree.child(child, "nsubj", "nsubjpass")
        relative = own is not None and tree.lower[own] in ("who", "which", "that")
        if relative if tree.deps[child] == "relcl" else own is None:
            verb = f"{noun} {verb_base(tree.lower[child])}"
            for part in tree.all_children(child, *DIRECT):
                yield from along(tree, arguments, part, verb, verb, 0)
            yield from phrases(tree, arguments, child, verb, 1)
