"""Trains the span model to read a passage beside the sentences that lead to it, and measures it.

    python tests/benchmarks/led_reading.py rows DATA_DIR CACHE_DIR FILE [--ranked RANKED] [--seed 2]
    python tests/benchmarks/led_reading.py train DATA_DIR FILE WEIGHTS [--start WEIGHTS] [--seed 2]
        [--minutes 42]
    python tests/benchmarks/led_reading.py measure FILE [--weights WEIGHTS]

`rows` writes what is read to FILE (JSON lines): for each question the passage that answers it, and
others of those that a search brings up, each with its leads as the reader finds them (`Leads` of
clew.comprehension); where these miss a sentence that is needed, it takes the place of one. RANKED
is what `step_reader_training.py rank` wrote, the first passages of chain-ranking; without it, and
for questions that are not in it, passages of the same corpus that share most words. Questions, as
many of a kind as one training learns, and as are measured:

- ``chains``, ``office chains``: such that take two passages to four (`data/passage_chains.jsonl`),
  those of which a language model that read the passages marked the answer and the sentences that
  lead there;
- ``office`` and ``xquad``: on one paper (`data/office_reading.jsonl`), and by people on one
  paragraph, which leads must not lead astray;
- ``unanswered``: written on a paper that does not answer them;
- ``passages``, for `train` alone: written on one passage of textbooks, guides of public offices and
  2WikiMultihopQA (`data/passage_reading.jsonl`), and such that it does not answer. They are read
  without leads, in cuts of their own, and beside passages without the answer.

Where a row of a table answers, there are rows in which the name that leads to it is another row's,
in the question and in the sentences that lead there, so that this one's value is the answer; and
one whose name no row has (as Kaushik et al. 2020, arXiv:1909.12434, change a text by hand).

Held out is what `step_reader_training.py` holds out; nothing of HotpotQA-100, MuSiQue-100, the
sample corpus or a drive is there. `train` goes on from the weights that ship, or others, on the
cores that there are: of each question its passage and one or two others, in which the answer is
not, singles half of the time without leads; made questions keep what the start holds of them.
`measure` reads
what is held out, the passages that were found of each question, and takes the likeliest span of
all: alone, and beside leads.
"""

import argparse
import gzip
import json
import os
import random
import re
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from reader_training import chunks_of
from span_reader_distillation import Nearest, Passage, people_rows
from span_reader_training import (
    CHAINS,
    HELD_OUT,
    PAPERS,
    XQUAD_TRAINED,
    Examples,
    add_kept,
    lines_of,
    passages_read,
    wiki_passages,
    xquad,
)

from clew.comprehension.chains import parsed_question
from clew.comprehension.leads import Leads, told
from clew.comprehension.normalisation import best_f1, exact_match
from clew.comprehension.question_form import understand
from clew.comprehension.read_evidence import ReaderModels, ReadEvidence
from clew_models.embedding.load import load_embedder
from clew_models.span_reader import Reading, SpanReader
from clew_models.span_reader.training import train
from clew_models.span_reader.weights import (
    SHIPPED,
    base_weights,
    save_trained,
    trained_weights,
)

SEARCHED = 8
"""Passages of a search."""
SWAPPED = 4
"""Rows of the same table that a question is turned to, the most."""
OTHERS, OTHERS_HELD_OUT = 4, 7
"""Passages without the answer that are written of a question."""
LEARNED_OF_CHAINS, LEARNED_OF_SINGLES, SINGLES, ALONE, KEPT = 2, 1, 0.5, 0.5, 2000
"""Those of them that are learned, the share of questions on one passage that are, how often these
are read without leads too, and how many made questions are kept as they are."""
OF_OFFICES = 3000
"""Questions over several papers of offices that one training learns, the most, and of rows that are
turned to another one: of all 8,000 a training of three quarters of an hour read too little else,
and with it fewer questions of HotpotQA-100 and MuSiQue-100 were answered rightly. ``rows --seed``
says which."""
MOST = 300
"""Questions of a kind that are measured."""
OF_RANKED = {"chains": "wiki", "office chains": "office", "office": "office", "xquad-en": "xquad"}


class Asked(NamedTuple):
    """A question about a corpus: the passage that answers it with the characters [start, end), the
    sentences (passage, start, end) that lead there, and whether it is held out."""

    kind: str
    corpus: str
    question: str
    passage: int
    start: int
    end: int
    leads: Sequence[tuple[int, int, int]]
    held_out: bool


def corpora(data: Path) -> dict[str, list[Passage]]:
    """Return the passages of all corpora."""
    lines = lines_of(PAPERS)
    office = [(row["title"], row["text"]) for row in lines]
    paragraphs = list(dict.fromkeys(row[1] for row in xquad(data)))
    return {"wiki": wiki_passages(data), "office": office, "xquad": paragraphs}


def questions(data: Path, passages: Mapping[str, Sequence[Passage]]) -> Iterator[Asked]:
    """Yield all questions."""
    papers = lines_of(PAPERS)
    for row in lines_of(CHAINS):
        if "answer" in row:
            first = row["passages"][0]
            if row["of"] == "office":
                names = ("office chains", "office", papers[first].get("held_out", False))
            else:
                names = ("chains", "wiki", first % HELD_OUT == 0)
            kind, corpus, held_out = names
            leads = [(place, start, end) for place, start, end in row["leads"]]
            passage, start, end = row["answer"]
            yield Asked(kind, corpus, row["question"], passage, start, end, leads, held_out)
    for number, row in enumerate(papers):
        held_out = row.get("held_out", False)
        for one in row["questions"]:
            start, end = one["answer"]
            yield Asked("office", "office", one["question"], number, start, end, (), held_out)
        for question in row["unanswered"]:
            yield Asked("unanswered", "office", question, number, 0, 0, (), held_out)
    place = {passage: number for number, passage in enumerate(passages["xquad"])}
    for article, passage, question, start, answer in xquad(data):
        held_out = article >= XQUAD_TRAINED
        end = start + len(answer)
        yield Asked("xquad", "xquad", question, place[passage], start, end, (), held_out)


def chosen(asked: Sequence[Asked], seed: int) -> list[Asked]:
    """Return the questions that are read: see `OF_OFFICES`, `SINGLES` and `MOST`."""
    chance = random.Random(seed)
    kinds: dict[tuple[str, bool], list[Asked]] = defaultdict(list)
    for one in asked:
        kinds[one.kind, one.held_out].append(one)
    found = list[Asked]()
    for (kind, held_out), own in kinds.items():
        most = len(own)
        if held_out:
            most = min(most, MOST)
        elif kind == "office chains":
            most = min(most, OF_OFFICES)
        elif kind in ("office", "xquad"):
            most = round(SINGLES * most)
        found += chance.sample(own, most)
    return found


class Searched:
    """What a search brings up for a question: of RANKED, or what shares most words."""

    def __init__(self, passages: Mapping[str, Sequence[Passage]], ranked: Path | None) -> None:
        self._passages = passages
        self._ranked: dict[tuple[str, str], list[int]] = {}
        offices = [row["office"] for row in lines_of(PAPERS)]
        self._near: dict[str, tuple[list[int], Nearest]] = {}
        for name in dict.fromkeys(offices):
            own = [n for n, office in enumerate(offices) if office == name]
            self._near[name] = own, Nearest([passages["office"][n] for n in own])
        for name in ("wiki", "xquad"):
            self._near[name] = list(range(len(passages[name]))), Nearest(passages[name])
        self._offices = offices
        if ranked is not None:
            self._take(ranked)

    def of(self, asked: Asked) -> list[int]:
        """Return the places of the passages, best first."""
        found = self._ranked.get((asked.corpus, asked.question.strip()))
        if found is None:
            name = self._offices[asked.passage] if asked.corpus == "office" else asked.corpus
            own, near = self._near[name]
            found = [own[place] for place in near.of([asked.question], SEARCHED)[0]]
        return found[:SEARCHED]

    def _take(self, ranked: Path) -> None:
        by_title: dict[tuple[str, str], list[int]] = defaultdict(list)
        for name, own in self._passages.items():
            for number, (title, _) in enumerate(own):
                by_title[name, title].append(number)
        with gzip.open(ranked, "rt", encoding="utf-8") as lines:
            for line in lines:
                row = json.loads(line)
                corpus = OF_RANKED.get(row["kind"])
                if corpus is None:
                    continue
                places: list[int] = []
                for title, stretch, *_ in row["steps"]:
                    begin = " ".join(stretch.split())[:60]
                    texts = by_title[corpus, title]
                    places += [n for n in texts if begin in self._plain(corpus, n)][:1]
                self._ranked[corpus, row["question"].strip()] = list(dict.fromkeys(places))

    def _plain(self, corpus: str, number: int) -> str:
        return " ".join(self._passages[corpus][number][1].split())


def write_rows(asked: argparse.Namespace) -> None:
    """Write what is read."""
    passages = corpora(asked.data)
    searched = Searched(passages, asked.ranked)
    asked_of = chosen(list(questions(asked.data, passages)), asked.seed)
    started = time.monotonic()
    processes = len(os.sched_getaffinity(0))
    loaded = (asked.data, asked.cache)
    with (
        ProcessPoolExecutor(processes, get_context("spawn"), load, loaded) as pool,
        asked.file.open("w", encoding="utf-8") as out,
    ):
        found = pool.map(lines_read, asked_of, map(searched.of, asked_of), chunksize=8)
        for number, lines in enumerate(found):
            out.writelines(lines)
            if number % 500 == 0:
                print(number, len(asked_of), f"{time.monotonic() - started:.0f} s", flush=True)


class Loaded(NamedTuple):
    """What a process reads with, on one core, and of what."""

    models: ReaderModels
    passages: Mapping[str, Sequence[Passage]]


LOADED = list[Loaded]()


def load(data: Path, cache: Path) -> None:
    """Load what this process reads with."""
    embedder = load_embedder("minilm", cache_dir=cache, threads=1)
    LOADED.append(Loaded(ReaderModels(embedder, SpanReader(threads=1)), corpora(data)))


def lines_read(one: Asked, found: Sequence[int]) -> list[str]:
    """Return the lines of a question."""
    (loaded,) = LOADED
    chance = random.Random(one.question)
    rows = rows_of(one, loaded.passages[one.corpus], found, loaded.models, chance)
    return [json.dumps(row) + "\n" for row in rows]


def rows_of(
    one: Asked,
    passages: Sequence[Passage],
    found: Sequence[int],
    models: ReaderModels,
    chance: random.Random,
) -> Iterator[dict[str, Any]]:
    """Yield the row of the passage that answers a question, and of others that do not."""
    places = list(dict.fromkeys((*found, *(lead[0] for lead in one.leads), one.passage)))
    read = ReadEvidence(chunks_of(passages, places), models)
    form = understand(parsed_question(one.question, read))
    leads = Leads(form, read.embedded([one.question])[0], read.view)
    own = places.index(one.passage)
    text = passages[one.passage][1]
    answer = text[one.start : one.end].casefold()
    others = [at for at, n in enumerate(places) if answer not in " ".join(passages[n]).casefold()]
    count = OTHERS_HELD_OUT if one.held_out else OTHERS
    for at in (own, *others[:count]):
        beside = told(read.view, leads.to(at))
        missing = [] if at != own else missing_of(one, passages, read, beside)
        for lead in missing:
            beside = [lead, *beside[:1]] if chance.random() < 0.5 else [*beside[:1], lead]
        row = {
            "kind": one.kind,
            "role": "own" if at == own else "other",
            "held_out": one.held_out,
            "question": one.question,
            "passage": passages[places[at]],
            "answer": [one.start, one.end] if at == own else [0, 0],
            "leads": beside,
            "found": not missing,
        }
        yield row
        if at == own and answer:
            for said, turned, found in swapped(one, text, read, own, beside, chance):
                changed = {"question": said, "leads": turned, "answer": found}
                yield {**row, **changed, "role": "swapped"}


class Cell(NamedTuple):
    """A field of a row: what it is called, and the characters [start, end) of the passage."""

    name: str
    start: int
    end: int


def table_of(text: str, read: ReadEvidence, passage: int) -> list[list[Cell]]:
    """Return the rows of a passage that are made of fields."""
    rows, at = [], 0
    for sentence in read.view.sentences:
        if sentence.chunk == passage and len(sentence.fields) > 1:
            begun = text.find(sentence.parse.text, at)
            if begun >= 0:
                at = begun + len(sentence.parse.text)
                cells = sentence.fields
                rows.append([Cell(c.name, begun + c.start, begun + c.end) for c in cells])
    return rows


def names_of(value: str) -> list[str]:
    """Return what a value may be called by: whole, without what follows, by its last word."""
    short = re.split(r"\s*[(,]", value)[0]
    words = short.split()
    last = words[-1:] if 2 <= len(words) <= 3 and all(w[:1].isupper() for w in words) else []
    found = dict.fromkeys((value, short, *last))
    return [name for name in found if len(name) > 1 and re.search(r"[A-Z\d]", name)]


def swapped(
    one: Asked,
    text: str,
    read: ReadEvidence,
    own: int,
    beside: Sequence[str],
    chance: random.Random,
) -> Iterator[tuple[str, list[str], list[int]]]:
    """Yield question, leads and answer where they name another row of the same table, and where
    they name none of its rows."""
    rows = table_of(text, read, own)
    place = {cell: row for row in rows for cell in row}
    asked = next((c for c in place if c.start == one.start and c.end == one.end), None)
    if asked is None:
        return
    said = [one.question, *beside]
    of_row = [cell for cell in place[asked] if cell != asked]
    for cell in of_row:
        for way, name in enumerate(names_of(text[cell.start : cell.end])):
            if not any(_names(name, line) for line in said):
                continue
            others = {}
            for row in rows:
                value = next((c for c in row if c.name == asked.name), None)
                key = next((c for c in row if c.name == cell.name), None)
                if row is place[asked] or value is None or key is None:
                    continue
                called = names_of(text[key.start : key.end])
                alike = called[way] if way < len(called) else ""
                clear = sum(alike in text[r[0].start : r[-1].end] for r in rows) == 1
                known = any(_names(alike, line) for line in said)
                if (
                    alike
                    and clear
                    and not known
                    and re.search(r"\w", text[value.start : value.end])
                ):
                    others[alike] = [value.start, value.end]
            for alike, answer in chance.sample(sorted(others.items()), min(SWAPPED, len(others))):
                question, *leads = (_renamed(name, alike, line) for line in said)
                yield question, leads, answer
            if others and (absent := _absent(name, text, chance)):
                question, *leads = (_renamed(name, absent, line) for line in said)
                yield question, leads, [0, 0]
            return


def _names(name: str, line: str) -> bool:
    return bool(name) and re.search(rf"(?<!\w){re.escape(name)}(?!\w)", line) is not None


def _renamed(name: str, other: str, line: str) -> str:
    return re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", lambda _: other, line)


def _absent(name: str, text: str, chance: random.Random) -> str:
    """Return a name like ``name`` that ``text`` has not: of other digits; "" for one without."""
    for _ in range(9):
        other = re.sub(r"\d", lambda _: str(chance.randrange(10)), name)
        if other not in text:
            return other
    return ""


def missing_of(
    asked: Asked, passages: Sequence[Passage], read: ReadEvidence, beside: Sequence[str]
) -> list[str]:
    """Return the sentences that lead to the answer and are not among ``beside``."""
    missing = []
    for place, start, end in asked.leads:
        title, text = passages[place]
        said = text[start:end]
        whole = next(
            (
                s.parse.text
                for s in read.view.sentences
                if s.title == title and said in s.parse.text
            ),
            said,
        )
        if f"{title}: {whole}" not in beside:
            missing.append(f"{title}: {whole}")
    return missing


def by_question(file: Path, *, held_out: bool) -> dict[tuple[str, str], list[dict[str, Any]]]:
    """Return the rows of each question, the one that answers it first, without swapped ones."""
    found: dict[tuple[str, str], list[dict[str, Any]]] = defaultdict(list)
    for row in lines_of(file):
        if row["held_out"] == held_out and row["role"] != "swapped":
            found[row["kind"], row["question"]].append(row)
    return found


def swapped_rows(file: Path, *, held_out: bool) -> list[dict[str, Any]]:
    """Return the rows in which a question was turned to another row of its table."""
    return [r for r in lines_of(file) if r["held_out"] == held_out and r["role"] == "swapped"]


def learn(asked: argparse.Namespace) -> None:
    """Go on from the weights that ship, and write what comes of it."""
    chance, examples = random.Random(asked.seed + 1), Examples()
    for (kind, question), (own, *others) in by_question(asked.file, held_out=False).items():
        chained = kind.endswith("chains")
        count = LEARNED_OF_CHAINS if chained else LEARNED_OF_SINGLES
        for row in (own, *chance.sample(others, min(count, len(others)))):
            leads = tuple(row["leads"])
            examples.add(question, tuple(row["passage"]), *row["answer"], leads=leads)
            if not chained and chance.random() < ALONE:
                examples.add(question, tuple(row["passage"]), *row["answer"])
    turned = swapped_rows(asked.file, held_out=False)
    for row in chance.sample(turned, min(OF_OFFICES, len(turned))):
        leads = tuple(row["leads"])
        examples.add(row["question"], tuple(row["passage"]), *row["answer"], leads=leads)
    answered, unanswered = passages_read(asked.data, held_out=False)
    for one in people_rows(answered, 1, chance) + unanswered:
        examples.add(one.question, (one.title, one.text), one.start, one.end)
    add_kept(examples, wiki_passages(asked.data), KEPT)
    print(len(examples.examples), "examples", flush=True)
    found = train(
        examples.passages,
        examples.examples,
        asked.minutes * 60,
        start=trained_weights(asked.start),
        seed=asked.seed,
        tell=lambda step, seen, loss: print(step, seen, f"{loss:.3f}", flush=True),
        keep=lambda arrays: save_trained(arrays, asked.weights),
    )
    save_trained(found, asked.weights)


def measure(asked: argparse.Namespace) -> None:
    """Print how the likeliest span of all passages fits, alone and beside leads."""
    reader = SpanReader(weights={**base_weights(), **trained_weights(asked.weights)})
    if asked.data is not None:
        measure_passages(asked.data, reader)
    left: Counter[str] = Counter()
    values: dict[tuple[str, str], list[tuple[float, float, float]]] = defaultdict(list)
    for row in swapped_rows(asked.file, held_out=True):
        (start, end), passage = row["answer"], tuple(row["passage"])
        if end:
            turned = [(reader.encode([passage])[0], row["leads"])]
            best = reader.read_led(row["question"], turned)[0].best(1)[0]
            said = passage[0 if best.in_title else 1][best.start : best.end]
            right = [passage[1][start:end]]
            fits = float(exact_match(said, right)), best_f1(said, right), 1.0
            values[f"{row['kind']}, swapped", "beside leads"].append(fits)
    rows = by_question(asked.file, held_out=True)
    order = sorted(key for key in rows if key[0] != "unanswered")
    random.Random(1).shuffle(order)
    for kind, question in order:
        left[kind] += 1
        if left[kind] > MOST:
            continue
        own = rows[kind, question]
        (start, end), (_, text) = own[0]["answer"], own[0]["passage"]
        passages = reader.encode([tuple(row["passage"]) for row in own])
        for way in ("alone", "beside leads"):
            beside = [row["leads"] if way != "alone" else () for row in own]
            read = reader.read_led(question, list(zip(passages, beside, strict=True)))
            place, said = likeliest(read, [row["passage"] for row in own])
            right = [text[start:end]]
            values[kind, way].append(
                (float(exact_match(said, right)), best_f1(said, right), float(place == 0))
            )
    for (kind, way), own_values in sorted(values.items()):
        exact, f1, here = 100 * np.array(own_values).mean(axis=0)
        print(
            f"{kind}, {way}: {len(own_values)} questions, exact {exact:.1f}, F1 {f1:.1f}, "
            f"in the right passage {here:.1f}"
        )


def likeliest(read: Sequence[Reading], passages: Sequence[Sequence[str]]) -> tuple[int, str]:
    """Return which of the passages (title, text) holds the likeliest span of all, and its words."""
    marked = [(place, span) for place, one in enumerate(read) for span in one.best(1)]
    place, best = max(marked, key=lambda one: one[1].score)
    return place, passages[place][0 if best.in_title else 1][best.start : best.end]


def measure_passages(data: Path, reader: SpanReader) -> None:
    """Print how the likeliest span of four passages fits what was written on one of them, and how
    often it is surer of a passage than of "not here" where it answers, and where it does not.
    """
    answered, unanswered = passages_read(data, held_out=True)
    passages = list(dict.fromkeys((one.title, one.text) for one in answered))
    near = Nearest(passages).of([one.question for one in answered], 3)
    values, here = list[tuple[float, float, float]](), list[float]()
    for one, nearest in zip(answered, near, strict=True):
        own = (one.title, one.text)
        places = list(dict.fromkeys([own, *(passages[n] for n in nearest)]))
        read = reader.read_led(one.question, [(p, ()) for p in reader.encode(places)])
        place, said = likeliest(read, places)
        right = [one.text[one.start : one.end]]
        values.append((float(exact_match(said, right)), best_f1(said, right), float(place == 0)))
        here.append(max(span.score for span in read[0].best(1)))
    away = list[float]()
    for one in unanswered:
        (read_one,) = reader.read_led(
            one.question, [(reader.encode([(one.title, one.text)])[0], ())]
        )
        away.append(max((span.score for span in read_one.best(1)), default=-99.0))
    exact, f1, right_passage = 100 * np.array(values).mean(axis=0)
    above = 100 * float(np.mean(np.array(here)[:, None] > np.array(away)[None, :]))
    print(
        f"passages: {len(values)} questions, exact {exact:.1f}, F1 {f1:.1f}, in the right passage "
        f"{right_passage:.1f}, above one that is not answered {above:.1f}"
    )


def main() -> None:
    """Write rows, train, or measure."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(required=True)
    one = commands.add_parser("rows", help="write what is read")
    one.add_argument("data", type=Path)
    one.add_argument("cache", type=Path)
    one.add_argument("file", type=Path)
    one.add_argument("--ranked", type=Path, help="of step_reader_training.py rank")
    one.add_argument("--seed", type=int, default=2, help="which questions")
    one.set_defaults(run=write_rows)
    one = commands.add_parser("train", help="train the span model on it")
    one.add_argument("data", type=Path)
    one.add_argument("file", type=Path)
    one.add_argument("weights", type=Path)
    one.add_argument("--start", type=Path, default=SHIPPED, help="weights to go on from")
    one.add_argument("--seed", type=int, default=2, help="which passages beside, in which order")
    one.add_argument("--minutes", type=float, default=42)
    one.set_defaults(run=learn)
    one = commands.add_parser("measure", help="measure on what is held out")
    one.add_argument("file", type=Path)
    one.add_argument("--weights", type=Path, default=SHIPPED)
    one.add_argument("--data", type=Path, help="DATA_DIR, for what was written on passages")
    one.set_defaults(run=measure)
    asked = parser.parse_args()
    asked.run(asked)


if __name__ == "__main__":
    main()
