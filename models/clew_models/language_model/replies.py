"""What a language model wrote, read: the reply behind its thoughts, the JSON object in a reply."""

import json
import re
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from pydantic import BaseModel

Form = TypeVar("Form", bound="BaseModel")

CUT_SHORT = "The language model's reply was cut short: raise llm_max_tokens."
"""What helps where a reply cannot be read and its Completion was ``cut_off``."""

_THOUGHTS, _END = "<think>", "</think>"
_JSON = re.compile(r"\s*(?:```\w*\s*)?(?:\{|\[\s*[{\]])")
_OBJECT = re.compile(r"\{.*\}", re.DOTALL)


def begins_as_json(text: str) -> bool:
    """Say whether a text begins as an object or a list of objects, in a fence or not."""
    return _JSON.match(text) is not None


def without_thoughts(text: str) -> str:
    """Return the reply behind what a model that reasons wrote before it, "" where there is none.

    Some servers leave the first mark of the thoughts out; those that were cut short lack the
    second. In a reply that begins as JSON the marks are text.
    """
    while not begins_as_json(text) and _END in text:
        text = text.partition(_END)[2]
    return text if begins_as_json(text) else text.partition(_THOUGHTS)[0]


def whole_characters(text: str) -> str:
    """Return a text with "?" for each half of a surrogate pair, which JSON can hold: it can be
    neither stored nor sent.
    """
    return text.encode("utf-8", "replace").decode()


def read_object(text: str, form: "type[Form]") -> "Form":
    """Return the JSON object in a reply, whatever stands around it.

    Raises ValueError (pydantic's ValidationError is one) where there is none of this form.
    """
    found = _OBJECT.search(without_thoughts(text))
    try:
        value = json.loads(found.group() if found else "", strict=False)
        whole = json.loads(whole_characters(json.dumps(value, ensure_ascii=False)))
    except RecursionError:
        raise ValueError("the reply is nested too deeply") from None
    return form.model_validate(whole)
