"""A language model behind HTTP that plans, and answers from a graph, by a script."""

import json
import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from ..scripted_llm import USAGE, ChatEndpoint, ChatHandler, head

LINE = re.compile(r"\[SUBQ\] .+|Retrieved Graph Information: .+")


class Shown(NamedTuple):
    """What the model was shown: the question, the sub-queries, and what each of them found."""

    question: str
    asked: list[str]
    found: list[str]


class StreamingHandler(ChatHandler):
    """Streams the reply where that is asked for."""

    def answer(self, body: dict[str, Any]) -> None:
        if not body.get("stream"):
            super().answer(body)
            return
        delta = {"index": 0, "delta": {"content": self.server.reply(body)}, "finish_reason": None}
        events = (
            {**head("chat.completion.chunk"), "choices": [delta]},
            {**head("chat.completion.chunk"), "choices": [], "usage": USAGE},
        )
        lines = "".join(f"data: {json.dumps(event)}\n\n" for event in events)
        self.send_body(200, f"{lines}data: [DONE]\n\n".encode(), "text/event-stream")


class PlanEndpoint(ChatEndpoint):
    """Replies for each question with its ``plans`` in turn, and then [SUFFICIENT].

    A plan is a sub-query, or a whole reply where it begins with "{". ``answers``: for a question,
    the reply of the answerer.
    """

    def __init__(self) -> None:
        super().__init__(StreamingHandler)
        self.plans: dict[str, Sequence[str]] = {}
        self.answers: dict[str, str] = {}

    def reply(self, body: dict[str, Any]) -> str:
        shown = shown_in(body)
        if body["messages"][0]["content"].startswith("You are an answerer"):
            return self.answers[shown.question]
        plans = self.plans.get(shown.question, ())
        place = max(len(shown.asked) - 1, 0)
        if place >= len(plans):
            return plan("[SUFFICIENT]")
        return plans[place] if plans[place].startswith("{") else plan("[SUBQ]", plans[place])

    def shown(self) -> list[Shown]:
        """What it was shown, each time it was asked."""
        return [shown_in(asked.body) for asked in self.asked]


def plan(action: str, subquery: str = "") -> str:
    """A reply of the form that is asked for."""
    return json.dumps({"action": action, "subquery": subquery})


def shown_in(body: dict[str, Any]) -> Shown:
    """Return what a request shows; every line has to be one that the history is made of."""
    *lines, last = body["messages"][-1]["content"].splitlines()
    if lines != ["(Nothing was asked so far.)"]:
        assert all(LINE.fullmatch(line) for line in lines), lines
    return Shown(
        question=last.removeprefix("Question: "),
        asked=[line.removeprefix("[SUBQ] ") for line in lines if line.startswith("[SUBQ]")],
        found=[line.split(": ", 1)[1] for line in lines if line.startswith("Retrieved")],
    )
