"""Contacts (vCard, RFC 6350 and those before it): who somebody is and how to reach them."""

import quopri
import re

from clew_ingest.reading.calendar_events import ContentLine, content_lines, unescaped
from clew_ingest.reading.markdown_text import row_text
from clew_ingest.reading.text_decoding import clean_line, decode

_SHOWN = {
    "FN": "Name",
    "NICKNAME": "Nickname",
    "ORG": "Organisation",
    "TITLE": "Role",
    "ROLE": "Role",
    "TEL": "Phone",
    "EMAIL": "E-mail",
    "ADR": "Address",
    "URL": "Web",
    "BDAY": "Birthday",
    "NOTE": "Note",
}
_QUOTED = re.compile(
    r"^[^:\r\n]*;(?:ENCODING=)?QUOTED-PRINTABLE[;:](?:.*=\r?\n)+", re.IGNORECASE | re.MULTILINE
)
"""All but the last of the lines that a value in quoted-printable goes over."""
_SOFT_BREAK = re.compile(r"=\r?\n")
_PARTS = re.compile(r"(?<!\\);")


def read_contacts(text: str) -> list[tuple[str, str]]:
    """Return the name of each contact, "" for none, and a sentence of what is known of it."""
    found: list[tuple[str, str]] = []
    cells: dict[str, list[str]] = {}
    name = ""
    for line in content_lines(_QUOTED.sub(lambda found: _SOFT_BREAK.sub("", found[0]), text)):
        if line.name == "BEGIN":
            cells, name = {}, ""
        elif line.name == "N":
            family, *given = _parts(line)
            name = " ".join(filter(None, (*given[:1], family)))
        elif line.name in _SHOWN:
            value = ", ".join(filter(None, _parts(line)))
            cells.setdefault(_SHOWN[line.name], []).append(value)
        elif line.name == "END":
            shown = {"Name": [name], **cells} if name else cells
            values = [", ".join(dict.fromkeys(filter(None, one))) for one in shown.values()]
            if any(values):
                found.append((", ".join(shown.get("Name", ())), row_text([*shown], values)))
    return found


def _parts(line: ContentLine) -> list[str]:
    value = line.value
    if line.parameters.get("ENCODING", "").upper() == "QUOTED-PRINTABLE":
        value = decode(quopri.decodestring(value), declared=line.parameters.get("CHARSET"))
    return [clean_line(unescaped(part)) for part in _PARTS.split(value)]
