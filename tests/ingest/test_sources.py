import os
from dataclasses import replace
from pathlib import Path

import pytest

from clew_ingest.errors import AddressRefused, SourceTooLarge, UnreadableSource
from clew_ingest.limits import IngestLimits
from clew_ingest.reading.sources import Source, find_sources, load, safe_name, uploaded


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    root = tmp_path / "given"
    (root / "b").mkdir(parents=True)
    (root / ".git").mkdir()
    for name in ("z.txt", "a.md", "b/c.json", ".hidden.txt", "picture.png", ".git/x.txt"):
        (root / name).write_text(name)
    (tmp_path / "secret.txt").write_text("secret")
    return root


def names(folder: Path, sources: list[Source]) -> list[str]:
    return [str(source.path.relative_to(folder)) for source in sources if source.path]


def test_a_folder_is_walked_in_order_and_what_is_skipped_is_said(folder: Path) -> None:
    sources, skipped = find_sources([folder])
    assert names(folder, sources) == ["a.md", "z.txt", "b/c.json"]
    assert {Path(item.uri).name: item.reason for item in skipped} == {
        ".git": "It is hidden.",
        ".hidden.txt": "It is hidden.",
        "picture.png": "Files of this kind are not read.",
    }


def test_files_without_an_extension_are_read_where_they_are_text(tmp_path: Path) -> None:
    (tmp_path / "README").write_text("Größe" * 1000)
    (tmp_path / "NEWS.gz").write_bytes(b"\x1f\x8b")
    (tmp_path / "run").write_text("#!/bin/sh\n")
    (tmp_path / "core").write_bytes(b"\x7fELF\x00")
    (tmp_path / "archive.tar.gz").write_bytes(b"\x1f\x8b")
    sources, skipped = find_sources([tmp_path])
    assert names(tmp_path, sources) == ["NEWS.gz", "README"]
    assert {item.reason for item in skipped} == {"Files of this kind are not read."}
    assert len(skipped) == 3


def test_locks_of_office_programs_are_skipped(tmp_path: Path) -> None:
    for name in ("~$Report.docx", "Report.docx", "~Report.txt"):
        (tmp_path / name).write_bytes(b"PK")
    sources, (skipped,) = find_sources([tmp_path])
    assert names(tmp_path, sources) == ["Report.docx", "~Report.txt"]
    assert skipped.uri.endswith("Report.docx")
    assert "lock" in skipped.reason


def test_a_file_given_twice_is_one_source(folder: Path) -> None:
    sources, _ = find_sources([folder / "z.txt", folder, str(folder / "b" / ".." / "z.txt")])
    assert names(folder, sources).count("z.txt") == 1


def test_links_are_followed_to_files_within_the_folder_only(folder: Path) -> None:
    (folder / "in.txt").symlink_to(folder / "z.txt")
    (folder / "out.txt").symlink_to(folder.parent / "secret.txt")
    (folder / "broken.txt").symlink_to(folder / "nothing.txt")
    (folder / "loop.txt").symlink_to(folder / "loop.txt")
    (folder / "b" / "up").symlink_to(folder)
    sources, skipped = find_sources([folder])
    assert names(folder, sources) == ["a.md", "in.txt", "z.txt", "b/c.json"]
    reasons = {Path(item.uri).name: item.reason for item in skipped}
    assert reasons["out.txt"] == "The link leads out of the folder."
    assert reasons["broken.txt"] == reasons["loop.txt"] == "The link leads nowhere."
    assert find_sources([folder / "loop.txt"])[1][0].reason == "The link leads nowhere."
    assert reasons["up"] == "Links to folders are not followed."


def test_a_pipe_is_not_waited_for(folder: Path, limits: IngestLimits) -> None:
    os.mkfifo(folder / "pipe.txt")
    _, skipped = find_sources([folder])
    assert "pipe.txt" in {Path(item.uri).name for item in skipped}
    (named,), _ = find_sources([folder / "pipe.txt"])
    with pytest.raises(UnreadableSource, match="regular"):
        load(named, limits)


def test_what_is_not_there_is_skipped_with_a_reason(folder: Path) -> None:
    sources, (skipped,) = find_sources([folder / "no.txt"])
    assert sources == []
    assert "no such file" in skipped.reason


def test_a_named_file_of_any_kind_is_a_source(folder: Path, limits: IngestLimits) -> None:
    (source,), skipped = find_sources([folder / "picture.png"])
    assert skipped == []
    assert load(source, limits).data == b"picture.png"


def test_a_file_that_may_not_be_read_says_so(folder: Path, limits: IngestLimits) -> None:
    (source,), _ = find_sources([folder / "z.txt"])
    (folder / "z.txt").unlink()
    with pytest.raises(UnreadableSource, match="cannot be opened"):
        load(source, limits)


def test_too_large_a_file_is_not_read(folder: Path, limits: IngestLimits) -> None:
    with open(folder / "z.txt", "wb") as file:
        file.truncate(200 * 1024 * 1024)
    (source,), _ = find_sources([folder / "z.txt"])
    with pytest.raises(SourceTooLarge, match="200 MiB"):
        load(source, limits)
    with pytest.raises(SourceTooLarge):
        load(uploaded("a.txt", b"x" * 2**21), replace(limits, file_limit_mib=1))


def test_urls_are_sources_without_their_fragment(limits: IngestLimits) -> None:
    (source,), _ = find_sources(["https://example.org/page.html?x=1#top"])
    assert source.uri == source.url == "https://example.org/page.html?x=1"
    with pytest.raises(AddressRefused, match="CLEW_URL_INGEST"):
        load(source, limits)


def test_two_long_names_stay_two() -> None:
    deep = "/".join("abcdefghijkl")
    pairs = [
        ("L" * 250 + "1.txt", "L" * 250 + "2.txt"),
        ("a." + "e" * 30 + "1", "a." + "e" * 30 + "2"),
        ("f" * 250 + "1/a.txt", "f" * 250 + "2/a.txt"),
        (f"x/{deep}/a.txt", f"y/{deep}/a.txt"),
        (f"p q/r/{deep}/a.txt", f"p/q r/{deep}/a.txt"),
    ]
    for one, other in pairs:
        assert safe_name(one) != safe_name(other)
        assert all(len(part) <= 200 for part in safe_name(one).split("/"))
        assert len(safe_name(one).split("/")) <= 8


@pytest.mark.parametrize(
    ("name", "safe"),
    [
        ("a.txt", "a.txt"),
        ("../../etc/passwd", "etc/passwd"),
        ("/etc/passwd", "etc/passwd"),
        ("C:\\Users\\x\\a.txt", "Users/x/a.txt"),
        ("docs/./b/../a.txt", "docs/b/a.txt"),
        ("a\x00b\n.txt", "ab.txt"),
        ("...", "unnamed"),
        ("", "unnamed"),
        ("\ud800.txt", "?.txt"),
        ("x" * 196 + ".txt", "x" * 196 + ".txt"),
        ("x" * 500 + ".txt", "x" * 187 + "~c38c2bf3.txt"),
    ],
)
def test_names_of_uploads_lead_nowhere(name: str, safe: str) -> None:
    assert safe_name(name) == safe
    assert ".." not in uploaded(name, b"").uri.split("/")


def test_a_name_that_begins_like_a_home_may_be_a_file(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    monkeypatch.setenv("HOME", str(folder))
    (folder / "~backup.txt").write_text("kept")
    assert names(folder, find_sources(["~backup.txt", "~/z.txt"])[0]) == ["~backup.txt", "z.txt"]
    assert find_sources(["~nosuch/x"])[1][0].reason == "There is no such file or folder."
