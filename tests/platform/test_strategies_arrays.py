"""The cache of arrays: threads, processes, moving revisions, damage, re-created corpora."""

import fcntl
import threading
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from clew.resources import revision_cache
from clew.resources.loaded import LoadedModels
from clew.resources.revision_cache import Making, RevisionCache
from clew.strategies.guided_pagerank import arrays as guided_arrays
from clew.strategies.guided_pagerank.arrays import GuidedDerivation, TooManySentences
from clew_cypher.corpora import Corpus
from clew_cypher.store import GraphStore, Neo4jConfig
from clew_models.array_files import bytes_in_memory
from clew_models.guided_pagerank import GraphParts, GuidedArrays, build_arrays

CORPUS = Corpus(name="c", revision=1, embedder="e", dimension=2, created_at="2026-01-01")
NOWHERE = GraphStore(Neo4jConfig("bolt://127.0.0.1:1", "neo4j", "none"))


class Graph:
    """Stands for the database: makes arrays that show when they were made, and counts."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.made: list[int] = []
        self.previous: list[GuidedArrays | None] = []
        self.sentences = 1
        self.failing = False
        self.release = threading.Event()
        self.release.set()
        monkeypatch.setattr(guided_arrays, "export_arrays", self.export)
        monkeypatch.setattr(
            guided_arrays, "corpus_counts", lambda *_: {"sentences": self.sentences}
        )
        monkeypatch.setattr(revision_cache, "REFRESH_SHARE", 0.0)

    def counts(self, *_: object) -> dict[str, int]:
        return {"sentences": self.sentences}

    def export(
        self, store: GraphStore, corpus: Corpus, previous: GuidedArrays | None
    ) -> GuidedArrays:
        if self.failing:
            raise ZeroDivisionError
        self.release.wait(10)
        self.made.append(corpus.revision)
        self.previous.append(previous)
        name = f"{corpus.created_at}-{corpus.revision}"

        def vectors(ids: Sequence[str]) -> np.ndarray:
            return np.ones((len(ids), corpus.dimension))

        return build_arrays(GraphParts([name], [("s", name)], [("e", "s")], []), 2, vectors)


@pytest.fixture
def graph(monkeypatch: pytest.MonkeyPatch) -> Graph:
    return Graph(monkeypatch)


def cache_in(
    folder: Path, limit: int = 10, memory: LoadedModels | None = None
) -> RevisionCache[GuidedArrays]:
    return RevisionCache(folder, GuidedDerivation(NOWHERE, limit), memory or LoadedModels())


def test_made_once_a_revision(graph: Graph, tmp_path: Path) -> None:
    cache = cache_in(tmp_path)
    for _ in range(3):
        snapshot = cache.snapshot(CORPUS)
        assert (snapshot.revision, snapshot.notices) == (1, ())
    cache.snapshot(replace(CORPUS, revision=2))
    assert graph.made == [1, 2]
    assert graph.previous[0] is None
    assert graph.previous[1] is not None


def test_threads_wait_for_the_one_that_makes_them(graph: Graph, tmp_path: Path) -> None:
    cache = cache_in(tmp_path)
    graph.release.clear()
    with ThreadPoolExecutor(6) as pool:
        waiting = [pool.submit(cache.snapshot, CORPUS) for _ in range(6)]
        graph.release.set()
        found = [future.result(timeout=10) for future in waiting]
    assert graph.made == [1]
    assert all(snapshot.value is found[0].value for snapshot in found)


def test_who_asked_may_go_while_it_is_made_and_hears_how_far_it_is(
    graph: Graph, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Telling(GuidedDerivation):
        def make(
            self, corpus: Corpus, previous: GuidedArrays | None, making: Making
        ) -> GuidedArrays:
            making.doing("half of it")
            making.unfinished.mkdir()
            return guided_arrays.export_arrays(NOWHERE, corpus, previous)

    cache = RevisionCache(tmp_path, Telling(NOWHERE, 10), LoadedModels())
    graph.release.clear()

    class Gone(BaseException):
        pass

    def leaving(words: str) -> None:
        raise Gone(words)

    with pytest.raises(Gone, match="half of it"):
        cache.snapshot(CORPUS, leaving)
    with ThreadPoolExecutor(1) as pool:
        said: list[str] = []
        waiting = pool.submit(cache.snapshot, CORPUS, said.append)
        while not said:
            assert not waiting.done()
            time.sleep(0.01)
        graph.release.set()
        assert waiting.result(timeout=10).revision == 1
    assert graph.made == [1]
    assert set(said) == {"half of it"}
    assert not list(tmp_path.glob("*/unfinished"))


def test_who_asked_may_go_while_the_words_stay_the_same(
    graph: Graph, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(revision_cache, "_AGAIN_S", 0.1)
    said: list[str] = []

    class Gone(BaseException):
        pass

    class Retrieval:
        corpus = CORPUS

        def step(self, name: str) -> AbstractContextManager[dict[str, object]]:
            return nullcontext({})

        def doing(self, words: str) -> None:
            said.append(words)
            if len(said) == 2:
                raise Gone

    graph.release.clear()
    with pytest.raises(Gone):
        guided_arrays.snapshot_or_walk(
            Retrieval(),  # type: ignore[arg-type]
            cache_in(tmp_path),
            lambda arrays: len(arrays.sentence_ids),
            10,
        )
    graph.release.set()
    assert said == [guided_arrays.READING] * 2


def test_how_long_another_process_made_it_does_not_put_off_the_next(
    graph: Graph, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache = cache_in(tmp_path)
    cache.snapshot(CORPUS)
    monkeypatch.setattr(revision_cache, "REFRESH_SHARE", 1.0)
    (lock,) = tmp_path.glob("*/lock")
    said: list[str] = []
    with ThreadPoolExecutor(1) as pool, lock.open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        waiting = pool.submit(cache.snapshot, replace(CORPUS, revision=2), said.append)
        time.sleep(1.5)
        fcntl.flock(held, fcntl.LOCK_UN)
        assert waiting.result(timeout=10).revision == 2
    assert "another process" in said[0]
    time.sleep(0.5)
    assert cache.snapshot(replace(CORPUS, revision=3)).revision == 3


def test_what_making_raises_is_raised_to_who_waits_and_it_is_made_again(
    graph: Graph, tmp_path: Path
) -> None:
    cache = cache_in(tmp_path)
    graph.failing = True
    for _ in range(2):
        with pytest.raises(ZeroDivisionError):
            cache.snapshot(CORPUS)
    graph.failing = False
    assert cache.snapshot(CORPUS).revision == 1


def test_another_process_loads_what_is_on_disk(graph: Graph, tmp_path: Path) -> None:
    first = cache_in(tmp_path).snapshot(CORPUS)
    second = cache_in(tmp_path).snapshot(CORPUS)
    assert graph.made == [1]
    assert second.value.chunk_ids.tolist() == first.value.chunk_ids.tolist()
    assert not second.value.sentence_vectors.flags.owndata


def test_vectors_of_the_revision_before_are_reused_after_a_restart(
    graph: Graph, tmp_path: Path
) -> None:
    cache_in(tmp_path).snapshot(CORPUS)
    cache_in(tmp_path).snapshot(replace(CORPUS, revision=2))
    assert graph.previous[1] is not None


def test_only_the_newest_revision_stays_on_disk(graph: Graph, tmp_path: Path) -> None:
    cache = cache_in(tmp_path)
    for revision in (1, 2, 3):
        cache.snapshot(replace(CORPUS, revision=revision))
    (home,) = tmp_path.iterdir()
    assert [path.name.partition("-")[2] for path in home.iterdir() if path.is_dir()] == ["3"]


def test_while_the_revision_moves_fast_older_arrays_are_used_and_said(
    graph: Graph, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache = cache_in(tmp_path)
    cache.snapshot(CORPUS)
    monkeypatch.setattr(revision_cache, "REFRESH_SHARE", 1e9)
    # how long the first took says nothing of what takes what changed
    assert cache.snapshot(replace(CORPUS, revision=2)).revision == 2
    snapshot = cache.snapshot(replace(CORPUS, revision=3))
    assert snapshot.revision == 2
    assert "revision 2" in snapshot.notices[0]
    assert "at 3 now, is not searched yet" in snapshot.notices[0]
    monkeypatch.setattr(revision_cache, "REFRESH_SHARE", 0.0)
    assert cache.snapshot(replace(CORPUS, revision=3)).notices == ()


def test_a_question_that_began_before_is_handed_the_newer_arrays(
    graph: Graph, tmp_path: Path
) -> None:
    newer = replace(CORPUS, revision=2)
    cache = cache_in(tmp_path)
    for corpus in (CORPUS, newer, CORPUS):
        snapshot = cache.snapshot(corpus)
        assert snapshot.notices == ()
    assert snapshot.revision == 2
    # another process, which finds them on disk
    other = cache_in(tmp_path).snapshot(CORPUS)
    assert (other.revision, other.notices) == (2, ())
    assert other.value.chunk_ids.tolist() == ["2026-01-01-2"]
    assert cache_in(tmp_path).snapshot(newer).revision == 2
    assert graph.made == [1, 2]


def test_a_corpus_made_anew_is_another(
    graph: Graph, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache = cache_in(tmp_path)
    cache.snapshot(CORPUS)
    monkeypatch.setattr(revision_cache, "REFRESH_SHARE", 1e9)
    anew = replace(CORPUS, created_at="2026-02-02")
    assert cache.snapshot(anew).value.chunk_ids.tolist() == ["2026-02-02-1"]
    assert cache_in(tmp_path).snapshot(anew).value.chunk_ids.tolist() == ["2026-02-02-1"]


def test_nothing_of_another_embedder_is_used_again(graph: Graph, tmp_path: Path) -> None:
    cache = cache_in(tmp_path)
    cache.snapshot(CORPUS)
    emptied = replace(CORPUS, embedder="another of as many numbers", revision=2)
    cache.snapshot(emptied)
    cache_in(tmp_path).snapshot(replace(emptied, revision=3))
    assert [one is None for one in graph.previous] == [True, True, False]


def test_what_was_used_longest_ago_is_let_go_by_its_bytes(graph: Graph, tmp_path: Path) -> None:
    memory = LoadedModels()
    cache = cache_in(tmp_path / "arrays", memory=memory)
    first, second, third = (replace(CORPUS, name=name) for name in "abc")
    cache.snapshot(first)
    (one,) = memory.report()
    assert (one.name, one.kind) == ("arrays of a, revision 1", "arrays")
    size = bytes_in_memory(cache.snapshot(first).value)
    assert size

    bounded = LoadedModels({"cpu": int(2.5 * size)})
    cache = cache_in(tmp_path / "arrays", memory=bounded)
    for corpus in (first, second, first, third):
        cache.snapshot(corpus)
    assert {held.name[10:11] for held in bounded.report()} == {"a", "c"}
    # what was let go comes from the disk, not from the graph
    made = list(graph.made)
    cache.snapshot(second)
    assert graph.made == made
    assert {held.name[10:11] for held in bounded.report()} == {"b", "c"}


def test_damaged_arrays_are_made_again(graph: Graph, tmp_path: Path) -> None:
    cache_in(tmp_path).snapshot(CORPUS)
    (damaged,) = tmp_path.glob("*/*/edge_chunk.npy")
    damaged.write_bytes(b"")
    assert cache_in(tmp_path).snapshot(CORPUS).notices == ()
    assert graph.made == [1, 1]
    cache_in(tmp_path).snapshot(CORPUS)
    assert graph.made == [1, 1]


def test_a_disk_that_cannot_be_written_costs_nothing_but_time(graph: Graph, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder can be made below a file")
    cache = cache_in(tmp_path / "file")
    for _ in range(2):
        assert cache.snapshot(CORPUS).value.chunk_ids.tolist() == ["2026-01-01-1"]
    assert graph.made == [1]


def test_past_the_limit_nothing_is_made(graph: Graph, tmp_path: Path) -> None:
    graph.sentences = 11
    with pytest.raises(TooManySentences) as raised:
        cache_in(tmp_path, limit=10).snapshot(CORPUS)
    assert raised.value.sentences == 11
    assert graph.made == []


def test_a_limit_that_was_lowered_holds_for_what_is_on_disk(graph: Graph, tmp_path: Path) -> None:
    cache_in(tmp_path).snapshot(CORPUS)
    with pytest.raises(TooManySentences):
        cache_in(tmp_path, limit=0).snapshot(CORPUS)


def test_forgotten_corpora_leave_nothing(graph: Graph, tmp_path: Path) -> None:
    cache = cache_in(tmp_path)
    cache.snapshot(CORPUS)
    cache.forget("c")
    assert list(tmp_path.iterdir()) == []
    cache.snapshot(CORPUS)
    assert graph.made == [1, 1]
