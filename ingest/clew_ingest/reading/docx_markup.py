"""DOCX as mammoth knows it: what Word wraps around text, and mammoth skips with all that it holds.

Moved text, fields, marks of other programs' data, right-to-left runs and text boxes are unwrapped;
what was moved away, what is read out beside its characters, and what asks to fill in a field, goes.
"""

import io
import re
import zipfile
from typing import Any, BinaryIO

_WRAPPERS = ("moveTo", "fldSimple", "customXml", "bdo", "dir", "ruby", "rubyBase")
_GONE = ("moveFrom", "rt")
_BLANKS = {"cr": "br", "ptab": "tab"}
"""Line ends and tabs that go by other names."""
_FIELDS = ("showingPlcHdr", "ddList")
"""Parts of a field that is not filled in, and of a list of which one entry is chosen."""
_BOX = "{*}txbxContent"
_PART = re.compile(r"word/[^/]+\.xml")
_ANY = re.compile(
    rb"[<:](?:%s)[\s/>]"
    % "|".join((*_WRAPPERS, *_GONE, *_BLANKS, *_FIELDS, "br", "txbxContent")).encode()
)


def with_plain_markup(docx: BinaryIO) -> BinaryIO:
    """Return the DOCX with the text of its parts unwrapped. Raises lxml's XMLSyntaxError."""
    plain = io.BytesIO()
    with zipfile.ZipFile(docx) as source:
        parts = filter(_PART.fullmatch, source.namelist())
        changed = {name: _plain(part) for name in parts if _ANY.search(part := source.read(name))}
        if not changed:
            return docx
        with zipfile.ZipFile(plain, "w") as target:
            for name in source.namelist():
                target.writestr(name, changed.get(name) or source.read(name))
    plain.seek(0)
    return plain


def _plain(part: bytes) -> bytes:
    from lxml import etree

    parser = etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=True)
    root = etree.fromstring(part, parser)
    names: dict[str, list[Any]] = {}
    for element in root.iter(etree.Element):
        names.setdefault(etree.QName(element).localname, []).append(element)
    for name in _GONE:
        for element in names.get(name, ()):
            _unwrap(element, [])
    for name in _WRAPPERS:
        for element in names.get(name, ()):
            _unwrap(element, list(element))
    for mark in names.get("showingPlcHdr", ()):
        for content in mark.getparent().getparent().findall("{*}sdtContent"):
            for text in content.iter("{*}t"):
                text.text = ""
    for choice in names.get("ddList", ()):
        _write_chosen(choice)
    for name, known in _BLANKS.items():
        for element in names.get(name, ()):
            element.tag = element.tag.replace(f"}}{name}", f"}}{known}")
    for element in names.get("br", ()):
        element.attrib.clear()  # the page ends here, and so does a line
    for element in names.get("AlternateContent", ()):
        if (
            element.find(f"{{*}}Fallback//{_BOX}") is None
            and element.find(f".//{_BOX}") is not None
        ):
            _unwrap(element, list(element.find("{*}Choice")))
    for element in names.get("drawing", ()):
        boxes = element.findall(f".//{_BOX}")
        if boxes and not any(above.tag.endswith("}Choice") for above in element.iterancestors()):
            picture = etree.Element(element.tag.replace("}drawing", "}pict"))
            picture.extend(box for box in boxes if box.getparent() is not None)
            element.addnext(picture)
    return bytes(etree.tostring(root, encoding="utf-8", xml_declaration=True))


def _write_chosen(choice: Any) -> None:
    """Write what is chosen of a list behind the run that begins its field."""
    from lxml import etree

    entries = [name for entry in choice.findall("{*}listEntry") for name in entry.attrib.values()]
    chosen = [*choice.findall("{*}result"), *choice.findall("{*}default")]
    place = next((value for one in chosen for value in one.attrib.values()), "0")
    run = next(choice.iterancestors("{*}r"), None)
    if run is not None and place.isdecimal() and int(place) < len(entries):
        written = etree.Element(run.tag)
        etree.SubElement(written, run.tag[:-1] + "t").text = entries[int(place)]
        run.addnext(written)


def _unwrap(element: Any, children: list[Any]) -> None:
    """Put ``children`` in the place of an element."""
    parent = element.getparent()
    if parent is None:
        return
    place = parent.index(element)
    parent[place : place + 1] = children
