"""``Clew.restore``: what an archive holds, into a home and a database that are empty."""

import shutil
import zipfile
from collections.abc import Iterator
from pathlib import Path

from clew.backup.archive import (
    CHUNK,
    FILES,
    GRAPH,
    Tell,
    check_sums,
    element_of,
    home_path,
    opened,
)
from clew.backup.making import kept_files
from clew.errors import HomeNotEmpty, InvalidArchive
from clew.resources.resources import Resources
from clew.results.backup import BackupInfo
from clew_cypher.backup import (
    Element,
    GraphDigest,
    clear_graph,
    element_counts,
    load_graph,
    read_graph,
)
from clew_cypher.schema import ensure_schema
from clew_cypher.searching.words import ensure_word_indexes


def restore_backup(resources: Resources, path: Path, tell: Tell) -> BackupInfo:
    """Check the archive, then write all of it or nothing; see ``Clew.restore``."""
    path = path.expanduser().absolute()
    home = resources.settings.home
    with opened(path) as (archive, manifest):
        check_sums(path, archive, manifest, tell)
        members = [name for name in archive.namelist() if name.startswith(FILES)]
        places = {name: home_path(home, name) for name in members}
        _require_empty(resources)
        # a graph that was restored begins at the revisions of the archive again
        shutil.rmtree(home / "derived", ignore_errors=True)
        store, info = resources.store, manifest.info
        total = info.nodes + info.relationships
        written: list[Path] = []
        try:
            load_graph(store, _elements(archive), lambda done: tell("Graph", done, total))
            for number, (name, place) in enumerate(places.items(), start=1):
                _extract(archive, name, place, written)
                tell("Trained models", number, len(places))
            digest = GraphDigest()
            for _ in read_graph(store, digest, lambda done: tell("Comparing", done, total)):
                pass
            if digest.value != info.digest:
                raise InvalidArchive(
                    f"The graph that was restored has the digest {digest.value}, the archive's "
                    f"is {info.digest}.",
                    remedy="Does another program write to this database? Stop it and try again.",
                )
            if manifest.dimension is not None:  # which also brings an older graph up to date
                tell("Indexes", 0, 0)
                ensure_schema(store, manifest.dimension)
                ensure_word_indexes(store)
        except BaseException:
            clear_graph(store)
            for file in written:
                file.unlink(missing_ok=True)
            raise
    return info.model_copy(update={"size_bytes": path.stat().st_size})


def _require_empty(resources: Resources) -> None:
    nodes, _ = element_counts(resources.store)
    if nodes:
        raise HomeNotEmpty(
            f"The database holds {nodes} nodes already.",
            remedy="Restore into another CLEW_HOME or another database: nothing is mixed.",
        )
    files = kept_files(resources.settings.home)
    if files:
        raise HomeNotEmpty(
            f"{resources.settings.home} holds {len(files)} files of trained models or sessions, "
            f"such as {files[0]}.",
            remedy="Restore into another CLEW_HOME, or move them away.",
        )


def _elements(archive: zipfile.ZipFile) -> Iterator[Element]:
    with archive.open(GRAPH) as member:
        for line in member:
            yield element_of(line)


def _extract(archive: zipfile.ZipFile, name: str, place: Path, written: list[Path]) -> None:
    place.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    written.append(place)
    with archive.open(name) as member, place.open("wb") as file:
        shutil.copyfileobj(member, file, CHUNK)
