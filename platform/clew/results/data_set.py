"""What every data set is: documents, and questions with what is right about them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from pydantic import Field

from clew.results.result import Result

GoldUnit = Literal["document", "chunk", "triple"]


@dataclass(frozen=True)
class BenchDocument:
    """A document of a data set; ``key`` names it within the set and is what gold refers to."""

    key: str
    title: str
    text: str


class QuestionStep(Result):
    """A question of one hop that a longer one is made of; ``gold``: key of the document that
    proves its answer."""

    question: str
    answer: str
    gold: str


class BenchQuestion(Result):
    """A question and what is right about it.

    ``answers``: the right answer first, then its aliases. ``gold``: key of a document (chunk,
    triple: see DataSet.unit) → its relevance, 1 or more. ``gold_paths``: each a chain of keys that
    proves the answer, as the sets of triples have them. ``gold_triples``: (head, relation, tail) in
    the set's own words. ``steps``: its questions of one hop, in order; later ones name the answers
    of earlier ones. ``labels``: the closed set of answers to choose from, where there is one.
    ``answerable`` False: the documents do not say, and saying so is right; such a question has no
    other gold. ``type`` and ``hops``: what figures are grouped by.
    """

    id: str
    question: str
    answers: tuple[str, ...] = ()
    gold: dict[str, int] = Field(default_factory=dict)
    gold_paths: tuple[tuple[str, ...], ...] = ()
    gold_triples: tuple[tuple[str, str, str], ...] = ()
    # training data only: no figure depends on them, so neither do runs nor fingerprints
    steps: tuple[QuestionStep, ...] = Field(default=(), exclude=True)
    labels: tuple[str, ...] = ()
    answerable: bool = True
    type: str | None = None
    hops: int | None = None


class RefusedQuestion(Result):
    """A question that cannot be scored and is left out, with the reason."""

    id: str
    reason: str


@dataclass(frozen=True)
class DataSet:
    """A corpus and questions on it.

    ``format``: name of the loader. ``documents``: () where the corpus exists already, its name
    then in ``corpus``, or is a knowledge base. ``unit``: what ``gold`` counts. ``triples``: those
    of the knowledge base, key → (head, relation, tail). ``synthetic``: the questions were made
    by a program. ``refused``: questions that were left out.
    """

    name: str
    format: str
    documents: Sequence[BenchDocument]
    questions: Sequence[BenchQuestion]
    refused: tuple[RefusedQuestion, ...] = ()
    unit: GoldUnit = "document"
    triples: Mapping[str, tuple[str, str, str]] = field(default_factory=dict)
    synthetic: bool = False
    corpus: str | None = None


@dataclass(frozen=True)
class DataSetSource:
    """What the user named: ``name`` as it was written; ``path``: the file or folder, None for what
    comes with Clew."""

    name: str
    path: Path | None = None


@dataclass(frozen=True)
class DataSetFormat:
    """A format of data sets: its name, what it looks like, how it is recognised and read.

    ``recognises`` looks at names and a first record only. ``load`` raises InvalidDataSet, which
    names the file, the record and the field.
    """

    name: str
    summary: str
    recognises: Callable[[DataSetSource], bool]
    load: Callable[[DataSetSource], DataSet]


def squeezed(text: str) -> str:
    """Return a text without white space: what two copies of a passage are compared by."""
    return "".join(text.split())
