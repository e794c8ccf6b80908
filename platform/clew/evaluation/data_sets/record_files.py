"""Files of JSON records, read so that an error names the file, the record and the field."""

import io
import json
import math
import re
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, NoReturn, TextIO, TypeVar

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    ValidationError,
    model_validator,
)

from clew.errors import InvalidDataSet, field_words

PEEK_BYTES = (64 * 1024, 4 * 1024 * 1024)
"""As much of a file is looked at to recognise its format; the second where the first is short."""
_SHOWN = 80
_HALF = re.compile(
    r"\\u[dD][89abAB][0-9a-fA-F]{2}(?!\\u[dD][c-fC-F])"
    r"|(?<!\\u[dD][89abAB][0-9a-fA-F]{2})\\u[dD][c-fC-F][0-9a-fA-F]{2}"
)
"""An escaped half of a surrogate pair without the other."""


@dataclass(frozen=True)
class Place:
    """Where a record stands. ``number``: from 1, in JSON Lines and tables its line; ``id``: its
    own, where it is known."""

    file: str
    number: int
    id: str | None = None

    def __str__(self) -> str:
        named = f" (id {self.id!r})" if self.id else ""
        return f"{self.file}, record {self.number}{named}"

    def fail(self, field: str, problem: str, remedy: str = "") -> NoReturn:
        """Raise InvalidDataSet for a field of the record."""
        raise InvalidDataSet(f"{self}, field {field}: {problem}", remedy=remedy)


class Record(BaseModel):
    """Base of the records of published formats: fields that are not used may be there, and one
    that is null is not there, as tables are exported with what they lack."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    @model_validator(mode="before")
    @classmethod
    def _without_nulls(cls, value: Any) -> Any:
        if not isinstance(value, dict):
            return value
        return {name: one for name, one in value.items() if one is not None}


def _filled(text: str) -> str:
    if not text.strip():
        raise ValueError("it is empty")
    return text.strip()


Filled = Annotated[str, AfterValidator(_filled)]
"""Text with at least one letter."""
Id = Annotated[
    Filled,
    BeforeValidator(
        lambda value: (
            str(value) if isinstance(value, int) and not isinstance(value, bool) else value
        )
    ),
]
"""An id: text, or a whole number, which is read as text."""


def _worded(value: Any) -> Any:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float) and value.is_integer():  # of a column that has gaps, too
        value = int(value)
    return str(value) if isinstance(value, int | float) and math.isfinite(value) else value


Worded = Annotated[str, BeforeValidator(_worded)]
"""Text, a number, which is read as text, or true and false, which are yes and no."""

RecordT = TypeVar("RecordT", bound=BaseModel)


def parse(model: type[RecordT], value: Any, place: Place) -> RecordT:
    """Return a record of the file as ``model``; raises InvalidDataSet for its first bad field."""
    try:
        return model.model_validate(value)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        field = _field(first["loc"])
        if not field:
            raise InvalidDataSet(
                f"{place}: expected an object, got {shown(value)}.",
                remedy=f"A record is an object with the fields {_fields(model)}.",
            ) from error
        if first["type"] == "missing":
            place.fail(field, "it is missing.", f"A record has the fields {_fields(model)}.")
        if first["type"] == "extra_forbidden":
            place.fail(field, "no such field is known.", f"Known: {_fields(model)}.")
        place.fail(field, f"{field_words(first)}, got {shown(first['input'])}.")


def shown(value: Any) -> str:
    """Return a value of a file as an error shows it."""
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"


def records(source: Path | bytes, where: str) -> Iterator[tuple[int, Any]]:
    """Yield the numbered records of a JSON list or of JSON Lines; ``where`` names the file.

    Raises InvalidDataSet, with the line, where the JSON is not valid, and where there is none.
    """
    count = 0
    with open_text(source, where) as file:
        if _first_letter(file) == "[":
            numbered: Iterator[tuple[int, Any]] = enumerate(read_json(file, where), 1)
        else:
            numbered = _lines(file, where)
        for record in numbered:
            count = record[0]
            yield record
    if not count:
        raise InvalidDataSet(f"{where} holds no records.", remedy="Is it the right file?")


def read_json(file: TextIO, where: str) -> Any:
    """Return the file's one JSON value; raises InvalidDataSet with the line."""
    return _loaded(file.read(), where, None)


def first_record(path: Path) -> dict[str, Any] | None:
    """Return the first object of a JSON list or of JSON Lines, to recognise the format by.

    None where the file does not begin with one, or it is longer than 4 MiB.
    """
    for size in PEEK_BYTES:
        try:
            with path.open("rb") as file:
                text = file.read(size).decode("utf-8-sig", "ignore").lstrip()
            if not text.startswith(("[", "{")):
                return None
            value, _ = json.JSONDecoder().raw_decode(text.removeprefix("[").lstrip())
        except (OSError, ValueError, RecursionError):
            continue
        return value if isinstance(value, dict) else None
    return None


@contextmanager
def open_text(source: Path | bytes, where: str) -> Iterator[TextIO]:
    """Open a file, or bytes, as UTF-8; what cannot be read raises InvalidDataSet."""
    try:
        binary = io.BytesIO(source) if isinstance(source, bytes) else source.open("rb")
        with binary, io.TextIOWrapper(binary, encoding="utf-8-sig") as file:
            yield file
    except OSError as error:
        raise InvalidDataSet(f"{where} cannot be read: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise InvalidDataSet(
            f"{where} is not UTF-8: {error.reason}.", remedy="Save it as UTF-8."
        ) from error


def _lines(file: TextIO, where: str) -> Iterator[tuple[int, Any]]:
    for number, line in enumerate(file, 1):
        if line.strip():
            yield number, _loaded(line, where, number)


def _loaded(text: str, where: str, number: int | None) -> Any:
    """Return the value of a JSON text; ``number``: its line, None where it is the whole file."""
    try:
        value = composed(json.loads(text))
    except (ValueError, RecursionError) as error:
        line = number or getattr(error, "lineno", None)
        raise _invalid_json(where, line, error) from error
    half = _HALF.search(text)
    if half is not None:
        try:
            json.dumps(value, ensure_ascii=False).encode()
        except UnicodeEncodeError as error:
            line = number or text.count("\n", 0, half.start()) + 1
            reason = ValueError(f"{half.group()} is half a Unicode character")
            raise _invalid_json(where, line, reason) from error
    return value


def composed(value: Any) -> Any:
    """Return a value of JSON whose texts spell each letter as one character where there is one
    (Unicode's NFC), as ingest reads documents: an "ö" may be an "o" and a mark."""
    if isinstance(value, str):
        return unicodedata.normalize("NFC", value)
    if isinstance(value, list):
        return [composed(one) for one in value]
    if isinstance(value, dict):
        return {composed(name): composed(one) for name, one in value.items()}
    return value


def _invalid_json(where: str, line: int | None, error: Exception) -> InvalidDataSet:
    at = f", line {line}" if line else ""
    if isinstance(error, json.JSONDecodeError):
        at += f", column {error.colno}"
        reason = error.msg
    elif isinstance(error, RecursionError):
        reason = "it is nested too deeply"
    else:
        reason = str(error)
    return InvalidDataSet(
        f"{where}{at}: this is not valid JSON: {reason}.",
        remedy="The file is a list of objects, or JSON Lines: an object a line.",
    )


def _first_letter(file: TextIO) -> str:
    letter = file.read(1)
    while letter and letter.isspace():
        letter = file.read(1)
    file.seek(0)
    return letter


def _field(location: tuple[int | str, ...]) -> str:
    parts = [f"[{part}]" if isinstance(part, int) else f".{part}" for part in location]
    return "".join(parts).removeprefix(".")


def _fields(model: type[BaseModel]) -> str:
    return ", ".join(info.alias or name for name, info in model.model_fields.items())
