"""Slides (PPTX) as HTML: their titles, texts, tables, charts and notes, in the order in which they
are seen.
"""

import io
from collections.abc import Iterable, Iterator
from html import escape
from typing import Any


def html_of_slides(data: bytes) -> str:
    """Return what a presentation says, each paragraph of a slide as one of its own."""
    from pptx import Presentation

    return "\n".join(part for slide in Presentation(io.BytesIO(data)).slides for part in _of(slide))


def _of(slide: Any) -> Iterator[str]:
    for shape in _as_seen(slide.shapes):
        if shape == slide.shapes.title:
            yield f"<h1>{escape(' '.join(shape.text_frame.text.split()))}</h1>"
        elif shape.has_text_frame:
            yield from _paragraphs(shape.text_frame)
        elif shape.has_table:
            yield _table(shape.table)
        elif shape.has_chart:
            yield from _chart(shape.chart)
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


def _paragraphs(frame: Any) -> Iterator[str]:
    for paragraph in frame.paragraphs:
        yield f"<p>{_lines(paragraph.text)}</p>"


def _lines(text: str) -> str:
    return "<br>".join(escape(line) for line in text.splitlines())


def _table(table: Any) -> str:
    rows = []
    for number, row in enumerate(table.rows):
        name = "td" if number else "th"
        cells = (
            f'<{name} rowspan="{cell.span_height}" colspan="{cell.span_width}">'
            f"{_lines(cell.text)}</{name}>"
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
