"""A run of the bench from the request to the kept run."""

import hashlib
import json
import random
import secrets
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from importlib.metadata import version
from typing import TYPE_CHECKING

from clew.answering.asking import part_search
from clew.answering.base import Reader, build_reader
from clew.evaluation.ablations import study_of
from clew.evaluation.asking import Asker, Retrieve
from clew.evaluation.assembling import assemble
from clew.evaluation.bench import Bench
from clew.evaluation.data_set_corpus import slug
from clew.evaluation.journal import Journal, JournalHead
from clew.evaluation.measuring import (
    MemoryWatch,
    neo4j_process,
    recorded_settings,
    trained_versions,
)
from clew.evaluation.preparing import Prepared, prepare
from clew.evaluation.request import NO_READER, BenchRequest
from clew.evaluation.request_checks import check_request
from clew.evaluation.run import (
    DEPTH,
    TRIPLE_BUDGET,
    AblationStudy,
    BenchOptions,
    BenchRun,
)
from clew.evaluation.runs import save_run
from clew.evaluation.tracking import Tell, Tracker
from clew.resources.connecting import connection
from clew.resources.language_models import JUDGE
from clew.results.data_set import BenchQuestion
from clew.results.evidence import Evidence
from clew.strategies.catalogue import STRATEGIES
from clew.strategies.paths import with_paths
from clew.strategies.searching import retrieve, unaskable

if TYPE_CHECKING:
    from clew.resources.resources import Resources

Search = Callable[[str, str, int], Evidence]
"""Finds evidence: (question, corpus, chunks)."""


def run_bench(
    resources: "Resources",
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
    check_request(resources.settings, request)
    reader = _reader(resources, request)
    model = resources.language_model(JUDGE) if request.judge else None
    resources.prepare_graph()
    tracker = Tracker(tell)
    watch = MemoryWatch(neo4j_process(connection(resources.settings).neo4j.uri))
    with watch.watching():
        prepared = prepare(resources, request, tracker, cancelled)
        every = strategies is None and not (request.strategies or request.ablations)
        left_out = unaskable(resources.settings) if every else {}
        not_asked = [f"Not asked: {name}. {why.message}" for name, why in left_out.items()]
        trained = trained_versions(resources.settings, prepared.corpus)
        serving = [
            f"Trained here, and serving this corpus: {name} {one}." for name, one in trained.items()
        ]
        prepared = replace(
            prepared, trained=trained, notices=(*prepared.notices, *not_asked, *serving)
        )
        study = _study(resources, request, strategies)
        rows = {} if strategies is not None else _rows(resources, request, study, left_out)
        retrieves = _retrieves(rows, strategies or {}, prepared.corpus)
        options = _options(request, prepared, retrieves, reader, resources.settings.top_k, study)
        with _journal(resources, options, prepared) as journal:
            if request.fresh:
                journal.clear()
            tracker.run_id = _begin(journal, prepared)
            questions = drawn(prepared.data_set.questions, options.limit, options.seed)
            Bench(
                store=resources.store,
                corpus=prepared.corpus,
                strategies=retrieves,
                questions=questions,
                asker=_asker(options, prepared, reader, rows, _readers(rows, request, study)),
                journal=journal,
                tracker=tracker,
                memory=watch,
                judge=model,
                cancelled=cancelled,
            ).run()
            run = assemble(resources, options, prepared, questions, journal)
            save_run(resources.store, run)
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


def _reader(resources: "Resources", request: BenchRequest) -> Reader | None:
    return None if request.reader == NO_READER else build_reader(resources, request.reader)


def _readers(
    rows: Mapping[str, "_Row"], request: BenchRequest, study: AblationStudy | None
) -> dict[str, Reader]:
    """Return the reader of each variant: what is otherwise in it may be who answers."""
    if study is None or request.reader == NO_READER:
        return {}
    return {
        variant.name: build_reader(rows[variant.name].resources, request.reader)
        for variant in study.variants
    }


@dataclass(frozen=True)
class _Row:
    """What a row of the table asks: a strategy, under the settings of ``resources``."""

    strategy: str
    resources: "Resources"


def _study(
    resources: "Resources", request: BenchRequest, given: Mapping[str, Search] | None
) -> AblationStudy | None:
    if request.ablations is None or given is not None:
        return None
    return study_of(resources.settings, request.ablations)


def _rows(
    resources: "Resources",
    request: BenchRequest,
    study: AblationStudy | None,
    left_out: Collection[str],
) -> dict[str, _Row]:
    if study is None:
        names = request.strategies or tuple(
            spec.name for spec in STRATEGIES if spec.name not in left_out
        )
        return {name: _Row(name, resources) for name in names}
    return {study.strategy: _Row(study.strategy, resources)} | {
        variant.name: _Row(study.strategy, resources.under(**variant.settings))
        for variant in study.variants
    }


def _search(row: _Row, corpus: str, question: str, k: int) -> Evidence:
    """As `search`, but deeper: paths join what a reader is handed, not all that is ranked."""
    evidence = retrieve(row.resources, question, corpus, row.strategy, k)
    return with_paths(row.resources.store, evidence, row.resources.settings.top_k)


def _retrieves(
    rows: Mapping[str, _Row], given: Mapping[str, Search], corpus: str
) -> dict[str, Retrieve]:
    """Return what is measured, by name: Clew's strategies, or those that were given in place."""
    own = {name: partial(_search, row, corpus) for name, row in rows.items()}
    return own | {name: _on_corpus(search, corpus) for name, search in given.items()}


def _asker(
    options: BenchOptions,
    prepared: Prepared,
    reader: Reader | None,
    rows: Mapping[str, _Row],
    readers: Mapping[str, Reader],
) -> Asker:
    """Return what asks; readers search again for parts of a question by Clew's strategies alone."""
    return Asker(
        reader,
        options.depth,
        options.top_k,
        prepared.data_set.unit,
        prepared.keys,
        parts=(lambda name, evidence: part_search(rows[name].resources, evidence))
        if rows
        else None,
        readers=readers,
    )


def _on_corpus(search: Search, corpus: str) -> Retrieve:
    return lambda question, k: search(question, corpus, k)


def _options(
    request: BenchRequest,
    prepared: Prepared,
    strategies: Mapping[str, Retrieve],
    reader: Reader | None,
    top_k: int,
    study: AblationStudy | None,
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
        ablations=study,
    )


def _journal(
    resources: "Resources",
    options: BenchOptions,
    prepared: Prepared,
) -> Journal:
    asked = {
        "fingerprint": prepared.fingerprint,
        "corpus": prepared.corpus,
        "revision": prepared.index.revision,
        "options": options.model_dump(mode="json"),
        "settings": recorded_settings(resources.settings),
        "trained": prepared.trained,
        "version": version("clew"),
    }
    text = json.dumps(asked, sort_keys=True, default=str)
    key = hashlib.sha256(text.encode()).hexdigest()[:12]
    name = f"{slug(prepared.data_set.name)}-{key}.jsonl"
    return Journal(resources.settings.home / "bench" / "unfinished" / name)


def _begin(journal: Journal, prepared: Prepared) -> str:
    """Begin a session; return the id of the run, which is that of its first."""
    now = datetime.now(UTC)
    run_id = f"{slug(prepared.data_set.name)}-{now:%Y%m%d-%H%M%S}-{secrets.token_hex(2)}"
    journal.begin(
        JournalHead(
            run_id=run_id, created_at=now.isoformat(timespec="milliseconds"), index=prepared.index
        )
    )
    assert journal.content.head is not None
    return journal.content.head.run_id
