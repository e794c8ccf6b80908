"""Training examples as token ids, in the very form in which clues are decoded."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from clew_models.translator.examples import ClueTarget, TranslationExample
from clew_models.translator.vocabulary import Vocabulary

IGNORED = -100
"""The label of a token that is not to be learned."""


@dataclass(frozen=True)
class EncodedExample:
    """A prompt with its clues; ``labels`` are the clues' tokens, and IGNORED for the prompt."""

    input_ids: list[int]
    labels: list[int]


def encode(
    vocabulary: Vocabulary, example: TranslationExample, max_tokens: int
) -> EncodedExample | None:
    """Return ``PROMPT ENTITY@@RELATION\\n … END``; None where a relation has no whole token, or the
    text is longer than ``max_tokens``.
    """
    prompt = vocabulary.prompt(example.question)
    written: list[int] = []
    for clue in example.clues:
        relation = relation_tokens(vocabulary, clue)
        if not relation:
            return None
        name = vocabulary.tokenize([clue.entity])[0]
        written += [*name, *vocabulary.separator, *relation, vocabulary.line_end]
    written.append(vocabulary.end)
    if len(prompt) + len(written) > max_tokens:
        return None
    return EncodedExample(prompt + written, [IGNORED] * len(prompt) + written)


def relation_tokens(vocabulary: Vocabulary, clue: ClueTarget) -> list[int]:
    """Return the tokens of the hyperrelation that lie within the clue's relation."""
    found: Any = vocabulary.tokenizer(
        clue.hyperrelation,
        add_special_tokens=False,
        split_special_tokens=True,
        return_offsets_mapping=True,
    )
    # a token may begin with the space before its word, which belongs to it
    return [
        token
        for token, (start, end) in zip(found["input_ids"], found["offset_mapping"], strict=True)
        if start >= clue.start - 1 and clue.start < end <= clue.end
    ]


def padded(examples: Sequence[EncodedExample], padding: int) -> dict[str, Any]:
    """Return a batch of tensors: input_ids, attention_mask and labels, each [B, L]."""
    import torch

    length = max(len(example.input_ids) for example in examples)

    def rows(values: Sequence[Sequence[int]], fill: int) -> Any:
        return torch.tensor([[*row, *[fill] * (length - len(row))] for row in values])

    return {
        "input_ids": rows([example.input_ids for example in examples], padding),
        "attention_mask": rows([[1] * len(example.input_ids) for example in examples], 0),
        "labels": rows([example.labels for example in examples], IGNORED),
    }
