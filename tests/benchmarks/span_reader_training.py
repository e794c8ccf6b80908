"""Trains the span model of the reader (models/clew_models/span_reader/trained.safetensors).

    python tests/benchmarks/span_reader_training.py DATA_DIR [--minutes 45] [--questions 12000]

DATA_DIR holds 2wiki-corpus (passages, which questions are made from) and xquad-en (questions by
people). "Not here" is learned from the nearest passages that do not hold an answer, and from
questions about what a passage is about that it does not tell (`untold`). A quarter of the passages
and a third of XQuAD's articles are held out, and measured on at the end. HotpotQA, MuSiQue and the
sample corpus are not touched.
"""

import argparse
import json
import math
import random
import re
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
from scipy.sparse import csr_matrix

from clew.comprehension.normalisation import best_f1, exact_match, normalise_answer
from clew.comprehension.stems import family, stem
from clew.strategies.learning.made_questions import MadeQuestion, made_questions
from clew.strategies.learning.wordings import relation_questions
from clew_ingest.parsing.parser import DEFAULT_PIPELINE
from clew_ingest.parsing.spacy_pipeline import load_pipeline
from clew_models.span_reader.reader import SpanReader
from clew_models.span_reader.training import SpanExample, train
from clew_models.span_reader.weights import (
    SHIPPED,
    base_weights,
    save_trained,
    trained_weights,
)

HELD_OUT = 4
"""One passage of so many is held out, and XQuAD's articles from this share on."""
XQUAD_TRAINED = 32
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
UNTOLD = 0.5
"""Questions about what their own passage does not tell, for each that is made, if there are so
many."""

Passage = tuple[str, str]


class Nearest:
    """Passages that share most words with a question (TF-IDF): what a search may bring up."""

    def __init__(self, passages: Sequence[Passage]) -> None:
        bags = [Counter(_words(f"{title} {title} {text}")) for title, text in passages]
        counts = Counter(word for bag in bags for word in bag)
        self._places = {word: i for i, word in enumerate(counts)}
        self._idf = {w: math.log(1 + len(bags) / n) for w, n in counts.items()}
        self._matrix = self._rows(bags)

    def _rows(self, bags: Sequence[Counter[str]]) -> csr_matrix:
        rows, columns, values = [], [], []
        for row, bag in enumerate(bags):
            known = {w: self._idf[w] * (1 + math.log(n)) for w, n in bag.items() if w in self._idf}
            norm = math.sqrt(sum(v * v for v in known.values())) or 1.0
            for word, value in known.items():
                rows.append(row)
                columns.append(self._places[word])
                values.append(value / norm)
        return csr_matrix((values, (rows, columns)), shape=(len(bags), len(self._places)))

    def of(self, questions: Sequence[str], count: int) -> list[list[int]]:
        """Return the ``count`` nearest passages of each question, best first."""
        found = []
        for start in range(0, len(questions), 500):
            bags = [Counter(_words(q)) for q in questions[start : start + 500]]
            scores = (self._rows(bags) @ self._matrix.T).toarray()
            top = np.argpartition(-scores, count, axis=1)[:, :count]
            for row, own in enumerate(top):
                found.append([int(i) for i in own[np.argsort(-scores[row][own])]])
        return found


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text.casefold())


def wiki_passages(folder: Path) -> list[Passage]:
    """Return 2WikiMultihopQA's passages."""
    rows = json.loads((folder / "2wiki-corpus" / "corpus.json").read_text())
    return [(row["title"], row["text"]) for row in rows]


def made(
    passages: Sequence[Passage], count: int, seed: int, held_out: bool, longest: int = 10**6
) -> list[MadeQuestion]:
    """Return about ``count`` questions, of the kinds of SHARES, at most five a passage.

    ``longest``: characters of a passage that is asked about.
    """
    chance = random.Random(seed)
    numbers = [i for i in range(len(passages)) if (i % HELD_OUT == 0) == held_out]
    chance.shuffle(numbers)
    numbers = [i for i in numbers if len(passages[i][1]) <= longest][: max(300, count // 4)]
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
        told = {stem(word) for word in _words(f"{title} {text}")}
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


def with_negatives(
    questions: Sequence[tuple[SpanExample, str]], near: Sequence[Sequence[int]], each: int,
    passages: Sequence[Passage], longest: int, chance: random.Random,
) -> list[SpanExample]:  # fmt: skip
    """Return the examples, and with each of them ``each`` passages that do not hold its answer."""
    examples = []
    for (example, answer), nearest in zip(questions, near, strict=True):
        examples.append(example)
        key = normalise_answer(answer)
        wrong = [
            i
            for i in nearest
            if i != example.passage
            and len(passages[i][1]) <= longest
            and key not in normalise_answer(f"{passages[i][0]} {passages[i][1]}")
        ]
        for i in chance.sample(wrong[:4], min(each, len(wrong[:4]))):
            examples.append(SpanExample(example.question, i))
    return examples


def training_data(
    folder: Path, count: int, longest: int
) -> tuple[list[Passage], list[SpanExample]]:
    """Return passages, and examples by their numbers; XQuAD's passages are cut to ``longest``."""
    chance = random.Random(7)
    wiki = wiki_passages(folder)
    questions = made(wiki, count, 7, held_out=False, longest=longest)
    nearest = Nearest(wiki)
    pairs = [
        (SpanExample(q.question, q.passage, q.start, q.end, q.in_title), _answer(q, wiki))
        for q in questions
    ]
    near = nearest.of([q.question for q in questions], 8)
    examples = with_negatives(pairs, near, 1, wiki, longest, chance)
    silent = untold(wiki, questions, chance)
    chance.shuffle(silent)
    examples += [SpanExample(*one) for one in silent[: round(UNTOLD * len(questions))]]
    print(len(silent), "untold")
    chance.shuffle(examples)
    rows = [_shorter(row, longest, chance) for row in xquad(folder) if row[0] < XQUAD_TRAINED]
    paragraphs = list(dict.fromkeys(row[1] for row in rows))
    numbers = {paragraph: len(wiki) + i for i, paragraph in enumerate(paragraphs)}
    passages = [*wiki, *paragraphs]
    pairs = [
        (SpanExample(question, numbers[passage], start, start + len(answer)), answer)
        for _, passage, question, start, answer in rows
    ]
    near = [[len(wiki) + i for i in own] for own in Nearest(paragraphs).of([r[2] for r in rows], 6)]
    for _ in range(2):  # questions by people are few, and so are asked twice a round
        examples += with_negatives(pairs, near, 1, passages, 2 * longest, chance)
    return passages, examples


def _shorter(
    row: tuple[int, Passage, str, int, str], longest: int, chance: random.Random
) -> tuple[int, Passage, str, int, str]:
    """Return a question with the words around its answer: long passages make long trainings."""
    article, (title, text), question, start, answer = row
    first = max(0, start - chance.randint(0, 3 * longest // 4))
    first = min(text.find(" ", first) + 1, start) if first else 0
    last = text.find(" ", max(start + len(answer), first + longest))
    cut = text[first : last if last >= 0 else len(text)]
    return article, (title, cut), question, start - first, answer


def _answer(question: MadeQuestion, passages: Sequence[Passage]) -> str:
    title, text = passages[question.passage]
    return (title if question.in_title else text)[question.start : question.end]


def measure(reader: SpanReader, folder: Path) -> dict[str, dict[str, float]]:
    """Return EM and F1 on what was held out, and how well "not here" is told apart (AUC), in a
    passage without the answer and in one that is about the same and does not tell it.
    """
    wiki = wiki_passages(folder)
    held = made(wiki, 400, 8, held_out=True)
    sets = {
        "made": [(q.question, wiki[q.passage], _answer(q, wiki)) for q in held],
        "xquad": [(r[2], r[1], r[4]) for r in xquad(folder) if r[0] >= XQUAD_TRAINED],
    }
    figures = {}
    silent = untold(wiki, held, random.Random(3))
    unsaid = [reader.read([q], reader.encode([wiki[n]]))[0][0].best(1)[0].score for q, n in silent]
    for name, rows in sets.items():
        pool = wiki if name == "made" else list(dict.fromkeys(row[1] for row in rows))
        near = Nearest(pool).of([row[0] for row in rows], 4)
        exact, f1, right, wrong = [], [], [], []
        for (question, passage, answer), others in zip(rows, near, strict=True):
            other = next(pool[i] for i in others if pool[i] != passage)
            own, away = reader.read([question], reader.encode([passage, other]))[0]
            best = own.best(1)[0]
            text = (passage[0] if best.in_title else passage[1])[best.start : best.end]
            exact.append(exact_match(text, [answer]))
            f1.append(best_f1(text, [answer]))
            right.append(best.score)
            wrong.append(away.best(1)[0].score)
        auc = {
            "not_here": np.mean(np.array(right)[:, None] > np.array(wrong)[None, :]),
            "untold": np.mean(np.array(right)[:, None] > np.array(unsaid)[None, :]),
        }
        figures[name] = {
            "questions": len(rows),
            "exact_match": round(100 * float(np.mean(exact)), 1),
            "f1": round(100 * float(np.mean(f1)), 1),
            **{f"auc_{kind}": round(float(share), 3) for kind, share in auc.items()},
        }
    return figures


def main() -> None:
    """Make questions, train, write the weights and measure."""
    parser = argparse.ArgumentParser()
    parser.add_argument("data_dir", type=Path)
    parser.add_argument("--minutes", type=float, default=45)
    parser.add_argument("--questions", type=int, default=12000)
    parser.add_argument("--longest", type=int, default=600, help="characters of a passage")
    parser.add_argument("--start", type=Path, help="weights to go on from, of a training before")
    parser.add_argument("--rate", type=float, default=1.0, help="times the learning rates")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--out", type=Path, default=SHIPPED)
    options = parser.parse_args()
    import torch

    torch.set_num_threads(options.threads)
    passages, examples = training_data(options.data_dir, options.questions, options.longest)
    print(len(examples), "examples", flush=True)
    started = time.perf_counter()

    def tell(step: int, seen: int, loss: float) -> None:
        spent = time.perf_counter() - started
        print(f"{spent:7.0f} s, step {step}, {seen} seen, loss {loss:.3f}", flush=True)

    arrays = train(
        passages,
        examples,
        60 * options.minutes,
        start=None if options.start is None else trained_weights(options.start),
        rate=options.rate,
        tell=tell,
        keep=lambda arrays: save_trained(arrays, options.out),
    )
    save_trained(arrays, options.out)
    whole = {**base_weights(), **arrays}
    print(json.dumps(measure(SpanReader(threads=1, weights=whole), options.data_dir), indent=2))


if __name__ == "__main__":
    main()
