"""Passages as windows of tokens, and which characters each token stands for."""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Any

from clew_models.embedding.minilm import model_directory

TITLE_TOKENS = 24
TEXT_TOKENS = 224
OVERLAP = 64
"""Tokens of the title that stand before every window, of text in a window, and of text that two
windows share: an answer with its surroundings lies whole in one of them."""

QUESTION_TOKENS = 64
LEAD_TOKENS = 48
"""Tokens of a sentence that leads to the passage, and is read beside it."""
TOKEN_LETTERS = 16
"""Letters that a token has at most, on the average of many: a text of so many for each that is read
is cut before it is taken apart, which takes a tenth of a second for 40,000 letters."""
CLS, SEP = 101, 102


@dataclass(frozen=True)
class Window:
    """[CLS] title [SEP] text [SEP], as ids.

    ``offsets``: the characters [start, end) of each token, in the title for the first
    ``text_from`` tokens and in the text for those after; (0, 0) for [CLS] and [SEP].
    """

    ids: tuple[int, ...]
    offsets: tuple[tuple[int, int], ...]
    text_from: int

    def tokens_of(self, start: int, end: int, *, title: bool = False) -> tuple[int, int] | None:
        """Return the first and last token of the characters [start, end) of the text, or of the
        title; None where the window does not hold them all.
        """
        low, high = (1, self.text_from - 1) if title else (self.text_from, len(self.ids) - 1)
        first = bisect_right(self.offsets, start, low, high, key=itemgetter(1))
        last = bisect_left(self.offsets, end, low, high, key=itemgetter(0)) - 1
        if first > last:
            return None
        begun = first > low or self.offsets[first][0] <= start
        ended = last < high - 1 or self.offsets[last][1] >= end
        return (first, last) if begun and ended else None


def plain_tokenizer() -> Any:
    """Return MiniLM's tokenizer (of ``tokenizers``), without padding and truncation."""
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(model_directory() / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return tokenizer


def windows_of(tokenizer: Any, title: str, text: str) -> list[Window]:
    """Return the windows of a passage, one at least; ``tokenizer``: of ``tokenizers``."""
    head = tokenizer.encode(title, add_special_tokens=False)
    ids, offsets = head.ids[:TITLE_TOKENS], head.offsets[:TITLE_TOKENS]
    body = tokenizer.encode(text, add_special_tokens=False)
    found, start = [], 0
    while True:
        stop = start + TEXT_TOKENS
        found.append(
            Window(
                (CLS, *ids, SEP, *body.ids[start:stop], SEP),
                ((0, 0), *offsets, (0, 0), *body.offsets[start:stop], (0, 0)),
                len(ids) + 2,
            )
        )
        if stop >= len(body.ids):
            return found
        start = stop - OVERLAP


def question_ids(tokenizer: Any, question: str, leads: Sequence[str] = ()) -> tuple[int, ...]:
    """Return [CLS] question [SEP] (lead [SEP])…; a longer question than QUESTION_TOKENS loses its
    beginning, since what is asked for stands at the end of most long ones.

    ``leads``: what is known beside the passage; LEAD_TOKENS are read of each.
    """
    asked = question[-QUESTION_TOKENS * TOKEN_LETTERS :]
    ids = tokenizer.encode(asked, add_special_tokens=False).ids
    begun = [lead[: LEAD_TOKENS * TOKEN_LETTERS] for lead in leads]
    known = tokenizer.encode_batch(begun, add_special_tokens=False) if begun else []
    beside = [id_ for lead in known for id_ in (*lead.ids[:LEAD_TOKENS], SEP)]
    return (CLS, *ids[-QUESTION_TOKENS:], SEP, *beside)
