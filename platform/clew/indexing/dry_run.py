"""What an ingest would do, cost and take, before it is done: `clew ingest --dry-run`."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from clew.indexing.corpora import present_extractor
from clew.indexing.extractors import check_extractor, fingerprint_of, opened_extraction
from clew.indexing.limits import limits_of
from clew.indexing.pace import (
    LEAST_TRIPLES,
    Pace,
    calibrated_pace,
    measured_pace,
    measured_triple_pace,
)
from clew.results.ingest import DryRun, FailingDocument, SkippedSource
from clew_cypher.searching.documents import corpus_costs
from clew_ingest.pipeline.dry_run import DryRunPlan, PlannedDocument, sources_of
from clew_ingest.reading.file_reader import FileReader
from clew_ingest.reading.sources import Source
from clew_ingest.reading.triple_reader import TripleReader
from clew_ingest.triples.base import ChunkText
from clew_ingest.triples.extraction import Extraction
from clew_ingest.triples.extractor_choice import ExtractorChoice
from clew_ingest.triples.llm_extraction import LanguageModelExtraction
from clew_models.language_model import Message

if TYPE_CHECKING:
    from clew.resources.resources import Resources

SAMPLE = 24
"""Chunks that are parsed and embedded where nothing was measured yet."""

NAMED = 100
"""Documents that would fail, named in the result."""

LEAST_CALLS = 10
TOKENS_A_TRIPLE = 12
REPLY_A_TRIPLE, PARAGRAPH, ASKED_A_TRIPLE = 45, 50, 20
CALL_S = 5.0


def dry_run(
    resources: "Resources",
    sources: Sequence[str | Path | Source],
    corpus: str,
    extractor: str | None = None,
    tell: Callable[[int, int], None] = lambda done, total: None,
    *,
    as_triples: bool = False,
) -> DryRun:
    """Read sources as an ingest would and say what it would do; nothing is stored or asked.

    ``extractor``: for a corpus that is new; ``as_triples``: as of `accept`; ``tell``: called with
    documents done and sources in all. Raises as ``Clew.accept``.
    """
    settings, store = resources.settings, resources.store
    spec = present_extractor(store, settings, corpus, extractor)
    if spec is None:
        spec = check_extractor(settings, extractor or settings.extractor)
    limits = limits_of(settings)
    found, skipped = sources_of(sources, limits)
    states: Counter[str] = Counter()
    failing: list[FailingDocument] = []
    work = _Work(resources, corpus)
    chunks = kept = triples = failed = 0
    with (
        FileReader(limits) as reader,
        TripleReader(limits) as triple_reader,
        opened_extraction(resources, spec) as extraction,
    ):
        plan = DryRunPlan(
            store,
            corpus,
            reader,
            limits,
            fingerprint_of(settings, spec),
            resources.embedder.count_tokens,
            triple_reader,
            as_triples=as_triples,
        )
        for done, document in enumerate(plan.documents(found), 1):
            states[document.state] += 1
            chunks += document.chunks
            kept += document.kept_chunks
            triples += document.triples
            work.add(document, extraction)
            if document.error:
                failed += 1
                if len(failing) < NAMED:
                    failing.append(FailingDocument(uri=document.uri, error=document.error))
            tell(done, len(found))
    pace = measured_pace(store, corpus)
    if pace is None and work.samples:
        pace = calibrated_pace(
            resources.parser,
            resources.embedder,
            work.samples,
            by_rules=ExtractorChoice.parse(spec).kind == "rules",
            processes=limits.parser_processes,
        )
    stages, seconds = _times(pace, chunks, work.calls, settings.llm_concurrency)
    triple_pace = measured_triple_pace(store, corpus) if triples else None
    if triple_pace is not None:
        seconds += triple_pace.wall * triples
        for name, spent in triple_pace.stages.items():
            stages[name] = stages.get(name, 0.0) + spent * triples
    paces = [one for one in (pace, triple_pace) if one is not None]
    return DryRun(
        corpus=corpus,
        extractor=spec,
        new=states["new"],
        changed=states["changed"],
        unchanged=states["unchanged"],
        failed_before=states["failed"],
        failed=failed,
        failing=tuple(failing),
        skipped=tuple(SkippedSource(uri=item.uri, reason=item.reason) for item in skipped),
        chunks=chunks,
        kept_chunks=kept,
        triples=triples,
        text_tokens=work.text_tokens,
        llm_calls=work.calls,
        llm_cached=work.cached,
        prompt_tokens=round(work.prompt_tokens),
        completion_tokens=round(work.completion_tokens),
        seconds=round(seconds, 1),
        stages={name: round(spent, 1) for name, spent in stages.items()},
        measured=_measured(paces, triples),
        assumptions=tuple(_assumptions(work, pace, triples if triple_pace is None else 0)),
    )


class _Work:
    """What is to be done, added up; with a sample of it, spread over what comes."""

    def __init__(self, resources: "Resources", corpus: str) -> None:
        self._count = lru_cache(64)(resources.embedder.count_tokens)
        self._most = (resources.settings.llm_triple_tokens, resources.settings.llm_triplet_tokens)
        costs = corpus_costs(resources.store, corpus)
        calls = costs["llm_calls"]
        self.reply_tokens = costs["completion_tokens"] / calls if calls >= LEAST_CALLS else None
        self.calls = self.cached = self.text_tokens = 0
        self.prompt_tokens = self.completion_tokens = 0.0
        self.samples: list[tuple[str, str]] = []
        self._seen = 0
        self._step = 1

    def add(self, document: PlannedDocument, extraction: Extraction) -> None:
        """Count a document's new chunks."""
        for unit in document.units:
            self.text_tokens += unit.tokens
            self._sample(document.title, unit.text)
            if not isinstance(extraction, LanguageModelExtraction):
                continue
            parts = -(-unit.tokens // document.budget)
            for text in _parts(unit.text, parts):
                planned = extraction.plan(ChunkText(document.title, text, ()))
                self.cached += planned.cached
                self._ask(planned.asked, unit.tokens / parts)

    def _ask(self, asked: Sequence[list[Message]], text_tokens: float) -> None:
        triples = max(1.0, text_tokens / TOKENS_A_TRIPLE)
        guesses = (triples * REPLY_A_TRIPLE, triples * PARAGRAPH)
        if len(asked) == 2:  # the triples that the second call asks about are not known yet
            self.prompt_tokens += triples * ASKED_A_TRIPLE
        for number, messages in enumerate(asked, 2 - len(asked)):
            self.calls += 1
            self.prompt_tokens += sum(self._count(turn.content) for turn in messages)
            guess = min(guesses[number], self._most[number])
            self.completion_tokens += self.reply_tokens or guess

    def _sample(self, title: str, text: str) -> None:
        if self._seen % self._step == 0:
            self.samples.append((title, text[:8_000]))
            if len(self.samples) > 2 * SAMPLE:
                self.samples = self.samples[::2]
                self._step *= 2
        self._seen += 1


def _parts(text: str, count: int) -> Iterable[str]:
    length = -(-len(text) // count)
    return (text[start : start + length] for start in range(0, len(text), length))


def _times(
    pace: Pace | None, chunks: int, calls: int, concurrency: int
) -> tuple[dict[str, float], float]:
    if pace is None or not chunks:
        return {}, 0.0
    stages = {name: spent * chunks for name, spent in pace.stages.items()}
    seconds = pace.wall * chunks
    if calls:
        stages["extract"] = calls * (pace.call_s or CALL_S) / concurrency
        seconds = max(seconds, stages["extract"])
    return stages, seconds


def _measured(paces: Sequence[Pace], triples: int) -> str:
    if paces:
        return "; ".join(pace.source for pace in paces)
    return "nothing was measured yet" if triples else "nothing is to be done"


def _assumptions(work: _Work, pace: Pace | None, untimed: int) -> Iterable[str]:
    """``untimed``: triples of knowledge bases whose time nothing tells."""
    if work.calls:
        yield "Tokens are counted with the embedder's tokenizer; the model's own may differ."
        if work.reply_tokens is None:
            yield (
                f"Replies: a triple for {TOKENS_A_TRIPLE} tokens of text, {REPLY_A_TRIPLE} tokens "
                f"each, and {PARAGRAPH} for its textual triplet; this corpus has none to go by."
            )
        else:
            yield f"Replies: {work.reply_tokens:.0f} tokens a call, as in this corpus so far."
        if pace is not None and pace.call_s is None:
            yield f"A call takes {CALL_S:g} s; none was measured yet."
    if pace is not None and pace.source.startswith("a sample"):
        yield "Writing is not tried out; it counts as a share of the rest."
    if untimed:
        yield (
            f"Time without that of the {untimed} triples: no knowledge base of {LEAST_TRIPLES} or "
            "more was indexed yet."
        )
    if work.text_tokens:
        yield "Time without loading the models, and with the machine as busy as it was then."
