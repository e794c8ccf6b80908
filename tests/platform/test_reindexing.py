"""Folders and pages that are read again: what is new, changed or gone."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import chain, repeat
from pathlib import Path

import pytest

from clew import Clew
from clew.errors import JobStopped, UnknownSchedule
from clew.jobs.kinds import KINDS
from clew.jobs.reindex import delete_vanished
from clew.jobs.runner import Runner
from clew_cypher.errors import UnknownDocument
from clew_ingest.pipeline.progress import AcceptedSource, AcceptReport

from ..running_clew import OwnSettings
from .schedule_runs import done, nightly, titles


@pytest.fixture
def clew(own_settings: OwnSettings, corpus: str, tmp_path: Path) -> Iterator[Clew]:
    nobody = "redis://127.0.0.1:9/0"  # the ledger alone has the job
    with Clew(own_settings(tmp_path / "home", corpus=corpus, broker_url=nobody)) as opened:
        yield opened
        for schedule in opened.schedules(corpus):
            opened.delete_schedule(schedule.id)


def test_reading_again_indexes_what_changed_and_deletes_what_vanished(
    clew: Clew, tmp_path: Path
) -> None:
    folder = tmp_path / "notes"
    folder.mkdir()
    for name in ("Aurelia", "Seld", "Vessa"):
        (folder / f"{name}.md").write_text(f"{name} is a ship. She was built in 1874.\n")
    other = tmp_path / "notes-2" / "Other.md"
    other.parent.mkdir()
    other.write_text("Another ship lies in another folder.\n")
    clew.ingest(other)
    keeps = clew.add_schedule(nightly(folder))
    deletes = clew.add_schedule(nightly(folder, gone="delete"))
    first = done(clew, deletes.id)
    assert (first.state, first.progress["ready"], first.progress["deleted"]) == ("done", 3, 0)
    before = clew.stats().model_dump()
    again = done(clew, deletes.id)
    assert (again.state, again.progress["unchanged"], again.progress["ready"]) == ("done", 3, 0)
    assert again.progress["chunks"] == 0
    assert clew.stats().model_dump() == before
    (folder / "Aurelia.md").write_text("Aurelia is a lighthouse. She was built in 1901.\n")
    (folder / "Seld.md").unlink()
    (folder / "Vessa.md").rename(folder / ".Vessa.md")
    kept = done(clew, keeps.id)
    assert (kept.progress["ready"], kept.progress["deleted"]) == (1, 0)
    assert titles(clew) == ["Aurelia", "Other", "Seld", "Vessa"]
    assert done(clew, deletes.id).progress["deleted"] == 2
    assert titles(clew) == ["Aurelia", "Other"]


def test_a_folder_that_is_empty_or_away_takes_nothing_with_it(clew: Clew, tmp_path: Path) -> None:
    folder = tmp_path / "disk"
    folder.mkdir()
    (folder / "Aurelia.md").write_text("Aurelia is a ship. She was built in 1874.\n")
    schedule = clew.add_schedule(nightly(folder, gone="delete"))
    assert done(clew, schedule.id).state == "done"
    (folder / "Aurelia.md").unlink()
    empty = done(clew, schedule.id)
    assert (empty.state, "mounted" in empty.error) == ("failed", True)
    folder.rmdir()
    away = done(clew, schedule.id)
    assert (away.state, "is not there" in away.error) == ("failed", True)
    assert titles(clew) == ["Aurelia"]
    clew.delete_corpus(clew.settings.corpus)
    with pytest.raises(UnknownSchedule):  # a corpus that was deleted stays so
        clew.run_schedule(schedule.id)
    assert clew.settings.corpus not in [info.name for info in clew.corpora()]


def test_a_page_that_waits_does_not_bring_its_deleted_corpus_back(clew: Clew) -> None:
    corpus = clew.create_corpus(clew.settings.corpus).name
    job = clew.submit(corpus, (), ["http://127.0.0.1:9/page"])
    clew.delete_corpus(corpus)
    runner = Runner(clew.resources.store, clew.settings, "me")
    runner.run(job.id, lambda run: KINDS[job.kind].work(clew.resources, run))
    ended = clew.job(job.id)
    assert (ended.state, "There is no corpus" in str(ended.error)) == ("failed", True)
    assert corpus not in [info.name for info in clew.corpora()]


WTO = {
    "one.txt": "The World Trade Organization (WTO) met in Geneva in 1995. The WTO elected a chair.",
    "two.txt": "The WTO agreed on fish in 2022.",
    "three.txt": "The World Trade Organization published a report in 1999.",
    "old.txt": "Ada Keller was born in London. Dora Smith was born in Paris.",
}


def merged(clew: Clew) -> list[tuple[str, set[str | None]]]:
    """The merges, by whom and of what."""
    return [
        (merge.by, {merge.canonical.name, *(entity.name for entity in merge.merged)})
        for merge in clew.merges()
    ]


def test_what_vanished_takes_its_merges_along_but_none_of_a_file_that_was_renamed(
    clew: Clew, tmp_path: Path
) -> None:
    folder = tmp_path / "notes"
    folder.mkdir()
    for name, text in WTO.items():
        (folder / name).write_text(text)
    schedule = clew.add_schedule(nightly(folder, gone="delete"))
    assert done(clew, schedule.id).state == "done"
    (by_rules,) = merged(clew)
    clew.merge(clew.settings.corpus, "Ada Keller", "Dora Smith")
    by_person = ("person", {"Ada Keller", "Dora Smith"})
    (folder / "old.txt").rename(folder / "new.txt")
    assert done(clew, schedule.id).progress["deleted"] == 1
    assert sorted(merged(clew), key=str) == sorted([by_rules, by_person], key=str)
    (folder / "one.txt").unlink()
    assert done(clew, schedule.id).progress["deleted"] == 1
    assert merged(clew) == [by_person]


def test_a_run_over_nothing_new_resolves_what_one_deletion_left(clew: Clew, tmp_path: Path) -> None:
    for name, text in WTO.items():
        (tmp_path / name).write_text(text)
    folder = [tmp_path / name for name in WTO]
    clew.ingest(*folder)
    assert len(merged(clew)) == 1
    clew.delete(clew.settings.corpus, clew.resolve_document(clew.settings.corpus, "one").id)
    clew.ingest(*folder[1:])
    assert merged(clew) == []


def test_a_try_after_one_that_was_killed_while_it_resolved_resolves(
    clew: Clew, own_settings: OwnSettings, tmp_path: Path
) -> None:
    corpus = clew.settings.corpus
    for name, text in WTO.items():
        (tmp_path / name).write_text(text)
    (tmp_path / "broken.pdf").write_bytes(b"%PDF-1.4 nonsense")
    accepted = clew.accept([tmp_path / name for name in (*WTO, "broken.pdf")])
    job = clew.submit(corpus, accepted.pending)
    with Clew(own_settings(tmp_path / "other", resolve_entities=False)) as killed:
        killed.process(corpus, accepted.pending)
    assert merged(clew) == []
    runner = Runner(clew.resources.store, clew.settings, "me")
    runner.run(job.id, lambda run: KINDS[job.kind].work(clew.resources, run))
    assert len(merged(clew)) == 1
    ended = clew.job(job.id)
    assert (ended.state, ended.progress["done"], ended.progress["failed"]) == ("done", 5, 1)
    (failure,) = ended.progress["failures"]
    assert failure["uri"].endswith("broken.pdf")


def test_a_page_whose_server_says_that_it_is_gone_is_deleted(clew: Clew, tmp_path: Path) -> None:
    page = tmp_path / "Page.md"
    page.write_text("A page about the Aurelia, a ship.\n")
    clew.ingest(page)
    (document,) = clew.documents()
    down = AcceptedSource(document.id, "https://example.org/a", False, "timed out")
    args = (clew.resources, clew.settings.corpus, ["https://example.org/a"])
    assert delete_vanished(*args, AcceptReport((down,)).gone).documents == {}
    assert titles(clew) == ["Page"]
    gone = AcceptReport((replace(down, gone=True),)).gone
    assert list(delete_vanished(*args, gone).documents.values()) == [document.id]
    assert titles(clew) == []


@pytest.mark.parametrize("steps", [0, 1])
def test_a_run_that_is_told_to_stop_accepts_and_deletes_no_more(
    clew: Clew, tmp_path: Path, steps: int
) -> None:
    folder = tmp_path / "notes"
    folder.mkdir()
    for name in ("Aurelia", "Seld"):
        (folder / f"{name}.md").write_text(f"{name} is a ship. She was built in 1874.\n")
    schedule = clew.add_schedule(nightly(folder, gone="delete"))
    assert done(clew, schedule.id).state == "done"
    (folder / "Aurelia.md").rename(folder / "Vessa.md")
    (folder / "Seld.md").unlink()
    job = clew.run_schedule(schedule.id)
    stopping = chain(repeat(False, steps), repeat(True))
    runner = Runner(clew.resources.store, clew.settings, "me", lambda: next(stopping))
    given_back = runner.run(job.id, lambda run: KINDS[job.kind].work(clew.resources, run))
    assert given_back is not None
    assert given_back.state == "queued"
    with pytest.raises(JobStopped):
        delete_vanished(clew.resources, clew.settings.corpus, [str(folder)], {}, lambda: True)
    assert titles(clew) == ["Aurelia", "Seld", "Vessa"][: 2 + steps]
    clew.cancel_job(job.id)
    assert done(clew, schedule.id).progress["deleted"] == 2
    assert titles(clew) == ["Vessa"]


def test_what_somebody_else_deletes_meanwhile_is_passed_over(clew: Clew, tmp_path: Path) -> None:
    corpus = clew.settings.corpus
    folder = tmp_path / "notes"
    folder.mkdir()
    for name in ("Aurelia", "Seld", "Vessa"):
        (folder / f"{name}.md").write_text(f"{name} is a ship. She was built in 1874.\n")
    clew.ingest(folder)
    known = {document.title: document.id for document in clew.documents()}
    for name in ("Aurelia", "Seld"):
        (folder / f"{name}.md").unlink()
    looks = 0

    def cancelled() -> bool:
        nonlocal looks
        looks += 1
        if looks == 1:  # what vanished is listed, and nothing of it deleted yet
            clew.delete(corpus, known["Aurelia"])
        return False

    delete_vanished(clew.resources, corpus, [str(folder)], {}, cancelled)
    assert titles(clew) == ["Vessa"]
    with pytest.raises(UnknownDocument):
        clew.delete(corpus, known["Aurelia"])
