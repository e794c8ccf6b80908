"""From decisions on pairs to merges: groups of one thing, as plans that can be undone.

A group grows along "same" pairs, the surest first, but never so that two of its members are
"different": a chain of likely steps does not join what a direct look keeps apart.
"""

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from clew_ingest.resolution.pairs import decide
from clew_ingest.resolution.views import Decision, EntityView, JudgedPair

Judge = Callable[[EntityView, EntityView], Decision]

DOUBTED_SCORE = 0.89
"""Score of a pair that would be sure by itself: the first to review."""

_STRICTNESS = {"same": 0, "unsure": 1, "different": 2}


@dataclass(frozen=True)
class MergePlan:
    """Entities to be one: ``merged`` go into ``canonical``, whose names are then ``aliases`` too.

    ``id`` follows from the members, so that a plan made again is the same plan. ``aliases``: every
    name and alias of the members but the canonical name, sorted. ``reasons``: "a = b: why" for the
    pairs that joined the group, in the order of joining.
    """

    id: str
    canonical: str
    merged: tuple[str, ...]
    aliases: tuple[str, ...]
    reasons: tuple[str, ...]


@dataclass(frozen=True)
class MergeProposal:
    """What is to be merged (``plans``) and what waits for a person (``review``, surest first)."""

    plans: tuple[MergePlan, ...]
    review: tuple[JudgedPair, ...]


def propose_merges(
    entities: Iterable[EntityView], pairs: Iterable[JudgedPair], judge: Judge = decide
) -> MergeProposal:
    """Return the merges that ``pairs`` make sure, and the pairs that wait for review.

    Pairs of a group that were no candidates are judged by ``judge`` before the group is joined;
    what a "different" forbids is reviewed instead. A pair given twice counts as its stricter
    verdict. The order of ``entities`` and ``pairs`` does not matter. Raises ValueError where a
    pair names an entity that is not among ``entities``, or two entities have one key.
    """
    views = _by_key(entities)
    given = _strictest(pairs, views)
    look = _Look(views, given, judge)
    sure = [pair for pair in given.values() if pair.decision.verdict == "same"]
    rivals = _rivals(sure, look)
    groups: dict[str, set[str]] = {key: {key} for key in views}
    reasons: dict[str, list[str]] = {key: [] for key in views}
    review: list[JudgedPair] = []
    for pair in sorted(sure, key=_surest_first):
        one, other = groups[pair.a], groups[pair.b]
        if one is other:
            continue
        obstacle = rivals.get((pair.a, pair.b)) or _obstacle(one, other, look)
        if obstacle:
            review.append(_doubted(pair, obstacle))
            continue
        why = [*reasons[min(one)], *reasons[min(other)], _reason(pair)]
        one |= other
        for key in other:
            groups[key] = one
        reasons[min(one)] = why
    review += [pair for pair in given.values() if pair.decision.verdict == "unsure"]
    review = [pair for pair in review if groups[pair.a] is not groups[pair.b]]
    plans = [
        _plan([views[key] for key in sorted(group)], reasons[min(group)])
        for key, group in sorted(groups.items())
        if len(group) > 1 and key == min(group)
    ]
    return MergeProposal(tuple(plans), tuple(sorted(review, key=_surest_first)))


def canonical_member(members: Sequence[EntityView]) -> EntityView:
    """Return the member that gives the group its name: most mentions, longest name, first key."""
    return min(members, key=lambda view: (-view.mentions, -len(view.name), view.key))


def _by_key(entities: Iterable[EntityView]) -> dict[str, EntityView]:
    views: dict[str, EntityView] = {}
    for view in entities:
        if view.key in views:
            raise ValueError(f"Two entities have the key {view.key!r}; give each once.")
        views[view.key] = view
    return views


def _strictest(
    pairs: Iterable[JudgedPair], views: Mapping[str, EntityView]
) -> dict[tuple[str, str], JudgedPair]:
    """Return one decision a pair of keys, the smaller key first."""
    decided: dict[tuple[str, str], JudgedPair] = {}
    for pair in pairs:
        a, b = sorted((pair.a, pair.b))
        for key in (a, b):
            if key not in views:
                raise ValueError(f"A pair names {key!r}, which is not among the entities.")
        if a == b:
            continue
        ordered = JudgedPair(a, b, pair.decision)
        known = decided.get((a, b))
        if known is None or _strictness(ordered) > _strictness(known):
            decided[a, b] = ordered
    return decided


def _strictness(pair: JudgedPair) -> tuple[int, float, tuple[str, ...]]:
    decision = pair.decision
    return (_STRICTNESS[decision.verdict], -decision.score, decision.reasons)


def _surest_first(pair: JudgedPair) -> tuple[float, str, str]:
    return (-pair.decision.score, pair.a, pair.b)


class _Look:
    """Decisions on any two entities: the given ones, else the judge's, each asked for once."""

    def __init__(
        self,
        views: Mapping[str, EntityView],
        given: Mapping[tuple[str, str], JudgedPair],
        judge: Judge,
    ) -> None:
        self._views = views
        self._judge = judge
        self._decisions = {keys: pair.decision for keys, pair in given.items()}

    def __call__(self, x: str, y: str) -> Decision:
        a, b = min(x, y), max(x, y)
        if (a, b) not in self._decisions:
            self._decisions[a, b] = self._judge(self._views[a], self._views[b])
        return self._decisions[a, b]


def _rivals(sure: Sequence[JudgedPair], look: _Look) -> dict[tuple[str, str], str]:
    """Return the pairs of which one member is as surely the same as something different.

    "J. R. Smith" may be John Robert or James Robert Smith: whichever came first must not win.
    """
    partners: dict[str, list[tuple[str, float]]] = {}
    for pair in sure:
        partners.setdefault(pair.a, []).append((pair.b, pair.decision.score))
        partners.setdefault(pair.b, []).append((pair.a, pair.decision.score))
    rivals: dict[tuple[str, str], str] = {}
    for pair in sure:
        for key, partner in ((pair.a, pair.b), (pair.b, pair.a)):
            for rival, score in sorted(partners[key]):
                if score < pair.decision.score or rival == partner:
                    continue
                if look(partner, rival).verdict == "different":
                    rivals.setdefault((pair.a, pair.b), f"{key} is as surely {rival}")
    return rivals


def _obstacle(one: set[str], other: set[str], look: _Look) -> str:
    """Return which members of two groups are different, "" where none are."""
    for x in sorted(one):
        for y in sorted(other):
            decision = look(x, y)
            if decision.verdict == "different":
                a, b = min(x, y), max(x, y)
                return f"would join {a} and {b}: {'; '.join(decision.reasons)}"
    return ""


def _doubted(pair: JudgedPair, obstacle: str) -> JudgedPair:
    """Return the pair as one for review."""
    return JudgedPair(
        pair.a, pair.b, Decision("unsure", (*pair.decision.reasons, obstacle), DOUBTED_SCORE)
    )


def _reason(pair: JudgedPair) -> str:
    return f"{pair.a} = {pair.b}: {'; '.join(pair.decision.reasons)}"


def _plan(members: Sequence[EntityView], reasons: Sequence[str]) -> MergePlan:
    canonical = canonical_member(members)
    names = {name for view in members for name in (view.name, *view.aliases)} - {canonical.name}
    keys = sorted(view.key for view in members)
    return MergePlan(
        id=hashlib.sha256("\n".join(keys).encode()).hexdigest()[:32],
        canonical=canonical.key,
        merged=tuple(key for key in keys if key != canonical.key),
        aliases=tuple(sorted(names)),
        reasons=tuple(reasons),
    )
