"""How answers and evidence are shown on a terminal, and what is told on the way to them."""

from collections import Counter
from collections.abc import Iterator, Sequence, Set
from contextlib import contextmanager
from typing import Any

from rich.text import Text
from rich.tree import Tree

from clew.cli.cards import round_line, show_cards
from clew.cli.output import Boxed, console, errors, table
from clew.results.evidence import Answer, Evidence, Progress, Told, TraceStep, place_words
from clew.results.explanation import Card, QuotesCard, Round, SubgraphCard
from clew.strategies.base import Tell, untold


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
        return "; ".join(" · ".join(quote.parts) or quote.text for quote in card.quotes)
    if isinstance(card, SubgraphCard):
        return f"{len(card.nodes)} nodes, {len(card.edges)} edges"
    return f"{len(card.rounds)} rounds"


def show_answers(answers: Sequence[Answer], *, explain: bool) -> None:
    """Print answers of several strategies one below the other, each with its evidence, and say of
    each piece whether another one found it, where others found something.
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
    console.print(Boxed(Text(answer.text), title=title, title_align="left", border_style=style))
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
    """Print triples and chunks, best first; ``alone``: ids that no other strategy found, where
    there are others."""
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
                row.insert(2, Text("only here", "magenta") if id in alone else "another too")
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
