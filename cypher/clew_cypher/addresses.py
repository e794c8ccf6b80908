"""Addresses of documents as people read and type them: with blanks and accents, not with %20.

An address is kept as it came: percent-encoded that of a file or an upload, as its server writes it
that of a page, plain that of an object in a bucket. So what was typed is compared in each of the
forms that it may be kept in, which costs a scan less than decoding every address.
"""

import re
import unicodedata
from urllib.parse import quote, unquote

UPLOAD = "upload:"
"""How the addresses of uploads begin."""
OF_PAGES = "/:?#[]@!$&'()*+,;=%~"
"""What is not encoded in the addresses of pages."""
_START = re.compile(r"[a-z][a-z0-9+.-]*://|upload:", re.IGNORECASE)


def plain(text: str) -> str:
    """Return an address or a title as people read it: decoded, its letters composed (NFC)."""
    return unicodedata.normalize("NFC", unquote(text))


def file_name(address: str) -> str:
    """Return the last part of an address."""
    return address.rsplit("/", 1)[-1].removeprefix(UPLOAD)


def written(text: str) -> list[str]:
    """Return the forms in which an address or title, or a part of one, may be kept."""
    start = _START.match(text)
    scheme = start[0] if start else ""
    forms = []
    for normal in (text, *(unicodedata.normalize(form, text) for form in ("NFC", "NFD"))):
        rest = normal.removeprefix(scheme)
        file, mark, record = rest.rpartition("#")
        encoded = [quote(rest), quote(rest, safe=OF_PAGES)]
        if mark:
            encoded.append(f"{quote(file)}#{record}")
        forms += [normal, *(scheme + one for one in encoded)]
    return list(dict.fromkeys(forms))


def written_in_any_case(text: str) -> list[str]:
    """Return the forms as ``written``, in small letters, of ``text`` in capital and small ones: an
    encoded accent is another one in a capital letter.
    """
    cases = (text, text.lower(), text.upper(), text.title(), text.capitalize())
    return list(dict.fromkeys(form.lower() for case in cases for form in written(case)))
