"""GET and POST /schedules; one schedule: its runs, pause, resume, run, delete."""

from typing import Annotated, Any, Literal

from flask import Response, make_response
from flask_openapi3 import APIBlueprint, Tag
from pydantic import BaseModel, Field

from clew.results.job import Job
from clew.results.schedule import NewSchedule, Schedule, ScheduleRun
from clew_web.api.models import CorpusChoice, Identifier, Name, Plain, Request
from clew_web.api.responses import SECURITY, reply
from clew_web.backend import backend
from clew_web.policy import Corpora, allows, protected

api = APIBlueprint(
    "schedules",
    __name__,
    url_prefix="/api/v1",
    abp_tags=[Tag(name="Schedules", description="Work that is done again and again.")],
    abp_security=SECURITY,
)


class SourcesAgain(Request):
    """Folders, web pages and buckets to read again."""

    sources: list[Annotated[Plain, Field(min_length=1, max_length=2000)]] = Field(
        min_length=1,
        max_length=1000,
        description="Web pages, folders below the setting schedule_folders, and s3://BUCKET/PREFIX "
        "of the setting s3_buckets.",
    )
    gone: Literal["keep", "delete"] = Field(
        "keep", description="What becomes of documents whose file or page vanished."
    )


class TrainingAgain(Request):
    """A method to train on the corpus."""

    method: Name = Field(description="The method that learns.")
    options: dict[str, Any] = Field(
        default_factory=dict, description="Of the method; GET /models/methods."
    )


class BenchAgain(Request):
    """A run of the bench on the corpus."""

    strategies: list[Name] | None = Field(
        None, min_length=1, max_length=50, description="Strategies to measure; unset: all."
    )
    reader: Name | None = Field(None, description="Who answers; 'none': evidence only.")
    synthetic: int = Field(50, ge=1, le=5000, description="Questions made from the graph.")


class ScheduleBody(CorpusChoice):
    """When (cron or every_s) and what (one of reindex, train and bench)."""

    name: Name = Field(description="What people call it.")
    cron: Plain | None = Field(
        None,
        max_length=200,
        description="Minute, hour, day, month, weekday: '30 2 * * 1-5' is 2:30 on weekdays.",
    )
    every_s: int | None = Field(
        None, ge=60, le=366 * 86_400, description="In place of cron: seconds between two ticks."
    )
    zone: Plain = Field("UTC", max_length=100, description="Time zone of cron: Europe/Berlin.")
    reindex: SourcesAgain | None = None
    train: TrainingAgain | None = None
    bench: BenchAgain | None = None


class SchedulePath(Request):
    """A schedule in the address."""

    schedule_id: Identifier = Field(description="Id of the schedule.")


class RunFilter(Request):
    """Which runs to list."""

    limit: int = Field(20, ge=1, le=500, description="At most so many, newest first.")


class ScheduleList(BaseModel):
    """Schedules by name."""

    schedules: list[Schedule]


class ScheduleRunList(BaseModel):
    """Runs of a schedule, newest first."""

    runs: list[ScheduleRun]


@api.get("/schedules", summary="The schedules", responses={"200": ScheduleList})
@allows("reader", Corpora.FILTERED)
def list_schedules(query: CorpusChoice) -> Response:
    """Each with its next runs (none while it is paused) and its last one; without a corpus, all."""
    return reply(ScheduleList(schedules=backend().clew.schedules(query.corpus)))


@api.post("/schedules", summary="Add a schedule", responses={"201": Schedule})
@protected
def add_schedule(body: ScheduleBody) -> Response:
    """Exactly one run a tick. A tick is skipped while the job of the one before is not over; of
    ticks that were missed, one is made up for."""
    return reply(start(body), 201)


@api.get("/schedules/<schedule_id>", summary="One schedule", responses={"200": Schedule})
@protected
def get_schedule(path: SchedulePath) -> Response:
    """When it runs next, and its last run."""
    return reply(backend().clew.schedule(path.schedule_id))


@api.get("/schedules/<schedule_id>/runs", summary="Its history", responses={"200": ScheduleRunList})
@protected
def list_runs(path: SchedulePath, query: RunFilter) -> Response:
    """What became of its ticks, with the state of each job as long as that is kept."""
    return reply(ScheduleRunList(runs=backend().clew.schedule_runs(path.schedule_id, query.limit)))


@api.post("/schedules/<schedule_id>/pause", summary="Pause it", responses={"200": Schedule})
@protected
def pause_schedule(path: SchedulePath) -> Response:
    """It does not tick until it is resumed."""
    return reply(backend().clew.pause_schedule(path.schedule_id))


@api.post("/schedules/<schedule_id>/resume", summary="Resume it", responses={"200": Schedule})
@protected
def resume_schedule(path: SchedulePath) -> Response:
    """It ticks from now on; what it missed is not made up for."""
    return reply(backend().clew.resume_schedule(path.schedule_id))


@api.post("/schedules/<schedule_id>/run", summary="Run it now", responses={"202": Job})
@protected
def run_schedule(path: SchedulePath) -> Response:
    """Start its job; its ticks stay as they are. 409 while the run before is not over."""
    return reply(backend().clew.run_schedule(path.schedule_id), 202)


@api.delete("/schedules/<schedule_id>", summary="Delete it", responses={"204": None})
@protected
def delete_schedule(path: SchedulePath) -> Response:
    """Delete it with its history. A job that it started goes on."""
    backend().clew.delete_schedule(path.schedule_id)
    return make_response("", 204)


def start(body: ScheduleBody) -> Schedule:
    """Make the schedule, as one that comes over the network: it reads no files but the allowed."""
    asked = NewSchedule.model_validate(body.model_dump())
    made: Schedule = backend().clew.add_schedule(asked, confined=True)
    return made
