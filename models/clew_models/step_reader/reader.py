"""Reads a question together with a passage and the sentence that led there, and says in one number
how well it fits.

Source: re-ranking by reading (Nogueira and Cho, Passage Re-ranking with BERT, 2019), with the first
layers of the span model (`clew_models.span_reader`) trained further.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clew_models.errors import ModelNotInstalled
from clew_models.networks import Precision
from clew_models.span_reader.graph import Weights, window_graph
from clew_models.span_reader.reader import JointReader
from clew_models.span_reader.weights import base_weights, trained_weights
from clew_models.span_reader.windows import CLS, SEP, TOKEN_LETTERS, question_ids

SHIPPED = Path(__file__).with_name("trained.safetensors")
"""The layers, the segments and the head, in half precision."""

ROWS, ROWS_IN_BFLOAT16 = 4, 6
"""Passages of a run. In bfloat16 as many always, so that there are few shapes (what is prepared for
a shape is kept), and twelve make a run for each of two cores."""

TITLE_TOKENS, LEAD_TOKENS, TEXT_TOKENS = 16, 48, 72
"""Tokens of a title, of what led there and of a passage that are read."""


@dataclass(frozen=True)
class StepText:
    """A passage as it is read: its title, a stretch of its text, and the sentence of another
    passage that led there, with that one's title; both empty where it stands alone.
    """

    title: str
    text: str
    lead: str = ""
    lead_title: str = ""


class StepReader(JointReader):
    """The step reader on a processor. Safe to be shared by threads.

    ``threads``: cores a call may use, 0 for all there are; ``weights``: other ones than those
    shipped; ``precision``: as of `SpanReader`. Raises ModelNotInstalled, and ModelError where
    bfloat16 is asked of a processor that does not multiply in it.
    """

    def __init__(
        self,
        *,
        threads: int = 0,
        weights: Weights | None = None,
        precision: Precision = "auto",
    ) -> None:
        held = step_weights() if weights is None else weights
        super().__init__(window_graph, held, threads, precision)

    def fits(self, question: str, steps: Sequence[StepText]) -> NDArray[np.float64]:
        """Return [N] how well each fits; only differences between those of one question count."""
        asked = question_ids(self._tokenizer, question)
        windows = step_ids(self._tokenizer, steps)
        order = sorted(range(len(windows)), key=lambda row: len(windows[row]))
        most = ROWS_IN_BFLOAT16 if self._bfloat16 else ROWS
        runs = [order[at : at + most] for at in range(0, len(order), most)]
        found = np.zeros(len(steps))
        inputs = (self._run([(asked, windows[row]) for row in self._filled(rows)]) for rows in runs)
        for rows, fits in zip(runs, self._network.outputs(inputs), strict=True):
            found[rows] = fits[: len(rows)]
        return found

    def _filled(self, rows: list[int]) -> list[int]:
        """Return the rows of a run, in bfloat16 as many as always: the first again."""
        return rows + rows[:1] * (ROWS_IN_BFLOAT16 - len(rows)) if self._bfloat16 else rows


def step_ids(tokenizer: Any, steps: Sequence[StepText]) -> list[tuple[int, ...]]:
    """Return [CLS] title [SEP] (lead title: lead [SEP]) text [SEP] of each step, as ids."""
    texts = [
        part[: tokens * TOKEN_LETTERS]
        for step in steps
        for part, tokens in (
            (step.title, TITLE_TOKENS),
            (f"{step.lead_title}: {step.lead}" if step.lead else "", LEAD_TOKENS),
            (step.text, TEXT_TOKENS),
        )
    ]
    ids = [found.ids for found in tokenizer.encode_batch(texts, add_special_tokens=False)]
    windows = []
    for title, lead, text in zip(ids[::3], ids[1::3], ids[2::3], strict=True):
        led = [*lead[:LEAD_TOKENS], SEP] if lead else []
        windows.append((CLS, *title[:TITLE_TOKENS], SEP, *led, *text[:TEXT_TOKENS], SEP))
    return windows


def step_weights(path: Path | None = None) -> Weights:
    """Return the whole model: MiniLM's embeddings, and what a training left in ``path``; None:
    what is shipped. Raises ModelNotInstalled.
    """
    path = path or SHIPPED
    if not path.exists():
        raise ModelNotInstalled(
            f"The step reader's weights {path} are missing.",
            remedy="Train it with tests/benchmarks/step_reader_training.py, or set "
            "CLEW_CHAIN_READ to 0.",
        )
    return {**base_weights("embeddings."), **trained_weights(path)}
