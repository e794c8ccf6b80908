"""`clew ask` and `clew search`: a question to the graph."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated, Any

import typer
from rich.panel import Panel
from rich.text import Text
from rich.tree import Tree

from clew.cli.cards import round_line, show_cards
from clew.cli.output import console, errors, print_json, table
from clew.results.evidence import Answer, Evidence, Progress, Told, TraceStep, place_words
from clew.results.explanation import Card, QuotesCard, Round, SubgraphCard
from clew.settings import Settings
from clew.strategies.base import Tell, untold
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
    bool,
    typer.Option("--explain", help="Show how it was found, paths, and the trace with timings."),
]


def ask(
    question: Question,
    corpus: Corpus = None,
    strategy: StrategyName = None,
    k: Limit = None,
    reader: Annotated[
        str | None, typer.Option(help="Who answers: extractive, local, openai, graph, auto.")
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
        with watching() as tell:
            answer = clew.ask(question, corpus=corpus, strategy=strategy, k=k, tell=tell)
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
        with watching() as tell:
            evidence = clew.search(question, corpus=corpus, strategy=strategy, k=k, tell=tell)
    show_evidence(evidence)
    if explain:
        show_cards(evidence)
        show_paths(evidence)
        show_trace(evidence, None)


@contextmanager
def watching() -> Iterator[Tell]:
    """Show what is told while it is done, on standard error; nothing where that is no terminal."""
    if not errors.is_terminal:
        yield untold
        return
    with errors.status(Text("Looking for evidence …")) as status:

        def tell(told: Told) -> None:
            if isinstance(told, Round):
                errors.print(round_line(told))
            elif isinstance(told, TraceStep):
                status.update(Text(f"{told.name} took {told.seconds * 1000:.0f} ms …"))
            elif isinstance(told, Progress):
                status.update(Text(f"{told.text} …"))
            else:
                errors.print(Text.assemble((told.title, "bold"), (f"  {_size(told)}", "dim")))

        yield tell


def _size(card: Card) -> str:
    if isinstance(card, QuotesCard):
        return "; ".join(quote.text.replace("@@", " · ") for quote in card.quotes)
    if isinstance(card, SubgraphCard):
        return f"{len(card.nodes)} nodes, {len(card.edges)} edges"
    return f"{len(card.rounds)} rounds"


def show_answer(answer: Answer, *, explain: bool) -> None:
    """Print an answer with its confidence, its citations and, where asked, how it came."""
    _show_notices(answer.evidence)
    title = f"confidence {answer.confidence:.0%}" if answer.supported else "not in the evidence"
    style = "green" if answer.supported else "yellow"
    console.print(Panel(Text(answer.text), title=title, title_align="left", border_style=style))
    for citation in answer.citations:
        line = Text.assemble(
            (f"[{citation.number}] ", "bold cyan"),
            (citation.title, "bold"),
            _in_brackets(place_words((citation.page,), (citation.heading,), citation.line)),
            f" — “{citation.quote}”",
        )
        console.print(line)
    console.print(Text(f"strategy {answer.evidence.strategy}, reader {answer.reader}", "dim"))
    if explain:
        show_cards(answer.evidence)
        show_paths(answer.evidence)
        show_trace(answer.evidence, answer)


def show_evidence(evidence: Evidence) -> None:
    """Print the chunks that were found, best first."""
    _show_notices(evidence)
    if not evidence.chunks and not evidence.triples:
        console.print(f"No evidence was found in the corpus '{evidence.corpus}'.")
        return
    if evidence.triples:
        _show_triples(evidence)
    if not evidence.chunks:
        return
    rows = [
        (
            number,
            f"{chunk.score:.4f}",
            chunk.title + _in_brackets(place_words(chunk.pages, chunk.headings)),
            chunk.text,
        )
        for number, chunk in enumerate(evidence.chunks, 1)
    ]
    console.print(table(f"Evidence by {evidence.strategy}", ("", "score", "title", "text"), rows))


def _show_triples(evidence: Evidence) -> None:
    rows = [
        (
            number,
            f"{one.score:.4f}",
            one.title + _in_brackets(place_words((), (), one.line)),
            f"{one.head} | {one.relation} | {one.tail}",
        )
        for number, one in enumerate(evidence.triples, 1)
    ]
    console.print(table(f"Triples by {evidence.strategy}", ("", "score", "title", "triple"), rows))


def _show_notices(evidence: Evidence) -> None:
    for sentence in (*(one.sentence for one in evidence.suggestions), *evidence.notices):
        console.print(Text(sentence, style="yellow"))


def _in_brackets(words: str) -> str:
    return f" ({words})" if words else ""


def show_paths(evidence: Evidence) -> None:
    """Print how the evidence hangs together in the graph; passages have their number."""
    ranks = {chunk.id: rank for rank, chunk in enumerate(evidence.chunks, 1)}
    tree = Tree(Text("Paths through the graph", "bold"), guide_style="dim")
    for path in evidence.paths:
        line = Text()
        for position, node in enumerate(path.nodes):
            if position:
                line.append(" — ", "dim")
            place = f"{ranks[node.id]}. " if node.id in ranks else ""
            line.append(f"{place}{node.label}", "cyan" if node.kind == "entity" else "bold")
        tree.add(line)
    if evidence.paths_left_out:
        paths = "path is" if evidence.paths_left_out == 1 else "paths are"
        tree.add(Text(f"{evidence.paths_left_out} more {paths} not shown", "dim"))
    if tree.children:
        console.print(tree)


def show_trace(evidence: Evidence, answer: Answer | None) -> None:
    """Print what was done, step by step, with the milliseconds each took."""
    steps = [*evidence.trace, *(answer.trace if answer else ())]
    rows = [
        (
            step.name,
            f"{step.seconds * 1000:.1f}",
            ", ".join(f"{key} {_words(value)}" for key, value in step.detail.items()),
        )
        for step in steps
    ]
    console.print(table("Trace", ("step", "ms", "saw"), rows))


def _words(value: Any) -> str:
    """Return what a step saw as people read it: lists and fields without JSON's signs."""
    if isinstance(value, dict):
        return ", ".join(f"{key}: {_words(part)}" for key, part in value.items())
    if isinstance(value, list | tuple):
        return "; ".join(map(_words, value)) or "none"
    return str(value)
