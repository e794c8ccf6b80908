"""What every language model does, whether it runs here or behind an endpoint."""

from collections.abc import Generator, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol


@dataclass(frozen=True)
class Message:
    """One turn of a conversation."""

    role: Literal["system", "user", "assistant"]
    content: str


@dataclass(frozen=True)
class Completion:
    """A finished text, of whole characters, with the tokens it cost. ``cut_off``: it ends where
    ``max_tokens`` did.
    """

    text: str
    prompt_tokens: int
    completion_tokens: int
    cut_off: bool = False


class LanguageModel(Protocol):
    """Writes a text that continues a conversation."""

    name: str

    def complete(
        self,
        messages: Sequence[Message],
        *,
        max_tokens: int = 256,
        temperature: float = 0.0,
        json_schema: dict[str, Any] | None = None,
    ) -> Completion:
        """Return the whole text. ``json_schema``: hold the output to it where the model can.

        Raises LanguageModelUnavailable when the model cannot be reached or refuses, as
        PromptRefused where another prompt may go through.
        """
        ...

    def stream(
        self,
        messages: Sequence[Message],
        *,
        max_tokens: int = 256,
        temperature: float = 0.0,
        json_schema: dict[str, Any] | None = None,
    ) -> Generator[str, None, Completion]:
        """Yield the text piece by piece, as it is written; return (``yield from``) the whole."""
        ...
