"""Front matter: the fields before a text. YAML between lines of hyphens, TOML between plus signs,
lines as those of an e-mail's head (MultiMarkdown, Pelican, Python's proposals), or a field list of
reStructuredText.

They say what the text does not: who owns a page, what became of a proposal, what it requires.
"""

import re
import tomllib
from collections.abc import Iterator, Mapping
from typing import Any

from clew_ingest.reading.text_decoding import clean_line

Fields = dict[str, str | list[str]]
"""Each with what it holds, or all that it lists."""

_YAML = re.compile(
    r"\A---\n((?:#.*\n)*[\"']?[\w.-]+[\"']?[ \t]*:(?:[ \t].*)?\n(?:.*\n)*?)(?:---|\.\.\.)(?:\n|\Z)"
)
"""What else begins with a line of hyphens has a rule there."""
_TOML = re.compile(r"\A\+\+\+[ \t]*\n(.*?)^\+\+\+[ \t]*(?:\n|\Z)", re.DOTALL | re.MULTILINE)
"""As Hugo writes it."""
_LINE = re.compile(r"^([\w.-]+):[ \t]+(.+)$", re.MULTILINE)
"""A field of what is no YAML: "title: Paris: a guide", or a template."""
_VALUE = r"(?:[ \t].*)?\n(?:[ \t]+\S.*\n)*"
"""What a field holds goes on where lines are indented."""
_TEXT = r"(?=[ \t]*\n\s*\S)"
"""A blank line, and a text behind it: what has fields alone is one."""
_HEAD = re.compile(rf"\A(?:[A-Za-z][\w-]*(?: [\w-]+){{0,3}}:{_VALUE}){{2,}}{_TEXT}")
_UNDERLINED = r"(?:(?:([^\w\s])\2+[ \t]*\n)?.+\n([^\w\s])\3+[ \t]*\n\s*)?"
_FIELD_LIST = re.compile(rf"\A({_UNDERLINED})((?::[A-Za-z][\w -]*:{_VALUE})+){_TEXT}")
"""Below the title, or before all; Docutils calls them bibliographic fields."""
_FIELD = re.compile(r"^:?([\w-][\w -]*):(?!\S)(.*(?:\n[ \t]+\S.*)*)$", re.MULTILINE)
_LINKED = re.compile(r"`([^`<>]+) <[^<>`]*>`__?")
"""A link of reStructuredText."""
_TITLE = "title"
_SWITCHES = frozenset({"true", "false", "null", "~"})
_DEPTH = 3
"""Levels of lists and fields that are looked into; what refers to itself has no end."""
_INITIALS = 4
"""Letters of what a series is called up to which they stand for words: EIP, PEP, ADR."""


def parted(text: str) -> tuple[Fields, str]:
    """Return the fields before a text, none where it has none, and the text."""
    heading = ""
    found: Mapping[Any, Any]
    if front := _YAML.match(text):
        found = _yaml_fields(front.group(1))
    elif front := _TOML.match(text):
        try:
            found = tomllib.loads(front.group(1))
        except tomllib.TOMLDecodeError:
            return {}, text
    elif front := _HEAD.match(text):
        found = _fields_of_lines(front.group())
        names = [name.lower() for name in found]
        if _TITLE not in names or any(name.endswith("name") for name in names):
            return {}, text  # a letter, a talk ("Ann: …"), or a person with a title
    elif front := _FIELD_LIST.match(text):
        heading, found = front.group(1), _fields_of_lines(front.group(4))
    else:
        return {}, text
    fields = {clean_line(str(name)): _held(value) for name, value in found.items()}
    fields = {name: value for name, value in fields.items() if name and value}
    return fields, heading + text[front.end() :]


def title_of(fields: Fields) -> str:
    """Return the title that fields say, "" for none."""
    return next((_shown(value) for name, value in fields.items() if name.lower() == _TITLE), "")


def columns_of(fields: Fields) -> tuple[list[str], list[str]]:
    """Return what fields tell a reader, names and values: all but the title and mere switches."""
    named = {re.sub("[_-]", " ", name): value for name, value in fields.items()}
    told = {name: _shown(value) for name, value in named.items() if name.lower() != _TITLE}
    told = {name: value for name, value in told.items() if value.lower() not in _SWITCHES}
    return list(told), list(told.values())


def numbered_title(title: str, fields: Fields, file_title: str) -> str:
    """Return a title with the document's number in a series, by which others call it: that of a
    field which the file is named by ("eip: 1559" in eip-1559.md is "EIP-1559: …").
    """
    for name, value in fields.items():
        if not (isinstance(value, str) and value.isdecimal() and name.isalpha()):
            continue
        if re.fullmatch(rf"{name}[-_ ]?0*{value}", file_title, re.IGNORECASE):
            series = name.upper() if len(name) <= _INITIALS else name.capitalize()
            if re.search(rf"(?<!\d)0*{value}(?!\d)", title):
                return title
            return f"{series}-{value}: {title}" if title else f"{series}-{value}"
    return title


def _yaml_fields(text: str) -> Mapping[Any, Any]:
    import yaml

    try:
        # all values as they are written: dates and "0x10" too
        found = yaml.load(text, Loader=yaml.BaseLoader)
    except (yaml.YAMLError, RecursionError):
        found = None
    if isinstance(found, dict):
        return found
    return {name: value.strip().strip("'\"") for name, value in _LINE.findall(text)}


def _fields_of_lines(text: str) -> dict[str, str]:
    return {name.strip(): _LINKED.sub(r"\1", value) for name, value in _FIELD.findall(text)}


def _held(value: Any) -> str | list[str]:
    held = list(_scalars(value, _DEPTH))
    return held if isinstance(value, list) else ", ".join(held)


def _scalars(value: Any, depth: int) -> Iterator[str]:
    if isinstance(value, dict | list):
        for one in value.values() if isinstance(value, dict) else value:
            if depth:
                yield from _scalars(one, depth - 1)
    elif text := clean_line("" if value is None else str(value)):
        yield text.lower() if isinstance(value, bool) else text


def _shown(value: str | list[str]) -> str:
    return value if isinstance(value, str) else ", ".join(value)
