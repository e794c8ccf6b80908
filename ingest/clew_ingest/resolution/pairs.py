"""The judge of pairs: are two entities one thing, by their names, types and company?

A merge is sure by names, types and the documents that name both. Embeddings find candidates and
rank what is unsure; but "North Carolina" is near "South Carolina", so that no cosine alone makes
a pair the same.
"""

from clew_ingest.parsing.entity_names import normalise_name
from clew_ingest.parsing.identifiers import CODE
from clew_ingest.resolution.contradictions import (
    contradiction,
    qualifier_denies_type,
    told_families,
)
from clew_ingest.resolution.likeness import Likeness, is_acronym, likeness
from clew_ingest.resolution.name_words import MARRIED_TITLES, PEERAGE
from clew_ingest.resolution.names import NameSignature, is_initial, signature
from clew_ingest.resolution.types import agreement, family, in_words
from clew_ingest.resolution.views import Decision, EntityView

NEAR = 0.9
"""Least cosine of names that are unsure although their words do not match."""
SHORT_NEAR = 0.75
"""Least cosine of a name and what may be short for it, where no document has both."""

PLURAL_NEAR = 0.95
"""Least cosine of an organisation's name of several words and its plural."""

SEVERAL_INITIALS = 3
"""So many initials that stand for names are sure: "R. N. Rao" was two men."""
FEW_LETTERS = 3
"""Letters of a name that says little: "f(x)" is not FX."""

_SURE = {"words": 0.98, "joined": 0.96, "initials": 0.93, "order": 0.92}
_UNSURE = {
    "words": 0.7,
    "joined": 0.7,
    "initials": 0.7,
    "middle": 0.65,
    "order": 0.6,
    "nickname": 0.55,
    "acronym": 0.35,
    "plural": 0.55,
    "number": 0.5,
    "initial": 0.5,
    "spelling": 0.5,
    "short": 0.4,
    "near": 0.35,
}
_ALIAS_SCORE = 0.94
_CODE = family(CODE)
_SPELT_ALIKE = frozenset({"words", "joined"})
_VALUES = frozenset(["date", "time", "percent", "money", "quantity", "ordinal", "cardinal"])


def decide(a: EntityView, b: EntityView, cosine: float | None = None) -> Decision:
    """Say whether two entities are one thing; the same whichever comes first.

    "same" needs agreeing types and names that are equal but for spelling, titles, legal form or
    initials; what is missing on one side (a generation, a number, brackets, a region) makes that
    "unsure", what contradicts (Henry V and Henry VI) "different". ``cosine``: of the names'
    embeddings, None where unknown.
    """
    a, b = sorted((a, b), key=lambda view: (view.key, view.name, view.type, view.aliases))
    types = agreement(a.type, b.type)
    if types == "never":
        return _different(f"one is taken for {in_words(a.type)}, the other for {in_words(b.type)}")
    kind = family(a.type) or family(b.type)
    one, other = signature(a.name, a.type or b.type), signature(b.name, b.type or a.type)
    if not one.words or not other.words:
        return _different("a name without a word")
    if kind in _VALUES:
        if normalise_name(a.name) == normalise_name(b.name):
            return Decision("same", ("one value",), _SURE["words"])
        return _different("two values")
    against = (
        contradiction(one, other, kind)
        or qualifier_denies_type(one, b.type)
        or qualifier_denies_type(other, a.type)
    )
    if against:
        return _different(against)
    shared = len(a.documents & b.documents)
    alike = likeness(one, other, kind)
    if kind == _CODE and types == "agree" and (alike is None or alike.kind not in _SPELT_ALIKE):
        return _different("each is written for another thing")  # max_fee, max_fee_per_gas
    if alias := _shared_alias(a, b):
        if types == "agree" and (alike is None or alike.kind in ("short", "spelling", "acronym")):
            return Decision("same", (f"both go by the name {alias}",), _ALIAS_SCORE)
        alike = alike or Likeness("acronym", f"both go by the name {alias}")
    if alike is None:
        if cosine is not None and cosine >= NEAR and types in ("agree", "unknown"):
            return _unsure("near", ("the embeddings are near",), shared, cosine)
        return _different("the names differ")
    doubts = _doubts(a, b, one, other, alike, types)
    if not doubts and _is_sure(alike, one, other, kind, types, shared, cosine):
        score = _SURE.get(alike.kind, _SURE["order"])
        return Decision("same", (alike.reason, *_left_out(one, other)), score)
    near = cosine is not None and cosine >= NEAR
    if alike.kind == "short" and not near and not _short_form_is_likely(types, shared, cosine):
        return _different("one name is part of the other, and nothing else speaks for it")
    return _unsure(alike.kind, (alike.reason, *doubts), shared, cosine)


def _is_sure(
    alike: Likeness,
    one: NameSignature,
    other: NameSignature,
    kind: str,
    types: str,
    shared: int,
    cosine: float | None,
) -> bool:
    """Say whether names that are alike in this way, and in no doubt, are one thing."""
    if alike.kind == "initials" and _initials(one, other) < SEVERAL_INITIALS:
        return shared > 0
    if alike.kind in _SURE:
        return True
    if types != "agree":
        return False
    if alike.kind == "plural":
        several = min(len(one.words), len(other.words)) > 1
        near = cosine is not None and cosine >= PLURAL_NEAR
        return kind == "people" or (several and (kind == "event" or near))
    return alike.kind == "acronym" and shared > 0


def _doubts(
    a: EntityView,
    b: EntityView,
    one: NameSignature,
    other: NameSignature,
    alike: Likeness,
    types: str,
) -> tuple[str, ...]:
    """Return why names that are alike need not be one thing, () where nothing is in doubt."""
    kind = family(a.type) or family(b.type)
    doubts = []
    if types == "doubtful":
        doubts.append(f"taken for {in_words(a.type)}, and for {in_words(b.type)}")
    within = _bare_name_is_within(a, b, one, other)
    if one.generation != other.generation:
        doubts.append("only one has a generation")
    if one.region != other.region and (not within or one.qualifier != other.qualifier):
        doubts.append("only one has a region")
    if one.qualifier != other.qualifier and not (
        within and kind in ("person", "place") and kind in told_families(one) | told_families(other)
    ):
        doubts.append("the brackets are not equal")
    if bool(MARRIED_TITLES & set(one.titles)) != bool(MARRIED_TITLES & set(other.titles)):
        doubts.append("a wife may bear her husband's name")
    if one.legal and other.legal and one.legal != other.legal:
        doubts.append(f"the legal forms differ: {one.legal} and {other.legal}")
    if bool(PEERAGE & set(one.titles)) != bool(PEERAGE & set(other.titles)):
        doubts.append("a peerage passes from one to the next")
    if alike.kind == "acronym":
        if not _acronym_is_at_home(a, b, one, other):
            doubts.append("the letters can stand for other names")
    elif min(len(one.words), len(other.words)) == 1 and not within:
        if kind in ("person", "work", "event", ""):
            doubts.append("one word names many")
        elif types == "unknown":
            doubts.append("one word, and one of them has no type")
        elif bool(one.legal) != bool(other.legal):
            doubts.append("one word, and only one has a legal form")
        elif len(one.joined) <= FEW_LETTERS and _letters(a.name) != _letters(b.name):
            doubts.append("a few letters, which are not written alike")
    elif len(one.words) == 1 and one.titles != other.titles:
        doubts.append("one word, and only one has a title")
    spaces = not any(mark in name for name in (a.name, b.name) for mark in "-‐‑–'’.")
    if alike.kind == "joined" and spaces and not a.documents & b.documents:
        doubts.append("equal but for a space: Christ Church, Christchurch")
    if alike.kind == "order" and kind != "event":
        doubts.append("the order of words differs")
    return tuple(doubts)


def _bare_name_is_within(
    a: EntityView, b: EntityView, one: NameSignature, other: NameSignature
) -> bool:
    """Say whether every document that has the barer name has the other too.

    Else "Portland" may be that of another document, and "Albert" another Albert.
    """
    barer, rest = sorted((a, b), key=lambda view: _extras(one if view is a else other))
    if _extras(one) == _extras(other):
        barer, rest = sorted((a, b), key=lambda view: len(view.documents))
    return bool(barer.documents) and barer.documents <= rest.documents


def _extras(sign: NameSignature) -> int:
    """Return how many parts a name has beside its words."""
    return sum(map(bool, (sign.region, sign.qualifier, sign.titles, sign.legal)))


def _acronym_is_at_home(
    a: EntityView, b: EntityView, one: NameSignature, other: NameSignature
) -> bool:
    """Say whether an acronym is long, or most of its documents have the long form too."""
    letters, view = min((one.joined, a), (other.joined, b), key=lambda pair: len(pair[0]))
    shared = len(a.documents & b.documents)
    return shared > 0 and (len(letters) >= 4 or 2 * shared > len(view.documents))


def _short_form_is_likely(types: str, shared: int, cosine: float | None) -> bool:
    if types == "doubtful":
        return False
    return shared > 0 or (cosine is not None and cosine >= SHORT_NEAR)


def _shared_alias(a: EntityView, b: EntityView) -> str:
    """Return a name that one goes by and the other too, of two words or more, or an acronym.

    A surname or a title without its brackets is an alias of many, so it says nothing.
    """
    for view, rest in ((a, b), (b, a)):
        own = signature(view.name, view.type or rest.type)
        for alias in sorted(view.aliases):
            sign = signature(alias, view.type or rest.type)
            letters = is_acronym(sign.joined, own.words)
            if sign.words == own.words or (len(sign.words) < 2 and not letters):
                continue
            for name in sorted((rest.name, *rest.aliases)):
                found = signature(name, rest.type or view.type)
                if found == sign:
                    return alias
    return ""


def _initials(one: NameSignature, other: NameSignature) -> int:
    """Return how many initials of one name stand for the other's given names."""
    if len(one.words) != len(other.words) or one.words == other.words:
        return SEVERAL_INITIALS
    pairs = zip(one.words, other.words, strict=True)
    return sum(x != y and (is_initial(x) or is_initial(y)) for x, y in pairs)


def _letters(name: str) -> str:
    """Return a name as it is written, but for case, dots and spaces: U. K. is UK."""
    return normalise_name(name).replace(".", "").replace(" ", "").replace("-", "")


def _left_out(one: NameSignature, other: NameSignature) -> tuple[str, ...]:
    """Return what the comparison passed over."""
    reasons = []
    if one.titles != other.titles:
        reasons.append("titles are no part of a name")
    if one.legal != other.legal:
        reasons.append("the legal form is left out")
    return tuple(reasons)


def _unsure(kind: str, reasons: tuple[str, ...], shared: int, cosine: float | None) -> Decision:
    score = _UNSURE[kind] + (0.1 if shared else 0.0) + 0.05 * max(cosine or 0.0, 0.0)
    if shared:
        reasons = (
            *reasons,
            "1 document names both" if shared == 1 else f"{shared} documents name both",
        )
    # two digits: the last ones of a vector depend on what it was embedded with
    return Decision("unsure", reasons, round(min(score, 0.89), 2))


def _different(reason: str) -> Decision:
    return Decision("different", (reason,), 0.0)
