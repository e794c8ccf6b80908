"""The arrays of guided-pagerank: made once a corpus revision, kept on disk and in memory."""

import fcntl
import hashlib
import logging
import shutil
import threading
import time
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from clew.settings import Settings
from clew.strategies.array_export import export_arrays
from clew_cypher.corpora import Corpus, corpus_counts
from clew_cypher.store import GraphStore
from clew_models.guided_pagerank import GuidedArrays, load_snapshot, save_snapshot

KEPT_CORPORA = 16
"""Corpora whose arrays stay in memory; those used longest ago go first."""
REFRESH_SHARE = 4.0
"""While documents come in, at most one part in five of the time is spent on making arrays."""

log = logging.getLogger(__name__)


class TooManySentences(Exception):
    """The corpus has more sentences than may be held as arrays."""

    def __init__(self, sentences: int) -> None:
        super().__init__(sentences)
        self.sentences = sentences


@dataclass(frozen=True)
class Snapshot:
    """The arrays of a corpus at one revision; ``notices`` if it is not the newest."""

    arrays: GuidedArrays
    revision: int
    notices: tuple[str, ...] = ()


@dataclass(frozen=True)
class _Entry:
    arrays: GuidedArrays
    created_at: str
    revision: int
    made_at: float
    made_in_s: float

    def fits(self, corpus: Corpus) -> bool:
        return self.created_at == corpus.created_at and self.revision == corpus.revision

    def resting(self, corpus: Corpus) -> bool:
        """Whether it is too early to make newer arrays of the same corpus."""
        age_s = time.monotonic() - self.made_at
        return self.created_at == corpus.created_at and age_s < REFRESH_SHARE * self.made_in_s


def kept_arrays(store: GraphStore, settings: Settings) -> "ArrayCache":
    """Return the arrays kept under ``arrays/`` in the home directory of the settings."""
    return ArrayCache(
        store, settings.home / "arrays", sentence_limit=settings.guided_sentence_limit
    )


class ArrayCache:
    """Hands out a corpus' arrays; safe to be shared by threads and processes.

    ``folder``: where they are kept, as ``<hash of the corpus' name>/<creation>-<revision>``. A
    process that finds what another has made loads it; two never make the same at once.
    """

    def __init__(self, store: GraphStore, folder: Path, *, sentence_limit: int) -> None:
        self._store = store
        self._folder = folder
        self._sentence_limit = sentence_limit
        self._lock = threading.Lock()
        self._locks: dict[str, threading.Lock] = {}
        self._entries: OrderedDict[str, _Entry] = OrderedDict()
        self._too_many: dict[str, tuple[str, int, int]] = {}

    def snapshot(self, corpus: Corpus) -> Snapshot:
        """Return the arrays of ``corpus`` at its revision, made where they are missing.

        While the revision moves faster than arrays can be made, those of an earlier revision,
        with a notice. Raises TooManySentences past the limit.
        """
        entry = self._current(corpus)
        if entry is None:
            with self._lock:
                lock = self._locks.setdefault(corpus.name, threading.Lock())
            with lock:
                entry = self._current(corpus) or self._refreshed(corpus)
        if entry.fits(corpus):
            return Snapshot(entry.arrays, entry.revision)
        stale = (
            f"Documents are coming in: evidence is from revision {entry.revision} of the corpus, "
            f"which is at {corpus.revision} now."
        )
        return Snapshot(entry.arrays, entry.revision, (stale,))

    def forget(self, corpus: str) -> None:
        """Drop what is kept of a corpus that was deleted."""
        with self._lock:
            self._entries.pop(corpus, None)
            self._too_many.pop(corpus, None)
        shutil.rmtree(self._home(corpus), ignore_errors=True)

    def _current(self, corpus: Corpus) -> _Entry | None:
        """Return what is in memory and good enough."""
        with self._lock:
            entry = self._entries.get(corpus.name)
            if entry is None or not (entry.fits(corpus) or entry.resting(corpus)):
                return None
            self._entries.move_to_end(corpus.name)
            return entry

    def _refreshed(self, corpus: Corpus) -> _Entry:
        started = time.monotonic()
        home = self._home(corpus.name)
        folder = home / f"{_digest(corpus.created_at)[:8]}-{corpus.revision}"
        arrays = load_snapshot(folder)
        if arrays is not None and len(arrays.sentence_ids) > self._sentence_limit:
            raise TooManySentences(len(arrays.sentence_ids))
        if arrays is None:
            self._refuse_too_many(corpus)
            with _locked(home):
                arrays = load_snapshot(folder) or self._made(corpus, folder)
        now = time.monotonic()
        entry = _Entry(arrays, corpus.created_at, corpus.revision, now, now - started)
        with self._lock:
            self._entries[corpus.name] = entry
            self._entries.move_to_end(corpus.name)
            while len(self._entries) > KEPT_CORPORA:
                self._entries.popitem(last=False)
        return entry

    def _made(self, corpus: Corpus, folder: Path) -> GuidedArrays:
        with self._lock:
            entry = self._entries.get(corpus.name)
        previous = entry.arrays if entry else _newest(folder)
        arrays = export_arrays(self._store, corpus, previous)
        try:
            save_snapshot(arrays, folder)
            for other in folder.parent.iterdir():
                if other.is_dir() and other != folder:
                    shutil.rmtree(other, ignore_errors=True)
        except OSError as error:
            log.warning("The arrays of %s stay in memory: %s", corpus.name, error)
            return arrays
        return load_snapshot(folder) or arrays

    def _refuse_too_many(self, corpus: Corpus) -> None:
        known = self._too_many.get(corpus.name)
        if known is None or known[:2] != (corpus.created_at, corpus.revision):
            sentences = corpus_counts(self._store, corpus.name)["sentences"]
            known = (corpus.created_at, corpus.revision, sentences)
            self._too_many[corpus.name] = known
        if known[2] > self._sentence_limit:
            raise TooManySentences(known[2])

    def _home(self, corpus: str) -> Path:
        return self._folder / _digest(corpus)[:32]


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _newest(folder: Path) -> GuidedArrays | None:
    """Return the arrays of the same corpus' latest other revision on disk, whose vectors serve."""
    created = folder.name.partition("-")[0]
    found = [path for path in folder.parent.glob(f"{created}-*") if path.is_dir()]
    found.sort(key=lambda path: int(path.name.partition("-")[2]), reverse=True)
    return next((arrays for path in found if (arrays := load_snapshot(path))), None)


@contextmanager
def _locked(home: Path) -> Iterator[None]:
    """Keep other processes from making arrays of the same corpus meanwhile."""
    try:
        home.mkdir(parents=True, exist_ok=True)
        handle = (home / "lock").open("w")
    except OSError as error:
        log.warning("%s cannot be written: %s", home, error)
        yield
        return
    with handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
