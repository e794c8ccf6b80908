"""The best steps, read: a model sees the question, the sentence that led there and the passage.

    ranking ─▶ its first passages ─▶ leads to them ─▶ texts ─▶ step reader ─▶ S + w · fit ─▶ order
                      └─▶ further ones ─▶ ┘

Words, names and nearness tell what a passage is about, and not whether the sentence that leads
there is the one that the question means. Source: Nogueira and Cho, Passage Re-ranking with BERT
(2019); what is read is a step.
"""

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from clew.strategies.chain_ranking.options import ChainOptions
from clew.strategies.retrieval import Retrieval
from clew.strategies.stretches import stretch, stretch_at
from clew_cypher.searching.vectors import NearSentence, sentence_cosines
from clew_models.chain_ranking import ChainArrays, ChainRanking
from clew_models.chain_ranking.further import further_chunks
from clew_models.chain_ranking.kernel import with_further, with_read
from clew_models.chain_ranking.steps import ChainStep
from clew_models.leads import Lead, Passage, leads_among
from clew_models.step_reader import StepReader, StepText

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from clew.resources.resources import Resources

CHARACTERS = 320
"""Of a passage: where the lead arrives, the sentence nearest to the question, neighbours."""
FURTHER, AS_GOOD, AS_PLACE = 4, 5, 8
"""Further passages that come in, the most: such as fit better with what leads to them than the
fifth best of the first ones; and which of these has by itself the score that they begin with."""


def step_reader(resources: "Resources") -> StepReader:
    """Return the step reader, one for all who ask in this process."""
    settings = resources.settings
    return resources.models.get(
        "step reader",
        lambda: StepReader(threads=settings.embed_threads, precision=settings.embed_precision),
        name="chain-ranking's step reader",
    )


class StepsRead(NamedTuple):
    """A ranking with its first steps read, and the steps to passages (ids) by what leads there."""

    ranking: ChainRanking
    led: dict[str, ChainStep]


class PassageRead(NamedTuple):
    """A passage as the database has it: its chunk, and the chunk's sentences in order."""

    id: str
    title: str
    text: str
    sentences: "Sequence[NearSentence]"


class Step(NamedTuple):
    """A step to a passage (id): what is read of it, how well it fits by what leads there (of
    `leads_among`), and from where, where anything does."""

    id: str
    text: StepText
    fit: float
    led: ChainStep | None


class LedRanking(NamedTuple):
    """A ranking whose first passages are ordered by what leads to them, too: the steps to these and
    to those that were looked at (by the ids of their chunks), how many these first ones are, and
    how many of them came in from behind."""

    ranking: ChainRanking
    steps: dict[str, Step]
    first: int
    came: int


def with_steps_read(
    retrieval: Retrieval,
    arrays: ChainArrays,
    ranking: ChainRanking,
    options: ChainOptions,
) -> StepsRead:
    """Return the ranking `with_leads`, and its first ``options.read`` passages, and as many more as
    came in, ordered by what reading says of them, too.
    """
    ranking, steps, first, came = with_leads(retrieval, arrays, ranking, options)
    if options.read and first:
        with retrieval.step("read steps") as detail:
            read = np.arange(min(options.read, first - came) + came)
            texts = [steps[id_].text for id_ in _ids(arrays, ranking.rows[read])]
            said = step_reader(retrieval.resources).fits(retrieval.question, texts)
            ranking = with_read(ranking, read, options.read_weight * said)
            detail["passages"] = len(read)
    return StepsRead(ranking, {step.id: step.led for step in steps.values() if step.led})


def with_leads(
    retrieval: Retrieval,
    arrays: ChainArrays,
    ranking: ChainRanking,
    options: ChainOptions,
) -> LedRanking:
    """Return the ranking with its first ``options.led`` passages, of the documents that the
    question is asked of, and what came in of ``options.further`` other ones, ordered by their
    scores and by what leads to them; where there is but one passage, as it is.
    """
    asked = _asked_of(retrieval, arrays)
    led = np.flatnonzero(asked[ranking.rows[: len(ranking.places)]])
    led = led[: max(options.led, options.read)]
    if len(led) < 2:
        return LedRanking(ranking, {}, 0, 0)
    level = float(ranking.scores[led[min(AS_PLACE, len(led)) - 1]])
    with retrieval.step("leads") as detail:
        passages = passages_of(retrieval, _ids(arrays, ranking.rows[led]))
        further = np.zeros(0, dtype=np.int64)
        if options.further and options.led:
            asked[ranking.rows[led]] = False
            best = [_compared(passage) for passage in passages]
            further = further_chunks(
                arrays, ranking.asked, retrieval.question, best, asked, options.further
            )
            passages += passages_of(retrieval, _ids(arrays, further))
        steps = steps_among(retrieval.question, passages)
        fits = np.array([step.fit for step in steps])
        ranking = with_read(ranking, led, options.lead_weight * fits[: len(led)])
        came = _as_good(steps, len(led))
        if len(came):
            scores = level + options.lead_weight * fits[came]
            ranking = with_further(ranking, len(led), further[came - len(led)], scores)
        detail["passages"] = len(led) + len(came)
    return LedRanking(ranking, {step.id: step for step in steps}, len(led) + len(came), len(came))


def passages_of(retrieval: Retrieval, ids: "Sequence[str]") -> list[PassageRead]:
    """Return the passages ``ids``, in their order; of one that is gone, nothing but its id."""
    if not ids:
        return []
    store, corpus = retrieval.resources.store, retrieval.corpus.name
    with ThreadPoolExecutor(1) as pool:  # neither waits for the other
        reading = pool.submit(sentence_cosines, store, corpus, ids, retrieval.vector)
        rows = {row["id"]: row for row in retrieval.rows_of(ids)}
    sentences = reading.result()
    return [
        PassageRead(id_, rows[id_]["title"], rows[id_]["text"], sentences.get(id_, ()))
        if id_ in rows
        else PassageRead(id_, "", "", ())
        for id_ in ids
    ]


def steps_among(question: str, passages: "Sequence[PassageRead]") -> list[Step]:
    """Return the steps to ``passages``, which are given best ranked first."""
    compared = [_compared(passage) for passage in passages]
    return [
        Step(
            id=own.id,
            text=_text(compared, place, lead) or StepText(own.title, own.text[:CHARACTERS]),
            fit=fit,
            led=None if lead is None else _step(passages, own, lead),
        )
        for place, (own, (lead, fit)) in enumerate(
            zip(passages, leads_among(question, compared), strict=True)
        )
    ]


def _asked_of(retrieval: Retrieval, arrays: ChainArrays) -> "NDArray[np.bool_]":
    """Return which chunks [C] are of the documents that the question is asked of."""
    selection = retrieval.resources.selection
    if selection is None:
        return np.ones(len(arrays.chunk_document), dtype=bool)
    found = np.zeros(len(arrays.chunk_document), dtype=bool)
    found[arrays.chunks_of(list(selection.document_ids))] = True
    return found


def _ids(arrays: ChainArrays, rows: "NDArray[np.integer]") -> list[str]:
    return [str(id_) for id_ in arrays.graph.chunk_ids[rows]]


def _as_good(steps: "Sequence[Step]", first: int) -> "NDArray[np.int64]":
    """Return those of ``steps`` past the ``first`` ones that come in, the best first."""
    ranked = {step.id for step in steps[:first]}
    least = sorted((step.fit for step in steps[:first]), reverse=True)[min(AS_GOOD, first) - 1]
    new = [
        place
        for place, step in enumerate(steps)
        if place >= first and step.led and step.led.before in ranked and step.fit >= least
    ]
    new.sort(key=lambda place: -steps[place].fit)
    return np.array(new[:FURTHER], dtype=np.int64)


def _compared(passage: PassageRead) -> Passage:
    return Passage(passage.title, [(one.text, one.cosine) for one in passage.sentences])


def _text(passages: "Sequence[Passage]", place: int, lead: Lead | None) -> StepText | None:
    """Return what is read of a passage with its lead; None where it has no sentence."""
    passage = passages[place]
    if lead is None:
        near = stretch(passage.sentences, CHARACTERS)
        return StepText(passage.title, near) if near else None
    source = passages[lead.passage]
    said, _ = source.sentences[lead.sentence]
    text = stretch_at(passage.sentences, lead.arriving, CHARACTERS)
    return StepText(passage.title, text, said, source.title)


def _step(passages: "Sequence[PassageRead]", own: PassageRead, lead: Lead) -> ChainStep:
    source = passages[lead.passage]
    return ChainStep(
        chunk=own.id,
        before=source.id,
        kind="led",
        leaving=source.sentences[lead.sentence].id,
        arriving=own.sentences[lead.arriving].id,
    )
