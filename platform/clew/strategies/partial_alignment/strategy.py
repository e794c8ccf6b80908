"""partial-alignment (KAMR; KA-5 to KA-8): connected triples, and the passages that state them.

    question ─▶ ENC_q ─▶ anchors ─▶ connected ─▶ third ─▶ triples ─▶ passages by their triples
                            (FAISS)   (the triples at the ends of those before)

Each stage reads its triples in one statement.
"""

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from clew.results.evidence import Evidence
from clew.strategies.base import Tell, untold
from clew.strategies.pagerank import PageRankOptions, walk
from clew.strategies.partial_alignment.encoders import serving_encoders
from clew.strategies.partial_alignment.explanation import explain
from clew.strategies.partial_alignment.found import (
    FoundTriple,
    connected_pair,
    in_order,
    passage_scores,
)
from clew.strategies.partial_alignment.options import AlignmentOptions
from clew.strategies.partial_alignment.partials import TooManyTriples, partial_indexes
from clew.strategies.partial_alignment.spec import SPEC
from clew.strategies.retrieval import Retrieval
from clew.strategies.seeds import find_seeds
from clew_cypher.searching.triples import triple_ids_of_documents, triples_by_id
from clew_models.partial_alignment import Found, Options, PartialIndex, find_triples

if TYPE_CHECKING:
    from clew.resources.resources import Resources

STATED = 5
"""Passages that state one triple and are looked at, of all of them."""


class PartialAlignment:
    """Finds triples and ranks the passages that state them."""

    name = SPEC.name

    def __init__(self, resources: "Resources") -> None:
        self._resources = resources

    def retrieve(self, question: str, corpus: str, k: int, tell: Tell = untold) -> Evidence:
        """Return the triples of the budget and the best ``k`` passages that state them; past the
        limit of triples `pagerank`'s passages, with a notice.

        Raises ModelNotInstalled where ``partial_alignment_version`` names no version.
        """
        options = self._resources.settings.options(AlignmentOptions)
        retrieval = Retrieval(self._resources, self.name, question, corpus, k, tell)
        encoders = serving_encoders(self._resources, corpus)
        full = options.full_anchors or options.full_connected
        try:
            with retrieval.step("index") as detail:
                cache = partial_indexes(self._resources, encoders, full)
                snapshot = cache.snapshot(retrieval.corpus, retrieval.doing)
                index = snapshot.value
                detail["revision"] = snapshot.revision
                detail["triples"] = len(index)
                detail["partial triples"] = len(index.partial_keys)
        except TooManyTriples:
            retrieval.notice(
                f"The corpus has more than {options.triple_limit:,} triples, the limit for "
                f"{self.name}: pagerank was used."
            )
            seeding = self._resources.settings.options(PageRankOptions).dense_weight
            return walk(retrieval, find_seeds(retrieval, seeding))
        for sentence in snapshot.notices:
            retrieval.notice(sentence)
        kept = self._kept(retrieval, index)
        if not len(index) or (kept is not None and not kept.any()):
            asked = "The corpus has" if kept is None else "The documents that are asked have"
            retrieval.notice(f"{asked} no triples, so nothing could be found by them.")
            return retrieval.evidence([])
        with retrieval.step("question") as detail:
            (vector,) = encoders.questions([question])
            detail["encoders"] = encoders.identity
        found = self._stages(retrieval, index, vector, options, kept)
        if not connected_pair(found):
            retrieval.notice("None of the triples that were found is connected to another.")
        ranked = passage_scores(found)
        ids = sorted(ranked, key=lambda id_: (-ranked[id_], id_))[: retrieval.depth]
        rows = retrieval.read_chunks(ids, [ranked[id_] for id_ in ids]) if ids else []
        cards = explain(retrieval, found, rows)
        best = in_order(found)
        triples = retrieval.triples([one.rows[0] for one in best], [one.score for one in best])
        return retrieval.evidence(rows, cards=cards, triples=triples)

    def _kept(self, retrieval: Retrieval, index: PartialIndex) -> NDArray[np.bool_] | None:
        """Return [S] which statements are of the documents that are asked; None for all."""
        chosen = self._resources.selection
        if chosen is None:
            return None
        with retrieval.step("triples of the chosen documents") as detail:
            store, corpus = self._resources.store, retrieval.corpus.name
            kept = index.statements_among(
                triple_ids_of_documents(store, corpus, chosen.document_ids)
            )
            detail["statements"] = int(np.count_nonzero(kept))
        return kept

    def _stages(
        self,
        retrieval: Retrieval,
        index: PartialIndex,
        vector: NDArray[np.float32],
        options: AlignmentOptions,
        kept: NDArray[np.bool_] | None,
    ) -> list[FoundTriple]:
        """Return what the stages find among the statements that are ``kept``, each stage read from
        the graph in one statement.
        """
        asked = Options(
            budget=options.budget,
            anchors=options.anchors if options.expand else options.budget,
            third=options.third,
            per_source=options.per_source,
            hops=options.hops,
            hub=options.hub,
            full_anchors=options.full_anchors,
            full_connected=options.full_connected,
            among=None if kept is None else index.triples_of(kept),
        )
        known: dict[int, FoundTriple] = {}
        stages = find_triples(index, vector, asked)
        while True:
            with retrieval.step("stage") as detail:
                stage, found = next(stages, ("", []))
                detail["stage"] = stage
                detail["triples"] = len(found)
                if found:
                    known |= self._read(retrieval, index, found, known, kept)
            if not stage:
                return list(known.values())

    def _read(
        self,
        retrieval: Retrieval,
        index: PartialIndex,
        found: list[Found],
        known: dict[int, FoundTriple],
        kept: NDArray[np.bool_] | None,
    ) -> dict[int, FoundTriple]:
        """Return the triples that are still there, by their rows."""
        ids = {one.row: index.statements(one.row, kept) for one in found}
        wanted = [id_ for own in ids.values() for id_ in own[:STATED]]
        rows = triples_by_id(self._resources.store, retrieval.corpus.name, wanted)
        there: dict[int, FoundTriple] = {}
        for one in found:
            own = tuple(rows[id_] for id_ in ids[one.row] if id_ in rows)
            if not own:
                continue
            score = one.score
            if one.via in known:
                score = (known[one.via].score + one.score) / 2
            there[one.row] = FoundTriple(one, own, len(ids[one.row]), score)
        return there
