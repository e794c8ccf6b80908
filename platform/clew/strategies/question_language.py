"""In which language a question is asked, where that is surely not English.

By its function words, which no name has: n-gram models take "Who is Przemysław Kowalczyk?" for
Polish. A question with one unmistakable English word is English, whatever names stand in it. The
lists are spaCy's, for the languages below; other scripts tell by themselves.
"""

import re
import unicodedata

from clew_ingest.parsing.spacy_pipeline import function_words

ENGLISH = frozenset(
    "who what when where which why how whose whom did does were the and".split()  # noqa: SIM905
)
"""Words that say a question is English; none is a question's usual word in another language."""
LANGUAGES = {
    "es": "Spanish",
    "fr": "French",
    "de": "German",
    "pt": "Portuguese",
    "it": "Italian",
    "nl": "Dutch",
    "pl": "Polish",
    "tr": "Turkish",
    "sv": "Swedish",
    "ro": "Romanian",
    "cs": "Czech",
    "hu": "Hungarian",
    "da": "Danish",
    "nb": "Norwegian",
    "fi": "Finnish",
}
"""Those whose function words are compared; of two with as many, the first, more people speak."""
SCRIPTS = {
    "HIRAGANA": "Japanese",
    "KATAKANA": "Japanese",
    "HANGUL": "Korean",
    "CJK": "Chinese",
    "CYRILLIC": "Russian or another language in Cyrillic script",
    "ARABIC": "Arabic or another language in Arabic script",
    "HEBREW": "Hebrew",
    "GREEK": "Greek",
    "DEVANAGARI": "Hindi or another language in Devanagari script",
    "THAI": "Thai",
}
_WORD = re.compile(r"[^\W\d_]+")


def foreign_language(question: str) -> str:
    """Return the language of a question in English words; "" for English, and where it is not
    sure (a few names).
    """
    words = _WORD.findall(question)
    if any(word.casefold() in ENGLISH for word in words):
        return ""
    script = _script(question)
    if script:
        return script
    # a name's words are capitalised; the first word is, whatever it is
    plain = [word.casefold() for word in words[:1]]
    plain += [word for word in words[1:] if word == word.casefold()]
    counts = {code: len(function_words(code).intersection(plain)) for code in LANGUAGES}
    code = max(counts, key=lambda code: counts[code])
    count = counts[code]
    english = len(function_words("en").intersection(plain))
    asked = "?" in question and len(words) > 2
    return LANGUAGES[code] if count > english and count >= (1 if asked else 3) else ""


def _script(question: str) -> str:
    """Return the language that most letters' script tells; "" for Latin."""
    found: dict[str, int] = {}
    letters = 0
    for letter in question:
        if letter.isalpha():
            letters += 1
            name = unicodedata.name(letter, "").split(" ")[0].split("-")[0]
            found[name] = found.get(name, 0) + 1
    told = {name: count for name, count in found.items() if name in SCRIPTS}
    if 2 * sum(told.values()) <= letters:
        return ""
    return next(SCRIPTS[name] for name in SCRIPTS if name in told)
