"""The client for coroutines: each method of `ClewClient`, called in a thread."""

from clew.client import ClewClient
from clew.coroutines import ClosingTwin, in_thread, item_by_item


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
        timeout_s: float = 120.0,
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
    follow = item_by_item(ClewClient.follow)
    wait = in_thread(ClewClient.wait)
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
