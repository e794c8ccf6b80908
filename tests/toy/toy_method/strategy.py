"""toy-method, with an explanation of all three kinds."""

from clew.resources.resources import Resources
from clew.results.evidence import Evidence
from clew.results.explanation import (
    Found,
    Quote,
    QuotesCard,
    Round,
    RoundsCard,
    Span,
    SubgraphCard,
    SubgraphNode,
)
from clew.strategies.base import Tell, untold
from clew.strategies.retrieval import Retrieval
from clew_cypher.searching.words import search_chunks
from toy_method.options import ToyOptions
from toy_method.spec import SPEC


class ToyMethod:
    """Ranks chunks by how long their titles are."""

    name = SPEC.name

    def __init__(self, resources: Resources) -> None:
        self._resources = resources
        self._weight = resources.settings.options(ToyOptions).weight

    def retrieve(self, question: str, corpus: str, k: int, tell: Tell = untold) -> Evidence:
        retrieval = Retrieval(self._resources, self.name, question, corpus, k, tell)
        with retrieval.step("count letters") as detail:
            rows = search_chunks(self._resources.store, corpus, question, k)
            rows = [row | {"score": self._weight * len(row["title"])} for row in rows]
            rows.sort(key=lambda row: (-row["score"], row["id"]))
            detail["weight"] = self._weight
        quotes = tuple(
            Quote(
                text=row["text"][:20],
                label=row["title"],
                score=row["score"],
                score_name="letters",
                spans=(Span(chunk_id=row["id"], text=row["text"], start=0, end=20),),
                chunk_ids=(row["id"],),
            )
            for row in rows
        )
        nodes = tuple(SubgraphNode(id=row["id"], kind="chunk", label=row["title"]) for row in rows)
        found = tuple(Found(id=row["id"], title=row["title"]) for row in rows)
        cards = (
            QuotesCard(title="Letters counted", quotes=quotes),
            SubgraphCard(title="Chunks of the toy", nodes=nodes, stages=("count",)),
            RoundsCard(
                title="Rounds of the toy",
                rounds=(Round(number=1, asked=question, found=found, decided="enough"),),
            ),
        )
        for card in cards:
            tell(card)
        return retrieval.evidence(rows, cards=cards)
