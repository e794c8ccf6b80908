"""GET and POST /corpora, GET, PATCH and DELETE /corpora/{corpus}, its growth."""

from flask import Response
from flask_openapi3 import APIBlueprint, Tag

from clew.results.corpus import CorpusInfo, Deletion
from clew_cypher.errors import UnknownCorpus
from clew_web.api.models import CorpusChange, CorpusPath, NewCorpus
from clew_web.api.responses import SECURITY, reply
from clew_web.api.results import CorpusList, Growth
from clew_web.backend import backend
from clew_web.policy import Corpora, allows

api = APIBlueprint(
    "corpora",
    __name__,
    url_prefix="/api/v1",
    abp_tags=[Tag(name="Corpora", description="Named sets of documents.")],
    abp_security=SECURITY,
)


@api.get("/corpora", summary="The corpora", responses={"200": CorpusList})
@allows("reader", Corpora.FILTERED)
def list_corpora() -> Response:
    """Every corpus with its counts, and the name of the default one."""
    found = backend().clew.corpora()
    return reply(CorpusList(corpora=list(found), default=backend().default_corpus))


@api.post("/corpora", summary="Create a corpus", responses={"201": CorpusInfo, "200": CorpusInfo})
@allows("editor", Corpora.CHECKED)
def create_corpus(body: NewCorpus) -> Response:
    """Create an empty corpus (201); one of that name that exists stays as it is (200).

    `extractor`: `rules` (from the parse), `llm` (by the language model of the settings; costs
    tokens) or `none`. Refused with 422 where it is none of these, where no language model is set,
    or where the corpus exists with another one.
    """
    clew = backend().clew
    try:
        clew.stats(body.name)
    except UnknownCorpus:
        return reply(clew.create_corpus(body.name, body.extractor), 201)
    return reply(clew.create_corpus(body.name, body.extractor), 200)


@api.get("/corpora/<corpus>", summary="How full a corpus is", responses={"200": CorpusInfo})
@allows("reader", Corpora.CHECKED)
def corpus_stats(path: CorpusPath) -> Response:
    """Its extractor, and counts of documents, chunks, sentences, entities and triples."""
    return reply(backend().clew.stats(path.corpus))


@api.get("/corpora/<corpus>/growth", summary="How a corpus grew", responses={"200": Growth})
@allows("reader", Corpora.CHECKED)
def corpus_growth(path: CorpusPath) -> Response:
    """Documents, chunks and triples at the end of each day, counted over what is there now."""
    return reply(Growth(days=backend().clew.growth(path.corpus)))


@api.patch("/corpora/<corpus>", summary="Change a corpus", responses={"200": CorpusInfo})
@allows("editor", Corpora.CHECKED)
def change_corpus(path: CorpusPath, body: CorpusChange) -> Response:
    """Choose who makes the triples of what is ingested from now on.

    Documents that are ready keep their triples until they are sent again: all of them count as
    changed then.
    """
    return reply(backend().clew.set_extractor(path.corpus, body.extractor))


@api.delete("/corpora/<corpus>", summary="Delete a corpus", responses={"200": Deletion})
@allows("admin", Corpora.CHECKED)
def delete_corpus(path: CorpusPath) -> Response:
    """Delete a corpus with everything in it."""
    return reply(backend().clew.delete_corpus(path.corpus))
