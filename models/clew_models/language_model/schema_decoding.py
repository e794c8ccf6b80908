"""JSON from a model too small to keep to a form: it fills in values, the rest is written for it.

Handles objects of strings (free, or one of an ``enum``), booleans, integers, lists of integers and
lists of such objects, which is what readers and extractors ask for.
"""

import re
from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clew_models.errors import MalformedOutput
from clew_models.language_model.decoding import INCOMPLETE, Decoding

CONTROL = re.compile("[\u0100-\u011f\u0121]")
"""How byte-level BPE writes the bytes 0-31 and 127; a space is U+0120."""

INTEGERS = re.compile("\u0120?(?:[0-9]+|,|\\])")


MOST_ITEMS = 16
"""Objects of one list: a small model repeats itself long before."""

ITEM_STRING_TOKENS = 64
"""Tokens of a string in a list of objects."""


class VocabularyMasks:
    """Which tokens of a byte-level BPE tokenizer may stand where; computed when first needed."""

    def __init__(self, tokenizer: Any, vocabulary_size: int) -> None:
        self._tokenizer = tokenizer
        self._size = vocabulary_size

    @cached_property
    def in_string(self) -> NDArray[np.bool_]:
        """bool [V]: tokens without backslash or control characters."""
        return self._mask(lambda token: not CONTROL.search(token) and "\\" not in token)

    @cached_property
    def in_integers(self) -> NDArray[np.bool_]:
        """bool [V]: a digit run, a comma, or what closes the list."""
        return self._mask(lambda token: bool(INTEGERS.fullmatch(token)))

    def _mask(self, fits: Callable[[str], bool]) -> NDArray[np.bool_]:
        special = set(self._tokenizer.all_special_ids)
        tokens = self._tokenizer.convert_ids_to_tokens(list(range(self._size)))
        return np.array(
            [index not in special and fits(token or "\\") for index, token in enumerate(tokens)]
        )


def write_json(
    schema: dict[str, Any], decoding: Decoding, masks: VocabularyMasks, max_tokens: int
) -> Iterator[str]:
    """Yield a JSON object of ``schema`` piece by piece, its properties in the order declared.

    A string ends after ``max_tokens``, one in a list of objects after ITEM_STRING_TOKENS. A list
    of objects ends where the model ends it, where an item comes again, after MOST_ITEMS, or where
    ``max_tokens`` are nearly spent. Raises MalformedOutput for a schema of another kind.
    """
    for name, form in schema["properties"].items():
        _refuse_other(name, form, nested=False)
    end = decoding.length + max_tokens
    opening = "{"
    for name, form in schema["properties"].items():
        label = f'{opening}"{name}": '
        opening = ", "
        if form["type"] == "array" and form["items"]["type"] == "object":
            decoding.feed_text(label + "[")
            yield label + "["
            yield from _objects(form, decoding, masks, end)
            decoding.feed_text("]")
            yield "]"
        else:
            yield from _value(label, form, decoding, masks, max_tokens)
    yield "}"


def _value(
    label: str, form: dict[str, Any], decoding: Decoding, masks: VocabularyMasks, max_tokens: int
) -> Iterator[str]:
    kind = form["type"]
    if kind == "boolean":
        decoding.feed_text(label.rstrip())
        value = decoding.better_of(" true", " false").strip()
        decoding.feed_text(" " + value)
        yield label + value
    elif kind == "string":
        decoding.feed_text(label + '"')
        yield label + '"'
        if "enum" in form:
            yield decoding.choose_of([option + '"' for option in form["enum"]])
            return
        yield from _string(
            decoding, masks, min(max_tokens, form.get("maxLength", max_tokens * 4) // 4 or 1)
        )
        decoding.feed_text('"')
        yield '"'
    elif kind == "integer":
        decoding.feed_text(label.rstrip())
        yield label + _integer(decoding, masks)
    else:
        decoding.feed_text(label + "[")
        yield label + "["
        yield _integers(decoding, masks)
        decoding.feed_text("]")
        yield "]"


def _objects(
    form: dict[str, Any], decoding: Decoding, masks: VocabularyMasks, end: int
) -> Iterator[str]:
    """Yield the items of a list of objects; the list's brackets are the caller's."""
    properties = form["items"]["properties"]
    most = min(form.get("maxItems", MOST_ITEMS), MOST_ITEMS)
    longest = 0
    seen: set[str] = set()
    for number in range(most):
        begun = decoding.length
        if begun + longest > end or decoding.better_of("{", "]") == "]":
            return
        pieces: list[str] = []
        opening = "{"
        for name, inner in properties.items():
            label = f'{opening}"{name}": '
            opening = ", "
            pieces += _value(label, inner, decoding, masks, ITEM_STRING_TOKENS)
        decoding.feed_text("}")
        item = "".join(pieces) + "}"
        if item in seen:
            return
        seen.add(item)
        yield (", " if number else "") + item
        longest = max(longest, decoding.length - begun)
        if number + 1 < most:
            if decoding.better_of(", ", "]") == "]":
                return
            decoding.feed_text(", ")


def _refuse_other(name: str, form: dict[str, Any], *, nested: bool) -> None:
    kind = form.get("type")
    items = form.get("items", {}).get("type") if kind == "array" else None
    if kind in ("boolean", "string", "integer") or items == "integer":
        return
    if items == "object" and not nested:
        for inner, inner_form in form["items"].get("properties", {}).items():
            _refuse_other(f"{name}.{inner}", inner_form, nested=True)
        return
    raise MalformedOutput(
        f"The local model cannot write {kind!r} values (property {name!r}).",
        remedy="Use strings, booleans, integers, lists of integers, and lists of flat objects.",
    )


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


def _integer(decoding: Decoding, masks: VocabularyMasks) -> str:
    digits = ""
    while len(digits) < 6:
        token = decoding.choose(masks.in_integers)
        text = decoding.decode([token]).strip()
        if not text.isdecimal():
            break
        digits += text
        decoding.feed([token])
    return str(int(digits or "0"))


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
