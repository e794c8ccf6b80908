"""From the options of a command to the model of what is asked for."""

from collections.abc import Mapping
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from clew.errors import InvalidRequest, problem_words

Model = TypeVar("Model", bound=BaseModel)


def checked(model: type[Model], values: Mapping[str, Any], problem: str, remedy: str) -> Model:
    """Return the values as ``model``; raises InvalidRequest, which begins with ``problem``."""
    try:
        return model.model_validate(values)
    except ValidationError as error:
        said = error.errors(include_url=False, include_input=False)[0]
        raise InvalidRequest(f"{problem}: {problem_words(said)}.", remedy=remedy) from error
