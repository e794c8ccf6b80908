"""What is attached to an e-mail, read as part of it.

The limits are those of any file; time and memory are those of the e-mail as a whole.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace

from clew_ingest.errors import UnreadableSource
from clew_ingest.limits import IngestLimits
from clew_ingest.reading.mail import Attachment
from clew_ingest.reading.media_types import MAIL, MAILBOX, claimed
from clew_ingest.reading.read_document import (
    HEADING_MARK,
    Place,
    ReadDocument,
    ReadResult,
    each_place,
)

Read = Callable[[Attachment, str | None, IngestLimits], ReadResult]
"""Reads a file of a declared media type; raises UnreadableSource with the reason."""
Part = tuple[str, Place]


def attached_parts(
    attachments: tuple[Attachment, ...], room: int, limits: IngestLimits, read: Read
) -> Iterator[Part]:
    """Yield the text of each attachment under its name, or why it is not read, and their places.

    ``room``: bytes that their texts may have together. An e-mail among them is read with its own
    attachments, as deep as ``limits`` say.
    """
    for number, attachment in enumerate(attachments):
        heading = Place(heading=attachment.name)
        yield attachment.name, heading
        try:
            if number >= limits.attachments:
                raise UnreadableSource(f"Of an e-mail {limits.attachments} attachments are read.")
            parts = list(_read(attachment, limits, read))
            size = sum(len(text.encode()) for text, _ in parts)
            if size > room:
                raise UnreadableSource(
                    f"The e-mail's text would be longer than {limits.text_limit_mib} MiB."
                )
        except UnreadableSource as error:
            yield f"This attachment was not read: {error.message}", heading
        else:
            room -= size
            yield from parts


def _read(attachment: Attachment, limits: IngestLimits, read: Read) -> Iterator[Part]:
    kind = claimed(attachment.name, attachment.media_type, served=False)
    if kind in (MAIL, MAILBOX):
        if not limits.attached_mails:
            raise UnreadableSource("It is an e-mail within an attached e-mail.")
        limits = replace(limits, attached_mails=limits.attached_mails - 1)
    result = read(attachment, kind, limits)
    for document in result.documents:
        if result.collection or kind == MAIL:
            yield document.title, Place(heading=attachment.name)
        yield from placed_parts(document, attachment.name)
        if document.left_out:
            yield document.left_out, Place(heading=attachment.name)


def placed_parts(document: ReadDocument, above: str = "") -> Iterator[Part]:
    """Yield a document's paragraphs with their headings, which stand below ``above``. Its pages are
    none of the e-mail's.
    """
    paragraphs = document.text.split("\n\n")
    for text, place in zip(paragraphs, each_place(document.places, len(paragraphs)), strict=True):
        path = filter(None, (above, place.heading))
        yield text, Place(heading=HEADING_MARK.join(path))
