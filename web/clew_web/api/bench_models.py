"""What callers send to the bench: a run to start, and which run is meant."""

from typing import Annotated, Any, Literal

from flask_openapi3 import FileStorage
from pydantic import AfterValidator, Field

from clew.evaluation.request import CORPUS_PREFIX, LARGEST_SEED, SAMPLE
from clew_web.api.models import SAID_TEXT, Identifier, Name, Plain, Request

QUESTIONS_LIMIT = 5000


def _over_the_network(data_set: str) -> str:
    corpus = data_set.removeprefix(CORPUS_PREFIX)
    if data_set != SAMPLE and (corpus == data_set or not corpus.strip()):
        raise ValueError("it is neither 'sample' nor 'corpus:NAME'; files are for `clew bench`")
    return data_set


DataSetName = Annotated[
    Plain,
    Field(
        min_length=1,
        max_length=250,
        json_schema_extra={"pattern": f"^(sample|corpus:{SAID_TEXT})$"},
    ),
    AfterValidator(_over_the_network),
]


class BenchChoices(Request):
    """What a run of the bench measures, and how."""

    data_set: DataSetName = Field(description="'sample', or 'corpus:NAME' of an indexed corpus.")
    synthetic: int = Field(
        50,
        ge=1,
        le=QUESTIONS_LIMIT,
        description="Questions to make from the graph where none are given.",
    )
    strategies: list[Name] | None = Field(
        None, min_length=1, max_length=50, description="GET /strategies; unset: all of them."
    )
    ablations: Name | None = Field(
        None,
        description="In place of strategies: the one to measure whole and without each of its "
        "parts, those that GET /strategies lists as its `ablations`.",
    )
    reader: Name | None = Field(
        None,
        description="Who answers: none, auto, extractive, local, openai; unset: the setting.",
    )
    limit: int | None = Field(
        None, ge=1, le=1_000_000, description="Ask so many questions, drawn by the seed."
    )
    seed: int = Field(0, ge=0, le=LARGEST_SEED, description="The same seed gives the same run.")
    depth: int | None = Field(None, ge=1, le=200, description="Chunks to rank.")
    judge: bool = Field(False, description="Let a language model mark the answers.")
    mauve: bool = Field(False, description="Compute MAUVE too.")
    fresh: bool = Field(False, description="Ask again what an interrupted run has asked.")


class NewBench(BenchChoices):
    """A run of the bench to start, as JSON."""

    questions: list[dict[str, Any]] | None = Field(
        None,
        min_length=1,
        max_length=QUESTIONS_LIMIT,
        description="Questions to ask of the corpus: {question, answers: [the right one, its "
        "aliases], gold: [titles, addresses or ids of the right documents]}; there may also be "
        "id, answerable, gold_paths, labels, type, hops.",
    )


class BenchUpload(BenchChoices):
    """A run of the bench to start, with its questions as a file."""

    questions: FileStorage | None = Field(
        None, description="JSON Lines: a question a line, in the form of the JSON body's."
    )


class BenchRunFilter(Request):
    """Which runs to list."""

    limit: int = Field(50, ge=1, le=500, description="At most so many, newest first.")


class BenchRunPath(Request):
    """A run of the bench in the address."""

    run_id: Identifier = Field(description="Id of the run.")


class Against(Request):
    """The earlier run that a run is compared with."""

    against: Identifier = Field(description="Id of the earlier run.")


class ReportChoice(Request):
    """How a report is shown."""

    against: Identifier | None = Field(None, description="Compare with this earlier run.")
    theme: Literal["light", "dark"] | None = Field(
        None, description="Unset: as the reader's system has it."
    )
