"""Lines of triples, held to a text token by token: what a text-to-triples model may write (RA-3).

    Ada Lovelace | bear in | London        head | predicate | tail, a line each

Head and tail are words of the texts that stand together, in whatever case, and name something; a
predicate is free; no line is written twice. So each line is a triple of the text. The paper (RAS
section 3.2) writes freely, with a model twenty times as large.
"""

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

BAR, END_OF_LINE = "|", "\n"
LONGEST_NAME, LONGEST_PREDICATE = 100, 60
"""In characters."""
LONGEST_TOKEN = 24
"""Longer tokens are not looked for."""
OPEN = frozenset(",;:([{-–—/")
"""What no name ends with."""


class Vocabulary:
    """The tokens of a tokenizer as text. What is a part of a letter only is never written."""

    def __init__(self, tokenizer: Any, size: int) -> None:
        """``size``: how many tokens the model has scores of."""
        self._tokenizer = tokenizer
        self._size = size
        self.end = int(tokenizer.eos_token_id)

    @cached_property
    def texts(self) -> list[str]:
        """The text of each token behind another word; "" of what is none."""
        before = self._tokenizer("a", add_special_tokens=False)["input_ids"]
        known = min(self._size, len(self._tokenizer))
        read = self._tokenizer.batch_decode(
            [[*before, id_] for id_ in range(known)], clean_up_tokenization_spaces=False
        )
        special = set(self._tokenizer.all_special_ids)
        texts = [
            text[1:] if id_ not in special and "\ufffd" not in text else ""
            for id_, text in enumerate(read)
        ]
        return texts + [""] * (self._size - known)

    @cached_property
    def in_predicate(self) -> NDArray[np.int64]:
        """The tokens that a predicate may go on with."""
        return self._ids(lambda text: bool(text) and BAR not in text and not _breaks(text))

    @cached_property
    def first_in_predicate(self) -> NDArray[np.int64]:
        """Those that begin a word after a blank."""
        own = set(self.in_predicate.tolist())
        return np.array(
            [i for i, t in enumerate(self.texts) if i in own and t[0] == " " and t[1:2].isalnum()],
            dtype=np.int64,
        )

    def beginnings(self, text: str) -> list[int]:
        """Return the tokens that ``text`` begins with, in whatever case."""
        found: list[int] = []
        lowered = text[:LONGEST_TOKEN].lower()
        for length in range(1, len(lowered) + 1):
            found += self._by_text.get(lowered[:length], ())
        return found

    @cached_property
    def _by_text(self) -> dict[str, list[int]]:
        found: dict[str, list[int]] = {}
        for id_, text in enumerate(self.texts):
            if text:
                found.setdefault(text.lower(), []).append(id_)
        return found

    def _ids(self, fits: Any) -> NDArray[np.int64]:
        return np.array([i for i, text in enumerate(self.texts) if fits(text)], dtype=np.int64)


class TripleLines:
    """What may follow in one text's lines; ``take`` each token that is written."""

    def __init__(
        self, vocabulary: Vocabulary, texts: Iterable[str], named: Callable[[str], str]
    ) -> None:
        """``texts``: where heads and tails stand; ``named``: what a name is compared by, "" of
        what names nothing.
        """
        self._vocabulary = vocabulary
        self._texts = [" ".join(text.split()).lower() for text in texts]
        self._named = named
        self._line = ""
        self._written: set[tuple[str, ...]] = set()
        self.lines: list[str] = []
        """The lines that are whole."""

    @property
    def end(self) -> int:
        """The token that ends a text."""
        return self._vocabulary.end

    def take(self, token: int) -> None:
        """Take the token that was written."""
        text = self._vocabulary.texts[token]
        if token == self._vocabulary.end or text == END_OF_LINE:
            if self._may_end():
                self.lines.append(self._line.strip())
                self._written.add(self._fields())
            self._line = ""
        else:
            self._line += text

    def allowed(self) -> NDArray[np.int64]:
        """Return the tokens that may follow; the one that ends the text where nothing else may."""
        parts = self._line.split(BAR)
        part = parts[-1]
        vocabulary = self._vocabulary
        found: list[int] = []
        if len(parts) == 2:
            if not part.strip():
                return vocabulary.first_in_predicate
            bar = vocabulary.beginnings(BAR if part.endswith(" ") else f" {BAR}")
            if len(part) >= LONGEST_PREDICATE:
                return np.array(bar, dtype=np.int64)
            return np.concatenate([vocabulary.in_predicate, np.array(bar, dtype=np.int64)])
        lead = " " if len(parts) == 3 and not part else ""
        whole = False
        for following, ends in self._following(part.lstrip().lower(), bool(part.strip())):
            whole = whole or ends
            if len(part) < LONGEST_NAME or not ends:
                found += vocabulary.beginnings(lead + following)
                if not part and not lead:  # some tokenizers begin a text with a blank
                    found += vocabulary.beginnings(f" {following}")
        if whole and len(parts) == 1 and self._named(part.strip()):
            found += vocabulary.beginnings(BAR if part.endswith(" ") else f" {BAR}")
        if whole and len(parts) == 3 and self._may_end():
            found += [vocabulary.end, *vocabulary.beginnings(END_OF_LINE)]
        if not self._line:
            found.append(vocabulary.end)
        return np.array(sorted(set(found)) or [vocabulary.end], dtype=np.int64)

    def _following(self, begun: str, inside: bool) -> list[tuple[str, bool]]:
        """Return what stands behind each place of a name that was begun, and whether it may end."""
        found = []
        words = begun.rstrip()
        for text in self._texts:
            at = text.find(words) if inside else 0
            while 0 <= at < len(text):
                if (at == 0 or not text[at - 1].isalnum()) and text[at].isalnum():
                    whole = inside and _ends(text, at + len(words))
                    end = at + len(begun)
                    goes_on = text[end : end + LONGEST_TOKEN] if text.startswith(begun, at) else ""
                    found.append((goes_on, whole))
                at = text.find(words, at + 1) if inside else at + 1
        return found

    def _fields(self) -> tuple[str, ...]:
        head, *rest = (part.strip() for part in self._line.split(BAR))
        if len(rest) != 2:
            return ()
        return self._named(head), rest[0].lower(), self._named(rest[1])

    def _may_end(self) -> bool:
        fields = self._fields()
        tail = " ".join(self._line.split(BAR)[-1].lower().split())
        return (
            bool(fields)
            and all(fields)
            and fields[0] != fields[2]
            and fields not in self._written
            and any(_stands(tail, text) for text in self._texts)
        )


def _ends(text: str, end: int) -> bool:
    """Whether a name may end before the character at ``end``."""
    return text[end - 1] not in OPEN and (end == len(text) or not text[end].isalnum())


def _stands(name: str, text: str) -> bool:
    """Whether words of the text are the name, not only the beginning of one."""
    at = text.find(name) if name else -1
    while at >= 0:
        if _ends(text, at + len(name)):
            return True
        at = text.find(name, at + 1)
    return False


def _breaks(text: str) -> bool:
    return any(character < " " for character in text)


class HeldToLines:
    """Holds the rows of a batch to their lines: a LogitsProcessor of transformers."""

    def __init__(self, rows: Sequence[TripleLines], prompt: int) -> None:
        """``prompt``: tokens before what is written."""
        self._rows = rows
        self._taken = prompt
        self._over = [False] * len(rows)

    def __call__(self, input_ids: Any, scores: Any) -> Any:
        """Return the scores [B, V] with those of tokens that may not follow at −∞."""
        import torch

        length = input_ids.shape[1]
        held = torch.full_like(scores, float("-inf"))
        for row, lines in enumerate(self._rows):
            if length > self._taken and not self._over[row]:
                token = int(input_ids[row, -1])
                lines.take(token)
                self._over[row] = token == lines.end
            if self._over[row]:
                held[row] = scores[row]  # it is padded
            else:
                ids = torch.from_numpy(lines.allowed()).to(scores.device)
                held[row, ids] = scores[row, ids]
        self._taken = length
        return held

    def finish(self, written: Any) -> list[str]:
        """Return each row's lines, ``written`` [B, T] being all of its tokens."""
        for row, lines in enumerate(self._rows):
            if not self._over[row]:
                lines.take(int(written[row, -1]))
                lines.take(lines.end)  # a line that was not written to its end is none
        return ["\n".join(lines.lines) for lines in self._rows]
