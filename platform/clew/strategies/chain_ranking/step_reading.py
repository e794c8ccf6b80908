"""The best steps, read: a model sees the question, the sentence that led there and the passage.

    ranking ─▶ steps to its first passages ─▶ their texts ─▶ step reader ─▶ S + w · fit ─▶ order

Words, names and nearness tell what a passage is about, and not whether the sentence that leads
there is the one that the question means. Source: Nogueira and Cho, Passage Re-ranking with BERT
(2019); what is read is a step.
"""

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import numpy as np

from clew.strategies.chain_ranking.options import ChainOptions
from clew.strategies.retrieval import Retrieval
from clew.strategies.stretches import stretch
from clew_cypher.searching.ties import sentences_by_id
from clew_cypher.searching.vectors import sentence_cosines
from clew_models.chain_ranking import ChainArrays, ChainRanking, ChainWeights
from clew_models.chain_ranking.kernel import with_read
from clew_models.chain_ranking.steps import best_steps
from clew_models.step_reader import StepReader, StepText

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clew.resources.resources import Resources

CHARACTERS = 320
"""Of a passage: the sentence nearest to the question, with its neighbours."""


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
    weights: ChainWeights,
    options: ChainOptions,
) -> ChainRanking:
    """Return the ranking with its first ``options.read`` passages, of the documents that the
    question is asked of, ordered by their scores and by what reading says of them.
    """
    selection = retrieval.resources.selection
    read = np.arange(len(ranking.places))
    if selection is not None:
        documents = arrays.document_ids[arrays.chunk_document[ranking.rows[read]]]
        read = read[[str(id_) in selection.document_ids for id_ in documents]]
    read = read[: options.read]
    if len(read) < 2:
        return ranking
    with retrieval.step("read steps") as detail:
        ids = [str(id_) for id_ in arrays.graph.chunk_ids[ranking.rows[read]]]
        texts = step_texts(retrieval, arrays, ranking, weights, ids)
        fits = step_reader(retrieval.resources).fits(retrieval.question, texts)
        detail["passages"] = len(read)
    return with_read(ranking, read, options.read_weight * fits)


def step_texts(
    retrieval: Retrieval,
    arrays: ChainArrays,
    ranking: ChainRanking,
    weights: ChainWeights,
    ids: "Sequence[str]",
) -> list[StepText]:
    """Return what is read of the passages ``ids``, in their order; of one that is gone, nothing."""
    store, corpus = retrieval.resources.store, retrieval.corpus.name
    last = {way[-1].chunk: way[-1] for way in best_steps(arrays, ranking, weights, set(ids)) if way}
    leaving = {id_: step.leaving for id_, step in last.items() if step.leaving}
    before = {id_: step.before for id_, step in last.items() if step.leaving and step.before}
    # the explanation tells what is arrived at, too
    told = {id_ for step in last.values() for id_ in (step.leaving, step.arriving) if id_}
    vector = retrieval.vector
    with ThreadPoolExecutor(2) as pool:  # none waits for another
        reading = pool.submit(sentence_cosines, store, corpus, ids, vector)
        quoting = pool.submit(sentences_by_id, store, corpus, told)
        rows = {row["id"]: row for row in retrieval.rows_of([*ids, *before.values()])}
    retrieval.keep(sentences=quoting.result())
    sentences, leads = reading.result(), retrieval.sentences_of(told)

    def text_of(id_: str) -> StepText:
        row = rows.get(id_)
        if row is None:
            return StepText("", "")
        text = stretch(sentences.get(id_, []), CHARACTERS) or row["text"][:CHARACTERS]
        lead, source = leads.get(leaving.get(id_, "")), rows.get(before.get(id_, ""))
        if lead is None or source is None:
            return StepText(row["title"], text)
        return StepText(row["title"], text, lead.text, source["title"])

    return [text_of(id_) for id_ in ids]
