"""How something is done, and yes or no: trains the span model on pages that tell it, and fits what
finds the section and the sentence, and how sure that is.

    python tests/benchmarks/help_pages.py rows CACHE_DIR FILE
    python tests/benchmarks/help_pages.py train DATA_DIR FILE WEIGHTS [--start WEIGHTS] [--minutes]
    python tests/benchmarks/help_pages.py fit CACHE_DIR [--weights WEIGHTS] [--write]

`data/help_pages.jsonl`: pages of made-up organisations, with questions on their sections, and such
that none of them answers, written by language models that saw nothing of Clew; none of the
desks of `help_desks.py` is among them. Each organisation is a corpus of its own, read and cut as
ingest does; its passages are ranked by their cosine with the question. One organisation of
HELD_OUT is neither trained on nor fitted to.

- `rows` writes what is read to FILE (JSON lines): of each question the passage that answers it and
  a near one that does not; where yes or no is asked for, also the sentence that decides it with
  those beside it, and such that are near and do not decide it.
- `train` goes on from weights, while made questions keep what these hold of them.
- `fit` fits weights and confidences (platform/clew/comprehension/sections.json and verdicts.json,
  "section" and "verdict" in answering/calibration.json) and prints figures, of the organisations
  that are held out, too. What was trained on those that it is fitted to is surer there than
  elsewhere, so both are fitted by what is held out, in folds, once the figures by folds are
  printed.

Model of the weights: softmax over the sections or sentences of a question, L2; of the confidence:
logistic regression.
"""

import argparse
import json
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from reader_training import PLATFORM, fit, logistic_fit, store
from scipy.special import expit
from span_reader_training import Examples, add_kept, lines_of, wiki_passages

from clew.comprehension.chains import parsed_question
from clew.comprehension.question_form import understand
from clew.comprehension.read_evidence import ReaderModels, ReadEvidence
from clew.comprehension.section_ranking import CONFIDENCE as OF_SECTION
from clew.comprehension.section_ranking import REASONS, likeliest, reasons_of
from clew.comprehension.sections import is_heading, sections
from clew.comprehension.verdicts import CONFIDENCE as OF_VERDICT
from clew.comprehension.verdicts import TELLING, certainty, stretch_of, stretches, verdicts
from clew.results.evidence import ScoredChunk
from clew_ingest.limits import IngestLimits
from clew_ingest.parsing.chunking import line_places, unit_chunks
from clew_ingest.parsing.parser import Parser
from clew_ingest.parsing.units import cut_units, text_budget
from clew_ingest.reading.readers import read
from clew_models.embedding.base import Embedder
from clew_models.embedding.load import load_embedder
from clew_models.span_reader import SpanReader
from clew_models.span_reader.training import train
from clew_models.span_reader.weights import (
    PAGES as SHIPPED,
)
from clew_models.span_reader.weights import (
    all_weights,
    save_trained,
    trained_weights,
)

PAGES = Path(__file__).parent / "data" / "help_pages.jsonl"
HELD_OUT, FOLDS = 5, 5
"""One organisation of so many is held out; parts of those by which what is fitted is checked."""
PASSAGES = 10
"""Passages of a search."""
NEAR, LONG, KEPT = 2, 0.4, 1500
"""Near sentences without an answer that are learned of a question for yes or no, the share of these
that is read in whole passages, too, and made questions that are kept as they are."""
NEITHER, NOT_THERE = 0.5, 0.6
"""The share of what is learned of what tells neither yes nor no, and of what does not tell how."""
RIDGE = 10.0
YES_OR_NO = frozenset({"yes", "no", "no yes or no"})


class Section(NamedTuple):
    """A section of a page, of that title."""

    page: str
    heading: str
    text: str


class Question(NamedTuple):
    """A question of a kind ("how", "yes", "no", "no how", "no yes or no") on a section, and the
    words of it that tell; "" where it does not."""

    kind: str
    text: str
    section: int
    says: str


@dataclass(frozen=True)
class Organisation:
    """Pages and the questions on them."""

    name: str
    sections: Sequence[Section]
    questions: Sequence[Question]

    @cached_property
    def pages(self) -> dict[str, str]:
        """Return each page in Markdown, by its title."""
        found: dict[str, str] = {}
        for page, heading, text in self.sections:
            found.setdefault(page, f"# {page}\n")
            found[page] += f"\n## {heading}\n\n{text}\n"
        return found


def organisations(*, held_out: bool) -> list[Organisation]:
    """Return the organisations that are held out, or the others."""
    found = []
    for number, row in enumerate(lines_of(PAGES)):
        if (number % HELD_OUT == 0) == held_out:
            own = [Section(one["page"], one["heading"], one["text"]) for one in row["sections"]]
            asked = [
                Question(
                    one["kind"],
                    one["question"],
                    one["section"],
                    own[one["section"]].text[slice(*one["says"])] if "says" in one else "",
                )
                for one in row["questions"]
            ]
            found.append(Organisation(row["site"], own, asked))
    return found


class Searched:
    """The passages of an organisation's pages, as ingest makes them, and a search in them."""

    def __init__(self, pages: Mapping[str, str], embedder: Embedder, parser: Parser) -> None:
        self._embedder = embedder
        self.chunks: list[ScoredChunk] = []
        for title, text in pages.items():
            self.chunks += passages_of(title, text, embedder, parser)
        texts = [f"{chunk.title}\n{chunk.text}" for chunk in self.chunks]
        self._vectors = np.array(embedder.embed(texts))

    def of(self, question: str) -> list[ScoredChunk]:
        """Return the nearest passages, best first."""
        (vector,) = self._embedder.embed([question])
        order = np.argsort(-(self._vectors @ vector), kind="stable")
        return [self.chunks[place] for place in order[:PASSAGES].tolist()]

    def whole(self, document: str) -> list[ScoredChunk]:
        """Return all passages of a document, in order."""
        return [chunk for chunk in self.chunks if chunk.document_id == document]


def passages_of(title: str, text: str, embedder: Embedder, parser: Parser) -> Iterator[ScoredChunk]:
    """Yield the passages of a page in Markdown."""
    limits = IngestLimits()
    (document,) = read(text.encode(), f"{title}.md", limits).documents
    budget = text_budget(document.title, limits, embedder.count_tokens)
    units = cut_units(
        document.title, document.text, "", budget, embedder.count_tokens, document.places
    )
    position = 0
    for unit in units:
        parsed = parser.parse(unit.blocks)
        for chunk in unit_chunks(unit, parsed, position, budget, embedder.count_tokens):
            position += 1
            yield ScoredChunk(
                id=f"{title} {position}",
                document_id=title,
                title=document.title,
                text=chunk.text,
                score=1,
                headings=line_places(chunk.lines)[1],
            )


def each_read(
    found: Sequence[Organisation], models: ReaderModels, kinds: frozenset[str]
) -> Iterator[tuple[int, Organisation, Question, ReadEvidence]]:
    """Yield each question of ``kinds`` with its evidence, and its organisation's number."""
    parser = Parser()
    for number, one in enumerate(found):
        searched = Searched(one.pages, models.embedder, parser)
        for question in one.questions:
            if question.kind in kinds:
                chunks = searched.of(question.text)
                yield number, one, question, ReadEvidence(chunks, models, whole=searched.whole)


def write_rows(asked: argparse.Namespace) -> None:
    """Write what is read of the organisations that are not held out."""
    embedder = load_embedder("minilm", cache_dir=asked.cache_dir, threads=asked.threads)
    models = ReaderModels(embedder, SpanReader(threads=asked.threads))
    chance = random.Random(5)
    every = frozenset({"how", "no how", *YES_OR_NO})
    with asked.file.open("w", encoding="utf-8") as out:
        done = -1
        for number, one, question, evidence in each_read(
            organisations(held_out=False), models, every
        ):
            if number // 10 > done:
                done = number // 10
                print(number, "organisations", flush=True)
            for row in rows_of(one, question, evidence, chance):
                out.write(json.dumps(row, ensure_ascii=False) + "\n")


def rows_of(
    one: Organisation, question: Question, evidence: ReadEvidence, chance: random.Random
) -> Iterator[dict[str, Any]]:
    """Yield the rows of a question: what is read, the characters that tell, what they tell."""
    view, yes_no = evidence.view, question.kind in YES_OR_NO
    own = one.sections[question.section]
    neither = "neither" if yes_no else ""

    def row(title: str, text: str, verdict: str, said: str = "") -> dict[str, Any]:
        start = text.find(said) if said else 0
        place = [start, start + len(said)] if said and start >= 0 else [0, 0]
        return {
            "question": question.text,
            "passage": [title, text],
            "answer": place,
            "verdict": verdict if place[1] or verdict == "neither" else "",
        }

    chunks = list(evidence.chunks)
    holding = [c for c in chunks if question.says and question.says in c.text]
    away = [c for c in chunks if own.heading not in c.headings and c not in holding]
    if not yes_no or chance.random() < LONG:
        told = question.kind if yes_no else ""
        for chunk in holding[:1]:
            yield row(chunk.title, chunk.text, told, question.says)
        for chunk in away[: 1 if question.says else 2]:
            yield row(chunk.title, chunk.text, neither)
    if not yes_no:
        return
    (vector,) = evidence.embedded([question.text])
    order = sorted(
        range(len(view.sentences)), key=lambda n: -float(view.sentences[n].vector @ vector)
    )
    own_place = next((n for n in order if _holds(view.sentences[n].parse.text, question)), None)
    if own_place is not None:
        stretch = stretch_of(view, own_place)
        yield row(stretch.heading, stretch.text, question.kind, question.says)
    others = [
        n
        for n in order[:12]
        if not is_heading(view, n) and (not question.says or view.sentences[n].above != own.heading)
    ]
    for n in chance.sample(others[:6], min(NEAR if not question.says else 1, len(others[:6]))):
        stretch = stretch_of(view, n)
        yield row(stretch.heading, stretch.text, neither)


def _holds(text: str, question: Question) -> bool:
    return bool(question.says) and question.says in text


def learn(asked: argparse.Namespace) -> None:
    """Go on from weights, and write what comes of it."""
    examples, chance = Examples(), random.Random(1)
    for row in lines_of(asked.file):
        missing = NEITHER if row["verdict"] else NOT_THERE
        if chance.random() < (1.0 if row["answer"][1] else missing):
            passage = tuple(row["passage"])
            examples.add(row["question"], passage, *row["answer"], verdict=row["verdict"])
    add_kept(examples, wiki_passages(asked.data_dir), KEPT)
    print(len(examples.examples), "examples", flush=True)
    found = train(
        examples.passages,
        examples.examples,
        asked.minutes * 60,
        start=trained_weights(asked.start),
        seed=3,
        tell=lambda step, seen, loss: print(step, seen, f"{loss:.3f}", flush=True),
        keep=lambda arrays: save_trained(arrays, asked.weights),
    )
    save_trained(found, asked.weights)


@dataclass(frozen=True)
class Asked:
    """A question: the reasons [N, R] of what may tell it, which of them [N] do, ``extra`` values
    [N, E] of each for the confidence, and whether that is right [N] if it is chosen."""

    organisation: int
    answerable: bool
    reasons: NDArray[np.float64]
    tells: NDArray[np.bool_]
    right: NDArray[np.bool_]
    extra: NDArray[np.float64] = field(default_factory=lambda: np.zeros((0, 0)))

    def chosen(self, weights: NDArray[np.float64]) -> tuple[list[float], bool]:
        """Return what the confidence is computed from, and whether it is right."""
        best, score, ahead = likeliest(self.reasons @ weights)
        own = [*self.reasons[best].tolist(), score, ahead, *self.extra[best].tolist()]
        return own, bool(self.right[best])


def asked_how(models: ReaderModels, some: Sequence[Organisation]) -> Iterator[Asked]:
    """Yield the questions for how on some organisations' pages, with the sections found."""
    kinds = frozenset({"how", "no how"})
    for number, one, question, evidence in each_read(some, models, kinds):
        parse = parsed_question(question.text, evidence)
        found = sections(evidence.view)
        reasons = reasons_of(question.text, parse, understand(parse), found, evidence)
        first = [evidence.view.sentences[section.body[0]] for section in found]
        own = one.sections[question.section]
        right = np.array(
            [
                question.kind == "how" and (each.title, each.above) == (own.page, own.heading)
                for each in first
            ]
        )
        extra = np.zeros((len(found), 0))
        yield Asked(number, question.kind == "how", reasons, right, right, extra)


def asked_yes_or_no(models: ReaderModels, some: Sequence[Organisation]) -> Iterator[Asked]:
    """Yield the questions for yes or no, with the sentences tried."""
    for organisation, one, question, evidence in each_read(some, models, YES_OR_NO):
        form = understand(parsed_question(question.text, evidence))
        tried = stretches(question.text, evidence)
        found = verdicts(question.text, form, tried, evidence)
        own = one.sections[question.section]
        sentences = evidence.view.sentences
        tells = [
            _holds(stretch.text, question)
            and (sentences[stretch.place].title, sentences[stretch.place].above)
            == (own.page, own.heading)
            for stretch in tried
        ]
        right = [question.kind == ("yes" if verdict.yes > 0 else "no") for verdict in found]
        yield Asked(
            organisation,
            bool(question.says),
            np.array([verdict.reasons for verdict in found]),
            np.array(tells),
            np.array(right),
            np.array([certainty(number, found) for number in range(len(found))]),
        )


def fitted(
    name: str, asked: Sequence[Asked], names: Sequence[str], values: Sequence[str]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the weights of ``names`` and the confidence of ``values``; print figures by folds."""

    def weights_of(some: Sequence[Asked]) -> NDArray[np.float64]:
        rows = [(one.reasons, one.tells.astype(float), "") for one in some if one.tells.any()]
        return fit(rows)

    def told(
        some: Sequence[Asked], weights: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        found, right = zip(*(one.chosen(weights) for one in some), strict=True)
        return np.array(found), np.array(right)

    order, sure, rights = [], [], []
    for fold in range(FOLDS):
        others = [one for one in asked if one.organisation % FOLDS != fold]
        own = [one for one in asked if one.organisation % FOLDS == fold]
        weights = weights_of(others)
        logistic = logistic_fit(*told(others, weights), RIDGE)
        here, right = told(own, weights)
        order += own
        own_sure = expit(logistic[0] + here @ logistic[1:])
        if "certain" in values:  # as `Finding.confidence` bounds it
            own_sure = np.minimum(own_sure, expit(10 * here[:, values.index("certain")]))
        sure.append(own_sure)
        rights.append(right)
    print_figures(name, order, np.concatenate(rights), np.concatenate(sure))
    weights = weights_of(asked)
    here, right = told(asked, weights)
    logistic = logistic_fit(here, right, RIDGE)
    return (
        {
            "trained_on": f"{len(asked)} questions on pages of made-up organisations",
            "recipe": "tests/benchmarks/help_pages.py",
            "weights": {n: round(float(w), 4) for n, w in zip(names, weights, strict=True)},
        },
        {
            "intercept": round(float(logistic[0]), 4),
            "weights": {n: round(float(w), 4) for n, w in zip(values, logistic[1:], strict=True)},
            "measured_on": len(asked),
            "right": int(right.sum()),
        },
    )


def print_figures(
    name: str, asked: Sequence[Asked], right: NDArray[np.bool_], sure: NDArray[np.float64]
) -> None:
    """Print how many are right, and what each threshold tells."""
    answerable = np.array([one.answerable for one in asked])
    there = np.array([bool(one.tells.any()) for one in asked])
    print(
        f"{name}: {answerable.sum()} answerable, {there.sum()} of them found, "
        f"{right[answerable].sum()} right whatever the confidence; {(~answerable).sum()} not"
    )
    for threshold in (0.08, 0.2, 0.35, 0.5, 0.65, 0.75, 0.85):
        stated = sure >= threshold
        print(
            f"  {threshold}: told {stated[answerable].sum()}, right {right[stated].sum()}, "
            f"of those without an answer {stated[~answerable].sum()}, "
            f"mean confidence {sure[stated].mean():.3f}, right {right[stated].mean():.3f}",
            flush=True,
        )


Ask = Callable[[ReaderModels, Sequence[Organisation]], Iterator[Asked]]


def fit_all(asked: argparse.Namespace) -> None:
    """Fit, print, and write."""
    embedder = load_embedder("minilm", cache_dir=asked.cache_dir, threads=1)
    pages = SpanReader(threads=2, weights=all_weights(asked.weights))
    models = ReaderModels(embedder, SpanReader(threads=1), pages=lambda: pages)
    some = organisations(held_out=True)[: asked.organisations]
    ways: list[tuple[str, str, Ask, Sequence[str], Sequence[str]]] = [
        ("section", "sections.json", asked_how, REASONS, OF_SECTION),
        ("verdict", "verdicts.json", asked_yes_or_no, TELLING, OF_VERDICT),
    ]
    for name, file, questions, names, values in ways:
        content, calibrated = fitted(name, list(questions(models, some)), names, values)
        print(json.dumps(content["weights"]), json.dumps(calibrated), flush=True)
        if asked.write:
            target = PLATFORM / "comprehension" / file
            target.write_text(json.dumps(content, indent=2) + "\n")
            store({name: calibrated})


def main() -> None:
    """Write rows, train, or fit."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(required=True)
    one = commands.add_parser("rows", help="write what is read")
    one.add_argument("cache_dir", type=Path)
    one.add_argument("file", type=Path)
    one.add_argument("--threads", type=int, default=1)
    one.set_defaults(run=write_rows)
    one = commands.add_parser("train", help="train the span model on it")
    one.add_argument("data_dir", type=Path)
    one.add_argument("file", type=Path)
    one.add_argument("weights", type=Path)
    one.add_argument("--start", type=Path, default=SHIPPED, help="weights to go on from")
    one.add_argument("--minutes", type=float, default=25)
    one.set_defaults(run=learn)
    one = commands.add_parser("fit", help="fit weights and confidences, and print figures")
    one.add_argument("cache_dir", type=Path)
    one.add_argument("--weights", type=Path, default=SHIPPED, help="of the model")
    one.add_argument("--organisations", type=int, help="only so many of those that are held out")
    one.add_argument("--write", action="store_true")
    one.set_defaults(run=fit_all)
    asked = parser.parse_args()
    asked.run(asked)


if __name__ == "__main__":
    main()
