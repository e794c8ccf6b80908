"""The sample corpus' questions, as examples for those who ask for the first time."""

from functools import cache

from clew.sample_corpus import DEMO_QUESTION, questions, unanswerable_questions

SAMPLE_CORPUS = "sample"
"""The corpus that `clew demo` fills too."""

EXAMPLES = 4


@cache
def example_questions() -> tuple[str, ...]:
    """Return the demo's question, some of other types, and one that has no answer."""
    chosen = {DEMO_QUESTION.type: DEMO_QUESTION.question}
    for question in questions():
        chosen.setdefault(question.type, question.question)
    return (*list(chosen.values())[:EXAMPLES], unanswerable_questions()[0].question)
