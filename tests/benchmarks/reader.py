"""Measures the readers: exact match and token F1 (SQuAD), confidence, and time.

    python tests/benchmarks/reader.py DATA_DIR CACHE_DIR [--local 20] [--calibrate]

DATA_DIR holds hotpotqa-100; the sample corpus comes from the package. Each question is read twice:
from its gold passages and from the five nearest passages by dense retrieval. ``--local N`` also
runs the local language model on the first N questions of each set (slow). ``--calibrate`` fits
platform/clew/answering/calibration.json to what was measured. Results hold no question text.
"""

import argparse
import json
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from importlib.resources import files
from pathlib import Path

import numpy as np
from scipy.optimize import minimize

from clew.answering.extractive import ExtractiveReader
from clew.answering.language_model_reader import LanguageModelReader
from clew.answering.normalisation import best_f1, exact_match, normalise_answer
from clew.answering.reading import view_evidence
from clew.evidence import Answer, Evidence, ScoredChunk
from clew_models.embedding.base import Embedder
from clew_models.embedding.load import load_embedder
from clew_models.errors import MalformedOutput
from clew_models.language_model import load_language_model

RESULTS = Path(__file__).parent / "results"
CALIBRATION = Path(__file__).parents[2] / "platform/clew/answering/calibration.json"
TOP = 5
FOLDS = 5


@dataclass(frozen=True)
class Asked:
    """A question of a set, its right answers (none: unanswerable) and its evidence."""

    data: str
    evidence: Evidence
    golds: tuple[str, ...]


@dataclass(frozen=True)
class Outcome:
    """What a reader made of one question."""

    data: str
    kind: str
    values: dict[str, float]
    answerable: bool
    exact: bool
    f1: float
    holds: bool
    seconds: float


def evidence_of(
    question: str, passages: list[tuple[str, str]], order: list[int], scores: np.ndarray
) -> Evidence:
    """Return evidence with these passages in this order."""
    chunks = [
        ScoredChunk(
            id=f"c{i}",
            document_id=f"d{i}",
            title=passages[i][0],
            text=passages[i][1].strip(),
            score=float(scores[i]),
        )
        for i in order
    ]
    return Evidence(question=question, corpus="bench", strategy="dense", chunks=tuple(chunks))


def both_modes(
    name: str,
    embedder: Embedder,
    passages: list[tuple[str, str]],
    questions: list[tuple[str, tuple[str, ...], list[int]]],
) -> Iterator[Asked]:
    """Yield each question with its gold passages and with the nearest passages."""
    vectors = embedder.embed([f"{title}\n{text}" for title, text in passages])
    for question, golds, gold in questions:
        scores = vectors @ embedder.embed([question])[0]
        by_score = sorted(gold, key=lambda i: -scores[i])
        nearest = [int(i) for i in np.argsort(-scores)[:TOP]]
        yield Asked(f"{name}/gold", evidence_of(question, passages, by_score, scores), golds)
        yield Asked(f"{name}/dense-5", evidence_of(question, passages, nearest, scores), golds)


def hotpotqa(folder: Path, embedder: Embedder) -> list[Asked]:
    """Return HotpotQA-100 (Yang et al. 2018, CC BY-SA 4.0)."""
    corpus = json.loads((folder / "corpus.json").read_text())
    passages = [(title, "".join(sentences)) for title, sentences in corpus.items()]
    index = {title: i for i, (title, _) in enumerate(passages)}
    questions = []
    for row in json.loads((folder / "questions.json").read_text()):
        titles = dict.fromkeys(title for title, _ in row["supporting_facts"])
        gold = [index[title] for title in titles if title in index]
        questions.append((row["question"], (row["answer"],), gold))
    return list(both_modes("hotpotqa-100", embedder, passages, questions))


def sample(embedder: Embedder) -> list[Asked]:
    """Return the sample corpus, its unanswerable questions with it."""
    folder = files("clew").joinpath("sample_corpus")
    passages, index = [], {}
    for file in sorted(folder.joinpath("articles").iterdir(), key=lambda file: file.name):
        title, text = file.read_text(encoding="utf-8").split("\n", 1)
        index[file.name.removesuffix(".md")] = len(passages)
        passages.append((title.lstrip("# ").strip(), text.strip()))
    questions = []
    for name in ("questions.jsonl", "unanswerable.jsonl"):
        for line in folder.joinpath(name).read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            golds = (row["answer"], *row["aliases"]) if "answer" in row else ()
            questions.append((row["question"], golds, [index[a] for a in row["articles"]]))
    return list(both_modes("sample", embedder, passages, questions))


def outcome(
    asked: Asked, kind: str, values: dict[str, float], short: str, seconds: float
) -> Outcome:
    """Return how good an answer is."""
    key = f" {normalise_answer(short)} "
    return Outcome(
        asked.data,
        kind,
        values,
        bool(asked.golds),
        exact_match(short, asked.golds),
        best_f1(short, asked.golds),
        any(f" {normalise_answer(gold)} " in key for gold in asked.golds),
        seconds,
    )


def read_extractive(questions: list[Asked], embedder: Embedder) -> list[Outcome]:
    """Run the extractive reader without its threshold: every question gets its best answer."""
    reader = ExtractiveReader(embedder)
    outcomes = []
    for asked in questions:
        started = time.perf_counter()
        view = view_evidence(asked.evidence.chunks, reader._annotator, embedder)
        found = reader.find(asked.evidence.question, view)
        seconds = time.perf_counter() - started
        if found is None:
            outcomes.append(outcome(asked, "none", {}, "", seconds))
        else:
            outcomes.append(outcome(asked, found.kind, found.values, found.short, seconds))
    return outcomes


def read_local(questions: list[Asked], cache_dir: Path, count: int) -> list[Outcome]:
    """Run the local language model on the first ``count`` questions of each set."""
    reader = LanguageModelReader(
        load_language_model("local", cache_dir=cache_dir), name="local", max_tokens=80
    )
    outcomes: list[Outcome] = []
    taken: dict[str, int] = {}
    for asked in questions:
        if taken.get(asked.data, 0) >= count or not asked.golds:
            continue
        taken[asked.data] = taken.get(asked.data, 0) + 1
        started = time.perf_counter()
        short = ""
        try:
            for piece in reader.read(asked.evidence):
                if isinstance(piece, Answer):
                    short = piece.short
        except MalformedOutput:
            short = ""
        outcomes.append(outcome(asked, "local", {}, short, time.perf_counter() - started))
    return outcomes


def summary(outcomes: list[Outcome]) -> dict[str, dict[str, float]]:
    """Return the figures of each set; the denominator is its answerable questions."""
    figures = {}
    for data in dict.fromkeys(o.data for o in outcomes):
        own = [o for o in outcomes if o.data == data and o.answerable]
        times = sorted(o.seconds for o in own)
        figures[data] = {
            "questions": len(own),
            "exact_match": round(100 * float(np.mean([o.exact for o in own])), 1),
            "f1": round(100 * float(np.mean([o.f1 for o in own])), 1),
            "holds_answer": round(100 * float(np.mean([o.holds for o in own])), 1),
            "median_seconds": round(times[len(times) // 2], 3),
        }
    return figures


PREDICTORS = {
    "open": ("coverage", "probability", "score", "unresolved"),
    "choice": ("score",),
    "yes-no": (),
}
"""What each kind's confidence depends on; of yes/no answers too few are wrong to say more."""


def calibrate(outcomes: list[Outcome]) -> dict[str, dict]:
    """Return a logistic regression of being right on each kind's values (weak L2).

    One right and one wrong answer of average values are added, so that none is ever certain.
    """
    fitted = {}
    for kind in ("open", "choice", "yes-no"):
        own = [o for o in outcomes if o.kind == kind]
        names = PREDICTORS[kind]
        x = np.array([[o.values[name] for name in names] for o in own]).reshape(len(own), -1)
        y = np.array([float(o.exact or o.f1 >= 0.75) for o in own])
        right = int(y.sum())
        x, y = np.vstack([x, x.mean(0), x.mean(0)]), np.append(y, [1.0, 0.0])

        def loss(w: np.ndarray, x: np.ndarray = x, y: np.ndarray = y) -> float:
            z = x @ w[1:] + w[0]
            return float(np.sum(np.logaddexp(0, z) - y * z) + 0.05 * w[1:] @ w[1:])

        w = minimize(loss, np.zeros(len(names) + 1), method="BFGS").x
        weights = {name: round(float(v), 4) for name, v in zip(names, w[1:], strict=True)}
        fitted[kind] = {"intercept": round(float(w[0]), 4), "weights": weights}
        fitted[kind] |= {"measured_on": len(own), "right": right}
    return fitted


def share(fitted: dict, values: dict[str, float]) -> float:
    """Return the confidence that a fitted kind gives to values."""
    z = fitted["intercept"] + sum(w * values[name] for name, w in fitted["weights"].items())
    return float(1 / (1 + np.exp(-z)))


def reliability(outcomes: list[Outcome]) -> list[dict[str, float]]:
    """Return how often answers of about one confidence were right, by cross-validation.

    Each question's confidence comes from a fit without it: five folds, and the two readings of a
    question are in the same one.
    """
    known = [o for o in outcomes if o.kind != "none"]
    rows = []
    for fold in range(FOLDS):
        held = [o for i, o in enumerate(known) if (i // 2) % FOLDS == fold]
        fitted = calibrate([o for i, o in enumerate(known) if (i // 2) % FOLDS != fold])
        rows += [(share(fitted[o.kind], o.values), float(o.exact or o.f1 >= 0.75)) for o in held]
    table = []
    for low in (0.0, 0.15, 0.3, 0.45, 0.6, 0.8):
        high = {0.0: 0.15, 0.15: 0.3, 0.3: 0.45, 0.45: 0.6, 0.6: 0.8, 0.8: 1.01}[low]
        own = [(c, r) for c, r in rows if low <= c < high]
        if own:
            said, right = np.mean(own, axis=0)
            figures = {"answers": len(own), "confidence": round(float(said), 3)}
            table.append({"from": low, **figures, "right": round(float(right), 3)})
    return table


def write(name: str, content: dict) -> None:
    """Write a result file."""
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / name).write_text(json.dumps(content, indent=2) + "\n")
    print(name, json.dumps(content, indent=2))


def main() -> None:
    """Measure, write tests/benchmarks/results/reader-*.json, and calibrate if asked to."""
    parser = argparse.ArgumentParser()
    parser.add_argument("data_dir", type=Path)
    parser.add_argument("cache_dir", type=Path)
    parser.add_argument("--local", type=int, default=0)
    parser.add_argument("--calibrate", action="store_true")
    options = parser.parse_args()
    embedder = load_embedder("minilm", cache_dir=options.cache_dir)
    questions = hotpotqa(options.data_dir / "hotpotqa-100", embedder) + sample(embedder)
    outcomes = read_extractive(questions, embedder)
    if options.calibrate:
        stored = json.loads(CALIBRATION.read_text())
        stored["measured"] = "HotpotQA-100 and the sample corpus with its unanswerable questions, "
        stored["measured"] += "gold passages and dense top 5; right: exact match or F1 >= 0.75"
        stored["recipe"] = "tests/benchmarks/reader.py --calibrate"
        stored["extractive"] = calibrate(outcomes)
        CALIBRATION.write_text(json.dumps(stored, indent=2) + "\n")
    fitted = calibrate(outcomes)
    unanswerable = [share(fitted[o.kind], o.values) for o in outcomes if not o.answerable]
    write(
        "reader-extractive.json",
        {
            "figures": summary(outcomes),
            "reliability": reliability(outcomes),
            "unanswerable_confidences": [round(c, 3) for c in sorted(unanswerable)],
            "outcomes": [{**asdict(o), "seconds": round(o.seconds, 3)} for o in outcomes],
        },
    )
    if options.local:
        local = read_local(questions, options.cache_dir, options.local)
        write("reader-local.json", {"model": "SmolLM2-135M-Instruct", "figures": summary(local)})


if __name__ == "__main__":
    main()
