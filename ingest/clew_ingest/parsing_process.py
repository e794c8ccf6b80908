"""The parser in a child process: it works while this one embeds, and its memory is its own."""

from collections.abc import Callable, Sequence

from clew_ingest.child_process import ChildProcess
from clew_ingest.errors import ParserNotInstalled
from clew_ingest.mentions import Mention
from clew_ingest.parsing import ParsedSentence, ParsedText
from clew_ingest.triples.base import ExtractedTriple


class ParsingProcess:
    """Parses like :class:`clew_ingest.parsing.Parser`, in a child; to be closed."""

    def __init__(self, pipeline_name: str, timeout_s: float) -> None:
        self._timeout_s = timeout_s
        self._child = ChildProcess("clew_ingest.parsing_child", {"pipeline": pipeline_name})

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
