"""Teaches the span model (models/clew_models/span_reader) by larger models, on a GPU.

    python tests/benchmarks/span_reader_data.py DATA_DIR FILE --documents FOLDER
    export PYTHONPATH=models; S=tests/benchmarks/span_reader_distillation.py
    python3 $S write FILE LANGUAGE_MODEL QUESTIONS
    python3 $S teach FILE QUESTIONS LANGUAGE_MODEL LABELS_1
    python3 $S teach FILE QUESTIONS ENCODER.safetensors LABELS_2
    python3 $S learn FILE QUESTIONS START STUDENT_1 LABELS_1 LABELS_2 … [--seed 3]
    python3 $S average START OUT STUDENT_1 STUDENT_2 … --share 0.5

FILE holds passages, answers without questions in them, questions by people and on the papers of
offices, and made ones; LANGUAGE_MODEL is a folder in the hub's format (SmolLM2-135M, as Clew
converts it); ENCODER the weights of an encoder of MiniLM's width with more layers
(encoder_weights.py); START the span model's weights to go on from (span_reader_training.py). Needs
torch, transformers, peft, scipy and of the project the folder ``models`` alone: it runs where
nothing else can be installed. Teachers can learn beside each other.

1. The writer: the language model, by LoRA, learns to write the question that the marked words of a
   passage answer, on the questions by people and on papers; it writes one for each answer
   (`Writing`).
2. Teachers: the language model reads question and passage twice, so that the second time each word
   has seen all of them (Springer et al. 2024, arXiv:2402.15449), and marks the first and last word
   of the answer, or its own end, "not here" (`Teaching`); an encoder of twelve layers does as the
   span model does (`SpanLearner`). Each is trained on what was written and made, then on the
   questions by people and on papers, in other cuts and with passages that do not answer them.
3. Their labels: what they hold for likely, of each question that was written, in the passage that
   it was written for, in the nearest other one, and in its own without the sentence of the answer.
   So a question that was written badly is taken for what it asks, not for what it should have
   asked.
4. The student: the span model learns the mean of those (Hinton et al. 2015, arXiv:1503.02531; of
   several teachers: You et al. 2017), made questions and those by people and on papers; at the end
   more of the latter.
5. What ships is the mean of several students, and of what they went on from (Wortsman et al. 2022,
   arXiv:2203.05482, arXiv:2109.01903).

Figures on the questions by people, and on the papers of an office, that are held out are told for
all: the share that is marked exactly, the overlap of characters (F1), and how often a passage that
answers scores above another one, and above its own without the answer's sentence. What counts is
measured by ``span_reader_training.py --measure``, as the product computes.
"""

import argparse
import gzip
import json
import math
import random
import re
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from torch import Tensor, nn
from torch.nn import functional

from clew_models.span_reader.encoder import SpanModel
from clew_models.span_reader.graph import Weights
from clew_models.span_reader.reader import best_spans, padded
from clew_models.span_reader.training import untrained_ends
from clew_models.span_reader.weights import base_weights, save_trained, trained_weights
from clew_models.span_reader.windows import Window, plain_tokenizer, question_ids, windows_of

SENTENCE_ENDS = re.compile(r"(?<=[.!?])\s+(?=[A-Z\"(\[])|\n")
AROUND = 420
"""Characters of a passage that the writer sees, whole sentences around the answer."""
LONGEST = 600
"""Characters that most long passages are cut to: long ones make long trainings."""
WHOLE, ELSEWHERE, SILENT = 0.3, 0.4, 0.4
"""Shares of questions that are asked of a whole passage, of another passage too, and of their own
without the sentence that answers."""
TOKENS = 32_000
"""Of a batch, padding counted."""

Passage = tuple[str, str]
Pair = tuple[str, str, str]
"""(question, title, text)."""
Found = tuple[float, int, int, bool]
"""(share, start, end, in the title) of a span."""


class Asked(NamedTuple):
    """A question, and the characters [start, end) of a passage that answer it; ``end`` 0: none."""

    question: str
    title: str
    text: str
    start: int = 0
    end: int = 0
    in_title: bool = False

    @property
    def pair(self) -> Pair:
        return self.question, self.title, self.text

    @property
    def answer(self) -> str:
        return (self.title if self.in_title else self.text)[self.start : self.end]


class Labelled(NamedTuple):
    """A question and a passage with likely answers; ``null``: the share of "not here"."""

    pair: Pair
    spans: Sequence[Found]
    null: float


class Nearest:
    """Passages that share most words with a question (TF-IDF): what a search may bring up."""

    def __init__(self, passages: Sequence[Passage]) -> None:
        bags = [Counter(words_of(f"{title} {title} {text}")) for title, text in passages]
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
        count = min(count, self._matrix.shape[0])
        for start in range(0, len(questions), 500):
            bags = [Counter(words_of(q)) for q in questions[start : start + 500]]
            scores = (self._rows(bags) @ self._matrix.T).toarray()
            top = np.argpartition(-scores, count - 1, axis=1)[:, :count]
            for row, own in enumerate(top):
                found.append([int(i) for i in own[np.argsort(-scores[row][own])]])
        return found


def words_of(text: str) -> list[str]:
    """Return a text's words in lower case."""
    return re.findall(r"\w+", text.casefold())


def sentence_spans(text: str) -> list[tuple[int, int]]:
    """Return the characters [start, end) of each sentence, with the blanks behind it."""
    cuts = [0, *(match.end() for match in SENTENCE_ENDS.finditer(text)), len(text)]
    return [(low, high) for low, high in pairwise(cuts) if high > low]


def left_without(text: str, start: int, end: int) -> str | None:
    """Return a text without the sentences of [start, end); None where little is left."""
    spans = sentence_spans(text)
    left = "".join(text[low:high] for low, high in spans if high <= start or low >= end)
    return left if len(left) > 100 else None


def cut(asked: Asked, chance: random.Random, whole: float = WHOLE) -> Asked:
    """Return a question with the words around its answer; a share of ``whole`` as it is."""
    text, start, end = asked.text, asked.start, asked.end
    if len(text) <= LONGEST + 150 or chance.random() < whole:
        return asked
    first = max(0, start - chance.randint(0, 3 * LONGEST // 4))
    first = min(text.find(" ", first) + 1, start) if first else 0
    last = text.find(" ", max(end, first + LONGEST))
    kept = text[first : last if last >= 0 else len(text)]
    return asked._replace(text=kept, start=start - first, end=end - first)


def tells(text: str, answer: str) -> bool:
    """Say whether a text holds the words of an answer."""
    return answer.casefold() in text.casefold()


# what is learned from


class Data:
    """What span_reader_data.py wrote."""

    def __init__(self, file: Path) -> None:
        told = json.loads(gzip.decompress(file.read_bytes()))
        self.passages: list[Passage] = [(title, text) for title, text in told["passages"]]
        self.answers = [self._asked("", *row) for row in told["answers"]]
        self.people, self.held_out = self._told(told["people"])
        papers, papers_held_out = self._told(told["papers"])
        self.papers = [asked for asked in papers if asked.end]
        self.unanswered = [asked for asked in papers if not asked.end]
        self.papers_held_out = [asked for asked in papers_held_out if asked.end]
        self.made = [self._asked(q, n, s, e, bool(t)) for q, n, s, e, t in told["made"]]

    def _told(self, rows: Sequence[Sequence[Any]]) -> tuple[list[Asked], list[Asked]]:
        """Return what is learned from, and what is held out."""
        asked = [(bool(row[0]), self._asked(row[2], row[1], *row[3:])) for row in rows]
        return [one for held, one in asked if not held], [one for held, one in asked if held]

    def asked(self, copies: int, chance: random.Random) -> list[Asked]:
        """Return the questions by people, in so many cuts, and those on papers."""
        rows = people_rows(self.people, copies, chance) + people_rows(self.papers, 1, chance)
        return rows + self.unanswered

    def _asked(
        self, question: str, number: int, start: int, end: int, title: bool = False
    ) -> Asked:
        return Asked(question, *self.passages[number], start, end, title)


def negatives(
    rows: Sequence[Asked], passages: Sequence[Passage], chance: random.Random
) -> Iterator[tuple[Asked, list[Pair]]]:
    """Yield each question, cut, with the nearest other passage and its own without the answer."""
    near = Nearest(passages).of([row.question for row in rows], 4) if rows else []
    for row, nearest in zip(rows, near, strict=True):
        shorter = cut(row, chance)
        other = next(passages[n] for n in nearest if passages[n] != (row.title, row.text))
        left = left_without(shorter.text, shorter.start, shorter.end)
        silent = [] if left is None else [(row.question, row.title, left)]
        yield shorter, [(row.question, *other), *silent]


def people_rows(rows: Sequence[Asked], copies: int, chance: random.Random) -> list[Asked]:
    """Return questions by people, each in so many cuts, and with passages without the answer."""
    passages = list(dict.fromkeys((row.title, row.text) for row in rows))
    found = []
    for _ in range(copies):
        for asked, others in negatives(rows, passages, chance):
            found.append(asked)
            drawn = chance.random()
            taken = others[:1] if drawn < ELSEWHERE else others[1:]
            if drawn < ELSEWHERE + SILENT:
                found += [Asked(*pair) for pair in taken if not tells(pair[2], asked.answer)]
    return found


def blocks_of(lengths: Sequence[int], chance: random.Random | None = None) -> list[list[int]]:
    """Return the places of all rows in batches of about one length, of TOKENS at most each."""
    order = list(range(len(lengths)))
    some = len(order) or 1
    if chance is not None:
        chance.shuffle(order)
        some = 4000
    blocks: list[list[int]] = []
    for start in range(0, len(order), some):
        block: list[int] = []
        for place in sorted(order[start : start + some], key=lengths.__getitem__):
            if block and (len(block) + 1) * lengths[place] > TOKENS:
                blocks.append(block)
                block = []
            block.append(place)
        blocks.append(block)
    if chance is not None:
        chance.shuffle(blocks)
    return blocks


class Clock:
    """What a training has spent of its steps or its time, whatever is more."""

    def __init__(self, name: str, steps: int, seconds: float) -> None:
        self._name, self._steps, self._seconds = name, steps, seconds
        self._started = time.monotonic()
        self._losses: list[Tensor] = []

    def spent(self) -> float:
        """Return the share that is spent."""
        late = (time.monotonic() - self._started) / self._seconds
        return max(len(self._losses) / self._steps, late)

    def rate(self, warm_up: int) -> float:
        """Return what the learning rate is multiplied by: it rises, then falls to nothing."""
        return min(1.0, (len(self._losses) + 1) / warm_up) * max(0.0, 1 - self.spent())

    def took(self, loss: Tensor) -> None:
        """Note a step."""
        self._losses.append(loss.detach())
        if len(self._losses) % 200 == 0:
            self.told()

    def told(self) -> None:
        """Say how far it is."""
        loss = float(torch.stack(self._losses[-100:]).mean())
        say(f"{self._name}: step {len(self._losses)} of {self._steps}, loss {loss:.3f}")


def say(line: str) -> None:
    """Print a line with the time."""
    print(time.strftime("%H:%M:%S"), line, flush=True)


def stepped(optimizer: torch.optim.Optimizer, model: nn.Module, loss: Tensor) -> None:
    """Take a step."""
    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()


def half(device: str) -> torch.autocast:
    """Let a GPU multiply in bfloat16."""
    return torch.autocast(device, torch.bfloat16, enabled=device != "cpu")


class LanguageModel:
    """A causal language model of a folder, in float32, with its tokenizer."""

    def __init__(self, folder: Path, device: str) -> None:
        from tokenizers import Tokenizer
        from transformers import AutoModelForCausalLM

        self.device = device
        self.tokenizer: Any = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self.tokenizer.no_padding()
        self.tokenizer.no_truncation()
        model: Any = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32)
        self.model: Any = model.to(device)
        end = self.model.config.eos_token_id
        self.end: int = end[0] if isinstance(end, list) else end

    def ids(self, text: str) -> list[int]:
        """Return a text's tokens."""
        return list(self.tokenizer.encode(text, add_special_tokens=False).ids)


# the writer


class Writing:
    """Questions written for answers.

    Trained by LoRA of rank 32 for one and a half rounds: after two and a half the loss on what is
    held out had risen again.
    """

    RATE, RANK, BATCH, ROUNDS = 6e-4, 32, 16, 1.5
    TOGETHER, LONGEST = 1536, 28

    def __init__(self, language: LanguageModel) -> None:
        self._language = language

    def learn(self, people: Sequence[Asked], held_out: Sequence[Asked]) -> None:
        """Learn from questions by people."""
        from peft import LoraConfig, get_peft_model

        configuration = LoraConfig(
            r=self.RANK,
            lora_alpha=2 * self.RANK,
            target_modules="all-linear",
            task_type="CAUSAL_LM",
        )
        model = get_peft_model(self._language.model, configuration)
        trained = [weight for weight in model.parameters() if weight.requires_grad]
        rows, held = self._rows(people), self._rows(held_out)
        steps = int(self.ROUNDS * len(rows) // self.BATCH)
        optimizer = torch.optim.AdamW(trained, lr=self.RATE, weight_decay=0.01)
        rates = torch.optim.lr_scheduler.OneCycleLR(optimizer, self.RATE, total_steps=steps + 1)
        clock = Clock("writer", steps, math.inf)
        chance = random.Random(0)
        order: list[int] = []
        model.train()
        for _ in range(steps):
            if len(order) < self.BATCH:
                order = chance.sample(range(len(rows)), len(rows))
            batch, order = order[: self.BATCH], order[self.BATCH :]
            loss = self._loss(model, [rows[place] for place in batch])
            stepped(optimizer, model, loss)
            rates.step()
            clock.took(loss)
        model.eval()
        with torch.inference_mode():
            lost = [float(self._loss(model, held[at : at + 32])) for at in range(0, len(held), 32)]
        say(f"writer: loss of what is held out {np.mean(lost):.3f} nats a token")
        self._language.model = model.merge_and_unload()

    def _rows(self, asked: Sequence[Asked]) -> list[tuple[list[int], list[int]]]:
        ids = self._language.ids
        end = self._language.end
        return [(ids(prompt(row)), [*ids(f" {row.question.strip()}"), end]) for row in asked]

    def _loss(self, model: Any, batch: Sequence[tuple[list[int], list[int]]]) -> Tensor:
        length = max(len(asked) + len(written) for asked, written in batch)
        ids = torch.full((len(batch), length), self._language.end)
        labels = torch.full((len(batch), length), -100)
        for row, (asked, written) in enumerate(batch):
            whole = len(asked) + len(written)
            ids[row, :whole] = torch.tensor([*asked, *written])
            labels[row, len(asked) : whole] = torch.tensor(written)
        device = self._language.device
        with half(device):
            logits = model(input_ids=ids.to(device)).logits[:, :-1].float()
        return functional.cross_entropy(logits.flatten(0, 1), labels[:, 1:].flatten().to(device))

    @torch.inference_mode()
    def write(self, answers: Sequence[Asked], seconds: float) -> list[Asked]:
        """Return the answers with questions that look like ones and do not tell the answer."""
        language = self._language
        model = language.model.eval()
        if language.device != "cpu":
            model = model.to(torch.bfloat16)
        prompts = [language.ids(prompt(row)) for row in answers]
        order = sorted(range(len(prompts)), key=lambda place: len(prompts[place]))
        blocks = [order[at : at + self.TOGETHER] for at in range(0, len(order), self.TOGETHER)]
        random.Random(5).shuffle(blocks)
        started, found = time.monotonic(), []
        for block in blocks:
            length = max(len(prompts[place]) for place in block)
            ids = torch.full((len(block), length), language.end)
            seen = torch.zeros_like(ids)
            for row, place in enumerate(block):
                ids[row, length - len(prompts[place]) :] = torch.tensor(prompts[place])
                seen[row, length - len(prompts[place]) :] = 1
            written = model.generate(
                input_ids=ids.to(language.device),
                attention_mask=seen.to(language.device),
                max_new_tokens=self.LONGEST,
                do_sample=True,
                temperature=0.7,
                top_k=12,
                top_p=1.0,
                pad_token_id=language.end,
                eos_token_id=language.end,
            )[:, length:].tolist()
            for place, tokens in zip(block, written, strict=True):
                question = self._question(tokens)
                told = tells(question, answers[place].answer)
                if question.endswith("?") and 4 <= len(question.split()) <= 30 and not told:
                    found.append(answers[place]._replace(question=question))
            say(f"{len(found)} questions written")
            if time.monotonic() - started > seconds:
                break
        return found

    def _question(self, tokens: list[int]) -> str:
        end = self._language.end
        own = tokens[: tokens.index(end)] if end in tokens else tokens
        text = self._language.tokenizer.decode(own, skip_special_tokens=True)
        return str(text).strip().split("\n")[0].strip()


def prompt(asked: Asked) -> str:
    """Return what the writer reads: the sentences around an answer, marked, and the answer."""
    text, start, end = asked.text, asked.start, asked.end
    spans = sentence_spans(text)
    own = next(place for place, (_, high) in enumerate(spans) if high > start)
    low, high = spans[own][0], max(spans[own][1], end)
    for first, _ in reversed(spans[:own]):
        if high - first <= AROUND:
            low = min(low, first)
    for _, last in spans[own + 1 :]:
        if last - low <= AROUND:
            high = max(high, last)
    marked = f"{text[low:start]}[[{text[start:end]}]]{text[end:high].rstrip()}"
    return f"Passage: {marked}\nAnswer: {text[start:end]}\nQuestion:"


# the teacher


class Teacher(nn.Module):
    """The language model's layers, and for each token logits of the first and of the last of an
    answer; those of the text's end are "not here"."""

    def __init__(self, model: Any) -> None:
        super().__init__()
        self.body = model.model
        self.head = nn.Linear(model.config.hidden_size, 2)
        nn.init.normal_(self.head.weight, 0, 0.01)
        nn.init.zeros_(self.head.bias)

    def forward(self, ids: Tensor, again: Tensor) -> Tensor:
        """Return logits [B, L, 2]; ``again`` [B, L]: what is read a second time, and the end."""
        states = self.body(input_ids=ids, use_cache=False).last_hidden_state
        logits: Tensor = self.head(states).float()
        return logits.masked_fill(~again[..., None], -1e4)


class TwiceRead:
    """Questions and passages as the teacher reads them: question, passage, question, passage."""

    LONGEST = 700

    def __init__(self, language: LanguageModel, pairs: Sequence[Pair]) -> None:
        questions = list(dict.fromkeys(question for question, _, _ in pairs))
        passages = list(dict.fromkeys(pair[1:] for pair in pairs))
        encode = language.tokenizer.encode_batch
        asked = encode([f"Question: {q}\n" for q in questions], add_special_tokens=False)
        read = encode([f"{title}\n{text}\n" for title, text in passages], add_special_tokens=False)
        self._end = language.end
        self._device = language.device
        self._asked = {q: np.array(e.ids) for q, e in zip(questions, asked, strict=True)}
        self._read = {
            p: (np.array(e.ids)[: self.LONGEST], np.array(e.offsets)[: self.LONGEST])
            for p, e in zip(passages, read, strict=True)
        }

    def length(self, pair: Pair) -> int:
        """Return the tokens of a row; the last is its end."""
        return 2 * (len(self._asked[pair[0]]) + len(self._read[pair[1:]][0])) + 1

    def _again(self, pair: Pair) -> int:
        return 2 * len(self._asked[pair[0]]) + len(self._read[pair[1:]][0])

    def batch(self, pairs: Sequence[Pair]) -> tuple[Tensor, Tensor]:
        """Return ids [B, L], and which are read again."""
        length = max(map(self.length, pairs))
        ids = np.full((len(pairs), length), self._end, np.int64)
        again = np.zeros((len(pairs), length), bool)
        for row, pair in enumerate(pairs):
            one, own = [*self._asked[pair[0]], *self._read[pair[1:]][0]], self.length(pair)
            ids[row, : own - 1] = [*one, *one]
            again[row, self._again(pair) : own] = True
        return torch.from_numpy(ids).to(self._device), torch.from_numpy(again).to(self._device)

    def target(self, asked: Asked) -> tuple[int, int]:
        """Return the places of an answer's first and last token; the end's where there is none."""
        end = self.length(asked.pair) - 1
        offsets = self._read[asked.pair[1:]][1]
        shift = 0 if asked.in_title else len(asked.title) + 1
        begun = np.flatnonzero(offsets[:, 1] > asked.start + shift)
        before = np.flatnonzero(offsets[:, 0] < asked.end + shift)
        if not asked.end or not len(begun) or before[-1] < begun[0]:
            return end, end
        return self._again(asked.pair) + int(begun[0]), self._again(asked.pair) + int(before[-1])

    def span(self, pair: Pair, first: int, last: int) -> tuple[int, int, bool] | None:
        """Return the characters of tokens by their places: start, end, whether in the title."""
        _, title, text = pair
        offsets, again = self._read[pair[1:]][1], self._again(pair)
        if not 0 <= first - again <= last - again < len(offsets):
            return None
        whole = f"{title}\n{text}\n"
        start, end = int(offsets[first - again][0]), int(offsets[last - again][1])
        while start < end and whole[start].isspace():
            start += 1
        while start < end and whole[end - 1].isspace():
            end -= 1
        in_title = start < len(title)
        if start >= end or (in_title and end > len(title)):
            return None
        shift = 0 if in_title else len(title) + 1
        return start - shift, end - shift, in_title


class Teaching:
    """A teacher as it is trained, and what it says."""

    LIKELY, SPANS, ANSWER = 12, 6, 24
    """First and last tokens that are tried, spans that are kept, tokens of the longest."""

    def __init__(self, language: LanguageModel) -> None:
        self._language = language
        self._model = Teacher(language.model).to(language.device)

    def learn(
        self, name: str, rows: Sequence[Asked], rate: float, seconds: float, rounds: int = 1
    ) -> None:
        """Go on learning."""
        read = TwiceRead(self._language, [row.pair for row in rows])
        chance, lengths = random.Random(2), [read.length(row.pair) for row in rows]
        blocks = [block for _ in range(rounds) for block in blocks_of(lengths, chance)]
        model = self._model.train()
        optimizer = torch.optim.AdamW(
            [
                {"params": model.body.parameters(), "rate": rate},
                {"params": model.head.parameters(), "rate": 10 * rate},
            ],
            weight_decay=0.01,
        )
        clock = Clock(name, len(blocks), seconds)
        for block in blocks:
            if clock.spent() >= 1:
                break
            for group in optimizer.param_groups:
                group["lr"] = group["rate"] * clock.rate(30)
            ids, again = read.batch([rows[place].pair for place in block])
            targets = torch.tensor([read.target(rows[place]) for place in block]).to(ids.device)
            with half(self._language.device):
                logits = model(ids, again)
            loss = functional.cross_entropy(logits[..., 0], targets[:, 0])
            loss = (loss + functional.cross_entropy(logits[..., 1], targets[:, 1])) / 2
            stepped(optimizer, model, loss)
            clock.took(loss)
        clock.told()
        model.eval()

    @torch.inference_mode()
    def label(self, pairs: Sequence[Pair]) -> list[Labelled]:
        """Return what the teacher holds for likely."""
        read = TwiceRead(self._language, pairs)
        found: dict[int, Labelled] = {}
        for block in blocks_of([read.length(pair) for pair in pairs]):
            ids, again = read.batch([pairs[place] for place in block])
            with half(self._language.device):
                logits = self._model(ids, again)
            rows = torch.arange(len(block))
            ends = torch.tensor([read.length(pairs[place]) - 1 for place in block])
            null = logits[rows, ends].sum(1, keepdim=True)
            logits[rows, ends] = -1e4
            first, last = logits.topk(min(self.LIKELY, logits.shape[1]), 1).indices.unbind(-1)
            begun, ended = logits[..., 0].gather(1, first), logits[..., 1].gather(1, last)
            reach = last[:, None, :] - first[:, :, None]
            scores = begun[:, :, None] + ended[:, None, :]
            scores = scores.masked_fill((reach < 0) | (reach >= self.ANSWER), -1e4).flatten(1)
            best = scores.topk(self.SPANS, 1)
            shares = torch.cat([null, best.values], 1).softmax(1).cpu().numpy()
            firsts = first.gather(1, best.indices // last.shape[1]).tolist()
            lasts = last.gather(1, best.indices % last.shape[1]).tolist()
            for row, place in enumerate(block):
                spans = [
                    (float(share), *span)
                    for share, low, high in zip(
                        shares[row, 1:], firsts[row], lasts[row], strict=True
                    )
                    if share >= 0.01 and (span := read.span(pairs[place], low, high)) is not None
                ]
                found[place] = Labelled(pairs[place], spans, float(shares[row, 0]))
        return [found[place] for place in range(len(pairs))]

    def best(self, pairs: Sequence[Pair]) -> list[Found]:
        """Return the log-odds of the likeliest span of each pair, and where it is."""
        found: list[Found] = []
        for one in self.label(pairs):
            share, *place = one.spans[0] if one.spans else (0.001, 0, 0, False)
            found.append((math.log(share / max(one.null, 0.001)), *place))  # type: ignore[arg-type]
        return found


# the student


class Row(NamedTuple):
    """A question and a window as ids, and the shares of places as first and as last."""

    question: Sequence[int]
    window: Sequence[int]
    first: Sequence[tuple[int, float]]
    last: Sequence[tuple[int, float]]


class Encoded:
    """A tokenizer that has encoded some texts at once."""

    def __init__(self, tokenizer: Any, texts: Sequence[str]) -> None:
        texts = list(dict.fromkeys(texts))
        found = tokenizer.encode_batch(texts, add_special_tokens=False)
        self._found = dict(zip(texts, found, strict=True))

    def encode(self, text: str, add_special_tokens: bool = False) -> Any:
        """Return a text's encoding."""
        return self._found[text]


def hard(asked: Asked) -> Labelled:
    """Return a question with the answer that it is known to have."""
    there = [(1.0, asked.start, asked.end, asked.in_title)] if asked.end else []
    return Labelled(asked.pair, there, 0.0 if asked.end else 1.0)


def student_rows(tokenizer: Any, labelled: Sequence[Labelled]) -> list[Row]:
    """Return what the student reads: of each passage the window with most of the answer."""
    own = Encoded(tokenizer, [text for one in labelled for text in one.pair])
    kept: dict[Passage, list[Window]] = {}
    rows = []
    for (question, title, text), spans, null in labelled:
        if (title, text) not in kept:
            kept[title, text] = windows_of(own, title, text)
        choices = []
        for window in kept[title, text]:
            places = [
                (share, *tokens)
                for share, start, end, in_title in spans
                if (tokens := window.tokens_of(start, end, title=in_title)) is not None
            ]
            choices.append((sum(place[0] for place in places), window, places))
        there, window, places = max(choices, key=lambda choice: choice[0])
        whole = there + null
        none = (0, null / whole if whole else 1.0)
        first = [*((low, share / whole) for share, low, _ in places), none]
        last = [*((high, share / whole) for share, _, high in places), none]
        rows.append(Row(question_ids(own, question), window.ids, first, last))
    return rows


class SpanLearner:
    """The span model, or one with more layers, as it is trained, and what it says.

    ``weights``: of a whole model, or of an encoder, which gets a head of random numbers.
    """

    SPANS = 6

    def __init__(self, weights: Mapping[str, NDArray[np.float32]], device: str) -> None:
        self._device = device
        layers = 1 + max(int(name.split(".")[2]) for name in weights if name.startswith("encoder."))
        whole = {**untrained_ends(), **weights}
        self.model = SpanModel(whole, layers)
        self.model.load_arrays(whole)
        self.model.to(device)

    def _logits(self, questions: Sequence[Sequence[int]], windows: Sequence[Sequence[int]]) -> Any:
        arrays = [*padded(questions), *padded(windows)]
        with half(self._device):
            return self.model(*(torch.from_numpy(one).to(self._device) for one in arrays))

    def learn(
        self,
        name: str,
        rows: Sequence[Row],
        last: Sequence[Row],
        rate: float,
        seconds: float,
        share: float,
        seed: int = 3,
    ) -> None:
        """Learn from ``rows``, and for the last ``share`` of the time from ``last``."""
        chance = random.Random(seed)
        model = self.model.train()
        optimizer = torch.optim.AdamW(
            [
                {"params": list(model.layers.parameters()), "rate": rate},
                {"params": [model.segments, *model.head.parameters()], "rate": 10 * rate},
            ],
            weight_decay=0.01,
        )
        clock = Clock(name, 10**6, seconds)
        batches: list[list[Row]] = []
        ending = False
        while (spent := clock.spent()) < 1:
            if not ending and spent >= 1 - share:
                ending, batches = True, []
            if not batches:
                batches = self._plan(last if ending else rows, chance)
            batch = batches.pop()
            for group in optimizer.param_groups:
                group["lr"] = group["rate"] * clock.rate(100)
            logits = self._logits([row.question for row in batch], [row.window for row in batch])
            wanted = np.zeros(tuple(logits.shape), np.float32)
            for number, row in enumerate(batch):
                for end_of, places in enumerate((row.first, row.last)):
                    for place, share in places:
                        wanted[number, place, end_of] += share
            shares = torch.from_numpy(wanted).to(self._device)
            loss = -(shares * logits.float().log_softmax(1)).sum(1).mean()
            stepped(optimizer, model, loss)
            clock.took(loss)
        clock.told()
        model.eval()

    def _plan(self, rows: Sequence[Row], chance: random.Random) -> list[list[Row]]:
        lengths = [len(row.question) + len(row.window) for row in rows]
        return [[rows[place] for place in block] for block in blocks_of(lengths, chance)]

    def best(self, pairs: Sequence[Pair]) -> list[Found]:
        """Return the log-odds of the best span of each pair, and where it is."""
        return [spans[0] for spans in self._spans(pairs, 1)]

    def label(self, pairs: Sequence[Pair]) -> list[Labelled]:
        """Return what it holds for likely."""
        found = []
        for pair, spans in zip(pairs, self._spans(pairs, self.SPANS), strict=True):
            odds = [math.exp(min(spans_of[0], 40.0)) for spans_of in spans]
            whole = 1 + sum(odds)
            likely = [
                (share / whole, *span[1:])
                for share, span in zip(odds, spans, strict=True)
                if share / whole >= 0.01
            ]
            found.append(Labelled(pair, likely, 1 / whole))
        return found

    @torch.inference_mode()
    def _spans(self, pairs: Sequence[Pair], count: int) -> list[list[Found]]:
        """Return each pair's best spans, of all its windows, with their log-odds."""
        own = Encoded(plain_tokenizer(), [text for pair in pairs for text in pair])
        flat = [
            (number, question_ids(own, question), window)
            for number, (question, title, text) in enumerate(pairs)
            for window in windows_of(own, title, text)
        ]
        found: dict[int, list[Found]] = {}
        for block in blocks_of([len(asked) + len(window.ids) for _, asked, window in flat]):
            logits = self._logits(
                [flat[place][1] for place in block], [flat[place][2].ids for place in block]
            )
            for own_logits, place in zip(logits.float().cpu().numpy(), block, strict=True):
                number, _, window = flat[place]
                told = own_logits[: len(window.ids)]
                for marked in best_spans(window, told - told[0], count):
                    one = (marked.score, marked.start, marked.end, marked.in_title)
                    found.setdefault(number, []).append(one)
        return [self._best(found[number], count) for number in range(len(pairs))]

    @staticmethod
    def _best(spans: Sequence[Found], count: int) -> list[Found]:
        kept: dict[tuple[int, int, bool], Found] = {}
        for one in sorted(spans, reverse=True):
            kept.setdefault(one[1:], one)
        return list(kept.values())[:count]


def mean_of(labels: Sequence[Sequence[Labelled]]) -> list[Labelled]:
    """Return what several teachers hold for likely, on average."""
    found = []
    for own in zip(*labels, strict=True):
        shares: dict[tuple[int, int, bool], float] = {}
        for one in own:
            for share, *place in one.spans:
                key = (place[0], place[1], place[2])
                shares[key] = shares.get(key, 0.0) + share / len(own)
        spans = [(share, *place) for place, share in shares.items()]
        null = sum(one.null for one in own) / len(own)
        found.append(Labelled(own[0].pair, sorted(spans, reverse=True), null))
    return found


class HeldOut:
    """Questions that nothing learns from."""

    def __init__(self, rows: Sequence[Asked]) -> None:
        passages = list(dict.fromkeys((row.title, row.text) for row in rows))
        near = Nearest(passages).of([row.question for row in rows], 2)
        self._rows = rows
        self._others, self._silent = [], []
        for row, nearest in zip(rows, near, strict=True):
            other = next(passages[n] for n in nearest if passages[n] != (row.title, row.text))
            self._others.append((row.question, *other))
            left = left_without(row.text, row.start, row.end)
            if left is not None and not tells(left, row.answer):
                self._silent.append((row.question, row.title, left))

    def figures(self, model: Teaching | SpanLearner) -> dict[str, float]:
        """Return what a model makes of them."""
        best = model.best([row.pair for row in self._rows])
        overlaps = [_overlap(row, one) for row, one in zip(self._rows, best, strict=True)]
        told = np.array([one[0] for one in best])[:, None]
        wrong = {"auc_not_here": self._others, "auc_silent": self._silent}
        return {
            "exact": round(100 * float(np.mean([one == 1 for one in overlaps])), 1),
            "overlap": round(100 * float(np.mean(overlaps)), 1),
            **{
                name: round(float(np.mean(told > [one[0] for one in model.best(pairs)])), 3)
                for name, pairs in wrong.items()
            },
        }


def _overlap(asked: Asked, found: Found) -> float:
    """Return the F1 of the characters that are marked."""
    _, start, end, in_title = found
    same = 0 if in_title else max(0, min(end, asked.end) - max(start, asked.start))
    return 2 * same / max(1, end - start + asked.end - asked.start)


class Written(NamedTuple):
    """What the writer left: its questions, in cuts, such as are asked of a passage that does not
    answer them, and what teachers label."""

    questions: list[Asked]
    absent: list[Asked]
    pairs: list[Pair]

    @classmethod
    def read(cls, file: Path) -> "Written":
        """Read what was written."""
        told = json.loads(gzip.decompress(file.read_bytes()))
        questions, absent = ([Asked(*row) for row in told[name]] for name in cls._fields[:2])
        return cls(questions, absent, [(q, title, text) for q, title, text in told["pairs"]])

    def write(self, file: Path) -> None:
        """Keep it."""
        _keep(self._asdict(), file)


def _keep(told: Any, file: Path) -> None:
    file.write_bytes(gzip.compress(json.dumps(told, ensure_ascii=False).encode(), 1))


def _labels(file: Path, pairs: Sequence[Pair]) -> list[Labelled]:
    told = json.loads(gzip.decompress(file.read_bytes()))
    return [
        Labelled(pair, [(share, start, end, title) for share, start, end, title in spans], null)
        for pair, (spans, null) in zip(pairs, told, strict=True)
    ]


class AllHeldOut:
    """The questions by people and those on papers that nothing learns from."""

    def __init__(self, data: Data) -> None:
        rows = {"people": data.held_out, "papers": data.papers_held_out}
        self._sets = {name: HeldOut(own) for name, own in rows.items()}

    def figures(self, model: Teaching | SpanLearner) -> dict[str, dict[str, float]]:
        """Return what a model makes of each kind."""
        return {name: own.figures(model) for name, own in self._sets.items()}


def write(asked: argparse.Namespace) -> None:
    """Learn to write questions, and write them."""
    data, chance = Data(asked.file), random.Random(6)
    answers = chance.sample(data.answers, min(asked.answers, len(data.answers)))
    writing = Writing(LanguageModel(asked.language_model, asked.device))
    writing.learn(data.people + data.papers, data.held_out + data.papers_held_out)
    questions = writing.write(answers, asked.seconds)
    rows = list(negatives(questions, data.passages, chance))
    pairs = [
        pair
        for row, (other, *silent) in rows
        for pair in (row.pair, other, *(silent if chance.random() < 0.5 else ()))
    ]
    absent = [
        Asked(*others[0]) for row, others in rows if not tells(others[0][2], row.answer)
    ]  # fmt: skip
    Written([row for row, _ in rows], absent, pairs).write(asked.questions)
    say(f"{len(rows)} questions, {len(pairs)} pairs to label")


def teach(asked: argparse.Namespace) -> None:
    """Train a teacher, and let it label."""
    data, written, chance = Data(asked.file), Written.read(asked.questions), random.Random(6)
    name, seconds = asked.teacher.stem, asked.seconds
    some = min(30_000, len(written.questions))
    learned = chance.sample(written.questions, some)
    learned += chance.sample(written.absent, min(some // 3, len(written.absent)))
    learned += chance.sample(data.made, min(some // 3, len(data.made)))
    last = data.asked(3, chance) + chance.sample(data.made, min(1500, len(data.made)))
    teacher: Teaching | SpanLearner
    if asked.teacher.is_dir():
        teacher = Teaching(LanguageModel(asked.teacher, asked.device))
        teacher.learn(name, learned, 8e-5, 0.6 * seconds)
        teacher.learn(f"{name}, people", last, 4e-5, 0.4 * seconds, 2)
    else:
        tokenizer = plain_tokenizer()
        rows = student_rows(tokenizer, list(map(hard, learned + last)))
        ending = student_rows(tokenizer, list(map(hard, last)))
        teacher = SpanLearner(trained_weights(asked.teacher), asked.device)
        teacher.learn(name, rows, ending, asked.rate, seconds, 0.4)
    figures = AllHeldOut(data).figures(teacher)
    say(f"{name}: {json.dumps(figures)}")
    labels = teacher.label(written.pairs)
    _keep([(one.spans, one.null) for one in labels], asked.labels)
    asked.labels.with_suffix(".figures.json").write_text(json.dumps(figures, indent=1) + "\n")
    say(f"{name}: {len(labels)} pairs labelled")


def learn(asked: argparse.Namespace) -> None:
    """Let the span model learn what teachers hold for likely."""
    data, written, chance = Data(asked.file), Written.read(asked.questions), random.Random(7)
    labelled = mean_of([_labels(file, written.pairs) for file in asked.labels])
    tokenizer = plain_tokenizer()
    known = list(map(hard, data.made + data.asked(4, chance)))
    last = list(map(hard, data.asked(3, chance)))
    last += list(map(hard, chance.sample(data.made, min(2500, len(data.made)))))
    last += chance.sample(labelled, min(4000, len(labelled)))
    student = SpanLearner({**base_weights(), **trained_weights(asked.start)}, asked.device)
    held_out = AllHeldOut(data)
    figures = {"start": held_out.figures(student)}
    student.learn(
        asked.out.stem,
        student_rows(tokenizer, [*labelled, *known]),
        student_rows(tokenizer, last),
        asked.rate,
        asked.seconds,
        asked.share,
        asked.seed,
    )
    figures["student"] = held_out.figures(student)
    save_trained(student.model.to("cpu").arrays(), asked.out)
    say(f"{asked.out.stem}: {json.dumps(figures)}")
    asked.out.with_suffix(".figures.json").write_text(json.dumps(figures, indent=1) + "\n")


def average(asked: argparse.Namespace) -> None:
    """Write START moved by a share of the way to the mean of students."""
    start = trained_weights(asked.start)
    students = [trained_weights(file) for file in asked.students]
    means = {name: np.mean([one[name] for one in students], axis=0) for name in start}
    save_trained(moved(start, means, asked.share), asked.out)


def moved(start: Weights, learned: Weights, share: float) -> dict[str, NDArray[np.float32]]:
    """Return weights moved by a share of the way to what was learned."""
    return {name: (1 - share) * start[name] + share * array for name, array in learned.items()}


def main() -> None:
    """Write, teach, learn or average."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--device", default="cuda", choices=["cuda", "cpu"])
    steps = parser.add_subparsers(required=True, metavar="STEP")
    for step in (write, teach, learn):
        own = steps.add_parser(step.__name__, help=step.__doc__)
        own.set_defaults(step=step)
        own.add_argument("file", type=Path, help="of span_reader_data.py")
        own.add_argument("--seconds", type=float, default=115, help="to write, or to learn, in")
        if step is write:
            own.add_argument("language_model", type=Path)
            own.add_argument("--answers", type=int, default=10**9, help="to write questions for")
        own.add_argument("questions", type=Path, help="what was written")
        if step is teach:
            own.add_argument("teacher", type=Path, help="a language model, or an encoder's weights")
            own.add_argument("labels", type=Path, help="a file for them")
            own.add_argument("--rate", type=float, default=2e-4, help="of an encoder's layers")
        if step is learn:
            own.add_argument("start", type=Path, help="the span model's weights to go on from")
            own.add_argument("out", type=Path, help="a file for its weights")
            own.add_argument("labels", type=Path, nargs="+", help="of teachers")
            own.add_argument("--rate", type=float, default=3e-4, help="of its layers")
            own.add_argument("--share", type=float, default=0.15, help="of the time, for people")
            own.add_argument("--seed", type=int, default=3)
    own = steps.add_parser("average", help=average.__doc__)
    own.set_defaults(step=average)
    own.add_argument("start", type=Path, help="the span model's weights that students went on from")
    own.add_argument("out", type=Path, help="a file for its weights")
    own.add_argument("students", type=Path, nargs="+")
    own.add_argument("--share", type=float, default=0.5, help="of the way")
    asked = parser.parse_args()
    torch.manual_seed(0)
    asked.step(asked)


if __name__ == "__main__":
    main()
