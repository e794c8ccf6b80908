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
from typing import TYPE_CHECKING

from clew.results.evidence import Evidence, SeedEntity
from clew.strategies.base import Tell, untold
from clew.strategies.retrieval import Retrieval
from clew.strategies.seeds import question_entities
from clew.strategies.translator.clues import (
    SHOWN_SENTENCES,
    KnownHyperedges,
    beside,
    chunk_log_probabilities,
    other_ends,
)
from clew.strategies.translator.explanation import Explanation
from clew.strategies.translator.indexes import clue_indexes, serving_backbone
from clew.strategies.translator.options import TranslatorOptions
from clew.strategies.translator.spec import SPEC
from clew_cypher.export.hyperrelations import chunk_cosines
from clew_models.translator import (
    DIRECTIONS,
    Clue,
    Direction,
    TranslatedEntity,
    Translation,
    TranslationOptions,
)

if TYPE_CHECKING:
    from clew.resources.resources import Resources

NAMED = 8
"""Entities of one question that relations are decoded for because it names them."""


class Translator:
    """Ranks the chunks that the question's clues lead to."""

    name = SPEC.name

    def __init__(self, resources: "Resources") -> None:
        self._resources = resources
        self._settings = options = resources.settings.options(TranslatorOptions)
        self._options = TranslationOptions(
            entities=options.entities,
            relations=options.relations,
            relation_tokens=options.relation_tokens,
            length_penalty=options.length_penalty,
            form=options.form,
        )

    def retrieve(self, question: str, corpus: str, k: int, tell: Tell = untold) -> Evidence:
        """Return at most ``k`` chunks; their scores are cosines with the question, and the weighted
        log-probability that the clues give them.
        """
        retrieval = Retrieval(self._resources, self.name, question, corpus, k, tell)
        with retrieval.step("language model") as detail:
            backbone = serving_backbone(self._resources, corpus, retrieval.doing)
            detail["model"] = backbone.name
        with retrieval.step("clue index") as detail:
            cache = clue_indexes(self._resources, backbone)
            snapshot = cache.snapshot(retrieval.corpus, retrieval.doing)
            index = snapshot.value
            detail["revision"] = snapshot.revision
            detail["names"] = len(index.name_entity)
        for sentence in snapshot.notices:
            retrieval.notice(sentence)
        seeds = question_entities(retrieval)
        with retrieval.step("prompt"):
            translation = backbone.translation(index, question, self._options)
        explanation = Explanation(KnownHyperedges(self._resources.store, corpus))
        clues = self._translate(retrieval, translation, seeds, explanation)
        traced = chunk_log_probabilities(clues)
        vector, weight = retrieval.vector, self._settings.clue_weight
        with retrieval.step("rank") as detail:
            cosines = chunk_cosines(self._resources.store, corpus, list(traced), vector)
            scores = {id_: cosine + weight * traced[id_] for id_, cosine in cosines.items()}
            detail["chunks"] = len(scores)
        ranked = sorted(scores, key=lambda id_: (-scores[id_], id_))
        chunks = retrieval.read_chunks(ranked, [scores[id_] for id_ in ranked])
        with retrieval.step("trace clues") as detail:
            cards = explanation.whole(chunks)
            detail["clues"] = len(clues)
        found = [*seeds, *_decoded(clues, {seed.id for seed in seeds})]
        return retrieval.evidence(chunks, found, cards)

    def _translate(
        self,
        retrieval: Retrieval,
        translation: Translation,
        seeds: Sequence[SeedEntity],
        explanation: Explanation,
    ) -> list[Clue]:
        """Return the clues of both directions (Algorithm 2), and those that follow them."""
        named = [(seed.id, seed.name) for seed in seeds[:NAMED]]
        with retrieval.step("entities") as detail:
            entities = translation.entities(named)
            detail["entities"] = [entity.surface for entity in entities]
            detail["passes"] = translation.tree.passes
        when = self._settings.reverse
        first: Direction = "reverse" if when == "first" else "forward"
        clues = self._clues(retrieval, translation, entities, first, explanation)
        told = {clue.entity.id for clue in clues}
        lacking = not clues or any(id_ not in told for id_, _ in named) or not named
        if when != "never" and lacking:
            other: Direction = "forward" if first == "reverse" else "reverse"
            clues += self._clues(retrieval, translation, entities, other, explanation)
        newest = clues
        for hop in range(2, self._settings.hops + 1):
            newest = self._chained(retrieval, translation, newest, explanation.edges)
            clues = [*clues, *newest]
            _tell(retrieval, explanation, f"Hop {hop}", newest)
        return clues

    def _clues(
        self,
        retrieval: Retrieval,
        translation: Translation,
        entities: Sequence[TranslatedEntity],
        direction: Direction,
        explanation: Explanation,
    ) -> list[Clue]:
        with retrieval.step(f"{direction} relations") as detail:
            before = translation.tree.passes
            clues = translation.clues(entities, direction, other_ends(explanation.edges, direction))
            detail["clues"] = len(clues)
            detail["passes"] = translation.tree.passes - before
        _tell(retrieval, explanation, direction.capitalize(), clues)
        return clues

    def _chained(
        self,
        retrieval: Retrieval,
        translation: Translation,
        clues: Sequence[Clue],
        edges: KnownHyperedges,
    ) -> list[Clue]:
        """Return clues that follow the likeliest of ``clues``, a step further in the graph."""
        options = self._settings
        with retrieval.step("next clues") as detail:
            before = translation.tree.passes
            chosen = _different(clues, options.chains)
            known = edges.read(
                id_ for clue in chosen for id_ in clue.sentence_ids[:SHOWN_SENTENCES]
            )
            ends = [beside(clue, known) for clue in chosen]
            found = translation.next_clues(
                chosen,
                ends,
                options.entities,
                ("forward",) if options.reverse == "never" else DIRECTIONS,
            )
            detail["clues"] = len(found)
            detail["passes"] = translation.tree.passes - before
        return found


def _tell(
    retrieval: Retrieval, explanation: Explanation, stage: str, clues: Sequence[Clue]
) -> None:
    """Tell what clues came in a stage, and where they lead."""
    with retrieval.step("read clues"):
        cards = explanation.came(stage, clues)
    for card in cards:
        retrieval.tell(card)


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
