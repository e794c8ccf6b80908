"""GET /graph (a bounded part of it), /graph/path and /graph/entities (search by name)."""

from flask import Response
from flask_openapi3 import APIBlueprint, Tag

from clew.results.graph import Graph
from clew_web.api.models import EntityFilter, GraphFilter, PathFilter
from clew_web.api.responses import SECURITY, reply
from clew_web.api.results import EntityList
from clew_web.backend import backend
from clew_web.errors import Refused
from clew_web.policy import Corpora, allows

api = APIBlueprint(
    "graph",
    __name__,
    url_prefix="/api/v1",
    abp_tags=[Tag(name="Graph", description="Entities, chunks, and how they hang together.")],
    abp_security=SECURITY,
)


@api.get("/graph", summary="Part of the graph", responses={"200": Graph})
@allows("reader", Corpora.CHECKED)
def graph(query: GraphFilter) -> Response:
    """The neighbourhood of `entity_id`, or the subgraph of `chunk_ids` and `entity_ids`."""
    corpus = backend().corpus(query.corpus)
    if query.entity_id is not None:
        if query.chunk_ids or query.entity_ids:
            raise Refused(
                422,
                "entity_id asks for a neighbourhood, chunk_ids and entity_ids for a subgraph.",
                remedy="Give the one or the others.",
            )
        found = backend().clew.neighbourhood(corpus, query.entity_id, query.limit)
        if not found.nodes:
            raise Refused(
                404,
                f"There is no entity {query.entity_id!r} in the corpus {corpus!r}.",
                remedy="GET /api/v1/graph/entities finds entities by name.",
            )
    elif query.chunk_ids or query.entity_ids:
        found = backend().clew.answer_graph(corpus, query.entity_ids, query.chunk_ids, query.limit)
    else:
        raise Refused(
            422,
            "No part of the graph is named.",
            remedy="Give entity_id, or chunk_ids and entity_ids.",
        )
    return reply(found)


@api.get("/graph/path", summary="Path between two", responses={"200": Graph})
@allows("reader", Corpora.CHECKED)
def path(query: PathFilter) -> Response:
    """The shortest way from one entity to another, in its order; without nodes: there is none."""
    return reply(backend().clew.path_between(backend().corpus(query.corpus), query.a, query.b))


@api.get("/graph/entities", summary="Find entities", responses={"200": EntityList})
@allows("reader", Corpora.CHECKED)
def find_entities(query: EntityFilter) -> Response:
    """Entities whose name holds the text."""
    found = backend().clew.find_entities(backend().corpus(query.corpus), query.text, query.limit)
    return reply(EntityList(entities=list(found)))
