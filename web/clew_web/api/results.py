"""What REST wraps around the platform's result types: pages and lists."""

from pydantic import BaseModel, Field

from clew.evaluation.request import BenchRunInfo
from clew.results.corpus import CorpusInfo, GrowthDay
from clew.results.document import DocumentInfo, EntityInfo
from clew.results.job import Job, JobEvent
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
