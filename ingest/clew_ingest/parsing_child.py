"""The child process that parses: ``python -m clew_ingest.parsing_child FD``."""

from typing import Any

from clew_ingest.child_loop import Handler, serve
from clew_ingest.errors import ParserNotInstalled
from clew_ingest.parsing import ParsedText, Parser


def start(arguments: dict[str, Any]) -> Handler:
    """Return what parses a list of texts a call."""
    parser = Parser(arguments["pipeline"])

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


if __name__ == "__main__":
    serve(start)
