"""The tokenizer of a packed model, without transformers: what is asked of one here, by its names.

transformers' own tokenizers do the same and more; importing them takes 30 MB, and often torch.
"""

import re
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, Literal


class PlainTokenizer:
    """A byte-level tokenizer in a file; shared by threads."""

    def __init__(
        self, file: Path, *, end: int, begin: int | None = None, chat_template: str | None = None
    ) -> None:
        from tokenizers import Tokenizer

        self._tokenizer: Any = Tokenizer.from_file(str(file))
        # a switch of the whole object, which threads share: special tokens are found below
        self._tokenizer.encode_special_tokens = True
        self.eos_token_id = end
        self.bos_token = None if begin is None else self._tokenizer.id_to_token(begin)
        self.chat_template = chat_template

    def __len__(self) -> int:
        return int(self._tokenizer.get_vocab_size())

    def __call__(
        self,
        text: str | Sequence[str],
        *,
        add_special_tokens: Literal[False] = False,
        split_special_tokens: bool = False,
    ) -> dict[str, Any]:
        """Return the ``input_ids`` of a text, or of each of several.

        ``split_special_tokens``: what looks like a special token is text.
        """
        if not isinstance(text, str):
            if not split_special_tokens:
                return {"input_ids": [self(one)["input_ids"] for one in text]}
            several = self._tokenizer.encode_batch_fast(list(text), add_special_tokens=False)
            return {"input_ids": [found.ids for found in several]}
        ids: list[int] = []
        for piece in [text] if split_special_tokens else self._special.split(text):
            special = self._special.fullmatch(piece) if not split_special_tokens else None
            if special:
                ids.append(self._tokenizer.token_to_id(piece))
            else:
                ids += self._tokenizer.encode(piece, add_special_tokens=False).ids
        return {"input_ids": ids}

    @cached_property
    def all_special_ids(self) -> list[int]:
        """The tokens that are no text."""
        added = self._tokenizer.get_added_tokens_decoder()
        return sorted(id_ for id_, token in added.items() if token.special)

    @cached_property
    def _special(self) -> "re.Pattern[str]":
        return re.compile("(" + "|".join(map(re.escape, self.all_special_tokens)) + ")")

    @property
    def all_special_tokens(self) -> list[str]:
        """What the tokens that are no text look like."""
        return [self._tokenizer.id_to_token(id_) for id_ in self.all_special_ids]

    def convert_ids_to_tokens(self, ids: Sequence[int]) -> list[str | None]:
        """Return tokens as the vocabulary writes them."""
        return [self._tokenizer.id_to_token(id_) for id_ in ids]

    def decode(self, ids: Sequence[int], *, skip_special_tokens: bool = False) -> str:
        """Return the text of tokens."""
        return str(self._tokenizer.decode(list(ids), skip_special_tokens=skip_special_tokens))

    def apply_chat_template(
        self,
        turns: Sequence[dict[str, str]],
        *,
        add_generation_prompt: bool = True,
        tokenize: bool = False,
    ) -> str:
        """Return a conversation as the model was taught to read it."""
        if tokenize or self.chat_template is None:
            raise ValueError("This tokenizer writes chats as text, where it has a template.")
        return self._template.render(messages=turns, add_generation_prompt=add_generation_prompt)

    @cached_property
    def _template(self) -> Any:
        from jinja2.sandbox import ImmutableSandboxedEnvironment

        # as transformers reads them
        environment = ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True)
        return environment.from_string(self.chat_template or "")
