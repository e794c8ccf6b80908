"""The wheel as people install it: in an environment of its own, without the repository.

What Clew depends on is taken from the environment that runs the tests, by a path file: installing
it anew would be gigabytes. A path in such a file is searched for packages, but its own path files
are not read, so the sources that the developers' environment points to are not found by it.
"""

import json
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path

import pytest

from clew.sample_corpus import DEMO_QUESTION
from clew_cypher.embedded import free_ports

ROOT = Path(__file__).resolve().parent.parent
PYTHON_PROGRAM = """
import json, clew, clew_cypher, clew_ingest, clew_models, clew_web
from clew import Clew
with Clew() as opened:
    answer = opened.ask(QUESTION, corpus="sample")
packages = (clew, clew_cypher, clew_ingest, clew_models, clew_web)
print(json.dumps({"answer": answer.text, "where": [package.__file__ for package in packages]}))
"""

pytestmark = pytest.mark.timeout(600)


class Installed:
    """A fresh environment with the wheel, and a directory far from the repository."""

    def __init__(self, folder: Path, cache_dir: Path) -> None:
        self.environment = folder / "environment"
        self.elsewhere = folder / "elsewhere"
        self.user = folder / "user"
        self.elsewhere.mkdir()
        (self.user / ".clew").mkdir(parents=True)
        bolt, browser, broker, web = free_ports(0, 0, 0, 0)
        (self.user / ".clew" / "clew.toml").write_text(
            f"cache_dir = {json.dumps(str(cache_dir))}\n"
            f"bolt_port = {bolt}\nbrowser_port = {browser}\n"
            f"broker_port = {broker}\nweb_port = {web}\n"
            "neo4j_heap_mib = 512\nneo4j_page_cache_mib = 64\nneo4j_startup_cache = false\n"
        )
        build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
        subprocess.run(build, cwd=ROOT, check=True, capture_output=True)
        (wheel,) = folder.glob("*.whl")
        make = [sys.executable, "-m", "venv", "--without-pip", str(self.environment)]
        subprocess.run(make, check=True)
        paths = {"base": str(self.environment), "platbase": str(self.environment)}
        site = Path(sysconfig.get_path("purelib", vars=paths))
        (site / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n")
        install = [sys.executable, "-m", "uv", "pip", "install", "--offline", "--no-deps"]
        python = ["--python", str(self.environment / "bin" / "python"), str(wheel)]
        subprocess.run([*install, *python], check=True, capture_output=True)

    def run(self, program: str, *arguments: str) -> str:
        """Return what a program of the environment printed, called with nothing but a home."""
        done = subprocess.run(
            [str(self.environment / "bin" / program), *arguments],
            cwd=self.elsewhere,
            env={"HOME": str(self.user), "PATH": "/usr/bin:/bin", "COLUMNS": "200"},
            capture_output=True,
            text=True,
            timeout=400,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory, cache_dir: Path) -> Iterator[Installed]:
    made = Installed(tmp_path_factory.mktemp("installed"), cache_dir.resolve())
    try:
        yield made
    finally:
        made.run("clew", "down")


def test_the_wheel_alone_gives_the_demo_the_services_and_the_library(installed: Installed) -> None:
    assert DEMO_QUESTION.answer in installed.run("clew", "demo")
    assert "running already" in installed.run("clew", "up")
    program = PYTHON_PROGRAM.replace("QUESTION", json.dumps(DEMO_QUESTION.question))
    said = json.loads(installed.run("python", "-c", program))
    assert said["answer"]
    assert [path for path in said["where"] if not path.startswith(str(installed.environment))] == []
    running = json.loads(installed.run("clew", "status", "--json"))
    assert {service["state"] for service in running["services"]} == {"healthy"}
