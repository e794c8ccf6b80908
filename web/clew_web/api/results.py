"""What REST wraps around the platform's result types: pages and lists."""

from pydantic import BaseModel, Field

from clew.evaluation.request import BenchRunInfo
from clew.results.corpus import (
    AcceptedDocument,
    CorpusInfo,
    DocumentInfo,
    EntityInfo,
    GrowthDay,
    Job,
    JobEvent,
    SkippedSource,
)
from clew.results.resolution import MergeInfo, ReviewInfo


class CorpusList(BaseModel):
    """Every corpus with how full it is, and the name of the default one."""

    corpora: list[CorpusInfo]
    default: str


class Growth(BaseModel):
    """How full a corpus was at the end of each day on which it grew, oldest first."""

    days: list[GrowthDay]


class ResultPage(BaseModel):
    """What every page says of itself."""

    limit: int
    offset: int
    more: bool = Field(description="Whether there are others after these.")
    total: int | None = Field(
        None, description="How many there are in all; null where it is not counted."
    )


class DocumentPage(ResultPage):
    """A page of documents."""

    documents: list[DocumentInfo]


class UploadResult(BaseModel):
    """What an upload led to; ``job_id`` is null where nothing is left to be done.

    ``fetching``: addresses that the job fetches; their documents are there once it has.
    """

    job_id: str | None
    documents: list[AcceptedDocument]
    fetching: list[str] = Field(default_factory=list)
    skipped: list[SkippedSource] = Field(default_factory=list)
    new_corpus: str | None = Field(
        None, description="Name of the corpus that this upload made; null where it was there."
    )


class JobPage(ResultPage):
    """A page of jobs, newest first."""

    jobs: list[Job]


class JobLog(BaseModel):
    """What happened to a job, oldest first."""

    events: list[JobEvent]


class EntityList(BaseModel):
    """Entities, best match first."""

    entities: list[EntityInfo]


class BenchRunList(BaseModel):
    """Kept runs of the bench, newest first."""

    runs: list[BenchRunInfo]


class ReviewPage(ResultPage):
    """A page of pairs that may be one, the likeliest first."""

    reviews: list[ReviewInfo]


class MergePage(ResultPage):
    """A page of merges, newest first."""

    merges: list[MergeInfo]
