"""A reader that lets a language model write the answer from numbered passages (SH-2).

The model replies in JSON; its "answer" is streamed while it is being written. What the model
cites is checked against the passages; a reply that is no such JSON is counted and reported.
"""

import json
import re
import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel

from clew.answering.calibration import language_model_confidence
from clew.answering.citations import CitationFilter, best_quote, cite, keep_existing, numbers_in
from clew.answering.prompts import ANSWER
from clew.answering.triple_answers import cite_triple
from clew.answering.unsupported import NOT_SAID, unsupported_answer
from clew.resources.language_models import READER
from clew.results.evidence import (
    Answer,
    Citation,
    Evidence,
    EvidenceTriple,
    ScoredChunk,
    Search,
    TraceStep,
)
from clew_models.errors import MalformedOutput
from clew_models.language_model import (
    CUT_SHORT,
    Completion,
    LanguageModel,
    Message,
    begins_as_json,
    read_object,
    whole_characters,
    without_thoughts,
)

if TYPE_CHECKING:
    from clew.resources.resources import Resources


class StringField:
    """The value of one string property, piece by piece; escapes are undone.

    Nothing of a reply that does not begin as JSON, the model's thoughts left out: what quotes the
    form is not the answer.
    """

    def __init__(self, name: str) -> None:
        self._start = re.compile(rf'"{re.escape(name)}"\s*:\s*"')
        self._text = ""
        self._at: int | None = None
        self._done = False

    def feed(self, piece: str) -> str:
        """Take the next piece of the object; return what it adds to the value."""
        self._text += piece
        if self._done:
            return ""
        if self._at is None:
            reply = without_thoughts(self._text)
            found = self._start.search(reply) if begins_as_json(reply) else None
            if found is None:
                return ""
            self._text, self._at = reply, found.end()
        end = self._at
        while end < len(self._text) and self._text[end] != '"':
            if self._text[end] == "\\":
                length = self._escape(end)
                if end + length > len(self._text):
                    break
                end += length
            else:
                end += 1
        raw = self._text[self._at : end]
        self._done = end < len(self._text) and self._text[end] == '"'
        self._at = end
        try:
            return whole_characters(json.loads(f'"{raw}"', strict=False))
        except json.JSONDecodeError:
            return raw

    def _escape(self, at: int) -> int:
        """Return the length of an escape; both halves of a surrogate pair are one."""
        if self._text[at + 1 : at + 2] != "u":
            return 2
        high, other = self._text[at + 2 : at + 6].casefold(), self._text[at + 6 : at + 12]
        may_follow = len(other) < 6 and "\\u".startswith(other[:2])
        follows = may_follow or "\\udc00" <= other.casefold() <= "\\udfff"
        return 12 if "d800" <= high <= "dbff" and follows else 6


SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "supported": {"type": "boolean"},
        "answer": {"type": "string"},
        "short": {"type": "string", "maxLength": 80},
        "citations": {"type": "array", "items": {"type": "integer"}},
    },
    "required": ["supported", "answer", "short", "citations"],
    "additionalProperties": False,
}


class Reply(BaseModel):
    """What the model is asked for."""

    supported: bool
    answer: str
    short: str
    citations: list[int]


Quotable = ScoredChunk | EvidenceTriple


def quotable(evidence: Evidence) -> tuple[Quotable, ...]:
    """Return what can be cited, in the order of its numbers: passages, then triples of knowledge
    bases; other triples stand in their passages.
    """
    return (*evidence.chunks, *(one for one in evidence.triples if one.of_base))


def cited(number: int, quoted: Quotable, words: list[str]) -> Citation:
    """Return a citation of it; of a passage, of its sentence that shares most with ``words``."""
    if isinstance(quoted, EvidenceTriple):
        return cite_triple(number, quoted)
    return cite(number, quoted, best_quote(quoted, words))


def messages(evidence: Evidence) -> list[Message]:
    """Return the conversation that asks for the answer; passages are numbered from 1, with the
    triples of knowledge bases behind them.
    """
    passages = "\n\n".join(
        f"[{number}] {quoted.title}\n{quoted.text}"
        for number, quoted in enumerate(quotable(evidence), start=1)
    )
    return ANSWER.messages(passages=passages, question=evidence.question)


class LanguageModelReader:
    """Answers with a language model. ``malformed`` counts replies that could not be read.

    ``shown``: the conversation that asks for the answer, of the evidence.
    """

    def __init__(
        self,
        model: LanguageModel,
        *,
        name: str,
        max_tokens: int = 400,
        shown: Callable[[Evidence], list[Message]] = messages,
    ) -> None:
        self.name = name
        self._shown = shown
        self.malformed = 0
        self._model = model
        self._max_tokens = max_tokens

    def read(self, evidence: Evidence, search: Search | None = None) -> Iterator[str | Answer]:
        """Yield the answer's text as it is written, and last the Answer.

        Raises LanguageModelUnavailable, and MalformedOutput for a reply that is not the JSON
        that was asked for.
        """
        if not quotable(evidence):
            yield NOT_SAID
            yield unsupported_answer(evidence, self.name)
            return
        started = time.perf_counter()
        field, citations = StringField("answer"), CitationFilter(len(quotable(evidence)))
        shown = False
        stream = self._model.stream(
            self._shown(evidence), max_tokens=self._max_tokens, json_schema=SCHEMA
        )
        while True:
            try:
                text = citations.feed(field.feed(next(stream)))
            except StopIteration as end:
                completion: Completion = end.value
                break
            if text:
                shown = True
                yield text
        if rest := citations.rest():
            yield rest
        reply = self._parsed(completion)
        answer = self._answer(evidence, reply, completion, time.perf_counter() - started)
        if not shown:
            yield answer.text
        yield answer

    def _parsed(self, completion: Completion) -> Reply:
        try:
            return read_object(completion.text, Reply)
        except ValueError as error:
            self.malformed += 1
            otherwise = "Ask again, use another model (llm_model), or set reader = 'extractive'."
            raise MalformedOutput(
                f"The language model {self._model.name!r} did not reply with the JSON it was "
                f"asked for: {completion.text[:200]!r}.",
                remedy=CUT_SHORT if completion.cut_off else otherwise,
            ) from error

    def _answer(
        self, evidence: Evidence, reply: Reply, completion: Completion, seconds: float
    ) -> Answer:
        shown = quotable(evidence)
        text, dropped = keep_existing(reply.answer, len(shown))
        numbers = list(dict.fromkeys(numbers_in(text)))
        for number in dict.fromkeys(reply.citations):
            if not 1 <= number <= len(shown):
                dropped += 1
            elif number not in numbers:
                numbers.append(number)
        # An answer that cites nothing is no answer from the evidence.
        supported = reply.supported and bool(reply.short.strip()) and bool(numbers)
        citations = tuple(cited(n, shown[n - 1], [text, reply.short]) for n in sorted(numbers))
        detail = {
            "model": self._model.name,
            "passages": len(evidence.chunks),
            "dropped_citations": dropped,
            "malformed_replies": self.malformed,
        }
        return Answer(
            question=evidence.question,
            text=text if text.strip() else NOT_SAID,
            short=reply.short.strip() if supported else "",
            supported=supported,
            confidence=language_model_confidence(self.name, supported=supported),
            citations=citations,
            reader=self.name,
            evidence=evidence,
            dropped_citations=dropped,
            prompt_tokens=completion.prompt_tokens,
            completion_tokens=completion.completion_tokens,
            trace=(TraceStep(name="language model", seconds=seconds, detail=detail),),
        )


def local_reader(resources: "Resources") -> LanguageModelReader:
    """Return the reader with the local model. Raises ModelNotInstalled."""
    tokens = resources.settings.llm_max_tokens
    return LanguageModelReader(
        resources.language_model_of("local"), name="local", max_tokens=tokens
    )


def openai_reader(resources: "Resources") -> LanguageModelReader:
    """Return the reader with the endpoint's model. Raises LanguageModelUnavailable."""
    tokens = resources.settings.llm_max_tokens
    return LanguageModelReader(resources.language_model(READER), name="openai", max_tokens=tokens)
