"""cross-encoder (SH-1): the first passages of another strategy are read together with the question.

    question ─▶ another strategy ─▶ its first passages ─┬─▶ the stretch nearest to the question
                                                        └─▶ the sentence that led there
                         span model reads both ◀────────┘
                               └─▶ z(its score) + w · log-odds that an answer stands there ─▶ order

A passage of a chain may hold no answer, or one that says nothing without the passage before it. So
each is read with the sentence of another one that led to it, which the other strategy's explanation
names, and counts as the best that it led to. Source: Nogueira and Cho, Passage Re-ranking with BERT
(2019), by the span model of the extractive reader in place of a classifier; what leads on is Clew's
own.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from clew.comprehension.read_evidence import span_reader
from clew.results.evidence import Evidence, ScoredChunk
from clew.results.explanation import Card, Quote, QuotesCard, Span
from clew.strategies.base import Tell, untold
from clew.strategies.cross_encoder.options import CrossEncoderOptions
from clew.strategies.cross_encoder.spec import SPEC
from clew.strategies.drawing import cards_about
from clew.strategies.retrieval import Retrieval
from clew.strategies.searching import build_strategy
from clew.strategies.stretches import stretch
from clew_cypher.searching.vectors import sentence_cosines

if TYPE_CHECKING:
    from clew.resources.resources import Resources
    from clew_models.span_reader import Marked, Reading

LOWEST, HIGHEST = -15.0, 10.0
"""Log-odds of the span model that are told apart, as by the reader."""


@dataclass(frozen=True)
class Lead:
    """The sentence that led to a passage, and the passage (id) in which it stands."""

    text: str
    chunk_id: str


class CrossEncoder:
    """Asks another strategy, the backbone, and orders its first passages by reading them."""

    def __init__(self, resources: "Resources", backbone: str) -> None:
        self.name = SPEC.name if backbone == SPEC.backbones[0] else f"{SPEC.name}:{backbone}"
        self._resources = resources
        self._backbone = build_strategy(backbone, resources)

    def retrieve(self, question: str, corpus: str, k: int, tell: Tell = untold) -> Evidence:
        """Return the best ``k`` chunks. Their scores are the backbone's in standard deviations of
        those that were read, and what reading added. Raises what the backbone raises.
        """
        options = self._resources.settings.options(CrossEncoderOptions)
        retrieval = Retrieval(self._resources, self.name, question, corpus, k, tell)
        found = self._backbone.retrieve(question, corpus, max(k, options.read), tell)
        retrieval.add(found.trace)
        for notice in found.notices:
            retrieval.notice(notice)
        order, scores, cards = list(found.chunks), np.zeros(0), list(found.explanation)
        if order:
            order, scores, quotes = self._read(retrieval, found, options)
            kept = {chunk.id for chunk in order[:k]}
            read = order[: min(k, options.read)]
            cards = [_quoted(quotes, read, len(kept)), *cards_about(cards, kept)]
        rows = [
            chunk.model_dump() | {"score": float(score)}
            for chunk, score in zip(order, scores, strict=True)
        ]
        return retrieval.evidence(rows, found.seeds, cards, found.triples)

    def _read(
        self, retrieval: Retrieval, found: Evidence, options: CrossEncoderOptions
    ) -> tuple[list[ScoredChunk], NDArray[np.float64], dict[str, Quote]]:
        """Return all chunks in their new order, their scores [N], and a quote for each, by its id,
        in which an answer may stand.
        """
        read, rest = found.chunks[: options.read], found.chunks[options.read :]
        leads = leads_of(found.explanation, read) if options.leads else {}
        vector = retrieval.vector
        with retrieval.step("stretches") as detail:
            ids = [chunk.id for chunk in read]
            store, name = retrieval.resources.store, retrieval.corpus.name
            sentences = sentence_cosines(store, name, ids, vector)
            stretches = [
                stretch(
                    [(one.text, one.cosine) for one in sentences.get(chunk.id, [])],
                    options.characters,
                )
                or chunk.text[: options.characters]
                for chunk in read
            ]
            detail["led"] = len(leads)
        with retrieval.step("read together") as detail:
            spans = span_reader(retrieval.resources)
            pairs = [
                (chunk.title, f"{leads[chunk.id].text} {text}" if chunk.id in leads else text)
                for chunk, text in zip(read, stretches, strict=True)
            ]
            (readings,) = spans.read([retrieval.question], spans.encode(pairs))
            marked = [_best(reading) for reading in readings]
            detail["passages"] = len(read)
        said = np.array([LOWEST if one is None else one.score for one in marked])
        said = np.clip(said, LOWEST, HIGHEST)
        counted = credited(said, ids, leads) if options.credit else said
        z = standardised([chunk.score for chunk in found.chunks], len(read))
        scores = z[: len(read)] + options.weight * counted
        best = np.argsort(-scores, kind="stable")
        # what was not read stays behind all that was
        behind = scores.min() + np.minimum(z[len(read) :] - z[len(read) - 1], 0)
        quotes = {
            chunk.id: _quote(chunk, one, leads.get(chunk.id), stretched)
            for chunk, one, stretched in zip(read, marked, stretches, strict=True)
            if one is not None and one.score > 0
        }
        order = [*(read[int(i)] for i in best), *rest]
        return order, np.concatenate([scores[best], behind]), quotes


def leads_of(cards: Sequence[Card], chunks: Sequence[ScoredChunk]) -> dict[str, Lead]:
    """Return by the ids of chunks the first quoted sentence of another passage that led there."""
    known = {chunk.id for chunk in chunks}
    leads: dict[str, Lead] = {}
    for card in cards:
        for quote in card.quotes if isinstance(card, QuotesCard) else ():
            for id_ in known.intersection(quote.chunk_ids) - set(leads):
                for span in quote.spans:
                    if span.chunk_id != id_:
                        leads[id_] = Lead(span.text, span.chunk_id)
                        break
    return leads


def credited(
    said: NDArray[np.float64], ids: Sequence[str], leads: Mapping[str, Lead]
) -> NDArray[np.float64]:
    """Return for each passage the best of what reading says [N] of it and of those it led to."""
    place = {id_: number for number, id_ in enumerate(ids)}
    counted = said.copy()
    for id_, lead in leads.items():
        if lead.chunk_id in place:
            before = place[lead.chunk_id]
            counted[before] = max(counted[before], said[place[id_]])
    return counted


def standardised(scores: Sequence[float], read: int) -> NDArray[np.float64]:
    """Return scores [N] in standard deviations from the mean of the first ``read``; 0 for all where
    those are alike.
    """
    array = np.array(scores, np.float64)
    deviation = float(array[:read].std())
    if deviation < 1e-12:
        return np.zeros(len(array))
    standard: NDArray[np.float64] = (array - array[:read].mean()) / deviation
    return standard


def _best(reading: "Reading") -> "Marked | None":
    return next(iter(reading.best(1)), None)


def _quote(chunk: ScoredChunk, marked: "Marked", lead: Lead | None, stretched: str) -> Quote:
    """Return what was marked in a passage, in its title or in the sentence that led there."""
    shared: dict[str, Any] = {
        "label": chunk.title,
        "score": marked.score,
        "score_name": "log-odds",
        "chunk_ids": (chunk.id,),
    }
    if marked.in_title:
        return Quote(text=chunk.title[marked.start : marked.end], **shared)
    start, end, held, within = marked.start, marked.end, chunk.id, stretched
    if lead is not None and end <= len(lead.text):
        held, within = lead.chunk_id, lead.text
    elif lead is not None:
        before = len(lead.text) + 1
        start, end = max(start - before, 0), end - before
    span = Span(chunk_id=held, text=within, start=start, end=end)
    return Quote(text=within[start:end], spans=(span,), **shared)


def _quoted(quotes: Mapping[str, Quote], read: Sequence[ScoredChunk], count: int) -> QuotesCard:
    """Return the quotes of the passages that were ``read``, of ``count`` that are returned."""
    shown = tuple(quotes[chunk.id] for chunk in read if chunk.id in quotes)
    unread = count - len(read)
    left = f" The {unread} after these were not read." if unread else ""
    return QuotesCard(
        title="What may answer",
        summary="What the reader's model marks where it reads a passage together with the "
        f"question; in {len(read) - len(shown)} of {len(read)} it finds nothing.{left}",
        quotes=shown,
    )
