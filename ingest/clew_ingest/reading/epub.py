"""E-books (EPUB): their pages in the order in which they are read."""

import io
import posixpath
import zipfile
from collections.abc import Iterator
from typing import Any
from urllib.parse import unquote

from clew_ingest.errors import UnreadableSource
from clew_ingest.reading.html_page import Page, read_page
from clew_ingest.reading.text_decoding import clean_line

_CONTAINER = "META-INF/container.xml"
_ENCRYPTION = "META-INF/encryption.xml"
_PAGES = ("application/xhtml+xml", "text/html", "application/x-dtbook+xml")


def read_epub(data: bytes) -> tuple[str, Iterator[Page]]:
    """Return an e-book's title, "" for none, and its pages, without its table of contents.

    Raises UnreadableSource for one that is protected, KeyError where parts are missing.
    """
    archive = zipfile.ZipFile(io.BytesIO(data))
    root = _parsed(archive.read(_CONTAINER)).find(".//{*}rootfile").get("full-path", "")
    book = _parsed(archive.read(root))
    items = {item.get("id"): item for item in book.iterfind("{*}manifest/{*}item")}
    order = [items.get(one.get("idref")) for one in book.iterfind("{*}spine/{*}itemref")]
    names = [
        posixpath.normpath(posixpath.join(posixpath.dirname(root), unquote(item.get("href", ""))))
        for item in order
        if item is not None
        and item.get("media-type") in _PAGES
        and "nav" not in item.get("properties", "").split()
    ]
    if _ENCRYPTION in archive.namelist():  # fonts may be hidden, and no page
        hidden = _parsed(archive.read(_ENCRYPTION)).iterfind(".//{*}CipherReference")
        if {unquote(one.get("URI", "")) for one in hidden} & {*names}:
            raise UnreadableSource(
                "The e-book is protected against copying.", remedy="Add it without protection."
            )
    title = clean_line(book.findtext("{*}metadata/{http://purl.org/dc/elements/1.1/}title") or "")
    return title, (read_page(archive.read(name), is_chapter=True) for name in names)


def _parsed(data: bytes) -> Any:
    from lxml import etree

    return etree.fromstring(data, etree.XMLParser(resolve_entities=False, no_network=True))
