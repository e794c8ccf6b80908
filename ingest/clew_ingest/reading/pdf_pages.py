"""The pages of a PDF as pdfminer lays them out: what is seen of each, as one surface.

What programs put on a page as a form (a whole page that is stamped or set beside another, a letter
head) is part of the page; pdfminer leaves it as a figure whose letters nobody joins to words. So is
what people filled in, wrote onto it or stamped, which pdfminer leaves out. What lies outside the
visible part, such as printers' marks, is no part of it.
"""

import io
from collections.abc import Iterator, Sequence
from typing import Any

_CHART = 0.4
"""Share of a drawing's lines that are numbers, at least: the steps of its axes."""
_UPRIGHT, _ASLANT = (1, 0), (0, 0)
_SLANT = 0.1
"""How far a line may rise or fall, measured on its length."""
_DRAWN = ("Widget", "FreeText", "Stamp")
"""Annotations that show a text on the page: fields of forms, remarks, stamps."""
_UNSEEN = 2 | 32
"""Flags of an annotation that is hidden, or not shown on a screen."""
FILLED_IN = "filled in"
"""The figure, and the mark of its letters, that an annotation is; no form's name has a blank."""
_LARGE = 0.5
"""Share of the page that no chart fills."""

_Appearance = tuple[Any, tuple[float, float, float, float, float, float]]
"""A stream that draws something, and how what it draws is moved onto the page."""


def laid_out_pages(data: bytes) -> Iterator[Any]:
    """Yield pdfminer's pages (LTPage) one by one; the box of each is what is seen of it, turned
    such that most of its lines are upright (``is_turned``); ``beside``: pages of its other lines.

    Raises pdfminer's errors for what is broken.
    """
    from pdfminer.converter import PDFPageAggregator
    from pdfminer.layout import LAParams, LTImage
    from pdfminer.pdfinterp import PDFPageInterpreter, PDFResourceManager
    from pdfminer.pdfpage import PDFPage
    from pdfminer.pdftypes import dict_value
    from pdfminer.utils import MATRIX_IDENTITY, apply_matrix_rect, mult_matrix

    class Surface(PDFPageAggregator):
        def begin_page(self, page: Any, ctm: Any) -> None:
            super().begin_page(page, ctm)
            self.seen = apply_matrix_rect(ctm, page.cropbox)

        def end_figure(self, name: str) -> None:
            figure = self.cur_item
            self.cur_item = self._stack.pop()
            parts: list[Any] = [part for part in figure if not isinstance(part, LTImage)]
            if name == FILLED_IN:
                for part in parts:
                    part.filled_in = True
            if name == FILLED_IN or not _is_chart(figure, parts, self.seen):
                self.cur_item.extend(parts)

        def end_page(self, page: Any) -> None:
            surface: Any = self.cur_item
            left, foot, right, top = self.seen
            if left < right and foot < top:
                surface.set_bbox(self.seen)
                surface._objs = [part for part in surface if _is_seen(part, self.seen)]
            beside = _turned_upright(surface)
            for one in beside:
                one.analyze(self.laparams)
            super().end_page(page)
            surface.beside = beside

    class Interpreter(PDFPageInterpreter):
        appearances: Sequence[_Appearance] = ()

        def render_contents(self, resources: Any, streams: Any, ctm: Any = MATRIX_IDENTITY) -> None:
            super().render_contents(resources, streams, ctm)
            for stream, matrix in self.appearances:
                self.device.begin_figure(FILLED_IN, (0, 0, 1, 1), matrix)
                own = dict_value(stream.get("Resources") or {})
                self.subinterp().render_contents(own, [stream], mult_matrix(matrix, ctm))
                self.device.end_figure(FILLED_IN)

    resources = PDFResourceManager()
    device = Surface(resources, laparams=LAParams())
    interpreter = Interpreter(resources, device)
    for page in PDFPage.get_pages(io.BytesIO(data)):
        interpreter.appearances = list(_appearances(page))
        interpreter.process_page(page)
        yield device.get_result()


def _turned_upright(page: Any) -> list[Any]:
    """Turn a page upright on which most letters stand on their side, as those of a wide table do,
    and return the other letters as pages of their own. Letters that stand aslant are no text: they
    are stamped over it.
    """
    from pdfminer.layout import LTChar, LTPage

    letters: dict[tuple[int, int], list[Any]] = {}
    for part in page:
        if isinstance(part, LTChar):
            letters.setdefault(_direction(part), []).append(part)
    letters.pop(_ASLANT, None)
    page.is_turned = False
    others = [part for part in page if not isinstance(part, LTChar)]
    if not letters:
        page._objs = others
        return []
    main = max(letters, key=lambda one: len(letters[one]))
    beside = []
    for direction, found in letters.items():
        if direction != main:
            side = LTPage(page.pageid, page.bbox)
            side.extend(found)
            _turn(side, direction)
            beside.append(side)
    page._objs = others + letters[main]
    if main != _UPRIGHT:
        _turn(page, main)
        page.is_turned = True
    return beside


def _direction(letter: Any) -> tuple[int, int]:
    """Return in which direction a line goes on behind a letter: right, up, left, down, aslant."""
    across, up = letter.matrix[:2]
    longest = max(abs(across), abs(up))
    if not longest:
        return _UPRIGHT
    if min(abs(across), abs(up)) > _SLANT * longest:
        return _ASLANT
    return round(across / longest), round(up / longest)


def _turn(page: Any, direction: tuple[int, int]) -> None:
    """Turn a page such that lines of a direction go to the right."""
    across, up = direction
    for part in (*page, page):
        x0, y0, x1, y1 = part.bbox
        xs = sorted((across * x0 + up * y0, across * x1 + up * y1))
        ys = sorted((across * y0 - up * x0, across * y1 - up * x1))
        part.set_bbox((xs[0], ys[0], xs[1], ys[1]))
        if hasattr(part, "size"):  # of a letter: measured upwards before it was turned
            part.size = part.height


def _appearances(page: Any) -> Iterator[_Appearance]:
    """Yield what draws the annotations of a page (ISO 32000-1, 12.5.5)."""
    from pdfminer.pdftypes import PDFStream, resolve1
    from pdfminer.psparser import literal_name
    from pdfminer.utils import MATRIX_IDENTITY, apply_matrix_rect, mult_matrix

    for given in resolve1(page.annots) or ():
        annotation = resolve1(given)
        if not isinstance(annotation, dict):
            continue
        appearance, flags = resolve1(annotation.get("AP")), resolve1(annotation.get("F"))
        drawn = resolve1(appearance.get("N")) if isinstance(appearance, dict) else None
        kind = literal_name(resolve1(annotation.get("Subtype")))
        if not isinstance(drawn, PDFStream) or kind not in _DRAWN:
            continue  # a box to tick has a stream for each of its states
        matrix = _numbers(drawn.get("Matrix"), 6) or MATRIX_IDENTITY
        box, place = _numbers(drawn.get("BBox"), 4), _numbers(annotation.get("Rect"), 4)
        if box is None or place is None or (isinstance(flags, int) and flags & _UNSEEN):
            continue
        (left, foot, right, top), (x0, y0, x1, y1) = apply_matrix_rect(matrix, box), place
        if right <= left or top <= foot:
            continue
        across, up = abs(x1 - x0) / (right - left), abs(y1 - y0) / (top - foot)
        moved = min(x0, x1) - left * across, min(y0, y1) - foot * up
        yield drawn, mult_matrix(matrix, (across, 0, 0, up, *moved))


def _numbers(given: Any, count: int) -> Any:
    """Return so many numbers of a PDF, or None where something else is there."""
    from pdfminer.pdftypes import resolve_all

    found = resolve_all(given)
    if not isinstance(found, list) or len(found) != count:
        return None
    return tuple(found) if all(isinstance(one, int | float) for one in found) else None


def _is_seen(part: Any, seen: tuple[float, float, float, float]) -> bool:
    left, foot, right, top = seen
    across, down = (part.x0 + part.x1) / 2, (part.y0 + part.y1) / 2
    return left <= across <= right and foot <= down <= top


def _is_chart(figure: Any, parts: list[Any], seen: tuple[float, float, float, float]) -> bool:
    """Whether a form is a chart, whose labels say nothing by themselves: it fills less than half
    of the page, and many of its lines are numbers. ``figure`` is changed.
    """
    from pdfminer.layout import LAParams, LTTextBox

    if not parts:
        return False
    width = max(part.x1 for part in parts) - min(part.x0 for part in parts)
    height = max(part.y1 for part in parts) - min(part.y0 for part in parts)
    left, foot, right, top = seen
    if width * height > _LARGE * (right - left) * (top - foot):
        return False
    figure.analyze(LAParams(all_texts=True))
    boxes = [box for box in figure if isinstance(box, LTTextBox)]
    texts = [line.get_text() for box in boxes for line in box]
    numbers = sum(not any(map(str.isalpha, text)) for text in texts)
    return len(texts) > 1 and numbers >= _CHART * len(texts)
