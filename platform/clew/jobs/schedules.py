"""Schedules as users see them: made, listed, paused, run by hand and deleted."""

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

from clew.errors import InvalidRequest, ScheduleBusy, UnknownSchedule
from clew.evaluation.request import CORPUS_PREFIX, SAMPLE, BenchRequest
from clew.indexing.corpora import check_name, ensure_corpus
from clew.indexing.limits import limits_of
from clew.indexing.uploads import page_address
from clew.jobs.bench import BENCH
from clew.jobs.listing import get_job
from clew.jobs.reindex import REINDEX, allowed_bucket, allowed_folder
from clew.jobs.submit import wake
from clew.jobs.ticker import timing_of
from clew.jobs.timing import checked_timing
from clew.results.job import Job
from clew.results.schedule import NewSchedule, Reindexing, Schedule, ScheduleRun
from clew.settings import Settings
from clew.telemetry.request import carried
from clew.training.request import TRAIN, TrainingRequest, checked_options
from clew_cypher.corpora import get_corpus
from clew_cypher.jobs import schedules as graph
from clew_cypher.store import GraphStore
from clew_ingest.reading.buckets import is_bucket, plain_address
from clew_ingest.reading.sources import is_url, local_path

if TYPE_CHECKING:
    from clew.resources.resources import Resources

NEXT_RUNS = 3


def list_schedules(store: GraphStore, corpus: str | None = None) -> list[Schedule]:
    """Return the schedules of a corpus, or all, by name."""
    return [_shown(*found) for found in graph.list_schedules(store, corpus)]


def get_schedule(store: GraphStore, schedule_id: str) -> Schedule:
    """Return a schedule. Raises UnknownSchedule."""
    return _shown(*_found(store, schedule_id))


def schedule_runs(store: GraphStore, schedule_id: str, limit: int) -> list[ScheduleRun]:
    """Return the runs of a schedule, newest first. Raises UnknownSchedule."""
    _found(store, schedule_id)
    return [_shown_run(run) for run in graph.schedule_runs(store, schedule_id, limit)]


def add_schedule(resources: "Resources", asked: NewSchedule, *, confined: bool) -> Schedule:
    """Make a schedule; see the facade for ``confined`` and what is raised."""
    store, settings = resources.store, resources.settings
    name = asked.name.strip()
    if not name:
        raise InvalidRequest("A schedule needs a name.", remedy="Such as 'Nightly papers'.")
    now = int(graph.clock_s(store))
    timing = checked_timing(asked.cron, asked.every_s, asked.zone, now)
    corpus = check_name(asked.corpus or settings.corpus)
    kind, params = _work(resources, asked, corpus, confined)
    made = graph.create_schedule(
        store,
        name=name,
        kind=kind,
        corpus=corpus,
        params=params,
        cron=asked.cron,
        every_s=asked.every_s,
        zone=asked.zone,
        start_s=now,
        next_s=timing.next(now),
    )
    return _shown(made, None)


def pause_schedule(store: GraphStore, schedule_id: str) -> Schedule:
    """Let a schedule rest. Raises UnknownSchedule."""
    graph.pause_schedule(store, schedule_id)
    return get_schedule(store, schedule_id)


def resume_schedule(store: GraphStore, schedule_id: str) -> Schedule:
    """Let a schedule tick again, from now on. Raises UnknownSchedule."""
    found, _ = _found(store, schedule_id)
    now = graph.clock_s(store)
    following = timing_of(found).next(now)
    graph.resume_schedule(store, schedule_id, next_s=following, now_s=now)
    return get_schedule(store, schedule_id)


def run_schedule(store: GraphStore, settings: Settings, schedule_id: str) -> Job:
    """Start a schedule's job now. Raises UnknownSchedule, ScheduleBusy."""
    ran = graph.run_now(store, schedule_id, carried())
    if ran is None:
        raise unknown_schedule(schedule_id)
    state, schedule, job_id = ran
    if state == "skipped":
        raise ScheduleBusy(
            f"The job {schedule.job_id} of the run before is not over.",
            remedy=f"Wait for it, or stop it: `clew jobs --cancel {schedule.job_id}`.",
        )
    wake(settings, job_id, schedule.kind)
    return get_job(store, job_id)


def delete_schedule(store: GraphStore, schedule_id: str) -> None:
    """Delete a schedule with its history. Raises UnknownSchedule."""
    if not graph.delete_schedule(store, schedule_id):
        raise unknown_schedule(schedule_id)


def _work(
    resources: "Resources", asked: NewSchedule, corpus: str, confined: bool
) -> tuple[str, dict[str, Any]]:
    """Return the kind and the params of the jobs that are asked for, checked."""
    store, settings = resources.store, resources.settings
    if sum(part is not None for part in (asked.reindex, asked.train, asked.bench)) != 1:
        raise InvalidRequest(
            "A schedule does one thing.", remedy="Name one of reindex, train and bench."
        )
    if asked.reindex is not None:
        sources = [_source(settings, source, confined) for source in asked.reindex.sources]
        ensure_corpus(resources, corpus, None)
        kept = Reindexing(sources=tuple(dict.fromkeys(sources)), gone=asked.reindex.gone)
        return REINDEX, {**kept.model_dump(mode="json"), "confined": confined}
    if asked.train is not None:
        request = TrainingRequest(
            method=asked.train.method, corpus=corpus, options=asked.train.options
        )
        checked_options(request)
        get_corpus(store, corpus)
        return TRAIN, request.model_dump(mode="json")
    assert asked.bench is not None
    from clew.evaluation.request_checks import check_request

    bench = BenchRequest(
        data_set=SAMPLE if corpus == SAMPLE else f"{CORPUS_PREFIX}{corpus}",
        strategies=asked.bench.strategies,
        reader=asked.bench.reader,
        synthetic=asked.bench.synthetic,
    )
    check_request(settings, bench)
    if corpus != SAMPLE:
        get_corpus(store, corpus)
    return BENCH, bench.model_dump(mode="json")


def _source(settings: Settings, given: str, confined: bool) -> str:
    if is_url(given):
        return page_address(given, settings)
    if is_bucket(given):
        if limits_of(settings).buckets is None:
            raise InvalidRequest(
                "No endpoint is set from which buckets could be read.",
                remedy="Set s3_endpoint, s3_access_key and s3_secret_key.",
            )
        return allowed_bucket(settings, given) if confined else plain_address(given)
    if confined:
        return str(allowed_folder(settings, given))
    path = local_path(given).resolve()
    if not path.exists():
        raise InvalidRequest(
            f"There is no file or folder {given}.", remedy="Check the path, as the worker sees it."
        )
    return str(path)


def _found(store: GraphStore, schedule_id: str) -> tuple[graph.Schedule, graph.ScheduleRun | None]:
    found = graph.list_schedules(store, schedule_id=schedule_id)
    if not found:
        raise unknown_schedule(schedule_id)
    return found[0]


def unknown_schedule(schedule_id: str) -> UnknownSchedule:
    """Return the error for a schedule that is not there."""
    return UnknownSchedule(
        f"There is no schedule {schedule_id!r}.", remedy="`clew schedules` lists those there are."
    )


def _shown(schedule: graph.Schedule, last: graph.ScheduleRun | None) -> Schedule:
    upcoming: list[int] = []
    if not schedule.paused:
        more = timing_of(schedule).upcoming(schedule.next_s, NEXT_RUNS - 1)
        upcoming = [schedule.next_s, *more]
    kind: Any = schedule.kind
    return Schedule(
        id=schedule.id,
        name=schedule.name,
        corpus=schedule.corpus,
        kind=kind,
        params=schedule.params,
        cron=schedule.cron,
        every_s=schedule.every_s,
        zone=schedule.zone,
        paused=schedule.paused,
        created_at=schedule.created_at,
        next_runs=tuple(_moment(tick, schedule.zone) for tick in upcoming),
        last_run=None if last is None else _shown_run(last),
    )


def _shown_run(run: graph.ScheduleRun) -> ScheduleRun:
    return ScheduleRun(
        tick=_moment(run.tick_s),
        state=run.state,
        by_hand=run.by_hand,
        missed=run.missed,
        late_s=0.0 if run.by_hand else round(run.claimed_s - run.tick_s, 1),
        job_id=run.job_id,
        job_state=run.job_state,
        job_error=run.job_error,
        job_failed=run.job_failed,
    )


def _moment(seconds: int, zone: str = "UTC") -> str:
    return datetime.fromtimestamp(seconds, UTC).astimezone(ZoneInfo(zone)).isoformat()
