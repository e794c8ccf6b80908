"""What the translator needs of a tokenizer: names, relations and prompts as token ids.

A name or a relation is tokenised by itself, never joined to what stands before it: so its tokens
are the same in the index, in the training data and in what is decoded, whatever the tokenizer does
at the beginning of a text. Text that looks like a special token stays text.
"""

import re
from collections.abc import Sequence
from functools import cached_property
from hashlib import blake2b
from typing import Any

from clew_models.language_model.base import Message
from clew_models.language_model.chat import chat_ids
from clew_models.translator.prompts import ClueForm, instruction

_PART_OF_WORD = re.compile(r"[^\W_]|\N{REPLACEMENT CHARACTER}")
"""Bytes that are no character by themselves are decoded as the latter."""
PLAIN = "{system}\n\nQuery: {user}\nClue: "
"""The prompt of a model without a chat template."""
SEPARATOR = "@@"
"""Between the entity and the relation of a clue (paper: appendix M)."""


class Vocabulary:
    """The token ids of one tokenizer: of transformers, or what answers as they do."""

    def __init__(self, tokenizer: Any) -> None:
        self.tokenizer = tokenizer
        self._speaking: dict[int, bool] = {}

    @cached_property
    def separator(self) -> tuple[int, ...]:
        """The tokens of ``@@``."""
        return tuple(self.tokenize([SEPARATOR])[0])

    @cached_property
    def line_end(self) -> int:
        """The token of a line's end, which ends a clue."""
        return int(self.tokenize(["a\n"])[0][-1])

    @cached_property
    def end(self) -> int:
        """The token that ends what the model writes: of the chat, where there is one."""
        return int(self.tokenizer.eos_token_id)

    @cached_property
    def fingerprint(self) -> str:
        """Names the tokenizer by what it does: two that agree on it make the same indexes."""
        probe = "Ada Lovelace (née Byron) was born in ## — “日本” 1815, naïve @@ ##s \n"
        seen = [len(self.tokenizer), self.tokenize([probe])[0]]
        return blake2b(repr(seen).encode(), digest_size=8).hexdigest()

    def tokenize(self, texts: Sequence[str]) -> list[list[int]]:
        """Return the token ids of each text, without special tokens."""
        if not texts:
            return []
        found: list[list[int]] = self.tokenizer(
            list(texts), add_special_tokens=False, split_special_tokens=True
        )["input_ids"]
        return found

    def speaks(self, token: int) -> bool:
        """Say whether a token holds a letter or a digit, or a part of one."""
        if token not in self._speaking:
            self._speaking[token] = bool(_PART_OF_WORD.search(self.text([token])))
        return self._speaking[token]

    def text(self, tokens: Sequence[int]) -> str:
        """Return the text of token ids."""
        return str(self.tokenizer.decode(list(tokens), skip_special_tokens=False))

    def prompt(self, question: str, form: ClueForm = "pair") -> list[int]:
        """Return the prompt for a question, by the tokenizer's chat template if it has one."""
        messages = [Message("system", instruction(form)), Message("user", question)]
        return chat_ids(self.tokenizer, messages, plain=PLAIN)

    def opening(self, form: ClueForm = "pair") -> list[int]:
        """Return the tokens that all prompts begin with."""
        one, other = self.prompt("Who?", form), self.prompt("7 x", form)
        shared = 0
        while shared < min(len(one), len(other)) and one[shared] == other[shared]:
            shared += 1
        return one[:shared]
