"""Writes questions in people's words, for the span model to learn from (span_reader_training.py).

    python tests/benchmarks/question_writer.py train DATA_DIR WRITER
    python tests/benchmarks/question_writer.py write DATA_DIR WRITER FILE --documents FOLDER

DATA_DIR holds 2wiki-corpus and xquad-en. ``train`` fine-tunes the language model that comes with
Clew (SmolLM2-135M, by LoRA) to write the question that the marked words of a passage answer, on the
articles of XQuAD that the span model is trained on, and leaves it in the folder WRITER. ``write``
chooses names, noun phrases, numbers and clauses, by their parse, of those passages of 2wiki that
are not held out, of those articles' paragraphs and of the files in FOLDER, and has a question
written for each: lines of JSON in FILE. A question is kept where the answer that it was written for
is one of the two best that a span model marks (round-trip consistency: Alberti et al. 2019; of two,
since the span model is the one to learn: with five, it learned that "two weeks" may be how many
hours).

FOLDER, when it was tried: those of Python's proposals whose number leaves 3 divided by 7
(python/peps at ba4deeb7; public domain), opensource.guide's articles in English
(github/opensource.guide at ebc9678e; CC BY 4.0), the plays of the Digital Services Playbook
(usds/playbook at 50523b80; CC0) and the guides of cfpb/development (at 37b1d14f; CC0).
"""

import argparse
import json
import random
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from span_reader_training import (
    HELD_OUT,
    XQUAD_TRAINED,
    Passage,
    sentence_spans,
    wiki_passages,
    xquad,
)

from clew.comprehension.normalisation import best_f1, normalise_answer
from clew_ingest.limits import IngestLimits
from clew_ingest.parsing.parser import DEFAULT_PIPELINE
from clew_ingest.parsing.spacy_pipeline import load_pipeline
from clew_ingest.parsing.units import cut_units
from clew_ingest.reading.file_reader import FileReader
from clew_models.language_model.lora import with_lora
from clew_models.language_model.weights import converted_weights
from clew_models.span_reader.reader import SpanReader
from clew_models.span_reader.weights import SHIPPED, base_weights, trained_weights
from clew_models.span_reader.windows import plain_tokenizer

AROUND = 420
"""Characters of a passage that the writer sees, whole sentences around the answer."""
RATE, RANK, BATCH = 6e-4, 32, 8
WRITTEN_TOGETHER = 32
SHARES = {"name": 0.42, "noun": 0.26, "number": 0.10, "long": 0.12, "clause": 0.08, "state": 0.02}
"""Of what kinds the answers are, as far as a passage has them; about as in XQuAD."""
EACH = {"wiki": 2, "people": 8, "documents": 2}
"""Questions a passage."""
LONGEST_ANSWER = 12
CLAUSES = frozenset({"xcomp", "ccomp", "advcl", "acl", "pcomp", "conj"})


class Written(NamedTuple):
    """A question, and the characters [start, end) of a passage's text that answer it.

    ``source``: a key of EACH.
    """

    source: str
    title: str
    text: str
    start: int
    end: int
    question: str


def prompt(text: str, start: int, end: int) -> str:
    """Return what the writer reads: the sentences around an answer, marked, and the answer."""
    spans = sentence_spans(text)
    own = next(place for place, (_, high) in enumerate(spans) if high > start)
    low, high = spans[own][0], max(spans[own][1], end)
    for first, _ in reversed(spans[:own]):
        if high - first <= AROUND:
            low = first
    for _, last in spans[own + 1 :]:
        if last - low <= AROUND:
            high = max(high, last)
    marked = f"{text[low:start]}[[{text[start:end]}]]{text[end:high].rstrip()}"
    return f"Passage: {marked}\nAnswer: {text[start:end]}\nQuestion:"


def train(folder: Path, writer: Path, rounds: float, threads: int) -> None:
    """Fine-tune the language model, tell the held-out loss, and leave it in ``writer``."""
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    torch.set_num_threads(threads)
    torch.manual_seed(0)
    source = converted_weights(writer / "cache")
    tokenizer = AutoTokenizer.from_pretrained(source)
    plain = AutoModelForCausalLM.from_pretrained(source, dtype=torch.float32)
    rows: dict[bool, list[tuple[list[int], list[int]]]] = {False: [], True: []}
    for article, (_, text), question, start, answer in xquad(folder):
        asked = tokenizer(prompt(text, start, start + len(answer)), add_special_tokens=False)
        written = tokenizer(f" {question.strip()}", add_special_tokens=False)["input_ids"]
        row = (asked["input_ids"], [*written, tokenizer.eos_token_id])
        rows[article >= XQUAD_TRAINED].append(row)
    model = with_lora(plain, RANK)
    trained = [weight for weight in model.parameters() if weight.requires_grad]
    steps = int(rounds * len(rows[False]) // BATCH)
    optimizer = torch.optim.AdamW(trained, lr=RATE, weight_decay=0.01)
    rates = torch.optim.lr_scheduler.OneCycleLR(optimizer, RATE, total_steps=steps + 1)
    model.train()
    losses: list[float] = []
    for step, batch in zip(range(steps), _batches(rows[False]), strict=False):
        loss = _loss(model, batch)
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(trained, 1.0)
        optimizer.step()
        rates.step()
        losses.append(float(loss.detach()))
        if step % 20 == 19:
            print(f"step {step + 1} of {steps}, loss {sum(losses[-20:]) / 20:.3f}", flush=True)
    model.eval()
    held = sorted(rows[True], key=lambda row: len(row[0]))
    with torch.inference_mode():
        lost = [float(_loss(model, held[at : at + BATCH])) for at in range(0, len(held), BATCH)]
    print(f"held-out loss {sum(lost) / len(lost):.3f} nats a token")
    model.merge_and_unload().save_pretrained(writer)
    tokenizer.save_pretrained(writer)


def _batches(
    rows: Sequence[tuple[list[int], list[int]]],
) -> Iterator[list[tuple[list[int], list[int]]]]:
    """Yield batches of about one length, all rows once a round, without end."""
    chance = random.Random(0)
    while True:
        order = chance.sample(rows, len(rows))
        blocks = []
        for start in range(0, len(order), 8 * BATCH):
            some = sorted(order[start : start + 8 * BATCH], key=lambda row: len(row[0]))
            blocks += [some[at : at + BATCH] for at in range(0, len(some), BATCH)]
        chance.shuffle(blocks)
        yield from blocks


def _loss(model: Any, batch: Sequence[tuple[list[int], list[int]]]) -> Any:
    """Return the mean loss of the questions' tokens; texts are padded before their beginning."""
    import torch

    length = max(len(asked) + len(written) for asked, written in batch)
    most = max(len(written) for _, written in batch)
    ids = torch.zeros(len(batch), length, dtype=torch.long)
    seen, labels = torch.zeros_like(ids), torch.full((len(batch), most), -100)
    for row, (asked, written) in enumerate(batch):
        whole = torch.tensor([*asked, *written])
        ids[row, length - len(whole) :] = whole
        seen[row, length - len(whole) :] = 1
        labels[row, most - len(written) :] = torch.tensor(written)
    places = (seen.cumsum(1) - 1).clamp(min=0)
    logits = model(
        input_ids=ids, attention_mask=seen, position_ids=places, logits_to_keep=most + 1
    ).logits[:, :-1]
    return torch.nn.functional.cross_entropy(logits.flatten(0, 1), labels.flatten())


def chosen(folder: Path, documents: Path | None, wiki: int, chance: random.Random) -> list[Written]:
    """Return answers without questions, of ``wiki`` passages and of all others."""
    rows = xquad(folder)
    asked = {(row[1][1], row[3], row[3] + len(row[4])) for row in rows}
    passages = wiki_passages(folder)
    numbers = [n for n in range(len(passages)) if n % HELD_OUT and 80 <= len(passages[n][1]) <= 700]
    chance.shuffle(numbers)
    people = dict.fromkeys(row[1] for row in rows if row[0] < XQUAD_TRAINED)
    texts = [("wiki", passages[n]) for n in numbers[:wiki]]
    texts += [("people", passage) for passage in people]
    texts += [("documents", passage) for passage in _of_files(documents)]
    chance.shuffle(texts)
    found = []
    parsed = load_pipeline(DEFAULT_PIPELINE).pipe((text for _, (_, text) in texts), batch_size=64)
    for (source, (title, text)), document in zip(texts, parsed, strict=True):
        for start, end in _picked(_answers(document, chance), EACH[source], chance):
            if (text, start, end) not in asked:
                found.append(Written(source, title, text, start, end, ""))
    chance.shuffle(found)
    return found


def _of_files(folder: Path | None) -> list[Passage]:
    """Return the passages of a folder's files, as an ingest would cut them, but for code."""
    tokenizer = plain_tokenizer()
    found = []
    files = [] if folder is None else sorted(path for path in folder.rglob("*") if path.is_file())
    with FileReader(IngestLimits()) as reader:
        for path in files:
            for document in reader.read(path.read_bytes(), path.name).documents:
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


def write(rows: Sequence[Written], writer: Path, minutes: float, threads: int) -> Iterator[Written]:
    """Yield the rows with their questions, until the time is over."""
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    torch.set_num_threads(threads)
    torch.manual_seed(0)
    tokenizer = AutoTokenizer.from_pretrained(writer, padding_side="left")
    tokenizer.pad_token = tokenizer.pad_token or tokenizer.eos_token
    model = AutoModelForCausalLM.from_pretrained(writer, dtype=torch.float32).eval()
    started = time.monotonic()
    for at in range(0, len(rows), 8 * WRITTEN_TOGETHER):
        some = sorted(rows[at : at + 8 * WRITTEN_TOGETHER], key=lambda row: len(prompt(*row[2:5])))
        print(f"{at} of {len(rows)}, {time.monotonic() - started:.0f} s", flush=True)
        for first in range(0, len(some), WRITTEN_TOGETHER):
            batch = some[first : first + WRITTEN_TOGETHER]
            prompts = [prompt(*row[2:5]) for row in batch]
            read = tokenizer(prompts, return_tensors="pt", padding=True, add_special_tokens=False)
            with torch.inference_mode():
                ids = model.generate(
                    **read,
                    max_new_tokens=28,
                    do_sample=True,
                    temperature=0.6,
                    top_p=0.9,
                    pad_token_id=tokenizer.pad_token_id,
                )
            texts = tokenizer.batch_decode(
                ids[:, read["input_ids"].shape[1] :], skip_special_tokens=True
            )
            for row, text in zip(batch, texts, strict=True):
                yield row._replace(question=text.strip().split("\n")[0].strip())
            if time.monotonic() - started > 60 * minutes:
                return


def found_again(row: Written, reader: SpanReader) -> bool:
    """Say whether a question is one, does not say its answer, and is answered by it among two."""
    answer, words = row.text[row.start : row.end], row.question.split()
    told = normalise_answer(answer) in normalise_answer(row.question)
    if told or not row.question.endswith("?") or not 4 <= len(words) <= 30:
        return False
    ((reading,),) = reader.read([row.question], reader.encode([(row.title, row.text)]))
    marked = [
        (row.title if one.in_title else row.text)[one.start : one.end] for one in reading.best(2)
    ]
    return any(best_f1(text, [answer]) >= 0.5 for text in marked)


def main() -> None:
    """Train a writer, or have it write."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("do", choices=("train", "write"))
    parser.add_argument("data_dir", type=Path)
    parser.add_argument("writer", type=Path)
    parser.add_argument("file", type=Path, nargs="?")
    parser.add_argument("--documents", type=Path, help="a folder of files to ask about, too")
    parser.add_argument("--passages", type=int, default=1500, help="of 2wiki to ask about")
    parser.add_argument("--rounds", type=float, default=2.5, help="of the training")
    parser.add_argument("--minutes", type=float, default=24, help="to write")
    parser.add_argument("--reader", type=Path, default=SHIPPED, help="weights of a span model")
    parser.add_argument("--threads", type=int, default=2)
    options = parser.parse_args()
    if options.do == "train":
        train(options.data_dir, options.writer, options.rounds, options.threads)
        return
    if options.file is None:
        parser.error("write needs a FILE for the questions.")
    rows = chosen(options.data_dir, options.documents, options.passages, random.Random(3))
    weights = {**base_weights(), **trained_weights(options.reader)}
    reader = SpanReader(threads=options.threads, weights=weights)
    counts: Counter[str] = Counter()
    with options.file.open("w") as file:
        for row in write(rows, options.writer, options.minutes, options.threads):
            kept = found_again(row, reader)
            counts[f"{row.source}, {'kept' if kept else 'left out'}"] += 1
            if kept:
                file.write(json.dumps(row._asdict(), ensure_ascii=False) + "\n")
    print(dict(counts))


if __name__ == "__main__":
    main()
