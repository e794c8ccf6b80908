"""Titles that files of Office and PDF declare, without those that programs put there."""

import io
import re
import zipfile
from typing import Any

from clew_ingest.reading.text_decoding import clean_line

_JUNK_TITLE = re.compile(
    r"^(?:\(?(?:untitled|anonymous|unspecified|unknown|no title)\)?"
    r"|(?:word )?document ?\d*|microsoft \w+ - .*|.*\.(?:docx?|indd|tex|dvi|qxd)|\W*)$",
    re.I,
)


def pdf_title(document: Any) -> str:
    """Return the title that a PDF's properties tell, "" for none."""
    from pdfminer.utils import decode_text

    for info in document.info:
        value = info.get("Title")
        if isinstance(value, bytes):
            found = clean_line(decode_text(value))
            return "" if _JUNK_TITLE.match(found) else found
    return ""


def office_title(data: bytes) -> str:
    """Return the title that the properties of a Word or PowerPoint file tell, "" for none."""
    from xml.etree.ElementTree import fromstring

    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        if "docProps/core.xml" not in archive.namelist():
            return ""
        core = fromstring(archive.read("docProps/core.xml"))
    found = clean_line(core.findtext("{http://purl.org/dc/elements/1.1/}title") or "")
    junk = _JUNK_TITLE.match(found) or found.lower() in ("powerpoint presentation", "document")
    return "" if junk else found
