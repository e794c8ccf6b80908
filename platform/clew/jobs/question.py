"""A question as the web server and the CLI hand it to a worker."""

import unicodedata

from pydantic import BaseModel, ConfigDict, Field, field_validator

from clew.errors import InvalidRequest
from clew.settings import Settings

NAME_LENGTH = 200
ALLOWED_CONTROLS = "\t\n\r"


class Question(BaseModel):
    """What is asked, where and how; None: as the worker's settings say.

    ``answer`` False: evidence only.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", str_strip_whitespace=True)

    question: str = Field(min_length=1, description="The question, in words.")
    corpus: str = Field(min_length=1, max_length=NAME_LENGTH, description="Corpus to search in.")
    strategy: str | None = Field(
        None, min_length=1, max_length=NAME_LENGTH, description="How evidence is found."
    )
    k: int | None = Field(None, ge=1, le=100, description="Chunks of evidence at most.")
    reader: str | None = Field(
        None, min_length=1, max_length=NAME_LENGTH, description="Who writes the answer."
    )
    answer: bool = Field(True, description="Whether to answer, or only to find evidence.")

    @field_validator("question", "corpus", "strategy", "reader")
    @classmethod
    def _printable(cls, value: str | None) -> str | None:
        if value is None:
            return None
        for character in value:
            category = unicodedata.category(character)
            if category in ("Cc", "Cs") and character not in ALLOWED_CONTROLS:
                raise ValueError(f"the control character U+{ord(character):04X} is not allowed")
        if not any(character.isalnum() for character in value):
            raise ValueError("there is no letter or digit in it")
        return value

    def check(self, settings: Settings) -> None:
        """Raise InvalidRequest if the question is longer than the settings allow."""
        size = len(self.question.encode())
        if size > settings.question_limit_bytes:
            raise InvalidRequest(
                f"The question has {size} bytes, over {settings.question_limit_bytes}.",
                remedy="Ask a shorter question; long texts belong into documents.",
            )
