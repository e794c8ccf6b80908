"""Trains text-to-triples on the triples of a corpus, and compares it with `rules` as an extractor.

    python tests/benchmarks/text_to_triples.py CORPUS ../shared/data/musique-100 --write gpt-3.5

CORPUS: whose sentences and triples are learned from, in the Neo4j of CLEW_TEST_NEO4J_URI and
_PASSWORD; it must hold no passage of the half of the folder that ``triples_quality.py`` holds out.
Called again with the same options it goes on where it was stopped.

``version``: figures before and after on sentences of the corpus' own that were held out. Then both
extractors read ``--passages`` passages of the folder's half that is held out, those that support a
question and hold its answer first: ``pairs`` found beside GPT-3.5's, ``answers`` that are an
argument (both defined in ``triples_quality.py``), and passages a second: of `rules` without the
parse, on one core; of `model` on all. Prints JSON; ``--write NAME`` keeps it as
``results/text-to-triples-NAME.json``.
"""

import argparse
import json
import os
import random
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

from pydantic import SecretStr

from clew.clew import Clew
from clew.evaluation.measuring import cpu_model
from clew.results.training import TrainingProgress
from clew.settings import Settings
from clew.strategies.text_to_triples.writer import TripleWriter
from clew.training.request import TrainingRequest
from clew.training.run import run_training
from clew_ingest.parsing.parser import DEFAULT_PIPELINE, UNUSED_PIPES
from clew_ingest.parsing.spacy_pipeline import load_pipeline
from clew_ingest.triples.base import ChunkText, ExtractedTriple
from clew_ingest.triples.model_extraction import ModelExtraction
from clew_ingest.triples.rules import extract_triples
from clew_models.devices import all_threads

sys.path.insert(0, str(Path(__file__).parent))
from triples_quality import answers, figures, held_out

REPOSITORY = Path(__file__).parents[2]
RESULTS = Path(__file__).parent / "results"
TOLD_EVERY_S = 20


def main() -> None:
    """Read the arguments, train, compare, print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("corpus")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--options", type=json.loads, default={}, help="of the training, as JSON")
    parser.add_argument("--passages", type=int, default=200)
    parser.add_argument("--home", type=Path, default=Path("/tmp/clew-text-to-triples"))
    parser.add_argument("--cache", type=Path, default=REPOSITORY / ".clew" / "cache")
    parser.add_argument("--write", metavar="NAME")
    asked = parser.parse_args()
    settings = Settings(
        home=asked.home,
        cache_dir=asked.cache,
        neo4j_uri=os.environ["CLEW_TEST_NEO4J_URI"],
        neo4j_password=SecretStr(os.environ["CLEW_TEST_NEO4J_PASSWORD"]),
    )
    with Clew(settings) as clew:
        request = TrainingRequest(
            method="text-to-triples", corpus=asked.corpus, options=asked.options
        )
        version = run_training(clew.resources, request, Told())
        clew.promote("text-to-triples", version.version)
        extraction = ModelExtraction(TripleWriter(clew.resources))
        compared = compare(asked.folder, extraction, asked.passages)
    said = {
        "learned_from": asked.corpus,
        "version": {
            "options": version.options,
            "data": version.data,
            "figures": version.figures,
        },
        "compared_on": asked.folder.resolve().name,
        **compared,
        "cores": os.cpu_count(),
        "processor": cpu_model(),
    }
    print(json.dumps(said, indent=1))
    if asked.write:
        path = RESULTS / f"text-to-triples-{asked.write}.json"
        path.write_text(json.dumps(said, indent=1) + "\n")


class Told:
    """Says now and then how far the training is."""

    def __init__(self) -> None:
        self._begun = self._told = time.monotonic()
        self._stage = ""

    def __call__(self, progress: TrainingProgress) -> None:
        now = time.monotonic()
        if now - self._told > TOLD_EVERY_S or progress.stage != self._stage:
            self._told, self._stage = now, progress.stage
            since = round(now - self._begun)
            print(since, progress.stage, progress.done, progress.total, file=sys.stderr, flush=True)


def compare(folder: Path, extraction: ModelExtraction, number: int) -> dict[str, Any]:
    """Return what both extractors find in passages that are held out."""
    read = json.loads((folder / "openie-gpt-3.5-turbo.json").read_text("utf-8"))["docs"]
    questions = json.loads((folder / "questions.json").read_text("utf-8"))
    supporting = {
        (paragraph["title"], paragraph["paragraph_text"])
        for question in questions
        for paragraph in question["paragraphs"]
        if paragraph["is_supporting"]
    }
    passages = [passage for passage in read if held_out(passage["title"])]
    random.Random(0).shuffle(passages)
    passages.sort(key=lambda passage: (passage["title"], passage["text"]) not in supporting)
    passages = passages[:number]
    pipeline = load_pipeline(DEFAULT_PIPELINE, exclude=UNUSED_PIPES)
    documents = list(pipeline.pipe([passage["text"] for passage in passages], batch_size=32))
    begun = time.process_time()
    by_rules: list[list[ExtractedTriple]] = [
        list(extract_triples(document, passage["title"]))
        for document, passage in zip(documents, passages, strict=True)
    ]
    rules_s = time.process_time() - begun
    chunks = [
        ChunkText(passage["title"], passage["text"], tuple(str(one) for one in document.sents))
        for document, passage in zip(documents, passages, strict=True)
    ]
    next(iter(extraction.extract(chunks[:1])))  # loads the weights
    begun = time.monotonic()
    with all_threads():
        written = list(extraction.extract(chunks))
    model_s = time.monotonic() - begun
    by_model = [list(one.triples) for one in written]
    dropped: Counter[str] = Counter()
    for one in written:
        dropped.update(one.dropped)
    lines = sum(map(len, by_model)) + dropped.total()
    both = {"rules": (by_rules, rules_s), "model": (by_model, model_s)}
    return {
        "passages": len(passages),
        "sentences": sum(len(chunk.sentences) for chunk in chunks),
        "well_formed": round(1 - dropped.total() / max(lines, 1), 4),
        "dropped": dict(dropped),
        **{
            name: {
                "pairs": figures(passages, triples),
                "answers": among(questions, passages, triples),
                "passages_a_second": round(len(passages) / seconds, 2),
            }
            for name, (triples, seconds) in both.items()
        },
    }


def among(
    questions: list[dict[str, Any]],
    passages: list[dict[str, Any]],
    triples: list[list[ExtractedTriple]],
) -> dict[str, Any]:
    """Return `answers` of those supporting passages that are among the passages."""
    there = {(passage["title"], passage["text"]) for passage in passages}
    kept = [
        question
        | {
            "paragraphs": [
                paragraph
                for paragraph in question["paragraphs"]
                if (paragraph["title"], paragraph["paragraph_text"]) in there
            ]
        }
        for question in questions
    ]
    return answers(kept, passages, triples)


if __name__ == "__main__":
    main()
