"""Which documents a question is asked of."""

from datetime import date
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, model_validator

Short = Annotated[str, Field(min_length=1, max_length=500)]


class AskedDocuments(BaseModel):
    """Limits a question to documents: those that fit every part that is given.

    A part with several values is fitted by one of them. Dates are in UTC, both included.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", str_strip_whitespace=True)

    names: tuple[Short, ...] = Field(
        (),
        max_length=100,
        description="Patterns (* and ? as in file names, in any case) of titles, addresses or "
        "their last parts; a file's name means its records too.",
    )
    ids: tuple[Short, ...] = Field((), max_length=1000, description="Ids of documents.")
    added_from: date | None = Field(None, description="First day on which they were added.")
    added_until: date | None = Field(None, description="Last day on which they were added.")
    metadata: dict[Short, str] = Field(
        default_factory=dict,
        max_length=20,
        description="Fields of records or front matter and their values, compared as text.",
    )

    @model_validator(mode="after")
    def _ordered(self) -> "AskedDocuments":
        if self.added_from and self.added_until and self.added_from > self.added_until:
            raise ValueError("the first day is after the last")
        return self

    def __bool__(self) -> bool:
        """Whether anything is asked for."""
        return any((self.names, self.ids, self.added_from, self.added_until, self.metadata))

    def __str__(self) -> str:
        parts = [" or ".join(map(repr, self.names))] if self.names else []
        if self.ids:
            parts.append(f"{len(self.ids)} ids" if len(self.ids) > 1 else f"id {self.ids[0]}")
        if self.added_from:
            parts.append(f"added from {self.added_from}")
        if self.added_until:
            parts.append(f"added until {self.added_until}")
        parts += [f"{key} = {value!r}" for key, value in self.metadata.items()]
        return ", ".join(parts)
