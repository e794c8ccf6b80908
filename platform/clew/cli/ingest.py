"""`clew ingest`: what comes into the graph."""

import time
from collections.abc import Mapping
from typing import Annotated, Any, Literal
from urllib.parse import unquote

import typer
from rich.text import Text

from clew.clew import Clew
from clew.cli.dry_run import show_dry_run
from clew.cli.ingest_progress import IngestBar
from clew.cli.logged import logged
from clew.cli.output import console, errors, print_json
from clew.errors import PlatformError, RuntimeNotRunning
from clew.indexing.corpora import chosen_name
from clew.indexing.ingesting import finish
from clew.jobs.here import index_here
from clew.jobs.progress import ended_ingest
from clew.resources.connecting import connection
from clew.results.ingest import Accepted, Vanished
from clew.results.job import Job
from clew.settings import Settings
from clew_cypher.addresses import file_name, plain

Corpus = Annotated[
    str | None, typer.Option("--corpus", "-c", help="Which corpus. [default: settings]")
]
AsJson = Annotated[bool, typer.Option("--json", help="Print as JSON.")]
Gone = Annotated[
    Literal["keep", "delete"],
    typer.Option(help="What becomes of documents whose file or page vanished."),
]
AsKind = Literal["documents", "triples"]
NAMED = 5
"""Documents that vanished, named."""
ENDED = ("done", "failed", "cancelled", "set_aside")


def ingest(
    sources: Annotated[
        list[str], typer.Argument(help="Files, folders, URLs or s3://BUCKET/PREFIX.")
    ],
    corpus: Corpus = None,
    in_process: Annotated[
        bool,
        typer.Option("--in-process", help="Index here, instead of handing the job to a worker."),
    ] = False,
    extractor: Annotated[
        str | None,
        typer.Option(
            help="For a corpus that is new: who makes its triples: rules, llm, model, none or "
            "file:PATH. "
            "[default: settings]",
            show_default=False,
        ),
    ] = None,
    as_kind: Annotated[
        AsKind,
        typer.Option(
            "--as",
            help="What the files are: documents to be read, or triples: knowledge bases of "
            "subject, relation and object a line (TSV, CSV, JSON Lines). N-Triples and Turtle "
            "always are.",
        ),
    ] = "documents",
    gone: Gone = "keep",
    dry_run: Annotated[
        bool,
        typer.Option(
            "--dry-run", help="Only say what would be done, how long it takes, what it costs."
        ),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Read documents into the graph: text, Markdown, HTML, PDF, DOCX, PPTX, XLSX, ODT, ODP, ODS,
    EPUB, CSV, e-mails (EML, mbox), calendars, contacts, JSON, JSON Lines (records with a title and
    a text, exported chats), folders of these, URLs, and S3-compatible buckets (settings `s3_…`);
    with `--as triples` knowledge bases.

    What has not changed is skipped; a changed file replaces its old version; a bad file costs
    that file only. Documents whose file is no longer in its folder are told, and deleted with
    `--gone delete`. Example: `clew ingest ~/papers report.pdf --corpus papers`
    """
    settings = Settings.load()
    name = chosen_name(settings, corpus)
    if dry_run:
        with Clew(settings) as clew:
            planned = show_dry_run(
                clew, sources, name, extractor, as_json, as_triples=as_kind == "triples"
            )
            _tell_vanished(clew.vanished(sources, name), "keep")
        if planned.failed or any(skipped.uri in sources for skipped in planned.skipped):
            raise typer.Exit(3)
        return
    if not in_process:
        require_broker(settings)
    with Clew(settings) as clew:
        with logged(clew, "ingest", f"corpus={name}"), IngestBar() as bar:
            accepted = clew.accept(
                sources,
                corpus=name,
                progress=bar.report,
                extractor=extractor,
                as_triples=as_kind == "triples",
            )
            failures, done = _index(clew, name, accepted, in_process, bar)
            vanished = (clew.delete_vanished if gone == "delete" else clew.vanished)(
                sources, name, accepted
            )
        _tell_vanished(vanished, gone)
        for skipped in accepted.skipped:
            errors.print(Text(f"Skipped {unquote(skipped.uri)}: {skipped.reason}", "yellow"))
        if not accepted.documents:
            errors.print("Nothing to ingest was found.")
            raise typer.Exit(3)
        info = clew.stats(name)
    for uri, error in failures:
        errors.print(Text(f"Failed {unquote(uri)}: {error}", "red"))
    if as_json:
        print_json(info)
    else:
        console.print(
            f"Corpus {info.name}: {info.documents} documents, {info.chunks} chunks, "
            f"{info.sentences} sentences, {info.entities} entities, {info.triples} triples "
            f"(sources: {_counts(accepted)}).",
            highlight=False,
            markup=False,
        )
    if said := trouble(done):
        errors.print(Text(said, "yellow"))
    missing = [skipped for skipped in accepted.skipped if skipped.uri in sources]
    if failures or missing:
        raise typer.Exit(3)


def _counts(accepted: Accepted) -> str:
    """Return in words how many sources are of which kind; together they are all."""
    counts = (
        (accepted.new_or_changed, "new or changed"),
        (accepted.failed_before, "failed before and tried again"),
        (accepted.unreadable, "could not be read"),
    )
    said = [f"{count} {words}" for count, words in counts if count or words == counts[0][1]]
    return ", ".join([*said, f"{accepted.unchanged} unchanged"])


def _tell_vanished(vanished: Vanished, gone: str) -> None:
    """Say which documents have no file or page any more, and what became of them."""
    names = [plain(file_name(uri)) for uri in vanished.documents]
    if not names:
        return
    count = "1 document" if len(names) == 1 else f"{len(names)} documents"
    listed = ", ".join(names[:NAMED])
    if len(names) > NAMED:
        listed += f" and {len(names) - NAMED} more"
    if gone == "delete":
        errors.print(Text(f"Deleted {count} whose file or page is gone: {listed}.", "yellow"))
    else:
        said = f"The file or page of {count} is gone: {listed}. `--gone delete` deletes them."
        errors.print(Text(said, "yellow"))


def _index(
    clew: Clew, corpus: str, accepted: Accepted, in_process: bool, bar: IngestBar
) -> tuple[list[tuple[str, str]], Mapping[str, Any]]:
    """Index what was accepted, here or by a worker; return what failed, each with the reason, and
    the last progress."""
    failures = [(item.uri, item.error) for item in accepted.documents if item.error]
    pending = accepted.pending
    if not pending:
        if accepted.documents:
            finish(clew.resources, corpus)
        return failures, {}
    if in_process:
        report = index_here(clew.resources, corpus, pending, bar.report)
        failures += [(failed.uri, failed.error) for failed in report.failed]
        return failures, ended_ingest(report)
    job = follow(clew, clew.submit(corpus, pending), bar)
    failed = list(job.progress.get("failures", []))
    # who asked for the same documents later has them in a job of their own
    while elsewhere := clew.jobs_with(corpus, pending):
        other, count = next(iter(elsewhere.items()))
        documents = "1 document" if count == 1 else f"{count} documents"
        said = f"The job {other}, entered meanwhile, has {documents} of these: it is waited for."
        errors.print(Text(said, "yellow"))
        others = follow(clew, clew.job(other), bar).progress.get("failures", [])
        failed += [one for one in others if one["id"] in pending]
    return [*failures, *((one["uri"], one["error"]) for one in failed)], job.progress


def trouble(progress: Mapping[str, Any]) -> str:
    """Return what could not be read or used, from a job's progress; "" where all went well.

    The rest is searchable all the same.
    """
    failed, dropped = (progress.get(name, 0) for name in ("extractions_failed", "triples_dropped"))
    said = []
    if in_part := progress.get("read_in_part", 0):
        documents = "1 document was" if in_part == 1 else f"{in_part} documents were"
        said.append(f"{documents} read in part: `clew documents` says what is missing")
    if failed:
        chunks = "1 chunk, which has" if failed == 1 else f"{failed} chunks, which have"
        said.append(f"the extractor failed on {chunks} no triples of it: ingest them again")
    if dropped:
        said.append(f"{dropped} items of its replies were no triples and were dropped")
    return f"{'; '.join(said).capitalize()}." if said else ""


def require_broker(settings: Settings) -> None:
    """Raise RuntimeNotRunning, before anything is accepted, where no worker can be told of it."""
    if connection(settings).broker is None:
        raise RuntimeNotRunning(
            "No worker can be told of the job.",
            remedy="Start them with `clew up`, or add --in-process.",
        )


def follow(clew: Clew, job: Job, bar: IngestBar) -> Job:
    """Show a job's progress until it ends. Raises PlatformError if it does not end well."""
    told = None
    try:
        while job.state not in ENDED:
            time.sleep(0.2)
            job = clew.job(job.id)
            bar.show(job.progress)
            if job.state == "queued" and job.error and job.error != told:
                told = job.error
                errors.print(Text(f"The job waits and is tried again. {told}", "yellow"))
    except KeyboardInterrupt:
        errors.print(
            f"The job goes on: `clew jobs` shows it, `clew jobs --cancel {job.id}` ends it."
        )
        raise
    if job.state != "done":
        raise PlatformError(
            f"The ingest job {job.id} ended as {job.state}: "
            f"{(job.error or 'no reason given').rstrip('.')}.",
            remedy=f"`clew documents --status failed --corpus {job.corpus}` shows which documents "
            "failed and why; the same `clew ingest` again tries those again.",
        )
    return job
