"""How a translation is explained: its clues as quotes, and where they lead as a subgraph."""

from collections.abc import Iterable, Mapping, Sequence

from clew.results.explanation import (
    Card,
    Quote,
    QuotesCard,
    Span,
    SubgraphCard,
    SubgraphNode,
)
from clew.strategies.drawing import Drawing
from clew.strategies.retrieval import Row
from clew.strategies.translator.clues import SHOWN_SENTENCES, KnownHyperedges
from clew_cypher.export.hyperrelations import Hyperedge
from clew_models.translator import Clue, TranslatedEntity
from clew_models.translator.masks import stated_place

DRAWN_SENTENCES = 3
"""Sentences of one clue that are drawn before it is known which passages are evidence."""
SCORE_NAME = "log-probability"
NAMED, WRITTEN = "named in the question", "written by the model"
SUMMARY = (
    "Names and pieces of sentences that stand in the documents, written by the language model; "
    "each led to passages."
)


class Explanation:
    """The clues of one question as cards, stage by stage as they come, and whole at the end."""

    def __init__(self, edges: KnownHyperedges) -> None:
        self.edges = edges
        self._stages: list[tuple[str, Sequence[Clue]]] = []

    def came(self, stage: str, clues: Sequence[Clue]) -> list[Card]:
        """Take the clues of a stage, named for people; return the cards of what is new."""
        if not clues:
            return []
        self._stages.append((stage, clues))
        known = self._known()
        drawing = _Drawing([stage])
        for clue in clues:
            for edge in _sentences(clue, known)[:DRAWN_SENTENCES]:
                drawing.add(edge, clue, 0)
        return [
            QuotesCard(title=f"{stage} clues", quotes=_quotes(clues, known)),
            drawing.card(f"Where the {stage.lower()} clues lead"),
        ]

    def whole(self, chunks: Sequence[Row]) -> list[Card]:
        """Return the cards of all clues; what leads to none of ``chunks``, the evidence, is listed
        and not drawn.
        """
        clues = [clue for _, came in self._stages for clue in came]
        if not clues:
            return []
        known = self._known()
        return [
            QuotesCard(title="Clues", summary=SUMMARY, quotes=_quotes(clues, known)),
            self._drawn(known, {row["id"]: row for row in chunks}),
        ]

    def _drawn(self, known: Mapping[str, Hyperedge], chunks: Mapping[str, Row]) -> Card:
        stage_of = {clue: n for n, (_, clues) in enumerate(self._stages) for clue in clues}
        drawing = _Drawing([stage for stage, _ in self._stages])
        beyond: dict[tuple[str, str], Clue] = {}
        for clue, stage in stage_of.items():
            leading = [edge for edge in _sentences(clue, known) if edge.chunk_id in chunks]
            for edge in leading:
                drawing.add(edge, clue, stage)
            shown = {edge.chunk_id for edge in leading}
            more = [id_ for id_ in clue.chunk_ids if id_ in chunks and id_ not in shown]
            beyond |= {(clue.entity.id, id_): clue for id_ in more}
            if leading or more:
                _draw_chain(drawing, clue, known, stage_of)
        for entity_id, chunk_id in self.edges.mentioned(beyond):
            clue = beyond[entity_id, chunk_id]
            drawing.mention(clue.entity, chunks[chunk_id], stage_of[clue])
        return drawing.card("Where the clues lead")

    def _known(self) -> Mapping[str, Hyperedge]:
        return self.edges.read(
            id_
            for _, clues in self._stages
            for clue in clues
            for id_ in clue.sentence_ids[:SHOWN_SENTENCES]
        )


def _sentences(clue: Clue, known: Mapping[str, Hyperedge]) -> list[Hyperedge]:
    return [known[id_] for id_ in clue.sentence_ids[:SHOWN_SENTENCES] if id_ in known]


def _quotes(clues: Iterable[Clue], known: Mapping[str, Hyperedge]) -> tuple[Quote, ...]:
    """Return the clues with their sentences, likeliest first."""
    ranked = sorted(clues, key=lambda clue: -clue.score)
    place = {clue: number for number, clue in enumerate(ranked)}
    return tuple(
        Quote(
            text=clue.text,
            parts=clue.parts,
            label=clue.entity.surface,
            score=clue.score,
            score_name=SCORE_NAME,
            spans=tuple(_span(edge, clue.relation) for edge in _sentences(clue, known)),
            chunk_ids=clue.chunk_ids,
            tags=_tags(clue),
            after=place.get(clue.entity.after) if clue.entity.after else None,
        )
        for clue in ranked
    )


def _span(edge: Hyperedge, relation: str) -> Span:
    start, end = stated_place(edge.text, edge.hyperrelation, relation) or (None, None)
    return Span(chunk_id=edge.chunk_id, sentence_id=edge.id, text=edge.text, start=start, end=end)


def _tags(clue: Clue) -> tuple[str, ...]:
    tags: list[str] = [clue.direction]
    if clue.entity.named:
        tags.append(NAMED)
    elif clue.entity.after is None:
        tags.append(WRITTEN)
    return tuple(tags)


def _draw_chain(
    drawing: "_Drawing",
    clue: Clue,
    known: Mapping[str, Hyperedge],
    stage_of: Mapping[Clue, int],
) -> None:
    """Draw how a clue was come to: a sentence of the clue before it that its entity stands in."""
    before = clue.entity.after
    while before is not None:
        link = next(
            (edge for edge in _sentences(before, known) if _joined(edge, clue.entity, clue)), None
        )
        if link is not None:
            drawing.add(link, before, stage_of[before])
            drawing.join(link, clue.entity, clue, stage_of[clue])
        clue, before = before, before.entity.after


class _Drawing(Drawing):
    """The sentences and mentions of clues."""

    def __init__(self, stages: Sequence[str]) -> None:
        super().__init__()
        self._stages = tuple(stages)

    def add(self, edge: Hyperedge, clue: Clue, stage: int) -> None:
        """Draw a sentence of a clue, with its passage and the clue's entities."""
        self._passage(edge.chunk_id, edge.title, edge.document_id, stage)
        self._node(SubgraphNode(id=edge.id, kind="sentence", label=edge.text, stage=stage))
        self._edge(edge.id, edge.chunk_id, "IN_CHUNK", "", stage)
        for entity in filter(None, (clue.entity, clue.tail)):
            self.join(edge, entity, clue, stage)

    def join(self, edge: Hyperedge, entity: TranslatedEntity, clue: Clue, stage: int) -> None:
        """Draw how an entity stands in a sentence, or that it titles the sentence's document."""
        joined = _joined(edge, entity, clue)
        if joined is not None:
            self._node(SubgraphNode(id=entity.id, kind="entity", label=entity.surface, stage=stage))
            self._edge(*joined, edge.text, stage)

    def mention(self, entity: TranslatedEntity, chunk: Row, stage: int) -> None:
        """Draw that a passage mentions an entity."""
        self._passage(chunk["id"], chunk["title"], chunk["document_id"], stage)
        self._node(SubgraphNode(id=entity.id, kind="entity", label=entity.surface, stage=stage))
        self._edge(entity.id, chunk["id"], "MENTIONED_IN", "", stage)

    def card(self, title: str) -> SubgraphCard:
        """Return what was drawn."""
        return SubgraphCard(
            title=title,
            nodes=tuple(self._nodes.values()),
            edges=tuple(self._edges.values()),
            stages=self._stages,
        )

    def _passage(self, id_: str, title: str, document_id: str, stage: int) -> None:
        node = SubgraphNode(id=id_, kind="chunk", label=title, stage=stage, document_id=document_id)
        self._node(node)


def _joined(edge: Hyperedge, entity: TranslatedEntity, clue: Clue) -> tuple[str, str, str] | None:
    """Return (source, target, type) of the relationship that joins an entity to a sentence."""
    head = (entity.id, edge.id, "HEAD_OF")
    tail = (edge.id, entity.id, "HAS_TAIL")
    of_tail = entity is clue.tail
    found = [
        joined
        for joined, ends in ((head, edge.heads), (tail, edge.tails))
        if any(end.id == entity.id for end in ends)
    ]
    if found:
        return found[-1] if (clue.direction == "reverse") != of_tail else found[0]
    if any(end.id == entity.id for end in edge.titles):
        return (entity.id, edge.chunk_id, "MENTIONED_IN")
    return None
