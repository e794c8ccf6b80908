"""The sample corpus: short articles on an invented country, and questions over several of them.

It is what `clew demo` and the end-to-end tests use. All names, people and events are invented.
"""

from clew.sample_corpus.questions import (
    ARTICLES,
    DEMO_QUESTION,
    SampleQuestion,
    UnanswerableQuestion,
    questions,
    unanswerable_questions,
)

__all__ = [
    "ARTICLES",
    "DEMO_QUESTION",
    "SampleQuestion",
    "UnanswerableQuestion",
    "questions",
    "unanswerable_questions",
]
