"""Every reader, once: who writes answers. Imports nothing heavy; see `strategies/catalogue.py`."""

from dataclasses import dataclass

AUTO = "auto"
"""The setting that chooses: the endpoint where one is configured, else the first reader."""
ANSWER_THRESHOLD = 0.08
"""The confidence below which the answer is that the evidence does not say, unless a setting says
otherwise: of questions that are held out, the extractive reader then refuses 79 of 100 that have no
answer, and loses 4 right answers of 100 (`tests/benchmarks/reader_training.py`)."""


@dataclass(frozen=True)
class ReaderSpec:
    """A reader's name, what it does in one line, and ``loader``: what makes it of ``Resources``."""

    name: str
    summary: str
    loader: str


READERS: tuple[ReaderSpec, ...] = (
    ReaderSpec(
        "extractive",
        "Without a language model: words of the evidence, scored, or what a whole table tells.",
        "clew.answering.extractive:extractive_reader",
    ),
    ReaderSpec(
        "local",
        "The language model that comes with the installation; small and weak.",
        "clew.answering.language_model_reader:local_reader",
    ),
    ReaderSpec(
        "openai",
        "Any OpenAI-compatible endpoint: llm_base_url and llm_model.",
        "clew.answering.language_model_reader:openai_reader",
    ),
    ReaderSpec(
        "graph",
        "That endpoint, or a model trained for it, over the question's graph and what was asked: "
        "with strategies that plan.",
        "clew.answering.graph_reader:graph_reader",
    ),
)


def reader_names() -> tuple[str, ...]:
    """Return the names that can be given."""
    return (AUTO, *(spec.name for spec in READERS))
