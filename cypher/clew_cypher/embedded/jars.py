"""Fetch the jars of the lock file in parallel, and never use one that does not match it."""

import contextlib
import errno
import fcntl
import hashlib
import json
import os
import shutil
import ssl
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from http import HTTPStatus
from pathlib import Path
from typing import TYPE_CHECKING

from clew_cypher.embedded.lock import Jar, locked_jars
from clew_cypher.errors import DownloadFailed

if TYPE_CHECKING:
    import httpx

Progress = Callable[[int, int], None]
"""Called with the bytes that are done and the bytes in all."""

PARALLEL_DOWNLOADS = 16
ATTEMPTS = 3
_BLOCK = 1 << 18
_SPARE_BYTES = 64 << 20
_PASSING_STATUS = {408, 425, 429, 500, 502, 503, 504}


def ensure_jars(
    cache_dir: Path,
    progress: Progress | None = None,
    repository: str | None = None,
    jars: Iterable[Jar] | None = None,
) -> list[Path]:
    """Return the path of every jar, fetched and checked where it is not there yet.

    ``repository`` is a Maven repository's address, by default Maven Central; ``jars`` by default
    those of ``jars.lock``. A jar whose size and times are as when its SHA-256 was checked last is
    taken as it is; any other is checked again, and fetched if it does not match. Where all are
    taken as they are, nothing is written: the cache may be another user's.

    Raises DownloadFailed where there is no network, no room, or the repository has other bytes.
    """
    wanted = locked_jars() if jars is None else tuple(jars)
    folder = cache_dir / "jars"
    tell = progress or (lambda done, total: None)
    stamps = _read_stamps(folder)
    if all(_is_stamped(folder, jar, stamps) for jar in wanted):
        total = sum(jar.size for jar in wanted)
        tell(total, total)
        return [folder / jar.path for jar in wanted]
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with _locked(folder / ".lock"):
            _ensure(wanted, folder, tell, repository)
    except OSError as error:
        raise _disk_error(folder, error) from error
    return [folder / jar.path for jar in wanted]


def missing_jars(cache_dir: Path) -> list[Jar]:
    """Return the jars that ``ensure_jars`` would look at again or fetch; cheap."""
    folder = cache_dir / "jars"
    stamps = _read_stamps(folder)
    return [jar for jar in locked_jars() if not _is_stamped(folder, jar, stamps)]


def _ensure(
    jars: tuple[Jar, ...], folder: Path, progress: Progress, repository: str | None
) -> None:
    stamps = _read_stamps(folder)
    total = sum(jar.size for jar in jars)
    missing = []
    for jar in jars:
        if _is_stamped(folder, jar, stamps):
            continue
        path = folder / jar.path
        if path.is_file() and path.stat().st_size == jar.size:
            stamp = _stamp(path, jar)  # before it is read: what changes it meanwhile shows
            if _sha256(path) == jar.sha256:
                stamps[jar.path] = stamp
                continue
        missing.append(jar)
    done = total - sum(jar.size for jar in missing)
    if missing:
        needed = total - done + _SPARE_BYTES
        free = shutil.disk_usage(folder).free
        if free < needed:
            raise DownloadFailed(
                f"The jars of Neo4j need {needed >> 20} MiB, but {folder} has {free >> 20} MiB.",
                remedy="Free some space, or set CLEW_CACHE_DIR to a directory that has it.",
            )
        try:
            for jar in _fetch_all(missing, folder, repository):
                stamps[jar.path] = _stamp(folder / jar.path, jar)
                done += jar.size
                progress(min(done, total), total)
        finally:
            _write_stamps(folder, stamps)
    elif stamps != _read_stamps(folder):
        _write_stamps(folder, stamps)
    progress(total, total)


def _fetch_all(jars: list[Jar], folder: Path, repository: str | None) -> Iterator[Jar]:
    import certifi
    import httpx
    from jgo.constants import MAVEN_CENTRAL_URL

    base = (repository or MAVEN_CENTRAL_URL).rstrip("/")
    stop = threading.Event()
    context = ssl.create_default_context()
    context.load_verify_locations(certifi.where())
    limits = httpx.Limits(max_connections=PARALLEL_DOWNLOADS)
    with (
        httpx.Client(verify=context, timeout=30, limits=limits, follow_redirects=True) as client,
        ThreadPoolExecutor(PARALLEL_DOWNLOADS, "jar") as pool,
    ):
        futures = {pool.submit(_fetch, client, base, jar, folder, stop): jar for jar in jars}
        try:
            for future in as_completed(futures):
                future.result()
                yield futures[future]
        finally:
            stop.set()
            for future in futures:
                future.cancel()


def _fetch(
    client: "httpx.Client", base: str, jar: Jar, folder: Path, stop: threading.Event
) -> None:
    import httpx

    url = f"{base}/{jar.path}"
    for attempt in range(1, ATTEMPTS + 1):
        try:
            _fetch_once(client, url, jar, folder, stop)
            return
        except (httpx.TransportError, _TryAgain) as error:
            if attempt == ATTEMPTS or stop.is_set():
                raise DownloadFailed(
                    f"{jar.coordinates} could not be fetched from {base}: "
                    f"{str(error) or type(error).__name__}.",
                    remedy="Check the network, or name a mirror with CLEW_MAVEN_REPOSITORY; "
                    "what was fetched so far is kept.",
                ) from error
            time.sleep(0.5 * attempt)


class _TryAgain(Exception):
    """A failure that may pass."""


def _fetch_once(
    client: "httpx.Client", url: str, jar: Jar, folder: Path, stop: threading.Event
) -> None:
    path = folder / jar.path
    path.parent.mkdir(parents=True, exist_ok=True)
    digest = hashlib.sha256()
    size = 0
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=".part-")
    try:
        with os.fdopen(handle, "wb") as file, client.stream("GET", url) as response:
            if response.status_code in _PASSING_STATUS:
                raise _TryAgain(f"the repository answered {response.status_code}")
            if response.status_code != HTTPStatus.OK:
                raise DownloadFailed(
                    f"{jar.coordinates} is not to be had: {url} answered {response.status_code}.",
                    remedy="Check the repository's address (CLEW_MAVEN_REPOSITORY).",
                )
            for block in response.iter_bytes(_BLOCK):
                size += len(block)
                if stop.is_set() or size > jar.size:
                    break
                digest.update(block)
                file.write(block)
        if stop.is_set():
            return
        if size < jar.size:
            raise _TryAgain(f"{size} of {jar.size} bytes came")
        if size > jar.size or digest.hexdigest() != jar.sha256:
            raise DownloadFailed(
                f"{jar.coordinates} from {url} does not match the lock's SHA-256.",
                remedy="It is not used. Check the repository (CLEW_MAVEN_REPOSITORY) or a proxy.",
            )
        os.chmod(temporary, 0o644)
        os.replace(temporary, path)
    finally:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(temporary)


def _read_stamps(folder: Path) -> dict[str, list[int | str]]:
    try:
        stamps = json.loads((folder / "verified.json").read_text())
    except (OSError, ValueError):
        return {}
    return stamps if isinstance(stamps, dict) else {}


def _write_stamps(folder: Path, stamps: dict[str, list[int | str]]) -> None:
    temporary = folder / f".verified-{os.getpid()}"
    temporary.write_text(json.dumps(stamps, indent=0, sort_keys=True))
    os.replace(temporary, folder / "verified.json")


def _stamp(path: Path, jar: Jar) -> list[int | str]:
    found = path.stat()
    # the time of the last change of any kind, which no copy and no tool sets back
    return [found.st_size, found.st_mtime_ns, found.st_ctime_ns, jar.sha256]


def _is_stamped(folder: Path, jar: Jar, stamps: dict[str, list[int | str]]) -> bool:
    try:
        return stamps.get(jar.path) == _stamp(folder / jar.path, jar)
    except OSError:
        return False


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


@contextlib.contextmanager
def _locked(path: Path) -> Iterator[None]:
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _disk_error(folder: Path, error: OSError) -> DownloadFailed:
    why = "the disk is full" if error.errno == errno.ENOSPC else error.strerror or str(error)
    return DownloadFailed(
        f"The jars of Neo4j cannot be kept in {folder}: {why}.",
        remedy="Free some space, or set CLEW_CACHE_DIR to a directory that can be written.",
    )
