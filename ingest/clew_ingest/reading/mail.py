"""E-mails as they are saved (``.eml``, ``.mbox``): who wrote to whom, when, and what."""

import email
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from email.message import EmailMessage, MIMEPart
from email.policy import EmailPolicy
from email.utils import getaddresses
from itertools import zip_longest
from typing import Any

from clew_ingest.errors import UnreadableSource
from clew_ingest.reading.markdown_text import row_text
from clew_ingest.reading.media_types import BY_EXTENSION, HTML, MAIL, TEXT
from clew_ingest.reading.text_decoding import clean_line, decode

_PEOPLE = ("From", "To", "Cc")
_QUOTED = re.compile(r"^[ \t]*>.*\n?", re.MULTILINE)
_MARKED_FROM = re.compile(r"(\A|^(?!>).*\n)>(?=>*From .*(?:\n(?!>)|\Z))", re.MULTILINE)
"""What files of many e-mails put before a line that begins as each of them does; other lines with
such a mark stand in rows, as quotes do.
"""
_FROM_LINE = re.compile(rb"(?:\A|\n\r?\n)From (?:[^\r\n]*\d{4}[^\r\n]*)?\r?\n(?=>?[\w-]+:)")
_SIGNATURE = re.compile(r"application/(?:(?:x-)?pkcs7|pgp)-signature")
_EXTENSIONS = {kind: extension for extension, kind in reversed(BY_EXTENSION.items())}


@dataclass(frozen=True)
class Attachment:
    """A file that came with an e-mail; ``media_type``: what the e-mail declares."""

    name: str
    media_type: str
    data: bytes


@dataclass(frozen=True)
class MailText:
    """A text that an e-mail shows; ``is_html``: whether it is a page."""

    text: str
    is_html: bool


@dataclass(frozen=True)
class Mail:
    """An e-mail. ``id``: as its header has it, "" for none; ``fields``: who wrote to whom and when;
    ``line``: these as a sentence; ``texts``: what it shows, in order.
    """

    id: str
    subject: str
    fields: dict[str, str]
    line: str
    texts: tuple[MailText, ...]
    attachments: tuple[Attachment, ...]


def read_mail(data: bytes) -> Mail:
    """Return an e-mail.

    People go by their names, or by their addresses where they have none. Of alternatives the plain
    text is taken where there is one; what it quotes of other e-mails is left out, unless there is
    nothing else. Raises UnreadableSource for what is no e-mail.
    """
    message = email.message_from_bytes(data, policy=_Lenient(refold_source="none"))
    assert isinstance(message, EmailMessage)
    if not any(name in message for name in (*_PEOPLE, "Subject", "Date")):
        raise UnreadableSource(
            "This is no e-mail: it says neither who wrote it nor when.",
            remedy="Save it again from the mail program.",
        )
    fields = {name: _people(message, name) for name in _PEOPLE} | {"Date": _day(message)}
    texts, files = _contents(message)
    attached = tuple(_attachments(files))
    names = ", ".join(one.name for one in attached)
    line = row_text([*fields, "Attachments"], [*fields.values(), names])
    texts = [one if one.is_html else MailText(_as_sent(one.text), False) for one in texts]
    own = [one if one.is_html else MailText(_QUOTED.sub("", one.text), False) for one in texts]
    subject = clean_line(str(message["Subject"] or ""))
    shown = tuple(own if _say_something(own) else texts)
    return Mail(
        clean_line(str(message["Message-ID"] or "")).strip("<>"),
        *(subject, {name: value for name, value in fields.items() if value}, line, shown, attached),
    )


def mails_of(data: bytes) -> Iterator[bytes]:
    """Yield the e-mails of a mailbox (mbox): a line "From …", with a year or nothing behind it, and
    a header below begin each of them; other such lines are text.
    """
    starts = list(_FROM_LINE.finditer(data))
    for found, after in zip_longest(starts, starts[1:]):
        yield data[found.end() : after.start() if after else None]


class _Lenient(EmailPolicy):
    """Gives a header as it is written where Python's parser fails on it."""

    def header_fetch_parse(self, name: str, value: str) -> Any:
        try:
            return super().header_fetch_parse(name, value)
        except Exception:  # IndexError, AttributeError, OverflowError: whatever is written there
            return str(value)


def _contents(part: MIMEPart) -> tuple[list[MailText], list[MIMEPart]]:
    """Return the texts that a part of an e-mail shows, and the files in it.

    Of alternatives the first that is plain text counts, else the first, of those that say
    something. Left out are signatures, and images that stand within a page.
    """
    kind = part.get_content_type()
    if kind == MAIL or not part.is_multipart():
        is_file = part.get_content_disposition() == "attachment" or part.get_filename()
        if kind in (TEXT, HTML) and not is_file:
            return [MailText(_text(part), kind == HTML)], []
        return [], [] if _SIGNATURE.fullmatch(kind) else [part]
    found = [_contents(inner) for inner in part.iter_parts()]
    files = [file for _, inside in found for file in inside]
    if kind == "multipart/alternative":
        return min((texts for texts, _ in found), key=_rank, default=[]), files
    if kind == "multipart/related":
        files = [file for file in files if not _is_within_page(file)]
    return [text for texts, _ in found for text in texts], files


def _rank(texts: Sequence[MailText]) -> tuple[bool, bool]:
    return not _say_something(texts), any(one.is_html for one in texts)


def _say_something(texts: Iterable[MailText]) -> bool:
    return any(one.text.strip() for one in texts)


def _is_within_page(file: MIMEPart) -> bool:
    is_image = file.get_content_maintype() == "image"
    return is_image and file.get_content_disposition() != "attachment"


def _attachments(files: Sequence[MIMEPart]) -> Iterator[Attachment]:
    named = {part.get_payload(decode=True) for part in files if part.get_filename()}
    for part in files:
        kind = part.get_content_type()
        name, payload = clean_line(part.get_filename() or ""), part.get_payload(decode=True)
        inner = part.get_payload(0) if part.is_multipart() else None
        if isinstance(inner, EmailMessage) and kind == MAIL:
            name = name or f"{clean_line(str(inner['Subject'] or '')) or 'E-mail'}.eml"
            payload = inner.as_bytes()
        data = payload if isinstance(payload, bytes) else b""
        if not name and data and data not in named and kind in _EXTENSIONS:
            name = f"attachment{_EXTENSIONS[kind]}"
        if name:
            yield Attachment(name, kind, data)


def _as_sent(text: str) -> str:
    return _MARKED_FROM.sub(r"\1", text)


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
