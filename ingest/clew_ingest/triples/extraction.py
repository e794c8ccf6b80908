"""Triples of chunks by the extractor of their corpus: one contract, whoever extracts."""

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Protocol

from clew_ingest.errors import IngestCancelled
from clew_ingest.triples.base import ChunkText, ChunkTriples
from clew_ingest.triples.extractor_choice import ExtractorChoice, UnknownExtractor
from clew_ingest.triples.model_extraction import (
    ModelExtraction,
    TextToTriples,
    model_fingerprint,
)
from clew_ingest.triples.reply_cache import ReplyCache
from clew_models.language_model import LanguageModel

RULES_VERSION = 3
"""To be raised when the rules find other triples, so that documents count as changed."""


class Extraction(Protocol):
    """Extracts triples; ``name`` stands at each of them: rules, llm, model, ready-made
    or none.

    ``fingerprint``: all that the triples depend on; where it changes, they are extracted again.
    """

    name: str
    fingerprint: str

    def extract(
        self, chunks: Iterable[ChunkText], *, cancelled: Callable[[], bool] = lambda: False
    ) -> Iterator[ChunkTriples]:
        """Yield the triples of each chunk, in order; chunks are taken a few ahead.

        What fails for one chunk costs that chunk. Raises LanguageModelUnavailable (what was done
        is in the cache) and IngestCancelled.
        """
        ...


class NoExtraction:
    """Extracts nothing here: there are no triples, or the parser makes them by rules."""

    def __init__(self, name: str, fingerprint: str) -> None:
        self.name = name
        self.fingerprint = fingerprint

    def extract(
        self, chunks: Iterable[ChunkText], *, cancelled: Callable[[], bool] = lambda: False
    ) -> Iterator[ChunkTriples]:
        """Yield as many empty results as there are chunks. Raises IngestCancelled."""
        for _ in chunks:
            if cancelled():
                raise IngestCancelled("The extraction was cancelled.")
            yield ChunkTriples()


def build_extraction(
    spec: str,
    model: LanguageModel | None = None,
    cache: ReplyCache | None = None,
    *,
    concurrency: int = 8,
    triple_tokens: int = 2048,
    triplet_tokens: int = 4096,
    trained: TextToTriples | None = None,
) -> Extraction:
    """Return the extraction of a corpus; ``spec``: rules, llm, model, none or file:PATH.

    ``trained`` is for ``model``, the rest for ``llm``: ``model`` and ``cache`` (None: every text is
    asked about) stay the caller's to close, ``concurrency`` is calls at once, ``triple_tokens`` and
    ``triplet_tokens`` the longest replies. Raises UnknownExtractor, and UnreadableSource for a
    wrong file.
    """
    choice = ExtractorChoice.parse(spec)
    if choice.kind == "llm":
        from clew_ingest.triples.llm_extraction import LanguageModelExtraction

        if model is None:
            raise UnknownExtractor(
                "The extractor 'llm' needs a language model.",
                remedy="Set CLEW_LLM_BASE_URL and CLEW_LLM_MODEL, or take the extractor 'rules'.",
            )
        return LanguageModelExtraction(
            model,
            cache,
            concurrency=concurrency,
            triple_tokens=triple_tokens,
            triplet_tokens=triplet_tokens,
        )
    if choice.kind == "model":
        if trained is None:
            raise UnknownExtractor(
                "The extractor 'model' needs a model that was trained.",
                remedy="Train one: `clew train text-to-triples`; or take the extractor 'rules'.",
            )
        return ModelExtraction(trained)
    if choice.path is not None:
        from clew_ingest.triples.ready_made_extraction import ReadyMadeExtraction

        return ReadyMadeExtraction(choice.path)
    return NoExtraction(choice.kind, extraction_fingerprint(spec))


def extraction_fingerprint(spec: str, model_name: str | None = None) -> str:
    """Return the ``fingerprint`` that ``build_extraction`` would give, without building it.

    ``model_name``: the language model's, for ``llm``, or the version's, for ``model``.
    Raises UnknownExtractor, and UnreadableSource for a file that cannot be read.
    """
    choice = ExtractorChoice.parse(spec)
    if choice.kind == "llm":
        from clew_ingest.triples.llm_extraction import llm_fingerprint

        return llm_fingerprint(model_name or "")
    if choice.kind == "model":
        return model_fingerprint(model_name or "")
    if choice.path is not None:
        from clew_ingest.triples.ready_made_extraction import file_fingerprint

        return file_fingerprint(Path(choice.path))
    return f"rules {RULES_VERSION}" if choice.kind == "rules" else choice.kind
