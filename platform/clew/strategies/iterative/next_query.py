"""What a language model says is to be searched for next (KT-11): asked for, and read.

Source: KG-Translator, appendix M, prompt 3; the prompts here are ours. The reply is thinking, and
then the words "the next search query is" with a query, or with "None" where nothing is missing.
"""

import re
from collections.abc import Sequence

from clew.comprehension.normalisation import normalise_answer
from clew.results.evidence import EvidenceTriple, ScoredChunk
from clew.strategies.iterative.prompts import NEXT_QUERY
from clew_models.errors import MalformedOutput
from clew_models.language_model import Message, without_thoughts

SHOWN_CHARACTERS = 120
"""How much of a reply without a query an error quotes: its end, where the query should be."""

_SAID = re.compile(r"next\s+search\s+query\s+is\b", re.IGNORECASE)
_NONE = re.compile(
    r"(?:none|none(?:\s+is)?\s+(?:needed|necessary|required)"
    r"|not\s+(?:needed|necessary|required))\s*(?:[.,;:(–—-].*)?"
)
"""'None', alone or with the reason after a mark: a title may begin with this word."""
_QUOTES = {'"': '"', "'": "'", "“": "”", "‘": "’", "«": "»", "„": "“", "<": ">", "[": "]"}
_MARKUP = " \t\r\n*_`"


def next_query_messages(
    question: str, found: Sequence[ScoredChunk | EvidenceTriple], used: Sequence[str]
) -> list[Message]:
    """Return the conversation that asks for the next query; ``found``: passages and lines of
    knowledge bases; ``used``: the queries asked so far.
    """
    passages = "\n\n".join(
        f"[{number}] {one.title}\n{one.text}" for number, one in enumerate(found, start=1)
    )
    return NEXT_QUERY.messages(
        passages=passages or "(Nothing was found.)",
        queries="\n".join(f"- {query}" for query in used),
        question=question,
    )


def read_next_query(text: str) -> str | None:
    """Return the query that a reply names, None where it says that nothing is missing.

    The first that is named counts: small models go on and invent what follows. Raises
    MalformedOutput where a reply says neither.
    """
    reply = without_thoughts(text)
    for said in _SAID.finditer(reply):
        lines = reply[said.end() :].lstrip(f"{_MARKUP}:").splitlines()
        query = _bare(lines[0]) if lines else ""
        if _NONE.fullmatch(query.lower()):
            return None
        if re.search(r"\w", query):
            return query
    end = " ".join(text.split())[-SHOWN_CHARACTERS:]
    raise MalformedOutput(
        f"The language model did not say what the next search query is: “… {end}”.",
        remedy="Use another model (llm_model), or raise llm_max_tokens where it was cut short.",
    )


def already_used(query: str, used: Sequence[str]) -> bool:
    """Return whether a query was used, but for case, marks and articles."""
    return normalise_answer(query) in map(normalise_answer, used)


def _bare(line: str) -> str:
    """Return a line without markup, a full stop, and quotes around the whole."""
    before = None
    while line != before:
        before = line
        line = line.strip(_MARKUP).removesuffix(".")
        if len(line) > 1 and _QUOTES.get(line[0]) == line[-1] and line[-1] not in line[1:-1]:
            line = line[1:-1]
    return line
