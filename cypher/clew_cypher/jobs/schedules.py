"""Schedules: background work that is done again and again, and exactly one run a tick.

A tick is claimed in one transaction: a statement that takes the schedule's lock moves it on to its
next tick and makes the run, whose id is that of schedule and time and unique by constraint; the
run's job is entered in the same transaction. So however many tickers there are, and whichever of
them is killed, a tick is either claimed with its job, or still there for another one.
"""

import json
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from clew_cypher.ids import content_id
from clew_cypher.jobs.ledger import enter_job
from clew_cypher.store import GraphStore, Transaction

RunState = Literal["started", "skipped"]

SET_BACK_S = 3600.0
"""A clock that was set back by less repeats nothing: the schedule waits for its next tick."""


@dataclass(frozen=True)
class Schedule:
    """A schedule as the graph has it; times in seconds since 1970 (UTC).

    ``kind`` and ``params`` are those of the jobs that it starts. Either ``cron`` (five fields, in
    ``zone``) or ``every_s`` (counted from ``start_s``) says when. ``ticked_s``: when it last
    ticked, was made or was resumed; ``job_id``: the job that it started last; ``turned_back``: how
    often it was moved since the clock was set back.
    """

    id: str
    name: str
    kind: str
    corpus: str
    params: dict[str, Any]
    zone: str
    start_s: int
    next_s: int
    ticked_s: float
    paused: bool
    created_at: str
    cron: str | None = None
    every_s: int | None = None
    job_id: str | None = None
    turned_back: int = 0

    @property
    def tick_id(self) -> str:
        """The id of the run of its next tick."""
        again = [str(self.turned_back)] if self.turned_back else []
        return content_id("u", self.id, str(self.next_s), *again)


@dataclass(frozen=True)
class ScheduleRun:
    """A tick that was claimed, or a run by hand; ``missed``: ticks after it that went by unseen.

    ``job_id``: the job that was started, or of a skipped run the one that was in its way;
    ``job_state`` and ``job_error`` are None once the ledger has forgotten it, ``job_failed`` is how
    many documents failed in it.
    """

    id: str
    schedule_id: str
    tick_s: int
    claimed_s: float
    by_hand: bool
    missed: int
    state: RunState
    job_id: str | None
    job_state: str | None = None
    job_error: str | None = None
    job_failed: int = 0


def clock_s(store: GraphStore) -> float:
    """Return the database's clock, in seconds since 1970."""
    return float(store.read("clock")[0]["now_s"])


def create_schedule(
    store: GraphStore,
    *,
    name: str,
    kind: str,
    corpus: str,
    params: Mapping[str, Any],
    cron: str | None,
    every_s: int | None,
    zone: str,
    start_s: int,
    next_s: int,
) -> Schedule:
    """Enter a schedule and return it."""
    rows = store.write(
        "create_schedule",
        id=f"s{secrets.token_hex(12)}",
        name=name,
        kind=kind,
        corpus=corpus,
        params=json.dumps(dict(params)),
        cron=cron,
        every_s=every_s,
        zone=zone,
        start_s=start_s,
        next_s=next_s,
    )
    return _schedule(rows[0]["schedule"])


def due_schedules(store: GraphStore, now_s: float | None = None) -> tuple[list[Schedule], float]:
    """Return the schedules to look at now, and the clock (``now_s``: a test's)."""
    rows = store.read("due_schedules", now_s=now_s, set_back_s=SET_BACK_S)
    return [_schedule(row["schedule"]) for row in rows], float(rows[0]["now_s"]) if rows else 0.0


def claim_tick(
    store: GraphStore, schedule: Schedule, *, next_s: int, missed: int, now_s: float | None = None
) -> tuple[RunState, str] | None:
    """Claim the tick ``schedule.next_s`` and enter its job; return the state and the job's id.

    None: another ticker has the tick, the schedule was paused or deleted, the tick has not come, or
    it has run before the clock was set back.
    """
    run_id = schedule.tick_id
    job_id = content_id("j", run_id)

    def claim(transaction: Transaction) -> tuple[RunState, str] | None:
        rows = transaction.run(
            "claim_tick",
            id=schedule.id,
            run_id=run_id,
            expected_s=schedule.next_s,
            next_s=next_s,
            job_id=job_id,
            missed=missed,
            now_s=now_s,
        )
        if not rows or rows[0]["state"] == "repeated":
            return None
        if rows[0]["state"] == "started":
            _enter_job(transaction, schedule, job_id)
        return rows[0]["state"], job_id

    return store.in_transaction(claim)


def run_now(
    store: GraphStore, schedule_id: str, request: Mapping[str, str] | None = None
) -> tuple[RunState, Schedule, str] | None:
    """Run a schedule by hand; return the state, the schedule and the job's id. None: none such.

    'skipped': the job of the run before is not over, and nothing was done. ``request``: what the
    job's log lines are to tell of the request that asked for it.
    """
    run_id = f"u{secrets.token_hex(12)}"
    job_id = content_id("j", run_id)

    def run(transaction: Transaction) -> tuple[RunState, Schedule, str] | None:
        rows = transaction.run("run_schedule_now", id=schedule_id, run_id=run_id, job_id=job_id)
        if not rows:
            return None
        schedule = _schedule(rows[0]["schedule"])
        if rows[0]["state"] == "started":
            _enter_job(transaction, schedule, job_id, request)
        return rows[0]["state"], schedule, job_id

    return store.in_transaction(run)


def move_schedule(store: GraphStore, schedule: Schedule, *, next_s: int, now_s: float) -> bool:
    """Give a schedule another next tick; False: somebody else has moved it on."""
    return bool(
        store.write(
            "move_schedule",
            id=schedule.id,
            expected_s=schedule.next_s,
            next_s=next_s,
            now_s=now_s,
        )
    )


def pause_schedule(store: GraphStore, schedule_id: str) -> bool:
    """Let a schedule rest; False: there is none such."""
    return bool(store.write("pause_schedule", id=schedule_id))


def resume_schedule(store: GraphStore, schedule_id: str, *, next_s: int, now_s: float) -> bool:
    """Let a schedule that rests tick again, from ``next_s`` on; False: there is none such."""
    return bool(store.write("resume_schedule", id=schedule_id, next_s=next_s, now_s=now_s))


def list_schedules(
    store: GraphStore, corpus: str | None = None, schedule_id: str | None = None
) -> list[tuple[Schedule, ScheduleRun | None]]:
    """Return the schedules of a corpus, of all, or the one of an id, by name, with the last run."""
    rows = store.read("list_schedules", corpus=corpus, id=schedule_id)
    return [
        (_schedule(row["schedule"]), _run(row["run"], row["job"]) if row["run"] else None)
        for row in rows
    ]


def schedule_runs(store: GraphStore, schedule_id: str, limit: int) -> list[ScheduleRun]:
    """Return the runs of a schedule, newest first."""
    rows = store.read("schedule_runs", id=schedule_id, limit=limit)
    return [_run(row["run"], row["job"]) for row in rows]


def delete_schedule(store: GraphStore, schedule_id: str) -> bool:
    """Delete a schedule with its runs; False: there was none such."""
    return bool(store.write("delete_schedule", id=schedule_id)[0]["deleted"])


def delete_old_runs(store: GraphStore, *, days: int, limit: int = 10_000) -> int:
    """Forget runs that were claimed over ``days`` days ago; return how many."""
    before_s = clock_s(store) - days * 86_400
    return int(store.write("delete_old_runs", before_s=before_s, limit=limit)[0]["deleted"])


def _enter_job(
    transaction: Transaction,
    schedule: Schedule,
    job_id: str,
    request: Mapping[str, str] | None = None,
) -> None:
    enter_job(
        transaction,
        schedule.kind,
        schedule.corpus,
        schedule.params,
        job_id=job_id,
        request=request,
    )


def _schedule(values: Mapping[str, Any]) -> Schedule:
    known = {name: values[name] for name in Schedule.__dataclass_fields__ if name in values}
    known["params"] = json.loads(known["params"])
    known["created_at"] = known["created_at"].to_native().isoformat()
    return Schedule(**known)


def _run(values: Mapping[str, Any], job: Mapping[str, Any] | None) -> ScheduleRun:
    known = {name: values[name] for name in ScheduleRun.__dataclass_fields__ if name in values}
    if job is not None:
        failed = json.loads(job["progress"]).get("failed", 0)
        known |= {"job_state": job["state"], "job_error": job["error"], "job_failed": failed}
    return ScheduleRun(**known)
