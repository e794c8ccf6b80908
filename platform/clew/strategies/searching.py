"""A question to evidence: the strategy that is asked for, and the paths through what it found."""

import time
import unicodedata
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any

from clew.errors import CLEW_ERRORS
from clew.resources.language_models import check
from clew.results.asked_documents import AskedDocuments
from clew.results.evidence import TraceStep
from clew.strategies.base import Strategy, Tell, untold
from clew.strategies.catalogue import STRATEGIES, for_triples, spec_of
from clew.strategies.iterative.spec import ITERATIVE_LOADER, in_one_step
from clew.strategies.paths import with_paths
from clew.strategies.question_language import foreign_language
from clew.strategies.selection import WithinDocuments, within
from clew.strategies.spelling import spelt_right
from clew_cypher.corpora import (
    WAITING_COUNTED,
    AskedCorpus,
    asked_corpus,
    corpus_counts,
    has_chunks,
)
from clew_cypher.errors import UnknownDocument

if TYPE_CHECKING:
    from clew.resources.resources import Resources
    from clew.results.evidence import Evidence
    from clew.settings import Settings


def search(
    resources: "Resources",
    question: str,
    corpus: str | None = None,
    strategy: str | None = None,
    k: int | None = None,
    tell: Tell = untold,
    documents: AskedDocuments | None = None,
) -> "Evidence":
    """Return evidence for a question, best first, with paths and trace.

    ``documents``: those that it is asked of; None: all. Raises UnknownCorpus, UnknownStrategy,
    InvalidRequest, and UnknownDocument where none is as those.
    """
    evidence = retrieve(resources, question, corpus, strategy, k, tell, documents)
    return with_paths(resources.store, evidence, tell=tell)


def retrieve(
    resources: "Resources",
    question: str,
    corpus: str | None = None,
    strategy: str | None = None,
    k: int | None = None,
    tell: Tell = untold,
    documents: AskedDocuments | None = None,
) -> "Evidence":
    """Return evidence as ``search`` does, without the paths; raises the same."""
    settings = resources.settings
    settings.check_question(question)
    # as documents are kept: some systems type "é" as two characters
    question = unicodedata.normalize("NFC", question)
    check_strategy(settings, strategy or settings.strategy)
    name = corpus or settings.corpus
    resources = within(resources, name, documents)
    k = settings.top_k if k is None else k
    document_ids = None if resources.selection is None else resources.selection.document_ids
    at = asked_corpus(resources.store, name, document_ids)
    resources = resources.at(at.corpus)
    chosen = build_strategy(strategy or settings.strategy, resources)
    if document_ids is not None and not document_ids:
        raise _none_fits(resources, at)
    if "embedder" in spec_of(in_one_step(chosen.name)).needs:
        resources.embed_ahead(question)
    started = time.perf_counter()
    asked, suggestions = spelt_right(resources, question, at.corpus)
    seconds = time.perf_counter() - started
    steps: tuple[TraceStep, ...] = ()
    if suggestions:
        meant = {one.asked: one.name for one in suggestions}
        steps = (TraceStep(name="spelling", seconds=seconds, detail=meant),)
        tell(steps[0])
    evidence = chosen.retrieve(asked, name, k, tell)
    without_text = _without_text(resources, at, evidence)
    if without_text and strategy is None and for_triples():
        another = build_strategy(for_triples()[0].name, resources)
        without_text = (f"{without_text[0]} {another.name} was asked instead.",)
        evidence = another.retrieve(asked, name, k, tell)
    return evidence.model_copy(
        update={
            "trace": (*steps, *evidence.trace),
            "notices": (
                *_language_notice(settings, question),
                *_waiting_notice(at),
                *without_text,
                *_lines_unseen(at, evidence),
                *evidence.notices,
            ),
            "suggestions": suggestions,
        }
    )


def _none_fits(resources: "Resources", at: AskedCorpus) -> UnknownDocument:
    """Return the error that says that no document is as those that the question is asked of."""
    assert resources.selection is not None
    said = f"No document of the corpus {at.corpus.name!r} fits: {resources.selection.said}."
    return UnknownDocument(
        " ".join((said, *_waiting_notice(at))),
        remedy="`clew documents` lists them. A pattern has to fit a whole title, address or file "
        "name: '*minutes*' fits all that have the word in one of them.",
    )


def _language_notice(settings: "Settings", question: str) -> tuple[str, ...]:
    """Say where a question is in a language that the parser and so the graph do not speak."""
    if not settings.parser.startswith("en"):
        return ()
    language = foreign_language(question)
    if not language:
        return ()
    return (
        f"The question seems to be in {language}. The models that are set read English: ask in "
        "English, or evidence may be missed (the settings parser and embedder name others).",
    )


def _waiting_notice(at: AskedCorpus) -> tuple[str, ...]:
    """Say where documents of the corpus are still to be indexed: nothing is found in them."""
    if not at.waiting:
        return ()
    if at.waiting == 1:
        return ("1 document is still to be indexed: what it says is not found yet.",)
    count = f"{at.waiting:,}" + " or more" * (at.waiting == WAITING_COUNTED)
    return (f"{count} documents are still to be indexed: what they say is not found yet.",)


def _without_text(resources: "Resources", at: AskedCorpus, evidence: "Evidence") -> tuple[str, ...]:
    """Say why nothing was found where what is asked has triples alone, and what finds some."""
    if evidence.chunks or evidence.triples:
        return ()
    chosen, corpus = resources.selection, at.corpus.name
    if chosen is None:
        if has_chunks(resources.store, corpus):
            return ()
        triples = corpus_counts(resources.store, corpus)["triples"]
        said = f"The corpus holds {triples:,} triples and no text" if triples else ""
    else:
        alone = not chosen.chunks and at.has_lines
        said = "The documents that are asked hold triples and no text" if alone else ""
    if not said:
        return ()
    return (f"{said}: {evidence.strategy} looks for passages. {_strategies_for_triples(evidence)}",)


def _lines_unseen(at: AskedCorpus, evidence: "Evidence") -> tuple[str, ...]:
    """Say where there are knowledge bases beside the passages that were found."""
    if evidence.triples or not evidence.chunks or not at.has_lines:
        return ()
    return (
        f"The corpus has knowledge bases, too, and {evidence.strategy} looks for passages alone. "
        f"{_strategies_for_triples(evidence)}",
    )


def _strategies_for_triples(evidence: "Evidence") -> str:
    spec = spec_of(in_one_step(evidence.strategy))
    method = spec.name.partition(":")[0]
    names = ", ".join(
        f"{method}:{one.name}" if spec.any_backbone else one.name for one in for_triples()
    )
    return f"Strategies for triples: {names}."


def build_strategy(name: str, resources: "Resources") -> Strategy:
    """Return the strategy ``name``; raises UnknownStrategy, which names those there are.

    Raises LanguageModelUnavailable where it needs a language model and none is set.
    """
    spec = spec_of(in_one_step(spec_of(name).name))
    strategy = spec.build(resources)
    # one that asks any other makes it here, too: what it is given is of the chosen documents
    if resources.selection is not None and not spec.any_backbone:
        strategy = WithinDocuments(strategy, resources, resources.selection)
    if name == spec.name:
        return strategy
    wrapped: Strategy = resolve_name(ITERATIVE_LOADER)(strategy, resources)
    return wrapped


def unaskable(settings: "Settings") -> dict[str, Any]:
    """Return the strategies that cannot be asked under these settings, each with the error that
    says why. Loads nothing.
    """
    found = {}
    for spec in STRATEGIES:
        try:
            check_strategy(settings, spec.name)
        except CLEW_ERRORS as error:
            found[spec.name] = error
    return found


def check_strategy(settings: "Settings", name: str) -> None:
    """Raise what keeps a strategy from being asked; loads nothing.

    UnknownStrategy; where it needs a language model also LanguageModelUnavailable and
    ModelNotInstalled.
    """
    for role in spec_of(name).models:
        check(settings, resolve_name(role))
