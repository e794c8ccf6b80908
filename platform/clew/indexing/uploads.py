"""What comes over the network as documents, as the sources that ``Clew.accept`` takes.

Nothing here ever becomes a path of this machine.
"""

import hashlib
import json
import re
from typing import TYPE_CHECKING
from urllib.parse import quote

from clew.errors import InvalidRequest
from clew.indexing.limits import limits_of
from clew.settings import Settings

if TYPE_CHECKING:
    from clew_ingest.reading.sources import Source

RESOLVE_S = 2.0
"""So long a request waits for the name of an address to be resolved."""


def file_source(name: str, data: bytes, media_type: str | None = None) -> "Source":
    """Return an uploaded file; the same name again replaces its document."""
    from clew_ingest.reading.sources import uploaded

    return uploaded(name, data, media_type)


def record_source(title: str, text: str, uri: str | None = None) -> "Source":
    """Return a text that was sent. ``uri``, else the title, else the text itself identifies it."""
    from clew_ingest.reading.sources import Source

    key = uri or title or hashlib.sha256(text.encode()).hexdigest()[:16]
    data = json.dumps({"title": title, "text": text}, ensure_ascii=False).encode()
    return Source(
        uri=f"record:{quote(key, safe='/:?=&#~')}",
        name="record.json",
        data=data,
        media_type="application/json",
    )


def page_address(url: str, settings: Settings) -> str:
    """Return the address of a page that a job may fetch, without its fragment.

    Raises InvalidRequest where URLs may not be fetched, AddressRefused for one that must not be.
    """
    from clew_ingest.reading.fetching import check_address

    if not re.match(r"https?://[^/\s]", url, re.IGNORECASE):
        raise InvalidRequest(
            "The address is not a web page's.", remedy="It starts with http:// or https://."
        )
    if not may_fetch(settings):
        raise InvalidRequest(
            "This server does not fetch addresses.",
            remedy="Upload the page as a file, or switch url_ingest on.",
        )
    address = url.partition("#")[0]
    check_address(address, limits_of(settings), RESOLVE_S)
    return address


def may_fetch(settings: Settings) -> bool:
    """Return whether URLs are fetched: as set, else only while the web server is on loopback."""
    return limits_of(settings).url_ingest
