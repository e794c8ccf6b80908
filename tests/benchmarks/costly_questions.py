"""How much processor time the costliest questions take: long runs, and thousands of names or words.

    python tests/benchmarks/costly_questions.py CORPUS [STRATEGY …]

``NEO4J_URI`` and ``NEO4J_PASSWORD`` name a Neo4j with that corpus. Questions are as long as the
limits ``question_limit_bytes`` and ``question_limit_words`` allow. Prints a JSON line a question
and strategy: seconds on the clock and of the processor, and how it ended.
"""

import argparse
import json
import tempfile
import time
from pathlib import Path

from clew import Clew, Settings
from clew.errors import CLEW_ERRORS
from clew.strategies.catalogue import STRATEGIES

QUESTIONS = {
    "runs of signs": "who " + "?!" * 749,
    "brackets": "who " + "(" * 1499,
    "quoted": '"a" ' * 500,
    "500 names": " ".join(f"Aa{number:03} of" for number in range(750)),
    "capitals": "Aa " * 1500,
    "750 words by commas": ",".join(f"w{number}" for number in range(750)),
    "8 KiB of one word": "x" * 8000,
    "refused: 7,000 signs": "who " + "?!" * 3500,
}


def main() -> None:
    """Ask each question by each strategy."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpus")
    parser.add_argument("strategies", nargs="*", default=[spec.name for spec in STRATEGIES])
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as home:
        settings = Settings.load(home=Path(home), cache_dir=Path(".clew/cache").absolute())
        with Clew(settings) as clew:
            clew.ask("Where was the ship built?", corpus=given.corpus)
            for strategy in given.strategies:
                for name, question in QUESTIONS.items():
                    found = cost(clew, question, given.corpus, strategy)
                    print(json.dumps({"strategy": strategy, "question": name, **found}), flush=True)


def cost(clew: Clew, question: str, corpus: str, strategy: str) -> dict[str, float | str]:
    """Return what a question took, and how it ended."""
    clock, processor = time.perf_counter(), time.process_time()
    try:
        ended = f"{len(clew.ask(question, corpus=corpus, strategy=strategy).text)} signs"
    except CLEW_ERRORS as error:
        ended = error.message
    clock, processor = time.perf_counter() - clock, time.process_time() - processor
    return {"seconds": round(clock, 2), "processor_s": round(processor, 2), "ended": ended}


if __name__ == "__main__":
    main()
