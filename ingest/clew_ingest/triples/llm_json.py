"""The list of objects in a language model's reply, as far as it can be read."""

import json
import re
from dataclasses import dataclass
from typing import Any

from clew_models.language_model import without_thoughts

_LIST = re.compile(r"\[\s*(?=[{\]])")
_BETWEEN = re.compile(r"[\s,]*")
_NEXT_ITEM = re.compile(r"\}\s*,\s*(?=\{)")
_DECODER = json.JSONDecoder(strict=False)


@dataclass(frozen=True)
class ReadList:
    """What a reply holds. ``items``: the whole items, of any JSON kind; ``broken``: items that
    are no JSON; ``cut_off``: the reply ends before the list does (its last, incomplete item is not
    counted as broken); ``problem``: why nothing could be read, else "".
    """

    items: tuple[Any, ...] = ()
    broken: int = 0
    cut_off: bool = False
    problem: str = ""


def read_list(reply: str, name: str) -> ReadList:
    """Return the list under ``name`` in a reply, or the bare list that the reply is.

    Prose and code fences around it and a model's thoughts before it are passed over. A list that
    is cut off keeps its whole items, and an item that is no JSON costs that item.
    """
    text = without_thoughts(reply).strip()
    if not text:
        return ReadList(problem="the reply is empty")
    try:
        value = _DECODER.decode(text)
    except RecursionError:
        return ReadList(problem="the reply is nested too deeply")
    except ValueError:
        return _read_piecemeal(text, name)
    if isinstance(value, dict):
        value = value.get(name)
    if not isinstance(value, list):
        return ReadList(problem=f"the reply has no list {name!r}")
    return ReadList(tuple(value))


def _read_piecemeal(text: str, name: str) -> ReadList:
    found = re.search(rf'"{re.escape(name)}"\s*:\s*\[', text) or _LIST.search(text)
    if found is None:
        return ReadList(problem=f"the reply has no list {name!r}")
    items: list[Any] = []
    broken = 0
    at = found.end()
    while True:
        between = _BETWEEN.match(text, at)
        at = between.end() if between else at
        if text[at : at + 1] == "]":
            return ReadList(tuple(items), broken)
        if at == len(text):
            return ReadList(tuple(items), broken, cut_off=True)
        try:
            item, at = _DECODER.raw_decode(text, at)
            items.append(item)
        except RecursionError:
            return ReadList(tuple(items), broken, problem="the reply is nested too deeply")
        except ValueError:
            following = _NEXT_ITEM.search(text, at)
            if following is None and "}" not in text[at:]:
                return ReadList(tuple(items), broken, cut_off=True)
            broken += 1
            if following is None:
                return ReadList(tuple(items), broken)
            at = following.end()
