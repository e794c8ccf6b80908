import pytest

from clew_ingest.errors import UnreadableSource
from clew_ingest.reading.text_decoding import clean, clean_line, decode, in_utf8

TEXT = "Grüße aus Köln, schöne Straße, élève, garçon."


@pytest.mark.parametrize(
    "encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "cp1252"]
)
def test_encodings_are_found_out(encoding: str) -> None:
    assert decode(TEXT.encode(encoding)) == TEXT


def test_a_declared_encoding_counts_where_it_fits() -> None:
    text = "Привет, мир"
    assert decode(text.encode("koi8-r"), declared="koi8-r") == text
    assert decode(TEXT.encode(), declared="ascii") == TEXT
    assert decode(TEXT.encode("cp1252"), declared="no-such-encoding") == TEXT


def test_text_in_seven_bits_is_no_utf8() -> None:
    text = "議事録：屋根は五月末までに修理する。"
    assert decode(text.encode("iso2022_jp")) == text
    assert decode(text.encode("iso2022_jp"), declared="ISO-2022-JP") == text
    assert decode("会议记录。".encode("hz"), declared="hz-gb-2312") == "会议记录。"
    assert decode("Grüße".encode("utf-7"), declared="utf-7") == "Grüße"


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        ("העיר היפה ביותר בארץ", "cp1255"),
        ("Иван Петров, Москва", "cp1251"),
        ("สวัสดีชาวโลก", "cp874"),
        ("Dzień dobry, mówi Łukasz", "cp1250"),
        (
            "Umowa została podpisana w Warszawie przez Jana Kowalskiego dnia 5 maja. Strony "
            "zgodnie postanawiają, że najem trwa dwa lata i wygasa bez wypowiedzenia.",
            "iso8859-2",
        ),
        ("你好，世界", "gb18030"),
    ],
)
def test_short_text_in_an_old_encoding_is_known_by_its_letters(text: str, encoding: str) -> None:
    assert decode(text.encode(encoding)) == text


@pytest.mark.parametrize("data", [bytes(range(256)) * 10, b"abc\x00def" * 100])
def test_binary_data_is_no_text(data: bytes) -> None:
    with pytest.raises(UnreadableSource, match="binary"):
        decode(data)


def test_broken_utf16_says_where() -> None:
    with pytest.raises(UnreadableSource, match="at byte"):
        decode("ab".encode("utf-16") + b"\x00\xd8\x41")


def test_cleaning_makes_white_space_uniform_and_drops_control_characters() -> None:
    dirty = "\ufeffOne\r\ntwo\x00\x07  \t three\u00a0four\r\r\n \n\n\nfive\ud800 e\u0301 "
    assert clean(dirty) == "One\ntwo three four\n\nfive? é"


def test_titles_are_one_short_line() -> None:
    assert clean_line(" a\n\n b\tc ") == "a b c"
    assert len(clean_line("x" * 10_000)) == 500


@pytest.mark.parametrize("declared", ["iso-8859-1", "latin-1", "us-ascii"])
def test_what_is_declared_as_latin_1_is_read_as_browsers_do(declared: str) -> None:
    text = "It’s €500 – “more” in München"
    assert decode(text.encode("cp1252"), declared=declared) == text
    assert decode(b"a\x81\xfc", declared="latin-1") == "a\x81ü"


@pytest.mark.parametrize("declared", ["idna", "rot13", "\0"])
def test_what_is_declared_may_be_nonsense(declared: str) -> None:
    assert decode(TEXT.encode("cp1252"), declared=declared) == TEXT


def test_utf8_of_which_little_is_broken_stays_utf8() -> None:
    text = "Die Größe: 5 – für „Zoë“. " * 3
    assert decode(text.encode() + b"\xe2\x80") == text
    assert decode(b"caf\xe9 " + text.encode()) == f"caf\ufffd {text}"


@pytest.mark.parametrize("offset", [0, 1])
def test_the_sample_of_a_long_text_cuts_no_character(offset: int) -> None:
    text = "a" * offset + "これは日本語の文章です。本日は会議がありました、東京で。\n" * 5_000
    assert decode(text.encode("shift_jis")) == text


@pytest.mark.parametrize(
    "text",
    [
        "Die Miete beträgt 500 € – zahlbar am „Ersten“.\n",
        "Der Mieter überweist die Miete bis zum dritten Werktag auf das Konto des Vermieters.\n",
        "Les réparations coûtent au plus 250 € par année.\n",
        "Please send the invoice to Zoë at the harbour office.",
        "Please send the invoice to François at the harbour office.",
        "Núñez is the chair of the board and signs all contracts.",
    ],
)
def test_short_western_text_is_not_taken_for_that_of_dos_or_mac(text: str) -> None:
    assert decode(text.encode("cp1252")) == text


def test_a_text_whose_header_says_its_encoding_becomes_utf8() -> None:
    data = "Привет".encode("koi8-r")
    assert in_utf8(data, "text/html; charset=KOI8-R") == "Привет".encode()
    for kind in (None, "text/html", "image/png; charset=koi8-r"):
        assert in_utf8(data, kind) == data


def test_colours_of_a_terminal_are_no_text() -> None:
    assert clean("\x1b[32mINFO\x1b[0m done, \x1b]0;title\x07see [0m") == "INFO done, see [0m"
