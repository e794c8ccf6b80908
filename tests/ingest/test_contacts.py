"""Contacts (vCard): each is a row of what is known of somebody."""

from clew_ingest.limits import IngestLimits
from clew_ingest.reading.readers import read

CARDS = (
    "BEGIN:VCARD\r\nVERSION:3.0\r\nN:Thorne;Ada;;Dr.;\r\nFN:Dr. Ada Thorne\r\n"
    "ORG:Seld Shipyard;Design\r\nTITLE:Chief engineer\r\nTEL;TYPE=CELL:+47 123\r\n"
    "item1.EMAIL;type=INTERNET:ada@seld.example\r\nEMAIL:a@home.example\r\n"
    "ADR;TYPE=WORK:;;Quay 5;Seld;;4001;Norway\r\nBDAY:1975-12-10\r\nPHOTO:aGVsbG8\r\n"
    "NOTE:Knows Bo\\, too.\\nAsk him.\r\nEND:VCARD\r\n"
    "BEGIN:VCARD\r\nVERSION:2.1\r\nN;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:L=C3=B6=\r\nw;Bo\r\n"
    "TEL;CELL:+47 456\r\nEND:VCARD\r\n"
)


def test_each_contact_is_a_row(limits: IngestLimits) -> None:
    (document,) = read(CARDS.encode(), "team.vcf", limits).documents
    assert document.title == "team"
    assert document.text.split("\n\n") == [
        "Name: Dr. Ada Thorne; Organisation: Seld Shipyard, Design; Role: Chief engineer; "
        "Phone: +47 123; E-mail: ada@seld.example, a@home.example; "
        "Address: Quay 5, Seld, 4001, Norway; Birthday: 1975-12-10; "
        "Note: Knows Bo, too. Ask him.",
        "Name: Bo Löw; Phone: +47 456.",
    ]


def test_one_contact_is_titled_by_its_name(limits: IngestLimits) -> None:
    one = CARDS[: CARDS.index("BEGIN", 5)]
    (document,) = read(one.encode(), "a.vcf", limits).documents
    assert document.title == "Dr. Ada Thorne"


def test_a_photo_costs_no_contact_and_no_line(limits: IngestLimits) -> None:
    cards = (
        "BEGIN:VCARD\r\nFN:Ada\r\nPHOTO;ENCODING=b;TYPE=JPEG:aGVsb\r\n G8=\r\nTEL:1\r\n"
        "URL:http://a.example/?q=\r\nKEY;ENCODING=BASE64:aGVsbG8=\r\nEND:VCARD\r\n"
        "BEGIN:VCARD\r\nNOTE;ENCODING=QUOTED-PRINTABLE:a=\r\nb=\r\nc=3D\r\nFN:Bo\r\nEND:VCARD\r\n"
    )
    (document,) = read(cards.encode(), "team.vcf", limits).documents
    assert document.text.split("\n\n") == [
        "Name: Ada; Phone: 1; Web: http://a.example/?q=.",
        "Note: abc=; Name: Bo.",
    ]
