"""translator (KT-6 to KT-9): the question is translated into clues that exist in the graph.

Source: KG-Translator (§3.3, §3.4, Algorithms 1 and 2). A language model writes clues, an entity
and a relation, held token by token to the graph. Clues lead to sentences, these to chunks, and the
embedder ranks the chunks; how likely their clues are counts a little (ours: the embedder knows
nothing of what a chain of clues led to). Where fewer than k were traced, fewer are handed on.

Forward first: relations of sentences that have the entity as a subject. Reverse, of those that
have it otherwise, only where forward found nothing, or where a name in the question got no clue.

Differs from Algorithm 2: a name that is nowhere in the graph could get no clue in reverse either,
and does not start it, unless the question has no other name.
"""

import math
from collections.abc import Sequence
from collections.abc import Set as AbstractSet

from clew.evidence import Evidence, SeedEntity
from clew.strategies.clue_tracing import (
    SHOWN_SENTENCES,
    KnownHyperedges,
    beside,
    chunk_log_probabilities,
    other_ends,
    shown_clues,
)
from clew.strategies.context import StrategyContext
from clew.strategies.retrieval import Retrieval
from clew.strategies.seeds import question_entities
from clew_cypher.hyperrelations import chunk_cosines
from clew_models.translator import (
    DIRECTIONS,
    Clue,
    Direction,
    TranslatedEntity,
    Translation,
    TranslationOptions,
)

NAMED = 8
"""Entities of one question that relations are decoded for because it names them."""


class Translator:
    """Ranks the chunks that the question's clues lead to."""

    name = "translator"

    def __init__(self, context: StrategyContext) -> None:
        self._context = context
        settings = context.settings
        self._options = TranslationOptions(
            entities=settings.translator_entities,
            relations=settings.translator_relations,
            relation_tokens=settings.translator_relation_tokens,
            length_penalty=settings.translator_length_penalty,
            form=settings.translator_form,
        )

    def retrieve(self, question: str, corpus: str, k: int) -> Evidence:
        """Return at most ``k`` chunks; their scores are cosines with the question, and the weighted
        log-probability that the clues give them.
        """
        retrieval = Retrieval(self._context, self.name, question, corpus, k)
        with retrieval.step("language model") as detail:
            translating = self._context.translating
            detail["model"] = translating.backbone.name
        with retrieval.step("clue index") as detail:
            snapshot = translating.indexes.snapshot(retrieval.corpus)
            index = snapshot.value
            detail["revision"] = snapshot.revision
            detail["names"] = len(index.name_entity)
        for sentence in snapshot.notices:
            retrieval.notice(sentence)
        seeds = question_entities(retrieval)
        with retrieval.step("prompt"):
            translation = translating.backbone.translation(index, question, self._options)
        edges = KnownHyperedges(self._context.store, corpus)
        clues = self._translate(retrieval, translation, seeds, edges)
        traced = chunk_log_probabilities(clues)
        vector, weight = retrieval.vector, self._context.settings.translator_clue_weight
        with retrieval.step("rank") as detail:
            cosines = chunk_cosines(self._context.store, corpus, list(traced), vector)
            scores = {id_: cosine + weight * traced[id_] for id_, cosine in cosines.items()}
            detail["chunks"] = len(scores)
        ranked = sorted(scores, key=lambda id_: (-scores[id_], id_))
        with retrieval.step("trace clues") as detail:
            shown = shown_clues(clues, edges)
            detail["clues"] = len(shown)
        found = [*seeds, *_decoded(clues, {seed.id for seed in seeds})]
        return retrieval.evidence_by_id(ranked, [scores[id_] for id_ in ranked], found, shown)

    def _translate(
        self,
        retrieval: Retrieval,
        translation: Translation,
        seeds: Sequence[SeedEntity],
        edges: KnownHyperedges,
    ) -> list[Clue]:
        """Return the clues of both directions (Algorithm 2), and those that follow them."""
        named = [(seed.id, seed.name) for seed in seeds[:NAMED]]
        with retrieval.step("entities") as detail:
            entities = translation.entities(named)
            detail["entities"] = [entity.surface for entity in entities]
            detail["passes"] = translation.tree.passes
        when = self._context.settings.translator_reverse
        first: Direction = "reverse" if when == "first" else "forward"
        clues = self._clues(retrieval, translation, entities, first, edges)
        told = {clue.entity.id for clue in clues}
        lacking = not clues or any(id_ not in told for id_, _ in named) or not named
        if when != "never" and lacking:
            other: Direction = "forward" if first == "reverse" else "reverse"
            clues += self._clues(retrieval, translation, entities, other, edges)
        newest = clues
        for _ in range(1, self._context.settings.translator_hops):
            newest = self._chained(retrieval, translation, newest, edges)
            clues = [*clues, *newest]
        return clues

    def _clues(
        self,
        retrieval: Retrieval,
        translation: Translation,
        entities: Sequence[TranslatedEntity],
        direction: Direction,
        edges: KnownHyperedges,
    ) -> list[Clue]:
        with retrieval.step(f"{direction} relations") as detail:
            before = translation.tree.passes
            clues = translation.clues(entities, direction, other_ends(edges, direction))
            detail["clues"] = len(clues)
            detail["passes"] = translation.tree.passes - before
        return clues

    def _chained(
        self,
        retrieval: Retrieval,
        translation: Translation,
        clues: Sequence[Clue],
        edges: KnownHyperedges,
    ) -> list[Clue]:
        """Return clues that follow the likeliest of ``clues``, a step further in the graph."""
        settings = self._context.settings
        with retrieval.step("next clues") as detail:
            before = translation.tree.passes
            chosen = _different(clues, settings.translator_chains)
            known = edges.read(
                id_ for clue in chosen for id_ in clue.sentence_ids[:SHOWN_SENTENCES]
            )
            ends = [beside(clue, known) for clue in chosen]
            found = translation.next_clues(
                chosen,
                ends,
                settings.translator_entities,
                ("forward",) if settings.translator_reverse == "never" else DIRECTIONS,
            )
            detail["clues"] = len(found)
            detail["passes"] = translation.tree.passes - before
        return found


def _different(clues: Sequence[Clue], count: int) -> list[Clue]:
    """Return ``count`` clues that lead to different sentences: those that began at a name in the
    question first, since an entity that it does not name is a guess; then the likeliest.
    """
    taken: dict[tuple[str, ...], Clue] = {}
    for clue in sorted(clues, key=lambda clue: (not clue.first.entity.named, -clue.score)):
        taken.setdefault(clue.sentence_ids, clue)
    return list(taken.values())[:count]


def _decoded(clues: Sequence[Clue], known: AbstractSet[str]) -> list[SeedEntity]:
    """Return the entities of clues that the question does not name, as where evidence began."""
    found: dict[str, SeedEntity] = {}
    for clue in clues:
        if clue.entity.id not in known:
            found[clue.entity.id] = SeedEntity(
                id=clue.entity.id,
                name=clue.entity.surface,
                mention=clue.entity.surface,
                match="decoded",
                weight=math.exp(clue.entity.log_probability),
            )
    return list(found.values())
