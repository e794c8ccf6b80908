"""E-mails: who wrote to whom and when, and what, without what they quote."""

import email
from collections.abc import Callable
from dataclasses import replace
from email.message import EmailMessage, Message
from email.mime.application import MIMEApplication
from email.mime.image import MIMEImage
from email.mime.message import MIMEMessage
from email.mime.multipart import MIMEMultipart
from email.mime.text import MIMEText

import pytest

from clew_ingest.errors import UnreadableSource
from clew_ingest.limits import IngestLimits
from clew_ingest.reading.media_types import MAIL
from clew_ingest.reading.read_document import each_place
from clew_ingest.reading.readers import read

Maker = Callable[..., bytes]

MIXED = b"""\
Received: from a.example (a.example [192.0.2.1]) by b.example; Tue, 4 Mar 2025 09:12:44 +0100
DKIM-Signature: v=1; a=rsa-sha256; d=a.example; bh=uK3v8sQhLk0=; b=aGVsbG8gd29y
From: =?utf-8?q?S=C3=B8ren_Aagaard?= <soren@a.example>
To: "Raman, Priya" <priya@b.example>, dock@b.example
Subject: =?utf-8?q?Offer_=E2=80=93_revised?=
Date: Tue, 4 Mar 2025 09:12:40 +0100
MIME-Version: 1.0
Content-Type: multipart/mixed; boundary=m

--m
Content-Type: multipart/alternative; boundary=b

--b
Content-Type: text/plain; charset=utf-8
Content-Transfer-Encoding: quoted-printable

The fenders cost 184,500 euros, deliv=
ery included.

On 3 March Priya wrote:
> What do they cost without the lamps?
--b
Content-Type: text/html; charset=utf-8

<p>The fenders cost <b>184,500 euros</b>.</p>
--b--
--m
Content-Type: application/pdf; name=offer.pdf
Content-Disposition: attachment; filename=offer.pdf

JVBERi0=
--m--
"""


def mail(source: bytes) -> tuple[str, list[str]]:
    result = read(source, "a.eml", IngestLimits())
    assert result.media_type == MAIL
    (document,) = result.documents
    return document.title, document.text.split("\n\n")


def test_an_email_is_its_subject_its_people_and_its_own_words() -> None:
    title, paragraphs = mail(MIXED)
    assert title == "Offer – revised"
    assert paragraphs == [
        "From: Søren Aagaard; To: Raman, Priya, dock@b.example; Date: 4 March 2025, 09:12; "
        "Attachments: offer.pdf.",
        "The fenders cost 184,500 euros, delivery included.",
        "On 3 March Priya wrote:",
        "offer.pdf",
        paragraphs[-1],
    ]
    assert paragraphs[-1].startswith("This attachment was not read: 'offer.pdf' is not what")


def test_an_email_in_html_is_read_as_a_page() -> None:
    source = "From: Ada <a@a.example>\nContent-Type: text/html; charset=utf-8\n\n"
    title, paragraphs = mail(f"{source}<p>Größe</p><script>x()</script>".encode())
    assert (title, paragraphs) == ("a", ["From: Ada.", "Größe"])


def written(subject: str, body: str, *files: tuple[str, bytes]) -> EmailMessage:
    message = EmailMessage()
    message["From"] = "Ada <ada@a.example>"
    message["Subject"] = subject
    message.set_content(body)
    for name, data in files:
        message.add_attachment(data, maintype="application", subtype="octet-stream", filename=name)
    return message


def placed(message: EmailMessage, limits: IngestLimits) -> list[tuple[str, str]]:
    """The paragraphs behind the line of people, with the headings they stand under."""
    (document,) = read(bytes(message), "a.eml", limits).documents
    paragraphs = document.text.split("\n\n")
    places = each_place(document.places, len(paragraphs))
    assert {place.page for place in places} == {0}
    return [(text, place.heading) for text, place in zip(paragraphs, places, strict=True)][1:]


def test_what_is_attached_to_an_email_is_read_under_its_name(
    limits: IngestLimits, xlsx: Maker, pdf: Maker
) -> None:
    message = written(
        "Invoice",
        "Here it is.",
        ("sum.xlsx", xlsx({"A": [["Item", "Price"], ["Pump", 142]]})),
        ("notes.md", b"# Notes\n\nHi.\n\n## Later\n\nBye."),
        ("people.csv", b"title,text\nAda,She wrote.\nBo,He built.\n"),
        ("log.pdf", pdf(["The pump broke."])),
    )
    assert placed(message, limits) == [
        ("Here it is.", ""),
        *[(text, "sum.xlsx") for text in ("sum.xlsx", "Item: Pump; Price: 142.")],
        *[(text, "notes.md") for text in ("notes.md", "Hi.")],
        *[(text, "notes.md › Later") for text in ("Later", "Bye.")],
        *[(text, "people.csv") for text in ("people.csv", "Ada", "She wrote.", "Bo", "He built.")],
        *[(text, "log.pdf") for text in ("log.pdf", "The pump broke.")],
    ]


def test_an_attachment_that_is_not_read_is_named_and_does_no_harm(
    limits: IngestLimits, docx: Maker
) -> None:
    files = {
        "cut.docx": docx(["Looms"])[:200],
        "lamp.png": b"\x89PNG\r\n",
        "none.txt": b"",
        "old.zip": b"PK\x05\x06" + bytes(18),
        "facts.ttl": b"<a> <b> <c> .",
        "bomb.docx": docx(["x"], extra={"word/zeros.bin": bytes(50 * 2**20)}),
        "long.txt": b"word " * 250_000,
        "kept.txt": b"The loom is old.",
        "late.txt": b"Too many.",
    }
    tight = replace(limits, attachments=8, text_limit_mib=1)
    found = placed(written("Files", "See these.", *files.items()), tight)
    reasons = dict(zip(*[iter(text for text, _ in found[1:])] * 2, strict=True))
    assert list(reasons) == list(files)
    assert reasons.pop("kept.txt") == "The loom is old."
    expected = ("broken", "not read", "empty", "Archives", "triples", "bomb", "longer", "8 att")
    for reason, part in zip(reasons.values(), expected, strict=True):
        assert reason.startswith("This attachment was not read: ")
        assert part in reason


def test_an_email_within_an_email_is_read_and_one_within_that_is_named(
    limits: IngestLimits,
) -> None:
    inner = written("Third", "Deepest.")
    middle = written("Second", "Deeper.", ("loom.txt", b"The loom is old."))
    middle.add_attachment(inner)
    outer = written("First", "Look.")
    outer.add_attachment(middle)
    assert placed(outer, limits) == [
        ("Look.", ""),
        ("Second.eml", "Second.eml"),
        ("Second", "Second.eml"),
        ("From: Ada; Attachments: loom.txt, Third.eml.", "Second.eml"),
        ("Deeper.", "Second.eml"),
        ("loom.txt", "Second.eml › loom.txt"),
        ("The loom is old.", "Second.eml › loom.txt"),
        ("Third.eml", "Second.eml › Third.eml"),
        (
            "This attachment was not read: It is an e-mail within an attached e-mail.",
            "Second.eml › Third.eml",
        ),
    ]


EVENT = b"""\
BEGIN:VCALENDAR
METHOD:REQUEST
BEGIN:VEVENT
SUMMARY:Launch of the tug
DTSTART;TZID=Europe/Oslo:20260503T140000
END:VEVENT
END:VCALENDAR
"""
EVENT_READ = "Event: Launch of the tug; Begins: 3 May 2026, 14:00 (Europe/Oslo)."


@pytest.mark.parametrize("named", [False, True])
def test_an_invitation_is_read_once(named: bool, limits: IngestLimits) -> None:
    message = written("Invitation", "Please come.")
    message.add_alternative(
        EVENT, maintype="text", subtype="calendar", params={"method": "REQUEST"}
    )
    if named:
        message.add_attachment(EVENT, maintype="application", subtype="ics", filename="invite.ics")
    name = "invite.ics" if named else "attachment.ics"
    assert placed(message, limits) == [("Please come.", ""), (name, name), (EVENT_READ, name)]


def test_a_line_that_files_of_many_emails_marked_is_no_quote() -> None:
    body = "She left.\n\n>From here on she was free.\n\nBo wrote:\n> Why?\n>From then on\n> so.\n"
    _, paragraphs = mail(f"From: Ada <a@a.example>\n\n{body}".encode())
    assert paragraphs[1:] == ["She left.", "From here on she was free.", "Bo wrote:"]


def test_an_email_that_only_quotes_keeps_what_it_quotes() -> None:
    assert mail(b"From: ada@a.example\n\n> The loom is old.\n")[1][1:] == ["> The loom is old."]


def test_an_old_encoding_of_an_email_is_known_by_its_header() -> None:
    head = b"From: ada@a.example\nContent-Type: text/plain; charset=iso-8859-2\n\n"
    assert mail(head + "Jiří Dvořák".encode("iso-8859-2"))[1][1:] == ["Jiří Dvořák"]


def test_what_has_no_header_is_no_email() -> None:
    with pytest.raises(UnreadableSource, match="no e-mail"):
        read(b"Just a note.\n", "a.eml", IngestLimits())


def attached(name: str, text: str, kind: str = "plain") -> MIMEText:
    part = MIMEText(text, kind)
    part.add_header("Content-Disposition", "attachment", **({"filename": name} if name else {}))
    return part


def mime(kind: str, *parts: Message) -> Message:
    whole = MIMEMultipart(kind)
    for part in parts:
        whole.attach(part)
    return whole


BUDGET = attached("budget.txt", "It is 5 euros.")
SIGNATURE = MIMEApplication(b"0", "pkcs7-signature", name="smime.p7s")


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        (
            mime(
                "alternative",
                MIMEText("See it."),
                mime("mixed", MIMEText("<p>See it.</p>", "html"), BUDGET, MIMEText("", "html")),
            ),
            ["See it.", "budget.txt", "It is 5 euros."],
        ),
        (
            mime("signed", mime("mixed", MIMEText("See it."), BUDGET), SIGNATURE),
            ["See it.", "budget.txt", "It is 5 euros."],
        ),
        (
            mime("mixed", mime("mixed", MIMEText("See it."), BUDGET), MIMEText("The list.")),
            ["See it.", "The list.", "budget.txt", "It is 5 euros."],
        ),
        (
            mime("mixed", MIMEText("First."), BUDGET, MIMEText("<p>Last &lt;b&gt;</p>", "html")),
            ["First.", "Last <b>", "budget.txt", "It is 5 euros."],
        ),
        (BUDGET, ["budget.txt", "It is 5 euros."]),
        (
            mime("mixed", MIMEText("Prices."), attached("", "Item,Price\nNut,3\n", "csv")),
            ["Prices.", "attachment.csv", "Item: Nut; Price: 3."],
        ),
        (
            mime("alternative", MIMEText("\n"), MIMEText("<p>By 3 May.</p>", "html")),
            ["By 3 May."],
        ),
        (
            mime("related", MIMEText("<p>Hi.</p>", "html"), MIMEImage(b"0", "png", name="a.png")),
            ["Hi."],
        ),
    ],
)
def test_nothing_that_an_email_holds_is_lost_wherever_it_lies(
    message: Message, expected: list[str]
) -> None:
    assert mail(b"From: Ada <ada@a.example>\n" + bytes(message))[1][1:] == expected


@pytest.mark.parametrize(
    ("header", "line"),
    [
        (b"To: Bob <", "From: Ada; To: Bob."),
        (b"Date: Mon, 99999999999999999999 Nov 2026 1:1:1 +0", "From: Ada."),
        (b"Cc: =?utf-8?b?!?=", "From: Ada; Cc: =?utf-8?b?!?=."),
    ],
)
def test_a_broken_header_does_not_cost_the_email(header: bytes, line: str) -> None:
    source = b"From: Ada <ada@a.example>\n" + header + b"\n\nThe loom is old.\n"
    assert mail(source)[1] == [line, "The loom is old."]
    whole = mime("mixed", MIMEMessage(email.message_from_bytes(source)))
    assert mail(b"From: Bo <bo@b.example>\n" + bytes(whole))[1][-1] == "The loom is old."


MAILBOX = b"""\
From ada@a.example Mon Mar  3 10:00:00 2025
From: Ada <ada@a.example>
To: Bo <bo@b.example>
Subject: Roof
Message-ID: <1@a.example>
Date: Mon, 3 Mar 2025 10:00:00 +0100

The roof leaks.
>From here it looks bad.

From: is no new e-mail.

From Monday on it is shut.

From bo@b.example Tue Mar  4 11:00:00 2025
From: Bo <bo@b.example>
Subject: Re: Roof
Date: Tue, 4 Mar 2025 11:00:00 +0100
Content-Type: text/html

<h1>Thanks</h1><p>I <b>come</b> tomorrow.</p>

From 
X-Note: no e-mail

none
"""


@pytest.mark.parametrize("name", ["old.mbox", "Inbox"])
@pytest.mark.parametrize("line_end", [b"\n", b"\r\n"])
def test_each_email_of_a_mailbox_is_a_document(
    name: str, line_end: bytes, limits: IngestLimits
) -> None:
    result = read(MAILBOX.replace(b"\n", line_end), name, limits)
    assert (result.media_type, result.collection) == ("application/mbox", True)
    first, second = result.documents
    assert (first.key, first.title) == ("1@a.example", "Roof")
    assert first.text == (
        "From: Ada; To: Bo; Date: 3 March 2025, 10:00.\n\n"
        "The roof leaks.\nFrom here it looks bad.\n\nFrom: is no new e-mail."
        "\n\nFrom Monday on it is shut."
    )
    assert first.metadata == {"From": "Ada", "To": "Bo", "Date": "3 March 2025, 10:00"}
    assert (second.title, second.text) == (
        "Re: Roof",
        "From: Bo; Date: 4 March 2025, 11:00.\n\nThanks\n\nI come tomorrow.",
    )
    assert len(second.key) == 16
    assert [one.key for one in result.skipped] == ["e-mail 3"]


def test_a_mailbox_that_is_attached_is_read_as_the_emails_in_it(limits: IngestLimits) -> None:
    message = MIMEMultipart()
    message["Subject"] = "Archive"
    part = MIMEApplication(MAILBOX, Name="old.mbox")
    part["Content-Disposition"] = 'attachment; filename="old.mbox"'
    message.attach(part)
    text = read(message.as_bytes(), "a.eml", limits).documents[0].text
    assert "Roof" in text
    assert "I come tomorrow." in text
