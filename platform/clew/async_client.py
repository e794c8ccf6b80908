"""The client for coroutines: each method of `ClewClient`, called in a thread.

What waits for a job only looks at it in a thread, and sleeps in the loop: the loop's executor has
few threads, and one that slept there would go on when its coroutine was cancelled.
"""

import asyncio
import time
from collections.abc import AsyncIterator

from clew.client import ClewClient
from clew.client.client import LOOKS_S, OVER, check_wait, job_of
from clew.coroutines import ClosingTwin, in_thread, item_by_item, twin_of
from clew.results.ingest import UploadResult
from clew.results.job import Job


class AsyncClewClient(ClosingTwin[ClewClient]):
    """`ClewClient` with its methods as coroutines, and those that yield as asynchronous generators.

    Arguments and errors are those of `ClewClient`, which is ``blocking``.
    """

    def __init__(
        self,
        address: str = "http://127.0.0.1:8750",
        key: str | None = None,
        *,
        tries: int = 4,
        timeout_s: float = 150.0,
    ) -> None:
        self.blocking = ClewClient(address, key, tries=tries, timeout_s=timeout_s)

    close = in_thread(ClewClient.close)

    corpora = in_thread(ClewClient.corpora)
    create_corpus = in_thread(ClewClient.create_corpus)
    delete_corpus = in_thread(ClewClient.delete_corpus)
    documents = item_by_item(ClewClient.documents)
    upload = in_thread(ClewClient.upload)
    add_texts = in_thread(ClewClient.add_texts)
    add_page = in_thread(ClewClient.add_page)
    delete_document = in_thread(ClewClient.delete_document)
    jobs = in_thread(ClewClient.jobs)
    job = in_thread(ClewClient.job)

    @twin_of(ClewClient.follow)
    async def follow(self, job_id: str, *, every_s: float = 1.0) -> AsyncIterator[Job]:
        before: Job | None = None
        while True:
            now = await self.job(job_id)
            if now != before:
                yield now
            if now.state in OVER:
                return
            before = now
            await asyncio.sleep(every_s)

    @twin_of(ClewClient.wait)
    async def wait(
        self, started: UploadResult | Job, *, timeout_s: float | None = None
    ) -> Job | None:
        job_id = job_of(started)
        if job_id is None:
            return None
        began = time.monotonic()
        while (job := await self.job(job_id)).state not in OVER:
            check_wait(job, began, timeout_s)
            await asyncio.sleep(LOOKS_S)
        return job

    cancel_job = in_thread(ClewClient.cancel_job)
    retry_job = in_thread(ClewClient.retry_job)
    search = in_thread(ClewClient.search)
    ask = in_thread(ClewClient.ask)
    ask_events = item_by_item(ClewClient.ask_events)
    schedules = in_thread(ClewClient.schedules)
    add_schedule = in_thread(ClewClient.add_schedule)
    pause_schedule = in_thread(ClewClient.pause_schedule)
    resume_schedule = in_thread(ClewClient.resume_schedule)
    run_schedule = in_thread(ClewClient.run_schedule)
    delete_schedule = in_thread(ClewClient.delete_schedule)
