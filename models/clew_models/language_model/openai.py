"""Any endpoint that speaks the OpenAI chat protocol: vLLM, llama.cpp, Ollama, a cloud."""

from collections.abc import Collection, Generator, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from clew_models.errors import LanguageModelUnavailable, PromptRefused
from clew_models.language_model.base import Completion, Message
from clew_models.language_model.replies import whole_characters
from clew_models.language_model.usage import note_call, note_completion

PROMPT_REFUSALS = (400, 413, 422)
"""HTTP statuses by which a server refuses one request, not all of them."""

CUT_OFF = "length"
"""Why a text ends where ``max_tokens`` did."""

NO_KEY = "none"
"""What is sent where no key is set: local servers ask for none, the client insists on one."""


class OpenAIModel:
    """A chat model behind an OpenAI-compatible endpoint.

    ``timeout_s`` bounds each try; connection errors, 408, 409, 429 and 5xx are tried again
    ``retries`` times with exponential back-off (the server's Retry-After is honoured).
    """

    def __init__(
        self,
        model: str,
        *,
        base_url: str | None = None,
        api_key: str | None = None,
        timeout_s: float = 60.0,
        retries: int = 2,
    ) -> None:
        from openai import OpenAI

        self.name = model
        self._client = OpenAI(
            base_url=base_url, api_key=api_key or NO_KEY, timeout=timeout_s, max_retries=retries
        )
        self._timeout_s = timeout_s
        self._base_url = str(self._client.base_url)
        self._refused: frozenset[str] = frozenset()

    def close(self) -> None:
        """Close the connections. The object is not to be used after that."""
        self._client.close()

    def complete(
        self,
        messages: Sequence[Message],
        *,
        max_tokens: int = 256,
        temperature: float = 0.0,
        json_schema: dict[str, Any] | None = None,
    ) -> Completion:
        """Return the whole text; see LanguageModel. Raises LanguageModelUnavailable, as
        PromptRefused where the server refuses this one request (HTTP 400, 413, 422).
        """
        reply = self._request(messages, max_tokens, temperature, json_schema, stream=False)
        with self._protocol():
            if not getattr(reply, "choices", None):  # a page in place of JSON comes as a text
                raise self._unusable("an answer without choices")
            choice = reply.choices[0]
            text = whole_characters(choice.message.content or "")
            cut_off = choice.finish_reason == CUT_OFF
            return note_completion(Completion(text, *_spent(reply.usage), cut_off))

    def stream(
        self,
        messages: Sequence[Message],
        *,
        max_tokens: int = 256,
        temperature: float = 0.0,
        json_schema: dict[str, Any] | None = None,
    ) -> Generator[str, None, Completion]:
        """Yield the text piece by piece; see LanguageModel. Raises LanguageModelUnavailable."""
        reply = self._request(messages, max_tokens, temperature, json_schema, stream=True)
        pieces: list[str] = []
        spent = (0, 0)
        ended: set[str | None] = set()
        with self._protocol(), reply:
            for part in reply:
                if part.usage:
                    spent = _spent(part.usage)
                for choice in (part.choices or ())[:1]:
                    ended.add(choice.finish_reason)
                    if choice.delta.content:
                        pieces.append(whole_characters(choice.delta.content))
                        yield pieces[-1]
            if not ended:
                raise self._unusable("an answer without choices")
        return note_completion(Completion("".join(pieces), *spent, CUT_OFF in ended))

    def _request(
        self,
        messages: Sequence[Message],
        max_tokens: int,
        temperature: float,
        json_schema: dict[str, Any] | None,
        *,
        stream: bool,
    ) -> Any:
        from openai import BadRequestError, UnprocessableEntityError

        wanted: dict[str, Any] = {
            "model": self.name,
            "messages": [
                {"role": turn.role, "content": whole_characters(turn.content)} for turn in messages
            ],
            "max_tokens": max_tokens,
            "temperature": temperature,
        }
        if stream:
            wanted |= {"stream": True, "stream_options": {"include_usage": True}}
        if json_schema is not None:
            form = {"name": "answer", "strict": True, "schema": json_schema}
            wanted["response_format"] = {"type": "json_schema", "json_schema": form}
        refused = self._refused
        with self._protocol():
            while True:
                arguments = {name: value for name, value in wanted.items() if name not in refused}
                if "max_tokens" in refused:
                    arguments["max_completion_tokens"] = max_tokens
                note_call()
                try:
                    reply = self._client.chat.completions.create(**arguments)
                except (BadRequestError, UnprocessableEntityError) as error:
                    part = _refused_part(error.message, arguments)
                    if part is None:
                        raise
                    refused |= {part}
                else:
                    self._refused |= refused
                    return reply

    @contextmanager
    def _protocol(self) -> Iterator[None]:
        """Raise what goes wrong within the block as LanguageModelUnavailable."""
        from openai import OpenAIError

        try:
            yield
        except OpenAIError as error:
            raise self._unavailable(error) from error
        except (AttributeError, TypeError, ValueError) as error:
            raise self._unusable("an answer of another form") from error
        except Exception as error:  # the transport's own errors when a stream breaks off
            if type(error).__module__.split(".")[0] not in {"httpx", "httpx2", "httpcore"}:
                raise
            raise self._unavailable(error) from error

    def _unavailable(self, error: Exception) -> LanguageModelUnavailable:
        from openai import (
            APIConnectionError,
            APIError,
            APIStatusError,
            APITimeoutError,
            AuthenticationError,
            NotFoundError,
            PermissionDeniedError,
            RateLimitError,
        )

        where = f"The language model {self.name!r} at {self._base_url}"
        if isinstance(error, APITimeoutError):
            return LanguageModelUnavailable(
                f"{where} did not answer within {self._timeout_s:g} s.",
                remedy="Check that the endpoint is up, or raise llm_timeout_s.",
            )
        if isinstance(error, AuthenticationError | PermissionDeniedError):
            return LanguageModelUnavailable(
                f"{where} refuses the API key (HTTP {error.status_code}).",
                remedy="Set llm_api_key or llm_api_key_file.",
            )
        if isinstance(error, NotFoundError):
            return LanguageModelUnavailable(
                f"{where} does not exist (HTTP 404).",
                remedy="Check llm_model and llm_base_url (it usually ends in /v1).",
            )
        if isinstance(error, RateLimitError):
            return LanguageModelUnavailable(
                f"{where} is over its rate limit or quota (HTTP 429).",
                remedy="Wait and ask again, or use another endpoint.",
            )
        # an error within a stream has the status in its body
        status = getattr(error, "status_code", getattr(error, "code", None))
        if str(status) in map(str, PROMPT_REFUSALS):
            return PromptRefused(
                f"{where} refused the request (HTTP {status}): {str(error)[:300]}",
                remedy="Check whether the text is too long for the model, and the endpoint's log.",
            )
        if isinstance(error, APIStatusError):
            return LanguageModelUnavailable(
                f"{where} refused the request (HTTP {error.status_code}): {error.message[:300]}",
                remedy="Check the endpoint's log, llm_model and llm_base_url.",
            )
        if isinstance(error, APIError) and not isinstance(error, APIConnectionError):
            return LanguageModelUnavailable(
                f"{where} answered with an error: {error.message[:300]}",
                remedy="Ask again, and check the endpoint's log.",
            )
        return LanguageModelUnavailable(
            f"{where} cannot be reached: {str(error).rstrip('.')}.",
            remedy="Check llm_base_url and that the endpoint is up, or do without it: the reader "
            "'extractive' and the extractor 'rules' need none.",
        )

    def _unusable(self, what: str) -> LanguageModelUnavailable:
        return LanguageModelUnavailable(
            f"The language model {self.name!r} at {self._base_url} sent {what}.",
            remedy="Check that llm_base_url speaks the OpenAI chat protocol.",
        )


def _spent(usage: Any) -> tuple[int, int]:
    """Return the tokens of the prompt and of the text; 0 where the server does not say."""
    return (usage.prompt_tokens or 0, usage.completion_tokens or 0) if usage else (0, 0)


def _refused_part(message: str, sent: Collection[str]) -> str | None:
    """Return what a refused request is asked again without; None where that would not help.

    Newer models of OpenAI take another bound of tokens and one temperature, and say so. Not every
    server knows schemas, and not all say so.
    """
    if "support" in message.lower():
        for name in ("max_tokens", "temperature"):
            if name in message and name in sent:
                return name
    return "response_format" if "response_format" in sent else None
