"""E-mails: who wrote to whom and when, and what, without what they quote."""

import pytest

from clew_ingest.errors import UnreadableSource
from clew_ingest.limits import IngestLimits
from clew_ingest.reading.media_types import MAIL
from clew_ingest.reading.readers import read

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
    ]


def test_an_email_in_html_is_read_as_a_page() -> None:
    source = "From: Ada <a@a.example>\nContent-Type: text/html; charset=utf-8\n\n"
    title, paragraphs = mail(f"{source}<p>Größe</p><script>x()</script>".encode())
    assert (title, paragraphs) == ("a", ["From: Ada.", "Größe"])


def test_an_email_that_only_quotes_keeps_what_it_quotes() -> None:
    assert mail(b"From: ada@a.example\n\n> The loom is old.\n")[1][1:] == ["> The loom is old."]


def test_an_old_encoding_of_an_email_is_known_by_its_header() -> None:
    head = b"From: ada@a.example\nContent-Type: text/plain; charset=iso-8859-2\n\n"
    assert mail(head + "Jiří Dvořák".encode("iso-8859-2"))[1][1:] == ["Jiří Dvořák"]


def test_what_has_no_header_is_no_email() -> None:
    with pytest.raises(UnreadableSource, match="no e-mail"):
        read(b"Just a note.\n", "a.eml", IngestLimits())
