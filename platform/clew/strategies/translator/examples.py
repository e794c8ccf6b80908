"""The examples of a training of the translator: made of a graph or a data set, a part held out."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict
from typing import Any

from clew.errors import InvalidRequest
from clew.strategies.learning.training import FEWEST, Examples, Record, TrainingRun
from clew.strategies.translator.data_set_examples import DataSetExamples
from clew.strategies.translator.graph_examples import graph_examples
from clew.strategies.translator.head_options import HeadRule
from clew.strategies.translator.options import TranslatorOptions
from clew_models.translator.examples import ClueTarget, TranslationExample


def records(examples: Iterable[TranslationExample]) -> list[Record]:
    """Return examples as they are kept."""
    return [asdict(example) for example in examples]


def from_records(kept: Iterable[Record]) -> list[TranslationExample]:
    """Return the examples that were kept."""
    return [
        TranslationExample(
            one["question"],
            tuple(ClueTarget(**clue) for clue in one["clues"]),
            tuple(one["chunk_ids"]),
        )
        for one in kept
    ]


def run_examples(run: TrainingRun) -> Examples:
    """Return what a run learns from and what it keeps apart; of no chunk are there both.

    Raises InvalidRequest where there are too few.
    """
    asked = run.options
    wanted = asked.examples + asked.held_out
    run.tell(0, wanted)
    found, source = _made(run, wanted)
    run.tell(len(found), wanted)
    learned, held_out = _split(found, asked.held_out)
    if len(learned) < FEWEST:
        raise _too_few(run, len(learned), source)
    return Examples(records(learned), records(held_out), source)


def _made(run: TrainingRun, wanted: int) -> tuple[list[TranslationExample], dict[str, Any]]:
    store, embed, seed = run.resources.store, run.resources.embedder.embed, run.options.seed
    if run.data_set is None:
        return graph_examples(store, run.corpus, wanted, seed, embed), {}
    options = run.resources.settings.options(TranslatorOptions)
    rule = HeadRule(options.title_heads, not options.directed)
    maker = DataSetExamples(store, run.corpus, run.data_set, rule, embed)
    examples = maker.make(wanted, seed, lambda made: run.tell(made, wanted))
    return examples, {"questions": maker.use.counts()}


def _split(
    found: Sequence[TranslationExample], held_out: int
) -> tuple[list[TranslationExample], list[TranslationExample]]:
    count = min(held_out, len(found) // 5)
    apart = {chunk for example in found[:count] for chunk in example.chunk_ids}
    learned = [one for one in found[count:] if apart.isdisjoint(one.chunk_ids)]
    return learned, list(found[:count])


def _too_few(run: TrainingRun, count: int, source: dict[str, Any]) -> InvalidRequest:
    if run.data_set is None:
        return InvalidRequest(
            f"The graph of {run.corpus!r} makes {count} examples; it takes {FEWEST}.",
            remedy="Ingest more documents, with triples (an extractor other than 'none').",
        )
    use = source["questions"]
    reasons = "; ".join(f"{number}: {reason}" for reason, number in use["left_out"].items())
    left_out = f" Left out are {reasons}." if reasons else ""
    return InvalidRequest(
        f"{use['used']} of {use['questions']} single-hop questions of {run.data_set.name!r} make "
        f"examples; {count} are left without the passages of those held out, and it takes "
        f"{FEWEST}.{left_out}",
        remedy="Without a data set, the examples are made from the corpus' graph.",
    )
