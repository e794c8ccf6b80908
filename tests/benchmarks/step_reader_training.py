"""Trains chain-ranking's step reader, and measures what it adds.

    python tests/benchmarks/step_reader_training.py rank DATA_DIR CACHE_DIR FILE [--known FILE]
    python tests/benchmarks/step_reader_training.py train FILE WEIGHTS [--start WEIGHTS]
        [--share 1] [--minutes 32]
    python tests/benchmarks/step_reader_training.py measure FILE [--weights WEIGHTS] [--write]

`rank` starts a database under ``--work``, ingests what is asked, ranks passages for each question
by chain-ranking without reading, and writes the best 20, and what came in by the second search, as
the step reader sees them, to FILE (gzipped JSON, one question a line); what is in ``--known``, such
a file of before, is taken from there. What is learned:

- ``made``: questions made from the graph of 2wiki-corpus, one hop to three;
- ``chains``: questions that take two passages to four of it, or two papers of an office, written
  by language models that read these and saw nothing of Clew (`data/passage_chains.jsonl`:
  ``passages`` are places in the corpus, or lines of `data/office_reading.jsonl`);
- ``office``: questions on one paper (`data/office_reading.jsonl`);
- ``passages``: on one passage of textbooks and guides (`data/passage_reading.jsonl`), and ``help``:
  on one section of an organisation's pages, each a corpus of its own (`data/help_pages.jsonl`);
- ``xquad``: questions by people on one paragraph, of the first 32 articles.

Held out are a twelfth of what is made, what begins at every fourth passage of 2wiki-corpus, the
offices that are held out, each tenth of the passages, each fifth of the organisations and XQuAD's
other articles; what is made, and of the chains over 2wiki-corpus, has no gold passage of such a
question of its kind that is measured. Nothing is learned from HotpotQA-100, MuSiQue-100, the sample
corpus and `data/two_wiki.jsonl`, which are ranked to be measured.

`train` begins with the first layers of the reader's span model, or with a step reader ``--start``,
and takes ``--minutes`` on the cores that there are; with ``--share`` the weights lie between both
(Wortsman et al., Robust fine-tuning, 2022). `measure` prints, for each set and by the
weights of what leads to a passage and of reading, and by how many passages are read, the share of
gold among the first passage, the first two and the first five, and of questions with all of it
there. ``--write`` writes ``results/step-reader.json``.
"""

import argparse
import gzip
import hashlib
import json
import random
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from chain_weights import asked_of_articles, chunks_by_key
from help_pages import Organisation, organisations
from pydantic import SecretStr
from span_reader_training import CHAINS, PAPERS, READING, READING_HELD_OUT, lines_of

from clew.clew import Clew
from clew.evaluation.data_set_corpus import index
from clew.evaluation.data_sets.loading import load_data_set
from clew.evaluation.measuring import cpu_model
from clew.results.data_set import BenchDocument
from clew.settings import Settings
from clew.strategies.chain_ranking.arrays import chain_arrays
from clew.strategies.chain_ranking.options import ChainOptions
from clew.strategies.chain_ranking.question import asked as asked_of
from clew.strategies.chain_ranking.step_reading import with_leads
from clew.strategies.chain_ranking.weights import weights_for
from clew.strategies.graph_network.examples import graph_questions
from clew.strategies.retrieval import Retrieval
from clew.strategies.seeds import find_seeds
from clew_cypher.embedded import EmbeddedNeo4j
from clew_models.chain_ranking import rank_chains
from clew_models.span_reader.weights import all_weights, save_trained
from clew_models.step_reader import StepReader, StepText
from clew_models.step_reader.reader import step_weights
from clew_models.step_reader.training import StepExample, train

HERE = Path(__file__).parent
REPOSITORY = HERE.parents[1]
RESULT = HERE / "results" / "step-reader.json"
TWO_WIKI = HERE / "data" / "two_wiki.jsonl"
RANKED = 20
MADE, TWO_HOPS, THREE_HOPS = 9000, 0.5, 0.15
XQUAD_LEARNED, PASSAGE_HELD_OUT, MADE_HELD_OUT = 32, 4, 12
OF_A_PASSAGE, OF_AN_ORGANISATION, ORGANISATIONS = 3, 20, 16
"""Questions on one passage, and on an organisation's pages, the most; how many of these there are,
and a quarter as many that are held out: each is a corpus of its own, and takes seconds to make."""
SHARES = {"made": 0.3, "office": 0.25, "office chains": 0.5, "passages": 0.25}
"""Of what could be learned of these: a training of an hour reads some 25,000 questions."""
MEASURED = ("hotpotqa-100", "musique-100", "sample")
LEAD_WEIGHTS, READ_WEIGHTS = (0.0, 0.5, 1.0, 1.5, 2.0), (0.0, 0.2, 0.3, 0.5, 0.7)
READ = (8, 12, 16, 20)
MOST = 400
"""Questions of a kind that are measured."""


class Asked(NamedTuple):
    """A question about a corpus, the keys of its gold documents, and whether it is held out."""

    kind: str
    corpus: str
    question: str
    gold: Sequence[str]
    held_out: bool


@dataclass(frozen=True)
class Ranked:
    """A question of a kind, the best passages with their scores, which are gold, of so many, and
    how many of the passages came in from behind."""

    kind: str
    held_out: bool
    example: StepExample
    scores: Sequence[float]
    led: Sequence[float]
    gold_ids: Sequence[str]
    came: int


def corpora(data: Path) -> dict[str, list[BenchDocument]]:
    """Return the documents of all corpora; those of wiki and office have their places as keys."""
    wiki = json.loads((data / "2wiki-corpus" / "corpus.json").read_text())
    found = {
        name: [BenchDocument(str(n), row["title"], row["text"]) for n, row in enumerate(rows)]
        for name, rows in (("wiki", wiki), ("office", lines_of(PAPERS)))
    }
    found["passages"] = [
        BenchDocument(str(number), row["title"], row["text"])
        for number, row in enumerate(lines_of(READING))
        if "passage" not in row  # of 2wiki-corpus
    ]
    for one in (*helped(held_out=False), *helped(held_out=True)):
        found[of_organisation(one.name)] = [
            BenchDocument(str(number), f"{section.page}: {section.heading}", section.text)
            for number, section in enumerate(one.sections)
        ]
    for name in ("xquad-en", *MEASURED):
        found[name] = list(load_data_set(source(data, name)).documents)
    return found


def of_organisation(name: str) -> str:
    """Return the corpus of an organisation's pages."""
    return f"help-{name}"


def helped(*, held_out: bool) -> list[Organisation]:
    """Return the organisations whose pages are ranked, see `ORGANISATIONS`."""
    return organisations(held_out=held_out)[: ORGANISATIONS // (4 if held_out else 1)]


def source(data: Path, name: str) -> str:
    """Return what a data set is loaded by."""
    return name if name == "sample" else str(data / name)


def questions(data: Path) -> Iterator[Asked]:
    """Yield all questions but those that are made from a graph."""
    papers = lines_of(PAPERS)
    for number, row in enumerate(papers):
        held_out = row.get("held_out", False)
        for one in row["questions"]:
            yield Asked("office", "office", one["question"], [str(number)], held_out)
    for row in lines_of(CHAINS):
        gold, first = list(map(str, row["passages"])), row["passages"][0]
        if row["of"] == "office":
            held_out = papers[first].get("held_out", False)
            yield Asked("office chains", "office", row["question"], gold, held_out)
        else:
            held_out = first % PASSAGE_HELD_OUT == 0
            yield Asked("chains", "wiki", row["question"], gold, held_out)
    chance = random.Random(7)
    for number, row in enumerate(lines_of(READING)):
        corpus, key = ("wiki", row["passage"]) if "passage" in row else ("passages", number)
        asked = [one["question"] for one in row["questions"]]
        for question in chance.sample(asked, min(OF_A_PASSAGE, len(asked))):
            held_out = number % READING_HELD_OUT == 0
            yield Asked("passages", corpus, question, [str(key)], held_out)
    for held_out in (False, True):
        for one in helped(held_out=held_out):
            told = [each for each in one.questions if each.says]
            for each in chance.sample(told, min(OF_AN_ORGANISATION, len(told))):
                corpus = of_organisation(one.name)
                yield Asked("help", corpus, each.text, [str(each.section)], held_out)
    titles = json.loads((data / "2wiki-corpus" / "corpus.json").read_text())
    place_of = {row["title"]: str(n) for n, row in reversed(list(enumerate(titles)))}
    for row in lines_of(TWO_WIKI):
        gold = [place_of[title] for title in row["titles"]]
        yield Asked("two_wiki", "wiki", row["question"], gold, True)
    learned = asked_of_articles(data, XQUAD_LEARNED)
    for name in ("xquad-en", *MEASURED):
        for question in load_data_set(source(data, name)).questions:
            held_out = question.question.strip() not in learned
            if question.gold:
                yield Asked(name, name, question.question, list(question.gold), held_out)


@contextmanager
def opened(work: Path, cache: Path) -> Iterator[tuple[Settings, Clew]]:
    """Yield Clew on a database of its own under ``work``, and its settings."""
    work.mkdir(parents=True, exist_ok=True)
    with EmbeddedNeo4j(work / "neo4j", cache, 1024, 512) as server:
        settings = Settings.load(
            home=work,
            cache_dir=cache,
            neo4j_uri=server.config.uri,
            neo4j_username=server.config.username,
            neo4j_password=SecretStr(server.config.password),
        )
        with Clew(settings) as clew:
            yield settings, clew


def rank(asked: argparse.Namespace) -> None:
    """Rank passages for all questions, and write what is read of them."""
    known = known_lines(asked.known)
    with (
        opened(asked.work, asked.cache) as (_, clew),
        gzip.open(asked.file, "wt", encoding="utf-8") as out,
    ):
        chunks = {}
        for name, documents in corpora(asked.data).items():
            keys = index(clew.resources, name, documents, 0).keys
            chunks[name] = chunks_by_key(clew, name, keys)
            print(name, len(documents), "documents", flush=True)
        rows = [
            (one, {id_ for key in one.gold for id_ in chunks[one.corpus][key]})
            for one in questions(asked.data)
        ]
        made, _ = graph_questions(clew.resources.store, "wiki", MADE, 1, TWO_HOPS, THREE_HOPS)
        for record in made:
            digest = int(hashlib.md5(record["question"].encode()).hexdigest(), 16)
            one = Asked("made", "wiki", record["question"], (), digest % MADE_HELD_OUT == 0)
            rows.append((one, set(record["gold"])))
        rows = chosen(rows)
        started = time.monotonic()
        for number, (one, gold) in enumerate(rows):
            line = known.get((one.kind, one.question))
            out.write(line or json.dumps(ranked(clew, one, gold)) + "\n")
            if number % 500 == 0:
                print(number, len(rows), f"{time.monotonic() - started:.0f} s", flush=True)


def chosen(rows: Sequence[tuple[Asked, set[str]]]) -> list[tuple[Asked, set[str]]]:
    """Return the questions that are ranked, see `SHARES` and `MOST`, with their gold chunks."""
    chance = random.Random(1)
    kinds: dict[tuple[str, bool], list[tuple[Asked, set[str]]]] = {}
    for one, gold in rows:
        kinds.setdefault((one.kind, one.held_out), []).append((one, gold))
    found: list[tuple[Asked, set[str]]] = []
    for (kind, held_out), own in kinds.items():
        share = round(SHARES.get(kind, 1.0) * len(own))
        found += chance.sample(own, min(MOST, len(own)) if held_out else share)
    return found


def known_lines(file: Path | None) -> dict[tuple[str, str], str]:
    """Return the lines that were written before, by kind and question; none of no file."""
    if file is None:
        return {}
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        rows = ((json.loads(line), line) for line in lines)
        return {(row["kind"], row["question"]): line for row, line in rows}


def ranked(clew: Clew, one: Asked, gold: set[str]) -> dict[str, Any]:
    """Return the best passages for a question, as the step reader sees them."""
    resources = clew.resources
    options = resources.settings.options(ChainOptions)
    retrieval = Retrieval(resources, "chain-ranking", one.question, one.corpus, RANKED)
    arrays = chain_arrays(resources).snapshot(retrieval.corpus).value
    weights = weights_for(resources, one.corpus)
    ranking = rank_chains(
        arrays,
        asked_of(retrieval, arrays, find_seeds(retrieval, options.dense_weight), options),
        weights,
        damping=options.damping,
        temperature=options.temperature,
        pool=options.pool,
        predecessors=options.predecessors,
        limit=RANKED,
    )
    ranking, found, first, came = with_leads(retrieval, arrays, ranking, options)
    ids = [str(id_) for id_ in arrays.graph.chunk_ids[ranking.rows[:first]]]
    steps = [found[id_] for id_ in ids]
    texts = [step.text for step in steps]
    fits = options.lead_weight * np.array([step.fit for step in steps])
    return {
        "kind": one.kind,
        "held_out": one.held_out,
        "question": one.question,
        "ids": ids,
        "scores": [round(float(score), 4) for score in ranking.scores[:first] - fits],
        "came": came,
        "gold": sorted(gold),
        "led": [round(step.fit, 4) for step in steps],
        "steps": [[text.title, text.text, text.lead, text.lead_title] for text in texts],
    }


def read_ranked(file: Path) -> list[Ranked]:
    """Return what `rank` wrote."""
    found = []
    with gzip.open(file, "rt", encoding="utf-8") as rows:
        for row in map(json.loads, rows):
            steps = [StepText(*step) for step in row["steps"]]
            gold = [id_ in row["gold"] for id_ in row["ids"]]
            example = StepExample(row["question"], steps, gold)
            known = row["scores"], row["led"], row["gold"], row.get("came", 0)
            found.append(Ranked(row["kind"], row["held_out"], example, *known))
    return found


def learned(rows: Sequence[Ranked]) -> list[StepExample]:
    """Return what is learned: nothing that shares gold with what is held out of its kind."""
    apart: dict[str, set[str]] = {}
    for one in rows:
        if one.held_out and one.kind in ("made", "chains"):
            apart.setdefault(one.kind, set()).update(one.gold_ids)
    return [
        one.example
        for one in rows
        if not one.held_out and apart.get(one.kind, set()).isdisjoint(one.gold_ids)
    ]


def learn(asked: argparse.Namespace) -> None:
    """Train, and write the weights."""
    examples = learned(read_ranked(asked.file))
    print(len(examples), "questions", flush=True)
    started = time.monotonic()

    def tell(step: int, seen: int, loss: float) -> None:
        print(step, seen, f"{loss:.3f}", f"{time.monotonic() - started:.0f} s", flush=True)

    start = step_weights(asked.start) if asked.start else all_weights()
    weights = train(examples, start, 60 * asked.minutes, seed=asked.seed, tell=tell)
    if asked.start:
        weights = {
            name: np.asarray((1 - asked.share) * start[name] + asked.share * own, np.float32)
            for name, own in weights.items()
        }
    save_trained(weights, asked.weights)


def figures(
    rows: Sequence[Ranked], fits: Sequence[np.ndarray], lead: float, read: float, passages: int
) -> list[float]:
    """Return in percent: questions with a gold passage first, gold among the first two and the
    first five, and questions with all of it among the first five. ``lead``, ``read``: the weights
    of what leads to a passage and of reading; ``passages``: those that are read, besides as many
    as came in.
    """
    found = []
    for one, fit in zip(rows, fits, strict=True):
        scores = np.array(one.scores) + lead * np.array(one.led)
        order = np.argsort(-scores, kind="stable")
        front, behind = np.split(order, [passages + one.came])
        front = front[np.argsort(-(scores + read * fit)[front], kind="stable")]
        right = np.array(one.example.gold)[np.concatenate([front, behind])]
        wanted = max(len(one.gold_ids), 1)
        five = right[:5].sum()
        found.append([right[:1].sum(), right[:2].sum() / wanted, five / wanted, five >= wanted])
    return [round(100 * float(share), 1) for share in np.mean(found, axis=0)]


def measure(asked: argparse.Namespace) -> None:
    """Print what leads and reading add on what is held out, and on the sets."""
    reader = StepReader(weights=step_weights(asked.weights))
    kinds: dict[str, list[Ranked]] = {}
    for one in read_ranked(asked.file):
        if one.held_out:
            kinds.setdefault(one.kind, []).append(one)
    report: dict[str, Any] = {}
    usual = ChainOptions()
    for kind, rows in kinds.items():
        fits = [reader.fits(one.example.question, one.example.steps) for one in rows]
        report[kind] = {
            "questions": len(rows),
            "by weight of leads and of reading": {
                f"{lead} {read}": figures(rows, fits, lead, read, usual.read)
                for lead in LEAD_WEIGHTS
                for read in READ_WEIGHTS
            },
            "by passages read": {
                str(read): figures(rows, fits, usual.lead_weight, usual.read_weight, read)
                for read in READ
            },
        }
        print(kind, json.dumps(report[kind]), flush=True)
    report["processor"] = cpu_model()
    if asked.write:
        RESULT.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")


def main() -> None:
    """Do what is asked."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parts = parser.add_subparsers(required=True)
    ranking = parts.add_parser("rank", help="rank passages, and write what is read of them")
    ranking.add_argument("data", type=Path)
    ranking.add_argument("cache", type=Path)
    ranking.add_argument("file", type=Path)
    ranking.add_argument("--known", type=Path, default=None, help="what was written before")
    ranking.add_argument("--work", type=Path, default=REPOSITORY / ".clew" / "step-reader")
    ranking.set_defaults(does=rank)
    training = parts.add_parser("train", help="train, and write the weights")
    training.add_argument("file", type=Path)
    training.add_argument("weights", type=Path)
    training.add_argument("--minutes", type=float, default=32)
    training.add_argument("--start", type=Path, default=None, help="a step reader to go on with")
    training.add_argument(
        "--share",
        type=float,
        default=1.0,
        help="of what is written, the share of what was learned; the rest is of START",
    )
    training.add_argument("--seed", type=int, default=1)
    training.set_defaults(does=learn)
    measuring = parts.add_parser("measure", help="measure what reading adds")
    measuring.add_argument("file", type=Path)
    measuring.add_argument("--weights", type=Path, default=None, help="other than those shipped")
    measuring.add_argument("--write", action="store_true")
    measuring.set_defaults(does=measure)
    asked = parser.parse_args()
    asked.does(asked)


if __name__ == "__main__":
    main()
