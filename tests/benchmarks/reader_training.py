"""Fits the weights of the extractive reader (platform/clew/answering/scorer.json).

    python tests/benchmarks/reader_training.py ../shared/data/musique-100 CACHE_DIR

Data: the single-hop questions that the 100 questions of MuSiQue (CC BY 4.0, Trivedi et al. 2022)
are composed of, each with its own paragraph and the four most similar of its question's other
paragraphs. Neither HotpotQA nor the sample corpus is used. Model: softmax over the candidates of
a question, linear in the features, L2; quality is reported by five-fold cross-validation over
the composed questions.
"""

import json
import re
import sys
from pathlib import Path

import numpy as np
from scipy.optimize import minimize

from clew.answering.annotation import Annotator
from clew.answering.features import FEATURES, feature_matrix
from clew.answering.normalisation import best_f1
from clew.answering.question import understand
from clew.answering.reading import view_evidence
from clew.evidence import ScoredChunk
from clew_models.embedding.load import load_embedder

FOLDS = 5
PENALTY = 2.0
SCORER = Path(__file__).parents[2] / "platform/clew/answering/scorer.json"
RELATIONS = {
    "located in the administrative territorial entity": "In what state or county is {}?",
    "country": "In what country is {}?",
    "place of birth": "Where was {} born?",
    "place of death": "Where did {} die?",
    "country of citizenship": "What country is {} a citizen of?",
    "performer": "Who is the performer of {}?",
    "author": "Who is the author of {}?",
    "director": "Who is the director of {}?",
    "producer": "Who is the producer of {}?",
    "composer": "Who is the composer of {}?",
    "creator": "Who is the creator of {}?",
    "spouse": "Who is the spouse of {}?",
    "educated at": "Where was {} educated?",
    "instance of": "What is {}?",
    "capital of": "What is {} the capital of?",
    "located in or next to body of water": "What body of water is {} next to?",
    "shares border with": "What shares a border with {}?",
}


def single_hop_questions(folder: Path) -> list[dict]:
    """Return {group, question, answer, chunks}: the parts of every composed question."""
    rows = []
    for group, item in enumerate(json.loads((folder / "questions.json").read_text())):
        answers: list[str] = []
        for part in item["question_decomposition"]:
            text = re.sub(r"#(\d)", lambda m: answers[int(m.group(1)) - 1], part["question"])  # noqa: B023
            answers.append(part["answer"])
            if " >> " in text:
                subject, relation = text.split(" >> ", 1)
                text = RELATIONS.get(relation, "What is the " + relation + " of {}?").format(
                    subject
                )
            text = text[0].upper() + text[1:].strip()
            text = text if text.endswith("?") else text + "?"
            gold = item["paragraphs"][part["paragraph_support_idx"]]
            others = [p for p in item["paragraphs"] if p is not gold]
            row = {"group": group, "question": text, "answer": part["answer"], "gold": gold}
            rows.append(row | {"others": others})
    return rows


def training_set(folder: Path, cache_dir: Path) -> list[tuple[int, np.ndarray, np.ndarray]]:
    """Return (group, features [N, F], token F1 against the answer [N]) of each question."""
    embedder = load_embedder("minilm", cache_dir=cache_dir, threads=2)
    annotator = Annotator()
    examples = []
    for row in single_hop_questions(folder):
        vector = embedder.embed([row["question"]])[0]
        texts = [f"{p['title']}\n{p['paragraph_text']}" for p in row["others"]]
        nearest = np.argsort(-(embedder.embed(texts) @ vector))[:4]
        passages = [row["gold"], *(row["others"][i] for i in nearest)]
        chunks = [
            ScoredChunk(
                id=str(i), document_id=str(i), title=p["title"], text=p["paragraph_text"], score=1
            )
            for i, p in enumerate(passages)
        ]
        order = np.random.default_rng(row["group"]).permutation(len(chunks))
        view = view_evidence([chunks[i] for i in order], annotator, embedder)
        form = understand(annotator.annotate([row["question"]])[0][0])
        candidates, features = feature_matrix(form, vector, view)
        scores = np.array([best_f1(c.text, [row["answer"]]) for c in candidates])
        examples.append((row["group"], features, scores))
    return examples


def fit(examples: list[tuple[int, np.ndarray, np.ndarray]]) -> np.ndarray:
    """Return the weights [F] that make good candidates likely; a candidate's weight is its F1."""
    usable = [
        (features, scores / scores.sum())
        for _, features, scores in examples
        if len(scores) and scores.max() >= 0.5
        for scores in [np.where(scores >= max(0.5, scores.max() - 0.2), scores**2, 0.0)]
    ]

    def loss(weights: np.ndarray) -> tuple[float, np.ndarray]:
        total, gradient = PENALTY * float(weights @ weights) / 2, PENALTY * weights
        for features, target in usable:
            logits = features @ weights
            logits -= logits.max()
            likelihood = np.exp(logits) / np.exp(logits).sum()
            total -= float(np.log((likelihood * (target > 0)).sum() + 1e-12))
            posterior = likelihood * (target > 0)
            posterior /= posterior.sum() + 1e-12
            gradient = gradient + features.T @ (likelihood - posterior)
        return total, gradient

    start = np.zeros(len(FEATURES))
    return minimize(loss, start, jac=True, method="L-BFGS-B").x


def quality(examples: list[tuple[int, np.ndarray, np.ndarray]], weights: np.ndarray) -> list[float]:
    """Return the F1 of the best-scored candidate of each question."""
    return [
        float(scores[int(np.argmax(features @ weights))]) if len(scores) else 0.0
        for _, features, scores in examples
    ]


def main() -> None:
    """Cross-validate, fit on everything and write scorer.json."""
    folder, cache_dir = Path(sys.argv[1]), Path(sys.argv[2])
    examples = training_set(folder, cache_dir)
    held_out: list[float] = []
    for fold in range(FOLDS):
        weights = fit([e for e in examples if e[0] % FOLDS != fold])
        held_out += quality([e for e in examples if e[0] % FOLDS == fold], weights)
    weights = fit(examples)
    possible = float(np.mean([scores.max() if len(scores) else 0 for _, _, scores in examples]))
    figures = {
        "questions": len(examples),
        "held_out_exact": round(float(np.mean(np.array(held_out) >= 0.999)), 3),
        "held_out_f1": round(float(np.mean(held_out)), 3),
        "best_candidate_f1": round(possible, 3),
    }
    content = {
        "trained_on": "single-hop parts of MuSiQue-100 (CC BY 4.0)",
        "recipe": "tests/benchmarks/reader_training.py",
        "cross_validation": figures,
        "weights": {name: round(float(w), 4) for name, w in zip(FEATURES, weights, strict=True)},
    }
    SCORER.write_text(json.dumps(content, indent=2) + "\n")
    print(json.dumps(content, indent=2))


if __name__ == "__main__":
    main()
