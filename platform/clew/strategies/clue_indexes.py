"""The translator's indexes (KT-4, KT-5): from the graph, once a corpus revision and tokenizer."""

from collections.abc import Iterable
from pathlib import Path

from clew.settings import Settings
from clew.strategies.revision_cache import RevisionCache, forget_folder
from clew_cypher.corpora import Corpus
from clew_cypher.hyperrelations import ExportedChunk, export_hyperrelations
from clew_cypher.store import GraphStore
from clew_models.translator import (
    Backbone,
    ClueIndex,
    SentenceParts,
    build_index,
    load_index,
    save_index,
)


def index_folder(settings: Settings) -> Path:
    """Return where the indexes of all tokenizers are kept."""
    return settings.home / "clues"


def clue_indexes(
    store: GraphStore, settings: Settings, backbone: Backbone
) -> RevisionCache[ClueIndex]:
    """Return the indexes for the tokenizer of ``backbone`` and the graph of the settings."""
    graph = "directed" if settings.translator_directed else "undirected"
    titles = "titles" if settings.translator_title_heads else "subjects"
    kind = f"{backbone.vocabulary.fingerprint}-{graph}-{titles}"
    return RevisionCache(index_folder(settings) / kind, ClueDerivation(store, settings, backbone))


def forget_clue_indexes(settings: Settings, corpus: str) -> None:
    """Remove the indexes of a corpus that was deleted, of every tokenizer."""
    folder = index_folder(settings)
    for kind in folder.iterdir() if folder.is_dir() else ():
        forget_folder(kind, corpus)


class ClueDerivation:
    """Makes the index of a corpus; only what the earlier revision does not have is tokenised."""

    def __init__(self, store: GraphStore, settings: Settings, backbone: Backbone) -> None:
        self._store = store
        self._directed = settings.translator_directed
        self._titles = settings.translator_title_heads
        self._backbone = backbone

    def refuse(self, corpus: Corpus, loaded: ClueIndex | None) -> None:
        """Every corpus may have an index."""

    def make(self, corpus: Corpus, previous: ClueIndex | None) -> ClueIndex:
        """Read the corpus out of Neo4j and return its index."""
        return self.build(export_hyperrelations(self._store, corpus.name), previous)

    def build(self, chunks: Iterable[ExportedChunk], previous: ClueIndex | None) -> ClueIndex:
        """Return the index of ``chunks``."""
        sentences: list[SentenceParts] = []
        names: set[tuple[str, str]] = set()
        for chunk in chunks:
            sentences += self._sentences(chunk)
            names.update((entity, surface) for entity, surface, _ in chunk.mentions)
        return build_index(sentences, names, self._backbone.tokenize, previous)

    def save(self, value: ClueIndex, folder: Path) -> None:
        """Write the index to ``folder``."""
        save_index(value, folder)

    def load(self, folder: Path) -> ClueIndex | None:
        """Return the index of ``folder``, or None."""
        return load_index(folder)

    def _sentences(self, chunk: ExportedChunk) -> list[SentenceParts]:
        titles = {entity for entity, _, is_title in chunk.mentions if is_title}
        parts = []
        for sentence in chunk.sentences:
            heads, tails = set(sentence.heads), set(sentence.tails)
            if self._titles:
                heads |= titles
            if not self._directed:
                heads |= tails
            parts.append(
                SentenceParts(
                    id=sentence.id,
                    chunk_id=chunk.id,
                    hyperrelation=sentence.hyperrelation,
                    heads=sorted(heads),
                    tails=sorted(tails if not self._directed else tails - heads),
                )
            )
        return parts
