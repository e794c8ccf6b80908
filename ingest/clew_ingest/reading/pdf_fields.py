"""What people filled in, ticked, wrote onto the pages of a PDF or stamped, and what names it."""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from clew_ingest.reading.text_decoding import TICKED, UNTICKED

_DRAWN = ("Widget", "FreeText", "Stamp")
"""Annotations that show a text on the page: fields of forms, remarks, stamps."""
_UNSEEN = 2 | 32
"""Flags of an annotation that is hidden, or not shown on a screen."""
_UNREADABLE = 1 << 16 | 1 << 13
"""Flags of a button that is pressed and holds no choice, and of a password."""
_LARGEST_PT = 12.0
_DEEPEST = 20
"""How deep a field may lie in others."""
_LEADERS = "_…. "
"""What stands where a value is to be filled in."""
_NAMED = (":", "?", "=")
"""How what names a value ends."""

_Matrix = tuple[float, float, float, float, float, float]


class Annotation(NamedTuple):
    """Something on a page: a stream that draws it, and how that is moved there; or a text and the
    place of its first letter. ``field``: its number where it is a field of a form, else 0.
    """

    field: int
    drawn: Any
    matrix: _Matrix
    text: str = ""
    size: float = 0.0


def annotations_of(page: Any) -> Iterator[Annotation]:
    """Yield what is filled in, ticked, written onto a page or stamped (ISO 32000-1, 12.5.5)."""
    from pdfminer.pdftypes import resolve1
    from pdfminer.psparser import literal_name

    form = resolve1(page.doc.catalog.get("AcroForm"))
    outdated = isinstance(form, dict) and resolve1(form.get("NeedAppearances")) is True
    for number, given in enumerate(resolve1(page.annots) or (), 1):
        annotation = resolve1(given)
        if not isinstance(annotation, dict):
            continue
        kind, flags = (
            literal_name(resolve1(annotation.get("Subtype"))),
            resolve1(annotation.get("F")),
        )
        place = _numbers(annotation.get("Rect"), 4)
        if kind not in _DRAWN or place is None or (isinstance(flags, int) and flags & _UNSEEN):
            continue
        field = number if kind == "Widget" else 0
        appearance = resolve1(annotation.get("AP"))
        drawn = resolve1(appearance.get("N")) if isinstance(appearance, dict) else None
        shown, value = _drawn(field, drawn, place), _written(field, annotation, place)
        if found := (value or shown) if outdated or isinstance(drawn, dict) else (shown or value):
            yield found


def _drawn(field: int, drawn: Any, place: Sequence[float]) -> Annotation | None:
    """Return what a stream draws at a place; None where there is no stream, or none to be seen."""
    from pdfminer.pdftypes import PDFStream
    from pdfminer.utils import MATRIX_IDENTITY, apply_matrix_rect, mult_matrix

    if not isinstance(drawn, PDFStream):
        return None
    matrix = _numbers(drawn.get("Matrix"), 6) or MATRIX_IDENTITY
    box = _numbers(drawn.get("BBox"), 4)
    if box is None:
        return None
    (left, foot, right, top), (x0, y0, x1, y1) = apply_matrix_rect(matrix, box), place
    if right <= left or top <= foot:
        return None
    across, up = abs(x1 - x0) / (right - left), abs(y1 - y0) / (top - foot)
    moved = min(x0, x1) - left * across, min(y0, y1) - foot * up
    return Annotation(field, drawn, mult_matrix(matrix, (across, 0, 0, up, *moved)))


def _written(field: int, annotation: Any, place: Sequence[float]) -> Annotation | None:
    """Return the text of a field that no stream draws, or an outdated one: a value, or the sign of
    a box to tick, which has a stream for each of its states.
    """
    from pdfminer.pdftypes import resolve1
    from pdfminer.psparser import literal_name

    kind, value = _inherited(annotation, "FT"), _inherited(annotation, "V")
    flags = _inherited(annotation, "Ff")
    if not field or kind is None or (isinstance(flags, int) and flags & _UNREADABLE):
        return None
    text = _value(value, _inherited(annotation, "Opt"))
    if literal_name(kind) == "Btn":
        text = (
            UNTICKED
            if literal_name(resolve1(annotation.get("AS")) or value or "Off") == "Off"
            else TICKED
        )
    lines = text.splitlines()
    if not lines:
        return None
    x0, y0, x1, y1 = place
    height, top = abs(y1 - y0), max(y0, y1)
    size = min(height / len(lines), _LARGEST_PT)
    base = top - size if len(lines) > 1 else top - (height + size) / 2
    return Annotation(field, None, (1, 0, 0, 1, min(x0, x1), base), text, size)


def _inherited(annotation: Any, name: str) -> Any:
    """Return an entry of a field, or of what it is a part of."""
    from pdfminer.pdftypes import resolve1

    for _ in range(_DEEPEST):
        found, above = resolve1(annotation.get(name)), resolve1(annotation.get("Parent"))
        if found is not None or not isinstance(above, dict):
            return found
        annotation = above
    return None


def _value(value: Any, options: Any) -> str:
    """Return the value of a text field, or what is chosen of a list as it is shown there."""
    from pdfminer.pdftypes import resolve_all
    from pdfminer.utils import decode_text

    values, listed = resolve_all(value), resolve_all(options)
    listed = listed if isinstance(listed, list) else []
    pairs = [one for one in listed if isinstance(one, list) and len(one) == 2]
    chosen = values if isinstance(values, list) else [values]
    shown = ([name for key, name in pairs if key == one] or [one] for one in chosen)
    return ", ".join(decode_text(one) for one, *_ in shown if isinstance(one, bytes)).strip()


def _numbers(given: Any, count: int) -> Any:
    """Return so many numbers of a PDF, or None where something else is there."""
    from pdfminer.pdftypes import resolve_all

    found = resolve_all(given)
    if not isinstance(found, list) or len(found) != count:
        return None
    return tuple(found) if all(isinstance(one, int | float) for one in found) else None


def join_fields(lines: Sequence[Any]) -> None:
    """Join what was filled into a form with what names it on its left, "Name: Ada", and the sign of
    a box to tick with the choice that it stands nearest to. pdfminer's ``lines`` are changed.

    Fields beside each other are a row of a table, and stay as they are.
    """
    fields: dict[int, list[Any]] = {}
    for line in lines:
        numbers = {getattr(letter, "field", 0) for letter in _letters(line)}
        if len(numbers) == 1 and (number := numbers.pop()):
            fields.setdefault(number, []).append(line)
    for own in fields.values():
        own.sort(key=lambda line: -line.y1)
    alone = {id(line) for own in fields.values() for line in own}
    for own in fields.values():
        first = own[0]
        beside = [line for line in lines if len(line) and line not in own and _beside(line, first)]
        left = max(
            (one for one in beside if one.x0 < first.x0), key=lambda one: one.x1, default=None
        )
        right = min(
            (one for one in beside if one.x0 >= first.x0), key=lambda one: one.x0, default=None
        )
        if any(one is not None and id(one) in alone for one in (left, right)):
            continue
        is_sign = first.get_text().strip() in (TICKED, UNTICKED)
        if is_sign and right and (not left or right.x0 - first.x1 <= first.x0 - left.x1):
            _set(right, [*_without_end(first), " ", *_without_end(right)])
        elif left:
            _set(left, _with_value(left, own, is_sign))
        else:
            continue
        for line in own:
            line._objs = []


def _with_value(line: Any, own: Sequence[Any], is_sign: bool) -> list[Any]:
    """Return the parts of a line and, where they belong, those of what is filled in there."""
    start, end = own[0].x0, max(one.x1 for one in own)
    parts = _without_end(line)
    cut = next((at for at, part in enumerate(parts) if _middle(part, start) > start), len(parts))
    before, after = parts[:cut], parts[cut:]
    after = [part for part in after if _middle(part, end + 1) > end or part.get_text().isalnum()]
    while before and before[-1].get_text() in _LEADERS:
        before.pop()
    while after and after[0].get_text() in _LEADERS:
        after.pop(0)
    named = is_sign or not before or before[-1].get_text() in _NAMED
    values = [part for one in own for part in (" ", *_without_end(one))]
    return [*before, *([] if named else [":"]), *values, *([" ", *after] if after else [])]


def _set(line: Any, parts: Sequence[Any]) -> None:
    """Give a line other parts; text among them stands for what no letter says."""
    from pdfminer.layout import LTAnno

    line._objs = [LTAnno(part) if isinstance(part, str) else part for part in (*parts, "\n")]
    line.set_bbox(
        (
            min(letter.x0 for letter in _letters(line)),
            min(letter.y0 for letter in _letters(line)),
            max(letter.x1 for letter in _letters(line)),
            max(letter.y1 for letter in _letters(line)),
        )
    )


def _without_end(line: Any) -> list[Any]:
    parts = list(line)
    while parts and not parts[-1].get_text().strip():
        parts.pop()
    return parts


def _letters(line: Any) -> list[Any]:
    from pdfminer.layout import LTChar

    return [part for part in line if isinstance(part, LTChar)]


def _middle(part: Any, unknown: float) -> float:
    """Return the middle of a letter; ``unknown`` for a blank that no letter sets."""
    return (part.x0 + part.x1) / 2 if hasattr(part, "x0") else unknown


def _beside(line: Any, other: Any) -> bool:
    shared = min(line.y1, other.y1) - max(line.y0, other.y0)
    return bool(shared > 0.5 * min(line.height, other.height))
