"""A run of the bench from the request to the kept run."""

import hashlib
import json
import random
import secrets
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from importlib.metadata import version
from typing import TYPE_CHECKING

from clew.answering.base import Reader
from clew.answering.building import configured_model
from clew.evaluation.asking import Asker, Retrieve
from clew.evaluation.assembling import assemble
from clew.evaluation.bench import Bench
from clew.evaluation.data_sets.base import BenchQuestion
from clew.evaluation.indexing import slug
from clew.evaluation.journal import Journal, JournalHead
from clew.evaluation.measuring import (
    MemoryWatch,
    neo4j_process,
    recorded_settings,
)
from clew.evaluation.preparing import Prepared, prepare
from clew.evaluation.request import NO_READER, BenchRequest
from clew.evaluation.request_checks import check_request
from clew.evaluation.run import (
    DEPTH,
    TRIPLE_BUDGET,
    BenchOptions,
    BenchRun,
)
from clew.evaluation.runs import save_run
from clew.evaluation.tracking import Tell, Tracker
from clew.evidence import Evidence
from clew.explaining import with_paths
from clew.runtime import connection
from clew.strategies import STRATEGIES

if TYPE_CHECKING:
    from clew.clew import Clew

Search = Callable[[str, str, int], Evidence]
"""Finds evidence: (question, corpus, chunks)."""


def run_bench(
    clew: "Clew",
    request: BenchRequest,
    *,
    tell: Tell | None = None,
    cancelled: Callable[[], bool] = lambda: False,
    strategies: Mapping[str, Search] | None = None,
) -> BenchRun:
    """Do what is asked for, and keep the run in the graph.

    A run that was interrupted, asked for again in the same words on the same corpus, goes on
    where it stopped. ``strategies``: to measure in place of Clew's, by name: (question, corpus,
    k) to evidence. Raises InvalidDataSet, InvalidRequest, UnknownStrategy, UnknownCorpus,
    JobStopped and IngestCancelled.
    """
    check_request(clew.settings, request)
    reader = _reader(clew, request)
    model = configured_model(clew.settings, "openai") if request.judge else None
    clew.prepare_graph()
    tracker = Tracker(tell)
    watch = MemoryWatch(neo4j_process(connection(clew.settings).neo4j.uri))
    with watch.watching():
        prepared = prepare(clew, request, tracker, cancelled)
        retrieves = _retrieves(clew, request, prepared.corpus, strategies)
        options = _options(request, prepared, retrieves, reader, clew.settings.top_k)
        settings = recorded_settings(clew.settings)
        with _journal(clew, options, prepared, settings) as journal:
            if request.fresh:
                journal.clear()
            _begin(journal, prepared)
            assert journal.content.head is not None
            tracker.run_id = journal.content.head.run_id
            questions = drawn(prepared.data_set.questions, options.limit, options.seed)
            Bench(
                store=clew.store,
                corpus=prepared.corpus,
                strategies=retrieves,
                questions=questions,
                asker=Asker(
                    reader,
                    options.depth,
                    options.top_k,
                    prepared.data_set.unit,
                    prepared.keys,
                ),
                journal=journal,
                tracker=tracker,
                memory=watch,
                judge=model,
                cancelled=cancelled,
            ).run()
            run = assemble(clew, options, prepared, questions, journal)
            save_run(clew.store, run)
            journal.remove()
    tracker.stage("done", len(run.outcomes), len(run.outcomes))
    return run


def drawn(
    questions: Sequence[BenchQuestion], limit: int | None, seed: int
) -> Sequence[BenchQuestion]:
    """Return at most ``limit`` questions, drawn by ``seed``, in their order."""
    if limit is None or limit >= len(questions):
        return questions
    places = sorted(random.Random(seed).sample(range(len(questions)), limit))
    return [questions[place] for place in places]


def _reader(clew: "Clew", request: BenchRequest) -> Reader | None:
    return None if request.reader == NO_READER else clew.reader(request.reader)


def _retrieves(
    clew: "Clew", request: BenchRequest, corpus: str, given: Mapping[str, Search] | None
) -> dict[str, Retrieve]:
    if given is not None:
        return {name: _on_corpus(search, corpus) for name, search in given.items()}
    names = request.strategies or tuple(spec.name for spec in STRATEGIES)
    return {name: partial(_search, clew, corpus, name) for name in dict.fromkeys(names)}


def _search(clew: "Clew", corpus: str, strategy: str, question: str, k: int) -> Evidence:
    """As Clew.search, but deeper: paths join what a reader is handed, not all that is ranked."""
    evidence = clew.retrieve(question, corpus, strategy, k)
    return with_paths(clew.store, evidence, clew.settings.top_k)


def _on_corpus(search: Search, corpus: str) -> Retrieve:
    return lambda question, k: search(question, corpus, k)


def _options(
    request: BenchRequest,
    prepared: Prepared,
    strategies: Mapping[str, Retrieve],
    reader: Reader | None,
    top_k: int,
) -> BenchOptions:
    by_paths = any(question.gold_paths for question in prepared.data_set.questions)
    return BenchOptions(
        strategies=tuple(strategies),
        depth=max(request.depth or (TRIPLE_BUDGET if by_paths else DEPTH), top_k),
        top_k=top_k,
        reader=None if reader is None else reader.name,
        limit=request.limit,
        seed=request.seed,
        judge=request.judge,
        mauve=request.mauve,
    )


def _journal(
    clew: "Clew", options: BenchOptions, prepared: Prepared, settings: Mapping[str, object]
) -> Journal:
    asked = {
        "fingerprint": prepared.fingerprint,
        "corpus": prepared.corpus,
        "revision": prepared.index.revision,
        "options": options.model_dump(mode="json"),
        "settings": settings,
        "version": version("clew"),
    }
    text = json.dumps(asked, sort_keys=True, default=str)
    key = hashlib.sha256(text.encode()).hexdigest()[:12]
    name = f"{slug(prepared.data_set.name)}-{key}.jsonl"
    return Journal(clew.settings.home / "bench" / "unfinished" / name)


def _begin(journal: Journal, prepared: Prepared) -> None:
    now = datetime.now(UTC)
    run_id = f"{slug(prepared.data_set.name)}-{now:%Y%m%d-%H%M%S}-{secrets.token_hex(2)}"
    journal.begin(
        JournalHead(
            run_id=run_id, created_at=now.isoformat(timespec="milliseconds"), index=prepared.index
        )
    )
