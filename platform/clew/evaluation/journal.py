"""The journal of a run that is under way: what was asked is on disk before the next is asked.

A file of JSON lines beside the runs, found again by what the run was asked for, so that the same
command goes on where the last one stopped. A line that was cut off by a crash is left out.
"""

import contextlib
import fcntl
import json
import os
from collections.abc import Iterable
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, BinaryIO, Self

from clew.errors import RunsElsewhere
from clew.evaluation.run import ChunkRecord, IndexRecord, MemoryRecord, Outcome, Validity
from clew.results.result import Result
from clew_cypher.checking.validity import Cited, CitedEdge


class JournalHead(Result):
    """What was known when the run began."""

    run_id: str
    created_at: str
    index: IndexRecord


class Session(Result):
    """What a session adds when it ends; one that is killed adds nothing.

    ``asked_seconds``: of its retrievals and answers; ``beside_seconds``: what the bench itself
    took meanwhile, judging left out.
    """

    asked_seconds: float
    beside_seconds: float
    memory: MemoryRecord
    warmup_seconds: dict[str, float]


@dataclass
class JournalContent:
    """What earlier sessions left. ``unchecked``: outcomes with what they cite, by their place."""

    head: JournalHead | None = None
    begun: int = 0
    sessions: list[Session] = field(default_factory=list)
    outcomes: list[Outcome] = field(default_factory=list)
    unchecked: dict[int, Cited] = field(default_factory=dict)
    chunks: dict[str, ChunkRecord] = field(default_factory=dict)


class Journal:
    """The open journal of one run; held by one process at a time.

    Raises RunsElsewhere where another process runs the same.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        path.parent.mkdir(parents=True, exist_ok=True)
        # in bytes: a crash may cut off a line within a letter
        self._file: BinaryIO = path.open("a+b")
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            self._file.close()
            raise RunsElsewhere(
                "The same run of the bench is under way in another process.",
                remedy="Wait for its end, or ask for something else (another seed or limit).",
            ) from None
        self.content = self._read()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def clear(self) -> None:
        """Forget what earlier sessions left."""
        self._file.truncate(0)
        self.content = JournalContent()

    def begin(self, head: JournalHead) -> None:
        """Note what was known when the run began; a later session keeps the first one's."""
        if self.content.head is None:
            self._write({"head": head.model_dump(mode="json")})
            self.content.head = head
        self._write({"begin": True})
        self.content.begun += 1

    def add(self, outcome: Outcome, cited: Cited, chunks: dict[str, ChunkRecord]) -> None:
        """Note an outcome, with what it cites and the chunks that were not known yet."""
        new = {id_: chunk for id_, chunk in chunks.items() if id_ not in self.content.chunks}
        self.content.chunks.update(new)
        self.content.unchecked[len(self.content.outcomes)] = cited
        self.content.outcomes.append(outcome)
        self._write(
            {
                "outcome": outcome.model_dump(mode="json"),
                "cited": {one.name: sorted(getattr(cited, one.name)) for one in fields(cited)},
                "chunks": {id_: chunk.model_dump(mode="json") for id_, chunk in new.items()},
            }
        )

    def checked(self, validities: Iterable[tuple[int, Validity | None]]) -> None:
        """Note the validity of outcomes, by their place."""
        for place, validity in validities:
            self._check(place, validity)
            value = None if validity is None else validity.model_dump(mode="json")
            self._write({"validity": value, "place": place})

    def end(self, session: Session) -> None:
        """Note what a session took."""
        self.content.sessions.append(session)
        self._write({"session": session.model_dump(mode="json")})

    def remove(self) -> None:
        """Delete the journal of a run that is kept."""
        with contextlib.suppress(FileNotFoundError):
            self._path.unlink()

    def _check(self, place: int, validity: Validity | None) -> None:
        outcome = self.content.outcomes[place]
        self.content.outcomes[place] = outcome.model_copy(update={"validity": validity})
        self.content.unchecked.pop(place, None)

    def _write(self, value: dict[str, Any]) -> None:
        # to the system, not to the disk: a killed process loses nothing, a power cut a few lines
        self._file.write(json.dumps(value, ensure_ascii=False).encode() + b"\n")
        self._file.flush()

    def _read(self) -> JournalContent:
        content = self.content = JournalContent()
        self._file.seek(0)
        good = 0
        while line := self._file.readline():
            if not line.endswith(b"\n"):
                break
            try:
                self._take(json.loads(line))
            except ValueError:
                break
            good = self._file.tell()
        self._file.seek(good)
        self._file.truncate()
        self._file.seek(0, os.SEEK_END)
        return content

    def _take(self, value: dict[str, Any]) -> None:
        content = self.content
        if "head" in value:
            content.head = JournalHead.model_validate(value["head"])
        elif "begin" in value:
            content.begun += 1
        elif "session" in value:
            content.sessions.append(Session.model_validate(value["session"]))
        elif "place" in value:
            found = value["validity"]
            self._check(value["place"], None if found is None else Validity.model_validate(found))
        else:
            place = len(content.outcomes)
            content.outcomes.append(Outcome.model_validate(value["outcome"]))
            content.unchecked[place] = _cited(value["cited"])
            for id_, chunk in value["chunks"].items():
                content.chunks[id_] = ChunkRecord.model_validate(chunk)


def _cited(value: dict[str, list[Any]] | list[list[Any]]) -> Cited:
    """Return what a line says was cited; in earlier versions it was a list, shorter the older."""
    if isinstance(value, list):
        chunks, entities, mentions, relations, triples = (*value, [], [])[:5]
        old = [("MENTIONED_IN", mentions), ("RELATION", relations)]
        edges = [(source, target, kind) for kind, pairs in old for source, target in pairs]
        value = {"chunks": chunks, "entities": entities, "triples": triples, "edges": edges}
    edges = value.pop("edges")
    ids = {name: frozenset(found) for name, found in value.items()}
    return Cited(**ids, edges=frozenset(CitedEdge(*edge) for edge in edges))
