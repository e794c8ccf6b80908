"""Short forms and dates in a question as the evidence writes them.

    "Who chairs the AGM?"          -> "Who chairs the annual general meeting?"
    "When is API v1 switched off?" -> "When is API version 1 switched off?"
    "Who is on duty on 7 May?"     -> "Who is on duty on 2025-05-07?"

Only what stands nowhere in the evidence is looked for, in noun phrases whose words begin with its
letters in order, or by a word that begins with its letter and stands before its number.
"""

import re
from collections.abc import Iterator, Sequence

from clew.comprehension.annotation import AnnotatedSentence, Token
from clew.comprehension.dates import moments_in, otherwise_written
from clew.comprehension.evidence_view import EvidenceView
from clew_ingest.parsing.entity_names import normalise_name

_SHORT = re.compile(r"(?<![\w-])(?:[A-Z]{3,5}|[A-Za-z](\d+(?:\.\d+)*))(?![\w-])")
"""Two letters are those of words that stand side by side in any text."""
_MEANS = re.compile(r"\b(?:stands? for|short for|means?|abbreviat\w+)\b", re.IGNORECASE)
"""Who asks so wants the words."""
_OF_PHRASE = frozenset({"NOUN", "PROPN", "ADJ", "ADV", "VERB"})
_JOINING = frozenset({"ADP", "CCONJ", "DET"})
_MOST_BETWEEN = 2


def written_out(question: str, view: EvidenceView) -> str:
    """Return a question with each short form and each date that no passage has so as one has it,
    where all that do have the same; as it is where it asks what they are.
    """
    if _MEANS.search(question) is not None:
        return question
    text = "".join(view.passages.values())
    for start, end, _ in reversed(moments_in(question)):
        name = normalise_name(question[start:end])
        dates = [] if f" {name} " in text else otherwise_written(name, text)
        if len(dates) == 1:
            question = f"{question[:start]}{dates[0]}{question[end:]}"
    for short in reversed(list(_SHORT.finditer(question))):
        if f" {normalise_name(short.group())} " in text:
            continue
        found = {
            words.casefold(): words
            for sentence in view.sentences
            for words in _words_of(short, sentence.parse)
        }
        if len(found) == 1:
            (words,) = found.values()
            question = f"{question[: short.start()]}{words}{question[short.end() :]}"
    return question


def _words_of(short: re.Match[str], parse: AnnotatedSentence) -> Iterator[str]:
    """Yield what stands in a sentence for a short form."""
    number = short.group(1)
    tokens = parse.tokens
    for at, token in enumerate(tokens):
        if not token.text.isalpha() or token.text[0].casefold() != short.group()[0].casefold():
            continue
        if number is not None:
            numbered = at + 1 < len(tokens) and tokens[at + 1].text == number
            last = at + 1 if len(token.text) > 1 and numbered else None
        else:
            begins = token.pos in _OF_PHRASE
            last = _last_of(short.group().casefold(), tokens, at) if begins else None
        if last is not None:
            words = parse.slice(at, last + 1)
            yield words if at or token.pos == "PROPN" else words[:1].casefold() + words[1:]


def _last_of(letters: str, tokens: Sequence[Token], at: int, between: int = 0) -> int | None:
    """Return the last token of the words from ``at`` on that begin with the letters, "of" and the
    like for one of them or for none; None where they are no noun phrase."""
    if at >= len(tokens) or between > _MOST_BETWEEN:
        return None
    token, last = tokens[at], len(letters) == 1
    joins = token.text == "-" or (token.pos in _JOINING and token.text.isalpha())
    if token.text[0].casefold() == letters[0] and (joins or token.pos in _OF_PHRASE):
        if last:
            return at if token.pos in {"NOUN", "PROPN"} else None
        found = _last_of(letters[1:], tokens, at + 1)
        if found is not None:
            return found
    return _last_of(letters, tokens, at + 1, between + 1) if joins else None
