"""From bytes to clean text: encodings found out, line ends and white space made uniform."""

import codecs
import re
import unicodedata

from clew_ingest.errors import UnreadableSource

_BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_SAMPLE_BYTES = 256 * 1024
_CONTROL = {
    code: None
    for code in (*range(32), 127, *range(0x80, 0xA0))
    if chr(code) not in "\t\n\r\f\v\x85"
} | {0xAD: None, 0xFEFF: None, 0x200B: None}
_BLANKS = re.compile(r"[^\S\n]+")
_LINE_ENDS = re.compile(r"\r\n?|[\v\f\x85\u2028\u2029]")
_GAPS = re.compile(r" *\n *(?:\n *)*\n *")


def decode(data: bytes, *, declared: str | None = None) -> str:
    """Return the text of ``data``: by its byte order mark, as UTF-8, as declared, or as guessed.

    ``declared``: the encoding that the source claims; it is used only where it fits. Raises
    UnreadableSource for what is no text.
    """
    for mark, encoding in _BOMS:
        if data.startswith(mark):
            return _decode_as(data, encoding)
    if _looks_binary(data):
        return _decode_wide(data)
    for known in ("utf-8", declared):
        if known is not None:
            try:
                return data.decode(known)
            except (UnicodeDecodeError, LookupError):
                continue
    return _decode_guessed(data)


def clean(text: str) -> str:
    """Return ``text`` in NFC with ``\\n`` as line end, single blanks and no control characters.

    Paragraphs are separated by one empty line. Half surrogates (possible in JSON) become "?".
    """
    text = text.encode("utf-8", "replace").decode()
    text = _LINE_ENDS.sub("\n", text).translate(_CONTROL)
    text = _BLANKS.sub(" ", unicodedata.normalize("NFC", text))
    text = _GAPS.sub("\n\n", text)
    return "\n".join(line.strip() for line in text.split("\n")).strip()


def clean_line(text: str, limit: int = 500) -> str:
    """Return ``text`` cleaned and on one line of at most ``limit`` characters, for titles."""
    return " ".join(clean(text).split())[:limit].strip()


def _looks_binary(data: bytes) -> bool:
    return b"\x00" in data[:_SAMPLE_BYTES]


def _decode_wide(data: bytes) -> str:
    # UTF-16 without a byte order mark: every other byte of European text is zero.
    sample = data[:4096]
    for encoding, zeros in (("utf-16-le", sample[1::2]), ("utf-16-be", sample[0::2])):
        if zeros and zeros.count(0) > 0.6 * len(zeros):
            return _decode_as(data, encoding)
    raise UnreadableSource(
        "This is binary data, not text.", remedy="Save it as text, PDF, DOCX, PPTX, XLSX or HTML."
    )


def _decode_as(data: bytes, encoding: str) -> str:
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as error:
        raise UnreadableSource(
            f"The text is broken as {encoding} at byte {error.start}.",
            remedy="Save the file as UTF-8.",
        ) from error


def _decode_guessed(data: bytes) -> str:
    from charset_normalizer import from_bytes

    sample = data[:_SAMPLE_BYTES]
    matches = from_bytes(sample)
    best = matches.best()
    # Without a language that fits, the guess is a draw among scripts. Western text has few
    # letters beyond ASCII, Cyrillic or Greek text has mostly such.
    foreign = sum(byte > 127 for byte in sample) / len(sample)
    encoding = best.encoding if best is not None else None
    coherence = best.coherence if best is not None else 0
    western = [match.coherence for match in matches if match.encoding == "cp1252"]
    if coherence <= max(western, default=0) and foreign < 0.2 and _fits(sample, "cp1252"):
        encoding = "cp1252"
    if encoding is None:
        raise UnreadableSource(
            "The encoding of the text could not be found out.", remedy="Save the file as UTF-8."
        )
    text = data.decode(encoding, errors="replace")
    if text.count("\ufffd") > max(1, len(text) // 100):
        raise UnreadableSource(
            f"The text is broken: it begins as {encoding} and goes on as something else.",
            remedy="Save the file as UTF-8.",
        )
    return text


def _fits(data: bytes, encoding: str) -> bool:
    try:
        data.decode(encoding)
    except UnicodeDecodeError:
        return False
    return True
