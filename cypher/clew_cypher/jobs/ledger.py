"""The job ledger: who works on what, for how long, and how it ended. The truth about jobs.

A worker *takes* a job by lease and gets a fencing token; it *renews* the lease while it works and
*closes* the job at the end. Each of these is one atomic statement that is refused (None) once the
token is no longer the job's, so that a worker that was thought dead cannot write over the one
that took its place. All times are the database's clock.
"""

import json
import secrets
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any, Literal

from clew_cypher.store import GraphStore, Row, Transaction
from clew_cypher.writing.documents import put_off_documents
from clew_cypher.writing.entities import refresh_stale_entities
from clew_cypher.writing.locking import lock_in_order
from clew_cypher.writing.removal import Step, in_steps, remove_begun

JobState = Literal["queued", "running", "done", "failed", "cancelled", "set_aside"]
LIVE_STATES: tuple[JobState, ...] = ("queued", "running")
EndState = Literal["done", "failed", "cancelled", "set_aside"]

UNPROCESSED = "The job ended before this document was processed. Try it again."
CANCELLED = "The job was cancelled before this document was processed. Try it again."


@dataclass(frozen=True)
class Job:
    """A job as the ledger has it.

    ``kind`` says what is to be done with ``params``; ``attempt`` counts the tries begun since one
    got on; ``fencing_token`` grows each time the job is taken; ``lease_until`` is when an unrenewed
    ``owner`` loses it; ``progress`` is what the job last reported; ``error`` is the reason of
    the last failed try or of the end; ``log`` holds what happened to it, a line each: the time, a
    tab, words. ``corpus_deleted``: a corpus of that name is another one than it was for.
    """

    id: str
    kind: str
    corpus: str
    params: dict[str, Any]
    state: JobState
    attempt: int
    fencing_token: int
    progress: dict[str, Any]
    cancel_requested: bool
    created_at: datetime
    owner: str | None = None
    lease_until: datetime | None = None
    error: str | None = None
    not_before: datetime | None = None
    started_at: datetime | None = None
    finished_at: datetime | None = None
    request: dict[str, str] | None = None
    log: Sequence[str] = ()
    corpus_deleted: bool = False

    @property
    def live(self) -> bool:
        """Whether the job waits or runs."""
        return self.state in LIVE_STATES


def create_job(
    store: GraphStore,
    kind: str,
    corpus: str,
    params: Mapping[str, Any] | None = None,
    *,
    document_ids: Sequence[str] = (),
    job_id: str | None = None,
    request: Mapping[str, str] | None = None,
) -> Job:
    """Enter a job (state queued) and make it the one that processes those documents.

    ``request``: what its log lines are to tell of the request that asked for it.

    With a ``job_id`` that the ledger has already, that job is returned and nothing is added.
    """
    return store.in_transaction(
        lambda transaction: enter_job(
            transaction,
            kind,
            corpus,
            params,
            document_ids=document_ids,
            job_id=job_id,
            request=request,
        )
    )


def enter_job(
    transaction: Transaction,
    kind: str,
    corpus: str,
    params: Mapping[str, Any] | None = None,
    *,
    document_ids: Iterable[str] = (),
    job_id: str | None = None,
    request: Mapping[str, str] | None = None,
) -> Job:
    """Enter a job as `create_job`, with what else is written in the transaction."""
    rows = transaction.run(
        "create_job",
        id=job_id or f"j{secrets.token_hex(12)}",
        kind=kind,
        corpus=corpus,
        params=json.dumps(dict(params or {})),
        document_ids=sorted(set(document_ids)),
        request=json.dumps(dict(request)) if request else None,
    )
    return _job(rows[0])


def take_job(
    store: GraphStore, job_id: str, owner: str, *, lease_s: float, attempts: int
) -> Job | None:
    """Take a job for ``lease_s`` seconds, or return None: gone, over, owned, or tried enough."""
    return _one(
        store.write("take_job", id=job_id, owner=owner, lease_ms=_ms(lease_s), attempts=attempts)
    )


def renew_job(
    store: GraphStore,
    job: Job,
    *,
    lease_s: float,
    progress: Mapping[str, Any],
    notes: Sequence[str] = (),
) -> Job | None:
    """Prolong the lease and note progress, and lines for the log; None if the job is no longer
    this worker's.

    Where it is ``done`` further than at any try before, those count no longer: what takes days is
    interrupted more often than a job is tried. The job that comes back says whether somebody asked
    to cancel it.
    """
    done = progress.get("done")
    return _one(
        store.write(
            "renew_job",
            id=job.id,
            token=job.fencing_token,
            lease_ms=_ms(lease_s),
            progress=json.dumps(dict(progress)),
            notes=list(notes),
            done=done if isinstance(done, int) else 0,
        )
    )


def holds_job(transaction: Transaction, job: Job) -> bool:
    """Whether the job is still this worker's, and so until the transaction ends (it is locked).

    Call it first in each transaction that writes a job's data, and roll back where it is False.
    """
    return bool(transaction.run("hold_job", id=job.id, token=job.fencing_token))


def enter_and_take_job(
    store: GraphStore,
    kind: str,
    corpus: str,
    owner: str,
    *,
    lease_s: float,
    document_ids: Sequence[str] = (),
) -> Job:
    """Enter a job and take it in one transaction, for a process that does it itself."""
    job_id = f"j{secrets.token_hex(12)}"

    def work(transaction: Transaction) -> list[dict[str, Any]]:
        transaction.run(
            "create_job",
            id=job_id,
            kind=kind,
            corpus=corpus,
            params="{}",
            document_ids=sorted(set(document_ids)),
            request=None,
        )
        transaction.run("take_job", id=job_id, owner=owner, lease_ms=_ms(lease_s), attempts=1)
        return transaction.run("get_job", id=job_id)

    return _job(store.in_transaction(work)[0])


def close_job(
    store: GraphStore,
    job: Job,
    state: EndState,
    *,
    error: str | None = None,
    progress: Mapping[str, Any] | None = None,
) -> Job | None:
    """End the job; its documents that are still unprocessed fail with the reason.

    None if the job is no longer this worker's: then nothing was changed.
    """
    return _end(
        store,
        "close_job",
        id=job.id,
        token=job.fencing_token,
        state=state,
        error=error,
        progress=json.dumps(dict(job.progress if progress is None else progress)),
    )


def requeue_job(
    store: GraphStore,
    job: Job,
    *,
    error: str | None = None,
    wait_s: float = 0.0,
    counts: bool = True,
) -> Job | None:
    """Give the job back: to be tried again after ``wait_s``; ``counts``: this was a try.

    A job that somebody asked to cancel ends as cancelled instead.
    """
    return _end(
        store,
        "requeue_job",
        id=job.id,
        token=job.fencing_token,
        error=error,
        wait_ms=_ms(wait_s),
        attempt_back=0 if counts else 1,
    )


def cancel_job(store: GraphStore, job_id: str) -> Job | None:
    """Cancel a waiting job, ask a running one to stop, leave an ended one; None: no such job."""
    return _end(store, "cancel_job", id=job_id)


def get_job(store: GraphStore, job_id: str) -> Job | None:
    """Return the job, or None."""
    return _one(store.read("get_job", id=job_id))


def list_jobs(
    store: GraphStore,
    corpus: str | None = None,
    states: Sequence[JobState] | None = None,
    *,
    limit: int = 50,
    offset: int = 0,
    of_deleted: bool = True,
) -> list[Job]:
    """Return jobs, newest first, of one corpus and some states or of all.

    ``of_deleted``: also those whose corpus was deleted since.
    """
    rows = store.read(
        "list_jobs",
        corpus=corpus,
        states=None if states is None else list(states),
        of_deleted=of_deleted,
        limit=limit,
        offset=offset,
    )
    return [_job(row) for row in rows]


def job_counts(store: GraphStore) -> list[dict[str, Any]]:
    """Return rows {kind, state, jobs}: how many there are."""
    return store.read("job_counts")


def count_jobs(
    store: GraphStore,
    corpus: str | None = None,
    states: Sequence[JobState] | None = None,
    *,
    of_deleted: bool = True,
) -> int:
    """Return how many jobs the pages of :func:`list_jobs` have together."""
    wanted = None if states is None else list(states)
    rows = store.read("count_jobs", corpus=corpus, states=wanted, of_deleted=of_deleted)
    return int(rows[0]["total"])


def due_jobs(
    store: GraphStore, kinds: Iterable[str], *, attempts: int, limit: int = 20
) -> list[Job]:
    """Return jobs that a worker may take now, oldest first; never one that is worked on."""
    rows = store.read("due_jobs", kinds=sorted(kinds), attempts=attempts, limit=limit)
    return [_job(row) for row in rows]


def lost_jobs(store: GraphStore, *, attempts: int) -> list[str]:
    """Return the ids of jobs whose worker died: cancelled ones, and those tried enough."""
    return [row["id"] for row in store.read("lost_jobs", attempts=attempts)]


def close_lost_job(store: GraphStore, job_id: str, *, attempts: int) -> Job | None:
    """End one of `lost_jobs`; None if it is none any more."""
    return _end(store, "end_lost_job", id=job_id, attempts=attempts)


def rebase_leases(store: GraphStore) -> int:
    """Let leases that were set before the clock was set back run from now on; return how many."""
    return len(store.write("rebase_leases"))


def job_owners(store: GraphStore) -> list[str]:
    """Return who holds a lease."""
    return [row["owner"] for row in store.read("job_owners") if row["owner"]]


def abandon_jobs(store: GraphStore, owners: Sequence[str]) -> int:
    """End the leases of owners known to be dead; return how many there were."""
    return len(store.write("abandon_jobs", owners=list(owners)))


def jobs_with_documents(store: GraphStore, corpus: str, ids: Sequence[str]) -> dict[str, int]:
    """Return the jobs that have still to process some of these documents, and how many of them.

    Of several jobs that were entered for a document the last one has it.
    """
    rows = store.read("jobs_with_documents", corpus=corpus, ids=sorted(ids))
    return {row["id"]: row["documents"] for row in rows}


def job_documents(store: GraphStore, job: Job) -> list[str]:
    """Return the ids of the accepted documents that the job has still to process."""
    rows = store.read("job_documents", job_id=job.id, corpus=job.corpus)
    return [row["id"] for row in rows]


def failed_documents(store: GraphStore, job: Job) -> list[str]:
    """Return the ids of the files and pages that the job could not index."""
    rows = store.read("failed_documents", job_id=job.id, corpus=job.corpus)
    return [row["id"] for row in rows]


def adopt_documents(
    store: GraphStore, kind: str, *, grace_s: float, limit: int = 10_000
) -> list[Job]:
    """Enter a job for documents accepted over ``grace_s`` ago that no live job will process.

    Of callers at once one enters it: whether they have a job is read again once they are locked.
    """
    look = {"grace_ms": _ms(grace_s), "limit": limit}

    def adopt(seen: Row, transaction: Transaction) -> Job | None:
        corpus = seen["corpus"]
        lock_in_order(transaction, corpus, seen["ids"])
        rows = transaction.run("orphaned_documents", **look)
        still = {id_ for row in rows if row["corpus"] == corpus for id_ in row["ids"]}
        left = still.intersection(seen["ids"])
        return enter_job(transaction, kind, corpus, document_ids=left) if left else None

    found = store.read("orphaned_documents", **look)
    jobs = [store.in_transaction(partial(adopt, row)) for row in found]
    return [job for job in jobs if job is not None]


def delete_old_jobs(store: GraphStore, *, days: int, limit: int = 10_000) -> int:
    """Forget jobs that ended over ``days`` days ago; return how many."""
    rows = store.write("delete_old_jobs", days=days, limit=limit)
    return int(rows[0]["deleted"])


class _MuchBegun(Exception):
    """More was written of a job's documents than is removed in the transaction that ends it."""

    def __init__(self, job: Job) -> None:
        super().__init__(job.id)
        self.job = job


def _end(store: GraphStore, statement: str, **params: Any) -> Job | None:
    """Run a statement that may end a job; if it did, put off what the job leaves unprocessed.

    In one transaction, so that whoever looks for documents without a job never takes these. Of
    documents that were not begun only the state changes; where others have more than goes in it,
    that is removed first, while the job is still nobody else's.
    """

    def work(transaction: Transaction) -> Job | None:
        job = _one(transaction.run(statement, **params))
        if job is not None and not job.live:
            ids = _unprocessed(transaction, job)
            if not put_off_documents(transaction, job.corpus, ids, _document_error(job)):
                raise _MuchBegun(job)
        return job

    while True:
        try:
            ended = store.in_transaction(work)
            break
        except _MuchBegun as much:
            in_steps(store, partial(_undo, job=much.job))
    if ended is not None and not ended.live:
        refresh_stale_entities(store, ended.corpus)
    return ended


def _undo(transaction: Transaction, job: Job) -> Step:
    """Remove what was begun of a job's documents, unless somebody took the job meanwhile."""
    if not transaction.run("lock_job", id=job.id, token=job.fencing_token):
        return {}, True
    return {}, remove_begun(transaction, job.corpus, _unprocessed(transaction, job))[1]


def _unprocessed(transaction: Transaction, job: Job) -> list[str]:
    rows = transaction.run("job_documents", job_id=job.id, corpus=job.corpus)
    return [row["id"] for row in rows]


def _document_error(job: Job) -> str:
    if job.state == "cancelled":
        return CANCELLED
    if job.error is None:
        return UNPROCESSED
    return f"The job ended before this document was processed: {job.error}"


def _ms(seconds: float) -> int:
    return max(0, round(seconds * 1000))


def _one(rows: Sequence[Mapping[str, Any]]) -> Job | None:
    return _job(rows[0]) if rows else None


def _job(row: Mapping[str, Any]) -> Job:
    values = dict(row["job"])
    values["params"] = json.loads(values["params"])
    values["progress"] = json.loads(values["progress"])
    values["request"] = json.loads(values.get("request") or "null")
    known = {name: _native(values[name]) for name in Job.__dataclass_fields__ if name in values}
    return Job(**known)


def _native(value: Any) -> Any:
    """Turn the driver's time into Python's."""
    return value.to_native() if hasattr(value, "to_native") else value
