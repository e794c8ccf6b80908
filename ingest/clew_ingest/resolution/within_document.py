"""Short forms joined to the full name within one document.

"Lovelace" is Ada Lovelace where a document names one Lovelace in full, and nobody where it names
two. Across documents the same step would join strangers.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from clew_ingest.parsing.entity_names import SUBJECT_REACH, normalise_name
from clew_ingest.resolution.contradictions import contradiction
from clew_ingest.resolution.likeness import is_acronym, is_short_form, likeness
from clew_ingest.resolution.name_blocks import name_blocks
from clew_ingest.resolution.name_words import ORGANISATION_KINDS, SMALL_WORDS
from clew_ingest.resolution.names import NameSignature, is_initial, signature
from clew_ingest.resolution.pairs import decide
from clew_ingest.resolution.types import family
from clew_ingest.resolution.views import EntityView

_TITLE_KINDS = ("words", "joined", "initials", "initial", "nickname", "middle")
_IN_BRACKETS = re.compile(r"\(\s*([^\W\d_][\w.&-]{1,11})\s*[);,]")
_BEFORE = re.compile(r"[\w.&'’-]+")


@dataclass(frozen=True)
class DocumentMention:
    """A name in a document: ``surface`` as written, spaCy's ``type``, place of its first letter."""

    surface: str
    type: str
    position: int


@dataclass(frozen=True)
class NameGroup:
    """Mentions of one thing in a document.

    ``name``: the fullest, and ``type`` that of its first mention; ``mentions`` in the order of
    their position; ``aliases``: the other names, and the title where it is one, sorted;
    ``reasons``: why short forms were joined.
    """

    name: str
    type: str
    mentions: tuple[DocumentMention, ...]
    aliases: tuple[str, ...]
    reasons: tuple[str, ...]


def join_short_forms(
    mentions: Iterable[DocumentMention],
    text: str = "",
    title: str = "",
    check: Callable[[], None] = lambda: None,
) -> tuple[NameGroup, ...]:
    """Return the groups of a document's mentions, in the order of their first position.

    First come the spellings of one name (as `pairs.decide` is sure of), then short forms, each
    joined where exactly one fuller name of the same family of types fits: the end or beginning of
    a person's name, an organisation's without its last words where these say its kind ("Harvard
    University", but not "Sony Music"), the name of a place before its comma.
    Acronyms are joined where ``text`` defines them: "North Atlantic Treaty Organization (NATO)".
    A text that begins with a fuller form of its ``title`` says what the title stands for:
    "Gerald Lee McRaney (born 1947) is …" under "Gerald McRaney"; the title is then an alias.
    The order of ``mentions`` does not matter. ``check`` is called at each name, and raises where
    the run is cancelled.
    """
    ordered = sorted(set(mentions), key=lambda mention: (mention.position, mention.surface))
    groups = _spelling_groups(ordered, check)
    definitions = defined_acronyms(text)
    target: dict[int, tuple[int, str]] = {}
    by_ends = _by_ends(groups)
    for number, group in enumerate(groups):
        check()
        full = _full_name(number, groups, definitions, by_ends)
        if full is not None:
            target[number] = (full, f"{group.name} is short for {groups[full].name}")
    target = _one_way(target)
    subject = _subject(title, groups)
    if subject is not None:
        bare = signature(title, groups[subject].type).words
        for number, group in enumerate(groups):
            if (
                number != subject
                and number not in target
                and number not in _chain(subject, target)
                and family(group.type) == family(groups[subject].type)
                and group.sign.words == bare
                and not contradiction(group.sign, groups[subject].sign, family(group.type))
            ):
                target[number] = (subject, f"the text begins with {groups[subject].name}")
    return _joined(groups, target, subject, title)


def _chain(number: int, target: Mapping[int, tuple[int, str]]) -> list[int]:
    """Return what a group is short for, what that is short for, and so on, each once."""
    chain: list[int] = []
    while number in target and target[number][0] not in chain:
        number = target[number][0]
        chain.append(number)
    return chain


def _one_way(target: Mapping[int, tuple[int, str]]) -> dict[int, tuple[int, str]]:
    """Return the joins without those that lead back: of two that are short for each other, neither
    is the full name.
    """
    return {number: join for number, join in target.items() if number not in _chain(number, target)}


def defined_acronyms(text: str) -> Mapping[str, str]:
    """Return the long form of each acronym that a text defines, by the acronym.

    Both orders count, "World Health Organization (WHO)" and "WHO (World Health Organization)".
    An acronym that is defined twice, in different words, is left out.
    """
    found: dict[str, set[str]] = {}
    for match in _IN_BRACKETS.finditer(text):
        letters = _letters(match[1])
        if not match[1][0].isupper() or len(letters) < 2:
            continue
        words = _BEFORE.findall(text[max(match.start() - 150, 0) : match.start()])
        for count in range(2, min(len(words), 2 * len(letters) + 2) + 1):
            long = words[-count:]
            if _folded(long[0]) not in SMALL_WORDS and _stands_for(letters, long):
                found.setdefault(match[1], set()).add(" ".join(long))
                break
    for match in re.finditer(r"\b([A-Z][A-Z.&]{1,9})\s*\(([^()]{5,120})\)", text):
        long = _BEFORE.findall(match[2])
        if _stands_for(_letters(match[1]), long):
            found.setdefault(match[1], set()).add(" ".join(long))
    return {acronym: min(longs) for acronym, longs in sorted(found.items()) if len(longs) == 1}


@dataclass(frozen=True)
class _Group:
    """Mentions of one name in its spellings."""

    name: str
    type: str
    sign: NameSignature
    mentions: tuple[DocumentMention, ...]


def _spelling_groups(ordered: Sequence[DocumentMention], check: Callable[[], None]) -> list[_Group]:
    """Return groups of mentions whose names differ in spelling only, by first position.

    A name is compared with the group's first mention, the fullest spelling first, so that groups
    are not chained.
    """
    by_fullness = sorted(
        ordered, key=lambda mention: (-len(mention.surface), mention.position, mention.surface)
    )
    groups: list[list[DocumentMention]] = []
    in_block: dict[str, list[int]] = {}
    for mention in by_fullness:
        check()
        blocks = _spelling_blocks(mention.surface, mention.type)
        near = sorted({number for block in blocks for number in in_block.get(block, ())})
        fitting = [groups[number] for number in near if _one_spelling(groups[number][0], mention)]
        if len(fitting) == 1:
            fitting[0].append(mention)
        else:
            exact = [group for group in fitting if group[0].surface == mention.surface]
            if exact:
                exact[0].append(mention)
            else:
                for block in blocks:
                    in_block.setdefault(block, []).append(len(groups))
                groups.append([mention])
    made = []
    for group in groups:
        first = group[0]
        made.append(
            _Group(
                name=first.surface,
                type=first.type,
                sign=signature(first.surface, first.type),
                mentions=tuple(sorted(group, key=lambda mention: mention.position)),
            )
        )
    return sorted(made, key=lambda group: (group.mentions[0].position, group.name, group.type))


@lru_cache(maxsize=20_000)
def _spelling_blocks(surface: str, type_: str) -> frozenset[str]:
    """Return the blocks of a name: spellings of one name have one in common."""
    return name_blocks(EntityView("", surface, type_)).looks_in


def _one_spelling(a: DocumentMention, b: DocumentMention) -> bool:
    if family(a.type) != family(b.type):
        return False
    one_sign, other_sign = signature(a.surface, a.type), signature(b.surface, b.type)
    if is_acronym(one_sign.joined, other_sign.words) or is_acronym(
        other_sign.joined, one_sign.words
    ):
        return False
    here = frozenset({"this document"})
    one = EntityView(f"{a.position} {a.surface}", a.surface, a.type, documents=here)
    other = EntityView(f"{b.position} {b.surface}", b.surface, b.type, documents=here)
    return decide(one, other).verdict == "same"


def _by_ends(groups: Sequence[_Group]) -> dict[tuple[str, ...], set[int]]:
    """Return the groups by all that their names begin or end with, the whole name too."""
    found: dict[tuple[str, ...], set[int]] = {}
    for number, group in enumerate(groups):
        words = group.sign.words
        for count in range(1, len(words) + 1):
            for end in (words[:count], words[-count:]):
                found.setdefault(end, set()).add(number)
    return found


def _full_name(
    number: int,
    groups: Sequence[_Group],
    definitions: Mapping[str, str],
    by_ends: Mapping[tuple[str, ...], set[int]],
) -> int | None:
    """Return the group whose name the group ``number`` is short for, None unless it is one alone.

    Of names that are short for one another, as "Ada Lovelace" and "Ada King Lovelace" are, the
    fullest stands for all.
    """
    short = groups[number]
    kind = family(short.type)
    defined = [definitions.get(mention.surface, "") for mention in short.mentions]
    names = {short.sign.words, *(signature(long, short.type).words for long in defined)}
    near = sorted({place for name in names for place in by_ends.get(name, ())})
    found = [
        place
        for place in near
        if place != number
        and family((full := groups[place]).type) == kind
        and (_fits(short.sign, full.sign, kind) or _is_defined(short, full, definitions))
        and not contradiction(short.sign, full.sign, kind)  # asked last: it takes longest
    ]
    fullest = (
        place
        for place in found
        if not any(
            other != place
            and _fits(groups[place].sign, groups[other].sign, kind)
            and not contradiction(groups[place].sign, groups[other].sign, kind)
            for other in found
        )
    )
    only = next(fullest, None)
    return only if next(fullest, None) is None else None


def _fits(short: NameSignature, full: NameSignature, kind: str) -> bool:
    if kind == "place":
        return short.words == full.words and not short.region and bool(full.region)
    if short.generation != full.generation and short.words == full.words:
        return False
    if not is_short_form(short.words, full.words):
        return False
    if kind == "person":
        return not all(is_initial(word) for word in short.words)
    rest = full.words[len(short.words) :]
    return (
        kind == "org"
        and full.words[: len(short.words)] == short.words
        and all(word in ORGANISATION_KINDS for word in rest)
    )


def _is_defined(short: _Group, full: _Group, definitions: Mapping[str, str]) -> bool:
    for mention in short.mentions:
        long = definitions.get(mention.surface)
        if long and signature(long, full.type).words == full.sign.words:
            return True
    return False


def _subject(title: str, groups: Sequence[_Group]) -> int | None:
    """Return the group that begins the text and is the title's name in full, None where none is."""
    for number, group in enumerate(groups):
        if not title or group.mentions[0].position > SUBJECT_REACH:
            return None
        named = signature(title, group.type)
        kind = family(group.type)
        alike = likeness(named, group.sign, kind)
        if alike and alike.kind in _TITLE_KINDS and not contradiction(named, group.sign, kind):
            return number
    return None


def _joined(
    groups: Sequence[_Group],
    target: Mapping[int, tuple[int, str]],
    subject: int | None,
    title: str,
) -> tuple[NameGroup, ...]:
    members: dict[int, list[int]] = {}
    for number in range(len(groups)):
        root = number
        while root in target:
            root = target[root][0]
        members.setdefault(root, []).append(number)
    joined = []
    for root, numbers in members.items():
        mentions = sorted(
            (mention for number in numbers for mention in groups[number].mentions),
            key=lambda mention: (mention.position, mention.surface),
        )
        name = groups[root].name
        names = {mention.surface for mention in mentions}
        if subject in numbers:
            names.add(title)
        joined.append(
            NameGroup(
                name=name,
                type=groups[root].type,
                mentions=tuple(mentions),
                aliases=tuple(
                    sorted(
                        other for other in names if normalise_name(other) != normalise_name(name)
                    )
                ),
                reasons=tuple(target[number][1] for number in numbers if number in target),
            )
        )
    return tuple(sorted(joined, key=lambda group: (group.mentions[0].position, group.name)))


def _letters(acronym: str) -> str:
    letters = re.sub(r"[\W_]", "", acronym).lower()
    return letters[:-1] if acronym.endswith("s") and acronym[:-1].isupper() else letters


def _folded(word: str) -> str:
    return word.lower().strip(".'’")


def _stands_for(letters: str, words: Sequence[str]) -> bool:
    parts = tuple(part for word in words for part in re.split(r"[-&]", _folded(word)) if part)
    return is_acronym(letters, parts)
