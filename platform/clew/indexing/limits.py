"""Fills ingest's limits from the settings."""

import os

from clew.settings import Settings
from clew.settings.loopback import is_loopback
from clew_ingest.limits import IngestLimits
from clew_ingest.reading.buckets import BucketAccess

MOST_PARSERS = 8
"""Each takes 300 MiB; so many keep the embedder busy."""


def limits_of(settings: Settings) -> IngestLimits:
    """Return the limits; URLs are fetched only on loopback unless ``url_ingest`` says otherwise."""
    url_ingest = settings.url_ingest
    if url_ingest is None:
        url_ingest = is_loopback(settings.web_host)
    return IngestLimits(
        file_limit_mib=settings.file_limit_mib,
        text_limit_mib=settings.text_limit_mib,
        unpacked_limit_mib=settings.unpacked_limit_mib,
        reader_timeout_s=settings.reader_timeout_s,
        reader_memory_mib=settings.reader_memory_mib,
        url_ingest=url_ingest,
        buckets=_buckets(settings),
        chunk_tokens=settings.chunk_tokens,
        batch_chunks=settings.ingest_batch_chunks,
        triple_vectors=settings.triple_vectors,
        parser_processes=settings.parser_processes or _parsers(),
    )


def _buckets(settings: Settings) -> BucketAccess | None:
    access, secret = settings.s3_access_key, settings.s3_secret_key
    if settings.s3_endpoint is None or access is None or secret is None:
        return None
    return BucketAccess(
        endpoint=settings.s3_endpoint,
        region=settings.s3_region,
        access_key=access.get_secret_value(),
        secret_key=secret.get_secret_value(),
        path_style=settings.s3_path_style,
    )


def _parsers() -> int:
    """Half of the cores parse, the others embed, extract and write."""
    return min(max((os.cpu_count() or 1) // 2, 1), MOST_PARSERS)
