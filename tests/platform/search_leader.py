"""A language model behind HTTP that leads searches by a script."""

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from ..scripted_llm import ChatEndpoint

PREFIX = "Some facts are stated, some are not. So the next search query is: "
IMAGINE = re.compile(r"Question: (.*)\n\nPassage:", re.DOTALL)


class Shown(NamedTuple):
    """What the model was shown: the question, the queries used so far, the passages' titles."""

    question: str
    used: list[str]
    titles: list[str]


class SearchLeader(ChatEndpoint):
    """Names for each question the queries of ``plans`` in turn, and then None.

    ``replies``: for a question, whole texts that are sent in place of that.
    """

    def __init__(self) -> None:
        super().__init__()
        self.plans: dict[str, Sequence[str]] = {}
        self.replies: dict[str, Sequence[str]] = {}

    def reply(self, body: dict[str, Any]) -> str:
        question = IMAGINE.fullmatch(body["messages"][-1]["content"])
        if question:  # asked by hyde for a passage
            return f"This passage is about: {question[1]}"
        shown = shown_in(body)
        place = len(shown.used) - 1
        if shown.question in self.replies:
            return self.replies[shown.question][place]
        queries = [*self.plans.get(shown.question, ()), "None"]
        return PREFIX + queries[place]

    def shown(self, question: str) -> list[Shown]:
        """What it was shown for a question, each time it was asked."""
        every = [shown_in(asked.body) for asked in self.asked]
        return [shown for shown in every if shown.question == question]


def shown_in(body: dict[str, Any]) -> Shown:
    """Return what a request shows to the model."""
    text = body["messages"][-1]["content"]
    rest = text.split("End of the passages.", 1)[1]
    return Shown(
        question=re.search(r"^Question: (.*)$", rest, re.M)[1],  # type: ignore[index]
        used=re.findall(r"^- (.*)$", rest, re.M),
        titles=re.findall(r"^\[\d+\] (.*)$", text, re.M),
    )
