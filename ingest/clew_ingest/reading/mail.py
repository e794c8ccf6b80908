"""E-mails as they are saved (``.eml``): who wrote to whom, when, and what."""

import email
import re
from collections.abc import Iterator
from dataclasses import dataclass
from email import policy
from email.message import EmailMessage, MIMEPart
from email.utils import getaddresses

from clew_ingest.errors import UnreadableSource
from clew_ingest.reading.markdown_text import row_text
from clew_ingest.reading.media_types import MAIL
from clew_ingest.reading.text_decoding import clean_line, decode

_PEOPLE = ("From", "To", "Cc")
_QUOTED = re.compile(r"^[ \t]*>.*\n?", re.MULTILINE)


@dataclass(frozen=True)
class Attachment:
    """A file that came with an e-mail; ``media_type``: what the e-mail declares."""

    name: str
    media_type: str
    data: bytes


@dataclass(frozen=True)
class Mail:
    """An e-mail. ``line``: who wrote to whom and when; ``is_html``: whether its body is."""

    subject: str
    line: str
    body: str
    is_html: bool
    attachments: tuple[Attachment, ...]


def read_mail(data: bytes) -> Mail:
    """Return an e-mail.

    People go by their names, or by their addresses where they have none. The plain text is taken
    where there is one; what it quotes of other e-mails is left out, unless there is nothing else.
    Raises UnreadableSource for what is no e-mail.
    """
    message = email.message_from_bytes(data, policy=policy.default)
    if not any(name in message for name in (*_PEOPLE, "Subject", "Date")):
        raise UnreadableSource(
            "This is no e-mail: it says neither who wrote it nor when.",
            remedy="Save it again from the mail program.",
        )
    values = [_people(message, name) for name in _PEOPLE]
    attached = tuple(_attachments(message))
    line = row_text(
        [*_PEOPLE, "Date", "Attachments"],
        [*values, _day(message), ", ".join(one.name for one in attached)],
    )
    part = message.get_body(preferencelist=("plain", "html"))
    is_html = part is not None and part.get_content_subtype() == "html"
    body = _text(part) if part is not None else ""
    if not is_html:
        own = _QUOTED.sub("", body)
        body = own if own.strip() else body
    return Mail(clean_line(str(message["Subject"] or "")), line, body, is_html, attached)


def _attachments(message: EmailMessage) -> Iterator[Attachment]:
    for part in message.iter_attachments():
        name, payload = clean_line(part.get_filename() or ""), part.get_payload(decode=True)
        inner = part.get_payload(0) if part.is_multipart() else None
        if isinstance(inner, EmailMessage) and part.get_content_type() == MAIL:
            name = name or f"{clean_line(str(inner['Subject'] or '')) or 'E-mail'}.eml"
            payload = inner.as_bytes()
        if name:
            data = payload if isinstance(payload, bytes) else b""
            yield Attachment(name, part.get_content_type(), data)


def _people(message: EmailMessage, name: str) -> str:
    values = [str(value) for value in message.get_all(name, [])]
    return ", ".join(clean_line(shown or address) for shown, address in getaddresses(values))


def _day(message: EmailMessage) -> str:
    """Return the day and time as they were for the writer, "" where the e-mail does not say."""
    sent = getattr(message["Date"], "datetime", None)
    return f"{sent.day} {sent:%B %Y, %H:%M}" if sent else ""


def _text(part: MIMEPart) -> str:
    payload = part.get_payload(decode=True)
    declared = part.get_content_charset()
    return decode(payload, declared=declared) if isinstance(payload, bytes) else ""
