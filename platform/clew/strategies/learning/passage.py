"""A passage that questions are made of: its words, under its title's name."""

import random
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from clew.comprehension.naming import QUALIFIER

SUBJECTS = frozenset({"nsubj", "nsubjpass"})
LONGEST_QUESTION = 22


@dataclass(frozen=True)
class MadeQuestion:
    """A question that characters [start, end) of a passage answer.

    ``passage``: its number; ``in_title``: the characters are the title's; ``kind``: how it was
    made.
    """

    question: str
    passage: int
    start: int
    end: int
    in_title: bool
    kind: str


class Passage:
    """One of spaCy's documents, with its number and title, and the chance that words it."""

    def __init__(self, number: int, title: str, document: Any, chance: random.Random) -> None:
        self.number = number
        self.title = title
        self.name = QUALIFIER.sub("", title).strip()
        self.document = document
        self.chance = chance
        text = document.text.casefold()
        self.person = bool(re.search(r"\b(?:he|she|his|her|born)\b", text))

    def words(self, sentence: Any, start: int, stop: int, gone: set[int]) -> str:
        """Return the words from ``start`` to ``stop``, the passage's subject by its name, cut at
        a clause of its own."""
        result: list[str] = []
        depth = 0
        for token in self.document[start:stop]:
            depth += (token.text == "(") - (token.text == ")")
            if depth > 0 or token.text == ")" or token.i in gone:
                continue
            if token.text in {";", ":", "."} and token.i > sentence.start + 3:
                break
            first = token.i == sentence.start
            if token.tag_ == "PRP" and token.dep_ in SUBJECTS and first and self.name:
                result.append(self.name)
            elif token.tag_ == "PRP$" and self.chance.random() < 0.5 and self.name:
                result.append(f"{self.name}'s")
            elif first and token.ent_type_ == "" and token.pos_ != "PROPN":
                result.append(token.text[:1].casefold() + token.text[1:])
            else:
                result.append(token.text)
            if token.whitespace_ == "" and token.i + 1 < stop:
                following = self.document[token.i + 1]
                if following.text in {"'s", "'"} or "-" in {token.text, following.text}:
                    result.append("\x00")
        return " ".join(result).replace(" \x00 ", "").replace("\x00", "")

    def made(self, words: str, span: tuple[int, int], kind: str) -> Iterator[MadeQuestion]:
        """Yield the question, if it has not too many words and does not tell its answer."""
        words = tidy(words)
        answer = self.document.text[span[0] : span[1]]
        if not 3 <= len(words.split()) <= LONGEST_QUESTION or answer.casefold() in words.casefold():
            return
        yield MadeQuestion(words, self.number, *span, False, kind)


def tidy(words: str) -> str:
    """Return words as people write a question."""
    words = re.sub(r"\s+", " ", words).strip(" ,;-")
    words = re.sub(r"\s+([?,.;'’])", r"\1", words)
    words = re.sub(r"(?:[,;]|\b(?:and|or|but|which|who|where|when|,))+\s*\?$", "?", words)
    words = re.sub(r"[,.;]+\?$", "?", words)
    return words[:1].upper() + words[1:]
