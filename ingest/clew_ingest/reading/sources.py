"""Sources: what a person names (files, folders, URLs, uploads), found and opened with care."""

import errno
import hashlib
import os
import re
import stat
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote, urldefrag

from clew_ingest.errors import UnreadableSource
from clew_ingest.limits import IngestLimits
from clew_ingest.reading.buckets import BucketObject, is_bucket, objects_below, read_object
from clew_ingest.reading.fetching import fetch
from clew_ingest.reading.media_types import (
    HEAD_BYTES,
    has_no_extension,
    has_signature,
    is_plain_text,
    media_type_of_name,
)
from clew_ingest.reading.packed_files import GZIP, too_large
from clew_ingest.reading.text_decoding import in_utf8

_URL = re.compile(r"^https?://", re.IGNORECASE)
_MAX_NAME, _MAX_EXTENSION, _MAX_PARTS = 200, 20, 8
_DANGLING = "The link leads nowhere."
_UNREAD = "Files of this kind are not read."
_HIDDEN = "It is hidden."
_LOCK = "It is the lock of a file that is open in an Office program."
_LOCK_MARK = "~$"


@dataclass(frozen=True)
class Source:
    """One thing to read. ``uri`` identifies it, ``name`` gives its type and title.

    Exactly one of ``path``, ``url``, ``object`` and ``data`` says where its bytes are.
    ``media_type``: what the uploader declared.
    """

    uri: str
    name: str
    path: Path | None = None
    url: str | None = None
    object: BucketObject | None = None
    data: bytes | None = None
    media_type: str | None = None


@dataclass(frozen=True)
class SkippedSource:
    """Something that was found and is not read, and why."""

    uri: str
    reason: str


@dataclass(frozen=True)
class LoadedSource:
    """A source's bytes, with the name and declared media type that they came with."""

    data: bytes
    name: str
    media_type: str | None


def find_sources(
    inputs: Iterable[str | Path], limits: IngestLimits | None = None
) -> tuple[list[Source], list[SkippedSource]]:
    """Return the sources that files, folders, URLs and buckets stand for, and what is left out.

    Folders are walked in sorted order. Left out, with the reason: hidden files and folders, locks
    of Office programs, files of kinds that are not read, links that lead out of their folder, what
    is no regular file. A file that is named itself is always a source: if it cannot be read, its
    Document says why. ``limits`` say how buckets are reached. Raises UnreadableSource for one that
    cannot be listed.
    """
    sources: dict[str, Source] = {}
    skipped: list[SkippedSource] = []
    for given in inputs:
        if isinstance(given, str) and _URL.match(given):
            url = urldefrag(given)[0]
            found: Iterable[Source | SkippedSource] = [Source(uri=url, name=url, url=url)]
        elif isinstance(given, str) and is_bucket(given):
            found = _in_bucket(given, limits)
        else:
            found = _named(local_path(given), str(given))
        for item in found:
            if isinstance(item, SkippedSource):
                skipped.append(item)
            else:
                sources.setdefault(item.uri, item)
    return list(sources.values()), skipped


def is_url(given: str) -> bool:
    """Whether a text names a web page rather than a file or folder."""
    return _URL.match(given) is not None


def local_path(given: str | Path) -> Path:
    """Return the path that a person names; "~" begins that of a home, or a name where nobody is
    called so. Raises UnreadableSource for a blank one, which would be the working directory.
    """
    if isinstance(given, str) and not given.strip():
        raise UnreadableSource(
            "A blank names no file or folder.", remedy="Is it a variable that is not set?"
        )
    try:
        return Path(given).expanduser()
    except RuntimeError:
        return Path(given)


def _in_bucket(given: str, limits: IngestLimits | None) -> Iterator[Source | SkippedSource]:
    for item in objects_below(given, limits.buckets if limits else None):
        name = item.key.rpartition("/")[2]
        if any(unicodedata.category(character)[0] == "C" for character in item.key):
            yield SkippedSource(quote(item.uri, safe=":/"), "Its name holds control characters.")
        elif any(part.startswith(".") for part in item.key.split("/")):
            yield SkippedSource(item.uri, _HIDDEN)
        elif name.startswith(_LOCK_MARK):
            yield SkippedSource(item.uri, _LOCK)
        elif media_type_of_name(name) is None:
            yield SkippedSource(item.uri, _UNREAD)
        else:
            yield Source(uri=item.uri, name=name, object=item)


def _named(path: Path, given: str) -> Iterable[Source | SkippedSource]:
    if not os.path.lexists(path):
        return [SkippedSource(given, "There is no such file or folder.")]
    try:
        target = path.resolve(strict=True)
    except FileNotFoundError:
        return [SkippedSource(given, _DANGLING)]
    except RuntimeError:  # a loop of links, before Python 3.13
        return [SkippedSource(given, _DANGLING)]
    except OSError as error:
        reason = _DANGLING if error.errno == errno.ELOOP else f"{error.strerror}."
        return [SkippedSource(given, reason)]
    return _walk(target) if target.is_dir() else [_file(target)]


def uploaded(name: str, data: bytes, media_type: str | None = None) -> Source:
    """Return an upload as a source; ``name`` may hold folders, and nothing that leads anywhere."""
    safe = safe_name(name)
    return Source(uri=f"upload:{quote(safe)}", name=safe, data=data, media_type=media_type)


def safe_name(name: str) -> str:
    """Return an uploaded file's name without drive, root, ``..`` and control characters."""
    text = unicodedata.normalize("NFC", name.encode("utf-8", "replace").decode())
    text = "".join(character for character in text if unicodedata.category(character)[0] != "C")
    parts = [part.strip() for part in text.replace("\\", "/").split("/")]
    parts = [part for part in parts if part.strip(". ") and not re.fullmatch(r"[A-Za-z]:", part)]
    if not parts:
        return "unnamed"
    if len(parts) > _MAX_PARTS:
        left_out = len(parts) - _MAX_PARTS + 1
        parts = [_cut("/".join(parts[:left_out]), len(parts[0])), *parts[left_out:]]
    *folders, own = parts
    stem, extension = os.path.splitext(own)
    if len(extension) > _MAX_EXTENSION:
        stem, extension = own, ""
    longest = _MAX_NAME - len(extension)
    own = (stem if len(stem) <= longest else _cut(stem, longest)) + extension
    cut = (name if len(name) <= _MAX_NAME else _cut(name, _MAX_NAME) for name in folders)
    return "/".join((*cut, own))


def _cut(name: str, length: int) -> str:
    """Return the beginning of a name with a digest of the whole, of ``length`` characters if these
    are ten at least: two names that begin alike never become one."""
    mark = f"~{hashlib.sha256(name.encode()).hexdigest()[:8]}"
    return f"{name[: max(1, length - len(mark))]}{mark}"


def load(source: Source, limits: IngestLimits) -> LoadedSource:
    """Return a source's bytes. Raises UnreadableSource (or a kind of it) with the reason."""
    if source.url is not None:
        page = fetch(source.url, limits)
        data = page.data
        is_known = has_signature(data, page.name, page.media_type)
        if not is_known and not data.startswith(GZIP):
            data = in_utf8(data, page.media_type)  # the header is not kept
        return LoadedSource(data, page.name, page.media_type)
    if source.object is not None:
        data = read_object(source.object, limits.buckets, limits.file_bytes)
        return LoadedSource(data, source.name, source.media_type)
    if source.path is not None:
        return LoadedSource(_read_file(source.path, limits), source.name, source.media_type)
    data = source.data or b""
    if len(data) > limits.file_bytes:
        raise too_large(len(data), limits)
    return LoadedSource(data, source.name, source.media_type)


def _file(path: Path) -> Source:
    name = os.fsencode(path.name).decode("utf-8", "replace")
    return Source(uri=path.as_uri(), name=name, path=path)


def _walk(root: Path) -> Iterator[Source | SkippedSource]:
    problems: list[OSError] = []
    for folder, folders, files in os.walk(root, onerror=problems.append):
        here = Path(folder)
        for name in sorted(folders):
            if name.startswith("."):
                yield SkippedSource((here / name).as_uri(), _HIDDEN)
            elif (here / name).is_symlink():
                yield SkippedSource((here / name).as_uri(), "Links to folders are not followed.")
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(files):
            yield _entry(root, here / name)
    for problem in problems:
        yield SkippedSource(Path(problem.filename).as_uri(), f"{problem.strerror}.")


def _entry(root: Path, path: Path) -> Source | SkippedSource:
    reason = ""
    if path.name.startswith("."):
        reason = _HIDDEN
    elif path.name.startswith(_LOCK_MARK):
        reason = _LOCK
    elif media_type_of_name(path.name) is None and not has_no_extension(path.name):
        reason = _UNREAD
    else:
        try:
            if path.is_symlink() and not path.resolve(strict=True).is_relative_to(root):
                reason = "The link leads out of the folder."
            elif not stat.S_ISREG(path.stat().st_mode):
                reason = "It is not a regular file."
            elif media_type_of_name(path.name) is None and not is_plain_text(_head(path)):
                reason = _UNREAD
        except (OSError, RuntimeError):
            reason = _DANGLING
    return SkippedSource(path.as_uri(), reason) if reason else _file(path)


def _head(path: Path) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read(HEAD_BYTES)
    except PermissionError:
        return b"?"  # why it cannot be read is said where it is read


def _read_file(path: Path, limits: IngestLimits) -> bytes:
    try:
        # Not blocking: opening a pipe that nobody writes to would wait for ever.
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        raise UnreadableSource(
            f"The file cannot be opened: {error.strerror}.", remedy="Check its permissions."
        ) from error
    with os.fdopen(descriptor, "rb") as file:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise UnreadableSource("It is not a regular file.")
        if status.st_size > limits.file_bytes:
            raise too_large(status.st_size, limits)
        try:
            data = file.read(limits.file_bytes + 1)
        except OSError as error:
            raise UnreadableSource(f"The file cannot be read: {error.strerror}.") from error
    if len(data) > limits.file_bytes:  # it grew meanwhile
        raise too_large(len(data), limits)
    return data
