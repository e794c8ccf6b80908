"""Names of entities: one key for the spellings of a name, and what counts as a name at all."""

import re
import unicodedata

MAX_NAME = 200
"""Characters of the longest name; what is longer is no name and would not fit an index key."""

_DASHES = dict.fromkeys(map(ord, "‐‑‒–—―−"), "-")
_QUOTES = dict.fromkeys(map(ord, "‘’‚‛ʼ`´"), "'") | dict.fromkeys(map(ord, "“”„‟«»"), '"')
_UNIFIED = str.maketrans({**_DASHES, **_QUOTES})
_EDGES = " \t\n'’‘“”\".,;:!?-_*#/|~&=+<>…·•†‡¶"
_TRADE_MARKS = dict.fromkeys(map(ord, "®©™℠"))
_ABOVE = "⁰¹²³⁴⁵⁶⁷⁸⁹"
_RAISED = re.compile(
    rf"([^\W{_ABOVE}_]+|[.!?”’\"'])"
    rf"([⁺⁻]?[{_ABOVE}]+(?:[,;–-][{_ABOVE}]+)*(?![\w⁺⁻])|(?:\[\d{{1,3}}\])+(?!\w))"
)
"""A word or a stop, and what stands above the line behind it, or is the mark of a note: [1]."""
_YEAR = re.compile(r"[12]\d{3}")
_FRACTION = re.compile(r"(?<=\d)(?=[¼-¾⅐-⅞])")
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

SECTION_NAMES = frozenset(
    name.strip()
    for name in """
    abstract, acknowledgement, acknowledgements, acknowledgment, acknowledgments, appendices,
    appendix, author contributions, bibliography, competing interests, conclusion, conclusions,
    conflict of interest, conflicts of interest, contents, data availability, discussion, endnotes,
    external links, footnotes, funding, further reading, glossary, index, introduction,
    list of figures, list of tables, materials and methods, methodology, methods, notes, preface,
    references, related work, results, results and discussion, see also, summary,
    supplementary material, table of contents, works cited
    """.split(",")  # noqa: SIM905
)
"""What parts of a text are called: a parser takes these headings for names, and they name none."""
_NUMBERING = re.compile(r"(?:\d+(?:\.\d+)*|[ivxl]+|[a-z])[.)]? +(?=\w)")
_FLOAT = re.compile(r"(?:figure|fig\.?|table) ?\d+[a-z]?")

_HONORIFIC = r"(?:dr|doctor|prof|professor|mr|ms|miss|sir|dame|rev|reverend|hon|honou?rable)\.?"
_HONORIFICS = re.compile(rf"(?:{_HONORIFIC}\s+)+(?=(?!of\b|and\b)\S+\s+\S)", re.IGNORECASE)
"""Forms of address that are no part of a person's name. Not those that a wife bears with her
husband's name, nor a peer's or a pope's, which tell one bearer from another."""
_ADDRESS = re.compile(rf"{_HONORIFIC}(?:\s+{_HONORIFIC})*", re.IGNORECASE)

SUBJECT_REACH = 20
"""Characters from the beginning of a text within which its subject is named."""


def normalise_name(name: str) -> str:
    """Return the key of a name: two spellings of one name have the same key.

    NFKC, case folded, accents folded ("Beyoncé" is "beyonce": questions are often typed without
    them), dashes and quotes unified, white space single, quotes, punctuation and unmatched
    brackets at the ends, leading articles, a possessive 's and the marks of notes and of trade
    removed ("Lovelace¹" is "lovelace", m² is "m2" and 10⁶ "10^6"). "" for what holds no letter or
    digit.
    """
    text = _FRACTION.sub(" ", _RAISED.sub(_with_exponent, name.translate(_TRADE_MARKS)))
    text = unicodedata.normalize("NFKC", text).translate(_UNIFIED).casefold()
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


def _is_note(word: str) -> bool:
    """Whether a number above the line is the mark of a note: behind a word, a stop or a year.
    Behind other numbers, units and variables it is an exponent.
    """
    if word.isdecimal():
        return _YEAR.fullmatch(word) is not None
    if not word[0].isalpha():
        return not word[0].isdecimal()
    long = len(word) >= (3 if word[0].isupper() else 4)
    return long or word.lower() == word.upper()


def _without_note(found: re.Match[str]) -> str:
    return found[1] if _is_note(found[1]) else found[0]


def _with_exponent(found: re.Match[str]) -> str:
    is_power = found[1].isdecimal() and found[2][0] != "[" and not _is_note(found[1])
    return f"{found[1]}^{found[2]}" if is_power else _without_note(found)


def without_honorifics(name: str) -> str:
    """Return a person's name without "Dr.", "Prof." and the like in front, where two words or more
    are left: "Dr. Ada Thorne" is Ada Thorne, but "Dr. Thorne" says which Thorne.
    """
    return _HONORIFICS.sub("", name, count=1) if _HONORIFICS.match(name) else name


def is_address(name: str) -> bool:
    """Say whether a name is nothing but "Dr.", "Prof. Dr." and the like."""
    return _ADDRESS.fullmatch(name.strip()) is not None


def names_section(key: str) -> bool:
    """Say whether a normalised name is that of a part of a text, numbered or not: "1 Methods"."""
    bare = _NUMBERING.sub("", key, count=1) if _NUMBERING.match(key) else key
    return key in SECTION_NAMES or bare in SECTION_NAMES or bool(_FLOAT.fullmatch(key))


def display_name(surface: str) -> str:
    """Return a surface as a name to show: without edge punctuation, line breaks, 's and the marks
    of notes.
    """
    shown = re.sub(r"['’]s$", "", _strip_edges(" ".join(surface.split())))
    return _strip_edges(_RAISED.sub(_without_note, shown))


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

    The qualifier in brackets is dropped, and a person's form of address ("Dr. Ada Thorne"): what
    follows a comma is often part of the name.
    """
    key = normalise_name(title)
    bare = _QUALIFIER.sub("", title)
    aliases = dict.fromkeys(map(normalise_name, (bare, without_honorifics(bare.strip()))))
    return tuple(alias for alias in aliases if alias and alias != key and is_entity_name(alias))


def is_entity_name(name: str) -> bool:
    """Say whether a span can be an entity: not punctuation, stop words, what parts of a text are
    called ("Acknowledgements") or a whole paragraph.
    """
    key = normalise_name(name)
    if not key or len(key) > MAX_NAME or names_section(key):
        return False
    if len(key) == 1 and key.isascii() and not key.isdigit():
        return False
    return any(word.strip(_EDGES) not in STOP_WORDS for word in key.split())
