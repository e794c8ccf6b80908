"""Turns what other layers report (frozen dataclasses, pydantic models) into JSON values."""

import dataclasses
import json
from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel


def as_values(report: Any) -> dict[str, Any]:
    """Return a report as JSON values; what JSON does not know becomes its text."""
    if isinstance(report, BaseModel):
        return report.model_dump(mode="json")
    if dataclasses.is_dataclass(report) and not isinstance(report, type):
        values: Any = dataclasses.asdict(report)
    elif isinstance(report, Mapping):
        values = dict(report)
    else:
        raise TypeError(f"{type(report).__name__} is no report of progress.")
    return dict(json.loads(json.dumps(values, default=str)))
