"""Trains the span model of the reader on its own, on a processor, and measures it.

    python tests/benchmarks/span_reader_training.py DATA_DIR OUT [--minutes 45] [--questions 12000]
    python tests/benchmarks/span_reader_training.py DATA_DIR OUT --measure

DATA_DIR holds 2wiki-corpus (passages, which questions are made from) and xquad-en (questions by
people). Others are written on what offices have on their shelves, registers, e-mails, minutes,
contracts (`data/office_reading.jsonl`: language models that saw nothing of Clew made up both; the
papers of some offices are held out). With ``--start`` and ``--share`` a training
goes on without losing what was learned before: made questions then keep what those weights hold of
them (Li & Hoiem 2016, arXiv:1606.09282), and the two are averaged (Wortsman et al. 2022,
arXiv:2109.01903). "Not here" is learned from the nearest passages that do not
hold an answer, from passages without the sentence that answers, from questions about what a
passage is about that it does not tell (`untold`), and from such that were written. A quarter of the
passages and a third of XQuAD's articles are held out, and measured on at the end, as the product
computes; ``--measure`` does that alone, with the weights in OUT.
HotpotQA, MuSiQue, the sample corpus and the shared drives are not touched. The weights that ship
went on from here (span_reader_distillation.py), before there were the papers and after.
"""

import argparse
import json
import random
import re
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from span_reader_distillation import (
    LONGEST,
    Asked,
    Nearest,
    Passage,
    left_without,
    moved,
    people_rows,
    words_of,
)

from clew.comprehension.normalisation import best_f1, exact_match, normalise_answer
from clew.comprehension.stems import family, stem
from clew.strategies.learning.made_questions import MadeQuestion, made_questions
from clew.strategies.learning.wordings import of_wording, relation_questions
from clew_ingest.parsing.parser import DEFAULT_PIPELINE
from clew_ingest.parsing.spacy_pipeline import load_pipeline
from clew_models.span_reader.reader import SpanReader
from clew_models.span_reader.training import SpanExample, train
from clew_models.span_reader.weights import base_weights, save_trained, trained_weights

HELD_OUT = 4
"""One passage of so many is held out, and XQuAD's articles from this share on."""
XQUAD_TRAINED = 32
QUESTIONS, SEED = 12000, 7
"""Made questions of a training, and their seed."""
SHARES = {
    "inverted": 0.30,
    "subject": 0.08,
    "in place": 0.05,
    "description": 0.17,
    "relation": 0.18,
    "phrase": 0.09,
    "life": 0.07,
    "nationality": 0.03,
    "occupation": 0.03,
}
"""Of what kinds the made questions are, as far as there are so many."""
SWAPPED = frozenset({"inverted", "in place"})
SHORT, OFTEN = 10, 25
"""Kinds of questions that are asked about another passage's title too, words of those, and how
often one wording is asked."""

_COMMON = """
who what which where when whose whom how many much did do does was is are were the a an of in by
with to for at on as from be have had another name kind thing
"""
COMMON = frozenset(["", *_COMMON.split()])
"""Words of questions that say nothing of what is asked."""
UNTOLD = 1 / 3
"""Questions about what their own passage does not tell, for each that is made, if there are so
many."""
AWAY = 0.5
"""Share of made questions that are asked of a passage without their answer, too."""
NESTED = 6
"""Questions about one title that a phrase is put into."""
WORDED = {"life", "relation"}
"""Kinds of made questions of which all that follows "'s" is what is asked for."""
PEOPLE, WRITTEN = 3, 1
"""How often questions by people, and those written on papers, are asked in a round, each time in
other cuts."""
PAPERS = Path(__file__).parent / "data" / "office_reading.jsonl"
CHAINS = PAPERS.with_name("passage_chains.jsonl")
READING = PAPERS.with_name("passage_reading.jsonl")
READING_HELD_OUT = 10
"""One passage of so many of READING is held out."""

Row = tuple[Passage, str, int, str]
"""(passage, question, start, answer)."""


def wiki_passages(folder: Path) -> list[Passage]:
    """Return 2WikiMultihopQA's passages."""
    rows = json.loads((folder / "2wiki-corpus" / "corpus.json").read_text())
    return [(row["title"], row["text"]) for row in rows]


def asked_about(
    passages: Sequence[Passage], count: int, chance: random.Random, held_out: bool, longest: int
) -> list[int]:
    """Return the numbers of the passages that about ``count`` questions are made of."""
    numbers = [i for i in range(len(passages)) if (i % HELD_OUT == 0) == held_out]
    chance.shuffle(numbers)
    return [i for i in numbers if len(passages[i][1]) <= longest][: max(300, count // 4)]


def made(
    passages: Sequence[Passage], count: int, seed: int, held_out: bool, longest: int = 10**6
) -> list[MadeQuestion]:
    """Return about ``count`` questions, of the kinds of SHARES, at most five a passage.

    ``longest``: characters of a passage that is asked about.
    """
    chance = random.Random(seed)
    numbers = asked_about(passages, count, chance, held_out, longest)
    pipeline = load_pipeline(DEFAULT_PIPELINE)
    documents = pipeline.pipe([passages[i][1] for i in numbers], batch_size=64)
    by_kind: dict[str, list[MadeQuestion]] = defaultdict(list)
    titles = [passages[i][0] for i in numbers]
    for question in made_questions(titles, documents, chance):
        by_kind[question.kind].append(question)
    taken: list[MadeQuestion] = []
    used: Counter[int] = Counter()
    for kind, share in sorted(SHARES.items(), key=lambda item: len(by_kind[item[0]])):
        chance.shuffle(by_kind[kind])
        wanted = round(count * share)
        for question in by_kind[kind]:
            if wanted and used[question.passage] < 5:
                used[question.passage] += 1
                wanted -= 1
                taken.append(question)
    print({kind: len(found) for kind, found in by_kind.items()}, len(taken), "taken")
    return [
        MadeQuestion(q.question, numbers[q.passage], q.start, q.end, q.in_title, q.kind)
        for q in taken
    ]


def xquad(folder: Path) -> list[tuple[int, Passage, str, int, str]]:
    """Return (article, passage, question, start, answer) of XQuAD's questions."""
    rows = []
    data = json.loads((folder / "xquad-en" / "xquad.en.json").read_text())["data"]
    for number, article in enumerate(data):
        for paragraph in article["paragraphs"]:
            for asked in paragraph["qas"]:
                answer = asked["answers"][0]
                place = (answer["answer_start"], answer["text"])
                rows.append((number, ("", paragraph["context"]), asked["question"], *place))
    return rows


def lines_of(file: Path) -> list[dict[str, Any]]:
    """Return the rows of a file of JSON lines."""
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def papers(held_out: bool) -> tuple[list[Asked], list[Asked]]:
    """Return the questions written on papers, and those that their papers do not answer."""
    answered, unanswered = [], []
    for row in lines_of(PAPERS):
        if row.get("held_out", False) != held_out:
            continue
        passage = (row["title"], row["text"])
        for one in row["questions"]:
            start, end = one["answer"]
            answered.append(Asked(one["question"], *passage, start, end))
        unanswered += [Asked(question, *passage) for question in row["unanswered"]]
    return answered, unanswered


def passages_read(folder: Path, held_out: bool) -> tuple[list[Asked], list[Asked]]:
    """Return the questions written on passages of READING, and those that these do not answer."""
    wiki, answered, unanswered = wiki_passages(folder), list[Asked](), list[Asked]()
    for number, row in enumerate(lines_of(READING)):
        if (number % READING_HELD_OUT == 0) != held_out:
            continue
        passage = wiki[row["passage"]] if "passage" in row else (row["title"], row["text"])
        for one in row["questions"]:
            answered.append(Asked(one["question"], *passage, *one["answer"]))
        unanswered += [Asked(question, *passage) for question in row["unanswered"]]
    return answered, unanswered


def untold(
    passages: Sequence[Passage], questions: Sequence[MadeQuestion], chance: random.Random
) -> list[tuple[str, int]]:
    """Return questions about what passages are about, with the passages' numbers: two each, where
    there are such, of which the passage has no word.

    One asks a person for a relation, the other asks what was asked about another passage's title.
    """
    people = {q.passage for q in questions if q.kind in {"life", "nationality", "occupation"}}
    relations = []
    for one in relation_questions():
        # what a description tells ("an American actor", "was king of …") is seldom untold
        described = "CONCEPT" in one.tails and any(
            f"{p} ".startswith("be ") for p in one.predicates
        )
        if one.heads == frozenset({"PERSON"}) and one.predicates and not described:
            words = {word for text in (*one.predicates, *one.questions) for word in text.split()}
            relations.append((_asked(word for word in words if "{" not in word), one.questions))
    others = []
    for question in questions:
        title, text = passages[question.passage]
        wording = question.question.replace(name_of(title), "{h}", 1)
        plain = not re.search(r'[A-Z\d"]', wording[1:]) and len(wording.split()) <= SHORT
        if question.kind in SWAPPED and "{h}" in wording and plain:
            words = _asked(wording.replace("{h}", "").split())
            others.append((_things(text, question.passage in people), words, (wording,)))
    found = []
    used: Counter[str] = Counter()
    for number in sorted({q.passage for q in questions}):
        title, text = passages[number]
        told = {stem(word) for word in words_of(f"{title} {text}")}
        if re.search(r"\d{4}", text[:150]):
            told |= {stem(word) for word in ("bear", "die")}  # the years in brackets say so
        things = _things(text, number in people)
        alike = [(words, asked) for own, words, asked in others if own & things]
        swaps = chance.sample(alike, min(20, len(alike)))
        for pool in (relations if number in people else [], swaps):
            silent = [q for words, q in pool if words and not any(family(w) & told for w in words)]
            wordings = [w for own in silent if used[w := chance.choice(own)] < OFTEN]
            if wordings:
                wording = chance.choice(wordings)
                used[wording] += 1
                found.append((wording.replace("{h}", name_of(title)), number))
    return found


def _things(text: str, person: bool) -> frozenset[str]:
    """Return what a passage says that its subject is: "film", "company"; all people are alike."""
    if person:
        return frozenset({"person"})
    said = re.search(r"\b(?:is|was|are|were) (?:an?|the|one of the) ([^.,;]*)", text)
    words = said.group(1).split()[:8] if said else []
    return frozenset(word for word in words if word.islower()) - COMMON


def _asked(words: Iterable[str]) -> set[str]:
    """Return the words of a question that say what is asked."""
    return {re.sub(r"\W|'s", "", word.casefold()) for word in words} - COMMON


def name_of(title: str) -> str:
    """Return a title without the qualifier in brackets."""
    return re.sub(r"\s*\([^()]*\)\s*$", "", title)


def away(
    answer: str, near: Iterable[Passage], longest: int, chance: random.Random
) -> Passage | None:
    """Return one of the four nearest passages of at most ``longest`` characters that do not hold
    ``answer``, if there is one."""
    key = normalise_answer(answer)
    wrong = (p for p in near if len(p[1]) <= longest and key not in normalise_answer(" ".join(p)))
    first = list(islice(wrong, 4))
    return chance.choice(first) if first else None


def without_answer(passage: Passage, start: int, answer: str) -> Passage | None:
    """Return a passage without the sentences of ``answer``; None where little is left, or it is."""
    title, text = passage
    left = left_without(text, start, start + len(answer))
    if left is None or normalise_answer(answer) in normalise_answer(f"{title} {left}"):
        return None
    return title, left


class Examples:
    """Examples as they are collected, with the passages that they are asked of."""

    def __init__(self) -> None:
        self.passages: list[Passage] = []
        self.examples: list[SpanExample] = []
        self._numbers: dict[Passage, int] = {}

    def add(
        self, question: str, passage: Passage | None, start: int = 0, end: int = 0,
        in_title: bool = False, *, kept: bool = False, leads: tuple[str, ...] = (),
        verdict: Literal["", "yes", "no", "neither"] = "",
    ) -> None:  # fmt: skip
        """Take an example, if there is a passage; see SpanExample."""
        if passage is not None:
            number = self._numbers.setdefault(passage, len(self.passages))
            if number == len(self.passages):
                self.passages.append(passage)
            own = SpanExample(question, number, start, end, in_title, kept, leads, verdict)
            self.examples.append(own)


def training_data(
    folder: Path, count: int, keep: bool = False
) -> tuple[list[Passage], list[SpanExample]]:
    """Return passages, and examples by their numbers.

    ``keep``: made questions, of one hop and of two, are there to keep what the model holds of them.
    """
    chance = random.Random(SEED)
    found = Examples()
    if count and keep:
        add_kept(found, wiki_passages(folder), count)
    elif count:
        _add_made(found, wiki_passages(folder), count, chance)
    people = [
        Asked(question, *passage, start, start + len(answer))
        for article, passage, question, start, answer in xquad(folder)
        if article < XQUAD_TRAINED
    ]
    written, unanswered = papers(held_out=False)
    rows = people_rows(people, PEOPLE, chance) + people_rows(written, WRITTEN, chance) + unanswered
    for row in rows:
        found.add(row.question, (row.title, row.text), row.start, row.end)
    return found.passages, found.examples


def made_examples(folder: Path, count: int) -> tuple[list[Passage], list[SpanExample]]:
    """Return passages, and about ``count`` made questions with those that passages do not tell."""
    found = Examples()
    _add_made(found, wiki_passages(folder), count, random.Random(SEED))
    return found.passages, found.examples


def _add_made(found: Examples, wiki: Sequence[Passage], count: int, chance: random.Random) -> None:
    questions = made(wiki, count, SEED, held_out=False, longest=LONGEST)
    near = Nearest(wiki).of([q.question for q in questions], 8)
    for question, nearest in zip(questions, near, strict=True):
        own = wiki[question.passage]
        found.add(question.question, own, question.start, question.end, question.in_title)
        if chance.random() < AWAY:
            others = (wiki[i] for i in nearest if i != question.passage)
            found.add(question.question, away(answer_of(question, wiki), others, LONGEST, chance))
    silent = untold(wiki, questions, chance)
    chance.shuffle(silent)
    for asked, number in silent[: round(UNTOLD * len(questions))]:
        found.add(asked, wiki[number])


def add_kept(found: Examples, wiki: Sequence[Passage], count: int) -> None:
    """Add made questions with their own passages and the nearest other one."""
    chance = random.Random(SEED)
    questions = made(wiki, count, SEED, held_out=False, longest=LONGEST)
    nested = nested_questions(wiki, questions, questions)
    chance.shuffle(nested)
    asked: list[tuple[str, tuple[int, ...]]] = [(q.question, (q.passage,)) for q in questions]
    asked += [(wording, (q.passage, phrase.passage)) for wording, q, phrase in nested[:count]]
    print(len(nested), "of two hops")
    near = Nearest(wiki).of([question for question, _ in asked], 8)
    for (question, own), nearest in zip(asked, near, strict=True):
        others = [n for n in nearest if n not in own and len(wiki[n][1]) <= 2 * LONGEST]
        for number in (*own, *others[:1]):
            found.add(question, wiki[number], kept=True)


def nested_questions(
    passages: Sequence[Passage],
    phrases: Sequence[MadeQuestion],
    questions: Sequence[MadeQuestion],
) -> list[tuple[str, MadeQuestion, MadeQuestion]]:
    """Return ``questions`` about a passage's title, which a phrase about another passage stands
    for: the wording, the question, the phrase."""
    about: dict[str, list[MadeQuestion]] = {}
    for question in questions:
        if question.question.endswith("?") and question.kind != "description":
            about.setdefault(name_of(passages[question.passage][0]), []).append(question)
    found = []
    for phrase in phrases:
        answer = answer_of(phrase, passages)
        for question in about.get(answer, ())[:NESTED] if phrase.kind == "phrase" else ():
            wording = question.question.replace(answer, "{h}")
            if question.kind in WORDED:
                wording = of_wording(wording)
            fits = "{h}" in wording and "{h}'s" not in wording
            if fits and question.passage != phrase.passage:
                found.append((wording.replace("{h}", phrase.question), question, phrase))
    return found


def answer_of(question: MadeQuestion, passages: Sequence[Passage]) -> str:
    """Return the words that answer a made question."""
    title, text = passages[question.passage]
    return (title if question.in_title else text)[question.start : question.end]


def measure(reader: SpanReader, folder: Path) -> dict[str, dict[str, float]]:
    """Return EM and F1 on what was held out, and how well "not here" is told apart (AUC): in a
    passage without the answer, in one that is about the same and does not tell it, and in the
    answer's own without the sentence that says it.
    """
    wiki = wiki_passages(folder)
    held = made(wiki, 400, 8, held_out=True)
    sets: dict[str, list[Row]] = {
        "made": [(wiki[q.passage], q.question, q.start, answer_of(q, wiki)) for q in held],
        "xquad": [row[1:] for row in xquad(folder) if row[0] >= XQUAD_TRAINED],
    }
    written, unanswered = papers(held_out=True)
    sets["papers"] = [((a.title, a.text), a.question, a.start, a.answer) for a in written]
    not_said = [_best(reader, a.question, (a.title, a.text))[0] for a in unanswered]
    figures = {}
    silent = untold(wiki, held, random.Random(3))
    untold_scores = [_best(reader, question, wiki[n])[0] for question, n in silent]
    for name, rows in sets.items():
        pool = wiki if name == "made" else list(dict.fromkeys(row[0] for row in rows))
        near = Nearest(pool).of([row[1] for row in rows], 4)
        exact, f1, right = [], [], []
        silence = not_said if name == "papers" else untold_scores
        wrong: dict[str, list[float]] = {"not_here": [], "silent": [], "untold": silence}
        for (passage, question, start, answer), others in zip(rows, near, strict=True):
            score, text = _best(reader, question, passage)
            exact.append(exact_match(text, [answer]))
            f1.append(best_f1(text, [answer]))
            right.append(score)
            other = next(pool[i] for i in others if pool[i] != passage)
            wrong["not_here"].append(_best(reader, question, other)[0])
            less = without_answer(passage, start, answer)
            if less is not None:
                wrong["silent"].append(_best(reader, question, less)[0])
        auc = {
            kind: np.mean(np.array(right)[:, None] > np.array(scores)[None, :])
            for kind, scores in wrong.items()
        }
        figures[name] = {
            "questions": len(rows),
            "exact_match": round(100 * float(np.mean(exact)), 1),
            "f1": round(100 * float(np.mean(f1)), 1),
            **{f"auc_{kind}": round(float(share), 3) for kind, share in auc.items()},
        }
    return figures


def _best(reader: SpanReader, question: str, passage: Passage) -> tuple[float, str]:
    """Return the log-odds of the best span, and its text."""
    best = reader.read([question], reader.encode([passage]))[0][0].best(1)[0]
    return best.score, passage[0 if best.in_title else 1][best.start : best.end]


def main() -> None:
    """Make questions, train, write the weights and measure."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("data_dir", type=Path)
    parser.add_argument("out", type=Path, help="a file of weights")
    parser.add_argument("--minutes", type=float, default=45)
    parser.add_argument("--questions", type=int, default=QUESTIONS)
    parser.add_argument("--start", type=Path, help="weights to go on from, of a training before")
    parser.add_argument(
        "--share",
        type=float,
        metavar="S",
        help="with --start: made questions keep what START holds of them, and what is written is\n"
        "START moved by this share of the way to what was learned",
    )
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--measure", action="store_true", help="train nothing")
    options = parser.parse_args()
    if options.share is not None and options.start is None:
        parser.error("--share needs --start")
    if not options.measure:
        save_trained(_trained(options), options.out)
    whole = {**base_weights(), **trained_weights(options.out)}
    print(json.dumps(measure(SpanReader(threads=1, weights=whole), options.data_dir), indent=2))


def _trained(options: argparse.Namespace) -> dict[str, NDArray[np.float32]]:
    import torch

    torch.set_num_threads(options.threads)
    start = None if options.start is None else trained_weights(options.start)
    keep = options.share is not None
    passages, examples = training_data(options.data_dir, options.questions, keep)
    print(len(examples), "examples", flush=True)
    started = time.perf_counter()

    def tell(step: int, seen: int, loss: float) -> None:
        spent = time.perf_counter() - started
        print(f"{spent:7.0f} s, step {step}, {seen} seen, loss {loss:.3f}", flush=True)

    learned = train(
        passages,
        examples,
        60 * options.minutes,
        start=start,
        tell=tell,
        keep=lambda arrays: save_trained(arrays, options.out),
    )
    if start is None or not keep:
        return learned
    save_trained(learned, options.out.with_suffix(".learned.safetensors"))
    return moved(start, learned, options.share)


if __name__ == "__main__":
    main()
