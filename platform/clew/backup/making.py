"""``Clew.backup``: everything into one file, while the system runs."""

import contextlib
import hashlib
import os
import zipfile
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

from clew.backup.archive import (
    CHUNK,
    FILES,
    FOLDERS,
    FORMAT,
    GRAPH,
    MANIFEST,
    Manifest,
    Tell,
    line_of,
)
from clew.errors import InvalidRequest
from clew.resources.resources import Resources
from clew.results.backup import BackupInfo
from clew_cypher.backup import GraphDigest, element_counts, read_graph
from clew_cypher.backup.graph import GraphChanged
from clew_cypher.schema import vector_dimension

TRIES = 3
LEVEL = 3
"""Of compression: vectors do not shrink, and text does at any level."""
PARTS_TOLD = 500


def make_backup(resources: Resources, path: Path, tell: Tell) -> BackupInfo:
    """Write the archive, all of it or nothing; see ``Clew.backup``."""
    path = path.expanduser().absolute()
    if path.exists():
        raise InvalidRequest(f"{path} is there already.", remedy="Name a file that is not.")
    if not path.parent.is_dir():
        raise InvalidRequest(f"There is no directory {path.parent}.", remedy="Make it first.")
    part = path.with_name(f".{path.name}.part")
    part.unlink(missing_ok=True)
    try:
        for attempt in range(1, TRIES + 1):
            try:
                info = _write(resources, part, tell)
                break
            except GraphChanged:
                part.unlink(missing_ok=True)
                if attempt == TRIES:
                    raise
                tell("Written to meanwhile, reading again", 0, 0)
        os.replace(part, path)
    finally:
        part.unlink(missing_ok=True)
    return info.model_copy(update={"size_bytes": path.stat().st_size})


def _write(resources: Resources, part: Path, tell: Tell) -> BackupInfo:
    store, home = resources.store, resources.settings.home
    sums: dict[str, str] = {}
    digest = GraphDigest()
    total = sum(element_counts(store))
    handle = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with (
        os.fdopen(handle, "wb") as file,
        zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=LEVEL) as archive,
    ):
        of_graph = hashlib.sha256()

        def report(done: int) -> None:
            if done % PARTS_TOLD == 0 or done == total:
                tell("Graph", done, total)

        with archive.open(GRAPH, "w", force_zip64=True) as member:
            for element in read_graph(store, digest, report):
                line = line_of(element)
                of_graph.update(line)
                member.write(line)
        sums[GRAPH] = of_graph.hexdigest()
        files = kept_files(home)
        for number, found in enumerate(files, start=1):
            name = FILES + found.relative_to(home).as_posix()
            with contextlib.suppress(FileNotFoundError):  # a checkpoint that a newer one replaced
                sums[name] = _copied(archive, name, found)
            tell("Trained models", number, len(files))
        info = BackupInfo(
            clew=version("clew"),
            made_at=datetime.now(UTC).isoformat(timespec="seconds"),
            nodes=digest.nodes,
            relationships=digest.relationships,
            digest=digest.value,
            files=len(sums) - 1,
        )
        manifest = Manifest(format=FORMAT, info=info, dimension=vector_dimension(store), sums=sums)
        archive.writestr(MANIFEST, manifest.model_dump_json(indent=1))
    with part.open("rb") as written:
        os.fsync(written.fileno())
    return info


def kept_files(home: Path) -> list[Path]:
    """Return the files of a home that an archive holds, in order."""
    found = (path for folder in FOLDERS for path in (home / folder).rglob("*"))
    return sorted(path for path in found if path.is_file() and not path.is_symlink())


def _copied(archive: zipfile.ZipFile, name: str, path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as source, archive.open(name, "w", force_zip64=True) as member:
        while data := source.read(CHUNK):
            digest.update(data)
            member.write(data)
    return digest.hexdigest()
