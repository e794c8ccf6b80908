"""Reads one string out of a JSON object while the object is still being written."""

import json
import re


class StringField:
    """The value of one string property, piece by piece; escapes are undone."""

    def __init__(self, name: str) -> None:
        self._start = re.compile(rf'"{re.escape(name)}"\s*:\s*"')
        self._text = ""
        self._at: int | None = None
        self._done = False

    def feed(self, piece: str) -> str:
        """Take the next piece of the object; return what it adds to the value."""
        self._text += piece
        if self._done:
            return ""
        if self._at is None:
            found = self._start.search(self._text)
            if found is None:
                return ""
            self._at = found.end()
        end = self._at
        while end < len(self._text) and self._text[end] != '"':
            if self._text[end] == "\\":
                length = 6 if self._text[end + 1 : end + 2] == "u" else 2
                if self._is_high(end):
                    length = 12
                if end + length > len(self._text):
                    break
                end += length
            else:
                end += 1
        raw = self._text[self._at : end]
        self._done = end < len(self._text) and self._text[end] == '"'
        self._at = end
        try:
            return str(json.loads(f'"{raw}"', strict=False))
        except json.JSONDecodeError:
            return raw

    def _is_high(self, at: int) -> bool:
        """Half of a surrogate pair: the other escape belongs to it."""
        digits = self._text[at + 2 : at + 6].casefold()
        return self._text[at + 1 : at + 2] == "u" and "d800" <= digits <= "dbff"
