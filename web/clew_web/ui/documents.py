"""The Documents page and the page of one document."""

from typing import Any, get_args

from flask import Response, make_response, redirect, render_template, request, send_file, url_for
from pydantic import Field, ValidationError
from werkzeug.wrappers import Response as BaseResponse

from clew.errors import CLEW_ERRORS
from clew.indexing.extractors import CHOOSABLE
from clew.results.document import DocumentInfo
from clew.results.evidence import place_words
from clew_ingest.reading.media_types import BY_EXTENSION
from clew_web.api.documents import document_page
from clew_web.api.models import (
    ChunkPath,
    CorpusChoice,
    DocumentFilter,
    DocumentPath,
    OriginalPlace,
    Plain,
)
from clew_web.backend import backend, current_caller
from clew_web.errors import validation_response
from clew_web.policy import Corpora, allows
from clew_web.ui.blueprint import ui
from clew_web.ui.corpora import preferred_corpus, remember
from clew_web.ui.home import BUSY_S, LIVE_S
from clew_web.ui.sample import SAMPLE_CORPUS

PAGE = 25
SHOWN_TYPES = {".pdf": "application/pdf", ".txt": "text/plain"}
"""Originals that a browser shows and runs nothing of."""
STATUSES = get_args(DocumentInfo.model_fields["status"].annotation)


class DocumentView(CorpusChoice):
    """Of which corpus a document is, what of the chunk that the address names is marked, and which
    line of a knowledge base is shown whatever its place.
    """

    quote: Plain = Field("", max_length=2000)
    line: int | None = Field(None, ge=1, le=2**53)


@ui.get("/documents")
@allows("reader", Corpora.CHECKED)
def documents() -> Response:
    """Upload, list, filter and delete documents; the list follows the jobs."""
    service = backend()
    corpora: list[Any] = []
    jobs: list[Any] = []
    problem = page = None
    given: dict[str, Any] = {name: value for name, value in request.args.items() if value}
    named = "corpus" in given
    try:
        choice = DocumentFilter.model_validate({"limit": PAGE, **given})
    except ValidationError as error:
        return validation_response(error)
    choice.corpus = choice.corpus or service.default_corpus
    try:
        corpora = list(service.clew.corpora())
        if not named:
            choice.corpus = preferred_corpus(corpora, filled=False) or service.corpus(None)
        if choice.corpus in [corpus.name for corpus in corpora]:
            page = document_page(choice)
            jobs = list(service.clew.jobs(choice.corpus, limit=5))
    except CLEW_ERRORS as error:
        problem = error
    # the lists stay those of the corpus that uploads go to, where the caller sees one at all
    held = not named and current_caller().sees(choice.corpus)
    response = make_response(
        render_template(
            "documents.html",
            corpora=corpora,
            choice=choice,
            page=page,
            counts=next((c for c in corpora if c.name == choice.corpus), None),
            jobs=jobs,
            problem=problem,
            implied=not named,
            statuses=STATUSES,
            extractors=CHOOSABLE,
            default_extractor=service.settings.extractor,
            sample_corpus=SAMPLE_CORPUS,
            endings=sorted(BY_EXTENSION),
            upload_limit_mib=service.settings.upload_limit_mib,
            live_s=BUSY_S if any(job.state in ("queued", "running") for job in jobs) else LIVE_S,
            live_address=url_for("ui.documents", **given, corpus=choice.corpus) if held else None,
        )
    )
    chosen = named and page is not None
    return remember(response, choice.corpus) if chosen and choice.corpus else response


@ui.get("/documents/<document_id>/original")
@allows("reader", Corpora.CHECKED)
def original(document_id: str) -> BaseResponse:
    """The original: the page it was fetched from, or its file; else the page of the document.

    What stands behind ``#`` in the address, such as ``page=3``, is the browser's to follow.
    """
    try:
        path = DocumentPath(document_id=document_id)
        choice = OriginalPlace.model_validate(request.args.to_dict())
    except ValidationError as error:
        return validation_response(error)
    corpus = backend().corpus(choice.corpus)
    found = backend().clew.original(corpus, path.document_id)
    if isinstance(found, str):
        return redirect(found)
    if found is None:
        return redirect(
            url_for(
                "ui.document",
                document_id=path.document_id,
                corpus=corpus,
                _anchor=choice.chunk or None,
            )
        )
    # all else is downloaded: a page of somebody's must not run here as one of ours
    shown = SHOWN_TYPES.get(found.suffix.lower())
    return send_file(
        found,
        mimetype=shown or "application/octet-stream",
        as_attachment=shown is None,
        download_name=found.name,
        max_age=0,
    )


@ui.get("/documents/<document_id>/chunks/<chunk_id>")
@allows("reader", Corpora.CHECKED)
def chunk(document_id: str, chunk_id: str) -> BaseResponse:
    """What was found in a chunk: its sentences, their entities, the triples that they state."""
    try:
        choice = CorpusChoice.model_validate(request.args.to_dict())
        corpus = backend().corpus(choice.corpus)
        path = ChunkPath(corpus=corpus, chunk_id=chunk_id)
    except ValidationError as error:
        return validation_response(error)
    found = backend().clew.provenance(corpus, path.chunk_id)
    if found.document_id != document_id:
        return redirect(
            url_for(
                "ui.chunk", document_id=found.document_id, chunk_id=path.chunk_id, corpus=corpus
            )
        )
    return make_response(render_template("chunk.html", corpus=corpus, found=found))


@ui.get("/documents/<document_id>")
@allows("reader", Corpora.CHECKED)
def document(document_id: str) -> Response:
    """A document with its state and costs, its chunks, triples and most named entities."""
    try:
        path = DocumentPath(document_id=document_id)
        choice = DocumentView.model_validate(request.args.to_dict())
    except ValidationError as error:
        return validation_response(error)
    corpus = backend().corpus(choice.corpus)
    found = backend().clew.document(corpus, path.document_id, line=choice.line)
    return make_response(
        render_template(
            "document.html",
            corpus=corpus,
            found=found,
            document=found.document,
            line=choice.line,
            place_words=place_words,
            extractor=backend().clew.stats(corpus).extractor,
        )
    )
