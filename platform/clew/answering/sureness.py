"""How sure an answer is, in the words of its text, and what such a text says without them.

    told, confidence ─▶ stated   "Probably London."
    Answer           ─▶ foot     "Confidence: 52%", for who is shown nothing but the text
    text             ─▶ said_in  "London.", where it comes back as what was answered before

Whoever reads an answer must see how sure it is; who understands the next question must not: the
flag in question is London's, not "Probably London's".
"""

import re

from clew.answering.unsupported import NOT_SAID
from clew.results.evidence import Answer

LIKELY = 0.85
POSSIBLE = 0.35
"""From which confidence on an answer is stated plainly, or as probable; below: as possible."""
_POSSIBLY = re.compile(r"Possibly (.+?); the evidence is not clear\.", re.DOTALL)
_HEDGE = re.compile(r"(?:Probably|Possibly) (?=\S)")
_FOOT = re.compile(rf"\n\n((?:Confidence|Likeness): \d+%|{re.escape(NOT_SAID)})[^\n]*\s*\Z")
_QUOTE = re.compile(r"\n“.*?” \[\d+\](?=\n|\Z)", re.DOTALL)
_PARTS = re.compile(r"\n\n(?=[^\n?“]+\? )")
_ASKED_AGAIN = re.compile(r"[^\n?]+\? (?=\S)")
"""The question before its answer, where a text answers several."""


def stated(told: str, confidence: float) -> str:
    """Return the answer in a few words as a sentence, as sure as it is."""
    if confidence >= LIKELY:
        return f"{told[:1].upper()}{told[1:]}."
    return f"Probably {told}." if confidence >= POSSIBLE else possibly(told)


def possibly(told: str) -> str:
    """Return the answer in a few words as a sentence that says how unsure it is."""
    return f"Possibly {told}; the evidence is not clear."


def foot(answer: Answer) -> str:
    """Return what a page shows beside the text, as a line below it: how sure the answer is, for
    which name it is where another was asked for, and why nothing was found; "" where there is
    nothing but what the text says itself.
    """
    of_triples = any(one.triple_id and not one.chunk_id for one in answer.citations)
    if answer.supported:
        words = f"{'Likeness' if of_triples else 'Confidence'}: {answer.confidence:.0%}"
    else:
        words = "" if answer.text.startswith(NOT_SAID) else NOT_SAID
    evidence = answer.evidence
    other_names = (one.sentence for one in evidence.suggestions if one.followed)
    reasons = () if evidence.chunks or evidence.triples else evidence.notices
    return " · ".join(filter(None, (words, *other_names, *reasons)))


def said_in(text: str) -> str:
    """Return what the text of an answer says, without words for how sure it is, the question before
    each part, and the quotes behind it; "" where it is that the evidence does not say.
    """
    end = _FOOT.search(text)
    if end is not None:
        if end[1] == NOT_SAID:
            return ""
        text = text[: end.start()]
    parts = _PARTS.split(_QUOTE.sub("", text).strip())
    return "\n\n".join(filter(None, map(_said_in_part, parts)))


def _said_in_part(part: str) -> str:
    part = _ASKED_AGAIN.sub("", part, count=1) if _ASKED_AGAIN.match(part) else part
    if part.startswith(NOT_SAID):
        return ""
    unclear = _POSSIBLY.match(part)
    if unclear is not None:
        return f"{unclear[1]}.{part[unclear.end() :]}"
    return _HEDGE.sub("", part, count=1) if _HEDGE.match(part) else part
