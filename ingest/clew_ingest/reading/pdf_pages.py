"""The pages of a PDF as pdfminer lays them out: what is seen of each, as one surface.

What programs put on a page as a form (a whole page that is stamped or set beside another, a letter
head) is part of the page; pdfminer leaves it as a figure whose letters nobody joins to words. So is
what people filled in, ticked, wrote onto it or stamped, which pdfminer leaves out. What lies
outside the visible part, such as printers' marks, is no part of it.
"""

import io
from collections.abc import Iterator, Sequence
from types import SimpleNamespace
from typing import Any

from clew_ingest.reading.pdf_fields import Annotation, annotations_of
from clew_ingest.reading.pdf_letters import UNKNOWN, name_letters, with_accents
from clew_ingest.reading.text_decoding import TICKED, UNTICKED

_CHART = 0.4
"""Share of a drawing's lines that are numbers, at least: the steps of its axes."""
_UPRIGHT, _ASLANT = (1, 0), (0, 0)
_SLANT = 0.1
"""How far a line may rise or fall, measured on its length."""
_WRITTEN_ONTO = "written onto"
"""The figure that an annotation is; no form's name has a blank."""
_LETTER_WIDTH = 0.5
"""How wide the letters of a text are that no font sets, measured on their size."""
_PLAIN_FONT: Any = SimpleNamespace(fontname="", is_vertical=lambda: False, get_descent=lambda: 0)
_LARGE = 0.5
"""Share of the page that no chart fills, and pictures do where they are what the page is."""


def laid_out_pages(data: bytes) -> Iterator[Any]:
    """Yield pdfminer's pages (LTPage) one by one; the box of each is what is seen of it, turned
    such that most of its lines are upright (``is_turned``); ``beside``: pages of its other lines;
    ``hides``: it has pictures, or letters that no font names, which may say something.

    Raises pdfminer's errors for what is broken.
    """
    from pdfminer.converter import PDFPageAggregator
    from pdfminer.layout import LAParams, LTChar, LTImage
    from pdfminer.pdfinterp import PDFPageInterpreter, PDFResourceManager
    from pdfminer.pdfpage import PDFPage
    from pdfminer.pdftypes import dict_value
    from pdfminer.utils import MATRIX_IDENTITY, apply_matrix_rect, mult_matrix

    class Surface(PDFPageAggregator):
        field = 0

        def begin_page(self, page: Any, ctm: Any) -> None:
            super().begin_page(page, ctm)
            self.seen = apply_matrix_rect(ctm, page.cropbox)
            self.pictured = 0.0
            self.unnamed = False

        def handle_undefined_char(self, font: Any, cid: int) -> str:
            self.unnamed = True
            return UNKNOWN

        def end_figure(self, name: str) -> None:
            figure = self.cur_item
            self.cur_item = self._stack.pop()
            parts: list[Any] = [part for part in figure if not isinstance(part, LTImage)]
            self.pictured += sum(
                part.width * part.height for part in figure if isinstance(part, LTImage)
            )
            if name == _WRITTEN_ONTO:
                for part in parts:
                    part.field = self.field
            if name == _WRITTEN_ONTO or not _is_chart(figure, parts, self.seen):
                self.cur_item.extend(parts)

        def write(self, one: Annotation, matrix: Any) -> None:
            """Set a text for which the PDF has no stream that draws it."""
            step = _LETTER_WIDTH * one.size
            unknown: Any = None
            for line, text in enumerate(one.text.splitlines()):
                is_sign = text in (TICKED, UNTICKED)
                for place, letter in enumerate([text] if is_sign else text):
                    moved = mult_matrix((1, 0, 0, 1, place * step, -line * one.size), matrix)
                    item = LTChar(
                        moved,
                        _PLAIN_FONT,
                        one.size,
                        1,
                        0,
                        letter,
                        _LETTER_WIDTH,
                        0,
                        unknown,
                        unknown,
                    )
                    self.cur_item.add(item)

        def end_page(self, page: Any) -> None:
            surface: Any = self.cur_item
            left, foot, right, top = self.seen
            if left < right and foot < top:
                surface.set_bbox(self.seen)
                surface._objs = [part for part in surface if _is_seen(part, self.seen)]
            surface._objs = with_accents(surface._objs)
            beside = _turned_upright(surface)
            for one in beside:
                one.analyze(self.laparams)
            super().end_page(page)
            surface.beside = beside
            area = abs((right - left) * (top - foot))
            surface.hides = self.unnamed or self.pictured > _LARGE * area

    class Fonts(PDFResourceManager):
        def get_font(self, objid: Any, spec: Any) -> Any:
            font = super().get_font(objid, spec)
            name_letters(font, spec)
            return font

    class Interpreter(PDFPageInterpreter):
        annotations: Sequence[Annotation] = ()

        def render_contents(self, resources: Any, streams: Any, ctm: Any = MATRIX_IDENTITY) -> None:
            super().render_contents(resources, streams, ctm)
            surface: Any = self.device
            for one in self.annotations:
                surface.field = one.field
                surface.begin_figure(_WRITTEN_ONTO, (0, 0, 1, 1), one.matrix)
                moved = mult_matrix(one.matrix, ctm)
                if one.drawn is None:
                    surface.write(one, moved)
                else:
                    own = dict_value(one.drawn.get("Resources") or {})
                    self.subinterp().render_contents(own, [one.drawn], moved)
                surface.end_figure(_WRITTEN_ONTO)

    resources = Fonts()
    device = Surface(resources, laparams=LAParams())
    interpreter = Interpreter(resources, device)
    for page in PDFPage.get_pages(io.BytesIO(data)):
        interpreter.annotations = list(annotations_of(page))
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
