"""JSON from a model too small to keep to a form: it fills in values, the rest is written for it.

Handles flat objects of strings, booleans and lists of integers, which is what readers ask for.
"""

import re
from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Any

from clew_models.errors import MalformedOutput
from clew_models.language_model.decoding import INCOMPLETE, Decoding

CONTROL = re.compile("[\u0100-\u011f\u0121]")
"""How byte-level BPE writes the bytes 0-31 and 127; a space is U+0120."""

INTEGERS = re.compile("\u0120?(?:[0-9]+|,|\\])")


class VocabularyMasks:
    """Which tokens of a byte-level BPE tokenizer may stand where; computed when first needed."""

    def __init__(self, tokenizer: Any, vocabulary_size: int) -> None:
        self._tokenizer = tokenizer
        self._size = vocabulary_size

    @cached_property
    def in_string(self) -> Any:
        """bool [V]: tokens without backslash or control characters."""
        return self._mask(lambda token: not CONTROL.search(token) and "\\" not in token)

    @cached_property
    def in_integers(self) -> Any:
        """bool [V]: a digit run, a comma, or what closes the list."""
        return self._mask(lambda token: bool(INTEGERS.fullmatch(token)))

    def _mask(self, fits: Callable[[str], bool]) -> Any:
        import torch

        special = set(self._tokenizer.all_special_ids)
        tokens = self._tokenizer.convert_ids_to_tokens(list(range(self._size)))
        return torch.tensor(
            [index not in special and fits(token or "\\") for index, token in enumerate(tokens)]
        )


def write_json(
    schema: dict[str, Any], decoding: Decoding, masks: VocabularyMasks, max_tokens: int
) -> Iterator[str]:
    """Yield a JSON object of ``schema`` piece by piece, its properties in the order declared.

    ``max_tokens`` is shared out: a string ends where it is spent. Raises MalformedOutput for a
    schema of another kind.
    """
    opening = "{"
    for name, form in schema["properties"].items():
        label = f'{opening}"{name}": '
        opening = ", "
        kind = form.get("type")
        if kind == "boolean":
            decoding.feed_text(label.rstrip())
            value = decoding.better_of(" true", " false").strip()
            decoding.feed_text(" " + value)
            yield label + value
        elif kind == "string":
            decoding.feed_text(label + '"')
            yield label + '"'
            budget = min(max_tokens, form.get("maxLength", max_tokens * 4) // 4 or 1)
            yield from _string(decoding, masks, budget)
            decoding.feed_text('"')
            yield '"'
        elif kind == "array" and form.get("items", {}).get("type") == "integer":
            decoding.feed_text(label + "[")
            yield label + "["
            yield _integers(decoding, masks)
            decoding.feed_text("]")
            yield "]"
        else:
            raise MalformedOutput(
                f"The local model cannot write {kind!r} values (property {name!r}).",
                remedy="Use a flat schema of strings, booleans and lists of integers.",
            )
    yield "}"


def _string(decoding: Decoding, masks: VocabularyMasks, max_tokens: int) -> Iterator[str]:
    ids: list[int] = []
    shown = ""
    for _ in range(max_tokens):
        token = decoding.choose(masks.in_string)
        text = decoding.decode([*ids, token])
        if '"' in text:
            yield text[len(shown) : text.index('"')]
            return
        ids.append(token)
        if not text.endswith(INCOMPLETE):
            yield text[len(shown) :]
            shown = text
        decoding.feed([token])


def _integers(decoding: Decoding, masks: VocabularyMasks, most: int = 5) -> str:
    numbers: list[str] = []
    digits = ""
    for _ in range(4 * most):
        token = decoding.choose(masks.in_integers)
        text = decoding.decode([token]).strip()
        decoding.feed([token])
        if text.isdecimal() and len(digits) + len(text) <= 3:
            digits += text
            continue
        if digits:
            numbers.append(str(int(digits)))
            digits = ""
        if text.endswith("]") or len(numbers) == most:
            break
    if digits:
        numbers.append(str(int(digits)))
    return ", ".join(numbers)
