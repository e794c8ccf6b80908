"""Random requests to every operation of REST, held against what the OpenAPI document says of it.

    python tests/benchmarks/fuzz.py http://127.0.0.1:8750 --requests 11000 --write < token

schemathesis makes requests that fit the document and requests that do not. Every operation gets as
many of both, as each of these callers in turn: the access token (read from standard input), keys of
an administrator, an editor and a reader that are made here, somebody without any, and somebody with
a wrong one. A failure is an answer of 5xx, a status or media type or header that the document does
not name, a body that does not fit its schema, a request that does not fit and is taken, and one
that fits and is refused as not fitting. The server should be one for trials: requests create,
change and delete. Jobs of training and of the bench are cancelled at once, schedules deleted.
"""

import argparse
import json
import re
import secrets
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import hypothesis
import schemathesis
from schemathesis.checks import not_a_server_error
from schemathesis.core.failures import FailureGroup
from schemathesis.core.result import Err
from schemathesis.generation import GenerationMode
from schemathesis.schemas import APIOperation, BaseSchema
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    negative_data_rejection,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

RESULT = Path(__file__).parent / "results" / "fuzz.json"
CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    negative_data_rejection,
]
ROLES = ("admin", "editor", "reader")
MODES = (GenerationMode.POSITIVE, GenerationMode.NEGATIVE)
ROUND = 5
"""Requests of each kind to an operation before the next operation's turn."""
HEALTH = list(hypothesis.HealthCheck)
CANCELLED = ("/api/v1/bench", "/api/v1/models/train", "/api/v1/schedules/{schedule_id}/run")
UNFIT = re.compile(r"^[a-z_]+(\.[\w-]+)*: ")
"""How the message of a 422 begins where a field does not fit its model."""

MEANING = ("there is no letter or digit in it",)
"""What such a message says of a value that has the form, and means nothing."""


@dataclass
class Outcome:
    """What came of the requests. ``failures``: kind and operation to examples of them."""

    requests: int = 0
    statuses: Counter[int] = field(default_factory=Counter)
    by_operation: Counter[str] = field(default_factory=Counter)
    failures: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))

    def add(self, label: str, status: int) -> None:
        """Count one answer."""
        self.requests += 1
        self.statuses[status] += 1
        self.by_operation[label] += 1


class Fuzz:
    """Requests to one server, by callers that are made for it.

    ``address``: of the server; ``token``: its access token, None where it needs none (there is one
    caller then). ``seed``: the same requests again, as far as the server answers the same.
    """

    def __init__(self, address: str, token: str | None, seed: int = 0) -> None:
        self._address = address
        self._token = token
        self._seed = seed
        self._client = httpx.Client(base_url=address, headers=_bearer(token), timeout=60)
        config = schemathesis.Config.from_dict(
            {"seed": seed, "generation": {"with-security-parameters": False}}
        )
        self.schema: BaseSchema = schemathesis.openapi.from_dict(
            self._client.get("/openapi.json").raise_for_status().json(), config=config
        )
        self.schema.config.update(base_url=address)
        self._callers = self._make_callers()
        self.outcome = Outcome()

    def run(self, requests: int, minutes: float = 600.0) -> Outcome:
        """Send about so many requests, as many to every operation, for so many minutes at most.

        They come in rounds over all operations, so that a run that ends early has left none out.
        """
        end = time.monotonic() + minutes * 60
        operations = list(self._operations())
        each = max(1, min(ROUND, round(requests / len(operations) / len(MODES))))
        while self.outcome.requests < requests:
            self._seed += 1
            for operation in operations:
                for mode in MODES:
                    if time.monotonic() > end:
                        return self.outcome
                    self._ask(operation, mode, each)
        return self.outcome

    def _operations(self) -> Iterator[APIOperation]:
        """Yield every operation; raises InvalidSchema for one that the document tells wrongly."""
        for found in self.schema.get_all_operations():
            if isinstance(found, Err):
                raise found.err()
            yield found.ok()

    def _ask(self, operation: APIOperation, mode: GenerationMode, examples: int) -> None:
        try:
            strategy = operation.as_strategy(generation_mode=mode)
        except schemathesis.errors.SchemathesisError:
            return

        @hypothesis.seed(self._seed)
        @hypothesis.settings(
            max_examples=examples,
            database=None,
            deadline=None,
            phases=[hypothesis.Phase.generate],
            suppress_health_check=HEALTH,
        )
        @hypothesis.given(case=strategy)
        def send(case: Any) -> None:
            self._send(case)

        try:
            send()
        except (hypothesis.errors.Unsatisfiable, hypothesis.errors.FailedHealthCheck):
            return  # nothing that does not fit can be made: no parameters, no body

    def _send(self, case: Any) -> None:
        caller, headers = self._callers[self.outcome.requests % len(self._callers)]
        label = case.operation.label
        try:
            response = case.call(headers=headers, timeout=60, allow_redirects=False)
        except Exception as error:
            self._note(type(error).__name__, label, f"{caller}: {error}")
            return
        self.outcome.add(label, response.status_code)
        try:
            case.validate_response(response, checks=CHECKS, headers=headers)
        except FailureGroup as group:
            for failure in group.exceptions:
                title = getattr(failure, "title", type(failure).__name__)
                self._note(title, label, _told(caller, case, response, failure))
        positive = case.meta is None or case.meta.generation.mode is GenerationMode.POSITIVE
        if response.status_code == 422 and positive:
            message = response.json()["error"]["message"]
            if UNFIT.match(message) and not any(said in message for said in MEANING):
                self._note("Refused though fitting", label, _told(caller, case, response, message))
        self._undo(case, response)

    def _undo(self, case: Any, response: Any) -> None:
        """Take back what would keep the machine busy."""
        if response.status_code not in (201, 202) or case.operation.method != "post":
            return
        path = case.operation.path
        if path in CANCELLED:
            self._client.post(f"/api/v1/jobs/{response.json()['id']}/cancel")
        elif path == "/api/v1/schedules":
            self._client.delete(f"/api/v1/schedules/{response.json()['id']}")

    def _note(self, kind: str, label: str, told: str) -> None:
        examples = self.outcome.failures[f"{kind} | {label}"]
        examples.append(told if len(examples) < 3 else "")

    def _make_callers(self) -> list[tuple[str, dict[str, str]]]:
        """Return names and headers: the token most often, for it gets past every refusal."""
        if self._token is None:
            return [("anyone", {})]
        mark = secrets.token_hex(3)
        callers = [("token", _bearer(self._token))]
        for role in ROLES:
            user = {"name": f"fuzz-{role}-{mark}", "role": role, "all_corpora": True}
            if role == "admin":
                user["password"] = secrets.token_hex(12)
            self._client.post("/api/v1/users", json=user).raise_for_status()
            scopes = ["query", "ingest", "admin"][: len(ROLES) - ROLES.index(role)]
            key = {"user": user["name"], "name": "fuzz", "scopes": scopes}
            made = self._client.post("/api/v1/keys", json=key).raise_for_status().json()
            callers += [(role, _bearer(made["key"])), callers[0]]
        return [*callers, ("nobody", {}), callers[0], ("wrong", _bearer("wrong"))]


def _bearer(token: str | None) -> dict[str, str]:
    return {} if token is None else {"Authorization": f"Bearer {token}"}


def _told(caller: str, case: Any, response: Any, failure: Any) -> str:
    request = response.request
    body = request.body or b""
    sent = body if isinstance(body, str) else body.decode("utf-8", "replace")
    return (
        f"{caller}: {request.method} {request.url[:300]} {sent[:300]} -> {response.status_code} "
        f"{response.content[:300]!r}: {str(failure)[:400]}"
    )


def report(outcome: Outcome) -> Iterator[str]:
    """Yield lines for people."""
    yield f"{outcome.requests} requests; statuses: {dict(sorted(outcome.statuses.items()))}"
    for kind, examples in sorted(outcome.failures.items()):
        yield f"{len(examples)} x {kind}"
        yield from (f"    {told}" for told in examples if told)


def main() -> int:
    """Fuzz a server, print what failed, and return whether anything did."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("address", help="of a running server; its token comes by standard input")
    parser.add_argument("--requests", type=int, default=1000, help="about so many; default 1000")
    parser.add_argument("--minutes", type=float, default=600, help="end after so many")
    parser.add_argument("--seed", type=int, default=0, help="of the random requests; default 0")
    parser.add_argument("--only", default="", help="operations whose label holds this text")
    parser.add_argument("--write", action="store_true", help=f"keep the figures in {RESULT.name}")
    asked = parser.parse_args()
    token = "" if sys.stdin.isatty() else sys.stdin.readline().strip()
    fuzz = Fuzz(asked.address, token or None, asked.seed)
    if asked.only:
        fuzz.schema = fuzz.schema.include(lambda context: asked.only in context.operation.label)
    began = time.monotonic()
    outcome = fuzz.run(asked.requests, asked.minutes)
    for line in report(outcome):
        print(line)
    if asked.write:
        figures = {
            "requests": outcome.requests,
            "seconds": round(time.monotonic() - began),
            "seed": asked.seed,
            "schemathesis": schemathesis.__version__,
            "operations": len(outcome.by_operation),
            "statuses": {str(status): n for status, n in sorted(outcome.statuses.items())},
            "failures": {kind: len(told) for kind, told in sorted(outcome.failures.items())},
        }
        RESULT.write_text(json.dumps(figures, indent=2) + "\n")
    return 1 if outcome.failures else 0


if __name__ == "__main__":
    sys.exit(main())
