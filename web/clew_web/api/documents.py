"""GET and POST /documents, GET and DELETE /documents/{document_id}; what is in a chunk; retries."""

from collections.abc import Sequence
from functools import partial
from typing import Any

from flask import Response, request
from flask_openapi3 import APIBlueprint, Tag
from pydantic import ValidationError
from werkzeug.datastructures import FileStorage

from clew.indexing.uploads import file_source, page_address, record_source
from clew.results.corpus import Deletion
from clew.results.document import ChunkProvenance, DocumentDetail
from clew.results.ingest import SkippedSource, UploadResult
from clew.results.job import Retried
from clew.settings import Settings
from clew_cypher.errors import UnknownCorpus
from clew_ingest.errors import UnsupportedMediaType
from clew_ingest.reading.media_types import check_kind
from clew_web.api.models import (
    ChunkPath,
    CorpusChoice,
    DocumentChoice,
    DocumentFilter,
    DocumentPath,
    Records,
    Upload,
)
from clew_web.api.responses import SECURITY, page_of, reply
from clew_web.api.results import DocumentPage
from clew_web.backend import backend
from clew_web.errors import Refused, validation_response
from clew_web.policy import Corpora, allows

api = APIBlueprint(
    "documents",
    __name__,
    url_prefix="/api/v1",
    abp_tags=[Tag(name="Documents", description="What the graph is made of.")],
    abp_security=SECURITY,
)


@api.get("/documents", summary="The documents of a corpus", responses={"200": DocumentPage})
@allows("reader", Corpora.CHECKED)
def list_documents(query: DocumentFilter) -> Response:
    """A page of documents, filtered by status and by text in title or address."""
    return reply(document_page(query))


@api.post("/documents", summary="Add documents", responses={"202": UploadResult})
@allows("editor", Corpora.CHECKED)
def add_documents(query: CorpusChoice) -> Response:
    """Take files (multipart), texts or an address (JSON) in, store them, and index them in a job.

    The corpus stands in the query, as in every other call, or in the body.

    What is answered with 202 is stored and survives a restart. The same uri again replaces the
    document; the same content again changes nothing. An address is fetched by the job. Files of
    kinds that are not read, and those of a name that comes again, are `skipped`; where there is no
    other, the answer is 415. With the part ``as`` set to ``triples``, files are knowledge bases.
    """
    if request.mimetype == "multipart/form-data":
        try:
            form = Upload.model_validate(
                {**request.form.to_dict(), "files": request.files.getlist("files")}
            )
        except ValidationError as error:
            return validation_response(error)
        if not form.files:
            raise Refused(422, "The upload holds no file.", remedy="Send parts named `files`.")
        corpus = _one_corpus(query.corpus, form.corpus)
        sources, skipped = _from_files(form.files, backend().settings)
        return _accept(corpus, sources, skipped=skipped, as_triples=form.read_as == "triples")
    if request.is_json:
        try:
            body = Records.model_validate(request.get_json())
        except ValidationError as error:
            return validation_response(error)
        corpus = _one_corpus(query.corpus, body.corpus)
        return _accept_records(corpus, body, backend().settings)
    raise Refused(
        415,
        "Documents come as multipart/form-data or application/json.",
        remedy='Send files as parts named `files`, or {"records": […]} as JSON.',
    )


@api.get("/documents/<document_id>", summary="One document", responses={"200": DocumentDetail})
@allows("reader", Corpora.CHECKED)
def get_document(path: DocumentPath, query: CorpusChoice) -> Response:
    """A document with its state, its text chunk by chunk, its triples, and what it cost."""
    return reply(backend().clew.document(backend().corpus(query.corpus), path.document_id))


@api.delete("/documents/<document_id>", summary="Delete a document", responses={"200": Deletion})
@allows("editor", Corpora.CHECKED)
def delete_document(path: DocumentPath, query: CorpusChoice) -> Response:
    """Delete a document and what only it supported."""
    return reply(backend().clew.delete(backend().corpus(query.corpus), path.document_id))


@api.post("/documents/retry", summary="Try documents again", responses={"202": Retried})
@allows("editor", Corpora.CHECKED)
def retry_documents(body: DocumentChoice) -> Response:
    """Have failed documents indexed again: those whose file is kept, and web pages.

    A file is kept until it was looked at; those that cannot be tried again are `left`, with why.
    """
    corpus = backend().corpus(body.corpus)
    return reply(backend().clew.retry_documents(corpus, body.document_ids), 202)


@api.get(
    "/corpora/<corpus>/chunks/<chunk_id>",
    summary="What was found in a chunk",
    responses={"200": ChunkProvenance},
)
@allows("reader", Corpora.CHECKED)
def chunk_provenance(path: ChunkPath) -> Response:
    """A chunk with its sentences, the entities of each, and the triples that it states."""
    return reply(backend().clew.provenance(path.corpus, path.chunk_id))


def document_page(query: DocumentFilter) -> DocumentPage:
    """Return the page of documents that REST and the Documents page show."""
    clew, corpus = backend().clew, backend().corpus(query.corpus)
    chosen = {"status": query.status, "query": query.query, "parent_id": query.parent_id}
    return page_of(
        DocumentPage,
        "documents",
        query,
        partial(clew.documents, corpus, **chosen),
        partial(clew.count_documents, corpus, **chosen),
    )


def _one_corpus(in_query: str | None, in_body: str | None) -> str:
    if in_query and in_body and in_query != in_body:
        raise Refused(
            422,
            f"The query names the corpus {in_query!r}, the body {in_body!r}.",
            remedy="Name one.",
        )
    return backend().corpus(in_query or in_body)


def _from_files(
    files: Sequence[FileStorage], settings: Settings
) -> tuple[list[Any], list[SkippedSource]]:
    """Return a source a file, and the files of kinds that are not read.

    Refuses the upload where a file is over the limit (413), and where none is of a kind that is
    read (415).
    """
    limit = settings.upload_limit_mib * 1024 * 1024
    sources: list[Any] = []
    skipped = []
    refusal: UnsupportedMediaType | None = None
    for file in files:
        data = file.read(limit + 1)
        name = file.filename or ""
        if len(data) > limit:
            raise Refused(
                413,
                f"A file has more than {settings.upload_limit_mib} MiB.",
                remedy="Split it, or raise upload_limit_mib.",
            )
        source = file_source(name, data, file.mimetype or None)
        try:
            check_kind(data, source.name, source.media_type)
        except UnsupportedMediaType as error:
            refusal = error
            skipped.append(SkippedSource(uri=source.uri, reason=str(error)))
        else:
            sources.append(source)
    if refusal is not None and not sources:
        raise refusal
    return sources, skipped


def _accept_records(corpus: str, body: Records, settings: Settings) -> Response:
    """Take texts in; the page is for the job to fetch. Refuses what names neither."""
    if not body.records and body.url is None:
        raise Refused(
            422,
            "The request holds no document.",
            remedy='Send {"records": [{"title": …, "text": …}]}, {"url": …}, or files.',
        )
    sources = [record_source(record.title, record.text, record.uri) for record in body.records]
    urls = [] if body.url is None else [page_address(body.url, settings)]
    return _accept(corpus, sources, urls=urls)


def _accept(
    corpus: str,
    sources: list[Any],
    *,
    urls: Sequence[str] = (),
    skipped: Sequence[SkippedSource] = (),
    as_triples: bool = False,
) -> Response:
    clew = backend().clew
    is_new = _is_new(clew, corpus)
    accepted = clew.accept(sources, corpus=corpus, as_triples=as_triples)
    job = clew.submit(corpus, accepted.pending, urls) if accepted.pending or urls else None
    result = UploadResult(
        job_id=job.id if job else None,
        documents=tuple(accepted.documents),
        fetching=tuple(urls),
        skipped=(*skipped, *accepted.skipped),
        new_corpus=corpus if is_new else None,
    )
    return reply(result, 202)


def _is_new(clew: Any, corpus: str) -> bool:
    try:
        clew.stats(corpus)
    except UnknownCorpus:
        return True
    return False
