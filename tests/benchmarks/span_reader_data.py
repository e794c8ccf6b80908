"""Collects what the span model is taught with (span_reader_distillation.py).

    python tests/benchmarks/span_reader_data.py DATA_DIR FILE --documents FOLDER

DATA_DIR holds 2wiki-corpus and xquad-en. Of those passages of 2wiki that are not held out, of the
paragraphs of those articles of XQuAD that the span model is trained on and of the files in FOLDER,
names, noun phrases, numbers and clauses are chosen by their parse: answers that questions are to be
written for. So they are of the papers of offices that are not held out (span_reader_training.py).
Questions by people, of which a third is held out, those on papers, and made ones go with them.
HotpotQA, MuSiQue and the sample corpus are not touched.

FOLDER, when it was done, with a folder for each: eleven books of OpenStax, as they were before
their licence changed from CC BY 4.0 (openstax/osbooks-us-history at 046331cf, world-history
3e17beda, introduction-political-science 4391e659, anatomy-physiology b0058a74,
introduction-philosophy d7bd4f0f, american-government 5c90dd79, astronomy 63157f37,
introduction-sociology d35d5f3b, psychology e061043b, introduction-business 78c9e7ad and
introduction-anthropology 418eedd9), a file a module, its title and its paragraphs; digital.gov's
guides, resources and news (GSA/digitalgov.gov at 49795832; public domain); every third of
Ethereum's proposals (ethereum/EIPs at f767a1e8; CC0), every fourth of Rust's (rust-lang/rfcs at
354518a8; MIT or Apache 2.0), those of Python's whose number leaves 3 divided by 7 (python/peps at
ba4deeb7; public domain); opensource.guide's articles (github/opensource.guide at ebc9678e; CC BY
4.0), the plays of the Digital Services Playbook (usds/playbook at 50523b85; CC0) and
cfpb/development (at 37b1d140; CC0). Of digital.gov 2,200 passages were taken, 500 to 700 of the
proposals and of those after them.
"""

import argparse
import gzip
import json
import random
from collections.abc import Iterator, Sequence
from multiprocessing import Pool
from pathlib import Path
from typing import Any, NamedTuple

from span_reader_distillation import Passage
from span_reader_training import (
    HELD_OUT,
    QUESTIONS,
    XQUAD_TRAINED,
    made_examples,
    papers,
    wiki_passages,
    xquad,
)

from clew_ingest.errors import UnreadableSource
from clew_ingest.limits import IngestLimits
from clew_ingest.parsing.parser import DEFAULT_PIPELINE
from clew_ingest.parsing.spacy_pipeline import load_pipeline
from clew_ingest.parsing.units import cut_units
from clew_ingest.reading.file_reader import FileReader
from clew_models.span_reader.windows import plain_tokenizer

SHARES = {"name": 0.42, "noun": 0.26, "number": 0.10, "long": 0.12, "clause": 0.08, "state": 0.02}
"""Of what kinds the answers are, as far as a passage has them; about as in XQuAD."""
EACH, EACH_BY_PEOPLE, EACH_PAPER = 3, 20, 8
"""Answers of a passage, of one that people have asked about, and of a paper."""
OF_A_FOLDER = 1000
"""Passages of a folder of documents that are taken at most."""
LONGEST_ANSWER = 12
CLAUSES = frozenset({"xcomp", "ccomp", "advcl", "acl", "pcomp", "conj"})
PARSED_TOGETHER = 500


class Task(NamedTuple):
    """A passage, and how many answers are to be chosen in it."""

    passage: Passage
    answers: int


class Numbers:
    """Passages, each once, and their numbers."""

    def __init__(self) -> None:
        self.passages: list[Passage] = []
        self._numbers: dict[Passage, int] = {}

    def of(self, passage: Passage) -> int:
        """Return a passage's number."""
        number = self._numbers.setdefault(passage, len(self.passages))
        if number == len(self.passages):
            self.passages.append(passage)
        return number


def tasks(folder: Path, documents: Path | None, chance: random.Random) -> list[Task]:
    """Return the passages that are asked about."""
    wiki = wiki_passages(folder)
    found = [
        Task(wiki[n], EACH)
        for n in range(len(wiki))
        if n % HELD_OUT and 80 <= len(wiki[n][1]) <= 900
    ]
    people = dict.fromkeys(row[1] for row in xquad(folder) if row[0] < XQUAD_TRAINED)
    found += [Task(passage, EACH_BY_PEOPLE) for passage in people]
    written = dict.fromkeys((one.title, one.text) for one in papers(held_out=False)[0])
    found += [Task(passage, EACH_PAPER) for passage in written]
    for own in sorted(documents.iterdir()) if documents is not None else ():
        passages = list(dict.fromkeys(_of_files(own)))
        chance.shuffle(passages)
        found += [Task(passage, EACH) for passage in passages[:OF_A_FOLDER]]
    chance.shuffle(found)
    return found


def _of_files(folder: Path) -> list[Passage]:
    """Return the passages of a folder's files, as an ingest would cut them, but for code."""
    tokenizer = plain_tokenizer()
    found = []
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    with FileReader(IngestLimits()) as reader:
        for path in files:
            try:
                read = reader.read(path.read_bytes(), path.name)
            except UnreadableSource as error:  # a title alone, say
                print(f"{path.name}: {error}")
                continue
            for document in read.documents:
                for unit in cut_units(
                    document.title, document.text, "", 200, lambda t: len(tokenizer.encode(t).ids)
                ):
                    text = "\n".join(unit.blocks)
                    words = sum(c.isalpha() or c == " " for c in text) / len(text)
                    if len(text) > 150 and words > 0.9 and unit.tokens <= 260:
                        found.append((document.title, text))
    return found


def _answers(document: Any, chance: random.Random) -> dict[tuple[int, int], str]:
    """Return the characters of what could be asked for, with its kind."""
    found: dict[tuple[int, int], str] = {}

    def add(first: int, last: int, kind: str) -> None:
        while first < last and (document[first].is_punct or document[first].pos_ == "CCONJ"):
            first += 1
        while first < last and document[last - 1].is_punct and document[last - 1].text not in ')"%':
            last -= 1
        span = document[first:last]
        bare = last - first == 1 and document[first].pos_ in {"PRON", "DET", "ADP"}
        tells = any(character.isalnum() for character in span.text) and "\n" not in span.text
        if 0 < last - first <= LONGEST_ANSWER and tells and not bare:
            found.setdefault((span.start_char, span.end_char), kind)

    for entity in document.ents:
        add(entity.start + (document[entity.start].pos_ == "DET"), entity.end, "name")
    for phrase in document.noun_chunks:
        if phrase.root.pos_ in {"NOUN", "PROPN"}:
            without = phrase[0].pos_ in {"DET", "PRON"} and chance.random() < 0.8
            add(phrase.start + without, phrase.end, "noun")
    for token in document:
        own = [other.i for other in token.subtree]
        whole = len(own) == max(own) - min(own) + 1
        if token.like_num and token.dep_ == "nummod" and token.head.i > token.i:
            add(min(own), token.head.i + 1, "number")
        if token.pos_ == "VERB" and whole and token.dep_ in CLAUSES:
            add(min(own), max(own) + 1, "clause")
        if token.dep_ in {"pobj", "dobj", "attr"} and whole and 3 <= len(own) <= 10:
            add(min(own) + (document[min(own)].pos_ == "DET"), max(own) + 1, "long")
        if token.dep_ == "acomp" and token.pos_ == "ADJ":
            add(token.i, token.i + 1, "state")
    return found


def _picked(
    answers: dict[tuple[int, int], str], count: int, chance: random.Random
) -> list[tuple[int, int]]:
    """Return ``count`` answers by SHARES that do not overlap."""
    by_kind: dict[str, list[tuple[int, int]]] = {}
    for span, kind in answers.items():
        by_kind.setdefault(kind, []).append(span)
    found: list[tuple[int, int]] = []
    while by_kind and len(found) < count:
        kind = chance.choices(list(by_kind), [SHARES[kind] for kind in by_kind])[0]
        start, end = by_kind[kind].pop(chance.randrange(len(by_kind[kind])))
        if not by_kind[kind]:
            del by_kind[kind]
        if not any(low < end and start < high for low, high in found):
            found.append((start, end))
    return found


def _chosen(part: tuple[int, Sequence[Task]]) -> list[tuple[Passage, int, int]]:
    """Return the answers of some passages: the passage, start and end."""
    seed, some = part
    chance = random.Random(seed)
    parsed = load_pipeline(DEFAULT_PIPELINE).pipe((one.passage[1] for one in some), batch_size=64)
    return [
        (passage, start, end)
        for (passage, wanted), document in zip(some, parsed, strict=True)
        for start, end in _picked(_answers(document, chance), wanted, chance)
    ]


def chosen(asked_about: Sequence[Task], processes: int) -> Iterator[tuple[Passage, int, int]]:
    """Yield the answers of all passages."""
    parts = [
        (at, asked_about[at : at + PARSED_TOGETHER])
        for at in range(0, len(asked_about), PARSED_TOGETHER)
    ]
    with Pool(processes) as pool:
        for number, found in enumerate(pool.imap(_chosen, parts), 1):
            print(f"{number} of {len(parts)} parts parsed", flush=True)
            yield from found


def main() -> None:
    """Choose, make, write."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("data_dir", type=Path)
    parser.add_argument("file", type=Path)
    parser.add_argument("--documents", type=Path, help="a folder of folders to ask about, too")
    parser.add_argument("--made", type=int, default=QUESTIONS, help="questions made from sentences")
    parser.add_argument("--processes", type=int, default=2)
    options = parser.parse_args()
    numbers, chance = Numbers(), random.Random(11)
    people = [
        [article >= XQUAD_TRAINED, numbers.of(passage), question, start, start + len(answer)]
        for article, passage, question, start, answer in xquad(options.data_dir)
    ]
    written = [
        [held_out, numbers.of((one.title, one.text)), one.question, one.start, one.end]
        for held_out in (False, True)
        for own in papers(held_out)
        for one in own
    ]
    asked = {(number, start, end) for _, number, _, start, end in [*people, *written]}
    answers = [
        [numbers.of(passage), start, end]
        for passage, start, end in chosen(
            tasks(options.data_dir, options.documents, chance), options.processes
        )
        if (numbers.of(passage), start, end) not in asked
    ]
    passages, examples = made_examples(options.data_dir, options.made)
    made = [
        [one.question, numbers.of(passages[one.passage]), one.start, one.end, one.in_title]
        for one in examples
    ]
    told = {
        "passages": numbers.passages,
        "answers": answers,
        "people": people,
        "papers": written,
        "made": made,
    }
    options.file.write_bytes(gzip.compress(json.dumps(told, ensure_ascii=False).encode()))
    print(f"{len(numbers.passages)} passages, {len(answers)} answers, {len(made)} made questions")


if __name__ == "__main__":
    main()
