"""The local runtime as people use it, with every real service: up, join, kill, down."""

import json
import os
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import httpx
import neo4j
import psutil
import pytest
from redis import Redis

from clew.clew import Clew
from clew.errors import RuntimeNotRunning
from clew.resources.connecting import connection
from clew.resources.runtime_state import ServiceState, live_state, log_directory
from clew.runtime import Step, down, status, up
from clew.runtime.leftovers import leftovers
from clew.settings import Settings
from clew_cypher.errors import GraphError

from ..graph_lines import graph_lines

pytestmark = pytest.mark.timeout(600)

NAMES = {"neo4j", "valkey", "worker-query", "worker-ingest", "web"}


@pytest.fixture(scope="module")
def running(runtime: Settings) -> Settings:
    return runtime


def wait_for(condition: Callable[[], object], seconds: float) -> float:
    started = time.monotonic()
    while not condition():
        assert time.monotonic() - started < seconds, "it did not happen in time"
        time.sleep(0.05)
    return time.monotonic() - started


def all_healthy(settings: Settings) -> bool:
    rows = status(settings)
    return {row.name for row in rows if row.state is ServiceState.HEALTHY} == NAMES


def pid_of(settings: Settings, name: str) -> int:
    pid = next(row.pid for row in status(settings) if row.name == name)
    assert pid is not None
    return pid


def remember(settings: Settings, value: str) -> None:
    config = connection(settings).neo4j
    with neo4j.GraphDatabase.driver(config.uri, auth=(config.username, config.password)) as driver:
        driver.execute_query("MERGE (:Remembered {value: $value})", {"value": value})


def remembered(settings: Settings) -> set[str]:
    config = connection(settings).neo4j
    with neo4j.GraphDatabase.driver(config.uri, auth=(config.username, config.password)) as driver:
        found = driver.execute_query("MATCH (node:Remembered) RETURN node.value AS value")
        return {record["value"] for record in found.records}


def test_everything_runs_where_it_says(running: Settings) -> None:
    found = connection(running)
    assert all_healthy(running)
    assert httpx.get(f"{found.web_url}/health").status_code == 200
    assert found.browser is not None
    assert httpx.get(found.browser).status_code == 200
    with Redis.from_url(found.broker_url.get_secret_value()) as client:
        assert client.ping()
        assert client.config_get("appendonly") == {"appendonly": "yes"}
        assert client.config_get("maxmemory-policy") == {"maxmemory-policy": "noeviction"}
    remember(running, "first run")
    assert remembered(running) == {"first run"}


def test_what_is_slow_to_start_starts_side_by_side(running: Settings) -> None:
    told = (log_directory(running.home) / "supervisor.log").read_text()
    ready = told.index("neo4j is healthy")
    for name in ("web", "worker-query", "worker-ingest"):
        assert told.index(f"{name} starts") < ready
        assert told.index(f"{name} is healthy") > told.index("valkey is healthy")


def test_nothing_listens_beyond_loopback_and_no_secret_is_shown(running: Settings) -> None:
    found = connection(running)
    secrets = {found.neo4j.password, found.broker_url.get_secret_value().split("@")[0][9:]}
    processes = leftovers(running.home)  # here: those of the running runtime
    assert len(processes) >= 2 * len(NAMES)  # each with its guardian
    listening, bare = set(), 0
    for process in processes:
        line = " ".join(process.cmdline())
        assert not any(secret in line for secret in secrets)
        if process.name() == "java":
            assert not any(name.startswith(("CLEW_", "NEO4J_")) for name in process.environ())
            bare += 1
        for link in process.net_connections("inet"):
            if link.status == psutil.CONN_LISTEN:
                listening.add(link.laddr.ip.removeprefix("::ffff:"))
    assert bare == 1
    assert listening == {"127.0.0.1"}
    assert stat.S_IMODE(running.home.stat().st_mode) == 0o700
    folders = [running.home / name for name in ("run", "logs", "valkey", "neo4j")]
    open_to_others = [
        path
        for folder in folders
        for path in (folder, *folder.rglob("*"))
        if path.exists() and not path.is_symlink() and path.stat().st_mode & 0o077
    ]
    assert open_to_others == []
    private = {"runtime.json", "password", "valkey.conf"}
    files = [path for path in running.home.rglob("*") if path.is_file() and path.name in private]
    assert {path.name for path in files} == private
    assert {stat.S_IMODE(path.stat().st_mode) for path in files} == {0o600}


def test_a_second_up_joins_the_first(running: Settings) -> None:
    before = live_state(running.home)
    started = time.monotonic()
    addresses = up(running)
    assert addresses.joined
    assert time.monotonic() - started < 5
    after = live_state(running.home)
    assert before is not None
    assert after is not None
    assert (after.pid, after.web_url) == (before.pid, before.web_url)


@pytest.mark.parametrize("name", sorted(NAMES))
def test_a_service_that_is_killed_is_back_within_seconds(running: Settings, name: str) -> None:
    wait_for(lambda: all_healthy(running), 120)
    address = connection(running).web_url
    victim = pid_of(running, name)
    os.kill(victim, signal.SIGKILL)
    wait_for(lambda: pid_of_or_none(running, name) not in (None, victim), 30)
    wait_for(lambda: all_healthy(running), 120)
    assert next(row.restarts for row in status(running) if row.name == name) >= 1
    assert connection(running).web_url == address
    assert remembered(running) == {"first run"}


def pid_of_or_none(settings: Settings, name: str) -> int | None:
    return next((row.pid for row in status(settings) if row.name == name), None)


def test_killing_worker_and_database_during_an_ingest_loses_and_doubles_nothing(
    running: Settings, tmp_path: Path
) -> None:
    wait_for(lambda: all_healthy(running), 120)
    file = tmp_path / "people.jsonl"
    file.write_text("\n".join(json.dumps(passage(number)) for number in range(500)))
    with Clew(running) as clew:
        job = clew.submit("kills", clew.accept([file], corpus="kills").pending)
        wait_for(lambda: clew.job(job.id).state == "done", 180)
        undisturbed = graph_lines(clew.resources.store, "kills")
        clew.delete_corpus("kills")
        assert graph_lines(clew.resources.store, "kills").total() == 0

        job = clew.submit("kills", clew.accept([file], corpus="kills").pending)
        for name in ("worker-ingest", "neo4j"):
            wait_for(lambda: all_healthy(running) and chunks_of(clew) != chunks_of(clew, 0.3), 180)
            assert clew.job(job.id).state == "running", "the ingest ended before it was disturbed"
            os.kill(pid_of(running, name), signal.SIGKILL)
        wait_for(lambda: state_of(clew, job.id) == "done", 240)
        assert graph_lines(clew.resources.store, "kills") == undisturbed
        assert [finding for finding in clew.check("kills") if finding.found] == []
        clew.delete_corpus("kills")


def passage(number: int) -> dict[str, str]:
    """A made-up person, known to the person before."""
    name, friend = f"Person{number} Smith", f"Person{max(number - 1, 0)} Smith"
    text = f"{name} was born in London in {1800 + number}. {name} met {friend} in Paris."
    return {"title": name, "text": text}


def chunks_of(clew: Clew, after_s: float = 0.0) -> int:
    """How many chunks there are, -1 while Neo4j is away."""
    time.sleep(after_s)
    try:
        return clew.stats("kills").chunks
    except GraphError:
        return -1


def state_of(clew: Clew, job_id: str) -> str:
    try:
        return clew.job(job_id).state
    except GraphError:
        return "unknown"


def test_a_supervisor_that_is_killed_leaves_no_orphan_and_no_trouble(running: Settings) -> None:
    state = live_state(running.home)
    assert state is not None
    children = leftovers(running.home)
    os.kill(state.pid, signal.SIGKILL)
    wait_for(lambda: live_state(running.home) is None, 5)
    with pytest.raises(RuntimeNotRunning):
        connection(running)
    assert status(running) == []
    gone, alive = psutil.wait_procs(children, timeout=15)
    assert alive == []
    assert len(gone) == len(children)
    assert leftovers(running.home) == []

    steps: list[Step] = []
    assert not up(running, steps.append).joined
    assert {step.name for step in steps} == NAMES | {"jars"}
    assert remembered(running) == {"first run"}


def test_down_ends_everything_in_order(running: Settings) -> None:
    up(running)
    processes = leftovers(running.home)
    steps: list[Step] = []
    assert down(running, steps.append)
    assert leftovers(running.home) == []
    assert not any(process.is_running() for process in processes)
    assert not down(running)
    log = (running.home / "neo4j" / "logs" / "neo4j.log").read_text()
    assert "Stopped." in log.splitlines()[-1]


def test_up_in_the_foreground_stops_all_in_order_when_a_service_manager_ends_it(
    running: Settings, tmp_path: Path
) -> None:
    from clew.runtime.environment import service_environment

    environment = service_environment(running)
    del environment["_CLEW_OWNER"]
    command = [str(Path(sys.executable).with_name("clew")), "up", "--foreground"]
    for ready in (True, False):
        with subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=environment
        ) as process:
            assert process.stdout is not None
            try:
                for line in process.stdout:
                    if b"Clew is running" in line or (not ready and b"starting" in line):
                        break
                process.send_signal(signal.SIGTERM)
                process.send_signal(signal.SIGTERM)
                assert process.wait(75) == 0
            finally:
                process.kill()
        assert leftovers(running.home) == []
        if ready:
            log = (running.home / "neo4j" / "logs" / "neo4j.log").read_text()
            assert "Stopped." in log.splitlines()[-1]


def test_up_in_the_foreground_ends_all_when_it_is_killed(running: Settings) -> None:
    code = (
        "from clew.runtime import up; from clew.settings import Settings\n"
        "up(Settings.load(), foreground=True, ready=lambda found: print('ready', flush=True))"
    )
    from clew.runtime.environment import service_environment

    environment = service_environment(running)
    del environment["_CLEW_OWNER"]
    with subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, env=environment
    ) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == "ready\n"
            children = leftovers(running.home)
        finally:
            process.kill()
    assert len(children) >= 2 * len(NAMES)
    assert psutil.wait_procs(children, timeout=30)[1] == []
    wait_for(lambda: live_state(running.home) is None, 10)
