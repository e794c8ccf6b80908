"""`clew ask` and `clew search`: a question to the graph."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import Annotated, Any

import typer
from pydantic import ValidationError
from rich.panel import Panel
from rich.text import Text
from rich.tree import Tree

from clew.cli.cards import round_line, show_cards
from clew.cli.output import console, errors, print_json, table
from clew.errors import InvalidRequest
from clew.results.asked_documents import AskedDocuments
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
Documents = Annotated[
    list[str] | None,
    typer.Option(
        "--document",
        "-d",
        help="Ask only documents whose title, address or file name fits this pattern, such as "
        "'report-*.pdf'. Repeatable: one of them has to fit.",
    ),
]
AddedFrom = Annotated[
    datetime | None,
    typer.Option(help="Ask only documents added on this day or later.", formats=["%Y-%m-%d"]),
]
AddedUntil = Annotated[
    datetime | None,
    typer.Option(help="Ask only documents added on this day or before.", formats=["%Y-%m-%d"]),
]
Fields = Annotated[
    list[str] | None,
    typer.Option(
        "--field",
        help="Ask only records with this field and value, such as 'language=en'. Repeatable: all "
        "have to fit.",
    ),
]
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
    document: Documents = None,
    added_from: AddedFrom = None,
    added_until: AddedUntil = None,
    field: Fields = None,
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

    asked = _asked_documents(document, added_from, added_until, field)
    with Clew(Settings.load(reader=reader)) as clew:
        if as_json:
            print_json(clew.ask(question, corpus, strategy, k, documents=asked))
            return
        with watching() as tell:
            answer = clew.ask(question, corpus, strategy, k, tell=tell, documents=asked)
    show_answer(answer, explain=explain)


def search(
    question: Question,
    corpus: Corpus = None,
    strategy: StrategyName = None,
    k: Limit = None,
    document: Documents = None,
    added_from: AddedFrom = None,
    added_until: AddedUntil = None,
    field: Fields = None,
    explain: Explain = False,
    as_json: AsJson = False,
) -> None:
    """Find evidence for a question, without an answer.

    Example: `clew search "Who designed the lighthouse?" --strategy dense -k 10 --json`
    Example: `clew search "What was decided?" --document "minutes-2025-*"`
    """
    from clew.clew import Clew

    asked = _asked_documents(document, added_from, added_until, field)
    with Clew(Settings.load()) as clew:
        if as_json:
            print_json(clew.search(question, corpus, strategy, k, documents=asked))
            return
        with watching() as tell:
            evidence = clew.search(question, corpus, strategy, k, tell, asked)
    show_evidence(evidence)
    if explain:
        show_cards(evidence)
        show_paths(evidence)
        show_trace(evidence, None)


def _asked_documents(
    names: list[str] | None,
    added_from: datetime | None,
    added_until: datetime | None,
    fields: list[str] | None,
) -> AskedDocuments | None:
    """Return which documents are asked, None: all. Raises InvalidRequest."""
    pairs = [field.partition("=") for field in fields or ()]
    unclear = [key for key, equals, _ in pairs if not equals]
    if unclear:
        raise InvalidRequest(
            f"--field {unclear[0]} says no value.", remedy="Write --field NAME=VALUE."
        )
    try:
        asked = AskedDocuments(
            names=tuple(names or ()),
            added_from=added_from.date() if added_from else None,
            added_until=added_until.date() if added_until else None,
            metadata={key: value for key, _, value in pairs},
        )
    except ValidationError as error:
        said = error.errors()[0]
        where = ".".join(map(str, said["loc"]))
        raise InvalidRequest(
            f"The documents cannot be chosen like that: {where} {said['msg']}".replace(":  ", ": "),
            remedy="See --help for what a question can be limited to.",
        ) from error
    return asked or None


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
