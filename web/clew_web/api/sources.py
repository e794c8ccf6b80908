"""What callers send as documents, as the sources that the facade takes."""

from collections.abc import Sequence
from typing import Any

from werkzeug.datastructures import FileStorage

from clew.settings import Settings
from clew.uploads import file_source, page_source, record_source
from clew_web.api.models import Records
from clew_web.errors import Refused


def from_files(files: Sequence[FileStorage], settings: Settings) -> list[Any]:
    """Return a source a file. Refuses the upload (413) where a file is over the limit."""
    limit = settings.upload_limit_mib * 1024 * 1024
    sources = []
    for file in files:
        data = file.read(limit + 1)
        name = file.filename or ""
        if len(data) > limit:
            raise Refused(
                413,
                f"A file has more than {settings.upload_limit_mib} MiB.",
                remedy="Split it, or raise upload_limit_mib.",
            )
        sources.append(file_source(name, data, file.mimetype or None))
    return sources


def from_records(body: Records, settings: Settings) -> list[Any]:
    """Return a source a text, and one for the page. Refuses what names neither."""
    if not body.records and body.url is None:
        raise Refused(
            422,
            "The request holds no document.",
            remedy='Send {"records": [{"title": …, "text": …}]}, {"url": …}, or files.',
        )
    sources = [record_source(record.title, record.text, record.uri) for record in body.records]
    if body.url is not None:
        sources.append(page_source(body.url, settings))
    return sources
