"""Marks in a page's text: of notes, of numbers above the line, boxes to tick, and formulas."""

import re
from collections.abc import Iterable
from itertools import takewhile
from typing import Any

from clew_ingest.reading.text_decoding import TICKED, UNTICKED, raised

_MARK = re.compile(r"[\[(]?(\d{1,3}|[a-z]|[ivx]{1,5}|[*†‡§]{1,3})[\])]?")
_NOTE_PARTS = ("li", "p", "div", "aside", "td", "dd", "section")
_ARROWS = "^↑↩↵⏎\ufe0e "
_STYLED = re.compile(r"^\{\\displaystyle (.*)\}$", re.DOTALL)


def with_plain_marks(soup: Any) -> None:
    """Write the marks of notes as "[1]", at the notes, too, numbers above the line as such, what
    wikis tick as pages do, and formulas once, as they were written. ``soup`` is changed.
    """
    for box in soup(class_=["checkbox-on", "checkbox-off"]):  # Notion
        box.name = "span"
        box.string = TICKED if "checkbox-on" in box["class"] else UNTICKED
    for item in soup.select("ul.inline-task-list > li"):  # Confluence
        sign = TICKED if "checked" in item.get("class", []) else UNTICKED
        (item.find("p") or item).insert(0, f"{sign} ")
    _with_plain_formulas(soup)
    _with_marked_notes(soup)
    for part in soup("sup"):
        text = part.get_text()
        if raised(text) != text:
            is_mark = part.find("a") or part.find_parent("a")
            part.string = f"[{text.strip()}]" if is_mark else raised(text)


def _with_marked_notes(soup: Any) -> None:
    named = {part.get("id") or part.get("name"): part for part in soup(_is_named)}
    marks = [(link, found[1]) for link in soup("a", href=True) if (found := _mark_of(link))]
    places = {
        part.get("id") or part.get("name")
        for link, _ in marks
        for part in (link, *link.parents, *link(True))
        if part is link or part.name in ("sup", "span")
    }
    for link, mark in marks:
        if link.decomposed:  # it led back from a note
            continue
        if not link.find_parent("sup") and not link.find("sup"):
            link.string = f"[{mark}]"
        note = named.get(link["href"][1:])
        if note is None or note.decomposed or note.name not in _NOTE_PARTS:
            continue
        if any(one is note for one in link.parents):
            continue
        _remove(
            back
            for back in note("a", href=True)
            if back.get("role") == "doc-backlink" or back["href"][1:] in places
        )
        texts = note.find_all(string=True)
        arrows = list(takewhile(lambda text: not text.strip(_ARROWS + "\n"), texts))
        said = note.get_text().strip(_ARROWS + "\n")
        if said and not said.startswith((f"[{mark}]", mark)):
            first = texts[len(arrows)]
            _remove(arrows)
            (note.find("p") or note).insert(0, f"[{mark}] ")
            first.replace_with(first.lstrip(_ARROWS))


def _is_named(part: Any) -> bool:
    return part.has_attr("id") or (part.name == "a" and part.has_attr("name"))


def _mark_of(link: Any) -> re.Match[str] | None:
    """Return the mark that a link to a note is: one that stands above the line, in brackets, or is
    said to be one.
    """
    text = link.get_text().strip()
    said = {link.get("role"), *(link.get("epub:type") or "").split()}
    is_mark = (
        said & {"doc-noteref", "noteref"}
        or link.find("sup")
        or link.find_parent("sup")
        or text[:1] == "["
    )
    return _MARK.fullmatch(text) if is_mark and link["href"].startswith("#") else None


def _with_plain_formulas(soup: Any) -> None:
    for formula in soup("math"):
        if formula.decomposed:  # it showed one before it once more
            continue
        written = formula.find("annotation", encoding=re.compile("tex"))
        text = written.get_text() if written else formula.get("alttext") or ""
        around = formula.parent.parent or formula.parent
        _remove(around("img", alt=formula.get("alttext") or text))
        if not formula.find_parent(class_="katex-html"):
            _remove(around(class_="katex-html"))
        _remove(formula(["annotation", "annotation-xml"]))
        formula.replace_with(_STYLED.sub(r"\1", text.strip()) or formula.get_text())


def _remove(parts: Iterable[Any]) -> None:
    """Remove parts with all that is in them; some may lie within others."""
    for part in list(parts):
        if not part.decomposed:
            part.decompose()
