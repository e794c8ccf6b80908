"""Entity resolution of a corpus, run at the end of an ingest: one entity for each real thing.

First documents of several chunks get their short forms joined; then the entities that are new, or
of which something else is known now, are compared with their candidates. What is sure is merged,
what is unsure waits for a person. What was merged before and no longer holds is undone, so that
the same documents give the same merges, in whichever order they came and went. A run that is
killed is repaired by the next: an entity is marked as resolved last.
"""

import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial

from clew_cypher.corpora import get_corpus
from clew_cypher.errors import UnknownDocument
from clew_cypher.ids import content_id
from clew_cypher.resolution.candidates import (
    Neighbours,
    entity_groups,
    finish_resolution,
    reads_all,
    unresolved_entities,
    verdicts,
    write_blocks,
)
from clew_cypher.resolution.joins import documents_to_join
from clew_cypher.resolution.merges import Guard, MergeRow, merges_by_id, replace_merges
from clew_cypher.resolution.reviews import ReviewRow, drop_least_reviews
from clew_cypher.store import GraphStore, Row
from clew_ingest.errors import IngestCancelled
from clew_ingest.resolution.closure import Closure
from clew_ingest.resolution.joining import join_mentions
from clew_ingest.resolution.known import KnownEntities
from clew_ingest.resolution.merging import MergePlan, MergeProposal, propose_merges
from clew_ingest.resolution.views import EntityView
from clew_models.embedding.base import Embedder

BATCH = 400
"""Entities looked at between two questions whether the run is cancelled."""
MOST_REVIEWS = 2000
"""Reviews that a corpus keeps, the likeliest; more nobody reads."""

_ID = re.compile(r"\be[0-9a-f]{24}\b")


@dataclass(frozen=True)
class ResolutionReport:
    """What a run did: ``documents`` whose short forms were joined, ``entities`` looked at,
    merges ``made`` and ``undone``, ``reviews`` found, and ``dropped`` as too many.
    """

    documents: int = 0
    entities: int = 0
    made: int = 0
    undone: int = 0
    reviews: int = 0
    dropped: int = 0
    seconds: float = 0.0


def resolve(
    store: GraphStore,
    corpus: str,
    embedder: Embedder,
    *,
    cancelled: Callable[[], bool] = lambda: False,
    guard: Guard | None = None,
    progress: Callable[[], None] = lambda: None,
) -> ResolutionReport:
    """Join short forms in documents, and resolve the entities that are not resolved yet.

    ``embedder``: the corpus' own, for entities that come back when a document changes.
    ``cancelled`` is asked often; when True, IngestCancelled is raised and what was merged stays.
    ``guard`` runs first in each writing transaction; ``progress`` is called as the run gets on.
    Raises UnknownCorpus.
    """
    started = time.monotonic()
    documents = documents_to_join(store, corpus)
    for document_id in documents:
        _go_on(cancelled)
        with suppress(UnknownDocument):  # it was deleted meanwhile
            join_mentions(store, corpus, document_id, embedder, guard, partial(_go_on, cancelled))
    ids = unresolved_entities(store, corpus)
    report = resolve_entities(
        store, corpus, ids, cancelled=cancelled, guard=guard, progress=progress
    )
    seconds = time.monotonic() - started
    return replace(report, documents=len(documents), seconds=seconds)


def resolve_entities(
    store: GraphStore,
    corpus: str,
    ids: Sequence[str],
    *,
    cancelled: Callable[[], bool] = lambda: False,
    guard: Guard | None = None,
    progress: Callable[[], None] = lambda: None,
) -> ResolutionReport:
    """Resolve these entities, resolved or not, with all that hangs together with them.

    Arguments and errors as of :func:`resolve`; no model is needed.
    """
    started = time.monotonic()
    get_corpus(store, corpus)
    run = _Run(store, corpus, guard, len(ids))
    for part in _parts(ids, cancelled):
        run.write_blocks(part)
    for part in _parts(ids, cancelled):
        run.batch(part)
        progress()
    return ResolutionReport(
        entities=len(ids),
        made=run.made,
        undone=run.undone,
        reviews=run.reviews,
        dropped=drop_least_reviews(store, corpus, MOST_REVIEWS) if run.reviews else 0,
        seconds=time.monotonic() - started,
    )


def _go_on(cancelled: Callable[[], bool]) -> None:
    if cancelled():
        raise IngestCancelled("The run was cancelled.")


def _parts(ids: Sequence[str], cancelled: Callable[[], bool]) -> Iterator[Sequence[str]]:
    for start in range(0, len(ids), BATCH):
        _go_on(cancelled)
        yield ids[start : start + BATCH]


class _Run:
    """One run over a corpus; counts what it did."""

    def __init__(self, store: GraphStore, corpus: str, guard: Guard | None, asked: int) -> None:
        self._store = store
        self._corpus = corpus
        self._guard = guard
        together = reads_all(store, corpus, asked)
        self._known = KnownEntities(store, corpus, together=together)
        self._neighbours = Neighbours(store, corpus, together=together)
        self._kept_apart = verdicts(store, corpus)
        self._done: set[str] = set()
        self.made = self.undone = self.reviews = 0

    def write_blocks(self, ids: Sequence[str]) -> None:
        """Write the blocks of some entities, for later runs that look for whom they resemble."""
        write_blocks(self._store, self._known.blocks(ids), self._guard)

    def batch(self, ids: Sequence[str]) -> None:
        """Resolve some entities with all that must be looked at together with them."""
        closure = Closure(
            self._store, self._corpus, self._kept_apart, self._neighbours, self._known
        )
        closure.grow(key for key in ids if key not in self._done)
        if not closure.inside:
            return
        proposal = propose_merges(
            closure.views.values(), closure.judged.values(), judge=closure.judge
        )
        self._settle(closure, proposal.plans)
        self._finish(closure, proposal)
        self._done |= closure.inside

    def _settle(self, closure: Closure, plans: Sequence[MergePlan]) -> None:
        """Make the closure's merges those that the plans say; one transaction."""
        ids = {merge for group in closure.groups.values() for merge in group.merges.values()}
        present = merges_by_id(self._store, self._corpus, ids)
        undo: list[str] = []
        make: list[MergeRow] = []
        again: list[str] = []
        for part in sorted(_components(closure, present, plans), key=min):
            here = {key: row for key, row in present.items() if part & _ids_of(row)}
            by_person = [set(row["asked"]) for row in here.values() if row["by"] == "person"]
            wanted = _left_to_rules([p for p in plans if p.canonical in part], by_person)
            rows = {self._key(plan): self._row(plan, closure.views) for plan in wanted}
            auto = {key: row for key, row in here.items() if row["by"] == "auto"}
            holding = {
                key
                for key, row in auto.items()
                if key in rows
                and rows[key].canonical_id == row["canonical_id"]
                and set(rows[key].merged_ids) == set(row["merged_ids"])
            }
            if auto.keys() - holding or rows.keys() - holding:
                undo += sorted(auto.keys() - holding)
                make += [rows[key] for key in sorted(rows.keys() - holding)]
                again += sorted(here.keys() - auto.keys())
        if undo or make:
            replace_merges(self._store, self._corpus, undo, make, again, guard=self._guard)
            self.made += len(make)
            self.undone += len(undo)

    def _finish(self, closure: Closure, proposal: MergeProposal) -> None:
        """Write the reviews between what is at the top now, then the flags."""
        pairs = [
            pair for pair in proposal.review if pair.a in closure.inside or pair.b in closure.inside
        ]
        concerned = closure.inside | {key for pair in pairs for key in (pair.a, pair.b)}
        groups = entity_groups(self._store, concerned)
        tops = {key: group.root for group in groups for key in group.ids}
        reviews: dict[tuple[str, str], ReviewRow] = {}
        for pair in pairs:  # the likeliest first
            a, b = sorted((tops.get(pair.a, ""), tops.get(pair.b, "")))
            if a and a != b and (a, b) not in self._kept_apart:
                reasons = _readable(pair.decision.reasons, closure.views)
                row = ReviewRow(a, b, pair.decision.score, reasons)
                reviews.setdefault((a, b), row)
        expected = {
            group.root: sum(closure.edges.get(key, 0) for key in group.ids)
            for group in groups
            if group.ids & closure.inside
        }
        finish_resolution(
            self._store,
            self._corpus,
            closure.inside,
            list(reviews.values()),
            expected,
            self._guard,
        )
        self.reviews += len(reviews)

    def _row(self, plan: MergePlan, views: Mapping[str, EntityView]) -> MergeRow:
        reasons = _readable(plan.reasons, views)
        return MergeRow(self._key(plan), plan.canonical, plan.merged, reasons)

    def _key(self, plan: MergePlan) -> str:
        return content_id("g", self._corpus, *sorted((plan.canonical, *plan.merged)))


def _components(
    closure: Closure, present: Mapping[str, Row], plans: Iterable[MergePlan]
) -> list[set[str]]:
    """Return the sets of entities whose merges, present or planned, hang together."""
    joined = [set(group.ids) for group in closure.groups.values()]
    joined += [_ids_of(row) for row in present.values()]
    joined += [{plan.canonical, *plan.merged} for plan in plans]
    return _parts_of([ids for ids in joined if len(ids) > 1])


def _left_to_rules(
    plans: Iterable[MergePlan], by_person: Sequence[set[str]]
) -> tuple[MergePlan, ...]:
    """Return the plans without what a person has joined, which lies above and stays when they go.

    Of entities that a person's merges, or plans before, make one anyway, a plan has one only.
    """
    joined = list(by_person)
    left = []
    for plan in plans:
        parts = _parts_of(joined)
        kept: list[str] = []
        for key in (plan.canonical, *plan.merged):
            if not any(key in part and part.intersection(kept) for part in parts):
                kept.append(key)
        if len(kept) > 1:
            left.append(replace(plan, merged=tuple(kept[1:])))
            joined.append(set(kept))
    return tuple(left)


def _parts_of(joined: Iterable[set[str]]) -> list[set[str]]:
    """Return the sets that overlap as one, and theirs."""
    parts: list[set[str]] = []
    for ids in joined:
        touching = [part for part in parts if part & ids]
        parts = [part for part in parts if not part & ids]
        parts.append(ids.union(*touching))
    return parts


def _ids_of(merge: Row) -> set[str]:
    return {merge["canonical_id"], *merge["merged_ids"], *merge["asked"]}


def _readable(reasons: Iterable[str], views: Mapping[str, EntityView]) -> tuple[str, ...]:
    """Return reasons with the names of entities in place of their ids."""

    def name(match: re.Match[str]) -> str:
        return views[match[0]].name if match[0] in views else match[0]

    return tuple(_ID.sub(name, reason) for reason in reasons)
