"""Names of entities: one key for the spellings of a name, and what counts as a name at all."""

import re
import unicodedata

MAX_NAME = 200
"""Characters of the longest name; what is longer is no name and would not fit an index key."""

_DASHES = dict.fromkeys(map(ord, "‐‑‒–—―−"), "-")
_QUOTES = dict.fromkeys(map(ord, "‘’‚‛ʼ`´"), "'") | dict.fromkeys(map(ord, "“”„‟«»"), '"')
_UNIFIED = str.maketrans({**_DASHES, **_QUOTES})
_EDGES = " \t\n'’‘“”\".,;:!?-_*#/|~&=+<>…·•"
_ARTICLE = re.compile(r"(?:the|an|a) +(?=\S)")
_POSSESSIVE = re.compile(r"'s$")
_QUALIFIER = re.compile(r"\s*\([^()]*\)\s*$")
_PAIRS = (("(", ")"), ("[", "]"), ("{", "}"))

# Words that are no name by themselves: the parser's noise, and how questions begin.
STOP_WORDS = frozenset(
    """
    a an the and or but nor so yet if then than as at by for from in into of off on onto out over
    to up via with without within about above after again against all also am any are be because
    been before being below between both can could did do does doing down during each few further
    had has have having he her here hers herself him himself his how i it its itself just me more
    most my myself no not now once only other our ours ourselves own same she should some such
    that their theirs them themselves there these they this those through too under until very
    was we were what when where which while who whom whose why will would you your yours yourself
    is mr mrs ms dr name list tell give show whether
    """.split()  # noqa: SIM905
)

SUBJECT_REACH = 20
"""Characters from the beginning of a text within which its subject is named."""


def normalise_name(name: str) -> str:
    """Return the key of a name: two spellings of one name have the same key.

    NFKC, case folded, accents folded ("Beyoncé" is "beyonce": questions are often typed without
    them), dashes and quotes unified, white space single, quotes, punctuation and unmatched
    brackets at the ends, leading articles and a possessive 's removed. "" for what holds no
    letter or digit.
    """
    text = unicodedata.normalize("NFKC", name).translate(_UNIFIED).casefold()
    text = "".join(
        character
        for character in unicodedata.normalize("NFD", text)
        if unicodedata.category(character) not in ("Mn", "Cf", "Cc") or character in "\t\n\r"
    )
    text = unicodedata.normalize("NFC", " ".join(text.split()))
    previous = None
    while text != previous:
        previous = text
        text = _POSSESSIVE.sub("", _strip_edges(text))
        text = _ARTICLE.sub("", text, count=1) if _ARTICLE.match(text) else text
    return text if any(character.isalnum() for character in text) else ""


def display_name(surface: str) -> str:
    """Return a surface as a name to show: without edge punctuation, line breaks and 's."""
    return re.sub(r"['’]s$", "", _strip_edges(" ".join(surface.split())))


def _strip_edges(text: str) -> str:
    text = text.strip(_EDGES)
    for opening, closing in _PAIRS:
        if text.startswith(opening) and text.endswith(closing) and text.count(opening) == 1:
            return text[1:-1].strip(_EDGES)
        if text.startswith(opening) and closing not in text:
            return text[1:].strip(_EDGES)
        if text.endswith(closing) and opening not in text:
            return text[:-1].strip(_EDGES)
        if text.startswith(closing) or text.endswith(opening):
            return text.strip(opening + closing).strip(_EDGES)
    return text


def aliases_of(title: str) -> tuple[str, ...]:
    """Return the other keys a document's title goes by: "Ed Wood (film)" is also "ed wood".

    Only the qualifier in brackets is dropped: what follows a comma is often part of the name.
    """
    key = normalise_name(title)
    alias = normalise_name(_QUALIFIER.sub("", title))
    return (alias,) if alias and alias != key and is_entity_name(alias) else ()


def is_entity_name(name: str) -> bool:
    """Say whether a span can be an entity: not punctuation, stop words or a whole paragraph."""
    key = normalise_name(name)
    if not key or len(key) > MAX_NAME:
        return False
    if len(key) == 1 and key.isascii() and not key.isdigit():
        return False
    return any(word.strip(_EDGES) not in STOP_WORDS for word in key.split())
