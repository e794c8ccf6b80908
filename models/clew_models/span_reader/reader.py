"""Marks the answer to a question in passages, or says that it is not there."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from clew_models.networks import (
    ASKED_STEP,
    LED_STEP,
    READ_STEP,
    Precision,
    Run,
    in_bfloat16,
    network_of,
    run_tokens,
)
from clew_models.runs import padded, runs_of
from clew_models.span_reader.graph import OUTPUTS, Weights, span_graph
from clew_models.span_reader.weights import all_weights, whole_head
from clew_models.span_reader.windows import (
    QUESTION_TOKENS,
    Window,
    plain_tokenizer,
    question_ids,
    windows_of,
)

LONGEST = 16
"""Tokens of a marked answer."""
VERDICTS = ("yes", "no", "neither")
"""What a window tells of a question for yes or no, in the order of the head's outputs."""
ALONE_TOKENS = QUESTION_TOKENS + 2
"""Tokens of a question at most that nothing stands beside."""
LIKELIEST = 20
"""Tokens that are tried as the first, and as the last, of an answer."""


@dataclass(frozen=True)
class EncodedPassage:
    """A passage as tokens, in windows that overlap."""

    title: str
    text: str
    windows: tuple[Window, ...]


@dataclass(frozen=True)
class Marked:
    """Characters [start, end) of a passage's text, or of its title, as an answer.

    ``score``: log-odds of the span against "not here" in its window.
    """

    start: int
    end: int
    in_title: bool
    score: float


@dataclass(frozen=True)
class Reading:
    """What the model makes of a passage for a question.

    ``logits``: [L, 2] for each window of ``passage``, relative to that of "not here";
    ``verdicts``: [3] for each, those of VERDICTS.
    """

    passage: EncodedPassage
    logits: tuple[NDArray[np.float32], ...]
    verdicts: tuple[NDArray[np.float32], ...]

    def verdict(self) -> tuple[float, float]:
        """Return the log-odds that the passage tells yes or no against neither, and those of yes
        against no: of its window that is surest to tell.
        """
        found = [
            (float(np.logaddexp(yes, no) - neither), float(yes - no))
            for yes, no, neither in self.verdicts
        ]
        return max(found)

    def score(self, start: int, end: int, *, title: bool = False) -> float | None:
        """Return the log-odds that the characters [start, end) of the text (or the title) are the
        answer against "not here"; None where no window holds them.
        """
        best = None
        for window, logits in zip(self.passage.windows, self.logits, strict=True):
            tokens = window.tokens_of(start, end, title=title)
            if tokens is not None:
                found = float(logits[tokens[0], 0] + logits[tokens[1], 1])
                best = found if best is None else max(best, found)
        return best

    def best(self, count: int = 3) -> list[Marked]:
        """Return the ``count`` best spans, best first, none of which overlaps a better one."""
        found: list[Marked] = []
        for window, logits in zip(self.passage.windows, self.logits, strict=True):
            found += best_spans(window, logits, count)
        kept: list[Marked] = []
        for marked in sorted(found, key=lambda m: -m.score):
            if len(kept) < count and not any(_overlap(marked, other) for other in kept):
                kept.append(marked)
        return kept


def best_spans(window: Window, logits: NDArray[np.float32], count: int) -> list[Marked]:
    """Return a window's best spans, of its likeliest first and last tokens.

    ``logits``: [L, 2] relative to that of "not here".
    """
    special = {0, window.text_from - 1, len(window.ids) - 1}
    order = np.argsort(-logits, axis=0, kind="stable")[: LIKELIEST + len(special)].T.tolist()
    likely = [[i for i in ends if i not in special][:LIKELIEST] for ends in order]
    pairs = [
        (float(logits[first, 0] + logits[last, 1]), first, last)
        for first in likely[0]
        for last in likely[1]
        if first <= last < first + LONGEST
        and (first < window.text_from) == (last < window.text_from)
    ]
    taken: list[Marked] = []
    for score, first, last in sorted(pairs, key=lambda pair: -pair[0]):
        start, end = window.offsets[first][0], window.offsets[last][1]
        marked = Marked(start, end, first < window.text_from, score)
        if not any(_overlap(marked, other) for other in taken):
            taken.append(marked)
        if len(taken) == count:
            break
    return taken


def _overlap(one: Marked, other: Marked) -> bool:
    same = one.in_title == other.in_title
    return same and one.start < other.end and other.start < one.end


class JointReader:
    """A model that reads questions and windows together, on a processor.

    ``graph``: `span_graph` or `window_graph`, of ``weights``; ``threads`` and ``precision`` as of
    `SpanReader`.
    """

    def __init__(
        self, graph: Callable[..., bytes], weights: Weights, threads: int, precision: Precision
    ) -> None:
        self._threads = threads
        self._bfloat16 = in_bfloat16(precision)
        self._tokenizer = plain_tokenizer()
        model = graph(weights, packed=not self._bfloat16)
        self._network = network_of(model, threads, bfloat16=self._bfloat16)

    def _run(self, pairs: Sequence[tuple[Sequence[int], Sequence[int]]]) -> Run:
        """Return questions and windows as a run of the graph; in bfloat16, of few shapes."""
        led = max(len(asked) for asked, _ in pairs) > ALONE_TOKENS
        step = LED_STEP if led else ASKED_STEP
        steps = (step, READ_STEP) if self._bfloat16 else (1, 1)
        question, question_mask = padded([asked for asked, _ in pairs], steps[0])
        window, window_mask = padded([read for _, read in pairs], steps[1])
        return {
            "question": question,
            "question_mask": question_mask,
            "window": window,
            "window_mask": window_mask,
        }


class SpanReader(JointReader):
    """The span model on a processor.

    Safe to be shared by threads. ``threads``: cores a call may use, 0 for all there are;
    ``weights``: other ones than those shipped; ``precision``: float32 stands for integers, see
    `span_graph`, and `in_bfloat16` for auto. Raises ModelNotInstalled, and ModelError where
    bfloat16 is asked of a processor that does not multiply in it.
    """

    def __init__(
        self,
        *,
        threads: int = 0,
        weights: Weights | None = None,
        precision: Precision = "auto",
    ) -> None:
        held = whole_head(all_weights() if weights is None else weights)
        super().__init__(span_graph, held, threads, precision)

    def encode(self, passages: Sequence[tuple[str, str]]) -> list[EncodedPassage]:
        """Return the passages (title, text) as tokens."""
        return [
            EncodedPassage(title, text, tuple(windows_of(self._tokenizer, title, text)))
            for title, text in passages
        ]

    def read(
        self, questions: Sequence[str], passages: Sequence[EncodedPassage]
    ) -> list[list[Reading]]:
        """Return a Reading for each question and passage."""
        return self.read_each([(question, passages) for question in questions])

    def read_each(
        self, asked: Sequence[tuple[str, Sequence[EncodedPassage]]]
    ) -> list[list[Reading]]:
        """Return the Readings of each question's own passages; all are computed in batches."""
        rows = [
            (question_ids(self._tokenizer, question), passage)
            for question, passages in asked
            for passage in passages
        ]
        found = iter(self._readings(rows))
        return [[next(found) for _ in passages] for _, passages in asked]

    def read_led(
        self, question: str, passages: Sequence[tuple[EncodedPassage, Sequence[str]]]
    ) -> list[Reading]:
        """Return a Reading of each passage beside the sentences of others that lead to it."""
        return self._readings(
            [(question_ids(self._tokenizer, question, leads), own) for own, leads in passages]
        )

    def _readings(self, rows: Sequence[tuple[Sequence[int], EncodedPassage]]) -> list[Reading]:
        pairs = [(asked, window.ids) for asked, passage in rows for window in passage.windows]
        logits = iter(self._logits(pairs))
        found = []
        for _, passage in rows:
            own = [next(logits) for _ in passage.windows]
            spans = tuple(one[:, :2] - one[0, :2] for one in own)
            found.append(Reading(passage, spans, tuple(one[0, 2:] for one in own)))
        return found

    def _logits(
        self, pairs: Sequence[tuple[Sequence[int], Sequence[int]]]
    ) -> list[NDArray[np.float32]]:
        """Return [L, 5] of each question and window."""
        result: list[NDArray[np.float32]] = [np.empty((0, OUTPUTS), np.float32)] * len(pairs)
        sizes = [len(asked) + len(window) for asked, window in pairs]
        runs = list(runs_of(sizes, run_tokens(sizes, self._threads, bfloat16=self._bfloat16)))
        inputs = (self._run([pairs[row] for row in rows]) for rows in runs)
        for rows, logits in zip(runs, self._network.outputs(inputs), strict=True):
            for at, row in enumerate(rows):
                result[row] = logits[at, : len(pairs[row][1])]
        return result
