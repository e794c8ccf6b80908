"""How evidence is explained, whatever method found it: cards of three kinds.

*Quotes* are texts with the passages they stand on, a *subgraph* is nodes and edges by their ids in
Neo4j, *rounds* are what was asked, found and decided in turn. CLI, pages and JSON draw each kind
once; a method fills cards and adds no kind of its own.
"""

from typing import Annotated, Literal

from pydantic import Field

from clew.results.result import Result


class Span(Result):
    """Where a quote stands: a text of a chunk, and the characters [start, end) of it that are
    meant; both None where that would be all or nothing of it.
    """

    chunk_id: str
    text: str
    sentence_id: str | None = None
    start: int | None = None
    end: int | None = None


class Quote(Result):
    """A text that led to chunks.

    ``text`` as it was written; ``parts`` of one that is a triple, or a piece of it: head, predicate
    and tail, which are joined by ``@@`` in its text, and in whose predicate ``##`` stands for the
    name of an entity; other texts have none and may hold either sign. ``label``: a short name, such
    as the entity's; ``score_name``: what the score is ("log-probability"). ``tags``: short words
    for people; ``forward`` and ``reverse`` say of a triple whether its sentences are about its
    first name or only mention it, and ``reverse`` turns it round. ``after``: the number (from 0) of
    the quote in this card that led to this one. ``round``: the number of the round that added a
    triple.
    """

    text: str
    label: str = ""
    score: float | None = None
    score_name: str = ""
    spans: tuple[Span, ...] = ()
    chunk_ids: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    after: int | None = None
    parts: tuple[str, ...] = ()
    round: int | None = None


class QuotesCard(Result):
    """A titled list of quotes, best first; ``left_out``: how many more there were."""

    kind: Literal["quotes"] = "quotes"
    title: str
    summary: str = ""
    quotes: tuple[Quote, ...] = ()
    left_out: int = 0


class SubgraphNode(Result):
    """A node of the graph. ``label``: an entity's name, a document's title, a sentence's text."""

    id: str
    kind: Literal["entity", "chunk", "sentence", "document"]
    label: str
    stage: int = 0
    document_id: str | None = None


class SubgraphEdge(Result):
    """A relationship of the graph from ``source`` to ``target``, as it is directed there.

    ``kind``: its type in Neo4j; ``id``: a RELATION's; ``text``: the sentence that carries it;
    ``label``: a RELATION in words, where they are known.
    """

    source: str
    target: str
    kind: str
    id: str | None = None
    text: str = ""
    stage: int = 0
    label: str = ""


class SubgraphCard(Result):
    """A part of the graph. ``stages``: what happened, in order; nodes and edges have the number
    (from 0) of the stage in which they came.
    """

    kind: Literal["subgraph"] = "subgraph"
    title: str
    summary: str = ""
    nodes: tuple[SubgraphNode, ...] = ()
    edges: tuple[SubgraphEdge, ...] = ()
    stages: tuple[str, ...] = ()


class Found(Result):
    """A chunk that a round found, with its document's ``title``; or a line of a knowledge base, by
    the id of its triple, with what it says.
    """

    id: str
    title: str
    kind: Literal["chunk", "triple"] = "chunk"


class Round(Result):
    """One round of several (``number`` from 1): what was asked, found and then decided."""

    number: int
    asked: str
    found: tuple[Found, ...] = ()
    decided: str = ""
    seconds: float | None = None


class RoundsCard(Result):
    """The rounds of a search in the order in which they were taken."""

    kind: Literal["rounds"] = "rounds"
    title: str
    summary: str = ""
    rounds: tuple[Round, ...] = ()


Card = Annotated[QuotesCard | SubgraphCard | RoundsCard, Field(discriminator="kind")]
