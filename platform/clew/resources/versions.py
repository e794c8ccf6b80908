"""Versions of trained models under ``models/`` in the home directory, and which of them serve.

    models/METHOD/CORPUS-KEY/VERSION/manifest.json    a finished version, and what made it
    models/METHOD/CORPUS-KEY/serving.json             the one that serves, and those before it
    models/METHOD/general/…                           versions that serve every corpus
    models/METHOD/VERSION/manifest.json               of an earlier Clew; it names the corpus

A version that was trained on one corpus never serves another unless it is general. What ships in
a method's folder is general, and serves where there is nothing else.
"""

import fcntl
import hashlib
import json
import os
import re
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from clew.errors import InvalidRequest, UnknownModelVersion
from clew.results.training import TrainedModel
from clew.strategies.catalogue import learner_of, trainable

if TYPE_CHECKING:
    from clew.settings import Settings

MANIFEST, SERVING = "manifest.json", "serving.json"
GENERAL = "general"
KEPT = 20
"""Versions that a pointer remembers to roll back to."""


@dataclass(frozen=True)
class Version:
    """A finished version: where it lies, its manifest, and the corpus it may serve (None: any)."""

    folder: Path
    model: TrainedModel
    corpus: str | None
    shipped: bool = False


@dataclass(frozen=True)
class Pointer:
    """Which version serves; None: none of its own. ``earlier``: those before it, newest last."""

    serving: str | None
    earlier: tuple[str | None, ...] = ()


def corpus_folder(home: Path, kind: str, corpus: str | None) -> Path:
    """Return where the versions of a method for a corpus lie; for None those for every corpus."""
    if corpus is None:
        return home / "models" / kind / GENERAL
    readable = re.sub(r"[^a-z0-9]+", "-", corpus.lower()).strip("-")[:40]
    digest = hashlib.sha256(corpus.encode()).hexdigest()[:8]
    return home / "models" / kind / f"{readable}-{digest}"


def new_version_folder(settings: "Settings", kind: str, corpus: str | None) -> Path:
    """Make the folder of a new version, named by when it was begun; no two of a method share it."""
    home = settings.home / "models" / kind
    begun = datetime.now(UTC).strftime("%Y%m%d-%H%M%S")
    name, number = begun, 1
    while any(home.glob(f"*/{name}")) or (home / name).exists():
        number += 1
        name = f"{begun}-{number}"
    folder = corpus_folder(settings.home, kind, corpus) / name
    folder.mkdir(parents=True)
    return folder


def write_manifest(folder: Path, model: TrainedModel) -> None:
    """Write a version's manifest; from then on it counts as finished."""
    write_whole(folder / MANIFEST, model.model_dump_json(indent=1) + "\n")


def write_whole(path: Path, text: str) -> None:
    """Write a file that is there whole or not at all."""
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    beside.write_text(text, encoding="utf-8")
    beside.replace(path)


def read_manifest(folder: Path) -> TrainedModel | None:
    """Return the manifest of a folder; None where no finished version lies there."""
    try:
        return TrainedModel.model_validate_json((folder / MANIFEST).read_bytes())
    except (OSError, ValueError):
        return None


def shipped_folder(kind: str) -> Path | None:
    """Return the version that comes with a method: ``shipped`` in its folder; None without one."""
    learner = learner_of(kind)
    return learner.shipped() if learner else None


def versions(settings: "Settings", kind: str) -> list[Version]:
    """Return the finished versions of a method, newest first; last the one that comes with it."""
    return _versions(settings.home, kind)


def find_version(settings: "Settings", kind: str, name: str) -> Version:
    """Return a finished version. Raises UnknownModelVersion, UnknownStrategy."""
    learner_of(kind)
    found = versions(settings, kind)
    for version in found:
        if version.model.version == name:
            return version
    raise UnknownModelVersion(
        f"{kind} has no version {name!r}.",
        remedy="There are: " + ", ".join(one.model.version for one in found) + "."
        if found
        else f"None was trained yet: `clew train {kind} --corpus NAME`.",
    )


def serving_version(settings: "Settings", kind: str, corpus: str, base_model: str) -> Path | None:
    """Return the folder of the version that serves a corpus now; None where there is none.

    Cheap enough for every question: only what changed is read again. A version counts that was
    made for ``base_model``.
    """
    found = serving(settings, kind, corpus, base_model)
    return found.folder if found else None


def serving(settings: "Settings", kind: str, corpus: str | None, base_model: str) -> Version | None:
    """Return the version that serves a corpus, or (None) those without versions of their own."""
    home = settings.home
    places = (
        corpus_folder(home, kind, corpus) / SERVING,
        corpus_folder(home, kind, None) / SERVING,
        home / "models" / kind,
    )
    return _serving(home, kind, corpus, base_model, tuple(map(_stamp, places)))


def pointer(settings: "Settings", kind: str, corpus: str | None) -> Pointer | None:
    """Return which version was chosen to serve a corpus; None where none ever was."""
    return _pointer(settings.home, kind, corpus)


def choose(settings: "Settings", kind: str, corpus: str | None, version: str | None) -> None:
    """Let a version serve a corpus from now on, in all processes; None: none of its own."""
    folder = corpus_folder(settings.home, kind, corpus)
    with _locked(folder):
        known = _pointer(settings.home, kind, corpus)
        before = known.serving if known else _inherited(settings.home, kind, corpus)
        earlier = known.earlier if known else ()
        if known is not None and before == version:
            return
        if before != version:
            earlier = (*earlier, before)[-KEPT:]
        _point(folder, Pointer(version, earlier))


def step_back(
    settings: "Settings", kind: str, corpus: str | None, gone: Collection[str] = ()
) -> str | None:
    """Let the version serve that did before; return its name, None for none of the corpus' own.

    ``gone``: versions that shall not serve any more. Raises InvalidRequest where nothing served
    before.
    """
    folder = corpus_folder(settings.home, kind, corpus)
    with _locked(folder):
        known = _pointer(settings.home, kind, corpus) or Pointer(None)
        earlier = [version for version in known.earlier if version not in gone]
        if not earlier and known.serving not in gone:
            raise InvalidRequest(
                f"No version of {kind} served {corpus or 'every corpus'} before this one.",
                remedy="`clew train list` shows the versions; `clew train promote` chooses one.",
            )
        version = earlier.pop() if earlier else None
        _point(folder, Pointer(version, tuple(earlier)))
        return version


def retire(settings: "Settings", corpus: str) -> None:
    """Let no version serve a corpus that was deleted, its own or another that was chosen for it.

    They are kept, but a corpus of its name is another one: it cannot roll back to them.
    """
    for learner in trainable():
        own = any(one.corpus == corpus for one in versions(settings, learner.name))
        if own or pointer(settings, learner.name, corpus) is not None:
            folder = corpus_folder(settings.home, learner.name, corpus)
            with _locked(folder):
                _point(folder, Pointer(None))


@lru_cache(maxsize=1024)
def _serving(
    home: Path, kind: str, corpus: str | None, base_model: str, stamps: tuple[object, ...]
) -> Version | None:
    """``stamps`` change with what is read here, so that what is remembered is never old."""
    del stamps
    found = {one.model.version: one for one in _versions(home, kind)}
    for owner in dict.fromkeys((corpus, None)):
        known = _pointer(home, kind, owner)
        name = known.serving if known else _inherited(home, kind, owner, base_model)
        one = found.get(name) if name else None
        mine = one is not None and one.corpus in (corpus, None)
        if one is not None and mine and one.model.base_model == base_model:
            return one
    shipped = [one for one in found.values() if one.shipped]
    return next((one for one in shipped if one.model.base_model == base_model), None)


def _inherited(
    home: Path, kind: str, corpus: str | None, base_model: str | None = None
) -> str | None:
    """Return the newest version of an earlier Clew, which knew no pointers: the newest served."""
    for one in _versions(home, kind):
        old = one.folder.parent == home / "models" / kind and one.corpus is not None
        if old and one.corpus == corpus and base_model in (None, one.model.base_model):
            return one.model.version
    return None


def _versions(home: Path, kind: str) -> list[Version]:
    root = home / "models" / kind
    folders = [*root.glob("*"), *root.glob("*/*")]
    found = []
    for folder in sorted(folders, key=lambda folder: folder.name, reverse=True):
        model = read_manifest(folder)
        if model is not None:
            corpus = None if model.general else str(model.data.get("corpus"))
            found.append(Version(folder, model, corpus))
    shipped = shipped_folder(kind)
    model = read_manifest(shipped) if shipped else None
    if shipped and model:
        found.append(Version(shipped, model.model_copy(update={"general": True}), None, True))
    return found


def _pointer(home: Path, kind: str, corpus: str | None) -> Pointer | None:
    try:
        kept = json.loads((corpus_folder(home, kind, corpus) / SERVING).read_text())
    except (OSError, ValueError):
        return None
    return Pointer(kept["serving"], tuple(kept["earlier"]))


def _point(folder: Path, to: Pointer) -> None:
    kept = {
        "serving": to.serving,
        "earlier": to.earlier,
        "since": datetime.now(UTC).isoformat(timespec="seconds"),
    }
    write_whole(folder / SERVING, json.dumps(kept, indent=1) + "\n")


def _stamp(path: Path) -> tuple[int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_ino


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Keep other threads and processes from choosing meanwhile."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "lock").open("w") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
