"""Indexes passages with a peer and ranks them for questions; runs in the peer's environment.

    PEER_PYTHON tests/benchmarks/peer_side.py linear-rag CHECKOUT ASKED.json ANSWERED.json

``peers.py`` calls it and says what the files hold; ``peers.md`` how a peer's environment is made.
Of Clew it needs nothing, so that the peer keeps its own versions of everything.

LinearRAG runs as its own ``run.py`` runs it, with the models that Clew has: MiniLM for all vectors,
spaCy's small English pipeline for names. Nothing of it is changed.

HippoRAG 2 has the same embedder, and given triples (``openie``: a file in its own form, which it
takes for what its language model extracted). Where a question is asked, it lets a language model
choose among five triples ("recognition memory"). No capable model is here: all five are kept, as
they are ranked. Nothing else of it is changed.
"""

import argparse
import importlib
import json
import os
import resource
import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

Index = Callable[[], object]
Rank = Callable[[], list[list[int]]]


def cpu_seconds() -> float:
    """Processor time of this process and of its children that have ended."""
    return sum(
        usage.ru_utime + usage.ru_stime
        for usage in map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    )


def linear_rag(checkout: Path, asked: dict[str, Any], folder: str) -> tuple[Index, Rank]:
    """Return what indexes, and what ranks the numbers of the passages for each question."""
    sys.path.insert(0, str(checkout))
    from sentence_transformers import SentenceTransformer

    config = importlib.import_module("src.config").LinearRAGConfig
    peer = importlib.import_module("src.LinearRAG").LinearRAG(
        global_config=config(
            dataset_name="asked",
            embedding_model=SentenceTransformer(asked["embedder"], device="cpu"),
            spacy_model=asked["parser"],
            working_dir=folder,
            retrieval_top_k=asked["depth"],
            **asked["options"],
        )
    )
    passages = [f"{number}:{text}" for number, text in enumerate(asked["passages"])]

    def rank() -> list[list[int]]:
        found = peer.retrieve([{"question": one, "answer": ""} for one in asked["questions"]])
        return [[int(text.split(":", 1)[0]) for text in one["sorted_passage"]] for one in found]

    return lambda: peer.index(passages), rank


class _Absent(ModuleType):
    """A package that HippoRAG imports at its start for models that are not used here."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return type(name, (), {})


def all_kept(
    question: str,
    candidate_items: list[Any],
    candidate_indices: list[int],
    len_after_rerank: int,
) -> tuple[list[int], list[Any], dict[str, None]]:
    """Stand where a language model chooses among triples."""
    return (
        candidate_indices[:len_after_rerank],
        candidate_items[:len_after_rerank],
        {"confidence": None},
    )


def hipporag(checkout: Path, asked: dict[str, Any], folder: str) -> tuple[Index, Rank]:
    """As linear_rag."""
    for absent in ("vllm", "gritlm", "litellm"):
        sys.modules[absent] = _Absent(absent)
    sys.path.insert(0, str(checkout / "src"))
    os.environ.setdefault("OPENAI_API_KEY", "none")
    shutil.copy(asked["openie"], Path(folder) / "openie_results_ner_given.json")
    peer = importlib.import_module("hipporag").HippoRAG(
        save_dir=folder,
        llm_model_name="given",
        llm_base_url="http://127.0.0.1:9/v1",
        embedding_model_name=f"Transformers/{asked['embedder']}",
    )
    peer.rerank_filter = all_kept
    number = {text: i for i, text in enumerate(asked["passages"])}

    def rank() -> list[list[int]]:
        found = peer.retrieve(queries=asked["questions"], num_to_retrieve=asked["depth"])
        return [[number[text] for text in one.docs] for one in found]

    return lambda: peer.index(asked["passages"]), rank


PEERS = {"linear-rag": linear_rag, "hipporag": hipporag}


def main() -> None:
    """Index, rank, and write how long each took and the numbers of the passages found."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("peer", choices=sorted(PEERS))
    parser.add_argument("checkout", type=Path)
    parser.add_argument("asked", type=Path)
    parser.add_argument("answered", type=Path)
    options = parser.parse_args()
    asked = json.loads(options.asked.read_text(encoding="utf-8"))
    with tempfile.TemporaryDirectory() as folder:
        index, rank = PEERS[options.peer](options.checkout, asked, folder)
        begun, used = time.monotonic(), cpu_seconds()
        index()
        index_seconds, index_cpu = time.monotonic() - begun, cpu_seconds() - used
        begun = time.monotonic()
        ranked = rank()
        asked_seconds = time.monotonic() - begun
    figures = {
        "index_seconds": round(index_seconds, 2),
        "index_cpu_seconds": round(index_cpu, 2),
        "seconds_a_question": round(asked_seconds / max(len(ranked), 1), 4),
        "peak_rss_mib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
        "ranked": ranked,
    }
    options.answered.write_text(json.dumps(figures))


if __name__ == "__main__":
    main()
