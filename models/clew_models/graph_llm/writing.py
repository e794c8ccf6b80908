"""What a graph language model writes: a plan, held to its form, or an answer."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch

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
