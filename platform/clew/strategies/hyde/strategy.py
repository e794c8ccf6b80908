"""hyde: what a language model imagines as the answer joins the question, then retrieval runs.

    question ─▶ imagined passage ─▶ mean of both vectors, or its words behind the question ─▶ chunks

Source: Gao et al., Precise Zero-Shot Dense Retrieval without Relevance Labels, 2023, section 3.2,
Eq. 7 and 8, with one imagined passage; KG-CQR compares itself with it (KC-10). The imagined passage
is shown as such: it is no evidence, and no reader sees it.
"""

from typing import TYPE_CHECKING

from clew.resources.language_models import Role
from clew.results.evidence import Evidence
from clew.results.explanation import Quote, QuotesCard
from clew.strategies.base import Tell, untold
from clew.strategies.enriching import RANKINGS, AddedText
from clew.strategies.hyde.options import HydeOptions
from clew.strategies.hyde.prompts import PASSAGE
from clew.strategies.hyde.spec import SPEC
from clew.strategies.retrieval import Retrieval
from clew_models.language_model import without_thoughts

if TYPE_CHECKING:
    from clew.resources.resources import Resources

WRITER = Role("The strategy hyde", "hyde_model", "or ask another strategy", like_reader=True)
"""Who imagines the passage."""


class Hyde:
    """Ranks chunks by another strategy, for the question with an imagined passage."""

    def __init__(self, resources: "Resources", backbone: str) -> None:
        self.name = SPEC.name if backbone == SPEC.backbones[0] else f"{SPEC.name}:{backbone}"
        self._resources = resources
        self._ranked = RANKINGS[SPEC.backbones.index(backbone)]
        self._model = resources.language_model(WRITER)

    def retrieve(self, question: str, corpus: str, k: int, tell: Tell = untold) -> Evidence:
        """Return the best ``k`` chunks; their scores are the backbone's. Raises
        LanguageModelUnavailable.
        """
        retrieval = Retrieval(self._resources, self.name, question, corpus, k, tell)
        options = self._resources.settings.options(HydeOptions)
        passage = self._imagined(retrieval, options)
        added = None
        if passage:
            (vector,) = retrieval.embed_with([passage])
            added = AddedText(passage, vector)
        rows = self._ranked(retrieval, added, options.weight)
        return retrieval.evidence(rows, cards=_cards(passage, self._model.name))

    def _imagined(self, retrieval: Retrieval, options: HydeOptions) -> str:
        """Return the passage; "", with a notice, where the model wrote none."""
        with retrieval.step("imagined passage") as detail:
            messages = PASSAGE.messages(question=retrieval.question)
            completion = self._model.complete(messages, max_tokens=options.tokens)
            passage = " ".join(without_thoughts(completion.text).split())
            detail["model"] = self._model.name
            detail["prompt_tokens"] = completion.prompt_tokens
            detail["completion_tokens"] = completion.completion_tokens
        if not passage:
            retrieval.notice(
                f"The language model {self._model.name!r} imagined no passage: the question was "
                "searched for as it stands."
            )
        return passage


def _cards(passage: str, model: str) -> list[QuotesCard]:
    if not passage:
        return []
    return [
        QuotesCard(
            title="What was imagined",
            summary=f"{model} wrote this without any document: it is no evidence, and only what "
            "reads like it was searched for.",
            quotes=(Quote(text=passage, label="imagined"),),
        )
    ]
