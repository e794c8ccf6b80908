"""What a graph language model writes: a plan, held to its form, or an answer."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from clew_models.constrained_decoding.triple_lines import HeldToLines, TripleLines
from clew_models.errors import PromptRefused
from clew_models.graph_llm.examples import GraphExample
from clew_models.graph_llm.model import GraphLanguageModel, Vectors
from clew_models.language_model.causal_model import Cache, Row, TransformersModel
from clew_models.language_model.decoding import Decoding


@dataclass(frozen=True)
class Written:
    """A text with the tokens it cost. ``label``: the one of several that it begins with."""

    label: str
    text: str
    prompt_tokens: int
    tokens: int


def write(
    model: GraphLanguageModel,
    example: GraphExample,
    vectors: Vectors,
    *,
    token: bool = True,
    labels: Sequence[str] = (),
    ending: Sequence[str] = (),
    max_tokens: int = 64,
) -> Written:
    """Return what the model writes of an example, the likeliest token each time, to its line's end.

    ``token``: whether it is given the graph. ``labels``: it begins with one of them; ``ending``:
    those after which nothing is written. Raises PromptRefused where the prompt is longer than the
    model takes.
    """
    prompt = model.prompt(example)
    most = getattr(model.language.config, "max_position_embeddings", None)
    if most is not None and len(prompt) + 1 + max_tokens > most:
        raise PromptRefused(
            f"The prompt has {len(prompt)} tokens; {model.name} takes {most - max_tokens - 1}.",
            remedy="Ask for fewer rounds, or for fewer triples a round.",
        )
    with torch.inference_mode():
        given = model.tokens([example], vectors) if token else None
    decoding = Decoding(_AfterToken(model, given), model.tokenizer, 0.0)
    decoding.feed(prompt)
    before = decoding.length
    label = decoding.choose_of(labels) if labels else ""
    pieces = []
    if label not in ending:
        for piece in decoding.write(max_tokens):
            pieces.append(piece)
            if "\n" in "".join(pieces).lstrip():
                break
    text = "".join(pieces).strip()
    return Written(label, text.splitlines()[0] if text else "", before, decoding.length - before)


def write_all(
    model: GraphLanguageModel,
    examples: Sequence[GraphExample],
    *,
    max_tokens: int,
    batch: int = 16,
    lines: Callable[[GraphExample], TripleLines] | None = None,
    cancelled: Callable[[], bool] = lambda: False,
) -> Iterator[tuple[int, str]]:
    """Yield the place of each example with the text that is likeliest for it, up to ``max_tokens``;
    shorter prompts come first, ``batch`` at a time. For models that read text alone.

    ``lines``: what an example's text is held to. Ends early where ``cancelled`` says so.
    """
    if model.encoder is not None:
        raise ValueError(f"{model.name} reads a graph: its texts are written one by one.")
    prompts = [model.prompt(one) for one in examples]
    order = sorted(range(len(prompts)), key=lambda place: len(prompts[place]))
    end = model.tokenizer.eos_token_id
    for start in range(0, len(order), batch):
        if cancelled():
            return
        places = order[start : start + batch]
        longest = len(prompts[places[-1]])
        ids = torch.full((len(places), longest), end)
        seen = torch.zeros_like(ids)
        for row, place in enumerate(places):
            ids[row, longest - len(prompts[place]) :] = torch.tensor(prompts[place])
            seen[row, longest - len(prompts[place]) :] = 1
        held = HeldToLines([lines(examples[place]) for place in places], longest) if lines else None
        with torch.inference_mode():
            written = model.language.generate(
                input_ids=ids.to(model.device),
                attention_mask=seen.to(model.device),
                max_new_tokens=max_tokens,
                do_sample=False,
                eos_token_id=end,
                pad_token_id=end,
                logits_processor=[held] if held else None,
            )[:, longest:]
        texts = (
            held.finish(written)
            if held
            else model.tokenizer.batch_decode(written, skip_special_tokens=True)
        )
        yield from zip(places, texts, strict=True)


class _AfterToken(TransformersModel):
    """The causal model, with a graph token in the second place of what it reads first."""

    def __init__(self, model: GraphLanguageModel, token: Any) -> None:
        super().__init__(model.language)
        self._whole = model
        self._token = token

    def append(
        self, cache: Cache | None, tokens: Sequence[int], **more: Any
    ) -> tuple[Cache, list[Row]]:
        """See CausalModel."""
        if cache is not None:
            return super().append(cache, tokens, **more)
        device = self._whole.device
        with torch.inference_mode():
            ids = torch.tensor([list(tokens)], device=device)
            result = self.model(
                inputs_embeds=self._whole.embedded(ids, self._token),
                use_cache=True,
                logits_to_keep=1,
            )
            following = torch.log_softmax(result.logits[0].float(), dim=-1)
        return result.past_key_values, list(following)
