"""The part of the fake facade that keeps schedules; runs nothing."""

from typing import Any

from clew.errors import ScheduleBusy
from clew.jobs.schedules import unknown_schedule
from clew.jobs.timing import checked_timing
from clew.results.job import Job
from clew.results.schedule import NewSchedule, Schedule, ScheduleRun

from .fake_bench import WHEN, add_job

RUN = ScheduleRun(
    tick=WHEN,
    state="started",
    by_hand=False,
    missed=0,
    late_s=1.2,
    job_id="j1",
    job_state="done",
    job_error=None,
)


class FakeSchedules:
    """Schedules in a list."""

    schedule_list: list[Schedule]
    runs: list[ScheduleRun]
    calls: list[tuple[Any, ...]]
    settings: Any
    job_list: list[Job]

    def schedules(self, corpus: str | None = None) -> list[Schedule]:
        return [one for one in self.schedule_list if corpus in (None, one.corpus)]

    def schedule(self, schedule_id: str) -> Schedule:
        for one in self.schedule_list:
            if one.id == schedule_id:
                return one
        raise unknown_schedule(schedule_id)

    def schedule_runs(self, schedule_id: str, limit: int = 20) -> list[ScheduleRun]:
        self.schedule(schedule_id)
        return self.runs[:limit]

    def add_schedule(self, asked: NewSchedule, *, confined: bool = False) -> Schedule:
        self.calls.append(("add_schedule", asked, confined))
        checked_timing(asked.cron, asked.every_s, asked.zone, 0)
        kind: Any = next(k for k in ("reindex", "train", "bench") if getattr(asked, k) is not None)
        made = Schedule(
            id=f"s{len(self.schedule_list) + 1}",
            name=asked.name,
            corpus=asked.corpus or "default",
            kind=kind,
            params=getattr(asked, kind).model_dump(mode="json"),
            cron=asked.cron,
            every_s=asked.every_s,
            zone=asked.zone,
            paused=False,
            created_at=WHEN,
            next_runs=(WHEN, WHEN, WHEN),
            last_run=None,
        )
        self.schedule_list.append(made)
        return made

    def pause_schedule(self, schedule_id: str) -> Schedule:
        return self._change(schedule_id, paused=True, next_runs=())

    def resume_schedule(self, schedule_id: str) -> Schedule:
        return self._change(schedule_id, paused=False, next_runs=(WHEN,))

    def run_schedule(self, schedule_id: str) -> Job:
        found = self.schedule(schedule_id)
        if any(job.state == "queued" for job in self.job_list):
            raise ScheduleBusy("The job of the run before is not over.", remedy="Wait for it.")
        return add_job(self, found.kind, found.corpus, "queued", {})  # type: ignore[arg-type]

    def delete_schedule(self, schedule_id: str) -> None:
        self.schedule_list.remove(self.schedule(schedule_id))

    def _change(self, schedule_id: str, **changes: Any) -> Schedule:
        found = self.schedule(schedule_id)
        changed = found.model_copy(update=changes)
        self.schedule_list[self.schedule_list.index(found)] = changed
        return changed
