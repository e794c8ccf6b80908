"""Texts with marks to documents: plain text, Markdown, reStructuredText, and what was converted to
Markdown."""

from collections.abc import Callable, Sequence

from clew_ingest.limits import IngestLimits
from clew_ingest.reading import media_types
from clew_ingest.reading.front_matter import Fields, columns_of, numbered_title, parted, title_of
from clew_ingest.reading.markdown_text import paragraphs_of, row_text, without_wiki_links
from clew_ingest.reading.parted_words import joined_words
from clew_ingest.reading.read_document import (
    HEADING_MARK,
    Place,
    ReadDocument,
    ReadResult,
    placed_text,
)
from clew_ingest.reading.restructured_text import LONGEST_LINE, read_rst
from clew_ingest.reading.text_decoding import clean_line, clean_line_ends, decode
from clew_ingest.reading.underlined import parts_of


def read_text(data: bytes, title: str, limits: IngestLimits) -> ReadResult:
    """Return the document of a plain text; underlined lines are its headings."""
    fields, text = parted(clean_line_ends(decode(data)))
    heading, parts = parts_of(joined_words(text, typeset=False))
    return ReadResult(media_types.TEXT, [_written(fields, heading, title, parts)])


def read_markdown(data: bytes, title: str, limits: IngestLimits) -> ReadResult:
    """Return the document of a Markdown text that people wrote."""
    fields, text = parted(without_wiki_links(clean_line_ends(decode(data))))
    heading, paragraphs = paragraphs_of(text, written=True)
    parts = _placed(paragraphs, title_of(fields) or heading)
    return ReadResult(media_types.MARKDOWN, [_written(fields, heading, title, parts)])


def read_restructured_text(data: bytes, title: str, limits: IngestLimits) -> ReadResult:
    """Return the document of a text in reStructuredText, as of a plain text where its lines are too
    long, or its parts nested too deeply."""
    fields, text = parted(clean_line_ends(decode(data)))
    if max(map(len, text.split("\n"))) > LONGEST_LINE:
        return read_text(data, title, limits)
    try:
        heading, markdown = read_rst(text, titled=bool(title_of(fields)))
    except RecursionError:
        return read_text(data, title, limits)
    _, paragraphs = paragraphs_of(markdown)
    parts = _placed(paragraphs, title_of(fields) or heading)
    return ReadResult(media_types.RST, [_written(fields, heading, title, parts)])


def marked(media_type: str, markdown: str, title: Callable[[str], str]) -> ReadResult:
    """Return the document of what was converted to Markdown; ``title`` chooses, given that of the
    text."""
    heading, paragraphs = paragraphs_of(markdown)
    named = title(heading)
    text, places = placed_text(_placed(paragraphs, named))
    return ReadResult(media_type, [ReadDocument(named, text, places=places)])


def _placed(
    paragraphs: Sequence[tuple[str, tuple[str, ...]]], title: str
) -> list[tuple[str, Place]]:
    """Return paragraphs with their places; the title stands beside each passage anyway."""
    named = clean_line(title)
    return [
        (text, Place(heading=HEADING_MARK.join(name for name in path if name != named)))
        for text, path in paragraphs
    ]


def _written(
    fields: Fields, heading: str, file_title: str, parts: Sequence[tuple[str, Place]]
) -> ReadDocument:
    """Return the document of a text with the fields before it, which are its first paragraph."""
    named = title_of(fields) or heading
    told = row_text(*columns_of(fields)) if parts else ""  # what has fields alone has no text
    if told:
        said_again = len(parts) > 1 and parts[0][0] == named  # it stands beside each passage
        parts = [(told, Place()), *parts[said_again:]]
    text, places = placed_text(parts)
    title = numbered_title(named, fields, file_title) or file_title
    return ReadDocument(title, text, "", dict(fields), places, fields_first=bool(told))
