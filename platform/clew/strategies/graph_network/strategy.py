"""graph-network (QSGNN; QS-7): passages ranked by a network over the graph that reads the question.

question ─▶ seeds ─▶ neighbourhood of the arrays ─▶ network ─▶ best chunks ─▶ what was attended to
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from clew.results.evidence import Evidence
from clew.strategies.base import Tell, untold
from clew.strategies.graph_network.arrays import network_arrays
from clew.strategies.graph_network.explanation import EXPLAINED, WAYS, explain
from clew.strategies.graph_network.networks import serving_network
from clew.strategies.graph_network.options import NetworkMethodOptions
from clew.strategies.graph_network.question import question_part
from clew.strategies.graph_network.spec import SPEC
from clew.strategies.guided_pagerank.arrays import snapshot_or_walk
from clew.strategies.retrieval import Retrieval
from clew.strategies.seeds import find_seeds
from clew_models.graph_network.ways import Ways

if TYPE_CHECKING:
    from clew.resources.resources import Resources


class GraphNetworkStrategy:
    """Ranks the chunks of a question's neighbourhood, or those of another strategy."""

    name = SPEC.name

    def __init__(self, resources: "Resources") -> None:
        self._resources = resources

    def retrieve(self, question: str, corpus: str, k: int, tell: Tell = untold) -> Evidence:
        """Return the best ``k`` chunks; `pagerank`'s, with a notice, past the sentence limit.

        Raises UnknownStrategy where ``graph_network_candidates`` names none.
        """
        options = self._resources.settings.options(NetworkMethodOptions)
        retrieval = Retrieval(self._resources, self.name, question, corpus, k, tell)
        snapshot = snapshot_or_walk(
            retrieval,
            network_arrays(self._resources),
            lambda arrays: len(arrays.sentence_ids),
            options.sentence_limit,
        )
        if isinstance(snapshot, Evidence):
            return snapshot
        arrays = snapshot.value
        if not len(arrays.chunk_ids):
            return retrieval.evidence([])
        seeds = find_seeds(retrieval, 0.0)
        candidates = self._candidates(retrieval, options)
        with retrieval.step("neighbourhood") as detail:
            part = question_part(
                retrieval, arrays, seeds, options, least=retrieval.depth, candidates=candidates
            )
            for level, nodes in part.rows.items():
                detail[f"{level} nodes"] = len(nodes)
        if not len(part.rows["chunk"]):
            return retrieval.evidence([], seeds.found)
        network, device = serving_network(retrieval, arrays, snapshot.revision)
        with retrieval.step("network") as detail:
            from clew_models.graph_network.network import rank

            scores, attention = rank(network, part, device)
            detail["device"] = device
        order = np.lexsort((part.chunk_ids, -scores))[: retrieval.depth]
        ids = [str(id_) for id_ in part.chunk_ids[order]]
        rows = retrieval.read_chunks(ids, scores[order].tolist())
        with retrieval.step("ways"):
            place = {str(id_): number for number, id_ in enumerate(part.chunk_ids)}
            ways = Ways(part, attention)
            found = [ways.to_chunk(place[row["id"]], WAYS) for row in rows[:EXPLAINED]]
        cards = explain(retrieval, part, found, rows[:EXPLAINED], seeds.found)
        return retrieval.evidence(rows, seeds.found, cards)

    def _candidates(
        self, retrieval: Retrieval, options: NetworkMethodOptions
    ) -> Sequence[str] | None:
        """Return the ids of the chunks that another strategy finds; None where none is set."""
        if not options.candidates:
            return None
        from clew.strategies.searching import build_strategy

        other = build_strategy(options.candidates, self._resources)
        with retrieval.step("candidates") as detail:
            found = other.retrieve(
                retrieval.question, retrieval.corpus.name, max(options.candidate_pool, retrieval.k)
            )
            detail["strategy"] = options.candidates
            detail["chunks"] = len(found.chunks)
        for sentence in found.notices:
            retrieval.notice(sentence)
        return [chunk.id for chunk in found.chunks]
