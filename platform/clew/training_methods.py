"""The facade's methods of training: a part of `Clew`, in a file of its own."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from clew.components import Components

if TYPE_CHECKING:
    from clew.training.store import TrainedModel
    from clew.training.translator import TrainedVersion, TranslatorTraining


class TrainingMethods(Components):
    """Training models, and the versions that are kept."""

    def train_translator(
        self,
        request: "TranslatorTraining",
        tell: Callable[[str, int, int], None] = lambda stage, done, total: None,
    ) -> "TrainedVersion":
        """Train the translator on a corpus, here and now; the newest version serves.

        Its questions are made from the corpus' graph, or are those of the request's data set. One
        that was interrupted goes on where it stopped, if the same is asked for again. Raises
        UnknownCorpus, InvalidDataSet, InvalidRequest, ModelNotInstalled.
        """
        from clew.training.translator import train_translator

        return train_translator(self, request, tell)

    def trained_models(self, kind: str = "translator") -> "list[TrainedModel]":
        """Return the versions of a kind that were trained here or come with Clew, newest first."""
        from clew.training.store import trained_models

        return trained_models(self.settings, kind)
