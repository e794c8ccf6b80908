"""Measures what the model code costs on a GPU, beside the same machine's processor.

    PYTHONPATH=models python3 tests/benchmarks/gpu.py --output FILE
        [--parts graph-network,graph-llm,towers] [--minilm FOLDER] [--device cpu] [--small]

Needs torch, transformers, peft, sentence-transformers, tokenizers and torch-geometric, and of the
project the folder ``models`` alone: it runs where nothing else can be installed. Nothing is
downloaded; what it computes with is made from random numbers in the sizes of real ones.

``graph-network``: training by the recipe of the version that ships, and a question's forward pass
with it, on a made corpus with the counts of HotpotQA-100's passages; how far scores are from the
processor's in float32. ``graph-llm``: training of graph language models of 135M and of 1B with the
planner's options, on plans that it makes; seconds, tokens and memory of a step, and what writing
takes. ``towers``: training of the encoders of partial-alignment, and sentences a second of the
embedder on a GPU; the embedder is one of MiniLM's shape, or that of ``--minilm`` in float32.

What fails is told, and the rest goes on. ``--output`` is written after each figure; ``--small``
takes tiny sizes, to try the script.
"""

import argparse
import gc
import json
import os
import platform
import random
import statistics
import tempfile
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from importlib.metadata import distributions
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from clew_models.devices import all_threads
from clew_models.embedding.sentence_transformers import SentenceTransformerEmbedder
from clew_models.fitting import Course
from clew_models.graph_llm import GraphExample, Triple
from clew_models.graph_llm import training as graph_llm_training
from clew_models.graph_llm.examples import texts_of
from clew_models.graph_llm.model import (
    GraphLanguageModel,
    GraphModelOptions,
    ready_to_write,
    untrained_model,
)
from clew_models.graph_llm.writing import write
from clew_models.graph_network import (
    Budget,
    Neighbourhood,
    NetworkArrays,
    NetworkOptions,
    neighbourhood,
)
from clew_models.graph_network import training as network_training
from clew_models.graph_network.batches import batch_of
from clew_models.graph_network.examples import NetworkExample
from clew_models.graph_network.network import (
    GraphNetwork,
    load_network,
    rank,
    untrained_network,
)
from clew_models.language_model.weights import without_progress_bars
from clew_models.partial_alignment import training as towers_training
from clew_models.partial_alignment.examples import AlignedQuestion, partial_texts
from clew_models.partial_alignment.towers import Towers

Figures = dict[str, Any]
REPOSITORY = Path(__file__).parents[2]
SHIPPED = REPOSITORY / "platform/clew/strategies/graph_network/shipped"
WARM = 3
"""Steps, or questions, before those that are measured."""
PATIENCE_S = {"cpu": 8.0, "cuda": 25.0}
"""What one training may take: on a slow device fewer steps are measured, two at least."""
DIMENSION = 384
SHAPES: dict[str, Figures] = {
    "135M": {
        "hidden_size": 576,
        "num_hidden_layers": 30,
        "num_attention_heads": 9,
        "num_key_value_heads": 3,
        "intermediate_size": 1536,
        "vocab_size": 49152,
    },
    "1B": {
        "hidden_size": 2048,
        "num_hidden_layers": 16,
        "num_attention_heads": 32,
        "num_key_value_heads": 8,
        "intermediate_size": 8192,
        "vocab_size": 128256,
    },
}
"""Of SmolLM2-135M and Llama-3.2-1B."""
TINY: Figures = {
    "hidden_size": 64,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "intermediate_size": 128,
    "vocab_size": 8192,
}
CONTEXT = 8192
TOKENS = 8000
"""Of the tokenizer, which is trained on the project's own pages."""
CHAT = (
    "{% for turn in messages %}{{ '<|im_start|>' + turn['role'] + '\n' + turn['content'] "
    "+ '<|im_end|>' + '\n' }}{% endfor %}"
    "{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}"
)
"""SmolLM2's."""


class Pace:
    """When the steps of a training ended; it stops once its ``PATIENCE_S`` are over."""

    def __init__(self, device: str) -> None:
        self._device = device
        self._started = time.perf_counter()
        self._moments: list[float] = []
        self.losses: list[float] = []

    def progress(self, step: int, total: int) -> None:
        settle(self._device)
        self._moments.append(time.perf_counter())

    def point(self, step: int, loss: float, held_out: bool) -> None:
        if not held_out:
            self.losses.append(loss)

    def cancelled(self) -> bool:
        late = time.perf_counter() - self._started > PATIENCE_S[self._device]
        return late and len(self._moments) >= 2

    @property
    def watching(self) -> dict[str, Any]:
        """What a training is handed, so that it can be watched."""
        return {"progress": self.progress, "point": self.point, "cancelled": self.cancelled}

    @property
    def warm(self) -> int:
        """Steps that are not measured."""
        return min(WARM, len(self._moments) - 2)

    @property
    def steps(self) -> list[float]:
        """Seconds of each step that is measured."""
        moments = self._moments[self.warm :]
        return [after - before for before, after in pairwise(moments)]

    def told(self) -> Figures:
        """Return what a step takes."""
        return {
            "steps": len(self._moments),
            "seconds_of_all": round(self._moments[-1] - self._started, 2),
            "seconds_a_step": round(statistics.median(self.steps), 4),
            "last_loss": round(self.losses[-1], 4),
            "finite": bool(np.isfinite(self.losses).all()),
        }


def settle(device: str) -> None:
    """Wait for what a GPU still computes."""
    if device != "cpu":
        torch.cuda.synchronize()


def begin_memory(device: str) -> None:
    """Forget the most memory that was taken so far."""
    settle(device)
    gc.collect()
    if device == "cpu":
        Path("/proc/self/clear_refs").write_text("5")
    else:
        torch.cuda.empty_cache()
        torch.cuda.reset_peak_memory_stats()


def peak_mib(device: str) -> int:
    """Return the most memory since `begin_memory`: of the GPU by tensors, or of this process."""
    if device != "cpu":
        return round(torch.cuda.max_memory_allocated() / 2**20)
    lines = Path("/proc/self/status").read_text(encoding="utf-8").splitlines()
    return round(int(next(line.split()[1] for line in lines if line.startswith("VmHWM"))) / 1024)


def attempted(measure: Callable[[], Figures]) -> Figures:
    """Return what was measured, or how it failed."""
    started = time.perf_counter()
    try:
        found = measure()
    except Exception as error:
        traceback.print_exc()
        found = {"failed": f"{type(error).__name__}: {error}"[:400]}
    return {**found, "seconds": round(time.perf_counter() - started, 1)}


def milliseconds(device: str, runs: Sequence[Callable[[], object]]) -> list[float]:
    """Return what each run takes but the first few."""
    found = []
    for run in runs:
        settle(device)
        began = time.perf_counter()
        run()
        settle(device)
        found.append(1000 * (time.perf_counter() - began))
    return found[WARM:]


@contextmanager
def threads(number: int | None) -> Iterator[int]:
    """Let torch use so many cores, or all; yields how many."""
    with all_threads():
        if number:
            torch.set_num_threads(number)
        yield torch.get_num_threads()


def devices(asked: argparse.Namespace) -> list[str]:
    """Return where things are measured: the processor, and what was asked for."""
    return list(dict.fromkeys(("cpu", asked.device)))


# graph-network


def made_arrays(chunks: int, seed: int = 0) -> NetworkArrays:
    """Return a made corpus with as many sentences, entities and triples a chunk as HotpotQA-100's.

    Twenty chunks each are about a topic, which has entities of its own; few are in many chunks.
    """
    draw = np.random.default_rng(seed)
    topics, sentences = 1 + chunks // 20, round(4.2 * chunks)
    own = round(16.7 * chunks / topics)
    entities = topics * own
    middle = near(np.zeros((topics, DIMENSION)), 1.0, draw)
    topic_of = draw.integers(topics, size=chunks)
    of_chunk = near(middle[topic_of], 0.8, draw)
    chunk_of = np.sort(draw.integers(chunks, size=sentences))
    rarity = draw.random((sentences, 6)) ** 2
    local = topic_of[chunk_of][:, None] * own + (own * rarity).astype(np.int64)
    anywhere = (entities * rarity).astype(np.int64)
    mentions = np.where(draw.random((sentences, 6)) < 0.7, local, anywhere)
    holder = np.repeat(np.arange(sentences), 6)
    following = np.flatnonzero(chunk_of[1:] == chunk_of[:-1])
    naming = np.flatnonzero(draw.random(sentences) < 0.15)
    among = np.argsort(topic_of, kind="stable")
    place = np.searchsorted(topic_of[among], topic_of[chunk_of[naming]])
    named = among[np.minimum(place + draw.integers(20, size=len(naming)), chunks - 1)]
    of_entity = near(middle[np.arange(entities) // own], 1.5, draw)
    return NetworkArrays(
        entity_ids=np.array([f"e{row:06}" for row in range(entities)]),
        sentence_ids=np.array([f"s{row:06}" for row in range(sentences)]),
        chunk_ids=np.array([f"c{row:06}" for row in range(chunks)]),
        entity_vectors=of_entity.astype(np.float16),
        sentence_vectors=near(of_chunk[chunk_of], 0.8, draw).astype(np.float16),
        chunk_vectors=of_chunk.astype(np.float16),
        E_oo=pairs(mentions[:, :5].ravel(), mentions[:, 1:].ravel()),
        E_cc=pairs(following, following + 1),
        E_oc=pairs(mentions.ravel(), holder),
        E_od=pairs(mentions.ravel(), chunk_of[holder]),
        E_cd=pairs(np.arange(sentences), chunk_of),
        titles=pairs(topic_of * own + draw.integers(20, size=chunks), np.arange(chunks)),
        names=pairs(naming, named),
    )


def near(
    vectors: NDArray[np.floating], distance: float, draw: np.random.Generator
) -> NDArray[np.float32]:
    """Return vectors of unit length, off by random ones of about a length."""
    noise = draw.normal(size=vectors.shape) * distance / DIMENSION**0.5
    moved = (vectors + noise).astype(np.float32)
    return np.asarray(moved / np.linalg.norm(moved, axis=1, keepdims=True), np.float32)


def pairs(first: NDArray[np.integer], second: NDArray[np.integer]) -> NDArray[np.int32]:
    """Return edges, each once."""
    return np.unique(np.stack([first, second]), axis=1).astype(np.int32)


def made_examples(
    arrays: NetworkArrays, count: int, budget: Budget, seed: int
) -> list[NetworkExample]:
    """Return questions near a chunk each, which answers it with the one that is next nearest."""
    draw = np.random.default_rng(seed)
    whole = arrays.chunk_vectors.astype(np.float32)
    found = []
    for chunk in draw.integers(len(whole), size=count):
        asked = near(whole[chunk][None], 0.8, draw)[0]
        nearest = np.argsort(-(whole @ asked), kind="stable")[:100]
        _, held = arrays.beside("E_od", 1, np.array([chunk]))
        named = {int(row): 0.5 for row in held[:2]}
        part = neighbourhood(arrays, asked, named, nearest, budget)
        gold = np.isin(part.rows["chunk"], [chunk, nearest[1]])
        found.append(NetworkExample(part, gold, 2))
    return found


def sizes_of(parts: Sequence[Neighbourhood]) -> Figures:
    """Return the mean number of nodes and edges of neighbourhoods."""
    counts = [
        {level: len(rows) for level, rows in part.rows.items()}
        | {name: edges.shape[1] for name, edges in part.edges.items()}
        for part in parts
    ]
    return {name: round(statistics.mean(one[name] for one in counts)) for name in counts[0]}


def graph_network(asked: argparse.Namespace) -> Iterator[tuple[str, Callable[[], Figures]]]:
    """Yield what is measured of the graph network."""
    small = asked.small
    arrays = made_arrays(60 if small else 2500)
    learned = made_examples(arrays, 16 if small else 128, Budget(2, 60, 180), 1)
    served = made_examples(arrays, 6 if small else 24, Budget(2, 100, 300), 2)
    parts = [one.part for one in served]
    yield "learned from, mean", partial(sizes_of, [one.part for one in learned])
    yield "asked, mean", partial(sizes_of, parts)
    for device in devices(asked):
        steps = 3 if small else 6 if device == "cpu" else None
        yield (
            f"training on {device}, 1 thread",
            partial(trained_network, arrays, learned, device, 1, steps),
        )
        yield f"question on {device}", partial(questions, asked.network, parts, device)
    yield f"scores of {asked.device}", partial(compared, asked.network, parts, asked.device)
    yield (
        "training on cpu, all threads",
        partial(trained_network, arrays, learned, "cpu", None, 3 if small else 6),
    )


def trained_network(
    arrays: NetworkArrays,
    learned: Sequence[NetworkExample],
    device: str,
    number: int | None,
    steps: int | None,
) -> Figures:
    """Train as the version that ships was, 886 questions twice, or so many steps of it."""
    options = network_training.FitOptions(
        epochs=2, rate=1e-4, count_rate=200.0, temperature=0.1, negatives=30, save_steps=25
    )
    whole = Course(886, options.batch, options.epochs).steps
    wanted = 886 if steps is None else steps * options.batch
    if steps is not None:
        options = replace(options, epochs=1)
    examples = [learned[place % len(learned)] for place in range(wanted)]
    network = untrained_network(arrays, NetworkOptions(layers=3), 0)
    begin_memory(device)
    with threads(number) as used:
        pace = Pace(device)
        network_training.fit(
            network,
            examples,
            (),
            None,
            options,
            device=device,
            **pace.watching,
        )
    told = pace.told()
    return {
        **told,
        "questions_a_second": round(options.batch / told["seconds_a_step"], 1),
        "seconds_of_the_recipe": round(whole * told["seconds_a_step"], 1),
        "threads": used,
        "peak_mib": peak_mib(device),
    }


def questions(folder: Path, parts: Sequence[Neighbourhood], device: str) -> Figures:
    """Measure what a question takes, alone and sixteen at a time, on one core as by default."""
    network = load_network(folder, device)
    batches = [batch_of([part], device) for part in parts]
    some = parts[:16]
    with threads(1):
        with torch.inference_mode():
            forward = milliseconds(device, [partial(network, one) for one in batches])
        whole = milliseconds(device, [partial(rank, network, one, device) for one in parts])
        together = milliseconds(
            device, [partial(network_training.scores_of, network, some, device)] * (WARM + 2)
        )
    return {
        "forward_median_ms": round(statistics.median(forward), 2),
        "ranked_median_ms": round(statistics.median(whole), 2),
        "ranked_slowest_ms": round(max(whole), 2),
        "of_16_together_ms_each": round(statistics.median(together) / len(some), 2),
    }


def compared(folder: Path, parts: Sequence[Neighbourhood], device: str) -> Figures:
    """Compare scores with the processor's in float32: the greatest difference, and how often the
    first five are the same.
    """
    here, there = load_network(folder), load_network(folder, device)
    with threads(1):
        right = [rank(here, part)[0] for part in parts]
        found = {
            "float32": [rank(there, part, device)[0] for part in parts],
            "bfloat16": [half_scores(there, part, device) for part in parts],
        }
    return {
        name: {
            "greatest_difference": float(
                max(np.abs(a - b).max() for a, b in zip(right, scores, strict=True))
            ),
            "same_first_five": statistics.mean(
                {*np.argsort(-a)[:5]} == {*np.argsort(-b)[:5]}
                for a, b in zip(right, scores, strict=True)
            ),
        }
        for name, scores in found.items()
    } | {"spread_of_scores": float(np.mean([scores.std() for scores in right]))}


def half_scores(network: GraphNetwork, part: Neighbourhood, device: str) -> NDArray[np.float32]:
    """Return the scores of a network that computes in bfloat16 where it multiplies."""
    with torch.inference_mode(), torch.autocast(device, torch.bfloat16):
        scores = network(batch_of([part], device)).scores
    return np.asarray(scores.float().cpu().numpy(), np.float32)


# graph-llm


def pages_text() -> list[str]:
    """Return the project's own pages."""
    files = [*REPOSITORY.glob("*.md"), *REPOSITORY.glob("platform/**/*.md")]
    return [file.read_text(encoding="utf-8") for file in sorted(files)]


def write_tokenizer(folder: Path, longest: int) -> None:
    """Write a byte-level BPE that was trained on the project's own pages."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import PreTrainedTokenizerFast

    own = Tokenizer(models.BPE())
    own.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    own.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=TOKENS,
        special_tokens=["<|endoftext|>", "<|im_start|>", "<|im_end|>"],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    own.train_from_iterator(pages_text(), trainer)
    PreTrainedTokenizerFast(
        tokenizer_object=own,
        bos_token="<|im_start|>",
        eos_token="<|im_end|>",
        pad_token="<|endoftext|>",
        model_max_length=longest,
        chat_template=CHAT,
    ).save_pretrained(folder)


def write_language_model(folder: Path, shape: Figures, device: str) -> int:
    """Write a Llama of random weights in bfloat16 with a tokenizer; return how many they are."""
    from transformers import AutoModelForCausalLM, LlamaConfig

    write_tokenizer(folder, CONTEXT)
    config = LlamaConfig(
        **shape, tie_word_embeddings=True, max_position_embeddings=CONTEXT, eos_token_id=2
    )
    with torch.device(device):
        model = AutoModelForCausalLM.from_config(config, dtype=torch.bfloat16)
    model.save_pretrained(folder)
    return sum(weight.numel() for weight in model.parameters())


def made_names(count: int, chance: random.Random) -> list[str]:
    """Return names of one to three words of the project's own pages."""
    words = sorted({word for text in pages_text() for word in text.split() if word.isalpha()})
    return [
        " ".join(word.capitalize() for word in chance.choices(words, k=chance.randint(1, 3)))
        for _ in range(count)
    ]


def made_plans(count: int, seed: int) -> list[GraphExample]:
    """Return plans and answers in the planner's form, after none to three rounds of 8 triples."""
    chance = random.Random(seed)
    names = made_names(2000, chance)

    def triple() -> Triple:
        head, relation, tail = chance.choices(names, k=3)
        return head, relation.lower(), tail

    found = []
    for _ in range(count):
        rounds = tuple(tuple(triple() for _ in range(8)) for _ in range(chance.randint(0, 3)))
        lines = []
        for one in rounds:
            lines.append(f"[SUBQ] Who founded {chance.choice(names)}?")
            said = ", ".join(f"(S> {h} | P> {r} | O> {t})" for h, r, t in one)
            lines.append(f"Retrieved Graph Information: {said}")
        ask = f"Where was the founder of {chance.choice(names)} born?"
        told = f"[SUBQ] Where was {chance.choice(names)} born?"
        answer = chance.random() < 0.4 and rounds
        found.append(
            GraphExample(
                "answer" if answer else "plan",
                ask,
                "\n".join(lines),
                rounds,
                chance.choice(names) if answer else told,
            )
        )
    return found


def made_vectors(texts: Sequence[str], seed: int) -> dict[str, NDArray[np.float32]]:
    """Return a random vector of unit length of each text."""
    draw = np.random.default_rng(seed)
    return dict(zip(texts, near(np.zeros((len(texts), DIMENSION)), 1.0, draw), strict=True))


def graph_llm(asked: argparse.Namespace) -> Iterator[tuple[str, Callable[[], Figures]]]:
    """Yield what is measured of graph language models."""
    with without_progress_bars():
        if asked.small:
            yield "tiny", partial(trained_llm, TINY, asked.device, 6)
            return
        for name, shape in SHAPES.items():
            yield f"{name} on {asked.device}", partial(trained_llm, shape, asked.device, 30)
        if asked.device != "cpu":
            yield "135M on cpu", partial(trained_llm, SHAPES["135M"], "cpu", 4)


def trained_llm(shape: Figures, device: str, steps: int) -> Figures:
    """Train a model of random weights with the options of `clew train planner`, and write."""
    options = graph_llm_training.FitOptions()
    examples = made_plans(steps * options.batch, 0)
    vectors = made_vectors(texts_of(examples), 0)
    with tempfile.TemporaryDirectory() as name, all_threads():
        folder = Path(name)
        weights = write_language_model(folder, shape, device)
        begin_memory(device)
        began = time.perf_counter()
        model = untrained_model(
            str(folder), GraphModelOptions(), cache_dir=folder, device=device, seed=0
        )
        loaded = round(time.perf_counter() - began, 1)
        own = graph_llm_training.encoded(model, examples, options.max_tokens)
        pace = Pace(device)
        graph_llm_training.fit(
            model,
            own,
            (),
            vectors,
            None,
            options,
            **pace.watching,
        )
        peak = peak_mib(device)
        course = Course(len(own), options.batch, options.epochs, options.save_steps)
        read = [
            sum(own[place].length for place in course.chosen(step)) for step in range(course.steps)
        ][pace.warm + 1 :][: len(pace.steps)]
        return {
            "weights": weights,
            "trained_weights": sum(one.numel() for one in model.learned().values()),
            "dtype": str(model.language.dtype),
            "loading_seconds": loaded,
            "batch": options.batch,
            "slice": options.slice,
            "tokens_a_question": round(statistics.mean(one.length for one in own)),
            **pace.told(),
            "tokens_a_second": round(sum(read) / sum(pace.steps)),
            "peak_mib": peak,
            "writing": attempted(partial(written, model, examples[:6], vectors, device)),
        }


def written(
    model: GraphLanguageModel,
    examples: Sequence[GraphExample],
    vectors: dict[str, NDArray[np.float32]],
    device: str,
) -> Figures:
    """Measure what a plan takes to write, its adapter merged."""
    ready = ready_to_write(model)
    tokens, took = 0, 0.0
    for place, one in enumerate(examples):
        began = time.perf_counter()
        found = write(ready, one, vectors, labels=("[SUBQ]", "[SUFFICIENT]"), max_tokens=16)
        settle(device)
        if place:
            tokens += found.tokens
            took += time.perf_counter() - began
    return {"seconds_a_plan": round(took / (len(examples) - 1), 3), "tokens": tokens}


# towers and embedder


def write_embedder(folder: Path, small: bool) -> None:
    """Write an encoder of MiniLM's shape with random weights."""
    from transformers import BertConfig, BertModel

    write_tokenizer(folder, 512)
    layers, inner = (1, 64) if small else (6, 1536)
    torch.manual_seed(0)
    config = BertConfig(
        hidden_size=DIMENSION,
        num_hidden_layers=layers,
        num_attention_heads=12,
        intermediate_size=inner,
        vocab_size=30522,
    )
    BertModel(config).save_pretrained(folder)


def made_questions(count: int, seed: int) -> list[AlignedQuestion]:
    """Return questions about one triple each, as partial-alignment learns from them."""
    chance = random.Random(seed)
    names = made_names(4000, chance)
    found = []
    for _ in range(count):
        head, relation, tail = chance.choices(names, k=3)
        units = partial_texts(head, relation.lower(), tail)
        question = f"Which {relation.lower()} is it that {head} has, and where?"
        found.append(AlignedQuestion(question, units[0], (head, relation.lower()), units[1:]))
    return found


def made_sentences(count: int, seed: int) -> list[str]:
    """Return sentences of eight to forty words of the project's own pages."""
    chance = random.Random(seed)
    words = [word for text in pages_text() for word in text.split() if word.isalpha()]
    return [" ".join(chance.choices(words, k=chance.randint(8, 40))) for _ in range(count)]


def towers(asked: argparse.Namespace) -> Iterator[tuple[str, Callable[[], Figures]]]:
    """Yield what is measured of the encoders of partial-alignment, and of the embedder."""
    with tempfile.TemporaryDirectory() as name, without_progress_bars():
        folder = asked.minilm or Path(name)
        if asked.minilm is None:
            write_embedder(folder, asked.small)
        steps = 3 if asked.small else 40
        usual = towers_training.FitOptions(epochs=1)
        for device in devices(asked):
            yield f"training on {device}", partial(trained_towers, folder, device, steps, usual)
        if asked.device != "cpu":
            paper = replace(usual, batch=512, slice=512)
            yield (
                f"training on {asked.device}, the paper's batch",
                partial(trained_towers, folder, asked.device, 10, paper),
            )
        for device in devices(asked):
            yield f"embedder on {device}", partial(embedded, folder, device, asked.small)


def trained_towers(
    folder: Path, device: str, steps: int, options: towers_training.FitOptions
) -> Figures:
    """Train some steps with the options of `clew train partial-alignment`."""
    examples = made_questions(steps * options.batch, 0)
    begin_memory(device)
    with all_threads():
        own = Towers(str(folder), 32, device, 0)
        pace = Pace(device)
        towers_training.fit(
            own,
            examples,
            (),
            None,
            options,
            device=device,
            **pace.watching,
        )
    told = pace.told()
    return {
        "batch": options.batch,
        **told,
        "questions_a_second": round(options.batch / told["seconds_a_step"], 1),
        "peak_mib": peak_mib(device),
    }


def embedded(folder: Path, device: str, small: bool) -> Figures:
    """Measure sentences a second of the embedder, by how many it takes at a time."""
    found: Figures = {}
    count = 64 if small else 512 if device == "cpu" else 8192
    sentences = made_sentences(count, 3)
    with all_threads():
        for batch in (32,) if device == "cpu" else (32, 256, 1024):
            embedder = SentenceTransformerEmbedder(str(folder), batch_size=batch)
            embedder._model.to(device)
            embedder.embed(sentences[: 2 * batch])
            settle(device)
            began = time.perf_counter()
            embedder.embed(sentences)
            found[f"sentences_a_second_{batch}"] = round(count / (time.perf_counter() - began), 1)
        if device != "cpu":
            found["least_cosine_with_cpu"] = least_cosine(embedder, sentences[:64], device)
    return found


def least_cosine(
    embedder: SentenceTransformerEmbedder, sentences: Sequence[str], device: str
) -> float:
    """Return the least cosine of a GPU's vectors with the processor's."""
    there = embedder.embed(sentences)
    embedder._model.to("cpu")
    here = embedder.embed(sentences)
    return float(np.einsum("nd,nd->n", there, here).min())


PARTS: dict[str, Callable[[argparse.Namespace], Iterator[tuple[str, Callable[[], Figures]]]]] = {
    "graph-network": graph_network,
    "graph-llm": graph_llm,
    "towers": towers,
}


def machine(device: str) -> Figures:
    """Return what it runs on."""
    packages = {"torch", "transformers", "peft", "sentence-transformers", "torch-geometric"}
    found = {one.name.lower().replace("_", "-"): one.version for one in distributions()}
    return {
        "device": "cpu" if device == "cpu" else torch.cuda.get_device_name(),
        "cores": len(os.sched_getaffinity(0)),
        "processor": processor(),
        "python": platform.python_version(),
        "cuda": torch.version.cuda,
        **{name: found[name] for name in sorted(packages & found.keys())},
    }


def processor() -> str:
    """Return the processor's name."""
    lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    return next((x.partition(":")[2].strip() for x in lines if x.startswith("model name")), "")


def table(figures: Figures, before: str = "") -> Iterator[str]:
    """Yield a line a figure."""
    for name, value in figures.items():
        if isinstance(value, dict):
            yield from table(value, f"{before}{name} / ")
        else:
            yield f"{before + name:<78}{value}"


def main() -> None:
    """Measure, write after each figure, print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--parts", default=",".join(PARTS))
    parser.add_argument("--device", default="cuda", choices=["cuda", "cpu"])
    parser.add_argument("--network", type=Path, default=SHIPPED, help="of graph-network")
    parser.add_argument("--minilm", type=Path)
    parser.add_argument("--small", action="store_true")
    parser.add_argument("--output", type=Path)
    asked = parser.parse_args()
    report: Figures = {
        "machine": machine(asked.device),
        "small": asked.small,
        "embedder": "of MiniLM's shape" if asked.minilm is None else str(asked.minilm),
    }
    print(*table(report), sep="\n", flush=True)
    for part in asked.parts.split(","):
        if part not in PARTS:
            parser.error(f"--parts: {part!r} is none of {', '.join(PARTS)}")
        report[part] = {}
        whole = attempted(partial(measured, part, asked, report))
        report[part] |= whole
        keep(report, asked.output)


def measured(part: str, asked: argparse.Namespace, report: Figures) -> Figures:
    """Measure a part; each figure is kept as soon as it is there."""
    for name, measure in PARTS[part](asked):
        report[part][name] = attempted(measure)
        print(*table({part: {name: report[part][name]}}), sep="\n", flush=True)
        keep(report, asked.output)
    return {}


def keep(report: Figures, output: Path | None) -> None:
    """Write what there is so far."""
    if output is not None:
        output.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
