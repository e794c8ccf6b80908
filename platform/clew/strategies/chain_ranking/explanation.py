"""How a ranking is explained: the steps that led to each passage, and their sentences.

The subgraph goes from what the question names along the best step to each passage, and holds
nothing else. A step over an entity is two mentions; one over a title is a sentence that names a
document; one over words, of the question or of a sentence of the passage before, has no edge in the
graph, and only its quote says so.
"""

from collections.abc import Mapping, Sequence, Set
from typing import TYPE_CHECKING

from clew.results.evidence import SeedEntity
from clew.results.explanation import (
    Card,
    Quote,
    QuotesCard,
    Span,
    SubgraphCard,
    SubgraphNode,
)
from clew.strategies.drawing import Drawing
from clew.strategies.retrieval import Retrieval, Row
from clew_cypher.searching.ties import (
    Naming,
    Tie,
    ToldSentence,
    entity_ties,
)
from clew_models.words import content_words, words_of

if TYPE_CHECKING:
    from clew_models.chain_ranking.steps import ChainStep

EXPLAINED = 10
"""Passages whose steps are shown; best first."""
STAGES = ("Named in the question", "First step", "Second step", "Third step", "Fourth step")
TAGS = {
    "link": "names its title",
    "shared": "names the same",
    "part": "stands in its title",
    "led": "shares rare words with it",
    "words": "has words of the question",
    "near": "near in meaning",
}
FROM_QUESTION = "from the question"
SUMMARY = "The best single step to each passage, from another good one or from the question."


def explain(
    retrieval: Retrieval,
    ways: Sequence[Sequence["ChainStep"]],
    rows: Sequence[Row],
    seeds: Sequence[SeedEntity],
) -> list[Card]:
    """Return the cards of the steps to the passages ``rows``; ``ways``: those of each, in order."""
    steps = [step for way in ways for step in way]
    if not steps:
        return []
    with retrieval.step("explanation") as detail:
        store, corpus = retrieval.resources.store, retrieval.corpus.name
        told = {id_ for s in steps for id_ in (s.leaving, s.arriving, *s.among) if id_}
        known = {row["id"]: row for row in rows}
        ends = {id_ for step in steps for id_ in (step.chunk, step.before) if id_}
        known |= {row["id"]: row for row in retrieval.rows_of(sorted(ends - set(known)))}
        pairs = {
            (step.entity, id_)
            for step in steps
            for id_ in (step.before, step.chunk)
            if step.entity and id_
        }
        graph = _Graph(
            known,
            retrieval.sentences_of(told),
            entity_ties(store, corpus, pairs),
            set(content_words(retrieval.words)),
        )
        drawing = _Drawing(graph)
        for way in ways:
            drawing.way(way)
        drawing.question(seeds)
        detail["steps"] = len({(step.before, step.chunk) for step in steps})
    return [
        QuotesCard(title="What led there", summary=SUMMARY, quotes=_quotes(ways, graph)),
        drawing.card(),
    ]


class _Graph:
    """What was read of the graph: chunks, sentences and ties by id."""

    def __init__(
        self,
        chunks: Mapping[str, Row],
        sentences: Mapping[str, ToldSentence],
        ties: Mapping[tuple[str, str], Tie],
        words: Set[str],
    ) -> None:
        self.chunks = chunks
        self.sentences = sentences
        self.ties = ties
        self._words = words

    def tie(self, entity: str | None, chunk: str | None) -> Tie | None:
        return self.ties.get((entity, chunk)) if entity and chunk else None

    def text(self, sentence: str | None) -> str:
        found = self.sentences.get(sentence) if sentence else None
        return found.text if found else ""

    def arriving(self, step: "ChainStep") -> str | None:
        """Return the sentence of a step's passage: where no name tells it, the one with the most
        words of the question, the first of equals.
        """

        def shared(sentence: str) -> int:
            return len(self._words & set(words_of(self.text(sentence))))

        return step.arriving or max(step.among, key=shared, default=None)

    def name(self, step: "ChainStep") -> str:
        """Return what a step goes over, in words: the entity's name, or the title."""
        tie = self.tie(step.entity, step.chunk) or self.tie(step.entity, step.before)
        if tie is not None:
            return tie.name
        return str(self.chunks[step.chunk]["title"]) if step.kind == "link" else ""


def _quotes(ways: Sequence[Sequence["ChainStep"]], graph: _Graph) -> tuple[Quote, ...]:
    """Return a quote for each step, those of the best passages first."""
    ordered: dict[str, ChainStep] = {}
    for way in ways:
        for step in way:
            if step.chunk in graph.chunks:
                ordered.setdefault(step.chunk, step)
    place = {chunk: number for number, chunk in enumerate(ordered)}
    return tuple(_quote(step, graph, place) for step in ordered.values())


def _quote(step: "ChainStep", graph: _Graph, place: Mapping[str, int]) -> Quote:
    spans = [
        Span(chunk_id=found.chunk_id, sentence_id=found.id, text=found.text)
        for id_ in (step.leaving, graph.arriving(step))
        if id_ and (found := graph.sentences.get(id_))
    ]
    tags = [TAGS[step.kind], *([FROM_QUESTION] if step.before is None else [])]
    first = next((span.text for span in spans), "")
    return Quote(
        text=first or str(graph.chunks[step.chunk]["title"]),
        label=graph.name(step),
        spans=tuple(spans),
        chunk_ids=(step.chunk,),
        tags=tuple(tags),
        after=place.get(step.before) if step.before else None,
    )


class _Drawing(Drawing):
    """Nodes and edges of the steps."""

    def __init__(self, graph: _Graph) -> None:
        super().__init__()
        self._graph = graph

    def way(self, way: Sequence["ChainStep"]) -> None:
        """Draw the steps to a passage, each in its stage."""
        for stage, step in enumerate(way, 1):
            if step.chunk not in self._graph.chunks:
                return  # deleted meanwhile
            self._passage(step.chunk, stage)
            if step.kind == "link" and step.document:
                self._named(step, stage)
            elif step.entity:
                for chunk, sentence in ((step.before, step.leaving), (step.chunk, step.arriving)):
                    if chunk in self._graph.chunks:
                        self._over(step.entity, str(chunk), sentence, stage, step.before is None)

    def card(self) -> SubgraphCard:
        """Return what was drawn."""
        nodes = tuple(self._nodes.values())
        last = max((node.stage for node in nodes), default=0)
        return SubgraphCard(
            title="The steps",
            summary="From what the question names along the best step to each passage.",
            nodes=nodes,
            edges=tuple(self._edges.values()),
            stages=STAGES[: last + 1],
        )

    def _named(self, step: "ChainStep", stage: int) -> None:
        """Draw a title that the question, or a sentence of the passage before, names."""
        title = str(self._graph.chunks[step.chunk]["title"])
        document = str(self._graph.chunks[step.chunk]["document_id"])
        self._document(document, title, stage if step.leaving else 0)
        self._edge(step.chunk, document, "PART_OF", "", stage)
        if step.leaving and step.leaving in self._graph.sentences:
            self._naming(step.leaving, document, stage)

    def _over(self, entity: str, chunk: str, sentence: str | None, stage: int, asked: bool) -> None:
        """Draw how a passage holds an entity: it mentions it, or names a document."""
        tie = self._graph.tie(entity, chunk)
        if tie is None:
            return
        if tie.mentioned:
            self._entity(entity, tie.name, 0 if asked else stage)
            self._edge(entity, chunk, "MENTIONED_IN", self._graph.text(sentence), stage)
        elif tie.naming is not None and tie.naming.sentence_id in self._graph.sentences:
            self._over_title(entity, tie, tie.naming, stage)

    def _over_title(self, entity: str, tie: Tie, naming: Naming, stage: int) -> None:
        self._entity(entity, tie.name, stage)
        self._document(naming.document_id, naming.title, stage)
        self._naming(naming.sentence_id, naming.document_id, stage)
        node = SubgraphNode(
            id=naming.chunk_id,
            kind="chunk",
            label=naming.title,
            stage=stage,
            document_id=naming.document_id,
        )
        self._node(node)
        self._edge(naming.chunk_id, naming.document_id, "PART_OF", "", stage)
        self._edge(entity, naming.chunk_id, "MENTIONED_IN", "", stage)

    def _naming(self, sentence: str, document: str, stage: int) -> None:
        found = self._graph.sentences[sentence]
        self._node(SubgraphNode(id=sentence, kind="sentence", label=found.text, stage=stage))
        self._edge(sentence, found.chunk_id, "IN_CHUNK", "", stage)
        self._edge(sentence, document, "NAMES", found.text, stage)

    def _passage(self, id_: str, stage: int) -> None:
        row = self._graph.chunks[id_]
        title, document = str(row["title"]), str(row["document_id"])
        self._node(
            SubgraphNode(id=id_, kind="chunk", label=title, stage=stage, document_id=document)
        )

    def _document(self, id_: str, title: str, stage: int) -> None:
        node = SubgraphNode(id=id_, kind="document", label=title, stage=stage, document_id=id_)
        self._node(node)

    def _entity(self, id_: str, name: str, stage: int) -> None:
        self._node(SubgraphNode(id=id_, kind="entity", label=name, stage=stage))
