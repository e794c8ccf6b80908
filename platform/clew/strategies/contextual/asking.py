"""What a language model is asked (KC-4, KC-7): which triples are relevant, and what they say."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from pydantic import BaseModel

from clew.resources.language_models import Role
from clew.strategies.contextual.prompts import CONTEXT, FILTER
from clew.strategies.retrieval import Retrieval, Row
from clew_models.language_model import CUT_SHORT, Message, read_object

if TYPE_CHECKING:
    from clew_models.language_model import LanguageModel

WRITER = Role("contextual", "contextual_model", "or set contextual_model to none")
"""Who filters triples and writes the context."""


class Relevant(BaseModel):
    """The numbers (from 1) of the triples that are relevant."""

    relevant: list[int]


class Told(BaseModel):
    """A sentence of the context, and the numbers (from 1) of the triples that it stands on."""

    text: str
    facts: list[int]


class Context(BaseModel):
    """The context, sentence by sentence."""

    sentences: list[Told]


Reply = TypeVar("Reply", bound=BaseModel)


def _object(**properties: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _list(items: dict[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": items}


NUMBERS = _list({"type": "integer"})
SENTENCE = _object(text={"type": "string"}, facts=NUMBERS)
SCHEMAS: dict[type[BaseModel], dict[str, Any]] = {
    Relevant: _object(relevant=NUMBERS),
    Context: _object(sentences=_list(SENTENCE)),
}
"""As endpoints take them: without references."""


def relevant(retrieval: Retrieval, model: "LanguageModel", near: Sequence[Row]) -> list[Row]:
    """Return the triples that the model calls relevant; all, with a notice, where its reply names
    none of them.
    """
    reply = _asked(retrieval, model, FILTER.messages(**_inputs(retrieval, near)), Relevant)
    chosen = set(reply.relevant) if reply else set[int]()
    kept = [row for number, row in enumerate(near, start=1) if number in chosen]
    if not kept:
        retrieval.notice(
            f"The language model {model.name!r} did not say which triples are relevant: all of "
            "them were kept."
        )
    return kept or list(near)


def told(
    retrieval: Retrieval, model: "LanguageModel", triples: Sequence[Row]
) -> list[tuple[str, list[Row]]] | None:
    """Return the sentences of the context, each with its triples; None, with a notice, where the
    model wrote none.
    """
    reply = _asked(retrieval, model, CONTEXT.messages(**_inputs(retrieval, triples)), Context)
    found = [
        (
            one.text.strip(),
            [triples[n - 1] for n in dict.fromkeys(one.facts) if 0 < n <= len(triples)],
        )
        for one in (reply.sentences if reply else [])
        if one.text.strip()
    ]
    if not found:
        retrieval.notice(
            f"The language model {model.name!r} wrote no context: what the triples say was taken "
            "as it stands."
        )
    return found or None


def triple_words(row: Row) -> str:
    """Return a triple in words."""
    return f"{row['head']} → {row['predicate']} → {row['tail']}"


def _inputs(retrieval: Retrieval, triples: Sequence[Row]) -> dict[str, str]:
    lines = [
        f"[{number}] {triple_words(row)}\n{row['ttr']}" for number, row in enumerate(triples, 1)
    ]
    return {"triples": "\n\n".join(lines), "question": retrieval.question}


def _asked(
    retrieval: Retrieval, model: "LanguageModel", messages: Sequence[Message], kind: type[Reply]
) -> Reply | None:
    """Return the reply; None where it is not of the kind that was asked for, with a notice where it
    was cut short.
    """
    tokens = retrieval.resources.settings.llm_max_tokens
    completion = model.complete(messages, max_tokens=tokens, json_schema=SCHEMAS[kind])
    try:
        return read_object(completion.text, kind)
    except ValueError:
        if completion.cut_off:
            retrieval.notice(CUT_SHORT)
        return None
