"""A nested question, taken apart: the innermost noun phrase is asked for first.

"Who founded the shipyard that built the Aurelia?" holds "the shipyard that built the Aurelia";
once that is known to be the Seld Shipyard, "Who founded the Seld Shipyard?" is left to ask.
"""

import re
from dataclasses import dataclass

from clew.answering.annotation import AnnotatedSentence
from clew.answering.question import WH

RELATIVE = frozenset({"who", "whom", "whose", "which", "that", "where", "when"})
CLAUSES = frozenset({"relcl", "acl"})
PREPOSITIONS = frozenset({"of", "by", "in", "from", "for", "at", "to", "after", "on"})


@dataclass(frozen=True)
class InnerPhrase:
    """A noun phrase that describes instead of naming: its text and what is left around it.

    ``head``: its noun as written, ``before`` and ``after``: the rest of the question.
    """

    text: str
    head: str
    before: str
    after: str

    def replaced(self, name: str) -> str:
        """Return the question with a name in the phrase's place."""
        before = re.sub(r"\b([Tt]he|[Aa]n?)\s*$", "", self.before)
        return " ".join(f"{before} {name} {self.after}".split()).replace(" ?", "?")


def inner_phrases(sentence: AnnotatedSentence) -> list[InnerPhrase]:
    """Return the describing noun phrases of a question, the innermost first."""
    found: dict[tuple[int, int], InnerPhrase] = {}
    tokens = sentence.tokens
    for index, token in enumerate(tokens):
        if token.pos not in {"NOUN", "PROPN"} or token.dep == "compound":
            continue
        if not any(_describes(sentence, child) for child in sentence.children[index]):
            continue
        first, last = sentence.subtree(index)
        last = _without_punctuation(sentence, last)
        if last == _without_punctuation(sentence, len(tokens)) and _lacks_predicate(sentence):
            while last - 1 > index and _stands_alone(sentence, last - 1):
                last -= 1  # "… was the architect who designed the museum | born?"
        if _acceptable(sentence, first, last, index):
            found[(first, last)] = _phrase(sentence, first, last, index)
    extraposed = _extraposed(sentence)
    if extraposed is not None:
        found[(-1, len(tokens))] = extraposed
    order = sorted(found, key=lambda span: (span[1] - span[0], span))
    return [found[span] for span in order]


def _describes(sentence: AnnotatedSentence, child: int) -> bool:
    token = sentence.tokens[child]
    if token.dep in CLAUSES:
        return True
    if token.dep == "prep" and token.lemma in PREPOSITIONS:
        return any(
            sentence.tokens[inner].pos in {"NOUN", "PROPN"} for inner in sentence.children[child]
        )
    return token.dep == "poss" and token.pos in {"NOUN", "PROPN"}


def _acceptable(sentence: AnnotatedSentence, first: int, last: int, head: int) -> bool:
    tokens = sentence.tokens
    if any(
        token.text.casefold() in WH and i < head
        for i, token in enumerate(tokens[:last])
        if i >= first
    ):
        return False
    if last - first < 3 or (first == 0 and last >= len(tokens) - 1):
        return False
    whole_name = all(t.pos in {"PROPN", "ADP", "DET"} for t in tokens[first:last])
    names_something = any(
        t.pos in {"PROPN", "NUM"} or t.text in {'"', "“"}
        for i, t in enumerate(tokens[first:last], first)
        if i != head
    )
    return names_something and not (whole_name and tokens[head].pos == "PROPN")


def _without_punctuation(sentence: AnnotatedSentence, last: int) -> int:
    while last > 1 and sentence.tokens[last - 1].text in {"?", ".", ",", "!"}:
        last -= 1
    return last


def _phrase(sentence: AnnotatedSentence, first: int, last: int, head: int) -> InnerPhrase:
    tokens = sentence.tokens
    return InnerPhrase(
        text=sentence.slice(first, last),
        head=tokens[head].lemma,
        before=sentence.text[: tokens[first].start].strip(),
        after=sentence.text[tokens[last - 1].end :].strip(),
    )


def _stands_alone(sentence: AnnotatedSentence, index: int) -> bool:
    """A verb or preposition without a subject of its own."""
    if sentence.tokens[index].pos not in {"VERB", "ADP"}:
        return False
    return all(
        sentence.tokens[child].dep not in {"nsubj", "nsubjpass"}
        for child in sentence.children[index]
    )


def _lacks_predicate(sentence: AnnotatedSentence) -> bool:
    """The main verb is a bare auxiliary: what it goes with was parsed into the noun phrase."""
    return sentence.tokens[sentence.root].lemma in {"be", "do"} and sentence.tokens[
        -1 if sentence.tokens[-1].text != "?" else -2
    ].pos in {"VERB", "ADP"}


def _extraposed(sentence: AnnotatedSentence) -> InnerPhrase | None:
    """Where was the chemist born who isolated …: the clause stands apart from its noun."""
    tokens = sentence.tokens
    for index in range(3, len(tokens)):
        if tokens[index].text.casefold() not in {"who", "that", "which", "where"}:
            continue
        start = index
        if tokens[index - 1].pos == "ADP" and tokens[index].text == "which":
            start -= 1
        if tokens[start - 1].pos not in {"VERB", "AUX", "ADJ", "ADV"}:
            continue
        for phrase in reversed(sentence.noun_chunks):
            if phrase.last < start and phrase.first > 0 and tokens[phrase.first].pos == "DET":
                if tokens[phrase.first].text.casefold() in WH:
                    break
                head = sentence.phrase_head(phrase.first, phrase.last)
                end = _without_punctuation(sentence, len(tokens))
                noun = sentence.slice(phrase.first, phrase.last)
                middle = sentence.slice(phrase.last, start)
                return InnerPhrase(
                    text=f"{noun} {sentence.slice(start, end)}",
                    head=tokens[head].lemma,
                    before=sentence.text[: tokens[phrase.first].start].strip(),
                    after=f"{middle}?",
                )
        return None
    return None
