"""The table of `clew ingest --dry-run`."""

from collections.abc import Sequence

from rich.text import Text

from clew.clew import Clew
from clew.cli.output import console, errors, print_json, progress_bar, table
from clew.results.ingest import DryRun

FAILING = 10
"""Documents that would fail, shown; with --json there are more."""


def show_dry_run(
    clew: Clew,
    sources: Sequence[str],
    corpus: str,
    extractor: str | None,
    as_json: bool,
    *,
    as_triples: bool = False,
) -> DryRun:
    """Look at the sources and print what an ingest would do with them."""
    with progress_bar() as bar:
        task = bar.add_task("Looking", total=None)
        found = clew.dry_run(
            *sources,
            corpus=corpus,
            extractor=extractor,
            as_triples=as_triples,
            tell=lambda done, total: bar.update(task, completed=done, total=max(done, total)),
        )
    if as_json:
        print_json(found)
        return found
    for skipped in found.skipped:
        errors.print(Text(f"Would skip {skipped.uri}: {skipped.reason}", "yellow"))
    for failing in found.failing[:FAILING]:
        errors.print(Text(f"Would fail {failing.uri}: {failing.error}", "red"))
    title = f"Dry run into {found.corpus}, extractor {found.extractor}"
    console.print(table(title, ("", ""), list(_rows(found))))
    console.print("Nothing was stored.")
    if found.chunks:
        console.print(Text(f"Speed: {found.measured}.", "dim"))
    for assumption in found.assumptions:
        console.print(Text(assumption, "dim"))
    return found


def _rows(found: DryRun) -> list[tuple[str, str]]:
    rows = [
        (
            "documents",
            f"{found.new} new, {found.changed} changed, {found.failed_before} failed before, "
            f"{found.unchanged} unchanged",
        ),
        ("would fail of these", f"{found.failed}"),
        ("chunks", f"{found.chunks:,} to make, {found.kept_chunks:,} stay"),
        ("tokens of text", f"{found.text_tokens:,}"),
    ]
    if found.triples:
        rows.append(("triples of knowledge bases", f"{found.triples:,}"))
    if found.extractor == "llm":
        rows += [
            ("language-model calls", f"{found.llm_calls:,} to make, {found.llm_cached:,} kept"),
            ("prompt tokens", f"{found.prompt_tokens:,}"),
            ("completion tokens", f"about {found.completion_tokens:,}"),
        ]
    if found.chunks:
        rows.append(("time", duration(found.seconds)))
    work = ", ".join(f"{name} {duration(spent)}" for name, spent in found.stages.items())
    if work:
        rows.append(("of work, side by side", work))
    return rows


def duration(seconds: float) -> str:
    """Return seconds as people say them: about 8 s, about 3 min, about 2 h 10 min."""
    if seconds < 1:
        return "under 1 s"
    if seconds < 90:
        return f"about {seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"about {minutes} min" if minutes < 90 else f"about {minutes // 60} h {minutes % 60} min"
