"""How a question asks: by which word, for yes or no, or between things that it offers."""

import re
from collections.abc import Sequence
from itertools import pairwise

from clew.comprehension.annotation import AnnotatedSentence, Token
from clew.comprehension.lexicon import WH

_TELLING = frozenset({"tell", "know", "say", "explain", "remind", "show", "wonder", "remember"})
_OUT_OF = re.compile(
    r"^(?:who|which|what)\b.+\bout of\b.+\band\b"
    r"|^(?:out of|between|of|among)\b.+\band\b.+,\s*(?:who|which|what)\b",
    re.IGNORECASE,
)
_ASKED = frozenset({"you", "u", "anyone", "anybody", "someone", "somebody"})
"""Who is asked to tell something: "Does anybody know who …?"."""
_INVERTING = frozenset({"nor", "neither", "so", "than", "as", "only", "hardly", "never", "such"})
"""Behind what a verb stands before its subject, though nothing is asked: "nor can we"."""
_SUBJECTS = frozenset({"i", "we", "you", "he", "she", "it", "they", "there"})
_TAGGED = re.compile(
    r"(?:\bright|\bok|\bokay|[,:;.]\s*(?:correct|true|yes|no|allowed|permitted|possible))\s*\??$",
    re.IGNORECASE,
)
"""What makes a question for yes or no of a statement or of a few words: "So it is free, right?"."""
_GOING_ON = frozenset({"being", "having", "doing", "been"})
_OWN_DUTY = re.compile(r"(?:do|must|should|will|would|shall|did) (?:i|we)\b", re.IGNORECASE)
"""What begins a question for yes or no, "Do I have to know which form to take?"."""


def asking_word(sentence: AnnotatedSentence) -> int | None:
    """Return the token that asks ("who", "which" …), and not a relative pronoun; None without.

    It begins the question, alone or after a preposition, or what one is asked to tell, "Can you
    tell me who …", or stands where the answer would: "… a network founded by who?", "… in what
    year?".
    """
    tokens = sentence.tokens
    found = [i for i, token in enumerate(tokens) if token.text.casefold() in WH]
    found = [i for i in found if not _is_told(tokens, i)]
    if _OWN_DUTY.match(sentence.text):
        return None
    for index in found:
        if index == 0 or (index == 1 and tokens[0].pos in {"ADP", "PUNCT", "SCONJ"}):
            return index
        if {token.lemma for token in tokens[max(0, index - 2) : index]} & _TELLING:
            return index
    for index in reversed(found):
        word, before = tokens[index].text.casefold(), tokens[index - 1]
        following = tokens[index + 1].pos if index + 1 < len(tokens) else "PUNCT"
        if word in {"what", "which", "how"} and following in {"NOUN", "PROPN", "ADJ", "NUM"}:
            if word == "which" and before.pos in {"NOUN", "PROPN"}:
                continue
            return index
        if following in {"PUNCT", "SPACE"} or before.text == ",":
            if word in {"who", "which"} and following not in {"PUNCT", "SPACE"}:
                continue
            return index
        if word == "what" and before.pos in {"ADP", "VERB", "AUX"}:
            return index
    if begins_yes_no(tokens):
        return None
    return next((i for i in found if not _is_relative(tokens, i)), None)


def _is_told(tokens: tuple[Token, ...], index: int) -> bool:
    """Say whether a word asks only what somebody sees, knows or does, "Can I split what I owe?",
    "Does the letter say how much I need?", and not the one who is asked: "Can you tell me who …?".
    """
    if index < 3 or tokens[index - 1].pos not in {"VERB", "AUX"} or len(tokens) < index + 3:
        return False
    asked = tokens[0].pos == "AUX" and tokens[1].text.casefold() not in _ASKED
    clause = any(token.pos in {"VERB", "AUX"} for token in tokens[index + 1 :])
    return asked and clause


def _is_relative(tokens: tuple[Token, ...], index: int) -> bool:
    """A pronoun that says more of the noun before it, "an event where they serve drinks"."""
    of_noun = index > 0 and tokens[index - 1].pos in {"NOUN", "PROPN"}
    whose = tokens[index].text.casefold() == "whose"
    return of_noun and (whose or tokens[tokens[index].head].dep == "relcl")


def asks_yes_no(sentence: AnnotatedSentence) -> bool:
    """Say whether a sentence that no word asks in asks for yes or no."""
    return begins_yes_no(sentence.tokens) or _TAGGED.search(sentence.text) is not None


def begins_yes_no(tokens: tuple[Token, ...]) -> bool:
    """Say whether a sentence begins with what asks for yes or no, or a clause of it does, "If I
    leave, will my lock be opened?", "it's thursday can i skip a week"."""
    start = next((i for i, token in enumerate(tokens) if token.pos != "PUNCT"), None)
    if start is None:
        return False
    asks = next((i for i, token in enumerate(tokens) if token.text.casefold() in WH), len(tokens))
    clauses = (
        i
        for i, (before, token) in enumerate(pairwise(tokens), 1)
        if i < min(asks, len(tokens) - 1) and token.text.casefold() not in _GOING_ON
        if (
            before.text in {",", ";", "–", ":"}
            and (tokens[i + 1].pos in {"PRON", "DET", "NOUN", "VERB"})
        )
        or (tokens[i + 1].text.casefold() in _SUBJECTS and before.lemma not in _INVERTING)
    )
    return any(
        (tokens[i].pos == "AUX" or tokens[i].lemma in {"be", "do", "have", "can", "will"})
        and tokens[i].text.casefold() not in WH
        for i in (start, *clauses)
    )


def offers_choice(sentence: AnnotatedSentence) -> bool:
    """Say whether an "or" between things, not "shot in or around Leland"; "out of A and B"."""
    tokens = sentence.tokens
    return _OUT_OF.search(sentence.text) is not None or any(
        token.text == "or" and before.pos not in {"ADP", "ADV", "VERB", "AUX"}
        for before, token in pairwise(tokens)
    )


def offers_names(tokens: Sequence[Token]) -> bool:
    """An "or" between two names: "Was Spione or Metropolis released first?"."""
    names = [token.pos == "PROPN" or token.text[:1] in {'"', "“"} for token in tokens]
    for index, token in enumerate(tokens):
        if token.text == "or" and 0 < index < len(tokens) - 1:
            after = index + 1 + (tokens[index + 1].pos == "DET")
            if names[index - 1] and after < len(tokens) and names[after]:
                return True
    return False
