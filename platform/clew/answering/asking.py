"""A question to an answer: whole, or event by event as it comes about."""

import queue
import threading
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import Future
from contextvars import copy_context
from typing import TYPE_CHECKING

from clew.answering.base import (
    build_reader,
    read_in_order,
    reader_name,
    whole_answer,
)
from clew.answering.follow_up import understood
from clew.answering.readers import READERS
from clew.errors import CLEW_ERRORS, code_of
from clew.results.asked_documents import AskedDocuments
from clew.results.evidence import (
    Answer,
    AskEvent,
    Evidence,
    Progress,
    ScoredChunk,
    Search,
    Told,
    TraceStep,
    Turn,
    told_event,
)
from clew.strategies.base import Tell, only_new, untold
from clew.strategies.catalogue import one_search
from clew.strategies.iterative.spec import in_one_step
from clew.strategies.searching import build_strategy, check_strategy, search
from clew.strategies.selection import within
from clew_cypher.corpora import list_corpora

if TYPE_CHECKING:
    from clew.resources.resources import Resources

FIRST_QUESTION = "Where was Ada Lovelace born?"
"""What is asked before anybody asks."""


def ask(
    resources: "Resources",
    question: str,
    corpus: str | None = None,
    strategy: str | None = None,
    k: int | None = None,
    reader: str | None = None,
    tell: Tell = untold,
    documents: AskedDocuments | None = None,
    history: Sequence[Turn] = (),
) -> Answer:
    """Answer a question from the evidence, with citations; ``tell``, ``documents`` and errors as
    ``search``. ``history``: what was asked before, where the question may lean on it.
    """
    resources = within(resources, corpus or resources.settings.corpus, documents)
    asked = build_reader(resources, reader)  # before anything is searched for in vain
    alone, steps = understood(resources, question, history, reader, tell)
    evidence = _after(steps, search(resources, alone, corpus, strategy, k, tell))
    tell(Progress(text="Reading the evidence"))
    return whole_answer(asked, evidence, part_search(resources, evidence))


def part_search(resources: "Resources", evidence: Evidence) -> Search:
    """Return what finds evidence for parts of the evidence's question: the strategy that found it,
    without the steps of ``iterative:`` or the rounds of a method that asks another strategy, and
    without an explanation: readers take the passages alone.
    """
    strategy = build_strategy(one_search(evidence.strategy), resources.unexplained())
    return lambda part, passages: strategy.retrieve(part, evidence.corpus, passages)


def ask_events(
    resources: "Resources",
    question: str,
    corpus: str | None = None,
    strategy: str | None = None,
    k: int | None = None,
    reader: str | None = None,
    answer: bool = True,
    documents: AskedDocuments | None = None,
    history: Sequence[Turn] = (),
    repeat: bool = False,
) -> Iterator[AskEvent]:
    """Answer step by step: what the retrieval tells, as it happens, then evidence, piece*, answer;
    or error, never an exception that is meant for people.

    ``history``: see `ask`; the evidence's question is the one that was understood. ``answer``
    False: stop after the evidence. ``repeat``: what lasts comes again about once a second, so that
    who reads can look whether to go on. Closing the iterator ends the retrieval at what it tells
    next, and waits for that.
    """
    started = time.perf_counter()

    def found(tell: Tell) -> Evidence:
        alone, steps = understood(resources, question, history, reader, tell)
        return _after(steps, search(asked, alone, corpus, strategy, k, tell))

    try:
        check_strategy(resources.settings, strategy or resources.settings.strategy)
        asked = within(resources, corpus or resources.settings.corpus, documents)
        chosen = build_reader(asked, reader) if answer else None
        evidence = yield from _told(found, repeat)
        yield AskEvent(event="evidence", data=evidence.model_dump(mode="json"))
        if chosen is None:
            return
        for piece in read_in_order(chosen, evidence, part_search(asked, evidence)):
            if isinstance(piece, Answer):
                whole = TraceStep(name="total", seconds=time.perf_counter() - started)
                final = piece.model_copy(update={"trace": (*piece.trace, whole)})
                yield AskEvent(event="answer", data=final.model_dump(mode="json"))
            else:
                yield AskEvent(event="piece", data={"text": piece})
    except CLEW_ERRORS as error:
        yield AskEvent(
            event="error",
            data={
                "code": code_of(error),
                "message": error.message,
                "remedy": error.remedy,
                "http_status": error.http_status,
            },
        )


def _after(steps: tuple[TraceStep, ...], evidence: Evidence) -> Evidence:
    return evidence.model_copy(update={"trace": (*steps, *evidence.trace)}) if steps else evidence


class _NobodyListens(BaseException):
    """Ends a retrieval whose events nobody reads any more; not for strategies to catch."""


def _told(work: Callable[[Tell], Evidence], repeat: bool) -> Generator[AskEvent, None, Evidence]:
    """Run ``work`` in a thread, yield what it tells as it does, and return what it returns.

    ``repeat``: also what is told again while it lasts. Raises what it raises. The thread has ended
    when this has, whatever ends it.
    """
    news: queue.SimpleQueue[Told | Future[Evidence]] = queue.SimpleQueue()
    abandoned = threading.Event()
    result: Future[Evidence] = Future()
    tell_on: Tell = news.put if repeat else only_new(news.put)

    def tell(told: Told) -> None:
        if abandoned.is_set():
            raise _NobodyListens
        tell_on(told)

    def run() -> None:
        try:
            result.set_result(work(tell))
        except BaseException as error:
            result.set_exception(error)
        news.put(result)

    # in a copy of the context: what it asks of language models is counted where the caller counts
    thread = threading.Thread(target=copy_context().run, args=(run,), name="retrieval", daemon=True)
    thread.start()
    try:
        while not isinstance(told := news.get(), Future):
            yield told_event(told)
        return told.result()
    finally:
        abandoned.set()
        thread.join()


def load_models(resources: "Resources") -> None:
    """Load what reads every question and, where it is the default one, the reader, and read a
    sentence; the graph is not needed.
    """
    question, text = FIRST_QUESTION, "Ada Lovelace was born in London, where her mother raised her."
    resources.parser.question_mentions(question)
    resources.embedder.embed([question])
    if reader_name(resources.settings) != READERS[0].name:
        return  # others read by language models, or by a plan
    chunk = ScoredChunk(id="", document_id="", title="Ada Lovelace", text=text, score=1.0)
    evidence = Evidence(question=question, corpus="", strategy="", chunks=(chunk,))
    for _ in build_reader(resources).read(evidence):
        pass


def search_once(resources: "Resources") -> None:
    """Search a corpus, so that Neo4j has planned what a question asks of it, and what is computed
    once a revision is there. No language model that may cost money or be away is asked.
    """
    # the settings' strategy alone: a language model takes seconds and memory, so that only who
    # asks it waits for it, and is told so
    strategy = in_one_step(resources.settings.strategy)
    name = next((row["name"] for row in list_corpora(resources.store) if row["documents"]), None)
    if name is not None:
        search(resources, FIRST_QUESTION, name, strategy)


def warm(resources: "Resources") -> None:
    """Make the schema, load every model that a question needs, and search once, so that the first
    that is asked is quick: without, it took 10 s on a busy machine.
    """
    load_models(resources)
    resources.prepare_graph(link_titles=False)
    search_once(resources)
