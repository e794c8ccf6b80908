"""Tries a small cross-encoder over chain-ranking's best steps: does reading them rank better?

    python tests/benchmarks/step_cross_encoder.py DATA_DIR [--questions 1000] [--write]

The 20 best passages of chain-ranking, each with the step that led there (the sentence that leads
on, the one that it leads to, the passage), are read together with the question by a model of
MiniLM's size that begins as the reader's span model. It learns from questions made from the graph
of the corpus ``--learn``: a gold passage against others of the 20. What it says is added to the
score by the weight that ranks held-out made questions best (nDCG); then both are measured on
HotpotQA-100 and MuSiQue-100, from which nothing is learned.

Asks the Neo4j of CLEW_TEST_NEO4J_URI and _PASSWORD, which holds the corpora wiki (2wiki-corpus),
hotpotqa-100 and musique-100 (``graph_network_learning.py`` leaves one behind). ``--write`` writes
``results/step-cross-encoder.json``.
"""

import argparse
import json
import os
import random
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from graph_network_learning import DEPTHS, SETS, labelled
from numpy.typing import NDArray
from pydantic import SecretStr

from clew.clew import Clew
from clew.evaluation.data_sets.loading import load_data_set
from clew.evaluation.measuring import cpu_model
from clew.settings import Settings
from clew.strategies.chain_ranking.arrays import chain_arrays
from clew.strategies.chain_ranking.options import ChainOptions
from clew.strategies.chain_ranking.question import asked as asked_of
from clew.strategies.chain_ranking.weights import weights_for
from clew.strategies.graph_network.examples import graph_questions
from clew.strategies.graph_network.training import NetworkTrainingOptions
from clew.strategies.learning.gold_chunks import kept_apart, rank_figures
from clew.strategies.learning.training import Record, TrainingRun
from clew.strategies.retrieval import Retrieval
from clew.strategies.seeds import find_seeds
from clew_cypher.searching.chunks import chunks_by_id
from clew_cypher.searching.ties import sentences_by_id
from clew_models.chain_ranking import rank_chains
from clew_models.chain_ranking.steps import best_steps
from clew_models.runs import padded
from clew_models.span_reader.encoder import SpanModel
from clew_models.span_reader.weights import all_weights
from clew_models.span_reader.windows import plain_tokenizer, question_ids, windows_of

RESULT = Path(__file__).parent / "results" / "step-cross-encoder.json"
READ = 20
"""Best steps that are read."""
LONGEST = 250
"""Characters of a step with its passage that are read."""
NEGATIVES, TOGETHER = 4, 4
"""Other passages for each gold one, and questions of a step of the training."""
RATE, HEAD_RATE, WARM_UP = 5e-5, 5e-4, 20
HELD_OUT = 0.2
WEIGHTS = (0.0, 0.1, 0.2, 0.3, 0.5, 0.7, 1.0, 1.5, 2.0, 3.0)


@dataclass(frozen=True)
class Ranked:
    """A question, what chain-ranking found for it (title, text of the step), and which is gold."""

    question: str
    read: Sequence[tuple[str, str]]
    scores: NDArray[np.float64]
    gold: NDArray[np.bool_]
    wanted: int


def ranked(clew: Clew, corpus: str, record: Record) -> Ranked:
    """Return the best passages of chain-ranking, with their steps as texts."""
    resources = clew.resources
    options = resources.settings.options(ChainOptions)
    retrieval = Retrieval(resources, "chain-ranking", record["question"], corpus, READ)
    arrays = chain_arrays(resources).snapshot(retrieval.corpus).value
    weights = weights_for(resources, corpus)
    ranking = rank_chains(
        arrays,
        asked_of(retrieval, arrays, find_seeds(retrieval, options.dense_weight), options),
        weights,
        damping=options.damping,
        temperature=options.temperature,
        pool=options.pool,
        predecessors=options.predecessors,
        limit=READ,
    )
    ids = [str(id_) for id_ in arrays.graph.chunk_ids[ranking.rows]]
    last = {way[-1].chunk: way[-1] for way in best_steps(arrays, ranking, weights, ids) if way}
    told = {id_ for step in last.values() for id_ in (step.leaving, step.arriving) if id_}
    sentences = sentences_by_id(resources.store, corpus, told)
    rows = {row["id"]: row for row in chunks_by_id(resources.store, corpus, ids)}
    read = []
    for id_ in ids:
        step = last.get(id_)
        parts = [step.leaving, step.arriving] if step else []
        texts = [sentences[part].text for part in parts if part in sentences]
        text = " ".join([*texts, rows[id_]["text"]])
        read.append((rows[id_]["title"] or "", text[:LONGEST]))
    gold = np.isin(ids, record["gold"])
    return Ranked(record["question"], read, ranking.scores[: len(ids)], gold, len(record["gold"]))


class CrossEncoder:
    """The span model's layers, whose first state of a window says whether it belongs there."""

    def __init__(self) -> None:
        self.model = SpanModel(all_weights())
        self.model.load_arrays(all_weights())
        torch.nn.init.normal_(self.model.head.weight, std=0.02)
        torch.nn.init.zeros_(self.model.head.bias)
        self._tokenizer = plain_tokenizer()

    def logits(self, question: str, read: Sequence[tuple[str, str]]) -> torch.Tensor:
        """Return one number for each text."""
        return self._logits([question] * len(read), read)

    def _logits(self, questions: Sequence[str], read: Sequence[tuple[str, str]]) -> torch.Tensor:
        asked, asked_mask = padded([question_ids(self._tokenizer, one) for one in questions])
        rows = [windows_of(self._tokenizer, *one)[0].ids for one in read]
        window, window_mask = padded(rows)
        arrays = (asked, asked_mask, window, window_mask)
        out: torch.Tensor = self.model(*map(torch.from_numpy, arrays))[:, 0, 0]
        return out

    def learn(self, examples: Sequence[Ranked], seed: int) -> list[float]:
        """Go through the examples once and return the losses of the steps."""
        chance = random.Random(seed)
        groups = []
        for one in examples:
            others = np.flatnonzero(~one.gold).tolist()
            for place in np.flatnonzero(one.gold):
                groups.append((one, [int(place), *chance.sample(others, NEGATIVES)]))
        chance.shuffle(groups)
        optimizer = torch.optim.AdamW(
            [
                {"params": list(self.model.layers.parameters()), "rate": RATE},
                {
                    "params": [self.model.segments, *self.model.head.parameters()],
                    "rate": HEAD_RATE,
                },
            ],
            lr=RATE,
            weight_decay=0.01,
        )
        steps = [groups[at : at + TOGETHER] for at in range(0, len(groups), TOGETHER)]
        losses: list[float] = []
        for step, batch in enumerate(steps):
            left = min(1.0, (step + 1) / WARM_UP) * (1 - step / len(steps))
            for group in optimizer.param_groups:
                group["lr"] = group["rate"] * left
            questions = [one.question for one, places in batch for _ in places]
            read = [one.read[place] for one, places in batch for place in places]
            logits = self._logits(questions, read).view(len(batch), 1 + NEGATIVES)
            loss = torch.nn.functional.cross_entropy(
                logits, torch.zeros(len(batch), dtype=torch.long)
            )
            optimizer.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
            optimizer.step()
            losses.append(float(loss.detach()))
            if (step + 1) % 20 == 0:
                print(step + 1, len(steps), round(float(np.mean(losses[-20:])), 3), flush=True)
        return losses

    def says(self, examples: Sequence[Ranked]) -> list[NDArray[np.float64]]:
        """Return what it says of each example's texts."""
        with torch.inference_mode():
            return [self.logits(one.question, one.read).double().numpy() for one in examples]


def orders(
    examples: Sequence[Ranked], said: Sequence[NDArray[np.float64]], weight: float
) -> list[tuple[list[int], int]]:
    """Return the places of gold of each example, with what is said added by ``weight``."""
    found = []
    for one, more in zip(examples, said, strict=True):
        order = np.argsort(-(one.scores + weight * more), kind="stable")
        found.append((np.flatnonzero(one.gold[order]).tolist(), one.wanted))
    return found


def recall(places: Sequence[tuple[list[int], int]]) -> list[float]:
    """Return the mean share of gold among the first 2, 5 and 10, in percent."""
    return [
        round(100 * float(np.mean([sum(p < depth for p in one) / of for one, of in places])), 1)
        for depth in DEPTHS
    ]


def main() -> None:
    """Rank, learn, choose the weight, measure, print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data_dir", type=Path)
    parser.add_argument("--learn", default="wiki")
    parser.add_argument("--questions", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--home", type=Path, default=Path(".clew"))
    parser.add_argument("--cache", type=Path, default=None)
    parser.add_argument("--write", action="store_true")
    asked = parser.parse_args()
    torch.manual_seed(asked.seed)
    torch.set_num_threads(1)
    changed = {"cache_dir": asked.cache} if asked.cache else {}
    settings = Settings.load(
        home=asked.home,
        neo4j_uri=os.environ["CLEW_TEST_NEO4J_URI"],
        neo4j_password=SecretStr(os.environ["CLEW_TEST_NEO4J_PASSWORD"]),
        **changed,
    )
    with Clew(settings) as clew:
        made, _ = graph_questions(
            clew.resources.store, asked.learn, asked.questions, asked.seed, 0.6
        )
        run = TrainingRun(clew.resources, asked.learn, Path(), NetworkTrainingOptions())
        parts = kept_apart(run, made, round(len(made) * HELD_OUT))
        held_out = [ranked(clew, asked.learn, one) for one in parts.held_out]
        learned = [ranked(clew, asked.learn, one) for one in parts.learned]
        measured = {
            name: [
                ranked(clew, name, one)
                for one in labelled(clew, name, load_data_set(str(asked.data_dir / name)))
            ]
            for name in SETS
        }
    print(len(learned), "learned,", len(held_out), "held out", flush=True)
    model = CrossEncoder()
    started = time.monotonic()
    losses = model.learn(learned, asked.seed)
    seconds = time.monotonic() - started
    said = model.says(held_out)
    by_weight = {w: rank_figures(orders(held_out, said, w))["ndcg"] for w in WEIGHTS}
    weight = max(by_weight, key=lambda w: by_weight[w])
    figures: dict[str, Any] = {
        "learned": len(learned),
        "held_out": len(held_out),
        "training_seconds": round(seconds),
        "last_losses": round(float(np.mean(losses[-50:])), 3),
        "held_out_ndcg_by_weight": {str(w): round(n, 4) for w, n in by_weight.items()},
        "weight": weight,
    }
    for name, examples in measured.items():
        started = time.monotonic()
        said = model.says(examples)
        figures[name] = {
            "chain-ranking": recall(orders(examples, said, 0.0)),
            "with what it says": recall(orders(examples, said, weight)),
            "by weight": {str(w): recall(orders(examples, said, w)) for w in WEIGHTS},
            "ms a question": round(1000 * (time.monotonic() - started) / len(examples)),
        }
    figures["processor"] = cpu_model()
    print(json.dumps(figures, indent=1))
    if asked.write:
        RESULT.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
