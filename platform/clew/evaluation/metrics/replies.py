"""What a language model that judges replied: a JSON object, or why it is none."""

import json
import re
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from clew_models.errors import MalformedOutput

T = TypeVar("T", bound=BaseModel)

UNREADABLE = (MalformedOutput, json.JSONDecodeError, ValidationError)
"""What a reply that is not what was asked for raises, from the model or from `read_reply`."""


def read_reply(text: str, form: type[T]) -> T:
    """Return the JSON object in ``text``, whatever stands around it. Raises UNREADABLE."""
    found = re.search(r"\{.*\}", text, re.DOTALL)
    return form.model_validate(json.loads(found.group() if found else text))


def not_replied(name: str, asked_for: str, error: Exception) -> str:
    """Return the sentence that says what the model ``name`` failed to give."""
    detail = " ".join(str(error).split())[:200]
    return f"The language model {name!r} did not reply with {asked_for}: {detail}"
