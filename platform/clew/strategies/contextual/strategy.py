"""contextual (KG-CQR): the question is enriched with what the graph knows, then retrieval runs.

    question ─▶ subgraph ─▶ context ─▶ α·v_q + (1 − α)·v_context, or words behind the question

Source: KG-CQR, sections 3.2.3 and 3.3 (KC-7, KC-8). Without a language model the context is what
the triples' texts say, in the order of the subgraph; its vector is the mean of theirs, which are in
the graph: one text of all would be cut off where the embedder's window ends.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from clew.results.evidence import Evidence
from clew.strategies.base import Tell, untold
from clew.strategies.contextual.asking import WRITER, told
from clew.strategies.contextual.explanation import explain
from clew.strategies.contextual.fitted import options_for
from clew.strategies.contextual.options import ContextualOptions
from clew.strategies.contextual.spec import SPEC
from clew.strategies.contextual.subgraph import QuestionGraph, question_graph
from clew.strategies.enriching import RANKINGS, AddedText, unit
from clew.strategies.retrieval import Retrieval, Row
from clew_cypher.searching.triples import triple_vectors

if TYPE_CHECKING:
    from clew.resources.resources import Resources
    from clew_models.language_model import LanguageModel

Sentence = tuple[str, Sequence[Row]]
"""A sentence of the context, with the triples behind it."""


class Contextual:
    """Ranks chunks by another strategy, for the question with its context."""

    def __init__(self, resources: "Resources", backbone: str) -> None:
        self.name = SPEC.name if backbone == SPEC.backbones[0] else f"{SPEC.name}:{backbone}"
        self._resources = resources
        self._ranked = RANKINGS[SPEC.backbones.index(backbone)]

    def retrieve(self, question: str, corpus: str, k: int, tell: Tell = untold) -> Evidence:
        """Return the best ``k`` chunks; their scores are the backbone's. Raises
        LanguageModelUnavailable.
        """
        retrieval = Retrieval(self._resources, self.name, question, corpus, k, tell)
        options = options_for(self._resources, corpus)
        model = self._model(options)
        found = question_graph(retrieval, options, model)
        if not found.triples:
            retrieval.notice("The corpus has no triples, so nothing was added to the question.")
        sentences, added = _context(retrieval, found, model) if found.triples else ((), None)
        rows = retrieval.first(self._ranked(retrieval, added, options.weight))
        cards = explain(retrieval, found, sentences, rows) if added else []
        return retrieval.evidence(rows, cards=cards)

    def _model(self, options: ContextualOptions) -> "LanguageModel | None":
        unset = options.model == "auto" and not self._resources.settings.llm_model
        if options.model == "none" or unset:
            return None
        return self._resources.language_model(WRITER)


def _context(
    retrieval: Retrieval, found: QuestionGraph, model: "LanguageModel | None"
) -> tuple[Sequence[Sentence], AddedText]:
    """Return what the subgraph says, as the language model sums it up, or as it stands: sentence by
    sentence, and as what is added to the question.
    """
    with retrieval.step("context") as detail:
        detail["by"] = "the triples' texts" if model is None else model.name
        written = told(retrieval, model, found.triples) if model else None
        detail["sentences"] = len(written or found.triples)
    if written:
        text = _text(written)
        (vector,) = retrieval.embed_with([text])
        return written, AddedText(text, vector)
    behind: dict[str, list[Row]] = {}
    for row in found.triples:
        behind.setdefault(row["ttr"], []).append(row)
    first = [rows[0]["id"] for rows in behind.values()]
    store, corpus = retrieval.resources.store, retrieval.corpus
    vectors = triple_vectors(store, corpus.name, first, corpus.dimension)
    mean = vectors.mean(axis=0) if len(vectors) else retrieval.vector
    sentences = list(behind.items())
    return sentences, AddedText(_text(sentences), unit(mean))


def _text(sentences: Sequence[Sentence]) -> str:
    return " ".join(text for text, _ in sentences)
