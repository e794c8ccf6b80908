"""Measures the `rules` triples against those that GPT-3.5 found in the same passages.

    python tests/benchmarks/triples_quality.py ../shared/data/musique-100
    python tests/benchmarks/triples_quality.py ../shared/data/musique-100 --misses 20

The folder holds ``openie-gpt-3.5-turbo.json`` (passages with GPT-3.5's triples) and
``questions.json`` (questions with supporting paragraphs). Prints JSON; ``--write`` keeps it as
``results/triples-<folder>.json``.

``pairs``: the distinct (head, tail) pairs of GPT-3.5's triples of a passage; a pair is found
where a triple of `rules` of the same passage joins the two: ``same_direction`` as head and tail,
``either_direction`` also as tail and head. Names are compared after ``normalise_name``: ``exact``
where both are equal, ``lenient`` where, for head and for tail, one name is the other or holds it
as whole words ("jazz vibraphonist" and "vibraphonist").
``of_our_pairs``: the share of the pairs of `rules` that GPT-3.5 has too, in either direction; it
is no precision, for GPT-3.5 leaves out much that is stated.
``answers``: of the (question, supporting passage) pairs whose passage holds the answer or one of
its aliases as whole words, the share where an argument of a triple of the passage is it.
``speed``: on one core, extraction alone, and what it adds to the product's parse.

The passages are in two halves by a hash of the title. The rules were written while looking at
``developed_on``, never at ``held_out``. ``without_coreference`` is measured on the whole;
``coreference_adds`` are the pairs that only it finds, and those that it puts others in place of.
"""

import argparse
import hashlib
import json
import os
import platform
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

from clew_ingest.parsing.entity_names import normalise_name
from clew_ingest.parsing.parser import DEFAULT_PIPELINE, UNUSED_PIPES
from clew_ingest.parsing.spacy_pipeline import load_pipeline
from clew_ingest.triples.base import ExtractedTriple
from clew_ingest.triples.rules import extract_triples

RESULTS = Path(__file__).parent / "results"
Pair = tuple[str, str]


def held_out(title: str) -> bool:
    """Say whether a passage is of the half that the rules were not written on."""
    return int(hashlib.sha256(title.encode()).hexdigest(), 16) % 2 == 1


def holds(text: str, words: str) -> bool:
    """Say whether a normalised text holds normalised words as whole words."""
    return f" {words} " in f" {text} "


def alike(one: str, other: str) -> bool:
    """The lenient match: equal, or one holds the other."""
    return holds(one, other) or holds(other, one)


def reference_pairs(passage: dict[str, Any]) -> list[Pair]:
    """Return GPT-3.5's distinct pairs; items that are no triple and loops are left out."""
    pairs: dict[Pair, None] = {}
    for item in passage["extracted_triples"]:
        if len(item) == 3 and all(isinstance(part, str) for part in item):
            head, tail = normalise_name(item[0]), normalise_name(item[2])
            if head and tail and head != tail:
                pairs[head, tail] = None
    return list(pairs)


def pairs_of(triples: Iterable[ExtractedTriple]) -> list[Pair]:
    """Return the distinct normalised pairs of our triples."""
    return list({(normalise_name(t.head), normalise_name(t.tail)): None for t in triples})


def found_in(pair: Pair, ours: Sequence[Pair]) -> tuple[bool, bool, bool, bool]:
    """Exact in the same direction and in either, lenient in the same direction and in either."""
    head, tail = pair
    same = pair in ours
    either = same or (tail, head) in ours
    lenient = same or any(alike(head, h) and alike(tail, t) for h, t in ours)
    lenient_either = lenient or either or any(alike(head, t) and alike(tail, h) for h, t in ours)
    return same, either, lenient, lenient_either


def share(part: int, whole: int) -> float:
    """A share to three places; 0 of nothing."""
    return round(part / whole, 3) if whole else 0.0


def figures(passages: Sequence[dict[str, Any]], triples: Sequence[list[ExtractedTriple]]) -> Any:
    """Return the shares of the reference pairs that were found, and the triples a passage."""
    counts = [0, 0, 0, 0]
    reference = ours_all = ours_alike = 0
    for passage, found in zip(passages, triples, strict=True):
        wanted, ours = reference_pairs(passage), pairs_of(found)
        reference += len(wanted)
        for pair in wanted:
            for number, hit in enumerate(found_in(pair, ours)):
                counts[number] += hit
        ours_all += len(ours)
        ours_alike += sum(found_in(pair, wanted)[3] for pair in ours)
    shares = [share(count, reference) for count in counts]
    return {
        "passages": len(passages),
        "pairs": reference,
        "exact": {"same_direction": shares[0], "either_direction": shares[1]},
        "lenient": {"same_direction": shares[2], "either_direction": shares[3]},
        "triples_a_passage": round(sum(map(len, triples)) / max(len(passages), 1), 2),
        "reference_pairs_a_passage": round(reference / max(len(passages), 1), 2),
        "of_our_pairs": share(ours_alike, ours_all),
    }


def added(
    passages: Sequence[dict[str, Any]],
    triples: Sequence[list[ExtractedTriple]],
    plain: Sequence[list[ExtractedTriple]],
) -> dict[str, Any]:
    """Return what coreference wins and loses: its pairs, and how many GPT-3.5 has too."""
    new = alike_new = lost = alike_lost = 0
    for passage, found, before in zip(passages, triples, plain, strict=True):
        wanted, ours, others = reference_pairs(passage), pairs_of(found), pairs_of(before)
        for pair in set(ours) - set(others):
            new += 1
            alike_new += found_in(pair, wanted)[3]
        for pair in set(others) - set(ours):
            lost += 1
            alike_lost += found_in(pair, wanted)[3]
    return {
        "pairs": new,
        "of_them_in_the_reference": share(alike_new, new),
        "pairs_replaced": lost,
        "of_those_in_the_reference": share(alike_lost, lost),
    }


def answers(
    questions: Sequence[dict[str, Any]],
    passages: Sequence[dict[str, Any]],
    triples: Sequence[list[ExtractedTriple]],
) -> dict[str, Any]:
    """Return the share of the gold answers that are an argument in their supporting passage."""
    by_text = {(p["title"], p["text"]): t for p, t in zip(passages, triples, strict=True)}
    held = exact = lenient = unknown = 0
    for question in questions:
        wanted = {normalise_name(a) for a in [question["answer"], *question["answer_aliases"]]}
        wanted -= {""}
        for paragraph in question["paragraphs"]:
            if not paragraph["is_supporting"]:
                continue
            place = (paragraph["title"], paragraph["paragraph_text"])
            text = normalise_name(" ".join(w.strip(".,;:()\"'") for w in place[1].split()))
            if not any(holds(text, answer) for answer in wanted):
                continue
            if place not in by_text:
                unknown += 1
                continue
            held += 1
            names = {name for pair in pairs_of(by_text[place]) for name in pair}
            exact += bool(names & wanted)
            lenient += any(alike(name, answer) for name in names for answer in wanted)
    return {
        "supporting_passages_with_the_answer": held,
        "not_among_the_passages": unknown,
        "exact": share(exact, held),
        "lenient": share(lenient, held),
    }


def miss_kind(pair: Pair, ours: Sequence[Pair]) -> str:
    """Say why a pair was not found."""
    names = {name for our in ours for name in our}
    head, tail = (any(alike(part, name) for name in names) for part in pair)
    if head and tail:
        return "both are arguments, but nothing joins them"
    if head or tail:
        return "the tail is no argument" if head else "the head is no argument"
    return "neither is an argument"


def print_misses(
    passages: Sequence[dict[str, Any]], triples: Sequence[list[ExtractedTriple]], count: int
) -> None:
    """Print the kinds of misses of the half that may be looked at, with examples of each."""
    examples: dict[str, list[str]] = {}
    kinds: Counter[str] = Counter()
    for passage, found in zip(passages, triples, strict=True):
        if held_out(passage["title"]):
            continue
        ours = pairs_of(found)
        for pair in reference_pairs(passage):
            if not found_in(pair, ours)[3]:
                kind = miss_kind(pair, ours)
                kinds[kind] += 1
                examples.setdefault(kind, []).append(f"{passage['title']}: {pair}")
    for kind, number in kinds.most_common():
        print(f"\n{number} × {kind}")
        step = max(1, number // count)
        for example in examples[kind][::step][:count]:
            print("   ", example)


def measure(folder: Path, misses: int) -> dict[str, Any]:
    """Parse the passages, extract, compare."""
    passages = json.loads((folder / "openie-gpt-3.5-turbo.json").read_text("utf-8"))["docs"]
    questions = json.loads((folder / "questions.json").read_text("utf-8"))
    pipeline = load_pipeline(DEFAULT_PIPELINE, exclude=UNUSED_PIPES)
    began = time.process_time()
    documents = list(pipeline.pipe([p["text"] for p in passages], batch_size=32))
    parsing = time.process_time() - began
    titles = [passage["title"] for passage in passages]
    began = time.process_time()
    triples = [extract_triples(d, t) for d, t in zip(documents, titles, strict=True)]
    extracting = time.process_time() - began
    plain = [extract_triples(d, t, False) for d, t in zip(documents, titles, strict=True)]
    if misses:
        print_misses(passages, triples, misses)
    halves = {}
    for name, wanted in (("developed_on", False), ("held_out", True)):
        chosen = [n for n, title in enumerate(titles) if held_out(title) == wanted]
        halves[name] = figures([passages[n] for n in chosen], [triples[n] for n in chosen])
    number = sum(map(len, triples))
    return {
        "data": folder.name,
        "all": figures(passages, triples),
        **halves,
        "without_coreference": figures(passages, plain),
        "coreference_adds": added(passages, triples, plain),
        "answers": answers(questions, passages, triples),
        "speed": {
            "triples": number,
            "triples_a_second": round(number / extracting),
            "passages_a_second": round(len(passages) / extracting),
            "share_of_the_parse": share(round(extracting * 1000), round(parsing * 1000)),
        },
        "machine": {"processor": platform.machine(), "cores": os.cpu_count()},
        "versions": {"python": platform.python_version(), "spacy": version("spacy")}
        | {"pipeline": f"{pipeline.meta['name']} {pipeline.meta['version']}"},
    }


def main() -> None:
    """Read the arguments, measure, print."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--misses", type=int, default=0, help="examples of misses of each kind")
    parser.add_argument("--write", action="store_true", help="keep the figures under results/")
    given = parser.parse_args()
    text = json.dumps(measure(given.folder, given.misses), indent=2)
    print(text)
    if given.write:
        name = f"triples-{given.folder.resolve().name}.json"
        (RESULTS / name).write_text(text + "\n", "utf-8")


if __name__ == "__main__":
    main()
