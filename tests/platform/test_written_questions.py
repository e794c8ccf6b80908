"""Questions of a training that an endpoint words: what is refused or empty costs that question."""

from pathlib import Path
from typing import Any

from clew.resources.resources import Resources
from clew.settings import Settings
from clew.strategies.graph_network.examples import WRITER
from clew.strategies.graph_network.prompts import CHAIN
from clew.strategies.learning.training import TrainingRun
from clew.strategies.learning.written_questions import Asked, write_questions

from ..scripted_llm import ChatEndpoint, serving

WORDED = "Where was Ada born?"
REPLIES = {
    "plain": WORDED,
    "thoughtful": f"<think>Which name?</think>\n{WORDED}",
    "lost": "<think>Which name?",
    "empty": "",
}


class Writer(ChatEndpoint):
    """Replies by the word it is asked about, and refuses what it has no reply for."""

    def word(self, body: dict[str, Any]) -> str:
        content = body["messages"][-1]["content"]
        return next((word for word in REPLIES if word in content), "")

    def status(self, body: dict[str, Any]) -> int:
        return 200 if self.word(body) else 400

    def reply(self, body: dict[str, Any]) -> str:
        return REPLIES[self.word(body)]


def test_what_is_refused_or_empty_is_no_question_and_is_not_kept(tmp_path: Path) -> None:
    words = ["refused", "plain", "empty", "thoughtful", "lost"]
    asked = [Asked(dict.fromkeys(CHAIN.inputs, word), ["Oslo"], [word]) for word in words]
    with serving(Writer()) as writer:
        settings = Settings(
            home=tmp_path, llm_model="scripted", llm_base_url=writer.url, llm_retries=0
        )
        with Resources(settings) as resources:
            run = TrainingRun(resources, "c", tmp_path, None)
            questions, figures = write_questions(run, WRITER, CHAIN, asked)
            assert questions == [None, WORDED, None, WORDED, None]
            assert (figures["written"], figures["could_not_be_used"], figures["calls"]) == (2, 3, 5)
            again, figures = write_questions(run, WRITER, CHAIN, asked)
    assert again == questions
    assert figures["calls"] == 3
    assert [writer.word(one.body) for one in writer.asked[5:]] == ["", "empty", "lost"]
