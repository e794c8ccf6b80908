"""The house: a method lives in folders of its own, and files do not import one another in rings."""

import importlib.util
import re
from pathlib import Path
from types import ModuleType

import pytest

from clew.strategies.catalogue import METHODS, STRATEGIES
from clew.strategies.iterative.spec import ITERATIVE

REPOSITORY = Path(__file__).resolve().parent.parent
ROOTS = ("platform/clew", "cypher", "ingest", "models", "web")
TEXTS = {".py", ".cypher", ".html", ".js", ".css", ".j2", ".toml"}
CATALOGUE = REPOSITORY / "platform" / "clew" / "strategies" / "catalogue.py"
STRATEGIES_FOLDER = CATALOGUE.parent


def structure() -> ModuleType:
    """The script of the figures."""
    path = REPOSITORY / "tests" / "benchmarks" / "structure.py"
    spec = importlib.util.spec_from_file_location("structure", path)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def shared_files() -> list[Path]:
    """Files of the product that belong to no method."""
    own = {*METHODS, ITERATIVE}
    found = []
    for root in ROOTS:
        for path in sorted((REPOSITORY / root).rglob("*")):
            parts = {*path.relative_to(REPOSITORY).parts, path.stem}
            if path.suffix in TEXTS and not parts & own and path != CATALOGUE:
                found.append(path)
    return found


def names_of_methods() -> re.Pattern[str]:
    """Names of strategies in quotes, and those that are no common word anywhere.

    A paper that is cited ("KG-Translator") and GDS' own PageRank are not the methods.
    """
    quoted = "|".join(re.escape(spec.name) for spec in STRATEGIES)
    modules = [name for name in METHODS if (STRATEGIES_FOLDER / name).is_dir()]
    words = "|".join(name.replace("_", "[-_ ]?") for name in modules)
    return re.compile(rf"[\"'`](?:{quoted})[\"'`]|(?<!KG-)\b(?:{words})(?:\b|_)", re.IGNORECASE)


def test_no_shared_file_names_a_method() -> None:
    pattern = names_of_methods()
    files = shared_files()
    assert len(files) > 300
    naming = {
        str(path.relative_to(REPOSITORY)): found.group()
        for path in files
        if (found := pattern.search(path.read_text(encoding="utf-8", errors="replace")))
    }
    assert naming == {}


@pytest.mark.parametrize(
    "text", ['name = "dense"', "the translator's", "guided-pagerank", "`bm25`"]
)
def test_the_pattern_finds_what_it_should(text: str) -> None:
    assert names_of_methods().search(text)


def test_there_are_no_import_rings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(REPOSITORY)
    assert structure().figures()["rings"] == []


def test_rings_are_found_where_there_are_any(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "platform" / "clew"
    package.mkdir(parents=True)
    (package / "a.py").write_text("def later():\n    from clew.b import x\n")
    (package / "b.py").write_text("import clew.a\n")
    (package / "c.py").write_text("from clew.a import x\n")
    monkeypatch.chdir(tmp_path)
    assert structure().figures()["rings"] == [["clew.a", "clew.b"]]
