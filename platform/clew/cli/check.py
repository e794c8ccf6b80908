"""`clew check`: is the graph what its documents say?"""

import dataclasses
import json
from contextlib import ExitStack
from typing import Annotated

import typer
from rich.text import Text

from clew.clew import Clew
from clew.cli.logged import logged
from clew.cli.output import console, errors, table
from clew.settings import Settings


def check(
    corpus: Annotated[
        str | None, typer.Option("--corpus", "-c", help="Only this corpus. [default: all]")
    ] = None,
    repair: Annotated[
        bool, typer.Option("--repair", help="Mend what is found; without it nothing is changed.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print every check as JSON.")] = False,
) -> None:
    """Look for drift: what nothing supports any more, what is missing, counts, indexes.

    Every write keeps the graph whole, so there should be nothing. A restored backup, another
    program that writes, or a deletion that was interrupted can bring drift; it costs answers.

    Exit code 1: something was found and not repaired. Example: `clew check --repair`
    """
    made = 0
    wrong = []
    with ExitStack() as around:
        clew = around.enter_context(Clew(Settings.load()))
        if repair:
            around.enter_context(logged(clew, "check repair", f"corpus={corpus or 'all'}"))
        status = around.enter_context(errors.status("Checking …"))
        findings = []
        for finding in clew.check(corpus, repair=repair):
            made += 1
            status.update(f"Checked {finding.corpus or 'the database'}: {finding.check}")
            findings.append(finding)
            if finding.found:
                wrong.append(finding)
    if as_json:
        print(json.dumps([dataclasses.asdict(finding) for finding in findings], indent=2))
    elif not wrong:
        console.print(Text(f"No drift: {made} checks, nothing found.", "green"))
    else:
        rows = [
            (
                finding.corpus or "(database)",
                finding.check,
                finding.found,
                Text(
                    str(finding.repaired) if repair else "—",
                    "green" if finding.repaired == finding.found else "yellow",
                ),
                f"{finding.description} {', '.join(finding.examples)}",
            )
            for finding in wrong
        ]
        columns = ("corpus", "check", "found", "repaired", "what, and some ids")
        console.print(table(f"Drift in {len(wrong)} of {made} checks", columns, rows))
        if not repair:
            console.print("`clew check --repair` mends it.", markup=False)
    if any(finding.repaired < finding.found for finding in wrong):
        raise typer.Exit(1)
