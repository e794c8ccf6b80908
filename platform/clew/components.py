"""What the facade's methods are made of: the store and the models, each made when first needed."""

import threading
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, get_args

from clew.errors import InvalidRequest
from clew.settings import Settings
from clew_cypher.store import GraphStore
from clew_ingest.parsing import Parser
from clew_models.embedding import Embedder, load_embedder

if TYPE_CHECKING:
    from clew.answering.base import Reader
    from clew.strategies import StrategyContext

READERS = get_args(Settings.model_fields["reader"].annotation)


class Components:
    """The store, the models and the readers of one set of settings; shared by threads."""

    def __init__(self, settings: Settings | None = None, **overrides: Any) -> None:
        self.settings = settings or Settings.load(**overrides)
        self._lock = threading.RLock()
        self._store: GraphStore | None = None
        self._embedder: Embedder | None = None
        self._parser: Parser | None = None
        self._context: StrategyContext | None = None
        self._readers: dict[str, Reader] = {}
        # strategies that have found evidence here, so that what they need is loaded
        self._used: set[str] = set()

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
        """Close the database connections. The object connects again if it is used again."""
        with self._lock:
            if self._store is not None:
                self._store.close()
                self._store = None
                self._context = None

    @property
    def store(self) -> GraphStore:
        """The one door to the database, opened when first used."""
        with self._lock:
            if self._store is None:
                from clew.runtime import connection

                self._store = GraphStore(connection(self.settings).neo4j)
            return self._store

    @property
    def embedder(self) -> Embedder:
        """The embedder of the settings, loaded when first used."""
        with self._lock:
            if self._embedder is None:
                self._embedder = load_embedder(
                    self.settings.embedder,
                    cache_dir=self.settings.cache,
                    batch_size=self.settings.embed_batch_size,
                    threads=self.settings.embed_threads,
                )
            return self._embedder

    @property
    def parser(self) -> Parser:
        """The parser of the settings, loaded when first used."""
        with self._lock:
            if self._parser is None:
                self._parser = Parser(self.settings.parser)
            return self._parser

    @property
    def context(self) -> "StrategyContext":
        """What strategies are built from."""
        with self._lock:
            if self._context is None:
                from clew.strategies import StrategyContext

                self._context = StrategyContext(
                    store=self.store,
                    embedder=self.embedder,
                    parser=self.parser,
                    settings=self.settings,
                )
            return self._context

    def reader(self, name: str | None = None) -> "Reader":
        """Return the reader ``name`` (default: the settings'), loaded when first used."""
        with self._lock:
            key = name or self.settings.reader
            if key not in self._readers:
                from clew.answering import build_reader

                if key not in READERS:
                    raise InvalidRequest(
                        f"There is no reader {key!r}.", remedy=f"There are: {', '.join(READERS)}."
                    )
                settings = self.settings.model_copy(update={"reader": key})
                self._readers[key] = build_reader(settings, self.embedder)
            return self._readers[key]
