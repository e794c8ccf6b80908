"""Uploads a data set over REST to a running Clew and asks all its questions there.

    clew up
    python tests/benchmarks/rest_questions.py ../shared/data/hotpotqa-100

The whole way a program takes: POST /documents, GET /jobs/{id} until it is done, POST /query for
each question with default settings. ``recall_at_5``: the share of the supporting titles among the
evidence; exact match and F1 (SQuAD normalisation) of the answer's few words, an unsupported answer
counting as none; ``query_ms``: median over the questions, as the caller sees it. The corpus is
deleted afterwards. Writes results/rest-<set>.json.
"""

import argparse
import json
import os
import statistics
import time
from pathlib import Path
from typing import Any

import httpx

from clew.comprehension.normalisation import best_f1, exact_match
from clew.evaluation.measuring import cpu_model
from clew.resources.connecting import connection
from clew.settings import Settings

RESULTS = Path(__file__).parent / "results"
CORPUS = "benchmark-rest"
ENDED = ("done", "failed", "cancelled", "set_aside")


def upload(client: httpx.Client, file: Path) -> dict[str, Any]:
    """Upload a file, wait for its job, and return the job with the seconds that took."""
    started = time.monotonic()
    reply = client.post(
        "/documents", params={"corpus": CORPUS}, files={"files": (file.name, file.read_bytes())}
    )
    reply.raise_for_status()
    job = {"state": "queued", "id": reply.json()["job_id"]}
    while job["state"] not in ENDED:
        time.sleep(0.5)
        job = client.get(f"/jobs/{job['id']}").json()
    return job | {"seconds": time.monotonic() - started}


def main() -> None:
    """Measure and write."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument(
        "folder", type=Path, help="folder with HotpotQA's corpus.json, questions.json"
    )
    folder: Path = parser.parse_args().folder
    url = connection(Settings.load()).web_url
    questions = json.loads((folder / "questions.json").read_text())
    with httpx.Client(base_url=f"{url}/api/v1", timeout=120) as client:
        job = upload(client, folder / "corpus.json")
        recall, exact, f1, times, supported = [], [], [], [], 0
        for item in questions:
            gold = {title for title, _ in item["supporting_facts"]}
            started = time.monotonic()
            reply = client.post("/query", json={"question": item["question"], "corpus": CORPUS})
            times.append(1000 * (time.monotonic() - started))
            reply.raise_for_status()
            answer = reply.json()
            found = {chunk["title"] for chunk in answer["evidence"]["chunks"]}
            recall.append(len(gold & found) / len(gold))
            supported += answer["supported"]
            exact.append(exact_match(answer["short"], [item["answer"]]))
            f1.append(best_f1(answer["short"], [item["answer"]]))
        client.delete(f"/corpora/{CORPUS}").raise_for_status()
    figures = {
        "job": job["state"],
        "documents": job["progress"]["ready"],
        "ingest_seconds": round(job["seconds"], 1),
        "documents_per_second": round(job["progress"]["ready"] / job["seconds"], 1),
        "questions": len(questions),
        "recall_at_5": round(100 * statistics.mean(recall), 1),
        "supported": supported,
        "exact_match": round(100 * statistics.mean(exact), 1),
        "f1": round(100 * statistics.mean(f1), 1),
        "query_ms": round(statistics.median(times), 1),
        "cores": os.cpu_count(),
        "processor": cpu_model(),
        "load_after": round(os.getloadavg()[0], 1),
    }
    (RESULTS / f"rest-{folder.name}.json").write_text(json.dumps(figures, indent=2) + "\n")
    print(json.dumps(figures, indent=2))


if __name__ == "__main__":
    main()
