"""Examples whose answer is chunks: labelled questions, what is held out, and how ranks measure."""

import hashlib
import random
from collections.abc import Sequence
from typing import Any

import numpy as np

from clew.errors import InvalidRequest
from clew.results.training import TrainingFigure
from clew.strategies.learning.graph_questions import chain_question, graph_chains
from clew.strategies.learning.stored_documents import stored_passages
from clew.strategies.learning.training import FEWEST, Examples, Record, TrainingRun

DEPTH = 10
FIGURES = (
    TrainingFigure(name="ndcg", words="nDCG of the first 10 passages"),
    TrainingFigure(name="recall", words="gold passages among the first 5"),
    TrainingFigure(name="whole", words="all gold passages among the first 5"),
)


def question_examples(run: TrainingRun) -> Examples:
    """Return questions with the ids of their gold chunks, of the run's data set or of the graph:
    ``run.options`` has examples, held_out and seed. No chunk is gold on both sides.

    Raises InvalidRequest where there are too few.
    """
    wanted = run.options.examples + run.options.held_out
    run.tell(0, wanted)
    found = (
        graph_questions(run, wanted) if run.data_set is None else labelled_questions(run, wanted)
    )
    run.tell(len(found), wanted)
    return kept_apart(run, found, min(run.options.held_out, len(found) // 3))


def graph_questions(run: TrainingRun, count: int) -> list[dict[str, Any]]:
    """Return up to ``count`` questions made of the graph; gold are the chunks that state the
    triples which a question asks for.
    """
    chance = random.Random(run.options.seed)
    chains = graph_chains(run.resources.store, run.corpus, count, chance)
    found = [
        {
            "question": chain_question(chain, chance),
            "gold": sorted({one.triple.chunk_id for one in chain}),
        }
        for chain in chains
    ]
    chance.shuffle(found)
    return found


def labelled_questions(run: TrainingRun, count: int) -> list[dict[str, Any]]:
    """Return up to ``count`` questions of the run's data set with the ids of their gold chunks.

    Left out are those without gold documents, or with one that the corpus does not have.
    """
    assert run.data_set is not None
    documents = {document.key: document for document in run.data_set.documents}
    asked_for = [
        one for one in run.data_set.questions if one.gold and set(one.gold) <= {*documents}
    ]
    random.Random(run.options.seed).shuffle(asked_for)
    keys = {key for one in asked_for[: 2 * count] for key in one.gold}
    stored = stored_passages(run.resources.store, run.corpus, [documents[key] for key in keys])
    found = []
    for one in asked_for[: 2 * count]:
        if set(one.gold) <= set(stored):
            chunks = {chunk.id for key in one.gold for chunk in stored[key].chunks}
            found.append({"question": one.question, "gold": sorted(chunks)})
    return found[:count]


def kept_apart(
    run: TrainingRun, found: Sequence[Record], held_out: int, source: Record | None = None
) -> Examples:
    """Return ``held_out`` of the examples apart; no chunk is gold on both sides.

    Which ones follows from the seed and what is gold, whatever else the corpus holds: those about
    what comes first in an order of hashes. So a training after the corpus moved on holds out hardly
    any that the version before learned from. Raises InvalidRequest where too few are left to learn
    from.
    """
    drawn = [_drawn(run.options.seed, example) for example in found]
    places = sorted(range(len(found)), key=drawn.__getitem__)
    apart = [found[place] for place in sorted(places[:held_out])]
    taken = {chunk for example in apart for chunk in example["gold"]}
    learned = [found[place] for place in sorted(places[held_out:])]
    learned = [example for example in learned if taken.isdisjoint(example["gold"])]
    if len(learned) < FEWEST:
        more = "Ingest more documents, with triples (an extractor other than 'none')."
        if run.data_set is not None:
            more = (
                "Its documents must be in the corpus; without a data set, the questions are made "
                "from the corpus' graph."
            )
        elif len(found) >= run.options.examples:  # there may be more of them
            more = f"Ask for more (option examples). {more}"
        left = ""
        if apart:
            left = f"; without {len(apart)} held out and those of their passages, {len(learned)}"
        raise InvalidRequest(
            f"The corpus {run.corpus!r} makes {len(found)} questions{left}; it takes {FEWEST}.",
            remedy=more,
        )
    return Examples(learned, apart, source or {})


def _drawn(seed: int, example: Record) -> str:
    """Return where an example stands in the order of hashes: with the first of its gold."""
    hashes = (hashlib.sha256(f"{seed} {id_}".encode()).hexdigest() for id_ in example["gold"])
    return min(hashes, default="")


def rank_figures(asked: Sequence[tuple[Sequence[int], int]]) -> dict[str, float]:
    """Return how well gold chunks are ranked, as means over questions.

    ``asked``: of each question the ranks (from 0, rising) of the gold chunks that were found, and
    how many there are in the corpus.
    """
    ndcg, recall, whole = [], [], []
    for ranks, wanted in asked:
        count = max(wanted, 1)
        gained = sum(1 / np.log2(2 + rank) for rank in ranks if rank < DEPTH)
        ndcg.append(gained / sum(1 / np.log2(2 + rank) for rank in range(min(count, DEPTH))))
        recall.append(sum(rank < 5 for rank in ranks) / count)
        whole.append(float(sum(rank < 5 for rank in ranks) >= count))
    return {
        "ndcg": float(np.mean(ndcg)),
        "recall": float(np.mean(recall)),
        "whole": float(np.mean(whole)),
    }
