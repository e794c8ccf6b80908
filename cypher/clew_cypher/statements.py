"""Every Cypher statement, by name: the ``.cypher`` files beside their Python, read once."""

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal

from clew_cypher.errors import StatementParameters, UnknownStatement

HEADER = re.compile(r"^// name: (?P<name>[a-z_]+)\((?P<parameters>[a-z0-9_, ]*)\)$")
PARAMETER = re.compile(r"\$([a-z][a-z0-9_]*)")
LANGUAGE = "CYPHER 25"


@dataclass(frozen=True)
class Statement:
    """One statement: ``parameters`` it takes, ``mode`` that routes it, columns it ``returns``."""

    name: str
    parameters: frozenset[str]
    mode: Literal["read", "write"]
    returns: tuple[str, ...]
    why: str
    text: str

    def check(self, given: dict[str, Any]) -> None:
        """Raise StatementParameters unless exactly the declared parameters are ``given``."""
        missing = sorted(self.parameters - given.keys())
        unknown = sorted(given.keys() - self.parameters)
        if missing or unknown:
            raise StatementParameters(
                f"The statement {self.name} lacks {missing or 'nothing'} "
                f"and does not know {unknown or 'nothing'}.",
                remedy=f"Its parameters are {sorted(self.parameters)}.",
            )


def statement(name: str) -> Statement:
    """Return the statement of that name; raises UnknownStatement."""
    found = all_statements().get(name)
    if found is None:
        raise UnknownStatement(
            f"No .cypher file declares {name!r}.", remedy=f"Known: {sorted(all_statements())}."
        )
    return found


@cache
def all_statements() -> dict[str, Statement]:
    """Return every statement by name, from all files."""
    found: dict[str, Statement] = {}
    for path in sorted(Path(__file__).parent.rglob("*.cypher")):
        for parsed in parse_statements(path.read_text(encoding="utf-8"), path.name):
            if parsed.name in found:
                raise StatementParameters(f"{path.name}: {parsed.name} is declared twice.")
            found[parsed.name] = parsed
    return found


def parse_statements(text: str, source: str) -> list[Statement]:
    """Read the statements of one file; raises StatementParameters where a header is untrue."""
    parts = re.split(r"(?m)^(?=// name: )", text)
    return [_parse(part, source) for part in parts if part.startswith("// name: ")]


def _parse(part: str, source: str) -> Statement:
    lines = part.strip().splitlines()
    header = HEADER.match(lines[0])
    count = next((i for i, line in enumerate(lines) if not line.startswith("//")), len(lines))
    body = "\n".join(lines[count:]).strip()
    if header is None or not body.startswith(LANGUAGE) or count < 4:
        raise StatementParameters(
            f"{source}: {lines[0]!r} is no full header before a {LANGUAGE} statement.",
            remedy="Write `// name: f(a, b)`, `// mode: …`, `// returns: …`, `// why`.",
        )
    mode = lines[1].removeprefix("// mode: ")
    if mode not in ("read", "write") or not lines[2].startswith("// returns: "):
        raise StatementParameters(f"{source}: {header['name']} lacks its mode or its columns.")
    declared = frozenset(filter(None, re.split(r",\s*", header["parameters"])))
    used = frozenset(PARAMETER.findall(body))
    if declared != used:
        raise StatementParameters(
            f"{source}: {header['name']} declares {sorted(declared)} but uses {sorted(used)}."
        )
    returns = tuple(re.split(r",\s*", lines[2].removeprefix("// returns: ").strip()))
    why = " ".join(line.removeprefix("// ").strip() for line in lines[3:count])
    return Statement(header["name"], declared, mode, returns, why, body)  # type: ignore[arg-type]
