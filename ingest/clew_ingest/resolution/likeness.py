"""How alike the words of two names are: what speaks for one thing, strongest first."""

from dataclasses import dataclass

from clew_ingest.resolution.contradictions import same_given_name, spelt_alike
from clew_ingest.resolution.name_words import GENERIC_WORDS, SMALL_WORDS
from clew_ingest.resolution.names import NameSignature, is_initial


@dataclass(frozen=True)
class Likeness:
    """The way two names are alike: ``kind`` for the judge, ``reason`` for people."""

    kind: str
    reason: str


def likeness(a: NameSignature, b: NameSignature, kind: str) -> Likeness | None:
    """Return the strongest way in which names of things of the family ``kind`` are alike.

    Kinds: "words" (equal), "joined" (equal without spaces), "order" (equal in another order),
    "initials" (two or more initials stand for a person's given names), "initial" (one does),
    "nickname", "middle" (a middle name is missing), "number" (of a person, on one side only),
    "plural", "acronym", "short" (begins or ends the other), "spelling". None where nothing is
    alike.
    """
    if a.words == b.words:
        return Likeness("words", f"equal words: {' '.join(a.words)}")
    if a.joined == b.joined:
        return Likeness("joined", "equal but for spaces and hyphens")
    if a.numbers and sorted(a.words) == sorted(b.words):
        return Likeness("order", "equal words in another order")
    if kind == "person":
        person = _person_likeness(a.words, b.words)
        if person:
            return person
    elif a.singular == b.singular:
        return Likeness("plural", "singular and plural")
    elif is_acronym(a.joined, b.words) or is_acronym(b.joined, a.words):
        return Likeness("acronym", "one is the other's initial letters")
    short, long = sorted((a.words, b.words), key=len)
    if is_short_form(short, long):
        return Likeness("short", f"{' '.join(short)} may be short for {' '.join(long)}")
    if _spelt_alike(a.words, b.words):
        return Likeness("spelling", "spelt alike")
    return None


def is_short_form(short: tuple[str, ...], long: tuple[str, ...]) -> bool:
    """Say whether ``long`` begins or ends with ``short``, and that names something by itself."""
    if not 0 < len(short) < len(long) or all(
        word in GENERIC_WORDS or word in SMALL_WORDS or len(word) == 1 or word.isdigit()
        for word in short
    ):
        return False
    return long[: len(short)] == short or long[-len(short) :] == short


def is_acronym(letters: str, words: tuple[str, ...]) -> bool:
    """Say whether ``letters`` are the first letters of ``words``, with or without small words."""
    if len(letters) < 2 or len(words) < 2 or not letters.isalpha():
        return False
    large = [word[0] for word in words if word not in SMALL_WORDS]
    return letters in ("".join(word[0] for word in words), "".join(large))


def _person_likeness(a: tuple[str, ...], b: tuple[str, ...]) -> Likeness | None:
    if tuple(word for word in a if not word.isdigit()) == tuple(
        word for word in b if not word.isdigit()
    ):
        return Likeness("number", "equal but for the number")
    if min(len(a), len(b)) < 2 or a[-1] != b[-1] or "and" in {*a, *b}:
        return None
    one, other = a[:-1], b[:-1]
    if len(one) == len(other) and all(map(same_given_name, one, other)):
        expanded = sum(
            x != y and (is_initial(x) or is_initial(y)) for x, y in zip(one, other, strict=True)
        )
        equal = sum(x == y for x, y in zip(one, other, strict=True))
        if expanded + equal < len(one):
            return Likeness("nickname", "one given name may be short for the other")
        if expanded == 0 or expanded >= 2:
            return Likeness("initials", "the initials stand for the given names")
        return Likeness("initial", "one initial stands for a given name")
    short, long = sorted((one, other), key=len)
    if len(short) < len(long) and _in_order(short, long):
        return Likeness("middle", "one leaves out a given name")
    return None


def _in_order(short: tuple[str, ...], long: tuple[str, ...]) -> bool:
    """Say whether the names of ``short`` are among those of ``long``, in order."""
    rest = iter(long)
    return all(any(same_given_name(word, name) for name in rest) for word in short)


def _spelt_alike(a: tuple[str, ...], b: tuple[str, ...]) -> bool:
    """Say whether the names differ in one word only, which is spelt alike."""
    if len(a) != len(b):
        return False
    unlike = [(x, y) for x, y in zip(a, b, strict=True) if x != y]
    return len(unlike) == 1 and spelt_alike(*unlike[0])
