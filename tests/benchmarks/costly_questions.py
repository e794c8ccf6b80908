"""How much processor time the costliest questions take: long runs, and thousands of names or words.

    . /work/wt/lab/env; python tests/benchmarks/costly_questions.py CORPUS [STRATEGY …]

Each is as long as ``question_limit_bytes`` allows. Prints a line a question and strategy: seconds
on the clock and of the processor, and how it ended.
"""

import os
import sys
import time
from pathlib import Path

from clew import Clew, Settings
from clew.errors import CLEW_ERRORS
from clew.strategies.catalogue import STRATEGIES

QUESTIONS = {
    "runs of signs": "who " + "?!" * 3500,
    "brackets": "who " + "(" * 7000,
    "quoted": '"a" ' * 2000,
    "1,100 names": " ".join(f"Aa{i:03} of Bb;" for i in range(560)),
    "capitals": "Aa " * 2700,
    "1,700 words by commas": ",".join(f"w{i}" for i in range(1360)),
    "8 KiB of one word": "x" * 8000,
}


def main(corpus: str, strategies: list[str]) -> None:
    """Ask each question by each strategy."""
    settings = Settings.load(
        home=Path("/tmp/clew-costly"),
        cache_dir=Path(".clew/cache").absolute(),
        neo4j_uri=os.environ["CLEW_TEST_NEO4J_URI"],
        neo4j_password=os.environ["CLEW_TEST_NEO4J_PASSWORD"],
    )
    with Clew(settings) as clew:
        clew.ask("Where was the ship built?", corpus=corpus)
        for strategy in strategies or [spec.name for spec in STRATEGIES]:
            for name, question in QUESTIONS.items():
                clock, processor = time.perf_counter(), time.process_time()
                try:
                    ended = (
                        f"{len(clew.ask(question, corpus=corpus, strategy=strategy).text)} signs"
                    )
                except CLEW_ERRORS as error:
                    ended = str(error)[:80]
                clock, processor = time.perf_counter() - clock, time.process_time() - processor
                print(f"{strategy:18} {name:22} {clock:6.2f} s {processor:6.2f} s  {ended}")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
