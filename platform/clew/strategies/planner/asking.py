"""A planner that is a language model (RA-1): asked with few examples, held to a plan's form.

A model of this process is held to it token by token, one behind an endpoint by the schema that is
sent along. Source: RAS, figures 15 and 19 (appendices C.2 and E.1); the examples are ours.
"""

from collections.abc import Sequence
from typing import Any

from pydantic import BaseModel

from clew.resources.language_models import Role
from clew.results.evidence import EvidenceTriple, ScoredChunk
from clew.results.history import ASKED_CHARACTERS, Asked, history_text, plain
from clew.strategies.planner.planning import Action, Plan
from clew.strategies.planner.prompts import PLAN
from clew_models.errors import MalformedOutput
from clew_models.language_model import CUT_SHORT, LanguageModel, read_object

PLANNER = Role("planner", "planner_model", "or set planner_model to rules")
"""Who plans, where it is not the rules."""

NOTHING_ASKED = "(Nothing was asked so far.)"


def _schema(*actions: Action) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {
            "action": {"type": "string", "enum": [str(action) for action in actions]},
            "subquery": {"type": "string", "maxLength": ASKED_CHARACTERS},
        },
        "required": ["action", "subquery"],
        "additionalProperties": False,
    }


FIRST = _schema(Action.NO_RETRIEVAL, Action.SUBQ)
NEXT = _schema(Action.SUBQ, Action.SUFFICIENT)


class Reply(BaseModel):
    """What the model is asked for."""

    action: Action
    subquery: str = ""


class ModelPlanner:
    """Plans one question by a language model.

    ``graph_text``: it is shown what was found; ``may_skip``: it may say [NO_RETRIEVAL] at first.
    """

    triples: int | None = None

    def __init__(
        self,
        question: str,
        model: LanguageModel,
        *,
        max_tokens: int,
        graph_text: bool = True,
        may_skip: bool = False,
    ) -> None:
        self.name = model.name
        self._question = question
        self._model = model
        self._max_tokens = max_tokens
        self._graph_text = graph_text
        self._may_skip = may_skip

    def first(self) -> Plan:
        """Return the question; the model is asked only where it may skip it."""
        if not self._may_skip:
            return Plan(Action.SUBQ, self._question)
        plan = self._asked(NOTHING_ASKED, FIRST)
        if plan.action is Action.NO_RETRIEVAL:
            return plan
        return Plan(Action.SUBQ, self._question, plan.detail, plan.tokens)

    def next(
        self,
        rounds: Sequence[Asked],
        passages: Sequence[ScoredChunk],
        lines: Sequence[EvidenceTriple] = (),
    ) -> Plan:
        """Return what the model says is next."""
        return self._asked(history_text(rounds, graph=self._graph_text), NEXT)

    def _asked(self, history: str, schema: dict[str, Any]) -> Plan:
        completion = self._model.complete(
            PLAN.messages(history=history, question=" ".join(self._question.split())),
            max_tokens=self._max_tokens,
            json_schema=schema,
        )
        allowed = schema["properties"]["action"]["enum"]
        try:
            reply = read_object(completion.text, Reply)
            subquery = plain(reply.subquery, ASKED_CHARACTERS)
            if reply.action not in allowed or (reply.action is Action.SUBQ and not subquery):
                raise ValueError(reply.action)
        except ValueError as error:
            otherwise = "Use another model (llm_model), or set planner_model to rules."
            raise MalformedOutput(
                f"The language model {self.name!r} did not say what is next: "
                f"{completion.text[:200]!r}.",
                remedy=CUT_SHORT if completion.cut_off else otherwise,
            ) from error
        return Plan(
            reply.action,
            subquery if reply.action is Action.SUBQ else "",
            {"reply": completion.text},
            completion.prompt_tokens + completion.completion_tokens,
        )
