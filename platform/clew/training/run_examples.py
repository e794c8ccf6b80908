"""The examples of a training run: made once, kept in its folder, a part of them held out."""

import json
import shutil
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from clew.errors import CLEW_ERRORS, InvalidRequest
from clew.evaluation.data_sets.loading import fingerprint as data_set_fingerprint
from clew.evaluation.data_sets.loading import load_data_set
from clew.training.data_set_examples import DataSetExamples
from clew.training.example_files import read_examples, write_examples
from clew.training.graph_examples import graph_examples
from clew.training.head_options import HeadRule
from clew_models.translator.examples import TranslationExample

if TYPE_CHECKING:
    from clew.components import Components
    from clew.training.translator import TranslatorTraining

EXAMPLES, HELD_OUT, SOURCE = "examples.jsonl", "held_out.jsonl", "source.json"
FEWEST = 20
"""Examples below which there is nothing to be learned."""

Tell = Callable[[str, int, int], None]
"""What is being done, how much of it is done, and how much there is."""


@dataclass(frozen=True)
class RunExamples:
    """What a run learns from, and what it keeps apart; of no chunk are there both.

    ``source``: the data set and what became of its questions; {} where the graph made them.
    """

    examples: list[TranslationExample]
    held_out: list[TranslationExample]
    source: dict[str, Any] = field(default_factory=dict)


def run_examples(
    components: "Components", request: "TranslatorTraining", folder: Path, tell: Tell
) -> RunExamples:
    """Return the examples of a run, those of its folder where they were made before.

    Where none can be made, the folder is removed. Raises InvalidRequest, InvalidDataSet.
    """
    if (folder / EXAMPLES).exists():
        return RunExamples(
            read_examples(folder / EXAMPLES),
            read_examples(folder / HELD_OUT),
            json.loads((folder / SOURCE).read_text(encoding="utf-8")),
        )
    wanted = request.examples + request.held_out
    tell("examples", 0, wanted)
    try:
        found, source = _made(components, request, wanted, tell)
        made = _split(found, request.held_out, source)
        if len(made.examples) < FEWEST:
            raise _too_few(request, len(made.examples), source)
    except CLEW_ERRORS:
        shutil.rmtree(folder)
        raise
    (folder / SOURCE).write_text(json.dumps(source, indent=1) + "\n", encoding="utf-8")
    write_examples(made.held_out, folder / HELD_OUT)
    write_examples(made.examples, folder / EXAMPLES)
    tell("examples", len(found), wanted)
    return made


def _made(
    components: "Components", request: "TranslatorTraining", wanted: int, tell: Tell
) -> tuple[list[TranslationExample], dict[str, Any]]:
    store, embed = components.store, components.embedder.embed
    if request.data_set is None:
        return graph_examples(store, request.corpus, wanted, request.seed, embed), {}
    data_set = load_data_set(request.data_set)
    settings = components.settings
    rule = HeadRule(settings.translator_title_heads, not settings.translator_directed)
    maker = DataSetExamples(store, request.corpus, data_set, rule, embed)
    examples = maker.make(wanted, request.seed, lambda made: tell("examples", made, wanted))
    source = {
        "data_set": data_set.name,
        "data_set_fingerprint": data_set_fingerprint(data_set),
        "questions": maker.use.counts(),
    }
    return examples, source


def _split(found: list[TranslationExample], held_out: int, source: dict[str, Any]) -> RunExamples:
    count = min(held_out, len(found) // 5)
    apart = {chunk for example in found[:count] for chunk in example.chunk_ids}
    examples = [one for one in found[count:] if apart.isdisjoint(one.chunk_ids)]
    return RunExamples(examples, found[:count], source)


def _too_few(request: "TranslatorTraining", count: int, source: dict[str, Any]) -> InvalidRequest:
    if not source:
        return InvalidRequest(
            f"The graph of {request.corpus!r} makes {count} examples; it takes {FEWEST}.",
            remedy="Ingest more documents, with triples (an extractor other than 'none').",
        )
    use = source["questions"]
    reasons = "; ".join(f"{number}: {reason}" for reason, number in use["left_out"].items())
    left_out = f" Left out are {reasons}." if reasons else ""
    return InvalidRequest(
        f"{use['used']} of {use['questions']} single-hop questions of {source['data_set']!r} make "
        f"examples; {count} are left without the passages of those held out, and it takes "
        f"{FEWEST}.{left_out}",
        remedy="Without a data set, the examples are made from the corpus' graph.",
    )
