"""Measures what the extractive reader makes of questions by their letters: as they are, in small
letters, IN CAPITALS, With A Capital In Each Word.

    python tests/benchmarks/letter_case.py DATA_DIR CACHE_DIR [--write]

DATA_DIR holds hotpotqa-100; the sample corpus comes from the package. Each question is read from
its gold passages, without a search for its parts; ``exact``: answers that are told and match a gold
answer exactly (SQuAD), ``answered``: those that are told. ``--write`` writes
``results/letter-case.json``. Nothing of the reader is fitted to these sets.
"""

import argparse
import json
from collections.abc import Callable
from pathlib import Path

from reader import RESULTS, hotpotqa, sample

from clew.answering.extractive import ExtractiveReader
from clew.comprehension.normalisation import exact_match
from clew.comprehension.read_evidence import ReaderModels
from clew.results.evidence import Answer
from clew_models.embedding.load import load_embedder
from clew_models.span_reader import SpanReader

LETTERS: dict[str, Callable[[str], str]] = {
    "as they are": str,
    "small": str.lower,
    "capitals": str.upper,
    "a capital in each word": lambda text: " ".join(w[:1].upper() + w[1:] for w in text.split(" ")),
}


def main() -> None:
    """Ask, print, write."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data_dir", type=Path)
    parser.add_argument("cache_dir", type=Path)
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    embedder = load_embedder("minilm", cache_dir=options.cache_dir)
    reader = ExtractiveReader(ReaderModels(embedder, SpanReader()))
    found: dict[str, dict[str, dict[str, int]]] = {}
    for asked in (*hotpotqa(options.data_dir / "hotpotqa-100", embedder), *sample(embedder)):
        if asked.mode != "gold" or not asked.golds:
            continue
        for letters, written in LETTERS.items():
            typed = {"question": written(asked.evidence.question)}
            answer = list(reader.read(asked.evidence.model_copy(update=typed)))[-1]
            assert isinstance(answer, Answer)
            own = found.setdefault(asked.data, {}).setdefault(
                letters, {"questions": 0, "exact": 0, "answered": 0}
            )
            own["questions"] += 1
            own["answered"] += answer.supported
            own["exact"] += answer.supported and exact_match(answer.short, list(asked.golds))
    print(json.dumps(found, indent=1))
    if options.write:
        (RESULTS / "letter-case.json").write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
