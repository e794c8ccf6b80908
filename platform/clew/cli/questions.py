"""`clew ask` and `clew search`: a question to the graph."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence, Set
from contextlib import contextmanager
from datetime import datetime
from typing import Annotated, Any

import typer
from pydantic import ValidationError
from rich.panel import Panel
from rich.text import Text
from rich.tree import Tree

from clew.cli.cards import round_line, show_cards
from clew.cli.output import console, errors, names_of, print_json, show_error, table
from clew.errors import CLEW_ERRORS, InvalidRequest
from clew.results.asked_documents import AskedDocuments
from clew.results.evidence import Answer, Evidence, Progress, Told, TraceStep, place_words
from clew.results.explanation import Card, QuotesCard, Round, SubgraphCard
from clew.settings import Settings
from clew.strategies.base import Tell, untold
from clew.strategies.catalogue import spec_of, strategy_names

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
StrategyNames = Annotated[
    str | None,
    typer.Option(
        "--strategy",
        "-s",
        help=f"Way of finding evidence: {strategy_names()}. `clew strategies` says what each does. "
        "Several with commas between, such as 'bm25,dense', answer one below the other.",
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
    strategy: StrategyNames = None,
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
    Example: `clew ask "Who designed the lighthouse?" --strategy bm25,dense` answers by each, with
    the evidence, and marks what one of them alone found; `--json` is then a list.
    """
    from clew.clew import Clew

    asked = _asked_documents(document, added_from, added_until, field)
    strategies = _strategies(strategy)
    with Clew(Settings.load(reader=reader)) as clew:

        def answer_by(name: str | None, tell: Tell = untold) -> Answer:
            return clew.ask(question, corpus, name, k, tell=tell, documents=asked)

        if len(strategies) > 1:
            _ask_several(strategies, answer_by, explain=explain, as_json=as_json)
            return
        if as_json:
            print_json(answer_by(strategies[0]))
            return
        with watching() as tell:
            answer = answer_by(strategies[0], tell)
    show_answer(answer, explain=explain)


def _strategies(given: str | None) -> tuple[str | None, ...]:
    """Return the strategies that are named, None for that of the settings.

    Raises UnknownStrategy before any of several is asked, InvalidRequest for commas alone.
    """
    if given is None:
        return (None,)
    names = names_of(given)
    if not names:
        raise InvalidRequest(
            "--strategy names no strategy.", remedy=f"There are: {strategy_names()}."
        )
    for name in names:
        spec_of(name)
    return names


def _ask_several(
    names: Sequence[str | None],
    answer_by: Callable[[str | None, Tell], Answer],
    *,
    explain: bool,
    as_json: bool,
) -> None:
    """Print an answer by each; those that fail after the others, with the exit code of the first.

    Raises the first error where none of them answers.
    """
    answers, failed = [], []
    for name in names:
        try:
            if as_json:
                answers.append(answer_by(name, untold))
                continue
            with watching() as tell:
                answers.append(answer_by(name, tell))
        except CLEW_ERRORS as error:
            failed.append((name, error))
    if not answers:
        raise failed[0][1]
    if as_json:
        print_json(answers)
    else:
        show_answers(answers, explain=explain)
    for name, why in failed:
        errors.print(Text(f"{name} did not answer.", "bold"))
        show_error(why)
    if failed:
        raise typer.Exit(failed[0][1].exit_code)


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


def show_answers(answers: Sequence[Answer], *, explain: bool) -> None:
    """Print answers of several strategies one below the other, each with its evidence, and mark
    what none of the others found, where others found something.
    """
    found = [_found_ids(answer.evidence) for answer in answers]
    times = Counter(id for ids in found for id in ids)
    compared = sum(map(bool, found)) > 1
    for answer, ids in zip(answers, found, strict=True):
        console.print(Text(f"\n{answer.evidence.strategy}", "bold underline"))
        show_answer(answer, explain=explain)
        alone = {id for id in ids if times[id] == 1} if compared and ids else None
        _show_found(answer.evidence, alone)
        if alone is not None:
            shared = len(ids) - len(alone)
            console.print(Text(f"{shared} of {len(ids)} found by another too", "dim"))


def _found_ids(evidence: Evidence) -> set[str]:
    return {one.id for one in evidence.triples} | {one.id for one in evidence.chunks}


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
    """Print what was found, best first."""
    _show_notices(evidence)
    _show_found(evidence)


def _show_found(evidence: Evidence, alone: Set[str] | None = None) -> None:
    """Print triples and chunks, best first; ``alone``: ids that are marked as found only here."""
    if not evidence.chunks and not evidence.triples:
        console.print(f"No evidence was found in the corpus '{evidence.corpus}'.")
        return
    triples = [
        (
            one.id,
            f"{one.score:.4f}",
            one.title + _in_brackets(place_words((), (), one.line)),
            f"{one.head} | {one.relation} | {one.tail}",
        )
        for one in evidence.triples
    ]
    chunks = [
        (
            one.id,
            f"{one.score:.4f}",
            one.title + _in_brackets(place_words(one.pages, one.headings)),
            one.text,
        )
        for one in evidence.chunks
    ]
    for what, last, found in (("Triples", "triple", triples), ("Evidence", "text", chunks)):
        if not found:
            continue
        columns = ["", "score", "title", last]
        rows = [[number, *shown] for number, (_, *shown) in enumerate(found, 1)]
        if alone is not None:
            columns.insert(2, "found by")
            for row, (id, *_) in zip(rows, found, strict=True):
                row.insert(2, Text("only here", "magenta") if id in alone else "")
        console.print(table(f"{what} by {evidence.strategy}", columns, rows))


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
