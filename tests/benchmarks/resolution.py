"""Measures entity resolution on labelled pairs of names: how often "same" is right and found.

    python tests/benchmarks/resolution.py CACHE_DIR

CACHE_DIR: where converted models are kept. The pairs are `data/entity_pairs.jsonl`: names as
spaCy's en_core_web_sm finds them, and titles (type ""), of the HotpotQA and MuSiQue passages. They
were chosen so that hard ones dominate and labelled by one reader of the passages; so the figures
compare rules with one another and are not those of a whole corpus. ``documents_a``,
``documents_b`` and ``shared``: how many of the 2,402 passages that were parsed name a, b and both.

The pairs are split in two halves by the hash of their names. The rules and thresholds of
`clew_ingest.resolution` were made with the half "tune" in view; of "held_out" only the figures
were read until they were final. But the one who wrote the rules also labelled both halves, and has
since read which pairs of "held_out" are wrong. So there are pairs of a second round, "new": names
that share words, letters or initials, drawn at random from all that spaCy and the titles name,
and labelled by reading the passages before the code had said anything about them. Pairs whose
normalised names are equal were left out, as the graph has them as one entity anyway.

``precision``: of the pairs called the same, the share that is; ``recall``: of the pairs that are
the same, the share called so; both with counts, and the precision with the lower end of its 95 %
interval (Wilson). ``unsure``: share of all pairs that wait for review, and of those the share
that is the same. ``lost``: share of the same pairs that are called different, which no review will
find. Baselines: "equal_key" (`normalise_name`, as the graph has it without resolution), "cosine"
(at least 0.9), and "cosine_and_types" (the same, of agreeing types). Writes
results/resolution.json.
"""

import argparse
import hashlib
import json
import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from clew_ingest.parsing.entity_names import normalise_name
from clew_ingest.resolution.pairs import decide
from clew_ingest.resolution.types import agreement
from clew_ingest.resolution.views import EntityView, Verdict
from clew_models.embedding.load import load_embedder

FOLDER = Path(__file__).parent
PAIRS = FOLDER / "data" / "entity_pairs.jsonl"
RESULT = FOLDER / "results" / "resolution.json"
NEAR = 0.9


@dataclass(frozen=True)
class LabelledPair:
    """Two entities, whether they are one thing, and the cosine of their names."""

    a: EntityView
    b: EntityView
    same: bool
    half: str
    cosine: float


Method = Callable[[LabelledPair], Verdict]


def read_pairs(cache_dir: Path) -> list[LabelledPair]:
    """Return the labelled pairs with the cosines of the embeddings that the graph would hold."""
    rows = [json.loads(line) for line in PAIRS.read_text(encoding="utf-8").splitlines()]
    embedder = load_embedder("minilm", cache_dir=cache_dir)
    keys = sorted({normalise_name(row[side]) for row in rows for side in ("a", "b")})
    vectors = dict(zip(keys, embedder.embed(keys), strict=True))
    pairs = []
    for row in rows:
        a, b = entity(row, "a"), entity(row, "b")
        cosine = float(vectors[normalise_name(a.name)] @ vectors[normalise_name(b.name)])
        pairs.append(LabelledPair(a, b, row["same"], half_of(row), cosine))
    return pairs


def entity(row: dict[str, Any], side: str) -> EntityView:
    """Return one side of a pair; its documents are made up, as many as there are."""
    own = row[f"documents_{side}"] - row["shared"]
    documents = [f"shared {number}" for number in range(row["shared"])]
    documents += [f"{side} {number}" for number in range(own)]
    name, type_ = row[side], row[f"type_{side}"]
    return EntityView(f"{side} {name}", name, type_, documents=frozenset(documents))


def half_of(row: dict[str, Any]) -> str:
    """Return "tune" or "held_out" by the names and types of a pair alone; "new" for later ones."""
    if row.get("round") == 2:
        return "new"
    text = "|".join(row[name] for name in ("a", "type_a", "b", "type_b"))
    return "tune" if hashlib.sha256(text.encode()).digest()[0] % 2 else "held_out"


def judged(pair: LabelledPair) -> Verdict:
    """Return what the rules say."""
    return decide(pair.a, pair.b, pair.cosine).verdict


def equal_key(pair: LabelledPair) -> Verdict:
    """Baseline: one key, one thing."""
    return "same" if normalise_name(pair.a.name) == normalise_name(pair.b.name) else "different"


def near(pair: LabelledPair) -> Verdict:
    """Baseline: near embeddings, one thing."""
    return "same" if pair.cosine >= NEAR else "different"


def near_and_agreeing(pair: LabelledPair) -> Verdict:
    """Baseline: near embeddings of agreeing types, or of an unknown one, one thing."""
    agreeing = agreement(pair.a.type, pair.b.type) in ("agree", "unknown")
    return near(pair) if agreeing else "different"


METHODS: dict[str, Method] = {
    "rules": judged,
    "equal_key": equal_key,
    "cosine": near,
    "cosine_and_types": near_and_agreeing,
}


def figures(pairs: Sequence[LabelledPair], method: Method) -> dict[str, Any]:
    """Return the figures of a method on some pairs."""
    counts = Counter((method(pair), pair.same) for pair in pairs)
    right, wrong = counts["same", True], counts["same", False]
    positive = sum(pair.same for pair in pairs)
    unsure = counts["unsure", True] + counts["unsure", False]
    return {
        "precision": share(right, right + wrong),
        "precision_at_least": wilson(right, right + wrong),
        "recall": share(right, positive),
        "called_same": right + wrong,
        "wrongly_same": wrong,
        "unsure": share(unsure, len(pairs)),
        "same_among_unsure": share(counts["unsure", True], unsure),
        "lost": share(counts["different", True], positive),
    }


def share(part: int, whole: int) -> float | None:
    """Return part / whole, None where there is nothing."""
    return round(part / whole, 4) if whole else None


def wilson(right: int, count: int, z: float = 1.96) -> float | None:
    """Return the lower end of Wilson's interval of a share."""
    if not count:
        return None
    p = right / count
    spread = z * math.sqrt(p * (1 - p) / count + z * z / (4 * count * count))
    return round((p + z * z / (2 * count) - spread) / (1 + z * z / count), 4)


def main() -> None:
    """Measure and write."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("cache_dir", type=Path)
    parser.add_argument("--show", choices=["tune"], help="list the wrong and lost pairs of a half")
    options = parser.parse_args()
    pairs = read_pairs(options.cache_dir)
    report: dict[str, Any] = {"embedder": "minilm", "near": NEAR}
    for half in ("tune", "held_out", "new"):
        of_half = [pair for pair in pairs if pair.half == half]
        report[half] = {
            "pairs": len(of_half),
            "same": sum(pair.same for pair in of_half),
            **{name: figures(of_half, method) for name, method in METHODS.items()},
        }
    RESULT.write_text(json.dumps(report, indent=2) + "\n", encoding="utf-8")
    print(json.dumps(report, indent=2))
    for pair in pairs if options.show else ():
        decision = decide(pair.a, pair.b, pair.cosine)
        expected = "same" if pair.same else "different"
        if pair.half == options.show and decision.verdict != expected:
            names = f"{pair.a.name} [{pair.a.type}] = {pair.b.name} [{pair.b.type}]"
            why = "; ".join(decision.reasons)
            print(f"{decision.verdict}, is {expected}: {names} {pair.cosine:.2f}: {why}")


if __name__ == "__main__":
    main()
