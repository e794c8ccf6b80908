"""The facade for coroutines: each method of `Clew`, called in a thread.

What a question costs is computing, so that this makes nothing faster; it keeps the event loop free.
"""

from typing import Any

from clew.clew import Clew
from clew.coroutines import ClosingTwin, in_thread, item_by_item
from clew.settings import Settings


class AsyncClew(ClosingTwin[Clew]):
    """`Clew` with its methods as coroutines, and those that yield as asynchronous generators.

    Arguments and errors are those of `Clew`, which is ``blocking``. What gets a function that is
    told of progress calls it in the thread.
    """

    def __init__(self, settings: Settings | None = None, **overrides: Any) -> None:
        self.blocking = Clew(settings, **overrides)

    @property
    def settings(self) -> Settings:
        """The settings, as they were resolved."""
        return self.blocking.settings

    close = in_thread(Clew.close)

    # documents

    ingest = in_thread(Clew.ingest)
    dry_run = in_thread(Clew.dry_run)
    accept = in_thread(Clew.accept)
    vanished = in_thread(Clew.vanished)
    delete_vanished = in_thread(Clew.delete_vanished)
    process = in_thread(Clew.process)
    submit = in_thread(Clew.submit)
    documents = in_thread(Clew.documents)
    count_documents = in_thread(Clew.count_documents)
    resolve_document = in_thread(Clew.resolve_document)
    document = in_thread(Clew.document)
    provenance = in_thread(Clew.provenance)
    original = in_thread(Clew.original)
    retry_documents = in_thread(Clew.retry_documents)
    delete = in_thread(Clew.delete)

    # corpora

    corpora = in_thread(Clew.corpora)
    stats = in_thread(Clew.stats)
    growth = in_thread(Clew.growth)
    create_corpus = in_thread(Clew.create_corpus)
    set_extractor = in_thread(Clew.set_extractor)
    delete_corpus = in_thread(Clew.delete_corpus)
    check = item_by_item(Clew.check)

    # backups

    backup = in_thread(Clew.backup)
    restore = in_thread(Clew.restore)

    # the graph

    neighbourhood = in_thread(Clew.neighbourhood)
    answer_graph = in_thread(Clew.answer_graph)
    path_between = in_thread(Clew.path_between)
    find_entities = in_thread(Clew.find_entities)
    entity = in_thread(Clew.entity)

    # entity resolution

    resolve = in_thread(Clew.resolve)
    reviews = in_thread(Clew.reviews)
    merges = in_thread(Clew.merges)
    count_reviews = in_thread(Clew.count_reviews)
    count_merges = in_thread(Clew.count_merges)
    decide = in_thread(Clew.decide)
    merge = in_thread(Clew.merge)
    undo_merge = in_thread(Clew.undo_merge)

    # jobs and health

    jobs = in_thread(Clew.jobs)
    count_jobs = in_thread(Clew.count_jobs)
    job = in_thread(Clew.job)
    jobs_with = in_thread(Clew.jobs_with)
    job_log = in_thread(Clew.job_log)
    retry_job = in_thread(Clew.retry_job)
    cancel_job = in_thread(Clew.cancel_job)
    add_webhook = in_thread(Clew.add_webhook)
    webhooks = in_thread(Clew.webhooks)
    webhook = in_thread(Clew.webhook)
    webhook_deliveries = in_thread(Clew.webhook_deliveries)
    retry_delivery = in_thread(Clew.retry_delivery)
    delete_webhook = in_thread(Clew.delete_webhook)
    job_counts = in_thread(Clew.job_counts)
    health = in_thread(Clew.health)

    # questions

    search = in_thread(Clew.search)
    retrieve = in_thread(Clew.retrieve)
    ask = in_thread(Clew.ask)
    ask_events = item_by_item(Clew.ask_events)
    warm = in_thread(Clew.warm)

    # the bench

    bench = in_thread(Clew.bench)
    submit_bench = in_thread(Clew.submit_bench)
    bench_runs = in_thread(Clew.bench_runs)
    bench_run = in_thread(Clew.bench_run)
    bench_figures = in_thread(Clew.bench_figures)
    delete_bench_run = in_thread(Clew.delete_bench_run)

    # schedules

    schedules = in_thread(Clew.schedules)
    schedule = in_thread(Clew.schedule)
    schedule_runs = in_thread(Clew.schedule_runs)
    add_schedule = in_thread(Clew.add_schedule)
    pause_schedule = in_thread(Clew.pause_schedule)
    resume_schedule = in_thread(Clew.resume_schedule)
    run_schedule = in_thread(Clew.run_schedule)
    delete_schedule = in_thread(Clew.delete_schedule)

    # training

    train = in_thread(Clew.train)
    submit_training = in_thread(Clew.submit_training)
    trained_models = in_thread(Clew.trained_models)
    trained_model = in_thread(Clew.trained_model)
    learning_curve = in_thread(Clew.learning_curve)
    promote = in_thread(Clew.promote)
    roll_back = in_thread(Clew.roll_back)

    # users, keys and the log of changes

    users = in_thread(Clew.users)
    create_user = in_thread(Clew.create_user)
    change_user = in_thread(Clew.change_user)
    delete_user = in_thread(Clew.delete_user)
    grant = in_thread(Clew.grant)
    revoke = in_thread(Clew.revoke)
    api_keys = in_thread(Clew.api_keys)
    create_api_key = in_thread(Clew.create_api_key)
    revoke_api_key = in_thread(Clew.revoke_api_key)
    access_state = in_thread(Clew.access_state)
    account = in_thread(Clew.account)
    account_of_key = in_thread(Clew.account_of_key)
    log_in = in_thread(Clew.log_in)
    record = in_thread(Clew.record)
    audit = in_thread(Clew.audit)
    audit_count = in_thread(Clew.audit_count)
