"""The documents are true: settings, folders, names, links and code blocks match the repository."""

import ast
import importlib
import re
import subprocess
import sys
from pathlib import Path

import pytest

from clew.evaluation.metrics_page import metrics_page
from clew.settings import all_settings
from clew.settings.page import settings_page
from clew.strategies.page import strategies_page
from clew_cypher.schema import LABELS, RELATIONSHIPS

REPOSITORY = Path(__file__).resolve().parent.parent
LAYERS = {
    "cypher": "clew_cypher",
    "ingest": "clew_ingest",
    "models": "clew_models",
    "platform": "clew",
    "web": "clew_web",
}
REGISTRY_HOSTS = (  # in parts: this file is checked too
    ("pypi", "org"),
    ("pythonhosted", "org"),
    ("repo1", "maven", "org"),
    ("repo", "maven", "apache", "org"),
    ("central", "sonatype", "com"),
    ("registry", "npmjs", "org"),
)


def tracked_files() -> list[Path]:
    """Every file that is in git or would be with the next `git add`."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
    )
    if listed.returncode != 0:
        pytest.skip("this is not a git checkout, so it cannot be said which files belong to it")
    paths = [REPOSITORY / name for name in listed.stdout.split("\0") if name]
    assert Path(__file__) in paths
    return [path for path in paths if path.is_file()]


def written_documents() -> list[Path]:
    """The Markdown files for people; the sample corpus' articles are data."""
    pages = [*REPOSITORY.glob("*.md"), *(REPOSITORY / "tests").rglob("*.md")]
    for layer in LAYERS:
        pages += (REPOSITORY / layer).glob("*.md")
        pages += (REPOSITORY / layer).glob("*/**/README.md")
    return sorted(pages)


DOCUMENTS = written_documents()
METHODS = sorted(
    path.parent for path in (REPOSITORY / "platform/clew/strategies").glob("*/spec.py")
)
NOT_OURS = {"clew.toml", "name.system.md", "name.user.md", "utils.py"}
"""Files that people write, and one that must never be."""


def name_of(path: Path) -> str:
    return str(path.relative_to(REPOSITORY))


def prose_of(path: Path) -> str:
    """A document without its fenced and indented code."""
    text = re.sub(r"^```.*?^```", "", path.read_text(encoding="utf-8"), flags=re.M | re.S)
    return re.sub(r"^ {4}.*$", "", text, flags=re.M)


def test_the_settings_page_is_the_one_made_from_the_settings() -> None:
    page = (REPOSITORY / "platform" / "SETTINGS.md").read_text(encoding="utf-8")
    assert page == settings_page(), (
        "Make it again: .venv/bin/python -m clew.settings.page > platform/SETTINGS.md"
    )


def test_the_page_of_metrics_is_the_one_made_from_the_metrics() -> None:
    page = (REPOSITORY / "platform" / "METRICS.md").read_text(encoding="utf-8")
    assert page == metrics_page(), (
        "Make it again: .venv/bin/python -m clew.evaluation.metrics_page > platform/METRICS.md"
    )


def test_the_page_of_strategies_is_the_one_made_from_the_tuple() -> None:
    page = (REPOSITORY / "platform" / "STRATEGIES.md").read_text(encoding="utf-8")
    assert page == strategies_page(), (
        "Make it again: .venv/bin/python -m clew.strategies.page > platform/STRATEGIES.md"
    )


@pytest.mark.parametrize("setting", all_settings())
def test_every_setting_has_a_row_with_its_meaning(setting: str) -> None:
    page = (REPOSITORY / "platform" / "SETTINGS.md").read_text(encoding="utf-8")
    row = re.search(rf"^\| `{setting}` \| (.+) \| (.+) \| (.+) \|$", page, flags=re.M)
    assert row, f"{setting} is not on the page"
    assert f"`CLEW_{setting.upper()}`" in row[1]
    assert len(row[3]) > 10, f"{setting} is not explained"


@pytest.mark.parametrize("page", DOCUMENTS, ids=name_of)
def test_a_variable_named_in_a_document_is_a_setting(page: Path) -> None:
    elsewhere = {"CLEW_SETTINGS_FILE", "CLEW_ENV_FILE"}
    for name in set(re.findall(r"\bCLEW_[A-Z0-9_]+[A-Z0-9]\b", page.read_text(encoding="utf-8"))):
        known = name.removeprefix("CLEW_").lower() in all_settings()
        assert known or name in elsewhere or name.startswith("CLEW_TEST_"), name


@pytest.mark.parametrize("page", DOCUMENTS, ids=name_of)
def test_python_blocks_parse_and_their_imports_exist(page: Path) -> None:
    for block in re.findall(
        r"^```python\n(.*?)^```", page.read_text(encoding="utf-8"), re.M | re.S
    ):
        for node in ast.walk(ast.parse(block)):
            if isinstance(node, ast.ImportFrom) and node.module:
                module = importlib.import_module(node.module)
                for alias in node.names:
                    assert hasattr(module, alias.name), f"{node.module} has no {alias.name}"


@pytest.mark.parametrize("page", DOCUMENTS, ids=name_of)
def test_every_link_between_documents_leads_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)\s]+)\)", prose_of(page)):
        if re.match(r"[a-z]+:", target):
            continue
        path, _, fragment = target.partition("#")
        file = (page.parent / path).resolve() if path else page
        assert file.exists(), f"{name_of(page)} links to {target}"
        if fragment:
            headings = re.findall(r"^#+ (.+)$", file.read_text(encoding="utf-8"), flags=re.M)
            anchors = {
                re.sub(r"[^\w\- ]", "", h).strip().lower().replace(" ", "-") for h in headings
            }
            assert fragment in anchors, f"{name_of(page)} links to {target}"


@pytest.mark.parametrize("page", DOCUMENTS, ids=name_of)
def test_every_path_a_document_names_exists(page: Path) -> None:
    """Code spans such as `platform/clew/clew.py`, from the root or from the page's folder."""
    layers = "|".join([*LAYERS, *LAYERS.values(), "tests"])
    for named in re.findall(rf"`((?:{layers})/[\w./-]*)`", prose_of(page)):
        places = (REPOSITORY / named, page.parent / named)
        assert any(place.exists() for place in places), f"{name_of(page)} names {named}"


def test_every_file_that_documents_and_docstrings_name_exists() -> None:
    """Code spans such as `searching/words.py`: the end of a path of the repository."""
    paths = tracked_files()
    known = {"/".join(path.parts[-n:]) for path in paths for n in range(1, len(path.parts))}
    for page in [*DOCUMENTS, *(path for path in paths if path.suffix in (".py", ".cypher"))]:
        text = page.read_text(encoding="utf-8")
        for named in re.findall(r"`([\w.-][\w./-]*\.(?:py|cypher|toml|md))`", text):
            place = re.sub(r"^(\.\./)+", "", named)
            assert place in known | NOT_OURS, f"{name_of(page)} names {named}"


@pytest.mark.parametrize("method", METHODS, ids=lambda path: path.name)
def test_every_methods_folder_has_a_page_with_its_parts(method: Path) -> None:
    """The parts of papers that its modules name; each row of the page has what holds the part."""
    page = (method / "README.md").read_text(encoding="utf-8")
    parts: set[str] = set()
    for module in method.glob("*.py"):
        text = module.read_text(encoding="utf-8")
        for paper, first, last in re.findall(r"\b([A-Z]{2})-(\d+)(?: to [A-Z]{2}-(\d+))?", text):
            parts.update(f"{paper}-{n}" for n in range(int(first), int(last or first) + 1))
    assert parts
    for part in parts:
        rows = re.findall(rf"^\| {part} \| .+ \| (.+) \| (.+) \|$", page, flags=re.M)
        assert rows, f"{name_of(method)}/README.md has no row for {part}"
        for held, tested in rows:
            holders = re.findall(r"`(\w+)` in `([\w./]+)`", held)
            assert holders, f"nothing holds {part}"
            for name, file in holders:
                defined = rf"^(?:class|def) {name}\b"
                assert re.search(defined, (REPOSITORY / file).read_text(), re.M), f"{file}: {name}"
            assert re.search(r"`tests/[\w/]+\.py`", tested), f"nothing tests {part}"


def test_the_architecture_names_every_label_type_and_strategy() -> None:
    from clew.strategies.catalogue import STRATEGIES

    text = (REPOSITORY / "ARCHITECTURE.md").read_text(encoding="utf-8")
    for label in LABELS:
        assert f"(:{label.name}" in text, label.name
    for relationship in RELATIONSHIPS:
        assert f"[:{relationship.name}" in text, relationship.name
    for strategy in STRATEGIES:
        assert f"`{strategy.name}`" in text, strategy.name


@pytest.mark.parametrize(("folder", "package"), LAYERS.items())
def test_every_layer_has_a_readme_that_names_its_packages(folder: str, package: str) -> None:
    text = (REPOSITORY / folder / "README.md").read_text(encoding="utf-8")
    for init in sorted((REPOSITORY / folder / package).glob("*/__init__.py")):
        assert f"{init.parent.name}/" in text, (
            f"{folder}/README.md does not name {init.parent.name}"
        )


def test_the_root_does_not_hide_pythons_platform_module() -> None:
    assert not (REPOSITORY / "platform" / "__init__.py").exists()
    code = "import platform; print(platform.system())"
    shown = subprocess.run(
        [sys.executable, "-c", code], cwd=REPOSITORY, capture_output=True, text=True, check=True
    )
    assert shown.stdout.strip() in ("Linux", "Darwin", "Windows")


def test_no_file_names_a_package_registrys_host() -> None:
    hosts = [".".join(parts).encode() for parts in REGISTRY_HOSTS]
    for path in tracked_files():
        content = path.read_bytes().lower()
        found = [host.decode() for host in hosts if host in content]
        assert not found, f"{name_of(path)} names {found}"


def test_the_licence_is_the_one_that_is_declared() -> None:
    text = (REPOSITORY / "LICENSE").read_text(encoding="utf-8")
    assert "Apache License" in text
    assert "Version 2.0, January 2004" in text
    assert 'license = "Apache-2.0"' in (REPOSITORY / "pyproject.toml").read_text(encoding="utf-8")
