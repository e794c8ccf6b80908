"""How a language model learns to write triples (RA-3; RAS section 3.2).

    sentences of the graph with their triples ─▶ lines ─▶ LoRA ─▶ what it writes of held-out ones

The teacher is whoever extracted the corpus: the rules, a language model, or a file of triples.
Differs from the paper, which has a 3B model learn whole passages of Wikipedia from a large model's
triples: here a sentence at a time is read, below its title, so that a small model can do it and a
triple's sentence is known.
"""

import random
import time
from collections import Counter
from collections.abc import Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ConfigDict, Field

from clew.errors import InvalidRequest
from clew.results.training import CurvePoint, TrainingFigure
from clew.strategies.learning.training import (
    FEWEST,
    Examples,
    Learned,
    Record,
    Training,
    TrainingRun,
)
from clew.strategies.text_to_triples.writer import (
    WRITTEN_TOKENS,
    base_model,
    example_of,
    written,
)
from clew_cypher.export.training import ToldSentence, told_sentences
from clew_ingest.parsing.entity_names import normalise_name
from clew_ingest.triples.lines import as_lines, read_lines, stands_in
from clew_models.devices import all_threads, device_of

if TYPE_CHECKING:
    from pathlib import Path

    from clew_models.graph_llm.model import GraphLanguageModel, GraphModelOptions

HELP = """Train a language model to write the triples of sentences (RAS, section 3.2).

It learns from the triples that a corpus has, whoever extracted them: the rules, a language model
(`llm`), or a file. The version serves every corpus: `clew ingest PATH --corpus NEW --extractor
model` extracts with it, without a call of anybody's endpoint.

Example: `clew train text-to-triples --corpus mine --examples 4000`"""
FIGURES = (
    TrainingFigure(name="f1", words="F1 of (head, tail) against the corpus' own triples"),
    TrainingFigure(name="precision", words="precision of (head, tail)"),
    TrainingFigure(name="recall", words="recall of (head, tail)"),
    TrainingFigure(name="well_formed", words="written lines that are triples of the text"),
)
Triple = tuple[str, str, str]
MOST_TOKENS = 512
"""Of an example, prompt and lines together; longer ones are left out."""
SCANNED = 4
"""Sentences looked at for each that is wanted: of some, every triple names what is elsewhere."""
TOLD_EACH = 50


class TextToTriplesOptions(BaseModel):
    """How many sentences, and how they are learned."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    examples: int = Field(2000, ge=20, description="Sentences to learn from.")
    held_out: int = Field(
        100, ge=5, description="Sentences kept apart, of other chunks, asked before and after."
    )
    rank: int = Field(16, ge=1, le=128, description="Rank of the LoRA adapter.")
    epochs: int = Field(1, ge=1, description="Passes over the sentences.")
    batch: int = Field(16, ge=1, description="Sentences of one step.")
    rate: float = Field(1e-3, gt=0, description="Largest learning rate.")
    save_steps: int = Field(
        10, ge=1, description="Steps between checkpoints, and between looks at held-out sentences."
    )
    seed: int = Field(0, description="Draws the order of the sentences and the first weights.")


def make_examples(run: TrainingRun) -> Examples:
    """Return sentences with the lines to be written of them, none of a held-out chunk learned.

    A triple whose head or tail is neither in its sentence nor in the title cannot be known, and is
    left out and counted; so is a sentence of which none is left. One of which no sentence is known,
    as of a file's, is of the first of its chunk that it can be known from. Raises InvalidRequest
    where there are too few.
    """
    wanted = run.options.examples + run.options.held_out
    held_out = min(run.options.held_out, wanted // 4)
    run.tell(0, wanted)
    dropped: Counter[str] = Counter()
    found: dict[str, dict[str, Any]] = {}
    chunk = ""
    held: set[str] = set()
    loose: tuple[Triple, ...] = ()
    for one in islice(told_sentences(run.resources.store, run.corpus), SCANNED * wanted):
        if one.chunk_id != chunk:
            dropped["triples"] += len(loose)
            chunk, loose = one.chunk_id, one.loose
        if chunk in held:  # whole: one chunk may have more sentences than are wanted
            loose = ()
            continue
        placed = [
            triple for triple in loose if _known(triple, one) and _of_sentence(triple, one.text)
        ]
        loose = tuple(triple for triple in loose if triple not in placed)
        known = [triple for triple in one.triples if _known(triple, one)]
        dropped["triples"] += len(one.triples) - len(known)
        known += placed
        if one.triples and not known:
            dropped["sentences"] += 1
            continue
        text = " ".join(one.text.split())
        found.setdefault(
            text,
            {"chunk": one.chunk_id, "title": one.title, "text": text, "lines": as_lines(known)},
        )
        if len(found) == held_out:
            held = {record["chunk"] for record in found.values()}
        if len(found) % TOLD_EACH == 0:
            run.tell(min(len(found), wanted), wanted)
        if len(found) == wanted:
            break
    dropped["triples"] += len(loose)
    records = list(found.values())
    if not any(record["lines"] for record in records):
        raise InvalidRequest(
            f"The corpus {run.corpus!r} has no triples of sentences to learn from.",
            remedy="Ingest documents with an extractor other than 'none'.",
        )
    apart = records[: min(held_out, len(records) // 4)]
    chunks = {record["chunk"] for record in apart}
    learned = [record for record in records[len(apart) :] if record["chunk"] not in chunks]
    if len(learned) < FEWEST:
        raise InvalidRequest(
            f"The corpus {run.corpus!r} makes {len(learned)} sentences; it takes {FEWEST}.",
            remedy="Ingest more documents.",
        )
    random.Random(run.options.seed).shuffle(learned)
    return Examples(learned, apart, {"left_out": dict(dropped)})


def _known(triple: Triple, one: ToldSentence) -> bool:
    return all(stands_in(end, one.title, one.text) for end in (triple[0], triple[2]))


def _of_sentence(triple: Triple, text: str) -> bool:
    """Whether it is the sentence, not the title alone, that names what the triple joins."""
    return stands_in(triple[0], text) or stands_in(triple[2], text)


def learn(run: TrainingRun, examples: Sequence[Record], held_out: Sequence[Record]) -> Learned:
    """Train into the run's folder, from its checkpoint where there is one. Raises JobStopped."""
    from clew_models.fitting import CHECKPOINT
    from clew_models.graph_llm.model import GraphModelOptions, save_graph_model
    from clew_models.graph_llm.training import FitOptions, encoded, fit

    started = time.monotonic()
    asked = run.options
    options = FitOptions(
        epochs=asked.epochs,
        batch=asked.batch,
        rate=asked.rate,
        max_tokens=MOST_TOKENS,
        save_steps=asked.save_steps,
        seed=asked.seed,
    )
    with all_threads():
        model = _untrained(run, GraphModelOptions(rank=asked.rank, encoder=None))
        learned = encoded(model, [_example(one) for one in examples], MOST_TOKENS)
        learned = [one for one in learned if len(one.written) <= WRITTEN_TOKENS]
        done = fit(
            model,
            learned,
            encoded(model, [_example(one) for one in held_out], MOST_TOKENS),
            {},
            run.folder,
            options,
            progress=run.tell,
            point=lambda step, loss, apart: run.point(
                CurvePoint(step=step, loss=loss, held_out=apart)
            ),
            cancelled=run.cancelled,
        )
    if not done:
        raise run.stopped()
    save_graph_model(model, run.resources.settings.extractor_base, run.folder)
    (run.folder / CHECKPOINT).unlink(missing_ok=True)
    return Learned(
        examples=len(learned),
        left_out=len(examples) - len(learned),
        seconds=time.monotonic() - started,
        options=asked.model_dump(mode="json"),
    )


def measure(
    run: TrainingRun, held_out: Sequence[Record], folder: "Path | None"
) -> dict[str, float]:
    """Return the figures of the version in a folder, or of the causal model as it is."""
    from clew_models.graph_llm.model import GraphModelOptions, load_graph_model, ready_to_write

    with all_threads():
        if folder is None:
            model = ready_to_write(_untrained(run, GraphModelOptions(rank=0, encoder=None)))
        else:
            cache = run.resources.settings.cache
            model = load_graph_model(folder, cache_dir=cache, device=device_of("auto"))
        texts = written(
            model,
            [(record["title"], record["text"]) for record in held_out],
            cancelled=run.cancelled,
            told=lambda done: run.tell(done, len(held_out)),
        )
    if run.cancelled():
        raise run.stopped()
    return agreement(held_out, texts)


def agreement(records: Sequence[Record], texts: Sequence[str]) -> dict[str, float]:
    """Return how far what was written of sentences agrees with the lines of ``records``.

    Precision, recall and F1 of pairs (head, tail), over all sentences together; ``well_formed``:
    the share of the written lines that are triples of the text (1 where nothing was written).
    """
    both = expected = got = kept = malformed = 0
    for record, text in zip(records, texts, strict=True):
        title, sentence = record["title"], record["text"]
        triples, dropped = read_lines(text, title, sentence)
        wanted, _ = read_lines(record["lines"], title, sentence)
        own = {(normalise_name(one.head), normalise_name(one.tail)) for one in triples}
        gold = {(normalise_name(one.head), normalise_name(one.tail)) for one in wanted}
        both, got, expected = both + len(own & gold), got + len(own), expected + len(gold)
        kept, malformed = kept + len(triples), malformed + dropped.total()
    precision, recall = both / max(got, 1), both / max(expected, 1)
    return {
        "f1": 2 * precision * recall / max(precision + recall, 1e-9),
        "precision": precision,
        "recall": recall,
        "well_formed": kept / (kept + malformed) if kept + malformed else 1.0,
    }


def _example(record: Record) -> Any:
    return example_of(record["title"], record["text"], record["lines"])


def _untrained(run: TrainingRun, options: "GraphModelOptions") -> "GraphLanguageModel":
    from clew_models.graph_llm.model import untrained_model

    settings = run.resources.settings
    return untrained_model(
        settings.extractor_base,
        options,
        cache_dir=settings.cache,
        device=device_of("auto"),
        seed=run.options.seed,
    )


TRAINING = Training(
    summary="A language model learns to write the triples of sentences, as an extractor.",
    help=HELP,
    options=TextToTriplesOptions,
    base_model=base_model,
    figures=FIGURES,
    decides="f1",
    examples=make_examples,
    train=learn,
    measure=measure,
    general=True,
)
"""The declaration of text-to-triples."""
