"""What translator works with: its language model, loaded when first used, and the indexes."""

import threading
from pathlib import Path

from clew.settings import Settings
from clew.strategies.clue_indexes import clue_indexes
from clew.strategies.revision_cache import RevisionCache
from clew.training.store import newest_version
from clew_cypher.store import GraphStore
from clew_models.translator import Backbone, ClueIndex, load_backbone


class Translating:
    """The model and the indexes that belong to its tokenizer; shared by threads."""

    def __init__(self, store: GraphStore, settings: Settings) -> None:
        self._store = store
        self._settings = settings
        self._lock = threading.Lock()
        self._backbone: Backbone | None = None
        self._indexes: RevisionCache[ClueIndex] | None = None

    @property
    def backbone(self) -> Backbone:
        """The language model with its adapter. Raises ModelNotInstalled."""
        with self._lock:
            if self._backbone is None:
                self._backbone = load_backbone(
                    self._settings.translator_model,
                    cache_dir=self._settings.cache,
                    adapter=chosen_adapter(self._settings),
                    precision=self._settings.translator_precision,
                    device=self._settings.translator_device,
                    backend=self._settings.translator_backend,
                    vllm_memory=self._settings.translator_vllm_memory,
                )
            return self._backbone

    @property
    def indexes(self) -> RevisionCache[ClueIndex]:
        """The indexes of corpora for the model's tokenizer."""
        backbone = self.backbone
        with self._lock:
            if self._indexes is None:
                self._indexes = clue_indexes(self._store, self._settings, backbone)
            return self._indexes


def chosen_adapter(settings: Settings) -> Path | None:
    """Return the adapter that the settings choose; None for none."""
    if settings.translator_adapter == "none":
        return None
    if settings.translator_adapter == "default":
        return newest_version(settings, "translator", settings.translator_model)
    return Path(settings.translator_adapter).expanduser()
