"""What clauses state: subject, verb and each of its objects, complements and phrases."""

from collections.abc import Iterator

from clew_ingest.mentions import VALUE_TYPES
from clew_ingest.triples.arguments import Argument, Arguments
from clew_ingest.triples.predicates import noun_base, verb_base
from clew_ingest.triples.tree import Tree

Statement = tuple[Argument, str, Argument]

_CLAUSES = frozenset(
    ("ROOT", "acl", "relcl", "advcl", "xcomp", "ccomp", "pcomp", "parataxis", "csubj")
)
_VERBAL: tuple[str, ...] = (
    "nsubj",
    "nsubjpass",
    "dobj",
    "agent",
    "attr",
    "auxpass",
    "aux",
    "prt",
    "acomp",
)
_VERBAL += ("oprd", "dative", "expl", "xcomp", "ccomp")
_DIRECT = ("dobj", "attr", "oprd", "dative")
_ODD = ("prep", "advmod", "xcomp", "ccomp", "advcl", "dep", "mark", "intj", "csubj", "nummod")
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
            for owner in _owners(tree, place):
                whole = arguments.of(arguments.identity(owner))
                if whole is not None:
                    noun = noun_base(tree.lower[place])
                    for phrase, tail in tails:
                        yield whole, f"{noun} {phrase}", tail
    if lemma == "be":
        yield from _copula(tree, arguments, verb)
    yield from _object_phrases(tree, arguments, verb, predicate)


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
            return [part for subject in own for part in arguments.conjuncts(subject)]
        fallen = [c for c in tree.children[place] if c < place and _odd_name(tree, c)]
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


def _odd_name(tree: Tree, place: int) -> bool:
    """Whether a token is within a name of several words that the parser took for a phrase."""
    name = tree.name_at[place]
    if name is None or name.end - name.start < 2 or name.type in VALUE_TYPES:
        return False
    return tree.deps[place] in _ODD


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


def _complements(
    tree: Tree, arguments: Arguments, verb: int, predicate: str
) -> Iterator[tuple[str, Argument]]:
    relative = _relative_object(tree, arguments, verb)
    if relative is not None:
        where = any(tree.lower[child] == "where" for child in tree.children[verb])
        yield f"{predicate} in" if where else predicate, relative
    if tree.child(verb, *_DIRECT, "prep", "agent", "acomp") is None:
        shared = _shared_object(tree, verb)
        if shared is not None:
            yield from along(tree, arguments, shared, predicate, predicate, _DEPTH)
    there = tree.child(verb, "expl") is not None
    holders = [verb, *tree.all_children(verb, "acomp")]
    for child in tree.children[verb]:
        if there and tree.deps[child] in ("attr", "dobj"):
            yield from phrases(tree, arguments, child, predicate, _DEPTH)
        elif tree.deps[child] in _DIRECT or (child > verb and _odd_name(tree, child)):
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


def phrases(
    tree: Tree, arguments: Arguments, holder: int, predicate: str, depth: int
) -> Iterator[tuple[str, Argument]]:
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
) -> Iterator[tuple[str, Argument]]:
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
        for owner in tree.all_children(part, "poss"):
            owning = arguments.of(owner)
            if owning is not None and not named:
                yield f"{noun} of", owning


def _relative_object(tree: Tree, arguments: Arguments, verb: int) -> Argument | None:
    """The noun a relative clause is about, where it is the object: "the book he wrote"."""
    if tree.deps[verb] != "relcl":
        return None
    own = tree.child(verb, "nsubj")
    if own is None or arguments.identity(own) != own:
        return None
    where = any(tree.lower[child] == "where" for child in tree.children[verb])
    if not where and tree.child(verb, *_DIRECT, "acomp", "advmod") is not None:
        return None
    return arguments.of(arguments.identity(tree.heads[verb]))


def _copula(tree: Tree, arguments: Arguments, verb: int) -> Iterator[Statement]:
    """ "The capital of X is Y" and "X's capital is Y": (X, capital, Y)."""
    subject, attribute = tree.child(verb, "nsubj"), tree.child(verb, "attr")
    if subject is None or attribute is None or arguments.is_name(subject):
        return
    noun = noun_base(tree.lower[subject])
    owners = _owners(tree, subject)
    heads = [arguments.of(arguments.identity(owner)) for owner in owners]
    if not owners and arguments.is_name(attribute):
        heads = [arguments.of_whole(subject)]
    for head in heads:
        for part in arguments.conjuncts(attribute):
            tail = arguments.of(part)
            if head is not None and tail is not None:
                yield head, noun, tail


def _owners(tree: Tree, place: int) -> list[int]:
    """Return what a noun is of: "X's son", "the capital of X"."""
    owners = tree.all_children(place, "poss")
    for child in tree.all_children(place, "prep"):
        if tree.lower[child] == "of":
            owners += tree.all_children(child, "pobj")
    return owners


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
