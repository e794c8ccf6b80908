"""Predicates as a text has them: "was born in" for the base form "bear in"."""

from clew_ingest.triples.predicates import noun_base, verb_base
from clew_ingest.triples.tree import Tree

_AUXILIARY = ("aux", "auxpass", "neg")
_IN_BRACKETS = {"bear": "born", "die": "died"}
"""What brackets after a name say in signs: "(1815–1852)"."""


def as_written(tree: Tree, place: int, predicate: str) -> str:
    """Return a predicate as its sentence has it, with the auxiliaries of its verb.

    ``place``: the token that the statement was read at. The first word is found nearest to it, each
    other one after that before. Where a word is not in the sentence ("be", which an apposition
    says without a word) the predicate is said of a present subject: "is".
    """
    words = [word for word in predicate.split() if word != "not"]
    start, end = tree.sentences[tree.sentence_of[place]]
    near = sorted(range(start, end), key=lambda at: (abs(at - place), at))
    spoken = tree.deps[place] not in ("appos", "nmod") and tree.name_at[place] is None
    found: list[int] = []
    for word in words if spoken else ():
        among = range(found[-1] + 1, end) if found else near
        at = next((token for token in among if _is(tree, token, word)), None)
        if at is None:
            found = []
            break
        found.append(at)
    if not found:
        first, _, rest = predicate.partition(" ")
        shown = "is" if first == "be" else _IN_BRACKETS.get(first, first)
        return f"{shown} {rest}".strip()
    helpers = {
        child
        for child in tree.all_children(found[0], *_AUXILIARY)
        if child < found[0] and verb_base(tree.lower[found[0]]) == words[0]
    }
    return " ".join(tree.lower[at] for at in sorted({*found, *helpers}))


def _is(tree: Tree, token: int, word: str) -> bool:
    lower = tree.lower[token]
    return word in (lower, verb_base(lower), noun_base(lower))
