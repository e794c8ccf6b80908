"""Any endpoint that speaks the OpenAI chat protocol: vLLM, llama.cpp, Ollama, a cloud."""

from collections.abc import Generator, Sequence
from typing import Any

from clew_models.errors import LanguageModelUnavailable, PromptRefused
from clew_models.language_model.base import Completion, Message
from clew_models.language_model.usage import note_call, note_completion

PROMPT_REFUSALS = (400, 413, 422)
"""HTTP statuses by which a server refuses one request, not all of them."""

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
        self._schema_refused = False

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
        if not getattr(reply, "choices", None):  # a page in place of JSON comes as a text
            raise self._unusable("an answer without choices")
        usage = reply.usage
        return note_completion(
            Completion(
                reply.choices[0].message.content or "",
                usage.prompt_tokens if usage else 0,
                usage.completion_tokens if usage else 0,
            )
        )

    def stream(
        self,
        messages: Sequence[Message],
        *,
        max_tokens: int = 256,
        temperature: float = 0.0,
        json_schema: dict[str, Any] | None = None,
    ) -> Generator[str, None, Completion]:
        """Yield the text piece by piece; see LanguageModel. Raises LanguageModelUnavailable."""
        from openai import OpenAIError

        reply = self._request(messages, max_tokens, temperature, json_schema, stream=True)
        pieces: list[str] = []
        prompt_tokens = completion_tokens = 0
        try:
            with reply:
                for part in reply:
                    if part.usage:
                        prompt_tokens = part.usage.prompt_tokens
                        completion_tokens = part.usage.completion_tokens
                    if part.choices and part.choices[0].delta.content:
                        pieces.append(part.choices[0].delta.content)
                        yield pieces[-1]
        except OpenAIError as error:
            raise self._unavailable(error) from error
        except Exception as error:  # the transport's own errors when a stream breaks off
            if type(error).__module__.split(".")[0] not in {"httpx", "httpx2", "httpcore"}:
                raise
            raise self._unavailable(error) from error
        return note_completion(Completion("".join(pieces), prompt_tokens, completion_tokens))

    def _request(
        self,
        messages: Sequence[Message],
        max_tokens: int,
        temperature: float,
        json_schema: dict[str, Any] | None,
        *,
        stream: bool,
    ) -> Any:
        from openai import BadRequestError, OpenAIError, UnprocessableEntityError

        arguments: dict[str, Any] = {
            "model": self.name,
            "messages": [{"role": turn.role, "content": turn.content} for turn in messages],
            "max_tokens": max_tokens,
            "temperature": temperature,
        }
        note_call()
        if stream:
            arguments |= {"stream": True, "stream_options": {"include_usage": True}}
        if json_schema is not None and not self._schema_refused:
            form = {"name": "answer", "strict": True, "schema": json_schema}
            arguments["response_format"] = {"type": "json_schema", "json_schema": form}
        try:
            return self._client.chat.completions.create(**arguments)
        except (BadRequestError, UnprocessableEntityError) as error:
            if "response_format" not in arguments:
                raise self._unavailable(error) from error
            # Not every server knows schemas: ask once more without, and remember if that works.
            del arguments["response_format"]
            try:
                reply = self._client.chat.completions.create(**arguments)
            except OpenAIError as again:
                raise self._unavailable(again) from again
            self._schema_refused = True
            return reply
        except OpenAIError as error:
            raise self._unavailable(error) from error

    def _unavailable(self, error: Exception) -> LanguageModelUnavailable:
        from openai import (
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
        if isinstance(error, APIStatusError) and error.status_code in PROMPT_REFUSALS:
            return PromptRefused(
                f"{where} refused the request (HTTP {error.status_code}): {error.message[:300]}",
                remedy="Check whether the text is too long for the model, and the endpoint's log.",
            )
        if isinstance(error, APIStatusError):
            return LanguageModelUnavailable(
                f"{where} refused the request (HTTP {error.status_code}): {error.message[:300]}",
                remedy="Check the endpoint's log, llm_model and llm_base_url.",
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
