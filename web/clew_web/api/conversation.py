"""What a conversation in OpenAI's shape asks: its last user message, behind the turns before it.

The question must be text. What came before is taken as it is: clients send again what they were
told once, with calls of tools, pictures and empty messages; its text is read, the rest is left out.
"""

from collections.abc import Sequence
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from clew.errors import InvalidRequest
from clew.results.evidence import LONGEST_ANSWER, LONGEST_QUESTION, MOST_TURNS, Turn

CONTROLS = {code: " " for code in (*range(32), *range(127, 160)) if chr(code) not in "\t\n\r"}


class Message(BaseModel):
    """A message of the conversation."""

    model_config = ConfigDict(extra="ignore")

    role: Literal["system", "developer", "user", "assistant", "tool", "function"]
    content: str | list[Any] | None = Field(
        None, description="Text, or parts of which those of the type text are read."
    )

    @property
    def text(self) -> str:
        """The text of the message, without what is no text."""
        if isinstance(self.content, str):
            return self.content
        return "\n".join(part["text"] for part in self.content or () if _is_text(part))


def asked_in(messages: Sequence[Message]) -> tuple[str, list[Turn]]:
    """Return the last user message, and the questions before it with their answers.

    Raises InvalidRequest where no message is the user's, or the last of them is no text.
    """
    last = max((at for at, one in enumerate(messages) if one.role == "user"), default=None)
    if last is None:
        raise InvalidRequest("No message is the user's.", remedy="Send one of the role user.")
    return _question(messages[last], last), _turns(messages[:last])


def _question(message: Message, place: int) -> str:
    where = f"messages.{place}.content"
    if isinstance(message.content, list) and not all(map(_is_text, message.content)):
        raise InvalidRequest(
            f"{where}: the question has a part that is no text.",
            remedy='Send the last message of the user as text, or as parts of the type "text".',
        )
    if not message.text.strip():
        raise InvalidRequest(
            f"{where}: the last message of the user is empty.", remedy="Ask in words."
        )
    return message.text


def _turns(messages: Sequence[Message]) -> list[Turn]:
    """Return the last turns; an answer to what is no text has no question, and is left out."""
    turns: list[Turn] = []
    answered = False
    for message in messages:
        text = message.text.translate(CONTROLS)
        if message.role == "user":
            answered = bool(text.strip())
            if answered:
                turns.append(Turn(question=text[:LONGEST_QUESTION]))
        elif message.role == "assistant" and text.strip() and answered:
            turns[-1] = Turn(question=turns[-1].question, answer=text[:LONGEST_ANSWER])
    return turns[-MOST_TURNS:]


def _is_text(part: Any) -> bool:
    if not isinstance(part, dict) or part.get("type") != "text":
        return False
    return isinstance(part.get("text"), str)
