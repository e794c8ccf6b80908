"""What strategies derive from a corpus: made once a revision, kept on disk and in memory."""

import fcntl
import hashlib
import logging
import shutil
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, wait
from contextlib import contextmanager
from contextvars import copy_context
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, Protocol, TypeVar

from clew.resources.loaded import LoadedModels
from clew_cypher.corpora import Corpus
from clew_models.array_files import bytes_in_memory

REFRESH_SHARE = 4.0
"""While documents come in, at most one part in five of the time is spent on making them anew."""
UNFINISHED = "unfinished"
_HEARD_S = 0.2
_AGAIN_S = 1.0

T = TypeVar("T")
Doing = Callable[[str], None]
"""Called with words for people on what takes seconds, and with the same again while it lasts; what
it raises ends the waiting.
"""

log = logging.getLogger(__name__)


def unsaid(words: str) -> None:
    """Let go what is said: nobody listens."""


@dataclass(frozen=True)
class Making:
    """What goes along with a making: ``doing`` says how far it is; ``unfinished`` is a folder, made
    by who needs it, for what is to outlive an interruption. It goes when the value is saved.
    """

    doing: Doing
    unfinished: Path


class Derivation(Protocol[T]):
    """How a value is derived from a corpus, and how it lies in a folder."""

    def refuse(self, corpus: Corpus, loaded: T | None) -> None:
        """Raise where the corpus must not have such a value; ``loaded``: if one lay on disk."""
        ...

    def make(self, corpus: Corpus, previous: T | None, making: Making) -> T:
        """Return the value of ``corpus``; ``previous``: of an earlier revision of it."""
        ...

    def save(self, value: T, folder: Path) -> None:
        """Write the value to ``folder``, which appears complete or not at all."""
        ...

    def load(self, folder: Path) -> T | None:
        """Return the value of ``folder``; None where there is none that can be read."""
        ...


@dataclass(frozen=True)
class Snapshot(Generic[T]):
    """The value of a corpus at one revision; ``notices`` if it is not the newest."""

    value: T
    revision: int
    notices: tuple[str, ...] = ()


@dataclass(frozen=True)
class _Entry(Generic[T]):
    value: T
    identity: str
    revision: int
    made_at: float
    again_in_s: float
    """About how long it takes to make the next; 0 where that is not known, after the first."""

    def fits(self, corpus: Corpus) -> bool:
        """Whether it is as new as the corpus, or newer than a question that began before."""
        return self.identity == _identity(corpus) and self.revision >= corpus.revision

    def resting(self, corpus: Corpus) -> bool:
        """Whether it is too early to make a newer value of the same corpus."""
        age_s = time.monotonic() - self.made_at
        return self.identity == _identity(corpus) and age_s < REFRESH_SHARE * self.again_in_s


class _Course(Generic[T]):
    """A making in a thread of its own: who asked for it may go, and it goes on for the next."""

    def __init__(self, make: Callable[[Doing], _Entry[T]]) -> None:
        self._words = ""
        self._result: Future[_Entry[T]] = Future()
        context = copy_context()
        threading.Thread(
            target=context.run, args=(self._run, make), name="derived", daemon=True
        ).start()

    def result(self, doing: Doing) -> _Entry[T]:
        """Return what was made, or raise what it raised; ``doing`` hears the words meanwhile, the
        same ones about once a second, so that it can end the waiting.
        """
        said, said_at = "", 0.0
        while not wait([self._result], _HEARD_S).done:
            words, now = self._words, time.monotonic()
            if words and (words != said or now - said_at >= _AGAIN_S):
                said, said_at = words, now
                doing(words)
        return self._result.result()

    def _run(self, make: Callable[[Doing], _Entry[T]]) -> None:
        try:
            self._result.set_result(make(self._say))
        except BaseException as error:
            self._result.set_exception(error)

    def _say(self, words: str) -> None:
        self._words = words


class RevisionCache(Generic[T]):
    """Hands out what is derived from corpora; safe to be shared by threads and processes.

    ``folder``: where it is kept, as ``<hash of the corpus' name>/<creation>-<revision>``. A
    process that finds what another has made loads it; two never make the same at once. ``memory``:
    what holds the values here, within its limit, beside the models.
    """

    def __init__(self, folder: Path, derivation: Derivation[T], memory: LoadedModels) -> None:
        self._folder = folder
        self._derivation = derivation
        self._memory = memory
        self._lock = threading.Lock()
        self._courses: dict[str, _Course[T]] = {}
        self._asked: set[str] = set()

    def snapshot(self, corpus: Corpus, doing: Doing = unsaid) -> Snapshot[T]:
        """Return the value of ``corpus`` at its revision or a later one, made where it is missing.

        While the revision moves faster than values can be made, that of an earlier revision,
        with a notice. Raises what `Derivation.refuse` raises, and what ``doing`` does: then the
        making goes on, and who asks next waits for the rest of it.
        """
        entry = self._current(corpus)
        while entry is None:
            made = self._course(corpus).result(doing)
            good = made.fits(corpus) or made.resting(corpus)
            entry = made if good else self._current(corpus)
        if entry.fits(corpus):
            return Snapshot(entry.value, entry.revision)
        stale = (
            f"What changed since revision {entry.revision} of the corpus, which is at "
            f"{corpus.revision} now, is not searched yet: ask again in a while."
        )
        return Snapshot(entry.value, entry.revision, (stale,))

    def forget(self, corpus: str) -> None:
        """Drop what is kept of a corpus that was deleted."""
        self._memory.drop(self._key(corpus))
        forget_folder(self._folder, corpus)

    def clear(self) -> None:
        """Let go what is in memory; what is on disk stays."""
        with self._lock:
            known = list(self._asked)
        for corpus in known:
            self._memory.drop(self._key(corpus))

    def _course(self, corpus: Corpus) -> _Course[T]:
        """Return the making of a corpus' value that is under way, or begin one."""

        def make(doing: Doing) -> _Entry[T]:
            try:
                return self._current(corpus) or self._refreshed(corpus, doing)
            finally:
                with self._lock:
                    del self._courses[corpus.name]

        with self._lock:
            self._asked.add(corpus.name)
            if corpus.name not in self._courses:
                self._courses[corpus.name] = _Course(make)
            return self._courses[corpus.name]

    def _current(self, corpus: Corpus) -> _Entry[T] | None:
        """Return what is in memory and good enough."""
        entry = self._held(corpus.name)
        if entry is None or not (entry.fits(corpus) or entry.resting(corpus)):
            return None
        return entry

    def _held(self, corpus: str) -> _Entry[T] | None:
        entry: _Entry[T] | None = self._memory.held(self._key(corpus))
        return entry

    def _key(self, corpus: str) -> tuple[str, str]:
        return str(self._folder), corpus

    def _refreshed(self, corpus: Corpus, doing: Doing) -> _Entry[T]:
        started = time.monotonic()
        home = self._home(corpus.name)
        value, revision = self._stored(corpus, corpus.revision)
        self._derivation.refuse(corpus, value)
        first = False
        if value is None:
            with _locked(home, doing):
                started = time.monotonic()  # how long another process took says nothing of the next
                value, revision = self._stored(corpus, corpus.revision)
                if value is None:
                    held = self._held(corpus.name)
                    same = held is not None and held.identity == _identity(corpus)
                    previous = held.value if held and same else self._stored(corpus, 0)[0]
                    first = previous is None
                    value, revision = self._made(corpus, previous, doing), corpus.revision
        now = time.monotonic()
        again_in_s = 0.0 if first else now - started
        entry = _Entry(value, _identity(corpus), revision, now, again_in_s)
        self._memory.put(
            self._key(corpus.name),
            entry,
            name=f"{self._folder.name} of {corpus.name}, revision {revision}",
            kind=self._folder.name,
            size=lambda: bytes_in_memory(entry.value),
            seconds=now - started,
        )
        return entry

    def _made(self, corpus: Corpus, previous: T | None, doing: Doing) -> T:
        folder = self._home(corpus.name) / f"{_digest(_identity(corpus))[:8]}-{corpus.revision}"
        making = Making(doing, folder.with_name(UNFINISHED))
        value = self._derivation.make(corpus, previous, making)
        try:
            self._derivation.save(value, folder)
            for other in folder.parent.iterdir():
                if other.is_dir() and other != folder:
                    shutil.rmtree(other, ignore_errors=True)
        except OSError as error:
            log.warning("What belongs to %s stays in memory: %s", corpus.name, error)
            return value
        saved = self._derivation.load(folder)
        return value if saved is None else saved

    def _stored(self, corpus: Corpus, least: int) -> tuple[T | None, int]:
        """Return the value of the corpus' latest revision on disk, of ``least`` or later."""
        found = [
            (int(path.name.partition("-")[2]), path)
            for path in self._home(corpus.name).glob(f"{_digest(_identity(corpus))[:8]}-*")
            if path.is_dir()
        ]
        for revision, path in sorted(found, reverse=True):
            if revision >= least and (value := self._derivation.load(path)) is not None:
                return value, revision
        return None, corpus.revision

    def _home(self, corpus: str) -> Path:
        return _home_of(self._folder, corpus)


def forget_folder(folder: Path, corpus: str) -> None:
    """Remove what a cache over ``folder`` keeps on disk of a corpus."""
    shutil.rmtree(_home_of(folder, corpus), ignore_errors=True)


def _home_of(folder: Path, corpus: str) -> Path:
    return folder / _digest(corpus)[:32]


def _identity(corpus: Corpus) -> str:
    """Return what tells a corpus from others of its name, and its vectors from another embedder's.

    One that was emptied may take another embedder, and its sentences keep their ids.
    """
    return f"{corpus.created_at} {corpus.embedder}"


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


@contextmanager
def _locked(home: Path, doing: Doing) -> Iterator[None]:
    """Keep other processes from making the same meanwhile."""
    try:
        home.mkdir(parents=True, exist_ok=True)
        handle = (home / "lock").open("w")
    except OSError as error:
        log.warning("%s cannot be written: %s", home, error)
        yield
        return
    with handle:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            doing("Waiting for another process that reads the corpus' graph, once")
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield
