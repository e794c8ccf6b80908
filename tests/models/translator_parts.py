"""A small graph and a tokenizer of words, for the tests of the translator."""

import re
from collections.abc import Sequence

from clew_models.translator import SentenceParts

SENTENCES = [
    SentenceParts("s1", "c1", "## is a ## film directed by ##.", ["ed"], ["year", "tim"]),
    SentenceParts("s2", "c1", "It stars ##.", [], ["johnny"]),
    SentenceParts("s3", "c2", "## was born in ##.", ["tim"], ["burbank"]),
    SentenceParts("s4", "c2", "## directed ## and ##.", ["tim"], ["ed", "beetle"]),
    SentenceParts("s5", "c3", "## is a ## film.", ["beetle"], ["year"]),
    SentenceParts("s6", "c4", "## was born in ##.", ["wood"], ["york"]),
]
NAMES = [
    ("ed", "Ed Wood"),
    ("ed", "Ed Wood (film)"),
    ("wood", "Ed Wood"),
    ("tim", "Tim Burton"),
    ("tim", "Burton"),
    ("beetle", "Beetlejuice"),
    ("johnny", "Johnny Depp"),
    ("burbank", "Burbank"),
    ("york", "New York"),
]
"""Two entities share the name "Ed Wood"; the last three are the head of nothing."""


class WordTokenizer:
    """Token ids of words, punctuation and masks, numbered as they come."""

    def __init__(self) -> None:
        self.numbers: dict[str, int] = {}

    def __call__(self, texts: Sequence[str]) -> list[list[int]]:
        return [
            [
                self.numbers.setdefault(word, len(self.numbers))
                for word in re.findall(r"##|\w+|\S", t)
            ]
            for t in texts
        ]

    def words(self, tokens: Sequence[int]) -> list[str]:
        """The words of token ids."""
        known = list(self.numbers)
        return [known[token] for token in tokens]
