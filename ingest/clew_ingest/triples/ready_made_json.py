"""The items of a long JSON array, one at a time, without the whole file in memory."""

import json
from collections.abc import Iterator
from typing import Any, TextIO

BLOCK = 1 << 18
"""Characters read at a time."""

LONGEST_ITEM = 64 << 20
"""Characters of the longest item; what is longer is not searched for its end."""

_DECODER = json.JSONDecoder()
_BLANKS = " \t\r\n"


class RecordError(Exception):
    """The file is not what it should be; the message begins with the place in it."""


def array_items(file: TextIO, name: str) -> Iterator[Any]:
    """Yield the items of the array that a JSON file is, or of the array ``name`` of its object.

    Other members of the object are passed over. Raises RecordError.
    """
    reader = _Reader(file)
    if reader.next_is("["):
        yield from reader.items()
        return
    reader.expect("{", "this is neither a JSON object nor an array")
    found = False
    while not reader.next_is("}"):
        member = reader.value("the name of a member")
        reader.expect(":", f"after {member!r} there is no colon")
        if member == name and reader.next_is("["):
            found = True
            yield from reader.items()
        else:
            reader.value(f"the value of {member!r}")
        if not reader.next_is(","):
            reader.expect("}", f"after the value of {member!r} there is no comma")
            break
    if not found:
        raise RecordError(f'record 1: the object has no array "{name}".')


class _Reader:
    """A window over a JSON text, which moves on as values are taken from it."""

    def __init__(self, file: TextIO) -> None:
        self._file = file
        self._window = ""
        self._at = 0
        self._ended = False

    def items(self) -> Iterator[Any]:
        """Yield the items of an array whose bracket is behind."""
        count = 0
        if self.next_is("]"):
            return
        while True:
            count += 1
            yield self.value(f"record {count}")
            if self.next_is("]"):
                return
            self.expect(",", f"record {count}: after it there is no comma")

    def next_is(self, character: str) -> bool:
        """Step over ``character`` where it comes next, and say whether it did."""
        while True:
            while self._at < len(self._window) and self._window[self._at] in _BLANKS:
                self._at += 1
            if self._at < len(self._window):
                break
            if not self._more():
                return False
        if self._window[self._at] != character:
            return False
        self._at += 1
        return True

    def expect(self, character: str, otherwise: str) -> None:
        """Step over ``character``, which must come next."""
        if not self.next_is(character):
            raise RecordError(f"{otherwise}{' (the file ends)' if self._ended else ''}.")

    def value(self, what: str) -> Any:
        """Return the next value, of any kind."""
        self.next_is("")  # blanks, and a window that is not empty
        while True:
            try:
                value, end = _DECODER.raw_decode(self._window, self._at)
                # near the window's end a number may go on behind it: "1e-" and then "5"
                if end + 3 <= len(self._window) or not self._more():
                    self._at = end
                    return value
            except RecursionError as error:
                raise RecordError(f"{what}: it is nested too deeply.") from error
            except ValueError as error:
                if len(self._window) - self._at > LONGEST_ITEM or not self._more():
                    raise RecordError(f"{what}: this is not valid JSON ({error}).") from error

    def _more(self) -> bool:
        # as much again as there is, so that a long item is not decoded once a block
        block = self._file.read(max(BLOCK, len(self._window) - self._at))
        if not block:
            self._ended = True
            return False
        self._window = self._window[self._at :] + block
        self._at = 0
        return True
