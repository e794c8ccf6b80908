"""The archive's format.

    manifest.json     what made it, the graph's digest, and each other member's SHA-256; last
    graph.jsonl       a node or a relationship a line; relationships name nodes by their lines
    files/…           trained models and ended sessions, by their path below the home

It is a ZIP file, so that it can be looked into; only its owner can read it, since it holds what
users asked and the digests of passwords and keys.
"""

import hashlib
import json
import lzma
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path, PurePosixPath
from typing import Any

from pydantic import BaseModel, ValidationError

from clew.errors import InvalidArchive
from clew.results.backup import BackupInfo
from clew_cypher.backup import Element

FORMAT = 1
MANIFEST, GRAPH, FILES = "manifest.json", "graph.jsonl", "files/"
FOLDERS = ("models", "web")
"""What of a home is kept: the rest is logs, what is derived from the graph, and secrets."""
CHUNK = 2**20
Tell = Callable[[str, int, int], None]
"""Called with what is being done, how much of it is done, and how much there is (0: unknown)."""


class Manifest(BaseModel):
    """What stands in ``manifest.json``; ``sums``: each member's SHA-256."""

    format: int
    info: BackupInfo
    dimension: int | None
    sums: dict[str, str]


def line_of(element: Element) -> bytes:
    """Return an element as a line of ``graph.jsonl``."""
    value: dict[str, Any] = {"p": element.properties}
    if element.vector is not None:
        value["v"] = element.vector
    if element.labels:
        value["labels"] = element.labels
    else:
        value |= {"type": element.type, "from": element.start, "to": element.end}
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def element_of(line: bytes) -> Element:
    """Return the element of such a line."""
    value = json.loads(line)
    return Element(
        value["p"],
        value.get("v"),
        tuple(value.get("labels", ())),
        value.get("type", ""),
        value.get("from", 0),
        value.get("to", 0),
    )


@contextmanager
def opened(path: Path) -> Iterator[tuple[zipfile.ZipFile, Manifest]]:
    """Open an archive whose format is known here. Raises InvalidArchive."""
    if not path.is_file():
        raise InvalidArchive(f"There is no file {path}.", remedy="Name what `clew backup` made.")
    with ExitStack() as stack:
        with _told_as_damage(path):
            archive = stack.enter_context(zipfile.ZipFile(path))
            manifest = _manifest(path, archive)
        yield archive, manifest


@contextmanager
def _told_as_damage(path: Path) -> Iterator[None]:
    """Turn what zipfile and its decompressors raise on changed bytes into InvalidArchive.

    RuntimeError: a flipped flag says "encrypted", or names a method of packing that is not known.
    """
    try:
        yield
    except (
        zipfile.BadZipFile,
        zlib.error,
        lzma.LZMAError,
        EOFError,
        OSError,
        RuntimeError,
        ValueError,
    ) as error:
        raise damaged(path, str(error)) from error


def _manifest(path: Path, archive: zipfile.ZipFile) -> Manifest:
    try:
        value = json.loads(archive.read(MANIFEST))
        known = value["format"] == FORMAT
    except (KeyError, ValueError, TypeError) as error:
        raise damaged(path, "it has no manifest") from error
    if not known:
        raise InvalidArchive(
            f"{path} has format {value['format']}; this Clew reads format {FORMAT}.",
            remedy="Restore it with the version of Clew that made it.",
        )
    try:
        return Manifest.model_validate(value)
    except ValidationError as error:
        raise damaged(path, "its manifest is not whole") from error


def check_sums(path: Path, archive: zipfile.ZipFile, manifest: Manifest, tell: Tell) -> None:
    """Raise InvalidArchive unless every member is there, whole, and none but those."""
    names = {name for name in archive.namelist() if name != MANIFEST}
    if names != manifest.sums.keys():
        raise damaged(path, "a part is missing, or not of it")
    total = sum(archive.getinfo(name).file_size for name in names)
    done = 0
    for name, wanted in sorted(manifest.sums.items()):
        digest = hashlib.sha256()
        for data in _chunks(path, archive, name):
            digest.update(data)
            done += len(data)
            tell("Checking", done, total)
        if digest.hexdigest() != wanted:
            raise damaged(path, f"{name} has another checksum")


def _chunks(path: Path, archive: zipfile.ZipFile, name: str) -> Iterator[bytes]:
    with _told_as_damage(path), archive.open(name) as member:
        while data := member.read(CHUNK):
            yield data


def home_path(home: Path, member: str) -> Path:
    """Return where a member below ``files/`` belongs. Raises InvalidArchive outside the home."""
    parts = PurePosixPath(member.removeprefix(FILES)).parts
    if len(parts) < 2 or parts[0] not in FOLDERS or ".." in parts:
        raise InvalidArchive(f"The archive holds {member!r}, which has no place in a home.")
    return home.joinpath(*parts)


def damaged(path: Path, why: str) -> InvalidArchive:
    """Return the error for an archive that is not whole."""
    return InvalidArchive(
        f"{path} is damaged: {why}.", remedy="Take another copy; nothing was changed here."
    )
