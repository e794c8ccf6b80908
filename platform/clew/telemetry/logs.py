"""Log lines of the web server and the workers: for people, or one JSON object a line."""

import json
import logging
from datetime import UTC, datetime
from typing import Any

from clew.settings import Settings
from clew.telemetry.request import request_id

TEXT = "%(asctime)s %(levelname)s %(name)s [%(request_id)s] %(message)s"
FIELDS = "fields"
"""The attribute of a record whose values a JSON line has beside the usual ones."""
CONTROLS = {
    code: chr(code).encode("unicode_escape").decode()
    for code in (*range(0x20), *range(0x7F, 0xA0), 0x2028, 0x2029)
}
"""Characters that end a line or steer a terminal, and how they are written instead."""


def configure_logs(settings: Settings, level: int = logging.INFO) -> None:
    """Let every logger of this process write to standard error as the settings say."""
    handler = logging.StreamHandler()
    handler.addFilter(_with_request)
    handler.setFormatter(JsonLines() if settings.log_format == "json" else TextLines(TEXT))
    logging.basicConfig(level=level, handlers=[handler], force=True)


class TextLines(logging.Formatter):
    """A line a record, and below it the traceback of an error: no text that a caller sent can be
    taken for another line."""

    def formatMessage(self, record: logging.LogRecord) -> str:
        """Return the line."""
        return super().formatMessage(record).translate(CONTROLS)


class JsonLines(logging.Formatter):
    """One JSON object a line: time, level, logger, message, request_id, further fields."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line."""
        moment = datetime.fromtimestamp(record.created, UTC)
        line: dict[str, Any] = {
            "time": moment.isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            "message": record.getMessage(),
            "request_id": getattr(record, "request_id", "-"),
            **getattr(record, FIELDS, {}),
        }
        if record.exc_info:
            line["exception"] = self.formatException(record.exc_info)
        return json.dumps(line, ensure_ascii=False, default=str)


def _with_request(record: logging.LogRecord) -> bool:
    record.request_id = request_id() or "-"
    return True
