"""What strategies are built from."""

import threading
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from clew.settings import Settings

if TYPE_CHECKING:
    from clew.strategies.revision_cache import RevisionCache
    from clew.strategies.translating import Translating
    from clew_cypher.store import GraphStore
    from clew_ingest.parsing import Parser
    from clew_models.embedding import Embedder
    from clew_models.guided_pagerank import GuidedArrays
    from clew_models.language_model import LanguageModel


@dataclass
class StrategyContext:
    """The graph, the models and the settings; one a process, shared by threads."""

    store: "GraphStore"
    embedder: "Embedder"
    parser: "Parser"
    settings: Settings
    _arrays: "RevisionCache[GuidedArrays] | None" = field(default=None, init=False, repr=False)
    _translating: "Translating | None" = field(default=None, init=False, repr=False)
    _language_model: "LanguageModel | None" = field(default=None, init=False, repr=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, init=False, repr=False)

    @property
    def arrays(self) -> "RevisionCache[GuidedArrays]":
        """The arrays of guided-pagerank, under ``arrays/`` in the home directory."""
        with self._lock:
            if self._arrays is None:
                from clew.strategies.guided_arrays import guided_arrays

                self._arrays = guided_arrays(self.store, self.settings)
            return self._arrays

    @property
    def translating(self) -> "Translating":
        """The language model and the indexes of translator."""
        with self._lock:
            if self._translating is None:
                from clew.strategies.translating import Translating

                self._translating = Translating(self.store, self.settings)
            return self._translating

    @property
    def language_model(self) -> "LanguageModel":
        """The language model of iterative. Raises LanguageModelUnavailable, ModelNotInstalled."""
        with self._lock:
            if self._language_model is None:
                from clew.answering.building import configured_model
                from clew.strategies.language_model import language_model_kind

                kind = language_model_kind(self.settings)
                self._language_model = configured_model(self.settings, kind)
            return self._language_model
