"""The best steps, read: a model sees the question, the sentence that led there and the passage.

    ranking ─▶ its first passages ─▶ leads to them ─▶ texts ─▶ step reader ─▶ S + w · fit ─▶ order

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
from clew_cypher.searching.vectors import sentence_cosines
from clew_models.chain_ranking import ChainArrays, ChainRanking
from clew_models.chain_ranking.kernel import with_read
from clew_models.leads import Passage, leads_among
from clew_models.step_reader import StepReader, StepText

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clew.resources.resources import Resources

CHARACTERS = 320
"""Of a passage: where the lead arrives, the sentence nearest to the question, neighbours."""


def step_reader(resources: "Resources") -> StepReader:
    """Return the step reader, one for all who ask in this process."""
    settings = resources.settings
    return resources.models.get(
        "step reader",
        lambda: StepReader(threads=settings.embed_threads, precision=settings.embed_precision),
        name="chain-ranking's step reader",
    )


def with_steps_read(
    retrieval: Retrieval,
    arrays: ChainArrays,
    ranking: ChainRanking,
    options: ChainOptions,
) -> ChainRanking:
    """Return the ranking with its first ``options.led`` passages, of the documents that the
    question is asked of, ordered by their scores and by what leads to them, and the first
    ``options.read`` of these by what reading says of them, too.
    """
    selection = retrieval.resources.selection
    led = np.arange(len(ranking.places))
    if selection is not None:
        documents = arrays.document_ids[arrays.chunk_document[ranking.rows[led]]]
        led = led[[str(id_) in selection.document_ids for id_ in documents]]
    led = led[: max(options.led, options.read)]
    if len(led) < 2:
        return ranking
    with retrieval.step("leads") as detail:
        ids = [str(id_) for id_ in arrays.graph.chunk_ids[ranking.rows[led]]]
        steps = dict(zip(ids, steps_to(retrieval, ids), strict=True))
        fits = np.array([step.fit for step in steps.values()])
        ranking = with_read(ranking, led, options.lead_weight * fits)
        detail["passages"] = len(led)
    if not options.read:
        return ranking
    with retrieval.step("read steps") as detail:
        read = np.arange(min(options.read, len(led)))
        texts = [steps[str(id_)].text for id_ in arrays.graph.chunk_ids[ranking.rows[read]]]
        fits = step_reader(retrieval.resources).fits(retrieval.question, texts)
        detail["passages"] = len(read)
    return with_read(ranking, read, options.read_weight * fits)


class Step(NamedTuple):
    """A step to a passage: what is read of it, and how well it fits by what leads there (of
    `leads_among`)."""

    text: StepText
    fit: float


def steps_to(retrieval: Retrieval, ids: "Sequence[str]") -> list[Step]:
    """Return the steps to the passages ``ids``, best first; of one that is gone, nothing."""
    store, corpus = retrieval.resources.store, retrieval.corpus.name
    with ThreadPoolExecutor(1) as pool:  # neither waits for the other
        reading = pool.submit(sentence_cosines, store, corpus, ids, retrieval.vector)
        rows = {row["id"]: row for row in retrieval.rows_of(ids)}
    sentences = reading.result()
    passages = [
        Passage(rows[id_]["title"], sentences.get(id_, ())) if id_ in rows else Passage("", ())
        for id_ in ids
    ]
    steps = []
    leads = leads_among(retrieval.question, passages)
    for id_, passage, (lead, fit) in zip(ids, passages, leads, strict=True):
        if lead is not None:
            source = passages[lead.passage]
            said, _ = source.sentences[lead.sentence]
            text = stretch_at(passage.sentences, lead.arriving, CHARACTERS)
            steps.append(Step(StepText(passage.title, text, said, source.title), fit))
        else:
            text = stretch(passage.sentences, CHARACTERS)
            text = text or (rows[id_]["text"][:CHARACTERS] if id_ in rows else "")
            steps.append(Step(StepText(passage.title, text), fit))
    return steps
