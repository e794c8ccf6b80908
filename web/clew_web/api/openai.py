"""OpenAI's API over Clew: POST /v1/chat/completions, GET /v1/models and /v1/models/{model}.

A model's name is a strategy and a corpus, ``STRATEGY@CORPUS``; without a corpus the default
one is meant. The last user message is the question, which may lean on the questions and answers
before it ("When was she born?"). Other messages are not used, and neither are options that tell a
language model how to write (``temperature`` and the like). An answer's text ends with a line that
says how sure it is. Its marks ``[1]`` are annotations (``url_citation``), and ``citations`` and
``clew`` say what OpenAI's shape has no place for. Every error has OpenAI's shape, in a stream as
its last event.
"""

import json
import re
import secrets
import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, Literal

from flask import Response, request, url_for
from flask_openapi3 import APIBlueprint, Tag
from pydantic import BaseModel, ConfigDict, Field

from clew.answering.sureness import foot
from clew.results.evidence import Answer, Citation
from clew.strategies.catalogue import STRATEGIES
from clew_web.api.conversation import Message, asked_in
from clew_web.api.models import Name, Request
from clew_web.api.responses import BEAT, SECURITY, Events, reply, stream
from clew_web.backend import backend
from clew_web.errors import event_error, is_below
from clew_web.policy import Corpora, allows

MARK = re.compile(r"\[(\d+)\]")
UNKNOWN = ("unknown_strategy", "unknown_corpus")


class OpenAiErrorBody(BaseModel):
    """What went wrong, in OpenAI's words."""

    message: str
    type: str
    param: str | None
    code: str


class OpenAiError(BaseModel):
    """OpenAI's shape of an error."""

    error: OpenAiErrorBody


api = APIBlueprint(
    "openai",
    __name__,
    url_prefix="/v1",
    abp_tags=[Tag(name="OpenAI", description="For clients of OpenAI's API.")],
    abp_security=SECURITY,
)


class StreamOptions(BaseModel):
    """What else a stream tells."""

    model_config = ConfigDict(extra="ignore")

    include_usage: bool | None = False


class Completion(BaseModel):
    """A conversation whose last user message is the question."""

    model_config = ConfigDict(extra="ignore")

    model: Name = Field(description="Strategy and corpus: STRATEGY@CORPUS; GET /v1/models.")
    messages: list[Message] = Field(min_length=1, max_length=2000)
    stream: bool | None = False
    stream_options: StreamOptions | None = None
    n: int | None = Field(None, ge=1, le=1, description="One answer.")
    tools: list[Any] | None = Field(None, max_length=0, description="None can be called.")


class ModelPath(Request):
    """A model in the address."""

    model: Name = Field(description="Its name.")


class ChatModel(BaseModel):
    """A strategy over a corpus; ``created`` is 0: a corpus does not keep when it was made."""

    id: str
    object: Literal["model"] = "model"
    created: int = 0
    owned_by: str = "clew"


class ChatModelList(BaseModel):
    """Every strategy over every corpus."""

    object: Literal["list"] = "list"
    data: list[ChatModel]


class ChatCompletion(BaseModel):
    """An answer in OpenAI's shape."""

    model_config = ConfigDict(extra="allow")

    id: str
    object: Literal["chat.completion"] = "chat.completion"
    created: int
    model: str
    choices: list[dict[str, Any]]
    usage: dict[str, int]
    citations: list[Citation]
    clew: dict[str, Any]


@api.after_app_request
def in_openais_shape(response: Response) -> Response:
    """Put an error below /v1, whoever made it, into OpenAI's shape."""
    if not is_below(request.path, "/v1"):
        return response
    if response.status_code < 400 or not response.is_json:
        return response
    told = (response.get_json() or {}).get("error", {})
    response.set_data(json.dumps(_error(told, response.status_code)))
    if told.get("code") in UNKNOWN:
        response.status_code = 404
    if response.status_code == 504:
        response.headers["X-Should-Retry"] = "false"  # OpenAI's clients would, at once
    return response


@api.get("/models", summary="Strategies over corpora, as models", responses={"200": ChatModelList})
@allows("reader", Corpora.FILTERED)
def list_models() -> Response:
    """A model for every strategy and corpus."""
    corpora = [info.name for info in backend().clew.corpora()]
    names = [f"{spec.name}@{corpus}" for corpus in corpora for spec in STRATEGIES]
    return reply(ChatModelList(data=[ChatModel(id=name) for name in names]))


@api.get("/models/<path:model>", summary="One model", responses={"200": ChatModel})
@allows("reader", Corpora.CHECKED)
def get_model(path: ModelPath) -> Response:
    """A strategy over a corpus."""
    from clew.strategies.catalogue import spec_of

    strategy, corpus = _named(path.model)
    spec_of(strategy)
    backend().clew.stats(corpus)
    return reply(ChatModel(id=path.model))


@api.post(
    "/chat/completions",
    summary="Ask a question, as of a chat model",
    responses={"200": ChatCompletion},
)
@allows("reader", Corpora.CHECKED)
def complete(body: Completion) -> Response:
    """The answer with its citations; with `stream`, as server-sent events, the last `[DONE]`."""
    service = backend()
    strategy, corpus = _named(body.model)
    asked, history = asked_in(body.messages)
    question = service.question(asked, corpus, strategy, None, None, history)
    shape = _Shape(body.model, _address_of_document(service.corpus(corpus)))
    if not body.stream:
        with service.slot():
            return reply(shape.whole(service.questions.ask(service.settings, question)))
    usage = bool(body.stream_options and body.stream_options.include_usage)
    return stream(question, partial(shape.lines, usage=usage))


def _named(model: str) -> tuple[str, str | None]:
    """Return the strategy and the corpus (None: the default one) that a model's name means."""
    strategy, _, corpus = model.partition("@")
    return strategy, corpus or None


def _address_of_document(corpus: str) -> Callable[[str], str]:
    """Return what gives the address of a document's page, outside of the request too."""
    mark = "document-id"
    address = url_for("ui.document", document_id=mark, corpus=corpus, _external=True)
    return lambda document_id: address.replace(mark, document_id, 1)


def _error(told: dict[str, Any], status: int) -> dict[str, Any]:
    """Return an error of ours, {code, message, remedy}, in OpenAI's shape."""
    code = str(told.get("code") or "internal_error")
    unknown = code in UNKNOWN
    kinds = {401: "authentication_error", 403: "permission_error", 429: "rate_limit_error"}
    kind = kinds.get(status, "server_error" if status >= 500 else "invalid_request_error")
    message = " ".join(filter(None, (told.get("message"), told.get("remedy"))))
    body = OpenAiErrorBody(
        message=message,
        type=kind,
        param="model" if unknown else None,
        code="model_not_found" if unknown else code,
    )
    return OpenAiError(error=body).model_dump()


class _Shape:
    """One answer in OpenAI's shape, whole or piece by piece."""

    def __init__(self, model: str, address: Callable[[str], str]) -> None:
        self._head = {
            "id": f"chatcmpl-{secrets.token_hex(12)}",
            "created": int(time.time()),
            "model": model,
        }
        self._address = address

    def whole(self, answer: Answer) -> ChatCompletion:
        """Return the answer as a completion."""
        message = {
            "role": "assistant",
            "content": answer.text + _below(answer),
            "refusal": None,
            "annotations": self._annotations(answer),
        }
        choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": "stop"}
        return ChatCompletion(
            **self._head,
            choices=[choice],
            usage=_usage(answer),
            citations=list(answer.citations),
            clew=_said(answer),
        )

    def lines(self, events: Events, usage: bool) -> Iterator[str]:
        """Yield server-sent events: the pieces, an end with the citations, and `[DONE]`; or an
        error.
        """
        try:
            yield self._chunk({"role": "assistant", "content": ""})
            for event in events:
                if event is None:
                    yield BEAT
                elif event.event == "piece":
                    yield self._chunk({"content": event.data["text"]})
                elif event.event == "answer":
                    yield from self._end(Answer.model_validate(event.data), usage)
                elif event.event == "error":
                    yield _line(_error(event.data, event.data.get("http_status", 500)))
                    return
                else:
                    yield f": {event.event}\n\n"  # so that nobody between us gives up
            yield "data: [DONE]\n\n"
        except Exception as error:
            told = event_error(error)
            yield _line(_error(told, told["http_status"]))
        finally:
            events.close()

    def _end(self, answer: Answer, usage: bool) -> Iterator[str]:
        if below := _below(answer):
            yield self._chunk({"content": below})
        yield self._chunk(
            {"annotations": self._annotations(answer)},
            "stop",
            citations=[citation.model_dump(mode="json") for citation in answer.citations],
            clew=_said(answer),
        )
        if usage:
            chunk = {**self._head, "object": "chat.completion.chunk", "choices": []}
            yield _line({**chunk, "usage": _usage(answer)})

    def _chunk(self, delta: dict[str, Any], reason: str | None = None, **more: Any) -> str:
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": reason}
        chunk = {**self._head, "object": "chat.completion.chunk", "choices": [choice]}
        return _line({**chunk, **more})

    def _annotations(self, answer: Answer) -> list[dict[str, Any]]:
        by_number = {citation.number: citation for citation in answer.citations}
        return [
            {
                "type": "url_citation",
                "url_citation": {
                    "start_index": found.start(),
                    "end_index": found.end(),
                    "title": cited.title,
                    "url": self._address(cited.document_id),
                },
            }
            for found in MARK.finditer(answer.text)
            if (cited := by_number.get(int(found[1]))) is not None
        ]


def _below(answer: Answer) -> str:
    line = foot(answer)
    return f"\n\n{line}" if line else ""


def _said(answer: Answer) -> dict[str, Any]:
    return {
        "question": answer.question,
        "short": answer.short,
        "supported": answer.supported,
        "confidence": answer.confidence,
        "strategy": answer.evidence.strategy,
        "corpus": answer.evidence.corpus,
        "notices": list(answer.evidence.notices),
    }


def _usage(answer: Answer) -> dict[str, int]:
    return {
        "prompt_tokens": answer.prompt_tokens,
        "completion_tokens": answer.completion_tokens,
        "total_tokens": answer.prompt_tokens + answer.completion_tokens,
    }


def _line(data: dict[str, Any]) -> str:
    return f"data: {json.dumps(data)}\n\n"
