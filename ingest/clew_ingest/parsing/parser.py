"""Parsing with spaCy (KT-1): sentences, the entities in them with their roles, and triples.

Source: KG-Translator §3.2 and F.2. Only what is used runs: the tagger, the lemmatiser and the
attribute ruler are left out (85 paragraphs a second instead of 70 on one core).
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from clew_ingest.errors import ParserNotInstalled
from clew_ingest.parsing.mentions import Mention, question_mentions, sentence_mentions
from clew_ingest.parsing.spacy_pipeline import Pipeline
from clew_ingest.triples.base import ExtractedTriple
from clew_ingest.triples.rules import extract_triples
from clew_models.recently_used import RecentlyUsed

MASK = "##"


def mask_mentions(sentence: str, spans: Iterable[tuple[int, int]]) -> str:
    """Return ``sentence`` with each span [start, end) of characters replaced by ``##``.

    Spans may come in any order; overlapping ones count as one mention. Raises ValueError for a
    span that is empty or lies outside the sentence.
    """
    pieces: list[str] = []
    position = 0
    for start, end in sorted(spans):
        if not 0 <= start < end <= len(sentence):
            raise ValueError(f"The span [{start}, {end}) does not lie in {len(sentence)} letters.")
        if start < position:
            position = max(position, end)
            continue
        pieces += [sentence[position:start], MASK]
        position = end
    return "".join(pieces) + sentence[position:]


DEFAULT_PIPELINE = "en_core_web_sm"
KEPT_QUESTIONS = 256
"""Questions whose names are remembered: several parts of one retrieval ask for them."""
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
    """Parses by a spaCy pipeline, which is loaded at first use.

    ``pipeline_name``: any spaCy pipeline with a dependency parser and a named-entity recogniser.
    ``lean``: its parts that nothing here reads are not loaded, so that nobody can share it.
    """

    def __init__(self, pipeline_name: str = DEFAULT_PIPELINE, *, lean: bool = False) -> None:
        self.pipeline_name = pipeline_name
        self.pipeline = Pipeline(pipeline_name, UNUSED_PIPES if lean else ())
        self._asked: RecentlyUsed[str, tuple[str, ...]] = RecentlyUsed(KEPT_QUESTIONS)

    def load(self) -> None:
        """Load the pipeline now. Raises ParserNotInstalled where there is none of that name."""
        with self._used():
            pass

    def parse(self, texts: Sequence[str], titles: Sequence[str] | None = None) -> list[ParsedText]:
        """Return each text's sentences with mentions (KT-1 to KT-3), in the order of ``texts``.

        With ``titles``, one a text, also its triples by the rules; a title is what its text is
        about, or "". A text may have at most a million characters (spaCy's limit).
        """
        if titles is not None and len(titles) != len(texts):
            raise ValueError(f"{len(texts)} texts came with {len(titles)} titles.")
        with self._used() as pipeline:
            documents = pipeline.pipe(texts, batch_size=32, disable=UNUSED_PIPES)
            if titles is None:
                return [ParsedText(_sentences(document)) for document in documents]
            return [
                ParsedText(_sentences(document), tuple(extract_triples(document, title)))
                for document, title in zip(documents, titles, strict=True)
            ]

    def question_mentions(self, question: str) -> list[str]:
        """Return what the question names, longest first: NER, capitalised and quoted spans."""
        (known,) = self._asked.values([question], self._mentions)
        return list(known)

    def _mentions(self, questions: Sequence[str]) -> list[tuple[str, ...]]:
        found = []
        for question in questions:
            with self._used() as pipeline:
                document = pipeline(question, disable=["parser", *UNUSED_PIPES])
                entities = [(entity.text, entity.label_) for entity in document.ents]
            found.append(tuple(question_mentions(question, entities)))
        return found

    @contextmanager
    def _used(self) -> Iterator[Any]:
        with self.pipeline.used() as pipeline:
            missing = {"parser", "ner"} - set(pipeline.pipe_names)
            if missing:
                raise ParserNotInstalled(
                    f"The spaCy pipeline {self.pipeline_name!r} has no "
                    f"{' and no '.join(sorted(missing))}.",
                    remedy="Set CLEW_PARSER to one that has both, such as en_core_web_sm.",
                )
            yield pipeline


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
