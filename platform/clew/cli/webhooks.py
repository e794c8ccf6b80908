"""`clew webhooks`: the addresses that are told when jobs end; `add`, `sent`, `retry`, `delete`."""

from typing import Annotated

import typer
from rich.text import Text

from clew.clew import Clew
from clew.cli.groups import is_listing
from clew.cli.logged import logged
from clew.cli.output import console, errors, print_json, table
from clew.indexing.corpora import chosen_name
from clew.settings import Settings

app = typer.Typer(invoke_without_command=True, rich_markup_mode="markdown")

Id = Annotated[str, typer.Argument(help="Id of the webhook.", show_default=False)]
AsJson = Annotated[bool, typer.Option("--json", help="Print as JSON.")]
STYLES = {"delivered": "green", "queued": "yellow", "failed": "red"}


@app.command("list", hidden=True)
@app.callback()
def webhooks(
    context: typer.Context,
    corpus: Annotated[
        str | None, typer.Option("--corpus", "-c", help="Only those of this corpus.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """List the addresses that are told when a job ends; or add or delete one, or see what was
    sent, and send it again.

    A delivery is a POST of JSON, signed by HMAC-SHA-256 in `X-Clew-Signature: t=TIME,v1=HEX` over
    `TIME.BODY`, and is tried again for half a day until the answer is 2xx.
    """
    if not is_listing(context):
        return
    with Clew(Settings.load()) as clew:
        found = clew.webhooks(corpus)
    if as_json:
        print_json(found)
        return
    if not found:
        console.print(
            "There are no webhooks. `clew webhooks add https://… --corpus NAME` makes one."
        )
        return
    rows = [
        (one.id, one.corpus, " ".join(one.kinds) or "any", one.url, one.created_at[:16])
        for one in found
    ]
    console.print(table("Webhooks", ("id", "corpus", "jobs", "address", "since"), rows))


@app.command()
def add(
    url: Annotated[str, typer.Argument(help="http(s) address to tell.", show_default=False)],
    corpus: Annotated[
        str | None, typer.Option("--corpus", "-c", help="Corpus. [default: settings]")
    ] = None,
    kind: Annotated[
        list[str] | None,
        typer.Option(help="Only jobs of this kind: ingest, bench, …; repeatable. [default: any]"),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Have an address told whenever a job of a corpus ends. Prints the secret, this once.

    Addresses inside your network are refused unless the setting webhook_networks allows them.

    Example: `clew webhooks add https://example.org/hook --corpus papers --kind ingest`
    """
    settings = Settings.load()
    name = chosen_name(settings, corpus)
    with Clew(settings) as clew, logged(clew, "webhooks add", f"corpus={name}"):
        made = clew.add_webhook(name, url, kind or ())
    if as_json:
        print_json(made)
        return
    errors.print(
        f"The webhook {made.id} is told of the jobs of {made.corpus}. Keep its secret now, it is "
        "not shown again:",
        markup=False,
        highlight=False,
    )
    print(made.secret)


@app.command()
def sent(
    webhook_id: Id,
    limit: Annotated[int, typer.Option(help="At most so many, newest first.", min=1)] = 20,
    as_json: AsJson = False,
) -> None:
    """Show what a webhook was told, and what comes next."""
    with Clew(Settings.load()) as clew:
        found = clew.webhook_deliveries(webhook_id, limit)
    if as_json:
        print_json(found)
        return
    rows = [
        (
            *(one.job_id, Text(one.state, STYLES[one.state]), one.attempt, one.status or ""),
            *((one.next_at or "")[:19], one.error or ""),
        )
        for one in found
    ]
    console.print(
        table("Deliveries", ("job", "state", "tries", "answer", "next try", "error"), rows)
    )


@app.command()
def retry(
    webhook_id: Id,
    job_id: Annotated[str, typer.Argument(help="Id of the job.", show_default=False)],
) -> None:
    """Tell a webhook of a job again, now; `clew webhooks sent` shows what it was told."""
    with Clew(Settings.load()) as clew, logged(clew, "webhooks retry", f"webhook={webhook_id}"):
        clew.retry_delivery(webhook_id, job_id)
    errors.print(f"{webhook_id} is told of {job_id} again.")


@app.command()
def delete(webhook_id: Id) -> None:
    """Delete a webhook with its history."""
    with Clew(Settings.load()) as clew, logged(clew, "webhooks delete", f"webhook={webhook_id}"):
        clew.delete_webhook(webhook_id)
    errors.print(f"{webhook_id} is deleted.")
