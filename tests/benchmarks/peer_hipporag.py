"""Indexes passages with HippoRAG 2 and ranks them for questions; runs in HippoRAG's environment.

    PEER_PYTHON tests/benchmarks/peer_hipporag.py CHECKOUT ASKED.json ANSWERED.json

``peers.py`` calls it and says what the files hold; ``peers.md`` how its environment is made. Of
Clew it needs nothing. Its triples are given (``openie``: a file in its own form, which it takes for
what its language model extracted), its embedder is the one that Clew has.

Where a question is asked, HippoRAG 2 lets a language model choose among five triples ("recognition
memory"). No capable model is here: all five are kept, as they are ranked. Nothing else is changed.
"""

import argparse
import json
import os
import resource
import shutil
import sys
import tempfile
import time
from pathlib import Path
from types import ModuleType
from typing import Any


def cpu_seconds() -> float:
    """Processor time of this process and of its children that have ended."""
    return sum(
        usage.ru_utime + usage.ru_stime
        for usage in map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    )


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


def main() -> None:
    """Index, rank, and write how long each took and the numbers of the passages found."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("checkout", type=Path)
    parser.add_argument("asked", type=Path)
    parser.add_argument("answered", type=Path)
    options = parser.parse_args()
    checkout = options.checkout
    asked = json.loads(options.asked.read_text(encoding="utf-8"))
    for absent in ("vllm", "gritlm", "litellm"):
        sys.modules[absent] = _Absent(absent)
    sys.path.insert(0, str(checkout / "src"))
    os.environ.setdefault("OPENAI_API_KEY", "none")
    from hipporag import HippoRAG

    with tempfile.TemporaryDirectory() as folder:
        shutil.copy(asked["openie"], Path(folder) / "openie_results_ner_given.json")
        peer = HippoRAG(
            save_dir=folder,
            llm_model_name="given",
            llm_base_url="http://127.0.0.1:9/v1",
            embedding_model_name=f"Transformers/{asked['embedder']}",
        )
        peer.rerank_filter = all_kept
        begun, used = time.monotonic(), cpu_seconds()
        peer.index(asked["passages"])
        index_seconds, index_cpu = time.monotonic() - begun, cpu_seconds() - used
        begun = time.monotonic()
        found = peer.retrieve(queries=asked["questions"], num_to_retrieve=asked["depth"])
        asked_seconds = time.monotonic() - begun
    number = {text: i for i, text in enumerate(asked["passages"])}
    options.answered.write_text(
        json.dumps(
            {
                "index_seconds": round(index_seconds, 2),
                "index_cpu_seconds": round(index_cpu, 2),
                "seconds_a_question": round(asked_seconds / max(len(asked["questions"]), 1), 4),
                "peak_rss_mib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
                "ranked": [[number[text] for text in one.docs] for one in found],
            }
        )
    )


if __name__ == "__main__":
    main()
