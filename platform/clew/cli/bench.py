"""`clew bench`: which strategy is best on these documents."""

import json
from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from clew.clew import Clew
from clew.cli.bench_table import comparison_tables, figures_tables, list_table
from clew.cli.bench_watch import BenchWatch
from clew.cli.logged import logged
from clew.cli.output import console, names_of, print_json
from clew.errors import CLEW_ERRORS, InvalidRequest
from clew.evaluation.comparing import LATENCY, compare_runs
from clew.evaluation.data_sets.json_lines import read_questions
from clew.evaluation.data_sets.loading import describe_formats
from clew.evaluation.figures import RunComparison
from clew.evaluation.request import LARGEST_SEED, BenchRequest
from clew.evaluation.run import BenchRun
from clew.evaluation.runs import LATEST, find_run
from clew.evaluation.summary import summarise
from clew.settings import Settings

REGRESSED = 1
"""Exit code where --against finds that quality has become worse."""

EPILOG = "What a data set is:\n\n" + "\n\n".join(describe_formats().splitlines())


def bench(
    data_set: Annotated[
        str | None,
        typer.Argument(
            metavar="DATASET",
            help="A data set or a folder of documents (a path), 'sample', or 'corpus:NAME'.",
            show_default=False,
        ),
    ] = None,
    strategies: Annotated[
        str | None,
        typer.Option(
            help="Which to measure, with commas between; iterative:NAME too. [default: all]"
        ),
    ] = None,
    ablations: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Measure one strategy whole and without each of its parts, in place of several.",
        ),
    ] = None,
    limit: Annotated[
        int | None, typer.Option(help="How many questions, drawn by the seed.", min=1)
    ] = None,
    reader: Annotated[
        str | None,
        typer.Option(help="Who answers: extractive, local, openai, graph; 'none': evidence only."),
    ] = None,
    against: Annotated[
        str | None,
        typer.Option(
            help="A run to compare with: its id, its JSON file, or 'latest'. Ends with exit code 1 "
            "where quality has become worse."
        ),
    ] = None,
    questions: Annotated[
        Path | None,
        typer.Option(help="JSON Lines with questions on a folder of documents or a corpus."),
    ] = None,
    synthetic: Annotated[
        int,
        typer.Option(help="Questions made from the graph where none are given.", min=1, max=5000),
    ] = 50,
    seed: Annotated[
        int,
        typer.Option(
            help="Sets the order of ingest, what is drawn, and p.", min=0, max=LARGEST_SEED
        ),
    ] = 0,
    depth: Annotated[
        int | None, typer.Option(help="Chunks ranked a question. [default: 20]", min=1, max=200)
    ] = None,
    judge: Annotated[
        bool,
        typer.Option("--judge", help="Have the language model mark answers and clues (tokens!)."),
    ] = False,
    mauve: Annotated[
        bool, typer.Option("--mauve", help="Compute MAUVE too (needs clew[mauve]).")
    ] = False,
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Begin anew where a run was interrupted.")
    ] = False,
    output: Annotated[
        Path | None,
        typer.Option(help="Folder for the run's JSON and HTML. [default: bench under home]"),
    ] = None,
    show: Annotated[
        str | None, typer.Option(help="Show a kept run (id, file or 'latest') again; asks nothing.")
    ] = None,
    list_runs: Annotated[bool, typer.Option("--list", help="List the kept runs.")] = False,
    delete: Annotated[str | None, typer.Option(help="Delete a kept run, by its id.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the figures as JSON.")] = False,
) -> None:
    """Measure every strategy on the same questions, corpus and reader: one table, with uncertainty.

    The corpus is indexed once, in an order shuffled by the seed; a second run finds it there. A
    run that is interrupted goes on where it stopped. What comes out: a table here, a JSON file
    with everything, and an HTML report with plots and a view of every question.

    Examples: `clew bench sample`; `clew bench ~/papers --limit 100` (questions are made from the
    graph); `clew bench corpus:papers --questions mine.jsonl --against latest`;
    `clew bench corpus:papers --ablations NAME --reader none` (what each part of NAME is worth)
    """
    settings = Settings.load()
    with Clew(settings) as clew:
        if list_runs:
            _list(clew, as_json)
            return
        if delete is not None:
            with logged(clew, "bench delete", f"run={delete}"):
                clew.delete_bench_run(delete)
            console.print(f"The run {delete} is deleted.", markup=False, highlight=False)
            return
        _check_choice(data_set, show, ablations)
        if against is not None and against != LATEST:
            find_run(
                clew.resources.store, against
            )  # an unknown one is said before the work, not after it
        if show is not None:
            run = find_run(clew.resources.store, show)
        else:
            assert data_set is not None
            given = None if questions is None else tuple(read_questions(questions, str(questions)))
            request = BenchRequest(
                data_set=data_set,
                questions=given,
                synthetic=synthetic,
                strategies=None if strategies is None else names_of(strategies),
                ablations=ablations,
                reader=reader,
                limit=limit,
                seed=seed,
                depth=depth,
                judge=judge,
                mauve=mauve,
                fresh=fresh,
            )
            with logged(clew, "bench", f"data_set={Path(data_set).name}"), BenchWatch() as watch:
                run = clew.bench(request, watch.show)
        comparison: RunComparison | None = None
        apart: Exception | None = None
        if against is not None:
            try:
                comparison = compare_runs(run, find_run(clew.resources.store, against, run))
            except CLEW_ERRORS as error:  # told once what was measured is shown
                apart = error
    _present(run, comparison, output or settings.home / "bench", as_json)
    if apart is not None:
        raise apart
    # not for time alone: the machine may have been busier
    if comparison is not None and any(d.metric != LATENCY for d in comparison.regressions):
        raise typer.Exit(REGRESSED)


def _check_choice(data_set: str | None, show: str | None, ablations: str | None) -> None:
    """Raise InvalidRequest unless one is asked for: to measure, or to show a kept run."""
    if show is not None and ablations is not None:
        raise InvalidRequest(
            "A kept run is shown as it was asked: --ablations cannot be added to it.",
            remedy="Measure: `clew bench DATASET --ablations NAME`. A kept ablation study shows "
            "its table by --show alone.",
        )
    if (data_set is None) == (show is None):
        raise InvalidRequest(
            "Name a data set to measure on, or a run to --show.",
            remedy="`clew bench sample` measures on the sample corpus.",
        )


def _list(clew: Clew, as_json: bool) -> None:
    runs = clew.bench_runs()
    if as_json:
        print_json(runs)
    elif runs:
        console.print(list_table(runs))
    else:
        console.print("No run is kept yet. `clew bench sample` makes one.")


def _present(run: BenchRun, comparison: RunComparison | None, folder: Path, as_json: bool) -> None:
    from clew.evaluation.report import render_report

    figures = summarise(run)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        data, page = folder / f"{run.id}.json", folder / f"{run.id}.html"
        whole = run.model_dump(mode="json") | {"figures": figures.model_dump(mode="json")}
        data.write_text(json.dumps(whole, ensure_ascii=False, indent=1), encoding="utf-8")
        page.write_text(render_report(run, figures, comparison), encoding="utf-8")
    except OSError as error:
        raise InvalidRequest(
            f"The run {run.id} is kept, but its files cannot be written: {error}.",
            remedy=f"`clew bench --show {run.id} --output FOLDER` writes them elsewhere.",
        ) from error
    if as_json:
        print_json(
            {
                "run": run.id,
                "figures": figures.model_dump(mode="json"),
                "comparison": None if comparison is None else comparison.model_dump(mode="json"),
                "files": [str(data), str(page)],
            }
        )
        return
    for notice in run.notices:
        console.print(Text(notice, "yellow"))
    for part in figures_tables(run, figures):
        console.print(part)
    if comparison is not None:
        for part in comparison_tables(comparison):
            console.print(part)
    console.print(Text(f"Report  {page}\nRun     {data}", "dim"))
