"""What is no prose: rows of tables and fields ("Owner: Ada"), numbers of items, what is copied.

Ingest writes a table's row as "column: value; column: value."; people write "Key expiry: …".
"""

import re
from dataclasses import dataclass
from functools import cached_property, lru_cache

from clew_ingest.parsing.entity_names import normalise_name

_NAME = r"[^\W_][^:;!?\n]{0,59}\??"
_NAMED = re.compile(rf"({_NAME}): +(?=\S)")
WORDS_OF_NAME = 6
"""Words of a field's name, the most."""
WORDS_OF_FIELD = 15
"""Words of the value of a line's only field; more are a sentence with a word before it."""
_SEAM = re.compile(r"(?<=[^\W_])_+(?=[^\W_])|(?<=[a-z])(?=[A-Z][a-z])")

LABEL = re.compile(
    r"^\W{0,2}(?:\d{1,3}(?:\.\d{1,3})+\.?(?=\s+[\"“(]?[A-Z]|$)"
    r"|(?:\d{1,3}|[A-Za-z]|[ivxIVX]{1,5})[.)](?=\s|$)|\([A-Za-z0-9]{1,4}\)(?=\s|$))"
)
"""What an item, a clause or a heading is numbered by: "2.1", "3.", "(a)"."""

REFERENCE = re.compile(
    r"\b(?:sections?|clauses?|articles?|chapters?|paragraphs?|appendix|appendices|annex|figures?"
    r"|tables?|pages?|steps?|footnotes?|equations?|items?)\s+(?:\d+(?:\.\d+)*|[A-Z]\b|[ivx]+\b)"
    r"(?:\([a-z0-9]+\))*",
    re.IGNORECASE,
)
"""Where a text points to a part of a text, "Section 2.7", whose number counts nothing."""


COPIED = re.compile(
    r"https?://[^\s<>()\[\]]+[\w/]"
    r"|(?<![\w@.-])[\w.+-]*\w@[\w-]+(?:\.[\w-]+)+"
    r"|(?<![\w-])--?[A-Za-z][\w-]*(?:=[^\s,;]+)?"
    r"|(?<![\w@./,$€£-])v?\d+(?:\.(?:\d+|x))+(?:[-+.][\w.-]*\w)?(?![\w@%])"
    r"|(?<![\w@./,$€£-])(?=[\w./-]*[^\W\d_])(?=[\w./-]*\d)(?!\d+(?:st|nd|rd|th)\b)"
    r"(?!\d+(?:-[a-z]{3,})+\b)(?!(?:[Uu]nder|[Oo]ver|[Mm]id|[Pp]re|[Pp]ost)-\d)"
    r"\w+(?:[./_-]\w+)*"
    r"|(?<![\w@./-])[^\W\d_]\w*(?:_\w+|\.[^\W\d_][\w-]+)+(?:/[\w.-]*\w)?"
    r"|(?<![\w@./-])[^\W\d_]*[a-z][A-Z]\w+"
)
"""What is written to be copied: addresses, flags, versions, identifiers ("5D992.c", "maxSkew"); a
"12-month" lease and the "under-13" team are said in other words too."""


_ADDRESS = re.compile(r"\s*<[^<>\s]*(?:@| at )[^<>]*>")


@lru_cache(maxsize=1_000)
def _key_of(name: str) -> str:
    return normalise_name(name)  # the columns of a table have theirs in each row


@dataclass(frozen=True)
class Field:
    """A value and what it is called, by characters of the line; ``name``: "" for a nameless cell,
    as a first column's without a heading may be.
    """

    name: str
    start: int
    end: int

    @cached_property
    def key(self) -> str:
        """What it is called, normalised."""
        return _key_of(self.name)

    def holds(self, character: int) -> bool:
        """Say whether a character of the line is the value's."""
        return self.start <= character < self.end


def without_addresses(value: str) -> str:
    """Return a field's value without the addresses behind people's names: "Ada <ada@x.org>"."""
    return _ADDRESS.sub("", value)


def in_words(name: str) -> str:
    """Return a column's name as people say it: "pharmacy contact" of "pharmacy_contact" and
    "pharmacyContact"."""
    return _SEAM.sub(" ", name)


def fields(line: str, words: int = WORDS_OF_FIELD) -> list[Field]:
    """Return the fields of a line that is a table's row, or one field with a value of so many words
    at most; else none.
    """
    end = len(line.rstrip())
    if line[:end].endswith("."):
        end -= 1
    found, named, start = [], 0, 0
    for part in line[:end].split("; "):
        match = _NAMED.match(part)
        name = match.group(1).strip() if match else ""
        if match and len(name.split()) <= WORDS_OF_NAME:
            named += 1
            found.append(Field(in_words(name), start + match.end(), start + len(part)))
        else:
            found.append(Field("", start, start + len(part)))
        start += len(part) + 2
    if named > 1:
        return found
    alone = named == 1 == len(found) and not found[0].name[0].isdigit()
    return found if alone and len(line[found[0].start :].split()) <= words else []


def named_fields(line: str) -> list[Field]:
    """Return the fields of a row that have a name."""
    return [one for one in fields(line) if one.name]
