"""What every reader does: answer from the evidence, and only from it."""

from collections.abc import Iterator
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Protocol

from clew.answering.numbering import in_order
from clew.answering.readers import AUTO, READERS, reader_names
from clew.errors import InvalidRequest
from clew.results.evidence import Answer, Evidence, Search

if TYPE_CHECKING:
    from clew.resources.resources import Resources
    from clew.settings import Settings


class Reader(Protocol):
    """Answers a question from evidence, with citations to its chunks."""

    name: str

    def read(self, evidence: Evidence, search: Search | None = None) -> Iterator[str | Answer]:
        """Yield pieces of the answer's text as they come, and last, once, the whole Answer.

        What ``search`` finds for parts of the question joins the Answer's evidence.
        """
        ...


def whole_answer(reader: Reader, evidence: Evidence, search: Search | None = None) -> Answer:
    """Return the Answer with which the reader ends; its pieces are let go."""
    for piece in read_in_order(reader, evidence, search):
        if isinstance(piece, Answer):
            return piece
    raise AssertionError("a reader ends with an Answer")


def read_in_order(
    reader: Reader, evidence: Evidence, search: Search | None = None
) -> Iterator[str | Answer]:
    """Yield what the reader yields, its citations numbered from 1 in order, with their places."""
    return in_order(reader.read(evidence, search))


def reader_name(settings: "Settings", name: str | None = None) -> str:
    """Return which reader ``name`` means (None: the setting's), where it leaves the choice."""
    asked = name or settings.reader
    if asked == AUTO:
        return "openai" if settings.llm_model else READERS[0].name
    return asked


def build_reader(resources: "Resources", name: str | None = None) -> "Reader":
    """Return the reader ``name`` (None: the setting's).

    Raises InvalidRequest, InvalidSetting, ModelNotInstalled, LanguageModelUnavailable.
    """
    asked = reader_name(resources.settings, name)
    for spec in READERS:
        if spec.name == asked:
            reader: Reader = resolve_name(spec.loader)(resources)
            return reader
    raise InvalidRequest(
        f"There is no reader {asked!r}.", remedy=f"There are: {', '.join(reader_names())}."
    )
