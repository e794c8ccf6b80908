"""Chats that programs exported as JSON (Slack, Teams, Telegram, Discord): who said what when."""

import html
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any, NamedTuple


class _Export(NamedTuple):
    """Where an export holds its messages ("": it is their list), and in which fields of a message
    who said what and when; the first that is there counts. ``is_page``: what is said is HTML.
    """

    messages: str
    who: tuple[str, ...]
    when: str
    what: str
    is_page: bool = False


_EXPORTS = (
    _Export(
        "",
        ("user_profile.real_name", "user_profile.display_name", "username", "user", "bot_id"),
        *("ts", "text"),
    ),
    _Export("messages", ("from",), "date", "text"),
    _Export("messages", ("author.nickname", "author.name"), "timestamp", "content"),
    _Export("value", ("from.user.displayName",), "createdDateTime", "body.content", True),
)
_UNKNOWN = "Unknown"
_SLACK = re.compile(r"<(@|#|!|)([^<>|\n]+)(?:\|([^<>\n]*))?>")
_BLANK_LINES = re.compile(r"\n\s*\n")


def messages_of(value: Any) -> list[str]:
    """Return the messages of a chat, each with who wrote it and when, "Ada (4 March 2024, 10:16):
    Hello."; none where the JSON is no export of a chat. Of a few messages it need not say who
    wrote them. Times are those of the file; of Slack, UTC.
    """
    for export in _EXPORTS:
        found = value.get(export.messages) if isinstance(value, dict) else value
        if isinstance(value, dict) != bool(export.messages) or not isinstance(found, list):
            continue
        said = [one for one in found if _field(one, export.what) and _field(one, export.when)]
        signed = [one for one in said if _who(one, export)]
        if 2 * len(said) > len(found) and 2 * len(signed) > len(said):
            return list(_told(said, export))
    return []


def _told(messages: list[Any], export: _Export) -> Iterator[str]:
    names = {_field(one, "user"): _who(one, export) for one in messages}
    for one in messages:
        said = _field(one, export.what)
        text = _shown_by(said) if export.is_page else _text(said, names)
        text = _BLANK_LINES.sub("\n", text).strip()
        if text:
            yield f"{_who(one, export) or _UNKNOWN} ({_moment(_field(one, export.when))}): {text}"


def _field(message: Any, path: str) -> Any:
    for name in path.split("."):
        message = message.get(name) if isinstance(message, dict) else None
    return message


def _who(message: Any, export: _Export) -> str:
    found = (_field(message, path) for path in export.who)
    return next((one for one in found if isinstance(one, str) and one), "")


def _shown_by(page: Any) -> str:
    from bs4 import BeautifulSoup

    return " ".join(BeautifulSoup(str(page), "html.parser").get_text(" ").split())


def _text(said: Any, names: dict[Any, str]) -> str:
    """Return a message as it is shown, with names for the ids of those whom it mentions."""
    parts = said if isinstance(said, list) else [said]
    text = "".join(one if isinstance(one, str) else str(_field(one, "text") or "") for one in parts)

    def shown(found: re.Match[str]) -> str:
        kind, target, label = found.groups()
        return f"{kind if kind != '!' else '@'}{label or names.get(target, target)}"

    return html.unescape(_SLACK.sub(shown, text))


def _moment(when: Any) -> str:
    try:
        is_number = re.fullmatch(r"\d+(?:\.\d+)?", str(when))
        moment = (
            datetime.fromtimestamp(float(when), UTC)
            if is_number
            else datetime.fromisoformat(str(when))
        )
    except (ValueError, OverflowError, OSError):
        return str(when)
    return f"{moment.day} {moment:%B %Y, %H:%M}"
