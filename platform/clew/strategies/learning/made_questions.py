"""Questions made from the sentences of passages, each with the answer's place: data for a reader.

From a sentence's dependency parse (`sentence_questions.py`): "The bridge was opened by the king in
1931" gives "When was the bridge opened by the king?", or "… was opened by whom?". About what the
title names (`title_questions.py`): its description, its life, its relations.
"""

import random
from collections.abc import Iterator, Sequence
from typing import Any

from clew.strategies.learning.passage import MadeQuestion, Passage
from clew.strategies.learning.sentence_questions import answers, sentence_questions
from clew.strategies.learning.title_questions import (
    description_questions,
    life_questions,
    relation_paraphrases,
)

__all__ = ["MadeQuestion", "made_questions"]


def made_questions(
    titles: Sequence[str], documents: Iterator[Any], chance: random.Random
) -> Iterator[MadeQuestion]:
    """Yield questions about each of spaCy's ``documents``, the passages under ``titles``."""
    for number, (title, document) in enumerate(zip(titles, documents, strict=True)):
        yield from _of_passage(Passage(number, title, document, chance))


def _of_passage(passage: Passage) -> Iterator[MadeQuestion]:
    """Yield every question, not all of them worth asking."""
    yield from life_questions(passage)
    for index, sentence in enumerate(passage.document.sents):
        if not 5 <= len(sentence) <= 60 or sentence.root.pos_ not in {"VERB", "AUX"}:
            continue
        if index == 0:
            yield from description_questions(passage, sentence)
        for answer in answers(passage, sentence):
            yield from relation_paraphrases(passage, answer)
            yield from sentence_questions(passage, sentence, answer)
