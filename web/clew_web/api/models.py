"""Request bodies and parameters. Unknown fields are refused, as is text no document can hold."""

from typing import Annotated, Any, Literal, get_args

from flask_openapi3 import FileStorage
from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    ValidationInfo,
    field_validator,
)

from clew.indexing.extractors import names_a_file
from clew.results.asked_documents import AskedDocuments
from clew.results.document import DocumentState
from clew.results.evidence import LONGEST_ANSWER, LONGEST_QUESTION, MOST_TURNS
from clew.results.job import JobState


def _plain(text: str) -> str:
    if any(ord(character) < 32 and character not in "\t\n\r" for character in text):
        raise ValueError("it holds control characters")
    try:
        text.encode()
    except UnicodeEncodeError:
        raise ValueError("it is not valid Unicode") from None
    return text


def _said(text: str) -> str:
    if not text.strip():
        raise ValueError("it is empty")
    if any("\x7f" <= character <= "\x9f" for character in text):
        raise ValueError("it holds control characters")
    return text


def _named_here(extractor: str) -> str:
    if names_a_file(extractor):
        raise ValueError("a file of triples is chosen on the server: `clew corpora set NAME`")
    return extractor


def _trimmed(text: str) -> str:
    return _said(text).strip()


# told to callers as patterns; the validators say what is wrong in words
PLAIN_TEXT = r"[^\x00-\x08\x0b\x0c\x0e-\x1f]*"
SHOWN_TEXT = r"[^\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]*"
SAID_TEXT = rf"{SHOWN_TEXT}[^\s\x00-\x1f\x7f-\x9f]{SHOWN_TEXT}"
PLAIN = {"pattern": f"^{PLAIN_TEXT}$"}
SAID = {"pattern": f"^{SAID_TEXT}$"}
NO_FILE = {"pattern": rf"^(?!\s*file:){PLAIN_TEXT}$"}

Plain = Annotated[str, Field(json_schema_extra=PLAIN), AfterValidator(_plain)]
Name = Annotated[
    str,
    Field(min_length=1, max_length=200, json_schema_extra=SAID),
    AfterValidator(_plain),
    AfterValidator(_trimmed),
]
Identifier = Annotated[
    str, Field(min_length=1, max_length=200, json_schema_extra=PLAIN), AfterValidator(_plain)
]
Extractor = Annotated[
    str,
    Field(min_length=1, max_length=200, json_schema_extra=NO_FILE),
    AfterValidator(_plain),
    AfterValidator(_named_here),
]
Question = Annotated[
    str, Field(json_schema_extra=SAID), AfterValidator(_plain), AfterValidator(_said)
]


def _takes_truth(annotation: Any) -> bool:
    return annotation in (bool, Any) or any(map(_takes_truth, get_args(annotation)))


class Request(BaseModel):
    """Base of what callers send. A number is none of true and false, which Python takes for 1 and
    0.
    """

    model_config = ConfigDict(extra="forbid")

    @field_validator("*", mode="before")
    @classmethod
    def _no_truth_for_a_number(cls, value: Any, info: ValidationInfo) -> Any:
        field = cls.model_fields[info.field_name or ""]
        if isinstance(value, bool) and not _takes_truth(field.annotation):
            raise ValueError("it is true or false, which is not what is asked for")
        return value


class CorpusChoice(Request):
    """Which corpus is meant."""

    corpus: Name | None = Field(None, description="Corpus; unset: the default one.")


class CorpusPath(Request):
    """A corpus in the address."""

    corpus: Name = Field(description="Name of the corpus.")


class NewCorpus(Request):
    """A corpus to create."""

    name: Name = Field(description="Name of the corpus, unique.")
    extractor: Extractor | None = Field(
        None, description="Who makes its triples: rules, llm, model or none; unset: the setting."
    )


class CorpusChange(Request):
    """What can be changed of a corpus."""

    extractor: Extractor = Field(description="Who makes the triples of what is ingested next.")


class DocumentPath(Request):
    """A document in the address."""

    document_id: Identifier = Field(description="Id of the document.")


class ChunkPath(CorpusPath):
    """A chunk in the address."""

    chunk_id: Identifier = Field(description="Id of the chunk.")


class DocumentChoice(CorpusChoice):
    """Which documents are meant."""

    document_ids: list[Identifier] = Field(
        min_length=1, max_length=500, description="Ids of documents."
    )


class Page(Request):
    """Which part of a list."""

    limit: int = Field(50, ge=1, le=500, description="At most so many.")
    offset: int = Field(0, ge=0, le=10_000_000, description="Skip so many.")


class DocumentFilter(Page, CorpusChoice):
    """Which documents to list."""

    status: DocumentState | None = Field(None, description="Only those in this status.")
    query: Plain | None = Field(
        None, max_length=1000, description="Only those whose title or address holds this text."
    )
    parent_id: Identifier | None = Field(
        None, description="The records of this file; unset: files and pages, no records."
    )


class OriginalPlace(CorpusChoice):
    """The passage to show where the original cannot be had."""

    chunk: Identifier | None = Field(None, description="Id of a chunk.")


class Record(Request):
    """A text that is sent as JSON, a document of its own."""

    title: Plain = Field("", max_length=1000, description="Title; unset: the first words.")
    text: Plain = Field(min_length=1, description="The text.")
    uri: Plain | None = Field(
        None,
        min_length=1,
        max_length=2000,
        description="What names the document: the same uri again replaces it. Unset: the title.",
    )


class Records(CorpusChoice):
    """Documents as JSON: texts, or the address of a page to fetch."""

    records: list[Record] = Field(default_factory=list, max_length=1000)
    url: Plain | None = Field(None, max_length=2000, description="A page to fetch (http, https).")


class Upload(Request):
    """Documents as files."""

    corpus: Name | None = Field(None, description="Corpus; unset: the default one.")
    read_as: Literal["documents", "triples"] = Field(
        "documents",
        alias="as",
        description="What the files are: documents, or knowledge bases: a triple a line (TSV, CSV, "
        "JSON Lines). N-Triples and Turtle always are.",
    )
    files: list[FileStorage] = Field(
        description="One file or many: under 2,000, and `upload_limit_mib` (50 MiB) together."
    )


class JobFilter(Page, CorpusChoice):
    """Which jobs to list, newest first."""

    state: JobState | None = Field(None, description="Only those in this state.")


class JobPath(Request):
    """A job in the address."""

    job_id: Identifier = Field(description="Id of the job.")


class Search(CorpusChoice):
    """A question to find evidence for."""

    question: Question = Field(description="The question; it has a letter or a digit.")
    strategy: Name | None = Field(None, description="How to find evidence; GET /strategies.")
    k: int | None = Field(None, ge=1, le=100, description="Chunks to find; unset: the setting.")
    documents: AskedDocuments | None = Field(
        None, description="The documents that are asked; unset: all of the corpus."
    )


class AskedTurn(Request):
    """A question that was asked before."""

    question: Question = Field(max_length=LONGEST_QUESTION, description="The question.")
    answer: Plain = Field(
        "", max_length=LONGEST_ANSWER, description="What was answered; empty: nothing was."
    )


class Query(Search):
    """A question to answer."""

    history: list[AskedTurn] = Field(
        default_factory=list,
        max_length=MOST_TURNS,
        description="What was asked before, oldest first: the question may lean on it, such as "
        "'When was she born?'. The answer's `question` is what was understood.",
    )


class GraphFilter(CorpusChoice):
    """Which part of the graph to draw: around one entity, or what an answer rests on."""

    entity_id: Identifier | None = Field(None, description="Draw around this entity.")
    entity_ids: list[Identifier] = Field(
        default_factory=list, max_length=100, description="Entities of an answer; repeatable."
    )
    chunk_ids: list[Identifier] = Field(
        default_factory=list, max_length=100, description="Chunks of an answer; repeatable."
    )
    limit: int = Field(60, ge=1, le=300, description="At most so many nodes.")


class PathFilter(CorpusChoice):
    """Between which entities to look for a path."""

    a: Identifier = Field(description="Id of the entity that it begins at.")
    b: Identifier = Field(description="Id of the entity that it ends at.")


class EntityFilter(CorpusChoice):
    """Which entities to find."""

    text: Question = Field(max_length=500, description="Part of the entity's name.")
    limit: int = Field(20, ge=1, le=100, description="At most so many.")
