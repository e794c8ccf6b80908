"""The facade as one caller sees it: what is of a corpus they may not see does not exist for them.

Views call `backend().clew`, which is this, so no view can forget it. What is not declared here is
refused to those who may not see every corpus.
"""

import inspect
from collections.abc import Sequence
from functools import cache
from typing import Any

from clew.errors import UnknownModelVersion
from clew.evaluation.request import CORPUS_PREFIX, SAMPLE, BenchRequest, BenchRunInfo
from clew.evaluation.run import BenchRun
from clew.evaluation.runs import unknown_run
from clew.indexing.corpora import plain_name
from clew.jobs.listing import unknown_job
from clew.jobs.schedules import unknown_schedule
from clew.jobs.webhooks import unknown_webhook
from clew.results.corpus import CorpusInfo
from clew.results.health import Health
from clew.results.job import Job, JobEvent, JobState
from clew.results.schedule import NewSchedule, Schedule, ScheduleRun
from clew.results.training import ModelVersion
from clew.results.webhook import NewWebhook, Webhook, WebhookDelivery
from clew.training.request import TRAIN, training_of
from clew_web.callers import Caller
from clew_web.errors import Refused

OF_ONE_CORPUS = frozenset(
    {
        *("accept", "submit", "documents", "document", "original", "delete", "resolve_document"),
        "retry_documents",
        "provenance",
        "count_documents",
        *("stats", "set_extractor", "delete_corpus", "neighbourhood", "answer_graph"),
        *("find_entities", "path_between", "reviews", "merges", "decide", "merge", "undo_merge"),
        *("entity", "count_reviews", "count_merges", "growth"),
        "submit_training",
    }
)
"""Methods of the facade with a corpus among their arguments, unset for the default one."""
MOST = 10_000
"""Runs of the bench that are looked through for those that a caller may see."""


class ScopedClew:
    """The facade for a caller who may see some corpora. ``default``: where none is named."""

    def __init__(self, clew: Any, caller: Caller, default: str) -> None:
        self._clew = clew
        self._caller = caller
        self._default = default

    def __getattr__(self, name: str) -> Any:
        if name not in OF_ONE_CORPUS:
            raise _for_all_corpora()
        method = getattr(self._clew, name)

        def checked(*arguments: Any, **named: Any) -> Any:
            bound = _signature(name).bind(None, *arguments, **named)
            argument = "name" if name == "delete_corpus" else "corpus"
            corpus = self._caller.check(plain_name(bound.arguments.get(argument) or self._default))
            bound.arguments[argument] = corpus
            return method(*bound.args[1:], **bound.kwargs)

        return checked

    def corpora(self) -> list[CorpusInfo]:
        """Return those that the caller may see."""
        return [corpus for corpus in self._clew.corpora() if self._caller.sees(corpus.name)]

    def health(self) -> Health:
        """Return what runs, without what workers hold: models are named after corpora."""
        found: Health = self._clew.health()
        bare = [one.model_copy(update={"models": ()}) for one in found.services]
        return found.model_copy(update={"services": tuple(bare)})

    def jobs(
        self,
        corpus: str | None = None,
        limit: int = 20,
        *,
        states: Sequence[JobState] | None = None,
        offset: int = 0,
    ) -> list[Job]:
        """Return the jobs of one corpus, or of all that the caller may see, newest first."""
        asked: Any = {"limit": limit + offset, "states": states, "of_deleted": False}
        found = [job for name in self._corpora(corpus) for job in self._clew.jobs(name, **asked)]
        newest_first = sorted(found, key=lambda job: job.created_at, reverse=True)
        return newest_first[offset : offset + limit]

    def count_jobs(
        self, corpus: str | None = None, *, states: Sequence[JobState] | None = None
    ) -> int:
        """Return how many jobs there are of one corpus, or of all that the caller may see."""
        asked: Any = {"states": states, "of_deleted": False}
        return sum(self._clew.count_jobs(name, **asked) for name in self._corpora(corpus))

    def job(self, job_id: str) -> Job:
        """Return a job. Raises UnknownJob."""
        found: Job = self._clew.job(job_id)
        if found.corpus_deleted or not self._caller.sees(found.corpus):
            raise unknown_job(job_id)
        return found

    def cancel_job(self, job_id: str) -> Job:
        """Ask a job to stop. Raises UnknownJob."""
        self.job(job_id)
        found: Job = self._clew.cancel_job(job_id)
        return found

    def job_log(self, job_id: str) -> list[JobEvent]:
        """Return what happened to a job. Raises UnknownJob."""
        self.job(job_id)
        found: list[JobEvent] = self._clew.job_log(job_id)
        return found

    def retry_job(self, job_id: str) -> Job:
        """Have done again what a job did not do. Raises UnknownJob, JobNotOver."""
        self.job(job_id)
        found: Job = self._clew.retry_job(job_id)
        return found

    def submit_bench(self, request: BenchRequest) -> Job:
        """Have a corpus measured. Raises UnknownCorpus."""
        self._caller.check(_measured(request.data_set) or request.data_set)
        found: Job = self._clew.submit_bench(request)
        return found

    def bench_runs(self, limit: int = 50) -> list[BenchRunInfo]:
        """Return the runs over what the caller may see."""
        found = [
            run
            for run in self._clew.bench_runs(limit=MOST)
            if self._sees_run(run.data_set) and not run.corpus_deleted
        ]
        return found[:limit]

    def bench_run(self, run_id: str) -> BenchRun:
        """Return a run, without the name of the default corpus. Raises UnknownBenchRun."""
        self.bench_figures(run_id)
        run: BenchRun = self._clew.bench_run(run_id)
        settings = {name: value for name, value in run.settings.items() if name != "corpus"}
        return run.model_copy(update={"settings": settings})

    def bench_figures(self, run_id: str) -> Any:
        """Return a run's figures. Raises UnknownBenchRun."""
        if all(run.id != run_id for run in self.bench_runs(MOST)):
            raise unknown_run(run_id)
        return self._clew.bench_figures(run_id)

    def delete_bench_run(self, run_id: str) -> None:
        """Delete a run. Raises UnknownBenchRun."""
        self.bench_figures(run_id)
        self._clew.delete_bench_run(run_id)

    def trained_models(
        self, method: str | None = None, corpus: str | None = None
    ) -> list[ModelVersion]:
        """Return the versions of the corpora that the caller may see, and those that come along."""
        found = self._clew.trained_models(method, self._chosen(corpus))
        return [version for version in found if self._sees_version(version)]

    def trained_model(self, method: str, version: str) -> Any:
        """Return a version. Raises UnknownModelVersion, which names those that are seen."""
        known = {one.version for one in self.trained_models(method)}
        if version not in known:
            raise UnknownModelVersion(
                f"{method} has no version {version!r}.",
                remedy="There are: " + ", ".join(sorted(known)) + "." if known else "",
            )
        return self._clew.trained_model(method, version)

    def learning_curve(self, method: str, version: str) -> str:
        """Return a version's curve, also of one that a job trains. Raises UnknownModelVersion."""
        trained = (job.progress for job in self.jobs(limit=MOST) if job.kind == TRAIN)
        if not any((job.get("method"), job.get("version")) == (method, version) for job in trained):
            self.trained_model(method, version)
        found: str = self._clew.learning_curve(method, version)
        return found

    def promote(self, method: str, version: str, corpus: str | None = None) -> ModelVersion:
        """Let a version serve a corpus that the caller may see."""
        own = self.trained_model(method, version).corpus
        if corpus is None and own is None:
            raise _for_all_corpora()
        found: ModelVersion = self._clew.promote(method, version, self._chosen(corpus))
        return found

    def roll_back(self, method: str, corpus: str | None = None) -> ModelVersion | None:
        """Let the version serve that did before, for a corpus that the caller may see."""
        if corpus is None and training_of(method).general:
            raise _for_all_corpora()
        found: ModelVersion | None = self._clew.roll_back(
            method, self._caller.check(plain_name(corpus or self._default))
        )
        return found

    def add_webhook(self, corpus: str, url: str, kinds: Sequence[str] = ()) -> NewWebhook:
        """Have an address told of the jobs of a corpus that the caller may see."""
        made: NewWebhook = self._clew.add_webhook(
            self._caller.check(plain_name(corpus)), url, kinds
        )
        return made

    def webhooks(self, corpus: str | None = None) -> list[Webhook]:
        """Return the webhooks of one corpus, or of all that the caller may see."""
        found = self._clew.webhooks(self._chosen(corpus))
        return [one for one in found if self._caller.sees(one.corpus)]

    def webhook(self, webhook_id: str) -> Webhook:
        """Return a webhook. Raises UnknownWebhook."""
        found: Webhook = self._clew.webhook(webhook_id)
        if not self._caller.sees(found.corpus):
            raise unknown_webhook(webhook_id)
        return found

    def webhook_deliveries(self, webhook_id: str, limit: int = 20) -> list[WebhookDelivery]:
        """Return what a webhook was told. Raises UnknownWebhook."""
        self.webhook(webhook_id)
        found: list[WebhookDelivery] = self._clew.webhook_deliveries(webhook_id, limit)
        return found

    def retry_delivery(self, webhook_id: str, job_id: str) -> WebhookDelivery:
        """Tell a webhook of a job again. Raises UnknownWebhook."""
        self.webhook(webhook_id)
        told: WebhookDelivery = self._clew.retry_delivery(webhook_id, job_id)
        return told

    def delete_webhook(self, webhook_id: str) -> None:
        """Delete a webhook. Raises UnknownWebhook."""
        self.webhook(webhook_id)
        self._clew.delete_webhook(webhook_id)

    def schedules(self, corpus: str | None = None) -> list[Schedule]:
        """Return the schedules of one corpus, or of all that the caller may see."""
        found = self._clew.schedules(self._chosen(corpus))
        return [one for one in found if self._caller.sees(one.corpus)]

    def schedule(self, schedule_id: str) -> Schedule:
        """Return a schedule. Raises UnknownSchedule."""
        found: Schedule = self._clew.schedule(schedule_id)
        if not self._caller.sees(found.corpus):
            raise unknown_schedule(schedule_id)
        return found

    def schedule_runs(self, schedule_id: str, limit: int = 20) -> list[ScheduleRun]:
        """Return the runs of a schedule. Raises UnknownSchedule."""
        self.schedule(schedule_id)
        found: list[ScheduleRun] = self._clew.schedule_runs(schedule_id, limit)
        return found

    def add_schedule(self, asked: NewSchedule, *, confined: bool = False) -> Schedule:
        """Add a schedule for a corpus that the caller may see. Raises UnknownCorpus."""
        corpus = self._caller.check(plain_name(asked.corpus or self._default))
        asked = asked.model_copy(update={"corpus": corpus})
        found: Schedule = self._clew.add_schedule(asked, confined=confined)
        return found

    def pause_schedule(self, schedule_id: str) -> Schedule:
        """Let a schedule rest. Raises UnknownSchedule."""
        self.schedule(schedule_id)
        found: Schedule = self._clew.pause_schedule(schedule_id)
        return found

    def resume_schedule(self, schedule_id: str) -> Schedule:
        """Let a schedule tick again. Raises UnknownSchedule."""
        self.schedule(schedule_id)
        found: Schedule = self._clew.resume_schedule(schedule_id)
        return found

    def run_schedule(self, schedule_id: str) -> Job:
        """Start a schedule's job now. Raises UnknownSchedule."""
        self.schedule(schedule_id)
        found: Job = self._clew.run_schedule(schedule_id)
        return found

    def delete_schedule(self, schedule_id: str) -> None:
        """Delete a schedule. Raises UnknownSchedule."""
        self.schedule(schedule_id)
        self._clew.delete_schedule(schedule_id)

    def _chosen(self, corpus: str | None) -> str | None:
        """Return a corpus that the caller may see; None, for all of them, stays."""
        return None if corpus is None else self._caller.check(plain_name(corpus))

    def _corpora(self, corpus: str | None) -> list[str]:
        """Return the corpora that are meant: one that the caller may see, or all those."""
        if corpus is None:
            return sorted(self._caller.corpora or ())
        return [self._caller.check(plain_name(corpus))]

    def _sees_run(self, data_set: str) -> bool:
        corpus = _measured(data_set)
        return corpus is not None and self._caller.sees(corpus)

    def _sees_version(self, version: ModelVersion) -> bool:
        trained_on = None if version.shipped else version.data.get("corpus")
        if version.corpus_deleted:
            return False
        return self._caller.sees(version.corpus) and self._caller.sees(trained_on)


def facade_for(clew: Any, caller: Caller, default: str) -> Any:
    """Return what the caller may use: the facade itself for those who may see every corpus."""
    return clew if caller.corpora is None else ScopedClew(clew, caller, default)


def _for_all_corpora() -> Refused:
    return Refused(
        403,
        "This is for those who may see every corpus.",
        remedy="An administrator can do it, or allow you all corpora.",
    )


def _measured(data_set: str) -> str | None:
    """Return the corpus that a run of the bench is about; None where it is a data set."""
    if data_set == SAMPLE:
        return SAMPLE
    if data_set.startswith(CORPUS_PREFIX):
        return data_set.removeprefix(CORPUS_PREFIX)
    return None


@cache
def _signature(name: str) -> inspect.Signature:
    from clew import Clew

    return inspect.signature(getattr(Clew, name))
