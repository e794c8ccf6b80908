"""The text of a PDF: paragraphs and rows of tables with their page and the headings above them.

A PDF only says which letters stand where. Here the boxes of its pages (``pdf_boxes.py``) become
paragraphs, words that a line's end parts are joined, what stands on every page ("Page 2 of 9") is
left out, and headings are told by their size. Nothing depends on the language.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from clew_ingest.errors import SourceTooLarge
from clew_ingest.limits import IngestLimits
from clew_ingest.reading.markdown_text import row_text
from clew_ingest.reading.parted_words import joined_words
from clew_ingest.reading.pdf_boxes import Box, RuledTables, boxes_of
from clew_ingest.reading.pdf_letters import UNKNOWN
from clew_ingest.reading.pdf_pages import laid_out_pages
from clew_ingest.reading.read_document import HEADING_MARK, Place
from clew_ingest.reading.text_decoding import clean, clean_line

_MARGIN = 0.1
"""Share of a page's height, at its top and at its foot, in which running heads stand."""
_SAME_HEIGHT_PT = 3.0
_LARGER = 1.15
"""How many times as large as the text a heading's letters are, at least."""
_LONGEST_HEADING = 120
_NUMBER = re.compile(r"\d+")
_GAP = re.compile(r"\n+")
_PAGE_NUMBER = re.compile(r"\W*(?:#|[ivxlc]+)\W*")
_LEADERS = re.compile(r"(?:\. ?){4,}\s*\w{0,6}$")
"""How a line of a table of contents ends: dots that lead to the number of a page."""
_BULLET = re.compile(r"^[ \t]*[•◦▪‣●■\ufffd][ \t\n]+", re.MULTILINE)
_SOFT_HYPHEN = re.compile("\u00ad(?=[ \\t]*(?:\\n|$))")
_BARE_BULLET = re.compile(r"[•◦▪‣●■\ufffd]")
_MIDST = re.compile(r"(?=[^\W\d_])[^A-ZÀ-ÖØ-Þ]|\d+(?![.)\d])")
"""How the middle of a sentence begins: with a small letter, or a number that is not of a list."""
_FULL = 0.75
"""Share of a column's width that a line has, at least, after which the paragraph may go on."""
_SAME_COLUMN_PT = 40.0


@dataclass(frozen=True)
class PdfText:
    """A PDF's paragraphs with their places. ``title``: the largest text at the top of its first
    page, "" where none stands out. ``unread``: pages (from 1) of which no text can be read, though
    something stands on them.
    """

    title: str
    paragraphs: list[tuple[str, Place]]
    unread: list[int]


def read_pdf_text(data: bytes, limits: IngestLimits) -> PdfText:
    """Return a PDF's text. Raises SourceTooLarge beyond the limits, and pdfminer's errors for what
    is broken.
    """
    pages: list[list[Box]] = []
    heights: list[float] = []
    hiding: list[bool] = []
    with RuledTables(data) as tables:
        for number, page in enumerate(laid_out_pages(data), 1):
            if number > limits.pdf_pages:
                raise SourceTooLarge(
                    f"The PDF has more than {limits.pdf_pages} pages.", remedy="Split it."
                )
            found = boxes_of(page, [] if page.is_turned else tables.on(number, page))
            found += [box for side in page.beside for box in boxes_of(side, [])]
            pages.append([box for box in map(_cleaned, found) if _says_something(box)])
            heights.append(page.height)
            hiding.append(page.hides)
    pages = _without_running_heads(pages, heights)
    unread = [number for number, hides in enumerate(hiding, 1) if hides and not pages[number - 1]]
    size = _text_size(pages)
    title = _title(pages, size)
    parts = list(_paragraphs(pages, size, title))
    if not parts:
        return PdfText(title, [], unread)
    whole = joined_words("\n\n".join(text for text, _ in parts), typeset=True)
    return PdfText(
        title,
        [
            (item, place)
            for text, (_, place) in zip(whole.split("\n\n"), parts, strict=True)
            for item in _BULLET.split(text)
        ],
        unread,
    )


def _cleaned(box: Box) -> Box:
    """Return a box without control characters; a line of nothing else is no line. A hyphen that
    stands only at a line's end is one there.
    """
    return replace(box, text=_GAP.sub("\n", clean(_SOFT_HYPHEN.sub("\u2010", box.text))))


def _says_something(box: Box) -> bool:
    """Whether a box is more than a bullet that stands apart, letters of which no font names most,
    or lines of a table of contents.
    """
    if not box.text or _BARE_BULLET.fullmatch(box.text) or (box.cells and not any(box.cells)):
        return False
    if 2 * box.text.count(UNKNOWN) > len(re.sub(r"\s", "", box.text)):
        return False
    return not all(map(_LEADERS.search, box.text.split("\n")))


def _without_running_heads(pages: Sequence[list[Box]], heights: Sequence[float]) -> list[list[Box]]:
    """Return the pages without what stands in the margins of several at the same height: a text
    that is the same on two, or whose numbers alone differ on three; and without bare page numbers.
    """
    same: dict[tuple[str, int], set[int]] = defaultdict(set)
    alike: dict[tuple[str, int], set[int]] = defaultdict(set)
    in_margin = [
        [box for box in page if not box.cells and _in_margin(box, height)]
        for page, height in zip(pages, heights, strict=True)
    ]
    for number, boxes in enumerate(in_margin):
        for box in boxes:
            for near in _heights(box):
                same[box.text, near].add(number)
                alike[_NUMBER.sub("#", box.text), near].add(number)

    def runs(box: Box) -> bool:
        bare = _NUMBER.sub("#", box.text)
        return (
            _PAGE_NUMBER.fullmatch(bare) is not None
            or any(len(same[box.text, near]) > 1 for near in _heights(box))
            or any(len(alike[bare, near]) > 2 for near in _heights(box))
        )

    kept = []
    for page, boxes in zip(pages, in_margin, strict=True):
        running = {id(box) for box in boxes if runs(box)}
        left = [box for box in page if id(box) not in running]
        kept.append(left or page)  # a page of nothing else is no page of running heads
    return kept


def _in_margin(box: Box, height: float) -> bool:
    return box.foot < _MARGIN * height or box.top > (1 - _MARGIN) * height


def _heights(box: Box) -> tuple[int, int]:
    """Return the two steps that a box's height lies next to, so that near ones share one."""
    step = round(box.top / (2 * _SAME_HEIGHT_PT))
    return step, step + (1 if box.top > step * 2 * _SAME_HEIGHT_PT else -1)


def _text_size(pages: Sequence[Sequence[Box]]) -> float:
    """Return the size that most letters have."""
    sizes: Counter[float] = Counter()
    for page in pages:
        for box in page:
            if box.size:
                sizes[round(box.size, 1)] += len(box.text)
    return sizes.most_common(1)[0][0] if sizes else 0.0


def _title(pages: Sequence[Sequence[Box]], size: float) -> str:
    """Return the text of the largest letters, where they stand together on the first page alone."""
    large = [
        (number, place, box)
        for number, page in enumerate(pages)
        for place, box in enumerate(page)
        if box.size >= _LARGER * size and _is_heading(box, size)
    ]
    if not large:
        return ""
    largest = max(box.size for _, _, box in large)
    found = [(number, place, box.text) for number, place, box in large if box.size > largest - 0.5]
    first = found[0][1]
    if any((number, place) != (0, first + index) for index, (number, place, _) in enumerate(found)):
        return ""
    title = clean_line(joined_words("\n".join(text for *_, text in found), typeset=True), 200)
    return title.rstrip(" *∗†‡")  # the mark of a note


def _is_heading(box: Box, size: float) -> bool:
    """Whether a box is set as a heading: larger than the text, or bold, short, and no sentence."""
    if box.cells or len(box.text) > _LONGEST_HEADING or _BULLET.match(box.text):
        return False
    if not any(map(str.isalpha, box.text)):
        return False
    if box.size >= _LARGER * size:
        return True
    return box.bold and box.size >= size - 0.5 and box.text[-1] not in ".,;:"


def _paragraphs(
    pages: Sequence[Sequence[Box]], size: float, title: str
) -> Iterator[tuple[str, Place]]:
    path: dict[float, str] = {}
    text, place = "", Place()
    last: Box | None = None
    full = False
    for number, page in enumerate(pages, 1):
        for box in page:
            if last is not None and full and _goes_on(last, box):
                text, last, full = f"{text}\n{box.text}", box, _is_full(box, page)
                continue
            if text:
                yield text, place
            text, last = box.text, None
            if box.cells:
                text = row_text(list(box.names), list(box.cells))
            elif _is_heading(box, size):
                text = " ".join(text.split())
                if text != title:
                    path = {above: name for above, name in path.items() if above > _level(box)}
                    path[_level(box)] = text
            else:
                last, full = box, _is_full(box, page)
            place = Place(number, HEADING_MARK.join(path[level] for level in sorted(path)[::-1]))
    if text:
        yield text, place


def _level(box: Box) -> float:
    return round(box.size, 1) + (0.05 if box.bold else 0.0)


def _is_full(box: Box, page: Sequence[Box]) -> bool:
    """Whether the last line of a box reaches to the right edge of its column."""
    column = [other.right for other in page if abs(other.left - box.left) < _SAME_COLUMN_PT]
    return box.end - box.left > _FULL * (max(column) - box.left)


def _goes_on(above: Box, box: Box) -> bool:
    """Whether a box continues the sentence of the one before, whose last line is full: it stands
    right under it, or begins in the middle of a sentence elsewhere.
    """
    if box.cells or abs(box.size - above.size) > 0.5 or box.bold != above.bold:
        return False
    if _BULLET.match(box.text) or above.text[-1] in '.?!:;…”"»':
        return False
    under = abs(above.left - box.left) < box.size and 0 <= box.top - above.foot < box.size
    return under or bool(_MIDST.match(box.text))
