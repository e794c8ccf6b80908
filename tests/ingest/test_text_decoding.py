import pytest

from clew_ingest.errors import UnreadableSource
from clew_ingest.reading.text_decoding import clean, clean_line, decode

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
