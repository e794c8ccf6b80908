"""Measures the readers: exact match and token F1 (SQuAD), confidence, refusals, and time.

    python tests/benchmarks/reader.py DATA_DIR CACHE_DIR [--sets hotpotqa,sample] [--local 20]

DATA_DIR holds hotpotqa-100 and musique-100; the sample corpus comes from the package. Each question
is read from its gold passages, from the five nearest passages by dense retrieval, and from the
nearest that are not its own ("away": nothing they say is right). Nothing of the reader is fitted to
these sets. ``--local N`` also runs the local language model on the first N questions of each set
(slow). Results hold no question text.
"""

import argparse
import json
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from importlib.resources import files
from pathlib import Path

import numpy as np

from clew.answering.extractive import ExtractiveReader
from clew.answering.finding import find
from clew.answering.language_model_reader import LanguageModelReader
from clew.answering.sureness import LIKELY
from clew.comprehension.normalisation import best_f1, exact_match
from clew.comprehension.read_evidence import ReaderModels
from clew.results.evidence import Answer, Evidence, ScoredChunk, Search
from clew.settings import Settings
from clew_models.embedding.base import Embedder
from clew_models.embedding.load import load_embedder
from clew_models.errors import MalformedOutput
from clew_models.language_model import load_language_model
from clew_models.span_reader import SpanReader

RESULTS = Path(__file__).parent / "results"
UNANSWERABLE = Path(__file__).parents[1] / "data" / "sample-unanswerable.jsonl"
TOP = 5


@dataclass(frozen=True)
class Asked:
    """A question of a set, its right answers (none: unanswerable) and its evidence.

    ``mode``: "gold" (its own passages), "dense-5", or "away" (the nearest that are not its own);
    ``search``: finds passages of the mode for a part of the question.
    """

    data: str
    mode: str
    evidence: Evidence
    golds: tuple[str, ...]
    search: Search | None = None


@dataclass(frozen=True)
class Outcome:
    """What a reader made of one question."""

    data: str
    mode: str
    kind: str
    confidence: float
    exact: bool
    f1: float
    seconds: float

    @property
    def right(self) -> bool:
        """Whether it counts as right where confidence is judged."""
        return self.exact or self.f1 >= 0.75


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


def modes(
    name: str,
    embedder: Embedder,
    passages: list[tuple[str, str]],
    questions: Sequence[tuple[str, tuple[str, ...], list[int]]],
) -> Iterator[Asked]:
    """Yield each question with its passages in each mode."""
    vectors = embedder.embed([f"{title}\n{text}" for title, text in passages])
    for question, golds, gold in questions:
        scores = vectors @ embedder.embed([question])[0]
        by_score = sorted(gold, key=lambda i: -scores[i])
        nearest = [int(i) for i in np.argsort(-scores)[:TOP]]
        away = [int(i) for i in np.argsort(-scores) if i not in gold][:TOP]

        def search(part: str, most: int, without: Sequence[int] = ()) -> Evidence:
            found = vectors @ embedder.embed([part])[0]
            order = [int(i) for i in np.argsort(-found) if i not in without][:most]
            return evidence_of(part, passages, order, found)

        if golds:
            yield Asked(name, "gold", evidence_of(question, passages, by_score, scores), golds)
            found = evidence_of(question, passages, nearest, scores)
            yield Asked(name, "dense-5", found, golds, search)
        found = evidence_of(question, passages, away, scores)
        yield Asked(name, "away", found, (), partial(search, without=gold))


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
    return list(modes("hotpotqa-100", embedder, passages, questions))


def musique(folder: Path, embedder: Embedder) -> list[Asked]:
    """Return MuSiQue-100 (Trivedi et al. 2022, CC BY 4.0)."""
    rows = json.loads((folder / "questions.json").read_text())
    places: dict[tuple[str, str], int] = {}
    questions = []
    for row in rows:
        own = [(p["title"], p["paragraph_text"]) for p in row["paragraphs"]]
        numbers = [places.setdefault(passage, len(places)) for passage in own]
        gold = [n for n, p in zip(numbers, row["paragraphs"], strict=True) if p["is_supporting"]]
        golds = (row["answer"], *row["answer_aliases"])
        questions.append((row["question"], golds, list(dict.fromkeys(gold))))
    return list(modes("musique-100", embedder, list(places), questions))


def sample(embedder: Embedder) -> list[Asked]:
    """Return the sample corpus, its unanswerable questions with it."""
    folder = files("clew").joinpath("sample_corpus")
    passages: list[tuple[str, str]] = []
    index: dict[str, int] = {}
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
    for line in UNANSWERABLE.read_text(encoding="utf-8").splitlines():
        questions.append((json.loads(line)["question"], (), []))
    return list(modes("sample", embedder, passages, questions))


def outcome(asked: Asked, kind: str, confidence: float, short: str, seconds: float) -> Outcome:
    """Return how good an answer is."""
    exact, f1 = exact_match(short, asked.golds), best_f1(short, asked.golds)
    return Outcome(asked.data, asked.mode, kind, confidence, exact, f1, seconds)


def read_extractive(questions: list[Asked], reader: ExtractiveReader) -> list[Outcome]:
    """Run the extractive reader without its threshold: every question gets its best answer."""
    outcomes = []
    for asked in questions:
        started = time.perf_counter()
        found = find(asked.evidence.question, reader.opened(asked.evidence.chunks, asked.search))
        seconds = time.perf_counter() - started
        if found is None:
            outcomes.append(outcome(asked, "none", 0.0, "", seconds))
        else:
            outcomes.append(outcome(asked, found.kind, found.confidence, found.short, seconds))
    return outcomes


def read_local(questions: list[Asked], cache_dir: Path, count: int) -> list[Outcome]:
    """Run the local language model on the first ``count`` questions of each set."""
    reader = LanguageModelReader(
        load_language_model("local", cache_dir=cache_dir), name="local", max_tokens=80
    )
    outcomes: list[Outcome] = []
    taken: dict[str, int] = {}
    for asked in questions:
        if asked.mode != "dense-5" or taken.get(asked.data, 0) >= count:
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
        outcomes.append(outcome(asked, "local", 0.0, short, time.perf_counter() - started))
    return outcomes


def summary(outcomes: list[Outcome]) -> dict[str, dict[str, float]]:
    """Return the figures of each set and mode; the denominator is its questions."""
    figures = {}
    for data, mode in dict.fromkeys((o.data, o.mode) for o in outcomes if o.mode != "away"):
        own = [o for o in outcomes if (o.data, o.mode) == (data, mode)]
        figures[f"{data}/{mode}"] = {
            "questions": len(own),
            "exact_match": round(100 * float(np.mean([o.exact for o in own])), 1),
            "f1": round(100 * float(np.mean([o.f1 for o in own])), 1),
            "median_seconds": round(float(np.median([o.seconds for o in own])), 3),
        }
    return figures


def honesty(outcomes: list[Outcome], threshold: float) -> dict[str, dict[str, float]]:
    """Return how well confidence is calibrated, from "dense-5" and "away", and what is refused.

    ``expected_calibration_error``: over ten bins of equal width (Guo et al. 2017, section 2).
    """
    figures = {}
    for data in dict.fromkeys(o.data for o in outcomes):
        found = [o for o in outcomes if o.data == data and o.mode == "dense-5"]
        away = [o for o in outcomes if o.data == data and o.mode == "away"]
        both = [*found, *away]
        said = np.array([o.confidence for o in both])
        right = np.array([o.right for o in both])
        bins = np.minimum((said * 10).astype(int), 9)
        error = sum(
            float(np.mean(bins == b)) * abs(float(said[bins == b].mean() - right[bins == b].mean()))
            for b in set(bins.tolist())
        )
        sure = right[said >= LIKELY]
        kept = [o for o in found if o.right]
        figures[data] = {
            "expected_calibration_error": round(error, 3),
            "stated_plainly": len(sure),
            "right_of_those": round(float(sure.mean()), 3) if len(sure) else 0.0,
            "unanswerable": len(away),
            "refused": round(float(np.mean([o.confidence < threshold for o in away])), 3),
            "right_answers": len(kept),
            "right_answers_lost": round(
                float(np.mean([o.confidence < threshold for o in kept])), 3
            ),
        }
    return figures


def write(name: str, content: dict) -> None:
    """Write a result file."""
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / name).write_text(json.dumps(content, indent=2) + "\n")
    print(name, json.dumps({k: v for k, v in content.items() if k != "outcomes"}, indent=2))


def main() -> None:
    """Measure, and write tests/benchmarks/results/reader-*.json."""
    parser = argparse.ArgumentParser()
    parser.add_argument("data_dir", type=Path)
    parser.add_argument("cache_dir", type=Path)
    parser.add_argument("--local", type=int, default=0)
    parser.add_argument("--sets", default="hotpotqa,musique,sample")
    options = parser.parse_args()
    embedder = load_embedder("minilm", cache_dir=options.cache_dir, threads=1)
    questions: list[Asked] = []
    if "hotpotqa" in options.sets:
        questions += hotpotqa(options.data_dir / "hotpotqa-100", embedder)
    if "musique" in options.sets:
        questions += musique(options.data_dir / "musique-100", embedder)
    if "sample" in options.sets:
        questions += sample(embedder)
    reader = ExtractiveReader(ReaderModels(embedder, SpanReader(threads=1)))
    outcomes = read_extractive(questions, reader)
    threshold = Settings().answer_threshold
    write(
        "reader-extractive.json",
        {
            "figures": summary(outcomes),
            "threshold": threshold,
            "honesty": honesty(outcomes, threshold),
            "outcomes": [{**asdict(o), "seconds": round(o.seconds, 3)} for o in outcomes],
        },
    )
    if options.local:
        local = read_local(questions, options.cache_dir, options.local)
        write("reader-local.json", {"model": "SmolLM2-135M-Instruct", "figures": summary(local)})


if __name__ == "__main__":
    main()
