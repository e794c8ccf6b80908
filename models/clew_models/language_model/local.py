"""SmolLM2-135M-Instruct on this machine's processor: small, free, and weak."""

from collections.abc import Generator, Sequence
from typing import Any

from clew_models.errors import PromptRefused
from clew_models.language_model.base import Completion, Message
from clew_models.language_model.chat import chat_ids
from clew_models.language_model.decoding import Decoding
from clew_models.language_model.packed_model import PackedModel, PackedWeights
from clew_models.language_model.schema_decoding import VocabularyMasks, write_json
from clew_models.language_model.usage import note_call, note_completion

NAME = "SmolLM2-135M-Instruct"


class LocalModel:
    """The default language model, which writes answers; others may use its weights too.

    Safe to share between threads.
    """

    def __init__(self, weights: PackedWeights) -> None:
        self.name = NAME
        self._model = PackedModel(weights)
        self._tokenizer = weights.tokenizer
        self._context_tokens = weights.shape.context
        self._masks = VocabularyMasks(self._tokenizer, weights.shape.vocabulary)

    def complete(
        self,
        messages: Sequence[Message],
        *,
        max_tokens: int = 256,
        temperature: float = 0.0,
        json_schema: dict[str, Any] | None = None,
    ) -> Completion:
        """Return the whole text; see LanguageModel. Raises PromptRefused where it is too long."""
        pieces = self.stream(
            messages, max_tokens=max_tokens, temperature=temperature, json_schema=json_schema
        )
        while True:
            try:
                next(pieces)
            except StopIteration as end:
                return end.value

    def stream(
        self,
        messages: Sequence[Message],
        *,
        max_tokens: int = 256,
        temperature: float = 0.0,
        json_schema: dict[str, Any] | None = None,
    ) -> Generator[str, None, Completion]:
        """Yield the text piece by piece; see LanguageModel. Raises PromptRefused where the prompt
        is too long.

        A ``json_schema`` of strings, booleans, integers, lists of integers and lists of flat
        objects is always kept to: the punctuation is written for the model, and it fills in the
        values. Raises MalformedOutput for another.
        """
        prompt = self._prompt(messages, max_tokens)
        note_call()
        decoding = Decoding(self._model, self._tokenizer, temperature)
        decoding.feed(prompt)
        pieces: list[str] = []
        written = (
            decoding.write(max_tokens)
            if json_schema is None
            else write_json(json_schema, decoding, self._masks, max_tokens)
        )
        for piece in written:
            pieces.append(piece)
            yield piece
        spent = decoding.length - len(prompt)
        cut_off = json_schema is None and spent >= max_tokens
        return note_completion(Completion("".join(pieces), len(prompt), spent, cut_off))

    def _prompt(self, messages: Sequence[Message], max_tokens: int) -> list[int]:
        ids = chat_ids(self._tokenizer, messages)
        if len(ids) + max_tokens > self._context_tokens:
            raise PromptRefused(
                f"The prompt has {len(ids)} tokens; {self.name} takes "
                f"{self._context_tokens - max_tokens}.",
                remedy="Hand over fewer passages (a smaller top_k), or use an endpoint.",
            )
        return ids
