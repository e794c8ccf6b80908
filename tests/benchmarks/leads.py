"""Measures what leads of chain-ranking bring, on questions that its step reader did not learn from.

    python tests/benchmarks/leads.py DATA_DIR CACHE_DIR [--work DIR] [--most 300] [--write]

Starts a database under ``--work``, ingests 2wiki-corpus and the papers of all offices, each one
corpus (what lies there of a `step_reader_training.py rank` is taken as it is), and asks up to
``--most`` held-out questions a kind by chain-ranking: as it ships, without the second search
(``chain_further`` 0), and without what fits with leads counting (``chain_lead_weight`` 0). Printed,
and with ``--write`` written to ``results/leads.json``, are the share of gold among the first
passage, the first two and the first five, of questions with all of it among the first five and
twenty, and the median time of a search.

Of questions whose writers marked the sentences that lead on (`data/passage_chains.jsonl`), where
the passage that answers is among the first twenty with another one of the chain: how often its lead
is a marked sentence (three fifths of the shorter one's words are the other's), and how often what
the step reader sees holds the answer.
"""

import argparse
import json
import random
import re
import statistics
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from chain_weights import chunks_by_key
from span_reader_training import CHAINS, PAPERS, lines_of
from step_reader_training import Asked, corpora, opened, questions, ranked

from clew.clew import Clew
from clew.evaluation.data_set_corpus import index
from clew.evaluation.measuring import cpu_model
from clew.strategies.searching import search

RESULT = Path(__file__).parent / "results" / "leads.json"
KINDS = ("office", "office chains", "chains", "two_wiki")
VARIANTS: dict[str, dict[str, Any]] = {
    "as it ships": {},
    "without the second search": {"chain_further": 0},
    "without what leads": {"chain_further": 0, "chain_lead_weight": 0.0},
}
DEPTH = 20
ALIKE = 0.6


class Marked(NamedTuple):
    """What a writer marked: the passage that answers, the answer, and the sentences that lead on,
    with the titles of their passages."""

    title: str
    answer: str
    leads: Sequence[tuple[str, str]]


def words(text: str) -> list[str]:
    return re.findall(r"\w+", text.casefold())


def holds(text: str, part: str) -> bool:
    """Return whether the words of ``part`` stand in ``text`` as they follow each other."""
    return f" {' '.join(words(part))} " in f" {' '.join(words(text))} "


def alike(one: str, other: str) -> bool:
    """Return whether two sentences are one, however they were cut."""
    a, b = set(words(one)), set(words(other))
    return len(a & b) >= ALIKE * max(1, min(len(a), len(b)))


def marks(data: Path) -> dict[str, Marked]:
    """Return what was marked for each question."""
    wiki = json.loads((data / "2wiki-corpus" / "corpus.json").read_text())
    papers = lines_of(PAPERS)
    found = {}
    for row in lines_of(CHAINS):
        if "answer" in row:
            of = papers if row["of"] == "office" else wiki
            place, first, last = row["answer"]
            leads = [(of[p]["title"], of[p]["text"][a:b]) for p, a, b in row["leads"]]
            found[row["question"]] = Marked(
                of[place]["title"], of[place]["text"][first:last], leads
            )
    return found


def chosen(data: Path, most: int) -> dict[str, list[Asked]]:
    """Return the held-out questions of each kind."""
    kinds: dict[str, list[Asked]] = {kind: [] for kind in KINDS}
    for one in questions(data):
        if one.kind in kinds and one.held_out:
            kinds[one.kind].append(one)
    chance = random.Random(1)
    return {kind: chance.sample(own, min(most, len(own))) for kind, own in kinds.items()}


def found_by(clew: Clew, asked: Sequence[tuple[Asked, set[str]]]) -> dict[str, float]:
    """Return the figures of one variant."""
    rows, times = [], []
    for one, gold in asked:
        started = time.perf_counter()
        evidence = search(clew.resources, one.question, one.corpus, "chain-ranking", DEPTH)
        times.append(time.perf_counter() - started)
        ids = [chunk.id for chunk in evidence.chunks]
        rows.append(
            [not gold.isdisjoint(ids[:1])]
            + [len(gold & set(ids[:count])) / len(gold) for count in (2, 5)]
            + [gold <= set(ids[:count]) for count in (5, DEPTH)]
        )
    names = ("first", "in 2", "in 5", "all in 5", f"all in {DEPTH}")
    shares = [round(100 * statistics.fmean(column), 1) for column in zip(*rows, strict=True)]
    return dict(zip(names, shares, strict=True)) | {
        "median ms": round(1000 * statistics.median(times))
    }


def marked_by(
    clew: Clew, asked: Sequence[tuple[Asked, set[str]]], known: dict[str, Marked]
) -> dict[str, float]:
    """Return how often a lead is a marked sentence, and what is read holds the answer."""
    right, held, count = 0, 0, 0
    for one, gold in asked:
        mark = known.get(one.question)
        if mark is None:
            continue
        row = ranked(clew, one, gold)
        steps = row["steps"]
        answering = [
            place
            for place, (id_, (title, *_)) in enumerate(zip(row["ids"], steps, strict=True))
            if id_ in gold and title == mark.title
        ]
        titles = {title for title, _ in mark.leads}
        others = [step for step in steps if step[0] in titles and step[0] != mark.title]
        if not answering or not others:
            continue
        _, text, lead, _ = steps[answering[0]]
        count += 1
        right += bool(lead) and any(alike(lead, sentence) for _, sentence in mark.leads)
        held += holds(text, mark.answer)
    share = 100 / max(count, 1)
    return {
        "questions": count,
        "lead is marked": round(share * right, 1),
        "what is read holds the answer": round(share * held, 1),
    }


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", type=Path, metavar="DATA_DIR")
    parser.add_argument("cache", type=Path, metavar="CACHE_DIR")
    parser.add_argument("--work", type=Path, default=None, help="Default: a temporary folder.")
    parser.add_argument("--most", type=int, default=300)
    parser.add_argument("--write", action="store_true")
    asked = parser.parse_args()
    work = asked.work or Path(tempfile.mkdtemp(prefix="clew-leads-"))
    kinds = chosen(asked.data, asked.most)
    result: dict[str, Any] = {"processor": cpu_model(), "kinds": {}}
    with opened(work, asked.cache) as (settings, clew):
        chunks = {}
        documents = corpora(asked.data)
        for name in ("wiki", "office"):
            keys = index(clew.resources, name, documents[name], 0).keys
            chunks[name] = chunks_by_key(clew, name, keys)
        known = marks(asked.data)
        for kind, own in kinds.items():
            rows = [(one, {id_ for k in one.gold for id_ in chunks[one.corpus][k]}) for one in own]
            figures: dict[str, Any] = {"questions": len(rows)}
            for name, changes in VARIANTS.items():
                with Clew(settings.changed(**changes)) as other:
                    found_by(other, rows[:5])  # loads what it needs
                    figures[name] = found_by(other, rows)
            if "chains" in kind:
                figures["marked"] = marked_by(clew, rows, known)
            result["kinds"][kind] = figures
            print(kind, json.dumps(figures, indent=1), flush=True)
    if asked.write:
        RESULT.write_text(json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    main()
