"""A conversation as token ids: what is text in it stays text."""

from collections.abc import Sequence
from typing import Any

from clew_models.language_model.base import Message

PLAIN = "{system}\n\n{user}\n"
"""How a system's and a user's turn are written for a model without a chat template."""


def chat_ids(tokenizer: Any, messages: Sequence[Message], *, plain: str = PLAIN) -> list[int]:
    """Return a conversation as token ids, by the tokenizer's chat template if it has one, else as
    ``plain`` says.

    What looks like a special token in a turn is left out: nothing in it ends the turn.
    """
    special = _special_tokens(tokenizer)
    turns = [{"role": turn.role, "content": _without(turn.content, special)} for turn in messages]
    if getattr(tokenizer, "chat_template", None):
        text = tokenizer.apply_chat_template(turns, add_generation_prompt=True, tokenize=False)
    else:
        start = getattr(tokenizer, "bos_token", None) or ""
        text = start + plain.format(**{turn["role"]: turn["content"] for turn in turns})
    ids: list[int] = tokenizer(text, add_special_tokens=False)["input_ids"]
    return ids


def _special_tokens(tokenizer: Any) -> list[str]:
    """Return what its special tokens look like, the longest first. transformers names only some of
    them among `all_special_tokens`.
    """
    added = getattr(tokenizer, "added_tokens_decoder", {})
    others = (str(token) for token in added.values() if token.special)
    return sorted({*tokenizer.all_special_tokens, *others}, key=len, reverse=True)


def _without(text: str, special: Sequence[str]) -> str:
    for token in special:
        text = text.replace(token, " ")
    return text
