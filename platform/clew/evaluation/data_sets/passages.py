"""Passages with titles and texts, and the keys they go by: what HotpotQA and its kin search."""

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Annotated

from pydantic import BeforeValidator

from clew.errors import InvalidDataSet
from clew.evaluation.data_sets.record_files import (
    Filled,
    Place,
    Record,
    open_text,
    parse,
    read_json,
)
from clew.results.data_set import BenchDocument, squeezed

CORPUS = "corpus.json"
"""The corpus beside a file of questions."""

Passage = tuple[str, str]
"""Title and text."""


class _Titled(Record):
    title: Filled
    text: str


class _Sentences(Record):
    title: Filled
    sentences: Annotated[
        list[str], BeforeValidator(lambda value: [value] if isinstance(value, str) else value)
    ]


class Passages:
    """Distinct passages; one that comes twice is one document.

    A passage's key is its title, and where other texts have the same title, the title with a hash
    of the text: so keys do not depend on the order in which passages came. A passage without text
    has its title for a text, since nothing else of it could be found; with neither, it is left out.
    """

    def __init__(self, passages: Iterable[Passage]) -> None:
        self._by_title: dict[str, dict[str, str]] = {}
        for title, text in passages:
            text = readable_text(title, text)
            if text:
                self._by_title.setdefault(title, {}).setdefault(squeezed(text), text)

    @property
    def documents(self) -> list[BenchDocument]:
        """All passages as documents, in the order in which they came, by title."""
        return [
            BenchDocument(self._key(title, text), title, text)
            for title, texts in self._by_title.items()
            for text in texts.values()
        ]

    def find(self, title: str, text: str | None = None) -> str | None:
        """Return the key of the passage of that title; ``text`` decides where several have it.

        White space does not count. None where there is no such passage, or which is not known.
        """
        texts = self._by_title.get(title, {})
        if text is not None:
            found = texts.get(squeezed(readable_text(title, text)))
            if found is not None:
                return self._key(title, found)
        return self._key(title, next(iter(texts.values()))) if len(texts) == 1 else None

    def find_exactly(self, title: str, text: str) -> str | None:
        """Return the key of the passage of that title and text, None where there is none."""
        found = self._by_title.get(title, {}).get(squeezed(readable_text(title, text)))
        return None if found is None else self._key(title, found)

    def _key(self, title: str, text: str) -> str:
        if len(self._by_title[title]) == 1:
            return title
        return f"{title} #{hashlib.sha256(squeezed(text).encode()).hexdigest()[:12]}"


def read_corpus(path: Path) -> Passages:
    """Read ``corpus.json``: titles to sentences (or a text), or a list of {title, text}.

    Raises InvalidDataSet with record and field.
    """
    with open_text(path, str(path)) as file:
        value = read_json(file, str(path))
    if isinstance(value, dict):
        return Passages(_from_titles(path, value))
    if isinstance(value, list):
        return Passages(_from_list(path, value))
    raise InvalidDataSet(
        f"{path} is neither an object nor a list.",
        remedy='It is {title: [sentence, …]} or [{"title": …, "text": …}, …].',
    )


def joined(sentences: Sequence[str]) -> str:
    """Return sentences as one text; those of HotpotQA bring the space between them along."""
    spaced = any(sentence[:1].isspace() for sentence in sentences)
    return ("" if spaced else " ").join(sentences).strip()


def readable_text(title: str, text: str) -> str:
    """Return the text, or the title where the text holds no letter or digit; "" if neither does.

    Only what has one can be indexed.
    """
    for candidate in (text.strip(), title.strip()):
        if any(map(str.isalnum, candidate)):
            return candidate
    return ""


def _from_titles(path: Path, value: dict[str, object]) -> Iterator[Passage]:
    for number, (title, sentences) in enumerate(value.items(), 1):
        place = Place(str(path), number, title)
        row = parse(_Sentences, {"title": title, "sentences": sentences}, place)
        yield row.title, joined(row.sentences)


def _from_list(path: Path, value: list[object]) -> Iterator[Passage]:
    for number, item in enumerate(value, 1):
        title = item.get("title") if isinstance(item, dict) else None
        place = Place(str(path), number, title if isinstance(title, str) else None)
        row = parse(_Titled, item, place)
        yield row.title, row.text
