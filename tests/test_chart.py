"""The Helm chart says what docker-compose.yml says; lint and rendering need helm."""

import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).resolve().parent.parent
CHART = ROOT / "platform" / "chart"
VARIABLE = re.compile(r"\$\{[A-Z0-9_]+:-([^}]*)\}")
SETTING = re.compile(r"- \{name: (NEO4J_\w+), value: (.+)\}$", re.MULTILINE)
BY_VALUES = {
    "NEO4J_AUTH_FILE",
    "NEO4J_server_memory_heap_max__size",
    "NEO4J_server_memory_pagecache_size",
}


@pytest.fixture(scope="module")
def compose() -> dict[str, Any]:
    text = (ROOT / "docker-compose.yml").read_text()
    services: dict[str, Any] = yaml.safe_load(VARIABLE.sub(r"\1", text))["services"]
    return services


@pytest.fixture(scope="module")
def values() -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load((CHART / "values.yaml").read_text())
    return found


def test_images_and_limits_are_those_of_compose(
    compose: dict[str, Any], values: dict[str, Any]
) -> None:
    chart = yaml.safe_load((CHART / "Chart.yaml").read_text())
    assert compose["web"]["image"] == f"{values['image']['repository']}:{chart['appVersion']}"
    for name in ("neo4j", "valkey"):
        image = values[name]["image"]
        assert compose[name]["image"] == f"{image['repository']}:{image['tag']}"
    shown = values["workers"] | {name: values[name] for name in ("web", "neo4j", "valkey")}
    for name, one in shown.items():
        service = compose[f"worker-{name}" if name in values["workers"] else name]
        limits = service["deploy"]["resources"]["limits"]
        memory, cpus = limits["memory"].upper() + "i", limits["cpus"]
        assert (one["resources"]["limits"]["memory"], one["resources"]["limits"]["cpu"]) == (
            memory,
            cpus,
        ), name


def test_commands_are_those_of_compose(compose: dict[str, Any], values: dict[str, Any]) -> None:
    template = (CHART / "templates" / "workers.yaml").read_text()
    lines = re.search(r"command:\n((?: +- .+\n)+)", template)
    assert lines is not None
    for name, worker in values["workers"].items():
        said = lines[1].replace("{{ $worker.queues }}", worker["queues"])
        said = said.replace("{{ $worker.concurrency }}", str(worker["concurrency"]))
        service = compose[f"worker-{name}"]
        assert yaml.safe_load(said) == service["command"]
        assert service["healthcheck"]["test"][-1] == worker["probe"]
    web = (CHART / "templates" / "web.yaml").read_text()
    said = next(line for line in web.splitlines() if line.strip().startswith("command: [python"))
    port = said.replace("{{ .Values.web.port }}", str(values["web"]["port"]))
    assert yaml.safe_load(port)["command"] == compose["web"]["command"]


def test_the_database_is_confined_as_that_of_compose(compose: dict[str, Any]) -> None:
    template = (CHART / "templates" / "neo4j.yaml").read_text()
    said = dict(SETTING.findall(template))
    own = compose["neo4j"]["environment"]
    assert set(said) == set(own)
    assert {name: yaml.safe_load(said[name]) for name in said.keys() - BY_VALUES} == {
        name: own[name] for name in own.keys() - BY_VALUES
    }


@pytest.mark.skipif(shutil.which("helm") is None, reason="needs helm")
@pytest.mark.parametrize("more", [(), ("--set", "web.ingress.enabled=true,neo4j.enabled=false")])
def test_helm_lints_and_renders_it(more: tuple[str, ...]) -> None:
    subprocess.run(["helm", "lint", "--strict", CHART, *more], check=True, capture_output=True)
    done = subprocess.run(
        ["helm", "template", "clew", CHART, *more], check=True, capture_output=True, text=True
    )
    made = [(one["kind"], one["metadata"]["name"]) for one in yaml.safe_load_all(done.stdout)]
    assert ("Deployment", "clew-worker-query") in made
    assert (("Ingress", "clew-web") in made) == bool(more)
    assert (("StatefulSet", "neo4j") in made) != bool(more)
