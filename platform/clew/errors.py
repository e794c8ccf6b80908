"""What can go wrong in the platform layer, each error with what to do next."""

import re
from typing import TYPE_CHECKING

from clew_cypher.errors import GraphError
from clew_ingest.errors import IngestError
from clew_models.errors import ModelError

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

COMMAND = re.compile(r"[^.,;:]*`clew [^`]*`[^.,;:]*")


class PlatformError(Exception):
    """Base of every error of this layer.

    ``exit_code`` is what the CLI ends with, ``http_status`` what REST answers with,
    ``remedy`` the sentence that tells a person what to do next.
    """

    exit_code = 4
    http_status = 500

    def __init__(self, message: str, *, remedy: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.remedy = remedy

    def __str__(self) -> str:
        return f"{self.message} {self.remedy}".strip()


def code_of(error: BaseException | type[BaseException]) -> str:
    """Return the code of an error, or of a kind of errors: its class in snake case, such as
    ``unknown_corpus``."""
    kind = error if isinstance(error, type) else type(error)
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", kind.__name__).lower()


def without_commands(text: str) -> str:
    """Leave out the parts of sentences that name one of Clew's commands."""
    left = COMMAND.sub("", text)
    if left == text:
        return text
    words = re.sub(r"[,;:]\s*(?=[.,;:]|$)", "", left.strip(" .,;:") + ".").removeprefix("or ")
    return "" if words == "." else words[0].upper() + words[1:]


FIELD_WORDS = {
    "missing": "it is missing",
    "extra_forbidden": "there is no such field",
    "too_long": "it has more than {max_length}",
    "string_too_long": "it has more than {max_length} characters",
    "greater_than": "it is not more than {gt}",
    "greater_than_equal": "it is less than {ge}",
    "less_than": "it is not less than {lt}",
    "less_than_equal": "it is more than {le}",
    "int_parsing": "it is no whole number",
    "int_type": "it is no whole number",
    "int_from_float": "it is no whole number",
    "literal_error": "it is none of {expected}",
    "model_type": "it is no object",
    "model_attributes_type": "it is no object",
    "dict_type": "it is no object",
    "list_type": "it is no list",
    "tuple_type": "it is no list",
    "string_type": "it is no text",
    "bool_type": "it is neither true nor false",
    "bool_parsing": "it is neither true nor false",
    "float_parsing": "it is no number",
    "float_type": "it is no number",
    "finite_number": "it is no finite number",
}
"""What is wrong with a field, by pydantic's type of it."""


def field_words(problem: "ErrorDetails") -> str:
    """Return what is wrong with a field, without repeating what was sent."""
    limits = problem.get("ctx", {})
    if problem["type"] in ("too_short", "string_too_short"):
        least = limits["min_length"]
        return "it is empty" if least == 1 else f"it has fewer than {least}"
    if problem["type"] in FIELD_WORDS:
        return FIELD_WORDS[problem["type"]].format_map(limits)
    return problem["msg"].removeprefix("Value error, ").removesuffix(".")


def problem_words(problem: "ErrorDetails") -> str:
    """Return which field is wrong, if it is one, and what is: "k: it is more than 100"."""
    where = ".".join(map(str, problem["loc"]))
    return f"{where}: {field_words(problem)}" if where else field_words(problem)


class InvalidSetting(PlatformError):
    """A setting is unknown or has a value that cannot be used."""

    exit_code = 2
    http_status = 400


class InvalidRequest(PlatformError):
    """A question, name or option cannot be used as given."""

    exit_code = 2
    http_status = 422


class ClewClosed(PlatformError):
    """The facade was closed, and is used again."""


class UnknownStrategy(InvalidRequest):
    """No strategy of that name exists."""


class UnknownJob(PlatformError):
    """No job with that id exists."""

    exit_code = 3
    http_status = 404


class JobNotOver(PlatformError):
    """A job cannot be done again yet: it waits or runs."""

    exit_code = 3
    http_status = 409


class UnknownSchedule(PlatformError):
    """No schedule with that id exists."""

    exit_code = 3
    http_status = 404


class UnknownWebhook(PlatformError):
    """No webhook with that id exists."""

    exit_code = 3
    http_status = 404


class ScheduleBusy(PlatformError):
    """A schedule cannot be run now: the job of its run before is not over."""

    exit_code = 3
    http_status = 409


class InvalidDataSet(InvalidRequest):
    """A data set of the bench cannot be read; the message names file, record and field."""


class UnknownBenchRun(PlatformError):
    """No run of the bench with that id exists."""

    exit_code = 3
    http_status = 404


class UnknownModelVersion(PlatformError):
    """A method has no trained version of that name."""

    exit_code = 3
    http_status = 404


class JobStopped(PlatformError):
    """A job ended midway because it was told to: cancelled, or its worker stops."""

    exit_code = 130
    http_status = 409


class RunsElsewhere(PlatformError):
    """The same training, or run of the bench, is under way in another process."""

    exit_code = 3
    http_status = 409


class InvalidArchive(PlatformError):
    """A backup is damaged, or of a version that is not known here."""

    exit_code = 2
    http_status = 422


class HomeNotEmpty(PlatformError):
    """A backup cannot be restored where something is already."""

    exit_code = 3
    http_status = 409


class RuntimeNotRunning(PlatformError):
    """Neither an external Neo4j is configured nor is `clew up` running."""

    exit_code = 5
    http_status = 503


class ServiceFailed(PlatformError):
    """A service of the local runtime could not be started or kept running."""

    exit_code = 5
    http_status = 503


class WorkerUnavailable(PlatformError):
    """No worker took the question in time."""

    exit_code = 5
    http_status = 503


class QuestionTimedOut(WorkerUnavailable):
    """A question took longer than ``query_timeout_s``; asked again at once, it would again."""

    http_status = 504


class AccessDenied(PlatformError):
    """The caller is not who they must be for this."""

    exit_code = 4
    http_status = 401


class UnknownUser(PlatformError):
    """No user of that name exists."""

    exit_code = 3
    http_status = 404


class UnknownApiKey(PlatformError):
    """No API key with that id exists."""

    exit_code = 3
    http_status = 404


class TooManyLogins(PlatformError):
    """More people log in at once than passwords can be compared."""

    http_status = 503


CLEW_ERRORS = (PlatformError, IngestError, ModelError, GraphError)
"""Every error that is meant for a person to read; anything else is a bug."""
