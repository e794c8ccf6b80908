"""From bytes to clean text: encodings found out, line ends and white space made uniform."""

import codecs
import re
import unicodedata
from email.message import Message

from clew_ingest.errors import UnreadableSource

_BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_SAMPLE_BYTES = 256 * 1024
_LEAST_SAMPLE_BYTES = 512
"""Of a shorter text charset-normalizer knows no language; it is read several times over."""
_FEW = 0.05
"""Up to this share of bytes beyond ASCII, those of an English text tell nothing of its encoding."""
_SEVEN_BITS = ("hz", "iso2022", "utf-7")
"""Encodings whose bytes are valid as ASCII, too."""
_JAPANESE = re.compile(rb"\x1b\$[@B]|\x1b\$\(D")
"""What switches to Japanese letters in texts of seven bits (ISO-2022-JP)."""
_AS_BROWSERS_READ = {"ascii": "cp1252", "iso8859-1": "cp1252", "iso8859-9": "cp1254"}
"""What is declared, and the Windows encoding of which it is a part: most writers mean that."""
_OLD_MACHINES = [
    *(f"cp{page}" for page in (437, 737, 775, 850, 852, 855, 857, 858, 860, 861, 862, 863, 864)),
    *("cp865", "cp866", "cp869", "mac_cyrillic", "mac_greek", "mac_iceland", "mac_latin2"),
    *("mac_roman", "mac_turkish", "hp_roman8"),
]
"""Encodings of DOS, of the Mac as it was, and of HP's machines."""
_LETTERS = ("ff", "fi", "fl", "ffi", "ffl", "st", "st")
_LIGATURES = dict(zip(range(0xFB00, 0xFB07), _LETTERS, strict=True))
_UNWRITTEN = {
    code: None
    for code in (*range(32), 127, *range(0x80, 0xA0))
    if chr(code) not in "\t\n\r\f\v\x85"
} | {0xAD: None, 0xFEFF: None, 0x200B: None}
TICKED, UNTICKED = "[x]", "[ ]"
"""How a box to tick is written, in every format."""
_BOXES = dict.fromkeys(map(ord, "☑☒🗵🗷🗸🗹"), TICKED) | dict.fromkeys(map(ord, "☐🞎🞏"), UNTICKED)
_CLEANED = {**_UNWRITTEN, **_LIGATURES, **_BOXES}
_TERMINAL = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\))")
"""What tells a terminal colours and the like, and stands in logs of what was shown there."""
_RAISED = re.compile(r"\s*[-+−]?\d+(?:\s*[,;–-]\s*\d+)*[-+−]?\s*")
"""Numbers that stand above the line: exponents, marks of notes, charges."""
_ABOVE_LINE = str.maketrans("0123456789+-−", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻")
_BLANKS = re.compile(r"[^\S\n]+")
_LINE_ENDS = re.compile(r"\r\n?|[\v\f\x85\u2028\u2029]")
_GAPS = re.compile(r" *\n *(?:\n *)*\n *")


def decode(data: bytes, *, declared: str | None = None) -> str:
    """Return the text of ``data``: by its byte order mark, as UTF-8, as declared, or as guessed.

    ``declared``: the encoding that the source claims; it is used only where it fits. Of UTF-8 a few
    bytes may be broken. Raises UnreadableSource for what is no text.
    """
    for mark, encoding in _BOMS:
        if data.startswith(mark):
            return _decode_as(data, encoding)
    if _looks_binary(data):
        return _decode_wide(data)
    meant = _meant(declared)
    first = [name for name in meant if name.startswith(_SEVEN_BITS)]
    if _JAPANESE.search(data[:_SAMPLE_BYTES]):
        first.append("iso2022_jp_2")
    for known in (*first, "utf-8", *meant):
        try:
            return data.decode(known)
        except (ValueError, LookupError):
            continue
    return _decode_broken(data) or _decode_guessed(data)


def in_utf8(data: bytes, content_type: str | None) -> bytes:
    """Return a text in UTF-8 where its Content-Type says in which encoding it is, and it fits."""
    header = Message()
    header["Content-Type"] = content_type or ""
    declared = header.get_content_charset()
    if declared is None or header.get_content_maintype() != "text":
        return data
    try:
        return decode(data, declared=declared).encode()
    except UnreadableSource:
        return data


def clean(text: str) -> str:
    """Return ``text`` in NFC with ``\\n`` as line end, single blanks and no control characters.

    Letters that are printed as one ("ﬁ") are several, as they are in names; boxes to tick are "[x]"
    and "[ ]", which models of language tell from one another. Paragraphs are
    separated by one empty line. Half surrogates (possible in JSON) become "?".
    """
    text = text.encode("utf-8", "replace").decode()
    text = _TERMINAL.sub("", text) if "\x1b" in text else text
    text = _LINE_ENDS.sub("\n", text).translate(_CLEANED)
    text = _BLANKS.sub(" ", unicodedata.normalize("NFC", text))
    text = _GAPS.sub("\n\n", text)
    return "\n".join(line.strip() for line in text.split("\n")).strip()


def clean_line(text: str, limit: int = 500) -> str:
    """Return ``text`` cleaned and on one line of at most ``limit`` characters, for titles."""
    return " ".join(clean(text).split())[:limit].strip()


def clean_line_ends(text: str) -> str:
    """Return ``text`` with ``\\n`` as its only line end."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


def raised(text: str) -> str:
    """Return what stands above the line as it is to be written: numbers as such, "10⁶" and "2019¹",
    since they are none of what stands before them; other text, "1st", as it is.
    """
    return text.strip().translate(_ABOVE_LINE) if _RAISED.fullmatch(text) else text


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


def _meant(declared: str | None) -> list[str]:
    """Return the encodings that a declared one may stand for, the likeliest first."""
    if declared is None:
        return []
    try:
        name = codecs.lookup(declared).name
    except (ValueError, LookupError):
        return []
    return [_AS_BROWSERS_READ.get(name, name), name]


def _decode_broken(data: bytes) -> str | None:
    """Return the text of UTF-8 of which little is broken, or cut off at its end; else None."""
    text = data.decode("utf-8", "replace")
    broken = text.count("\ufffd")
    valid = len(text) - len(text.encode("ascii", "ignore")) - broken
    if broken == 1 and text.endswith("\ufffd") and valid:
        return text[:-1]
    return text if valid >= 10 * broken else None


def _decode_guessed(data: bytes) -> str:
    from charset_normalizer import from_bytes

    sample = data[:_SAMPLE_BYTES]
    if len(sample) < len(data):  # no character of several bytes goes beyond its line
        sample = sample[: sample.rfind(b"\n") + 1] or sample
    sample = b"\n".join([sample] * -(-_LEAST_SAMPLE_BYTES // len(sample)))
    # Without a language that fits, the guess is a draw among scripts. Western text has few
    # letters beyond ASCII, Cyrillic or Greek text has mostly such.
    foreign = sum(byte > 127 for byte in sample) / len(sample)
    may_be_western = foreign < 0.2 and _fits(sample, "cp1252")
    matches = from_bytes(sample, cp_exclusion=_OLD_MACHINES if may_be_western else [])
    best = matches.best()
    encoding = best.encoding if best is not None else None
    coherence = best.coherence if best is not None else 0
    western = [match.coherence for match in matches if "cp1252" in match.could_be_from_charset]
    # English has such letters in single names: other encodings only show them as other letters.
    is_english = best is not None and best.language == "English" and foreign < _FEW
    if may_be_western and (is_english or coherence <= max(western, default=0)):
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
