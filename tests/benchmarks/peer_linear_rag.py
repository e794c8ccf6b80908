"""Indexes passages with LinearRAG and ranks them for questions; runs in LinearRAG's environment.

    PEER_PYTHON tests/benchmarks/peer_linear_rag.py CHECKOUT ASKED.json ANSWERED.json

``peers.py`` calls it and says what the files hold; ``peers.md`` how its environment is made. Of
Clew it needs nothing, so that the peer keeps its own versions of everything. It is run as its own
``run.py`` runs it, with the models that Clew has: MiniLM for all vectors, spaCy's small English
pipeline for names. Nothing of it is changed.
"""

import argparse
import importlib
import json
import os
import resource
import sys
import tempfile
import time
from pathlib import Path


def cpu_seconds() -> float:
    """Processor time of this process and of its children that have ended."""
    return sum(
        usage.ru_utime + usage.ru_stime
        for usage in map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    )


def main() -> None:
    """Index, rank, and write how long each took and the numbers of the passages found."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("checkout", type=Path)
    parser.add_argument("asked", type=Path)
    parser.add_argument("answered", type=Path)
    options = parser.parse_args()
    checkout = options.checkout
    asked = json.loads(options.asked.read_text(encoding="utf-8"))
    sys.path.insert(0, str(checkout))
    from sentence_transformers import SentenceTransformer

    linear_rag = importlib.import_module("src.LinearRAG").LinearRAG
    config = importlib.import_module("src.config").LinearRAGConfig
    embedder = SentenceTransformer(asked["embedder"], device="cpu")
    passages = [f"{number}:{text}" for number, text in enumerate(asked["passages"])]
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        peer = linear_rag(
            global_config=config(
                dataset_name="asked",
                embedding_model=embedder,
                spacy_model=asked["parser"],
                retrieval_top_k=asked["depth"],
                **asked["options"],
            )
        )
        begun, used = time.monotonic(), cpu_seconds()
        peer.index(passages)
        index_seconds, index_cpu = time.monotonic() - begun, cpu_seconds() - used
        questions = [{"question": question, "answer": ""} for question in asked["questions"]]
        begun = time.monotonic()
        found = peer.retrieve(questions)
        asked_seconds = time.monotonic() - begun
    ranked = [[int(passage.split(":", 1)[0]) for passage in one["sorted_passage"]] for one in found]
    options.answered.write_text(
        json.dumps(
            {
                "index_seconds": round(index_seconds, 2),
                "index_cpu_seconds": round(index_cpu, 2),
                "seconds_a_question": round(asked_seconds / max(len(questions), 1), 4),
                "peak_rss_mib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
                "ranked": ranked,
            }
        )
    )


if __name__ == "__main__":
    main()
