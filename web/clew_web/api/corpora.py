"""GET and POST /corpora, GET and DELETE /corpora/{corpus}."""

from flask import Response
from flask_openapi3 import APIBlueprint, Tag

from clew.catalogue import CorpusInfo, Deletion
from clew_web.api.models import CorpusPath, NewCorpus
from clew_web.api.responses import ERRORS, SECURITY, reply
from clew_web.api.results import CorpusList
from clew_web.backend import backend
from clew_web.policy import protected

api = APIBlueprint(
    "corpora",
    __name__,
    url_prefix="/api/v1",
    abp_tags=[Tag(name="Corpora", description="Named sets of documents.")],
    abp_responses=ERRORS,
    abp_security=SECURITY,
)


@api.get("/corpora", summary="The corpora", responses={"200": CorpusList})
@protected
def list_corpora() -> Response:
    """Every corpus with its counts, and the name of the default one."""
    found = backend().clew.corpora()
    return reply(CorpusList(corpora=list(found), default=backend().settings.corpus))


@api.post("/corpora", summary="Create a corpus", responses={"201": CorpusInfo})
@protected
def create_corpus(body: NewCorpus) -> Response:
    """Create an empty corpus; one of that name that exists stays as it is."""
    return reply(backend().clew.create_corpus(body.name), 201)


@api.get("/corpora/<corpus>", summary="How full a corpus is", responses={"200": CorpusInfo})
@protected
def corpus_stats(path: CorpusPath) -> Response:
    """Counts of documents, chunks, sentences and entities."""
    return reply(backend().clew.stats(path.corpus))


@api.delete("/corpora/<corpus>", summary="Delete a corpus", responses={"200": Deletion})
@protected
def delete_corpus(path: CorpusPath) -> Response:
    """Delete a corpus with everything in it."""
    return reply(backend().clew.delete_corpus(path.corpus))
