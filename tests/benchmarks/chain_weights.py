"""Fits chain-ranking's weights to questions that no figure is reported on.

    python tests/benchmarks/chain_weights.py DATA_DIR CACHE_DIR [--passages 2500] [--write]

Data: 800 questions made from the graph of passages of 2wiki-corpus, half of them of two hops, 400
of xquad-en's first 24 articles, by people, and the 284 that have an answer on four shared drives
(`shared_drives.py`). Prints, for several strengths, the loss and nDCG of what each of five folds
was not fitted to, the weights that all of it gives, and the figures of these and of the round
numbers (the defaults of `chain_…`) on the three kinds of questions. HotpotQA, MuSiQue, the sample,
XQuAD's other articles and the other two drives are not touched: figures are reported on those.
Starts a database under ``--work``. ``--write`` writes ``results/chain-weights.json``.
"""

import argparse
import json
import random
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from pydantic import SecretStr
from shared_drives import QUESTIONS, ingest

from clew.clew import Clew
from clew.evaluation.data_set_corpus import index
from clew.evaluation.data_sets.loading import load_data_set
from clew.settings import Settings
from clew.strategies.chain_ranking.arrays import chain_arrays
from clew.strategies.chain_ranking.options import ChainOptions
from clew.strategies.chain_ranking.spec import SPEC
from clew.strategies.chain_ranking.training import figures, signs
from clew.strategies.chain_ranking.weights import round_weights
from clew.strategies.learning.graph_questions import chain_question, graph_chains
from clew.strategies.retrieval import Retrieval
from clew_cypher.embedded import EmbeddedNeo4j
from clew_models.chain_ranking import ChainWeights
from clew_models.chain_ranking.fit import ChainExample, fit, loss_of

REPOSITORY = Path(__file__).parents[2]
RESULT = Path(__file__).parent / "results" / "chain-weights.json"
STRENGTHS = (30.0, 100.0, 200.0, 300.0, 1000.0)
FOLDS = 5
MADE, BY_PEOPLE, ARTICLES = 800, 400, 24
FITTED_TO = ("company", "clinic", "school", "software")
"""The shared drives that are fitted to."""


def made(clew: Clew, data: Path, passages: int, work: Path) -> list[ChainExample]:
    """Return questions made from the graph of 2WikiMultihopQA's passages."""
    rows = json.loads((data / "2wiki-corpus" / "corpus.json").read_text())[:passages]
    file = work / "wiki.jsonl"
    records = [json.dumps({"title": row["title"], "text": row["text"]}) for row in rows]
    file.write_text("\n".join(records), encoding="utf-8")
    clew.ingest(file, corpus="wiki")
    chance = random.Random(5)
    chains = graph_chains(clew.resources.store, "wiki", MADE, chance)
    questions = [
        {
            "question": chain_question(chain, chance),
            "gold": sorted({one.triple.chunk_id for one in chain}),
        }
        for chain in chains
    ]
    return signs(clew.resources, "wiki", questions)


def asked_of_articles(data: Path, count: int) -> set[str]:
    """Return the questions of XQuAD's first articles."""
    articles = json.loads((data / "xquad-en" / "xquad.en.json").read_text())["data"]
    return {
        asked["question"].strip()
        for article in articles[:count]
        for paragraph in article["paragraphs"]
        for asked in paragraph["qas"]
    }


def by_people(clew: Clew, data: Path) -> list[ChainExample]:
    """Return questions of XQuAD's first articles, asked of all its paragraphs."""
    data_set = load_data_set(str(data / "xquad-en"))
    keys = index(clew.resources, "xquad", data_set.documents, 0).keys
    chunks = chunks_by_key(clew, "xquad", keys)
    first = asked_of_articles(data, ARTICLES)
    questions = [
        {"question": one.question, "gold": [id_ for key in one.gold for id_ in chunks[key]]}
        for one in data_set.questions
        if one.question.strip() in first
    ]
    questions = random.Random(2).sample(questions, BY_PEOPLE)
    return signs(clew.resources, "xquad", questions)


def of_drives(clew: Clew) -> list[ChainExample]:
    """Return the questions of the shared drives that are fitted to."""
    rows = [json.loads(line) for line in QUESTIONS.read_text(encoding="utf-8").splitlines()]
    found = []
    for drive in FITTED_TO:
        corpus = f"drive-{drive}"
        chunks = chunks_by_key(clew, corpus, ingest(clew, drive))
        questions = [
            {
                "question": row["question"],
                "gold": [c for file in row["files"] for c in chunks[file]],
            }
            for row in rows
            if row["set"] == drive and row["files"]
        ]
        found += signs(clew.resources, corpus, questions)
    return found


def chunks_by_key(clew: Clew, name: str, keys: Mapping[str, str]) -> dict[str, list[str]]:
    """Return the ids of a corpus' chunks by the keys of their documents."""
    corpus = Retrieval(clew.resources, SPEC.name, "?", name, 1).corpus
    arrays = chain_arrays(clew.resources).snapshot(corpus).value
    chunks: dict[str, list[str]] = {}
    for id_, row in zip(arrays.graph.chunk_ids, arrays.chunk_document, strict=True):
        chunks.setdefault(keys[str(arrays.document_ids[row])], []).append(str(id_))
    return chunks


def cross_validated(
    questions: Sequence[ChainExample], start: ChainWeights, strength: float
) -> dict[str, float]:
    """Return the mean figures of what each fold's weights were not fitted to."""
    found = []
    for fold in range(FOLDS):
        weights = fit(
            [one for i, one in enumerate(questions) if i % FOLDS != fold], start, strength=strength
        )
        rest = [one for i, one in enumerate(questions) if i % FOLDS == fold]
        found.append({"loss": loss_of(rest, weights), **figures(rest, weights)})
    return {name: round(float(np.mean([one[name] for one in found])), 4) for name in found[0]}


def written(weights: ChainWeights) -> dict[str, float]:
    """Return the weights that are not 0."""
    both = {**weights.node, **weights.step}
    return {name: round(value, 2) for name, value in both.items() if round(value, 2)}


def main() -> None:
    """Ingest, compute the signs, fit, and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data_dir", type=Path)
    parser.add_argument("cache_dir", type=Path)
    parser.add_argument("--passages", type=int, default=2500, help="of 2wiki-corpus")
    parser.add_argument("--work", type=Path, default=REPOSITORY / ".clew" / "chain-weights")
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    shutil.rmtree(options.work, ignore_errors=True)
    with EmbeddedNeo4j(options.work / "neo4j", options.cache_dir, 1024, 512) as server:
        settings = Settings(
            home=options.work,
            cache_dir=options.cache_dir,
            neo4j_uri=server.config.uri,
            neo4j_username=server.config.username,
            neo4j_password=SecretStr(server.config.password),
        )
        with Clew(settings) as clew:
            asked_of = {
                "made": made(clew, options.data_dir, options.passages, options.work),
                "by people": by_people(clew, options.data_dir),
                "of drives": of_drives(clew),
            }
    start = round_weights(ChainOptions())
    everything = [one for questions in asked_of.values() for one in questions]
    random.Random(3).shuffle(everything)
    result: dict[str, object] = {}
    for strength in STRENGTHS:
        weights = fit(everything, start, strength=strength)
        result[f"fitted, strength {strength:g}"] = {
            "weights": written(weights),
            "cross-validated": cross_validated(everything, start, strength),
            **{name: figures(questions, weights) for name, questions in asked_of.items()},
        }
    result["round numbers"] = {
        "weights": written(start),
        **{name: figures(questions, start) for name, questions in asked_of.items()},
    }
    print(json.dumps(result, indent=1))
    if options.write:
        RESULT.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
