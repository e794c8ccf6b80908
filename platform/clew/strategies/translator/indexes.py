"""The translator's indexes (KT-4, KT-5): from the graph, once a corpus revision and tokenizer."""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from clew.resources.resources import LOCAL_WEIGHTS
from clew.strategies.translator.options import TranslatorOptions
from clew.strategies.translator.spec import SPEC
from clew_cypher.corpora import Corpus
from clew_cypher.export.hyperrelations import ExportedChunk, export_hyperrelations
from clew_cypher.store import GraphStore
from clew_models.translator import (
    Backbone,
    ClueIndex,
    SentenceParts,
    build_index,
    chosen_backend,
    load_backbone,
    load_index,
    save_index,
)

if TYPE_CHECKING:
    from clew.resources.resources import Resources
    from clew.resources.revision_cache import Making, RevisionCache


def clue_indexes(resources: "Resources", backbone: Backbone) -> "RevisionCache[ClueIndex]":
    """Return the indexes for the tokenizer of ``backbone`` and the graph of the options."""
    options = resources.settings.options(TranslatorOptions)
    graph = "directed" if options.directed else "undirected"
    titles = "titles" if options.title_heads else "subjects"
    kind = f"clues-{backbone.vocabulary.fingerprint}-{graph}-{titles}"
    return resources.revision_cache(
        kind, lambda: ClueDerivation(resources.store, options, backbone)
    )


LOADING = "Loading the translator's language model"


def serving_backbone(
    resources: "Resources", corpus: str, doing: Callable[[str], None] = lambda what: None
) -> Backbone:
    """Return the language model that serves a corpus, with its adapter.

    ``doing`` is called with words for people where it is loaded now. Raises ModelNotInstalled.
    """
    return load_with(resources, chosen_adapter(resources, corpus), doing)


def load_with(
    resources: "Resources", adapter: Path | None, doing: Callable[[str], None] = lambda what: None
) -> Backbone:
    """Return the language model with an adapter, or as it is; loaded once a process."""
    options = resources.settings.options(TranslatorOptions)
    backend = chosen_backend(
        options.model, backend=options.backend, device=options.device, precision=options.precision
    )
    weights = resources.local_weights(doing) if backend == "onnx" else None

    def load() -> Backbone:
        doing(LOADING)
        return load_backbone(
            options.model,
            cache_dir=resources.settings.cache,
            adapter=adapter,
            precision=options.precision,
            device=options.device,
            backend=backend,
            vllm_memory=options.vllm_memory,
            threads=resources.settings.llm_threads,
            weights=weights,
        )

    version = "without an adapter" if adapter is None else adapter.name
    return resources.models.get(
        (SPEC.name, str(adapter)),
        load,
        name=f"{SPEC.name} {options.model}, {version} ({backend})",
        kind=SPEC.name,
        device=lambda backbone: backbone.device,
        size=lambda backbone: backbone.bytes,
        beside=None if weights is None else LOCAL_WEIGHTS,
    )


def chosen_adapter(resources: "Resources", corpus: str) -> Path | None:
    """Return the adapter that the settings choose for a corpus; None for none."""
    options = resources.settings.options(TranslatorOptions)
    if options.adapter == "none":
        return None
    if options.adapter == "default":
        return resources.serving_version(SPEC.name, corpus, options.model)
    return Path(options.adapter).expanduser()


class ClueDerivation:
    """Makes the index of a corpus; only what the earlier revision does not have is tokenised."""

    def __init__(self, store: GraphStore, options: TranslatorOptions, backbone: Backbone) -> None:
        self._store = store
        self._directed = options.directed
        self._titles = options.title_heads
        # the tokenizer alone: the cache outlives the model of a version that serves no longer
        self._tokenize = backbone.vocabulary.tokenize

    def refuse(self, corpus: Corpus, loaded: ClueIndex | None) -> None:
        """Every corpus may have an index."""

    def make(self, corpus: Corpus, previous: ClueIndex | None, making: "Making") -> ClueIndex:
        """Read the corpus out of Neo4j and return its index."""
        making.doing("Reading the clues that the graph has, once")
        return self.build(export_hyperrelations(self._store, corpus.name), previous)

    def build(self, chunks: Iterable[ExportedChunk], previous: ClueIndex | None) -> ClueIndex:
        """Return the index of ``chunks``."""
        sentences: list[SentenceParts] = []
        names: set[tuple[str, str]] = set()
        for chunk in chunks:
            sentences += self._sentences(chunk)
            names.update((entity, surface) for entity, surface, _ in chunk.mentions)
        return build_index(sentences, names, self._tokenize, previous)

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
