"""A question that is asked of some documents only, by whichever strategy.

    filter ─▶ select() ─▶ Resources.within(selection) ─▶ Retrieval drops what is of other documents
                                                    └─▶ WithinDocuments ranks deeper, so that k stay

The graph is walked as a whole, so that a way may lead through a passage of another document; what
is returned, read and cited is of the chosen ones.
"""

import json
import math
from collections.abc import Callable, Mapping
from datetime import date
from fnmatch import translate
from re import IGNORECASE, compile
from typing import TYPE_CHECKING, Any

from clew.resources.selection import Selection
from clew.results.asked_documents import AskedDocuments
from clew.strategies.base import Strategy, Tell, untold
from clew_cypher.addresses import file_name, plain

if TYPE_CHECKING:
    from clew.resources.resources import Resources
    from clew.results.evidence import Evidence

DEEPEST = 2_048
"""Chunks that a strategy ranks at most to find k of the chosen documents."""
SPARE, DEEPER = 50, 4
"""It ranks so many, and so many times as many as would do if they stood anywhere. Once: a strategy
may ask a language model at each question."""


def within(resources: "Resources", corpus: str, documents: AskedDocuments | None) -> "Resources":
    """Return the resources for questions to the documents of ``corpus`` that fit; all where nothing
    is asked of them. Raises UnknownCorpus.
    """
    return resources.within(select(resources, corpus, documents)) if documents else resources


def select(resources: "Resources", corpus: str, documents: AskedDocuments) -> Selection:
    """Return the documents of ``corpus`` that fit and can be searched. Raises UnknownCorpus."""
    from clew_cypher.searching.selection import selectable_documents

    names = [_fitting(form) for name in documents.names for form in {name, plain(name)}]
    ids: set[str] = set()
    chunks = total = 0
    for row in selectable_documents(resources.store, corpus):
        total += row["chunks"]
        if _fits(row, documents, names):
            ids.add(row["id"])
            chunks += row["chunks"]
    return Selection(frozenset(ids), chunks, total, str(documents))


def _fitting(name: str) -> Callable[[str], object]:
    """Return what tells whether a text fits a pattern, or is it: names may hold brackets."""
    fits = compile(translate(name), IGNORECASE).match
    return lambda text: text.casefold() == name.casefold() or fits(text)


def _fits(
    row: Mapping[str, Any], documents: AskedDocuments, names: list[Callable[[str], object]]
) -> bool:
    if documents.ids and row["id"] not in documents.ids:
        return False
    if names:
        said = [row["title"]]
        for address in filter(None, (row["uri"], row["file_uri"])):
            said += [address, file_name(address)]
        if not any(name(text) for text in {*said, *map(plain, said)} for name in names):
            return False
    if documents.added_from or documents.added_until:
        if row["accepted_at"] is None:
            return False
        added = date.fromisoformat(row["accepted_at"][:10])
        if documents.added_from and added < documents.added_from:
            return False
        if documents.added_until and added > documents.added_until:
            return False
    fields = json.loads(row["metadata"]) if documents.metadata and row["metadata"] else {}
    return all(_says(fields.get(key), value) for key, value in documents.metadata.items())


def _says(found: Any, wanted: str) -> bool:
    """Whether a field's value, or one of a list's, reads as ``wanted``."""
    if isinstance(found, list):
        return any(_says(one, wanted) for one in found)
    text = found if isinstance(found, str) else json.dumps(found)
    return found is not None and text.strip().casefold() == wanted.casefold()


class WithinDocuments:
    """A strategy asked of the chosen documents: exact as long as it ranks deep enough."""

    def __init__(self, strategy: Strategy, resources: "Resources", selection: Selection) -> None:
        self.name = strategy.name
        self._strategy = strategy
        self._resources = resources
        self._selection = selection

    def retrieve(self, question: str, corpus: str, k: int, tell: Tell = untold) -> "Evidence":
        """Return the best ``k`` chunks of the chosen documents.

        Where fewer of them are among those that it ranks, their chunks nearest to the question
        follow, with scores below: the last score − (1 − cosine). Raises InvalidRequest where ``k``
        is below 1, and what the strategy raises.
        """
        from clew.strategies.retrieval import check_k

        check_k(k)
        chosen = self._selection
        # one of n chunks is of the chosen documents, and they may stand low
        rarity = chosen.total_chunks / max(chosen.chunks, 1)
        depth = max(k, min(DEEPEST, SPARE + math.ceil(DEEPER * k * rarity)))
        evidence = self._strategy.retrieve(question, corpus, depth, tell)
        kept = evidence.model_copy(update={"chunks": evidence.chunks[:k]})
        if len(kept.chunks) >= min(k, chosen.chunks):
            return kept
        return self._filled(kept, k, tell)

    def _filled(self, evidence: "Evidence", k: int, tell: Tell) -> "Evidence":
        from clew.strategies.retrieval import Retrieval
        from clew_cypher.searching.selection import nearest_of_documents

        retrieval = Retrieval(
            self._resources, self.name, evidence.question, evidence.corpus, k, tell
        )
        there = {(chunk.title, chunk.text) for chunk in evidence.chunks}
        vector = retrieval.vector
        with retrieval.step("chunks of the chosen documents") as detail:
            found = nearest_of_documents(
                self._resources.store,
                evidence.corpus,
                sorted(self._selection.document_ids),
                vector,
                retrieval.depth + len(there),
            )
            rows = retrieval.rows_of([key for key, _ in found])
            new = [row for row in rows if (row["title"], row["text"]) not in there]
            detail["chunks"] = len(new)
        last = evidence.chunks[-1].score if evidence.chunks else 1.0
        score_of = dict(found)
        # a score is (1 + cosine) / 2
        more = retrieval.evidence(
            [row | {"score": last - 2 * (1 - score_of[row["id"]])} for row in new]
        )
        return evidence.model_copy(
            update={
                "chunks": (*evidence.chunks, *more.chunks)[:k],
                "trace": (*evidence.trace, *more.trace),
            }
        )
