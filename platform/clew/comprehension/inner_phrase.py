"""A description inside a question, and what is left of the question around it."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from clew.comprehension.annotation import AnnotatedSentence, Token
from clew.comprehension.lexicon import HOW, WH

PREPOSITIONS = frozenset({"of", "by", "in", "from", "for", "at", "to", "after", "on", "behind"})
REQUESTS = frozenset({"be", "i", "we", "me", "us", "please", "need", "want", "give", "show"})
"""With which one asks for a thing by no more than what it is: "I need the number of …"."""
POLITE = REQUESTS | frozenset({"can", "could", "may", "might", "will", "would", "like", "you"})
POLITE |= frozenset(
    {"have", "get", "tell", "let", "know", "find", "look", "name", "to", "for", "up"}
)
"""The same where no question word stands: "Can I have the number of …", "Tell me …"."""
NAMED_BY = frozenset({"the", "name", "of", "call"})
"""With which one asks for no more than what something is: "What is … called?"."""
_IS = frozenset({"is", "are", "was", "were"})


@dataclass(frozen=True)
class InnerPhrase:
    """A noun phrase that describes instead of naming: its text and what is left around it.

    ``head``: its noun (lemma), ``before`` and ``after``: the rest of the question.
    """

    text: str
    head: str
    before: str
    after: str

    @property
    def measured(self) -> bool:
        """Whether no more is asked than how high it is, or how much: a value of it answers that."""
        words = f"{self.before} {self.after}".casefold().strip(" ?.!").split()
        return len(words) == 3 and words[0] == "how" and words[1] in HOW and words[2] in _IS

    def replaced(self, name: str) -> str:
        """Return the question with a name in the phrase's place."""
        before = re.sub(r"\b([Tt]he|[Aa]n?)\s*$", "", self.before)
        text = " ".join(f"{before} {name} {self.after}".split())
        return re.sub(r"\s+([?,.'])", r"\1", text)


def phrase_of(sentence: AnnotatedSentence, first: int, last: int, head: int) -> InnerPhrase:
    tokens = sentence.tokens
    return InnerPhrase(
        text=sentence.slice(first, last),
        head=tokens[head].lemma,
        before=sentence.text[: tokens[first].start].strip(),
        after=sentence.text[tokens[last - 1].end :].strip(),
    )


def without_punctuation(sentence: AnnotatedSentence, last: int) -> int:
    while last > 1 and sentence.tokens[last - 1].text in {"?", ".", ",", "!"}:
        last -= 1
    return last


def only_asks_what(rest: Sequence[Token]) -> bool:
    """Around a phrase stands no more than "What is …?" or "I need …": the phrase itself is the
    question.
    """
    asked = any(t.text.casefold() in WH for t in rest)
    said = WH | NAMED_BY | (REQUESTS if asked else POLITE)
    return all({t.text.casefold(), t.lemma.casefold()} & said or t.pos == "PUNCT" for t in rest)
