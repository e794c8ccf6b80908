"""Which tokens head clauses, and what their subjects are."""

from clew_ingest.parsing.mentions import VALUE_TYPES
from clew_ingest.triples.arguments import Arguments
from clew_ingest.triples.tree import Tree

DIRECT = ("dobj", "attr", "oprd", "dative")
"""Labels of what a verb has without a preposition."""

_CLAUSES = frozenset(
    ("ROOT", "acl", "relcl", "advcl", "xcomp", "ccomp", "pcomp", "parataxis", "csubj")
)
_VERBAL = frozenset(
    ("nsubj", "nsubjpass", "agent", "auxpass", "aux", "prt", "acomp", "expl", "xcomp", "ccomp")
) | set(DIRECT)
_ODD = ("prep", "advmod", "xcomp", "ccomp", "advcl", "dep", "mark", "intj", "csubj", "nummod")
_STEPS = 8


def is_clause(tree: Tree, place: int) -> bool:
    """Say whether a token is the verb of a clause."""
    dep, name = tree.deps[place], tree.name_at[place]
    if name is not None and not is_verbal(tree, place):
        return False
    for _ in range(_STEPS):
        if dep != "conj":
            break
        if any(tree.deps[child] in _VERBAL for child in tree.children[place]):
            return True
        head = tree.heads[place]
        return tree.deps[head] in _CLAUSES and is_verbal(tree, head)
    if dep not in _CLAUSES:
        return False
    return dep in ("acl", "relcl", "advcl", "pcomp", "xcomp") or is_verbal(tree, place)


def is_verbal(tree: Tree, place: int) -> bool:
    """Say whether a token has children that only verbs have."""
    return any(tree.deps[child] in _VERBAL for child in tree.children[place])


def subjects_of(tree: Tree, arguments: Arguments, verb: int) -> list[int]:
    """Return the tokens that are the subjects of a verb, its own or its clause's."""
    place = verb
    for _ in range(_STEPS):
        own = tree.all_children(place, "nsubj", "nsubjpass")
        if own:
            return _outside(
                tree, place, [part for subject in own for part in arguments.conjuncts(subject)]
            )
        fallen = [c for c in tree.children[place] if c < place and is_fallen_name(tree, c)]
        if fallen:
            return fallen[-1:]
        if tree.child(place, "expl") is not None:
            attribute = tree.child(place, "attr", "dobj")
            return [] if attribute is None else arguments.conjuncts(attribute)
        dep, head = tree.deps[place], tree.heads[place]
        if dep in ("acl", "relcl"):
            return [head]
        if dep == "xcomp":
            controlled = tree.child(head, "dobj")
            if controlled is not None:
                return arguments.conjuncts(controlled)
        if dep == "pcomp":
            place = tree.heads[head] if tree.deps[head] in ("prep", "agent") else head
        elif dep in ("conj", "advcl", "xcomp"):
            place = head
        else:
            return []
        if place == verb:
            return []
    return []


def _outside(tree: Tree, verb: int, subjects: list[int]) -> list[int]:
    """Put what stands before brackets for a subject within them: "X (in Latin: Y) is a city"."""
    found: dict[int, None] = {}
    for place in subjects:
        opening = tree.bracket_of[place]
        if opening is not None and opening != tree.bracket_of[verb] and opening > 0:
            place = opening - 1
            if tree.name_at[place] is None:
                continue
        found[place] = None
    return list(found)


def is_fallen_name(tree: Tree, place: int) -> bool:
    """Say whether a token is in a name of several words that the parser took for a phrase."""
    name = tree.name_at[place]
    if name is None or name.end - name.start < 2 or name.type in VALUE_TYPES:
        return False
    return tree.deps[place] in _ODD


def owners_of(tree: Tree, place: int) -> list[int]:
    """Return what a noun is of: "X's son", "the capital of X"."""
    owners = tree.all_children(place, "poss")
    for child in tree.all_children(place, "prep"):
        if tree.lower[child] == "of":
            owners += tree.all_children(child, "pobj")
    return owners
