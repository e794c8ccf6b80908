"""The kept replies of language models: what is asked again costs nothing."""

from typing import TYPE_CHECKING

from clew.settings import Settings

if TYPE_CHECKING:
    from pathlib import Path

    from clew_ingest.triples.reply_cache import ReplyCache


def reply_cache(settings: Settings) -> "ReplyCache":
    """Return the cache of replies, opened; to be closed, and not to be taken across a fork."""
    from clew_ingest.triples.reply_cache import ReplyCache

    return ReplyCache(_directory(settings), max_bytes=settings.reply_cache_mib * 1024 * 1024)


def has_replies(settings: Settings) -> bool:
    """Return whether there is a cache of replies at all; cheap."""
    from clew_ingest.triples.reply_cache import FILE

    return (_directory(settings) / FILE).exists()


def _directory(settings: Settings) -> "Path":
    return settings.cache / "replies"
