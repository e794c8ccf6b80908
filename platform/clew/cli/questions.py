"""`clew ask` and `clew search`: a question to the graph."""

from typing import Annotated

import typer
from rich.panel import Panel
from rich.text import Text

from clew.cli.clues import show_clues
from clew.cli.output import console, errors, print_json, table
from clew.evidence import Answer, Evidence
from clew.settings import Settings
from clew.strategies.catalogue import strategy_names

Question = Annotated[str, typer.Argument(help="The question, in quotes.", show_default=False)]
Corpus = Annotated[
    str | None, typer.Option("--corpus", "-c", help="Corpus to ask. [default: settings]")
]
StrategyName = Annotated[
    str | None,
    typer.Option(
        "--strategy",
        "-s",
        help=f"Way of finding evidence: {strategy_names()}. `clew strategies` says what each does.",
    ),
]
Limit = Annotated[int | None, typer.Option("-k", help="How many chunks of evidence.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print the whole result as JSON.")]
Explain = Annotated[
    bool, typer.Option("--explain", help="Show clues, paths and the trace with timings.")
]


def ask(
    question: Question,
    corpus: Corpus = None,
    strategy: StrategyName = None,
    k: Limit = None,
    reader: Annotated[
        str | None, typer.Option(help="Who answers: extractive, local, openai, auto.")
    ] = None,
    explain: Explain = False,
    as_json: AsJson = False,
) -> None:
    """Answer a question, with the sentences that prove it.

    Example: `clew ask "Who founded the institute where Ada Lindqvist worked?" --explain`
    """
    from clew.clew import Clew

    with Clew(Settings.load(reader=reader)) as clew:
        if as_json:
            print_json(clew.ask(question, corpus=corpus, strategy=strategy, k=k))
            return
        with errors.status("Looking for evidence …"):
            answer = clew.ask(question, corpus=corpus, strategy=strategy, k=k)
    show_answer(answer, explain=explain)


def search(
    question: Question,
    corpus: Corpus = None,
    strategy: StrategyName = None,
    k: Limit = None,
    explain: Explain = False,
    as_json: AsJson = False,
) -> None:
    """Find evidence for a question, without an answer.

    Example: `clew search "Who designed the lighthouse?" --strategy dense -k 10 --json`
    """
    from clew.clew import Clew

    with Clew(Settings.load()) as clew:
        if as_json:
            print_json(clew.search(question, corpus=corpus, strategy=strategy, k=k))
            return
        with errors.status("Looking for evidence …"):
            evidence = clew.search(question, corpus=corpus, strategy=strategy, k=k)
    show_evidence(evidence)
    if explain:
        show_clues(evidence)
        show_paths(evidence)
        show_trace(evidence, None)


def show_answer(answer: Answer, *, explain: bool) -> None:
    """Print an answer with its confidence, its citations and, where asked, how it came."""
    for notice in answer.evidence.notices:
        console.print(Text(notice, style="yellow"))
    title = f"confidence {answer.confidence:.0%}" if answer.supported else "not in the evidence"
    style = "green" if answer.supported else "yellow"
    console.print(Panel(Text(answer.text), title=title, title_align="left", border_style=style))
    for citation in answer.citations:
        line = Text.assemble(
            (f"[{citation.number}] ", "bold cyan"),
            (citation.title, "bold"),
            f" — “{citation.quote}”",
        )
        console.print(line)
    console.print(Text(f"strategy {answer.evidence.strategy}, reader {answer.reader}", "dim"))
    if explain:
        show_clues(answer.evidence)
        show_paths(answer.evidence)
        show_trace(answer.evidence, answer)


def show_evidence(evidence: Evidence) -> None:
    """Print the chunks that were found, best first."""
    for notice in evidence.notices:
        console.print(Text(notice, style="yellow"))
    if not evidence.chunks:
        console.print(f"No evidence was found in the corpus '{evidence.corpus}'.")
        return
    rows = [
        (number, f"{chunk.score:.4f}", chunk.title, chunk.text)
        for number, chunk in enumerate(evidence.chunks, 1)
    ]
    console.print(table(f"Evidence by {evidence.strategy}", ("", "score", "title", "text"), rows))


def show_paths(evidence: Evidence) -> None:
    """Print how the evidence hangs together in the graph."""
    for path in evidence.paths:
        line = Text("  ")
        for position, node in enumerate(path.nodes):
            if position:
                line.append(" — ", "dim")
            line.append(node.label, "cyan" if node.kind == "entity" else "bold")
        console.print(line)
    if evidence.paths_left_out:
        paths = "path is" if evidence.paths_left_out == 1 else "paths are"
        console.print(Text(f"  {evidence.paths_left_out} more {paths} not shown", "dim"))


def show_trace(evidence: Evidence, answer: Answer | None) -> None:
    """Print what was done, step by step, with the milliseconds each took."""
    steps = [*evidence.trace, *(answer.trace if answer else ())]
    rows = [
        (
            step.name,
            f"{step.seconds * 1000:.1f}",
            ", ".join(f"{key} {value}" for key, value in step.detail.items()),
        )
        for step in steps
    ]
    console.print(table("Trace", ("step", "ms", "saw"), rows))
