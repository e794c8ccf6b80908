"""The parser in child processes: they work while this one embeds, and their memory is their own.

``python -m clew_ingest.parsing.process FD`` is the child.
"""

import queue
from collections.abc import Callable, Sequence
from typing import Any

from clew_ingest.child_process import ChildProcess, Handler, serve
from clew_ingest.errors import ParserNotInstalled
from clew_ingest.parsing.mentions import Mention
from clew_ingest.parsing.parser import ParsedSentence, ParsedText, Parser
from clew_ingest.triples.base import ExtractedTriple


def start(arguments: dict[str, Any]) -> Handler:
    """Return what parses a list of texts a call."""
    parser = Parser(arguments["pipeline"], lean=True)

    def handle(request: dict[str, Any], payload: bytes) -> dict[str, Any]:
        try:
            parsed = parser.parse(request["texts"], request["titles"])
        except ParserNotInstalled as error:
            return {"error": {"message": error.message, "remedy": error.remedy}}
        return {"texts": [_as_lists(text) for text in parsed]}

    return handle


def _as_lists(text: ParsedText) -> list[Any]:
    return [
        [
            [
                sentence.start,
                sentence.end,
                sentence.text,
                [[m.start, m.end, m.surface, m.key, m.type, m.role] for m in sentence.mentions],
            ]
            for sentence in text.sentences
        ],
        [[t.head, t.head_type, t.predicate, t.tail, t.tail_type, t.sentence] for t in text.triples],
    ]


class ParsingProcess:
    """Parses like :class:`clew_ingest.parsing.parser.Parser`, in a child; to be closed."""

    def __init__(self, pipeline_name: str, timeout_s: float) -> None:
        self._timeout_s = timeout_s
        self._child = ChildProcess("clew_ingest.parsing.process", {"pipeline": pipeline_name})

    def parse(
        self,
        texts: Sequence[str],
        titles: Sequence[str] | None = None,
        *,
        cancelled: Callable[[], bool] = lambda: False,
    ) -> list[ParsedText]:
        """Return the parsed texts in order; with ``titles``, with their triples by the rules.

        Raises ChildFailed, IngestCancelled or ParserNotInstalled.
        """
        # The first call also loads the pipeline, which takes seconds on a busy machine.
        reply = self._child.call(
            {"texts": list(texts), "titles": None if titles is None else list(titles)},
            timeout_s=self._timeout_s + 60,
            cancelled=cancelled,
        )
        if refusal := reply.get("error"):
            raise ParserNotInstalled(refusal["message"], remedy=refusal["remedy"])
        return [
            ParsedText(
                tuple(
                    ParsedSentence(start, end, text, tuple(Mention(*values) for values in mentions))
                    for start, end, text, mentions in sentences
                ),
                tuple(ExtractedTriple(*values) for values in triples),
            )
            for sentences, triples in reply["texts"]
        ]

    @property
    def pid(self) -> int | None:
        """Process id of the child, or None while there is none."""
        return self._child.pid

    def close(self) -> None:
        """End the child process."""
        self._child.close()

    def __enter__(self) -> "ParsingProcess":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class ParsingPool:
    """``size`` parsing processes, each started at its first use; to be closed."""

    def __init__(self, pipeline_name: str, timeout_s: float, size: int) -> None:
        if size < 1:
            raise ValueError(f"{size} processes cannot parse anything; 1 or more can.")
        self.size = size
        self._processes = [ParsingProcess(pipeline_name, timeout_s) for _ in range(size)]
        # The last that was used first: one document after another needs one process only.
        self._free: queue.LifoQueue[ParsingProcess] = queue.LifoQueue()
        for process in self._processes:
            self._free.put(process)

    def parse(
        self,
        texts: Sequence[str],
        titles: Sequence[str] | None = None,
        *,
        cancelled: Callable[[], bool] = lambda: False,
    ) -> list[ParsedText]:
        """Parse in a process that is free, waiting for one; see ParsingProcess."""
        process = self._free.get()
        try:
            return process.parse(texts, titles=titles, cancelled=cancelled)
        finally:
            self._free.put(process)

    def close(self) -> None:
        """End the child processes."""
        for process in self._processes:
            process.close()


if __name__ == "__main__":
    serve(start)
