"""Graph LLM (RA-6; RAS section 3.4): the graph token, the text, and a causal model with LoRA.

    <begin> token(G_Q) instruction, history, question → plan or answer

Any causal model of transformers; its weights stay as they are. What is trained, the adapter and the
encoder with its projector, is one file of a version. The token stands behind the one that begins
every text: models attend to that one, whatever it says.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from clew_models.constrained_decoding.triple_lines import Vocabulary
from clew_models.devices import gains_by_bfloat16
from clew_models.errors import ModelNotInstalled
from clew_models.graph_llm.encoder import EncoderOptions, GraphBatch, GraphEncoder
from clew_models.graph_llm.examples import GraphExample, numbered
from clew_models.graph_llm.prompts import PROMPTS
from clew_models.language_model.base import Message
from clew_models.language_model.chat import chat_ids
from clew_models.language_model.local import NAME
from clew_models.language_model.lora import with_lora
from clew_models.language_model.weights import converted_weights, without_progress_bars
from clew_models.loading_lock import loading_alone
from clew_models.version_files import version_files

OPTIONS = "graph_llm.json"
WEIGHTS = "graph_llm.safetensors"
Vectors = Mapping[str, NDArray[np.float32]]
"""The sentence encoder's vector [D] of each name and predicate."""


@dataclass(frozen=True)
class GraphModelOptions:
    """``rank`` of the adapter, 0: none; ``encoder``: None for a model that reads text alone.

    ``triples``: those of a round that it was trained to read, at most.
    """

    rank: int = 16
    triples: int = 8
    encoder: EncoderOptions | None = field(default_factory=EncoderOptions)


class GraphLanguageModel(nn.Module):
    """A causal model that can be given a graph. ``name``: of the model and the version."""

    def __init__(
        self, language: Any, tokenizer: Any, options: GraphModelOptions, name: str, seed: int = 0
    ) -> None:
        super().__init__()
        torch.manual_seed(seed)
        self.name = name
        self.options = options
        self.tokenizer = tokenizer
        language.requires_grad_(False)
        embeddings = language.get_input_embeddings().weight
        width, length = embeddings.shape[1], float(embeddings.float().std())
        self.language = with_lora(language, options.rank) if options.rank else language
        self.encoder = (
            None if options.encoder is None else GraphEncoder(options.encoder, width, length)
        )
        self.eval()

    @property
    def device(self) -> Any:
        """Where it computes."""
        return self.language.device

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """The tokens as text."""
        return Vocabulary(self.tokenizer, self.language.config.vocab_size)

    def prompt(self, example: GraphExample) -> list[int]:
        """Return a prompt as token ids, by the tokenizer's chat template if it has one."""
        return chat_ids(self.tokenizer, _messages(example))

    def target(self, example: GraphExample) -> list[int]:
        """Return what is to be written as token ids, with the one that ends it."""
        ids = self.tokenizer(example.target, add_special_tokens=False)["input_ids"]
        return [*ids, self.tokenizer.eos_token_id]

    def tokens(self, examples: Sequence[GraphExample], vectors: Vectors) -> Tensor | None:
        """Return the graph tokens [B, H]; None where the model reads text alone."""
        if self.encoder is None:
            return None
        dimension = self.options.encoder.input if self.options.encoder else 0
        token: Tensor = self.encoder(_graphs(examples, vectors, dimension, self.device))
        return token

    def embedded(self, ids: Tensor, token: Tensor | None) -> Tensor:
        """Return embeddings [B, L or L + 1, H] of texts that begin at their first place, each with
        its graph token, if any, in the second.
        """
        texts: Tensor = self.language.get_input_embeddings()(ids)
        if token is None:
            return texts
        inserted = token.to(texts.dtype)[:, None]
        return torch.cat([texts[:, :1], inserted, texts[:, 1:]], 1)

    def learned(self) -> dict[str, Tensor]:
        """Return what is trained, by name."""
        return {name: weight for name, weight in self.named_parameters() if weight.requires_grad}

    def take(self, weights: Mapping[str, Tensor]) -> None:
        """Take what was trained. Raises ValueError where it is of another model."""
        own = self.learned()
        if {k: v.shape for k, v in own.items()} != {k: v.shape for k, v in weights.items()}:
            raise ValueError(
                f"Expected {len(own)} weights that fit {self.name}, got {len(weights)} others."
            )
        with torch.no_grad():
            for name, weight in own.items():
                weight.copy_(weights[name])


def _messages(example: GraphExample) -> list[Message]:
    return PROMPTS[example.task].messages(
        history=example.history, question=" ".join(example.question.split())
    )


def _graphs(
    examples: Sequence[GraphExample], vectors: Vectors, dimension: int, device: Any
) -> GraphBatch:
    """Return the sub-graphs of questions; a round without triples has none."""
    names: list[str] = []
    predicates: list[str] = []
    edges: list[tuple[int, int]] = []
    part: list[int] = []
    owner: list[int] = []
    for place, example in enumerate(examples):
        for triples in filter(None, example.rounds):
            nodes, ends = numbered(triples)
            edges += [(head + len(names), tail + len(names)) for head, tail in ends]
            names += nodes
            predicates += [predicate for _, predicate, _ in triples]
            part += [len(owner)] * len(nodes)
            owner.append(place)

    def rows(texts: Sequence[str]) -> Tensor:
        found = [vectors[text] for text in texts]
        stacked = np.stack(found) if found else np.zeros((0, dimension), np.float32)
        return torch.from_numpy(stacked.astype(np.float32)).to(device)

    def whole(numbers: Any, shape: tuple[int, ...]) -> Tensor:
        return torch.tensor(numbers, dtype=torch.long).reshape(shape).to(device)

    return GraphBatch(
        rows(names),
        whole(edges, (-1, 2)).T,
        rows(predicates),
        whole(part, (-1,)),
        whole(owner, (-1,)),
        len(examples),
    )


@loading_alone
def untrained_model(
    base: str,
    options: GraphModelOptions,
    *,
    cache_dir: Path,
    device: str = "cpu",
    seed: int = 0,
    name: str = "",
) -> GraphLanguageModel:
    """Return a model that nothing was trained of. ``base``: the default's name, or a directory with
    a causal model of transformers. Raises ModelNotInstalled.
    """
    from transformers import AutoModelForCausalLM, AutoTokenizer

    folder = converted_weights(cache_dir) if base == NAME else Path(base).expanduser()
    if not (folder / "config.json").is_file():
        raise ModelNotInstalled(
            f"There is no language model in {folder}.",
            remedy=f"Name {NAME!r}, or a directory with a causal model.",
        )
    tokenizer = AutoTokenizer.from_pretrained(folder, local_files_only=True)
    dtype = torch.float32 if device == "cpu" else torch.bfloat16
    with without_progress_bars():
        language: Any = AutoModelForCausalLM.from_pretrained(
            folder, local_files_only=True, dtype=dtype
        )
    return GraphLanguageModel(language, tokenizer, options, name or folder.name, seed).to(device)


def save_graph_model(model: GraphLanguageModel, base: str, folder: Path) -> None:
    """Write a version: what was trained, in half precision, and what it belongs to."""
    from safetensors.torch import save_file

    halves = {name: weight.detach().half().cpu() for name, weight in model.learned().items()}
    folder.mkdir(parents=True, exist_ok=True)
    save_file(halves, folder / WEIGHTS)
    told = {"base": base, **asdict(model.options)}
    (folder / OPTIONS).write_text(json.dumps(told, indent=1) + "\n")


def load_graph_model(
    folder: Path, *, cache_dir: Path, device: str = "cpu", remedy: str = ""
) -> GraphLanguageModel:
    """Return the model of a version, ready to be asked; its adapter is merged into it.

    Raises ModelNotInstalled, with ``remedy``, where there is none.
    """
    from safetensors.torch import load_file

    with version_files("version of a graph language model", folder, remedy):
        told = json.loads((folder / OPTIONS).read_text(encoding="utf-8"))
        weights = load_file(folder / WEIGHTS)
        base, encoder = told.pop("base"), told.pop("encoder")
        options = GraphModelOptions(**told, encoder=encoder and EncoderOptions(**encoder))
        model = untrained_model(
            base, options, cache_dir=cache_dir, device=device, name=f"{base} + {folder.name}"
        )
        model.take(weights)
    return ready_to_write(model)


def ready_to_write(model: GraphLanguageModel) -> GraphLanguageModel:
    """Return the model with its adapter merged, for nothing but writing: the causal model is in
    bfloat16 where the device computes in it (half the memory and time).
    """
    if model.options.rank:
        model.language = model.language.merge_and_unload()
    if gains_by_bfloat16(model.device.type):
        model.language = model.language.to(torch.bfloat16)
    return model.requires_grad_(False).eval()
