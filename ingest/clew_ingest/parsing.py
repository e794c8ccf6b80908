"""Parsing with spaCy (KT-1): sentences, the entities in them with their roles, and triples.

Source: KG-Translator §3.2 and F.2. Only what is used runs: the tagger, the lemmatiser and the
attribute ruler are left out (85 paragraphs a second instead of 70 on one core).
"""

import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from clew_ingest.errors import ParserNotInstalled
from clew_ingest.hyperrelations import mask_mentions
from clew_ingest.mentions import Mention, question_mentions, sentence_mentions
from clew_ingest.spacy_pipeline import load_pipeline
from clew_ingest.triples.base import ExtractedTriple
from clew_ingest.triples.rules import extract_triples

DEFAULT_PIPELINE = "en_core_web_sm"
UNUSED_PIPES = ["tagger", "morphologizer", "attribute_ruler", "lemmatizer"]
"""Parts of a spaCy pipeline that nothing here reads."""


@dataclass(frozen=True)
class ParsedSentence:
    """A sentence, the span [start, end) of the text it came from, and its mentions in order."""

    start: int
    end: int
    text: str
    mentions: tuple[Mention, ...]

    @property
    def hyperrelation(self) -> str:
        """The sentence with every mention masked by ``##`` (KT-2)."""
        return mask_mentions(self.text, [(mention.start, mention.end) for mention in self.mentions])

    @property
    def heads(self) -> dict[str, str]:
        """Keys of the head entities H_s with their type (KT-3)."""
        return _first_types(mention for mention in self.mentions if mention.role == "head")

    @property
    def tails(self) -> dict[str, str]:
        """Keys of the tail entities T_s with their type: every mentioned entity but the heads."""
        heads = self.heads
        return _first_types(mention for mention in self.mentions if mention.key not in heads)


@dataclass(frozen=True)
class ParsedText:
    """A text's sentences in order; white space between them belongs to none.

    ``triples``: what the rules found, each with its place in ``sentences``; none where they were
    not asked for.
    """

    sentences: tuple[ParsedSentence, ...]
    triples: tuple[ExtractedTriple, ...] = ()


def _first_types(mentions: Iterator[Mention]) -> dict[str, str]:
    types: dict[str, str] = {}
    for mention in mentions:
        types.setdefault(mention.key, mention.type)
    return types


class Parser:
    """A spaCy pipeline, loaded at first use. One thread at a time uses it; the others wait.

    ``pipeline_name``: any spaCy pipeline with a dependency parser and a named-entity recogniser.
    """

    def __init__(self, pipeline_name: str = DEFAULT_PIPELINE) -> None:
        self.pipeline_name = pipeline_name
        self._pipeline: Any = None
        self._lock = threading.Lock()

    def load(self) -> None:
        """Load the pipeline now. Raises ParserNotInstalled where there is none of that name."""
        with self._lock:
            self._loaded()

    def parse(self, texts: Sequence[str], titles: Sequence[str] | None = None) -> list[ParsedText]:
        """Return each text's sentences with mentions (KT-1 to KT-3), in the order of ``texts``.

        With ``titles``, one a text, also its triples by the rules; a title is what its text is
        about, or "". A text may have at most a million characters (spaCy's limit).
        """
        if titles is not None and len(titles) != len(texts):
            raise ValueError(f"{len(texts)} texts came with {len(titles)} titles.")
        with self._lock:
            pipeline = self._loaded()
            # Without the zone the vocabulary would grow with every new word, for ever.
            with pipeline.memory_zone():
                documents = pipeline.pipe(texts, batch_size=32)
                if titles is None:
                    return [ParsedText(_sentences(document)) for document in documents]
                return [
                    ParsedText(_sentences(document), tuple(extract_triples(document, title)))
                    for document, title in zip(documents, titles, strict=True)
                ]

    def question_mentions(self, question: str) -> list[str]:
        """Return what the question names, longest first: NER, capitalised and quoted spans."""
        with self._lock:
            pipeline = self._loaded()
            with pipeline.memory_zone():
                document = pipeline(question, disable=["parser"])
                entities = [(entity.text, entity.label_) for entity in document.ents]
        return question_mentions(question, entities)

    def _loaded(self) -> Any:
        if self._pipeline is None:
            self._pipeline = _load_pipeline(self.pipeline_name)
        return self._pipeline


def _load_pipeline(name: str) -> Any:
    pipeline = load_pipeline(name, exclude=UNUSED_PIPES)
    missing = {"parser", "ner"} - set(pipeline.pipe_names)
    if missing:
        raise ParserNotInstalled(
            f"The spaCy pipeline {name!r} has no {' and no '.join(sorted(missing))}.",
            remedy="Set CLEW_PARSER to one that has both, such as en_core_web_sm.",
        )
    return pipeline


def _sentences(document: Any) -> tuple[ParsedSentence, ...]:
    sentences = []
    for span in document.sents:
        raw = span.text
        text = raw.strip()
        if not text:
            continue
        start = span.start_char + len(raw) - len(raw.lstrip())
        mentions = sentence_mentions(span.ents, start, text)
        sentences.append(ParsedSentence(start, start + len(text), text, tuple(mentions)))
    return tuple(sentences)
