"""The judge of pairs: are two entities one thing, by their names, types and company?

A merge is sure by names alone: embeddings find candidates and rank what is unsure, but
"North Carolina" is near "South Carolina", so that no cosine makes a pair the same.
"""

from clew_ingest.entities import normalise_name
from clew_ingest.resolution.contradictions import contradiction, qualifier_denies_type
from clew_ingest.resolution.likeness import Likeness, is_acronym, likeness
from clew_ingest.resolution.name_words import MARRIED_TITLES
from clew_ingest.resolution.names import NameSignature, signature
from clew_ingest.resolution.types import agreement, family
from clew_ingest.resolution.views import Decision, EntityView

NEAR = 0.9
"""Least cosine of names that are unsure although their words do not match."""
SHORT_NEAR = 0.75
"""Least cosine of a name and what may be short for it, where no document has both."""

_SURE = {"words": 0.98, "joined": 0.96, "initials": 0.93, "order": 0.92}
_UNSURE = {
    "words": 0.7,
    "joined": 0.7,
    "initials": 0.7,
    "middle": 0.65,
    "order": 0.6,
    "nickname": 0.55,
    "acronym": 0.55,
    "plural": 0.55,
    "number": 0.5,
    "initial": 0.5,
    "spelling": 0.5,
    "short": 0.4,
    "near": 0.35,
}
_ALIAS_SCORE = 0.94
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
        return _different(f"the types differ: {a.type} and {b.type}")
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
    if alias := _shared_alias(a, b, kind):
        if types == "agree" and (alike is None or alike.kind in ("short", "spelling", "acronym")):
            return Decision("same", (f"both go by the name {alias}",), _ALIAS_SCORE)
        alike = alike or Likeness("acronym", f"both go by the name {alias}")
    if alike is None:
        if cosine is not None and cosine >= NEAR and types in ("agree", "unknown"):
            return _unsure("near", ("the embeddings are near",), shared, cosine)
        return _different("the names differ")
    doubts = _doubts(a, b, one, other, alike, types, shared)
    if alike.kind in _SURE and not doubts:
        return Decision("same", (alike.reason, *_left_out(one, other)), _SURE[alike.kind])
    if alike.kind == "plural" and kind == "people" and types == "agree":
        return Decision("same", (alike.reason,), _SURE["order"])
    if alike.kind == "short" and not _short_form_is_likely(types, kind, shared, cosine):
        return _different("one name is part of the other, and nothing else speaks for it")
    return _unsure(alike.kind, (alike.reason, *doubts), shared, cosine)


def _doubts(
    a: EntityView,
    b: EntityView,
    one: NameSignature,
    other: NameSignature,
    alike: Likeness,
    types: str,
    shared: int,
) -> tuple[str, ...]:
    """Return why names that are alike need not be one thing, [] where nothing is in doubt."""
    kind = family(a.type) or family(b.type)
    doubts = []
    if types == "doubtful":
        doubts.append(f"{a.type} may be {b.type}")
    for part, name in (
        (one.generation != other.generation, "generation"),
        (one.qualifier != other.qualifier, "qualifier in brackets"),
        (one.region != other.region, "region"),
    ):
        if part:
            doubts.append(f"only one has a {name}")
    if bool(MARRIED_TITLES & set(one.titles)) != bool(MARRIED_TITLES & set(other.titles)):
        doubts.append("a wife may bear her husband's name")
    if one.legal and other.legal and one.legal != other.legal:
        doubts.append(f"the legal forms differ: {one.legal} and {other.legal}")
    single = len(one.words) == 1 or len(other.words) == 1
    if single and not shared:
        if kind in ("person", "work", "event", ""):
            doubts.append("one word names many")
        elif types == "unknown":
            doubts.append("one word, and one of them has no type")
        elif "co" in (one.legal, other.legal) and one.legal != other.legal:
            doubts.append("one word, and only one is a company")
    if alike.kind == "order" and kind != "event":
        doubts.append("the order of words differs")
    return tuple(doubts)


def _short_form_is_likely(types: str, kind: str, shared: int, cosine: float | None) -> bool:
    if types == "doubtful":
        return False
    return shared > 0 or (cosine is not None and cosine >= SHORT_NEAR)


def _shared_alias(a: EntityView, b: EntityView, kind: str) -> str:
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
        reasons = (*reasons, f"{shared} document{'s' if shared > 1 else ''} name both")
    return Decision("unsure", reasons, round(min(score, 0.89), 4))


def _different(reason: str) -> Decision:
    return Decision("different", (reason,), 0.0)
