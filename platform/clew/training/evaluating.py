"""How well a model translates held-out questions: does it write the entity, and lead to the chunk?

Only what the model decodes counts: names that a question holds are not looked up, which helps
translator but says nothing of the model.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from clew_models.translator import Backbone, ClueIndex, TranslationOptions
from clew_models.translator.examples import TranslationExample


@dataclass(frozen=True)
class TranslationFigures:
    """Shares of ``questions``: whose first entity was among the α decoded ones, whose first chunk
    was among those that the clues led to, and whose likeliest clue led to it.
    """

    questions: int
    entity: float
    traced: float
    first_clue: float
    chunks: float
    """Chunks that the clues of a question led to, on average."""


def evaluate(
    backbone: Backbone,
    index: ClueIndex,
    examples: Sequence[TranslationExample],
    options: TranslationOptions,
    tell: Callable[[int, int], None] = lambda done, total: None,
) -> TranslationFigures:
    """Translate the questions of ``examples`` forward and compare with what proves them.

    Raises ValueError without examples.
    """
    if not examples:
        raise ValueError("There is no example to evaluate with.")
    entity = traced = first = chunks = 0
    for done, example in enumerate(examples, 1):
        translation = backbone.translation(index, example.question, options)
        entities = translation.entities([])
        clues = translation.clues(entities, "forward")
        reached = {chunk for clue in clues for chunk in clue.chunk_ids}
        gold = example.chunk_ids[0]
        entity += any(one.surface == example.clues[0].entity for one in entities)
        traced += gold in reached
        first += bool(clues) and gold in clues[0].chunk_ids
        chunks += len(reached)
        tell(done, len(examples))
    count = len(examples)
    return TranslationFigures(count, entity / count, traced / count, first / count, chunks / count)
