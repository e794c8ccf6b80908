"""OpenAI's API, tried with OpenAI's own client against a server."""

import json
from collections.abc import Iterator
from typing import Any

import openai
import pytest

from clew.errors import InvalidRequest, WorkerUnavailable
from clew.results.evidence import NameSuggestion
from clew.settings import Settings
from clew_cypher.errors import UnknownCorpus
from clew_web.app import create_app
from clew_web.errors import event_error

ASKED: Any = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Who?"}]
TOKEN = "a-token-that-nobody-guesses"


@pytest.fixture
def opened() -> Iterator[list[openai.OpenAI]]:
    clients: list[openai.OpenAI] = []
    yield clients
    for client in clients:
        client.close()


@pytest.fixture
def gpt(app: Any, serve: Any, opened: list[openai.OpenAI]) -> openai.OpenAI:
    client = openai.OpenAI(base_url=f"{serve(app)}/v1", api_key="unused", max_retries=0)
    opened.append(client)
    return client


def test_models_are_strategies_over_corpora(gpt: openai.OpenAI) -> None:
    names = [model.id for model in gpt.models.list()]
    assert {"chain-ranking@sample", "dense@default"} <= set(names)
    assert gpt.models.retrieve("dense@sample").id == "dense@sample"
    for name in ("dense@nowhere", "nothing@sample"):
        with pytest.raises(openai.NotFoundError) as caught:
            gpt.models.retrieve(name)
        assert caught.value.code == "model_not_found"
        assert caught.value.param == "model"


def test_a_question_is_answered_with_citations(gpt: openai.OpenAI, questions: Any) -> None:
    content = [{"type": "text", "text": "Who founded it?"}]
    messages: Any = [
        *ASKED,
        {"role": "assistant", "content": "?"},
        {"role": "user", "content": content},
    ]
    done = gpt.chat.completions.create(
        model="dense@sample",
        messages=messages,
        temperature=0,
    )
    (asked,) = questions.asked
    assert (asked.question, asked.strategy, asked.corpus) == ("Who founded it?", "dense", "sample")
    assert [(turn.question, turn.answer) for turn in asked.history] == [(ASKED[-1]["content"], "?")]
    (choice,) = done.choices
    text = choice.message.content or ""
    assert (choice.finish_reason, done.model) == ("stop", "dense@sample")
    assert done.citations[0]["quote"]  # type: ignore[attr-defined]
    assert done.clew["supported"] is True  # type: ignore[attr-defined]
    annotations = choice.message.annotations or []
    assert annotations
    for annotation in annotations:
        cited = annotation.url_citation
        assert text[cited.start_index : cited.end_index].startswith("[")
        assert cited.url.startswith("http://127.0.0.1")


def said(gpt: openai.OpenAI, question: str) -> str:
    messages: Any = [{"role": "user", "content": question}]
    done = gpt.chat.completions.create(model="dense@sample", messages=messages)
    return done.choices[0].message.content or ""


def test_the_text_itself_says_how_sure_it_is(
    gpt: openai.OpenAI, questions: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert said(gpt, "Who founded it?").endswith(" [2].\n\nConfidence: 90%")
    # as a language model words an answer that it found no passage for
    assert said(gpt, "Did he marry?").endswith("\n\nThe evidence does not say.")
    answer = questions.answer

    def of_nothing(question: Any) -> Any:
        found = answer(question)
        nothing = {"chunks": (), "paths": (), "notices": ("The corpus holds no text.",)}
        evidence = found.evidence.model_copy(update=nothing)
        return found.model_copy(update={"evidence": evidence, "text": "The evidence does not say."})

    monkeypatch.setattr(questions, "answer", of_nothing)
    nothing = "The evidence does not say.\n\nThe corpus holds no text."
    assert said(gpt, "Nothing?") == nothing

    def of_another_name(question: Any) -> Any:
        found = answer(question)
        meant = NameSuggestion(
            asked="Aurelja", name="Aurelia", entity_id="e1", question="Who?", followed=True
        )
        evidence = found.evidence.model_copy(update={"suggestions": (meant,)})
        return found.model_copy(update={"evidence": evidence})

    monkeypatch.setattr(questions, "answer", of_another_name)
    assert "The evidence is for that name." in said(gpt, "Who built the Aurelja?")


def test_what_was_said_before_may_be_whatever_clients_send(client: Any, questions: Any) -> None:
    call = {"id": "call_1", "type": "function", "function": {"name": "look", "arguments": "{}"}}
    picture = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}
    before = [
        {"role": "developer", "content": [{"type": "text", "text": "Be brief."}]},
        {"role": "user", "name": "ada", "content": "Who built it?"},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {
            "role": "tool",
            "tool_call_id": "call_1",
            "content": [{"type": "text", "text": "a\u0007"}],
        },
        {"role": "function", "name": "look", "content": None},
        {"role": "assistant", "content": [{"type": "text", "text": "Seld\u001b Shipyard"}]},
        {"role": "user", "content": [{"type": "text", "text": "And this?"}, picture]},
        {"role": "assistant", "content": [{"type": "refusal", "refusal": "I cannot."}]},
        {"role": "user", "content": [picture]},
        {"role": "assistant", "content": "A ship."},
        {"role": "user", "content": ""},
        {"role": "assistant", "tool_calls": [call]},
        {"role": "user", "content": "Who founded it?", "name": "ada"},
    ]
    answered = client.post(
        "/v1/chat/completions", json={"model": "dense@sample", "messages": before}
    )
    assert answered.status_code == 200, answered.text
    assert [(turn.question, turn.answer) for turn in questions.asked[0].history] == [
        ("Who built it?", "Seld  Shipyard"),
        ("And this?", ""),
    ]


def test_a_stream_tells_the_same(gpt: openai.OpenAI, questions: Any) -> None:
    whole = gpt.chat.completions.create(model="dense@sample", messages=ASKED)
    chunks = list(
        gpt.chat.completions.create(
            model="dense@sample",
            messages=ASKED,
            stream=True,
            stream_options={"include_usage": True},
        )
    )
    text = "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices)
    assert text == whole.choices[0].message.content
    assert len({chunk.id for chunk in chunks}) == 1
    end = chunks[-2]
    assert end.choices[0].finish_reason == "stop"
    assert end.citations == whole.citations  # type: ignore[attr-defined]
    assert chunks[-1].usage == whole.usage
    assert questions.closed == 1  # the stream's iterator was closed


def test_what_may_be_null_is_taken_as_left_out(client: Any) -> None:
    asked = {"model": "dense@sample", "messages": ASKED}
    whole = client.post("/v1/chat/completions", json={**asked, "stream": None})
    assert (whole.status_code, whole.mimetype) == (200, "application/json")
    nothing = {"stream": True, "stream_options": {"include_usage": None}}
    stream = client.post("/v1/chat/completions", json={**asked, **nothing})
    assert "[DONE]" in stream.text
    assert "total_tokens" not in stream.text


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"messages": []}, "messages"),
        ({"messages": [{"role": "system", "content": "Be brief."}]}, "user"),
        (
            {"messages": [{"role": "user", "content": [{"type": "image_url"}]}]},
            "0.content.*no text",
        ),
        ({"messages": [*ASKED, {"role": "user", "content": " "}]}, "2.content.*empty"),
        ({"messages": [*ASKED, {"role": "user", "content": None}]}, "2.content.*empty"),
        ({"messages": [*ASKED, {"role": "user", "content": "Who\u0007?"}]}, "control"),
        ({"n": 2}, "n:"),
        ({"tools": [{"type": "function", "function": {"name": "f"}}]}, "tools"),
    ],
)
def test_what_cannot_be_done_is_said_in_openais_shape(
    gpt: openai.OpenAI, changes: Any, said: str
) -> None:
    with pytest.raises(openai.UnprocessableEntityError, match=said) as caught:
        gpt.chat.completions.create(**{"model": "dense@sample", "messages": ASKED, **changes})
    assert caught.value.type == "invalid_request_error"


def test_an_unknown_strategy_and_no_worker_are_told(gpt: openai.OpenAI, questions: Any) -> None:
    with pytest.raises(openai.NotFoundError, match="nothing"):
        gpt.chat.completions.create(model="nothing@sample", messages=ASKED)
    questions.error = WorkerUnavailable("No worker answers.", remedy="Start one.")
    for stream in (False, True):
        with pytest.raises(openai.InternalServerError, match=r"No worker answers\. Start one\."):
            gpt.chat.completions.create(model="dense@sample", messages=ASKED, stream=stream)


def test_an_error_midway_ends_the_stream_with_its_reason(
    gpt: openai.OpenAI, questions: Any
) -> None:
    def broken() -> None:
        raise WorkerUnavailable("The worker died.", remedy="Ask again.")

    questions.pause = broken
    stream = gpt.chat.completions.create(model="dense@sample", messages=ASKED, stream=True)
    with pytest.raises(openai.APIError, match="The worker died"):
        list(stream)


def test_what_is_refused_at_once_has_a_status_in_a_stream_too(
    gpt: openai.OpenAI, questions: Any
) -> None:
    questions.early = [("error", event_error(UnknownCorpus("There is none.")))]
    for _ in range(8):  # more than can be answered at once
        with pytest.raises(openai.NotFoundError) as caught:
            gpt.chat.completions.create(model="dense@sample", messages=ASKED, stream=True)
    assert caught.value.code == "model_not_found"


@pytest.mark.parametrize(
    ("error", "kind", "code"),
    [
        (UnknownCorpus("There is none."), "invalid_request_error", "model_not_found"),
        (InvalidRequest("Too long."), "invalid_request_error", "invalid_request"),
        (WorkerUnavailable("It died."), "server_error", "worker_unavailable"),
        (RuntimeError("a password"), "server_error", "internal_error"),
    ],
)
@pytest.mark.parametrize("raised", [True, False])
def test_an_error_in_a_stream_is_its_last_event(
    client: Any, questions: Any, error: Any, kind: str, code: str, raised: bool
) -> None:
    def broken() -> None:
        raise error

    if raised:
        questions.pause = broken
    else:  # by the worker
        questions.early = [("progress", {"text": "Loading"}), ("error", event_error(error))]
    asked = {"model": "dense@sample", "messages": ASKED, "stream": True}
    *_, last = client.post("/v1/chat/completions", json=asked).text.strip().split("\n\n")
    told = json.loads(last.removeprefix("data: "))["error"]
    assert (told["type"], told["code"]) == (kind, code)
    assert set(told) == {"message", "type", "param", "code"}
    assert "password" not in told["message"]


def test_what_is_not_there_is_told_in_openais_shape(client: Any) -> None:
    asked = [("GET", "/v1"), ("GET", "/v1/nothing"), ("POST", "/v1/embeddings")]
    for accept in ("application/json", "*/*", "text/html"):
        for method, path in [*asked, ("GET", "/v1/chat/completions"), ("DELETE", "/v1/models")]:
            answer = client.open(path, method=method, headers={"Accept": accept})
            assert answer.status_code in (404, 405), path
            told = answer.json["error"]
            assert set(told) == {"message", "type", "param", "code"}
            assert told["type"] == "invalid_request_error"


def test_the_same_access_rules_hold(
    clew: Any, questions: Any, serve: Any, tmp_path: Any, opened: list[openai.OpenAI]
) -> None:
    settings = Settings(home=tmp_path, corpus="default", access_token=TOKEN)
    address = serve(create_app(clew, settings, questions))
    stranger = openai.OpenAI(base_url=f"{address}/v1", api_key="guess", max_retries=0)
    known = openai.OpenAI(base_url=f"{address}/v1", api_key=TOKEN, max_retries=0)
    opened += [stranger, known]
    with pytest.raises(openai.AuthenticationError) as caught:
        stranger.models.list()
    assert caught.value.type == "authentication_error"
    assert known.models.list().data
