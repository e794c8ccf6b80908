"""Slides (PPTX) as HTML: their titles, texts, tables, charts, diagrams and notes, in the order in
which they are seen.
"""

import io
import re
from collections.abc import Iterable, Iterator
from html import escape
from typing import Any

_DIAGRAM = "{http://schemas.openxmlformats.org/drawingml/2006/diagram}"
_TEXTS = re.compile(r"\{.*\}(?:r|br|fld)")
"""Elements of a paragraph that are text."""


def html_of_slides(data: bytes) -> Iterator[str]:
    """Yield what each slide of a presentation says, each of its paragraphs as one of its own."""
    from pptx import Presentation

    for slide in Presentation(io.BytesIO(data)).slides:
        yield "\n".join(_of(slide))


def _of(slide: Any) -> Iterator[str]:
    title = slide.shapes.title
    if title is not None:  # all of the slide stands under it, wherever it is set
        yield f"<h1>{escape(' '.join(title.text_frame.text.split()))}</h1>"
    for shape in _as_seen(slide.shapes):
        if shape == title or _runs_along(shape):
            continue
        if shape.has_text_frame:
            yield from _paragraphs(shape.text_frame)
        elif shape.has_table:
            yield _table(shape.table)
        elif shape.has_chart:
            yield from _chart(shape.chart)
        elif drawn := shape.element.findall(f".//{_DIAGRAM}relIds"):
            yield from _diagram(slide, drawn[0])
        else:
            yield f"<p>{escape(shape.element.xpath('string(.//p:cNvPr/@descr)'))}</p>"
    notes = slide.notes_slide.notes_text_frame if slide.has_notes_slide else None
    if notes is not None and notes.text.strip():
        yield "<h3>Notes:</h3>"
        yield from _paragraphs(notes)


def _as_seen(shapes: Iterable[Any]) -> Iterator[Any]:
    """Yield shapes from the top down, those of groups one by one."""
    for shape in sorted(shapes, key=lambda one: (one.top or 0, one.left or 0)):
        if hasattr(shape, "shapes"):
            yield from _as_seen(shape.shapes)
        else:
            yield shape


def _runs_along(shape: Any) -> bool:
    """Whether a shape is what stands on every slide: its number, the day, a line at its foot."""
    from pptx.enum.shapes import PP_PLACEHOLDER

    running = (PP_PLACEHOLDER.SLIDE_NUMBER, PP_PLACEHOLDER.DATE, PP_PLACEHOLDER.FOOTER)
    return shape.is_placeholder and shape.placeholder_format.type in running


def _paragraphs(frame: Any) -> Iterator[str]:
    for paragraph in frame.paragraphs:
        yield f"<p>{_lines(paragraph)}</p>"


def _lines(paragraph: Any) -> str:
    """Return a paragraph's text as HTML, with what stands above the line marked as such."""
    parts = []
    for part in paragraph._p.iterchildren():
        if not _TEXTS.fullmatch(part.tag):
            continue
        text = "<br>".join(map(escape, (part.findtext("{*}t") or "").split("\v")))
        if part.tag.endswith("}br"):
            text = "<br>"
        properties = part.find("{*}rPr")
        raised = properties is not None and properties.get("baseline", "0").lstrip("0%")
        parts.append(f"<sup>{text}</sup>" if raised and raised[0] != "-" else text)
    return "".join(parts)


def _diagram(slide: Any, drawn: Any) -> Iterator[str]:
    """Yield the texts of a diagram (SmartArt), which lie in a part of their own."""
    from lxml import etree

    part = next(value for name, value in drawn.attrib.items() if name.endswith("}dm"))
    root = etree.fromstring(slide.part.related_part(part).blob)
    for text in root.iterfind(f".//{_DIAGRAM}t"):
        for paragraph in text.iterfind("{*}p"):
            yield f"<p>{escape(''.join(paragraph.itertext('{*}t')))}</p>"


def _table(table: Any) -> str:
    rows = []
    for number, row in enumerate(table.rows):
        name = "td" if number or not table.first_row else "th"
        cells = (
            f'<{name} rowspan="{cell.span_height}" colspan="{cell.span_width}">'
            f"{'<br>'.join(map(_lines, cell.text_frame.paragraphs))}</{name}>"
            for cell in row.cells
            if not cell.is_spanned
        )
        rows.append(f"<tr>{''.join(cells)}</tr>")
    return f"<table>{''.join(rows)}</table>"


def _chart(chart: Any) -> Iterator[str]:
    """Yield a chart's title, and the values of its series by category."""
    title = chart.chart_title.text_frame.text if chart.has_title else ""
    yield f"<h3>{escape(title) or 'Chart'}</h3>"
    try:
        plots = list(chart.plots)
    except ValueError:  # of a kind that python-pptx does not know
        return
    series = [(one.name, list(one.values)) for plot in plots for one in plot.series]
    labels = [str(category) for plot in plots[:1] for category in plot.categories]
    rows = [["Category", *(name for name, _ in series)]]
    for place, label in enumerate(labels):
        rows.append([label, *(_value(values, place) for _, values in series)])
    parts = (
        "".join(f"<{name}>{escape(cell)}</{name}>" for cell in row)
        for name, row in zip(["th", *["td"] * len(labels)], rows, strict=True)
    )
    yield f"<table>{''.join(f'<tr>{part}</tr>' for part in parts)}</table>"


def _value(values: list[float | None], place: int) -> str:
    value = values[place] if place < len(values) else None
    return "" if value is None else str(value)
