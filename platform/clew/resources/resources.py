"""The one owner of what is heavy: the store, the models, trained versions, what is derived."""

import copy
import logging
import threading
from collections.abc import Callable, Hashable, Iterable, Sequence
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, TypeVar

from clew.resources import language_models
from clew.resources.language_models import Role
from clew.resources.loaded import LoadedModels
from clew.resources.selection import Selection
from clew.settings import Settings
from clew_cypher.store import GraphStore
from clew_models.recently_used import RecentlyUsed

if TYPE_CHECKING:
    from clew.resources.revision_cache import Derivation, RevisionCache
    from clew_cypher.corpora import Corpus
    from clew_ingest.parsing.parser import Parser
    from clew_models.embedding import Embedder, RememberingEmbedder
    from clew_models.language_model import LanguageModel
    from clew_models.language_model.packed_model import PackedWeights

log = logging.getLogger(__name__)
T = TypeVar("T")
MIB = 2**20
LOCAL_WEIGHTS = "local weights"
"""The key of the default language model's weights among the models that are loaded."""
LOOK_UPS = 500
"""What was looked up last and is remembered."""


class Resources:
    """What one set of settings needs, each part made when it is first asked for.

    Shared by threads. Models are loaded once, whoever asks, and those used longest ago are let go
    where together they take more than ``model_memory_mib`` (on a GPU: ``gpu_memory_mib``).
    ``selection``: the documents that questions are asked of, None: all. ``asked``: the corpus as it
    was when the question came, None: read it. ``explains``: whether evidence comes with how it was
    found. ``patience_s``: as of `GraphStore`, for who serves requests.
    """

    def __init__(self, settings: Settings | None = None, **overrides: Any) -> None:
        self.settings = settings or Settings.load(**overrides)
        self.selection: Selection | None = None
        self.asked: Corpus | None = None
        self.explains = True
        self.patience_s: float | None = None
        self.models = LoadedModels(
            {
                "cpu": self.settings.model_memory_mib * MIB,
                "cuda": self.settings.gpu_memory_mib * MIB,
            }
        )
        self._lock = threading.RLock()
        self._store: GraphStore | None = None
        self._caches: dict[str, RevisionCache[Any]] = {}
        self._serving: dict[tuple[str, str], Path | None] = {}
        self._remembered: RecentlyUsed[tuple[Hashable, str], Any] = RecentlyUsed(LOOK_UPS)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the database connections; they are opened again where this is used again."""
        with self._lock:
            if self._store is not None:
                self._store.close()
                self._store = None
                self._remembered = RecentlyUsed(LOOK_UPS)
                for cache in self._caches.values():
                    cache.clear()
                self._caches.clear()

    def under(self, **changed: Any) -> "Resources":
        """Return these resources under other settings, which are given by their flat names.

        Everything is shared with these: the store, which is opened now, what is loaded, what is
        derived. So only what is read anew at each question can be otherwise there. Close these,
        not those. Raises InvalidSetting for an unknown name, and as ``store``.
        """
        _ = self.store
        other = copy.copy(self)
        other.settings = self.settings.changed(**changed)
        return other

    def within(self, selection: Selection) -> "Resources":
        """Return these resources for questions to some documents; all is shared, as ``under``."""
        _ = self.store
        other = copy.copy(self)
        other.selection = selection
        return other

    def at(self, asked: "Corpus") -> "Resources":
        """Return these resources for one question to a corpus that was read when it came; all is
        shared, as ``under``."""
        _ = self.store
        other = copy.copy(self)
        other.asked = asked
        return other

    def unexplained(self) -> "Resources":
        """Return these resources for searches whose explanation nobody sees; all is shared, as
        ``under``."""
        _ = self.store
        other = copy.copy(self)
        other.explains = False
        return other

    @property
    def store(self) -> GraphStore:
        """The one door to the database, opened when first used. Raises RuntimeNotRunning."""
        with self._lock:
            if self._store is None:
                from clew.resources.connecting import connection

                config = connection(self.settings).neo4j
                self._store = GraphStore(config, patience_s=self.patience_s)
            return self._store

    def prepare_graph(self, *, link_titles: bool = True) -> None:
        """Make the graph's constraints and indexes where they are missing; cheap when they exist.

        What an earlier version wrote gets its links to titles, once, which takes minutes of a large
        graph: ``link_titles`` False leaves that to the workers that write. Raises
        EmbeddingDimensionMismatch where the graph holds vectors of another embedder.
        """
        from clew_cypher.schema import ensure_schema
        from clew_cypher.searching.words import ensure_word_indexes
        from clew_cypher.titles.linking import ensure_title_links

        def filling(name: str, percent: float) -> None:
            log.info("The index %s is filled to %.0f %%.", name, percent)

        ensure_schema(self.store, self.embedder.dimension, tell_filling=filling)
        ensure_word_indexes(self.store, filling)
        if link_titles:
            ensure_title_links(
                self.store,
                lambda corpus, done, total: log.info(
                    "Linked titles in %d of %d chunks of %r.", done, total, corpus
                ),
            )

    @property
    def embedder(self) -> "Embedder":
        """The embedder of the settings, which remembers what it was asked for lately."""
        settings = self.settings

        def load() -> "RememberingEmbedder":
            from clew_models.embedding import RememberingEmbedder, load_embedder

            return RememberingEmbedder(
                load_embedder(
                    settings.embedder,
                    cache_dir=settings.cache,
                    batch_size=settings.embed_batch_size,
                    threads=settings.embed_threads,
                    precision=settings.embed_precision,
                )
            )

        return self.models.get(
            "embedder",
            load,
            name=f"embedder {settings.embedder}",
            device=lambda one: one.device,
            size=lambda one: one.bytes,
        )

    def embed_ahead(self, text: str) -> None:
        """Begin to embed a text that the embedder will be asked for, beside what comes before."""
        from clew_models.embedding import RememberingEmbedder

        embedder = self.embedder
        if isinstance(embedder, RememberingEmbedder):
            embedder.begin(text)

    @property
    def parser(self) -> "Parser":
        """The parser of the settings."""
        name = self.settings.parser

        def load() -> "Parser":
            from clew_ingest.parsing.parser import Parser

            parser = Parser(name)
            parser.load()
            return parser

        return self.models.get("parser", load, name=f"parser {name}")

    def language_model(self, role: Role) -> "LanguageModel":
        """Return the language model that a role asks; several roles may share one.

        Raises LanguageModelUnavailable, ModelNotInstalled.
        """
        return self.language_model_of(language_models.kind_of(self.settings, role))

    def language_model_of(self, kind: language_models.Kind) -> "LanguageModel":
        """Return the endpoint's model, or the local one; raises as ``language_model``."""
        weights = self.local_weights() if kind == "local" else None
        name = f"endpoint {self.settings.llm_model}" if weights is None else "local model's writing"
        return self.models.get(
            ("language model", kind),
            lambda: language_models.load(self.settings, kind, weights),
            name=name,
            beside=None if weights is None else LOCAL_WEIGHTS,
        )

    def local_weights(self, doing: Callable[[str], None] = lambda what: None) -> "PackedWeights":
        """Return the weights of the default language model, for whoever needs it on a processor.

        Name `LOCAL_WEIGHTS` where something is loaded that stands on them. ``doing`` is called with
        words for people where it takes a while. Raises ModelNotInstalled, ModelError.
        """
        settings = self.settings

        def load() -> "PackedWeights":
            from clew_models.language_model.loading import load_weights
            from clew_models.language_model.weights import is_made, packed_folder

            if not is_made(packed_folder(settings.cache)):
                doing("Converting the default language model, once (some seconds)")
            return load_weights(cache_dir=settings.cache, threads=settings.llm_threads)

        from clew_models.language_model.local import NAME

        return self.models.get(LOCAL_WEIGHTS, load, name=f"{NAME} on ONNX Runtime")

    def revision_cache(
        self, kind: str, derivation: "Callable[[], Derivation[T]]"
    ) -> "RevisionCache[T]":
        """Return what keeps the values of one kind, each derived from a revision of a corpus.

        ``kind`` names the folder below ``derived`` in the home directory; ``derivation`` is called
        where nobody asked for the kind before.
        """
        with self._lock:
            if kind not in self._caches:
                from clew.resources.revision_cache import RevisionCache

                self._caches[kind] = RevisionCache(
                    self.settings.home / "derived" / kind, derivation(), self.models
                )
            return self._caches[kind]

    def remembered(
        self,
        kind: Hashable,
        keys: Iterable[str],
        look_up: Callable[[Sequence[str]], Sequence[T]],
    ) -> list[T]:
        """Return what is looked up for each of ``keys``, which several parts of one retrieval ask.

        ``look_up`` is called with those that are not remembered, and returns a value for each;
        ``kind`` names all else that the values depend on, such as the revision of a corpus.
        """
        wanted = [(kind, key) for key in keys]
        return self._remembered.values(wanted, lambda missing: look_up([key for _, key in missing]))

    def serving_version(self, method: str, corpus: str, base_model: str) -> Path | None:
        """Return the folder of the version of a method that serves a corpus now; None without one.

        Ask at each question: another one may have been promoted meanwhile. What ``models`` keeps
        of the one before, under (method, str(folder)), is let go where it serves no other corpus.
        """
        from clew.resources.versions import serving_version

        folder = serving_version(self.settings, method, corpus, base_model)
        with self._lock:
            before = self._serving.get((method, corpus), folder)
            self._serving[method, corpus] = folder
            used = {one for (name, _), one in self._serving.items() if name == method}
        if before not in used:
            self.models.drop((method, str(before)))
        return folder

    def forget(self, corpus: str) -> None:
        """Drop all that is derived from a corpus that was deleted, on disk too.

        Trained versions are kept, but serve no longer: a corpus of the same name is another one.
        """
        from clew.resources.revision_cache import forget_folder
        from clew.resources.versions import retire

        retire(self.settings, corpus)
        with self._lock:
            caches = list(self._caches.values())
        for cache in caches:
            cache.forget(corpus)
        home = self.settings.home / "derived"
        for folder in home.iterdir() if home.is_dir() else ():
            forget_folder(folder, corpus)
