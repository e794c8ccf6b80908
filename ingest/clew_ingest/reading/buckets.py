"""Objects of S3-compatible buckets, listed below a prefix and read one at a time.

The endpoint and its keys are an administrator's setting, so it may lie inside the network; nothing
that is redirected is followed, so that it cannot send anybody elsewhere.
"""

import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from clew_ingest.errors import SourceGone, SourceTooLarge, UnreadableSource

if TYPE_CHECKING:
    from minio import Minio

_ADDRESS = re.compile(r"s3://([^/]+)(?:/(.*))?", re.DOTALL)
_PART = 1024 * 1024
_CONNECT_S, _READ_S = 10.0, 30.0
OBJECT_S = 300.0
"""Seconds an object may take to arrive."""


@dataclass(frozen=True)
class BucketAccess:
    """How buckets are reached: the endpoint's URL, its region, keys, and the form of addresses.

    ``path_style``: the bucket stands in the path; else it is a part of the host's name.
    """

    endpoint: str
    region: str
    access_key: str
    secret_key: str
    path_style: bool

    def __repr__(self) -> str:
        """Return it without the keys, which must not come into a log."""
        return f"BucketAccess({self.endpoint!r}, {self.region!r})"


@dataclass(frozen=True)
class BucketObject:
    """An object of a bucket in one version; ``size`` in bytes."""

    bucket: str
    key: str
    etag: str
    size: int

    @property
    def uri(self) -> str:
        """Its address, with the key as it is."""
        return f"s3://{self.bucket}/{self.key}"


def is_bucket(given: str) -> bool:
    """Whether a text names a bucket, or what lies in one, rather than a file or page."""
    return given.startswith("s3://")


def bucket_and_prefix(given: str) -> tuple[str, str]:
    """Return the bucket and the prefix that an address names, without a slash at its end.

    Raises UnreadableSource for what is no address of a bucket.
    """
    match = _ADDRESS.fullmatch(given)
    if match is None or not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]{1,62}", match[1]):
        raise UnreadableSource(
            f"{given!r} names no bucket.", remedy="Write s3://BUCKET or s3://BUCKET/PREFIX."
        )
    return match[1], (match[2] or "").rstrip("/")


def plain_address(given: str) -> str:
    """Return an address as it is kept, without a slash at its end. Raises UnreadableSource."""
    return f"s3://{'/'.join(bucket_and_prefix(given))}".rstrip("/")


def objects_below(given: str, access: BucketAccess | None) -> Iterator[BucketObject]:
    """Yield the objects at or below an address s3://BUCKET/PREFIX, by key.

    A prefix is a folder: ``s3://b/a`` is the object ``a`` and what lies below ``a/``, never ``ab``.
    Raises UnreadableSource where the bucket cannot be listed, and for what names none.
    """
    bucket, prefix = bucket_and_prefix(given)
    with _told(given):
        listed = _client(_required(access)).list_objects(bucket, prefix=prefix, recursive=True)
        for item in listed:
            key = item.object_name or ""
            below = not prefix or key == prefix or key.startswith(f"{prefix}/")
            if below and not key.endswith("/"):
                yield BucketObject(bucket, key, item.etag or "", item.size or 0)


def read_object(item: BucketObject, access: BucketAccess | None, limit: int) -> bytes:
    """Return an object's bytes, at most ``limit``.

    Raises SourceTooLarge, SourceGone, or UnreadableSource with the reason.
    """
    if item.size > limit:
        raise _too_large(limit)
    deadline = time.monotonic() + OBJECT_S
    with _told(item.uri):
        response: Any = _client(_required(access)).get_object(item.bucket, item.key)
        try:
            data = bytearray()
            for part in response.stream(_PART):
                data += part
                if len(data) > limit:  # it grew since it was listed
                    raise _too_large(limit)
                if time.monotonic() > deadline:
                    raise UnreadableSource(
                        f"{item.uri} could not be fetched: it took longer than {OBJECT_S:.0f} s.",
                        remedy="Try again, or look at the network to the endpoint.",
                    )
            return bytes(data)
        finally:
            response.close()
            response.release_conn()


@lru_cache(maxsize=4)
def _client(access: BucketAccess) -> "Minio":
    import certifi
    import urllib3
    from minio import Minio

    address = urlsplit(access.endpoint)
    client = Minio(
        address.netloc,
        access_key=access.access_key,
        secret_key=access.secret_key,
        secure=address.scheme == "https",
        region=access.region,
        http_client=urllib3.PoolManager(
            timeout=urllib3.Timeout(connect=_CONNECT_S, read=_READ_S),
            retries=urllib3.Retry(total=2, redirect=False, backoff_factor=0.2),
            ca_certs=certifi.where(),
            cert_reqs="CERT_REQUIRED",
        ),
    )
    if access.path_style:
        client.disable_virtual_style_endpoint()
    else:
        client.enable_virtual_style_endpoint()
    return client


def _required(access: BucketAccess | None) -> BucketAccess:
    if access is None:
        raise UnreadableSource(
            "No endpoint is set from which buckets could be read.",
            remedy="Set s3_endpoint, s3_access_key and s3_secret_key.",
        )
    return access


def _too_large(limit: int) -> SourceTooLarge:
    return SourceTooLarge(
        f"The object has more than {limit // _PART} MiB.",
        remedy="Split it, or raise file_limit_mib.",
    )


@contextmanager
def _told(address: str) -> Iterator[None]:
    """Say what went wrong at the endpoint in words that help."""
    from minio.error import MinioException, S3Error
    from urllib3.exceptions import HTTPError

    try:
        yield
    except S3Error as error:
        if error.code == "NoSuchKey":
            raise SourceGone(f"{address} is not there any more.") from error
        remedies = {
            "NoSuchBucket": "Check the bucket's name and s3_endpoint.",
            "AccessDenied": "The keys of s3_access_key must be allowed to list and read it.",
            "InvalidAccessKeyId": "Check s3_access_key.",
            "SignatureDoesNotMatch": "Check s3_secret_key and s3_region.",
        }
        raise UnreadableSource(
            f"{address} cannot be read: {error.code}: {error.message or 'no reason given'}",
            remedy=remedies.get(error.code or "", "Check s3_endpoint, s3_region and the keys."),
        ) from error
    except (MinioException, HTTPError, OSError, ValueError) as error:
        raise UnreadableSource(
            f"{address} cannot be read: the endpoint did not answer as expected "
            f"({type(error).__name__}).",
            remedy="Check that s3_endpoint is right and can be reached from the worker.",
        ) from error
