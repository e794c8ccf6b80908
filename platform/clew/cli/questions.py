"""`clew ask` and `clew search`: a question to the graph."""

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Annotated

import typer
from rich.text import Text

from clew.cli.answers import (
    show_answer,
    show_answers,
    show_evidence,
    show_paths,
    show_trace,
    watching,
)
from clew.cli.cards import show_cards
from clew.cli.options import checked
from clew.cli.output import console, errors, names_of, print_json, show_error
from clew.errors import CLEW_ERRORS, InvalidRequest
from clew.results.asked_documents import AskedDocuments
from clew.results.evidence import Answer, Turn
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
        help="Ask only documents with a title, address or file name that fits this pattern as a "
        "whole: 'report-*.pdf', or '*minutes*' for all that lie in a folder minutes or have the "
        "word in their name. Repeatable: one of them has to fit.",
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
        help="Ask only documents with this field, of a record or front matter, and value, such as "
        "'language=en'. Repeatable: all have to fit.",
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
    then: Annotated[
        list[str] | None,
        typer.Option(help="A question to ask next, which may lean on those before it. Repeatable."),
    ] = None,
    explain: Explain = False,
    as_json: AsJson = False,
) -> None:
    """Answer a question, with the sentences that prove it.

    Example: `clew ask "Who founded the institute where Ada Lindqvist worked?" --explain`
    Example: `clew ask "Who designed the lighthouse?" --strategy bm25,dense` answers by each, with
    the evidence, and marks what one of them alone found; `--json` is then a list.
    Example: `clew ask "Who designed the lighthouse?" --then "When was she born?"`
    """
    from clew.clew import Clew

    asked = _asked_documents(document, added_from, added_until, field)
    strategies = _strategies(strategy)
    with Clew(Settings.load(reader=reader)) as clew:

        def answer_by(
            name: str | None,
            tell: Tell = untold,
            text: str = question,
            history: Sequence[Turn] = (),
        ) -> Answer:
            return clew.ask(text, corpus, name, k, tell=tell, documents=asked, history=history)

        if then:
            if len(strategies) > 1:
                raise InvalidRequest(
                    "Several strategies answer one question only.",
                    remedy="Leave --then out, or name one strategy.",
                )
            _ask_in_turn(
                [question, *then],
                lambda text, history, tell: answer_by(strategies[0], tell, text, history),
                explain=explain,
                as_json=as_json,
            )
            return
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


def _ask_in_turn(
    questions: Sequence[str],
    answer: Callable[[str, Sequence[Turn], Tell], Answer],
    *,
    explain: bool,
    as_json: bool,
) -> None:
    """Print the answer to each question, which knows of those before it."""
    answers: list[Answer] = []
    for text in questions:
        history = [one.as_turn() for one in answers]
        if as_json:
            answers.append(answer(text, history, untold))
            continue
        with watching() as tell:
            answers.append(answer(text, history, tell))
        console.print(Text(f"\n{answers[-1].question}", "bold underline"))
        show_answer(answers[-1], explain=explain)
    if as_json:
        print_json(answers)


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
    keys = [key for key, _, _ in pairs]
    twice = [key for key in dict.fromkeys(keys) if keys.count(key) > 1]
    if twice:
        raise InvalidRequest(
            f"--field {twice[0]} is there twice.", remedy="A field has one value: name it once."
        )
    values = {
        "names": tuple(names or ()),
        "added_from": added_from.date() if added_from else None,
        "added_until": added_until.date() if added_until else None,
        "metadata": {key: value for key, _, value in pairs},
    }
    asked = checked(
        AskedDocuments,
        values,
        "The documents cannot be chosen like that",
        "See --help for what a question can be limited to.",
    )
    return asked or None
