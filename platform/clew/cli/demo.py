"""`clew demo`: everything once, on the sample corpus."""

import time
from typing import Annotated
from urllib.parse import urlencode

import typer
from rich.text import Text

from clew.clew import Clew
from clew.cli.answers import show_answer
from clew.cli.ingest import follow
from clew.cli.ingest_progress import IngestBar
from clew.cli.logged import logged
from clew.cli.output import console, errors
from clew.cli.services import show_addresses, start
from clew.errors import PlatformError
from clew.sample_corpus import ARTICLES, DEMO_QUESTION
from clew.settings import Settings

CORPUS = "sample"


def demo(
    question: Annotated[
        str, typer.Argument(help="What to ask the sample corpus.")
    ] = DEMO_QUESTION.question,
) -> None:
    """Start everything, read the sample corpus, ask a question whose evidence lies in two
    articles, and leave the web UI running."""
    began = time.monotonic()
    settings = Settings.load()
    errors.rule("Services")
    addresses = start(settings)
    errors.rule("Sample corpus")
    with Clew(settings) as clew:
        with logged(clew, "ingest", f"corpus={CORPUS}"), IngestBar() as bar:
            accepted = clew.accept([ARTICLES], corpus=CORPUS, progress=bar.report)
            if accepted.pending:
                follow(clew, clew.submit(CORPUS, accepted.pending), bar)
        info = clew.stats(CORPUS)
    errors.print(
        f"{info.documents} articles, {info.chunks} chunks, {info.sentences} sentences, "
        f"{info.entities} entities.",
        highlight=False,
    )
    errors.rule("Question")
    console.print(Text(question, "bold"))

    from clew.jobs.questions import Question, ask

    answer = ask(settings, Question(question=question, corpus=CORPUS))
    show_answer(answer, explain=True)
    console.print(f"First answer after {time.monotonic() - began:.0f} s.", style="dim")
    show_addresses(addresses)
    asked = urlencode({"corpus": CORPUS, "q": question})
    # in one piece: a terminal opens what stands on one line
    console.print(
        f"  This answer    {addresses.web_url}/ask?{asked}", soft_wrap=True, highlight=False
    )
    console.print("`clew down` (in the environment, or `make down`) stops it.", style="dim")
    if question == DEMO_QUESTION.question:
        right = {DEMO_QUESTION.answer, *DEMO_QUESTION.aliases}
        if not any(word.casefold() in answer.text.casefold() for word in right):
            raise PlatformError(
                f"The demo's answer should be {DEMO_QUESTION.answer!r}.",
                remedy="This is a bug: please report it with the output above.",
            )
