"""The parts of the local runtime that need nothing running."""

import errno
import os
import re
import socket
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest
from pydantic import SecretStr

from clew.errors import InvalidSetting, RuntimeNotRunning, ServiceFailed
from clew.jobs.broker import broker_url, events_url
from clew.resources.connecting import connection
from clew.resources.runtime_state import (
    RuntimeState,
    ServiceRow,
    ServiceState,
    is_supervised,
    live_state,
    make_private,
    read_state,
    supervisor_lock,
    write_state,
)
from clew.runtime import check_settings, doctor, down, status, up
from clew.runtime.doctor import Outcome
from clew.runtime.environment import service_environment
from clew.runtime.ports import check_addresses
from clew.runtime.services import Neo4jService, ValkeyService, local_services
from clew.settings import Settings
from clew.settings.listing import settings_list
from clew_cypher.errors import DownloadFailed

COMPOSE = Path(__file__).resolve().parents[2] / "docker-compose.yml"


@pytest.fixture(autouse=True)
def _no_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in list(os.environ):
        if name.startswith(("CLEW_", "NEO4J_")):
            monkeypatch.delenv(name)


def test_nothing_running_is_said_with_the_remedy(tmp_path: Path) -> None:
    settings = Settings.load(home=tmp_path)
    with pytest.raises(RuntimeNotRunning, match="clew up"):
        connection(settings)
    assert status(settings) == []
    assert down(settings) is False


def test_state_counts_only_while_its_supervisor_lives(tmp_path: Path) -> None:
    state = RuntimeState(
        os.getpid(),
        neo4j_uri="bolt://127.0.0.1:7",
        neo4j_username="neo4j",
        neo4j_password="secret",
        neo4j_database="neo4j",
        broker_url="redis://:other@127.0.0.1:8/0",
        web_url="http://127.0.0.1:9",
        services=[ServiceRow("web", "Web", ServiceState.HEALTHY)],
    )
    settings = Settings.load(home=tmp_path)
    with supervisor_lock(tmp_path) as mine:
        assert mine
        write_state(tmp_path, state)
        assert live_state(tmp_path) == state
        found = connection(settings)
        assert (found.neo4j.uri, found.neo4j.password) == ("bolt://127.0.0.1:7", "secret")
        assert found.events_url == found.broker_url == SecretStr("redis://:other@127.0.0.1:8/0")
        assert found.web_url == "http://127.0.0.1:9"
        assert "secret" not in repr(found)
        assert "other" not in repr(found)
        with supervisor_lock(tmp_path, patience_s=0.1) as second:
            assert not second
        assert (tmp_path / "run" / "runtime.json").stat().st_mode & 0o777 == 0o600
    assert read_state(tmp_path) == state
    assert live_state(tmp_path) is None
    with pytest.raises(RuntimeNotRunning):
        connection(settings)


def test_the_lock_is_let_go_when_its_holder_is_killed(tmp_path: Path) -> None:
    code = (
        "import sys, time; from pathlib import Path; from clew.resources.runtime_state import *\n"
        "with supervisor_lock(Path(sys.argv[1])) as mine: print(mine, flush=True); time.sleep(99)"
    )
    command = [sys.executable, "-c", code, str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "True\n"
        assert is_supervised(tmp_path)
        holder.kill()
    assert not is_supervised(tmp_path)


def test_a_backup_while_clew_is_down_is_not_taken_for_a_runtime(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The state that an earlier runtime left names a process that is another one by now."""
    settings = Settings.load(home=tmp_path)
    monkeypatch.setattr("clew.runtime.control.STOP_LIMIT_S", 0.5)
    monkeypatch.setattr("clew.runtime.control.BEGIN_LIMIT_S", 0.5)
    (tmp_path / "run").mkdir()
    with subprocess.Popen(["sleep", "60"]) as other:
        try:
            write_state(tmp_path, RuntimeState(other.pid, ready=True, web_url="http://localhost"))
            with supervisor_lock(tmp_path):
                assert status(settings) == []
                for command in (down, up):
                    with pytest.raises(ServiceFailed, match="clew backup"):
                        command(settings)
            assert down(settings) is False
            assert other.poll() is None
        finally:
            other.kill()


def test_external_services_are_used_and_nothing_is_started_for_them(tmp_path: Path) -> None:
    settings = Settings.load(
        home=tmp_path,
        neo4j_uri="neo4j://graph:7687",
        neo4j_password=SecretStr("one"),
        broker_url=SecretStr("rediss://:two@broker:6379/1"),
    )
    found = connection(settings)
    assert found.neo4j.uri == "neo4j://graph:7687"
    assert found.broker_url.get_secret_value() == "rediss://:two@broker:6379/1"
    with pytest.raises(RuntimeNotRunning):
        assert found.web_url
    started = [service.name for service in local_services(settings)]
    assert started == ["worker-query", "worker-ingest", "web"]


def test_secrets_may_come_from_files(tmp_path: Path) -> None:
    (tmp_path / "password").write_text("from a file\n")
    (tmp_path / "broker").write_text("redis://:three@broker:6379/0\n")
    settings = Settings.load(
        home=tmp_path,
        neo4j_uri="bolt://graph:7687",
        neo4j_password_file=tmp_path / "password",
        broker_url_file=tmp_path / "broker",
    )
    found = connection(settings)
    assert found.neo4j.password == "from a file"
    assert found.broker_url.get_secret_value() == "redis://:three@broker:6379/0"
    assert "valkey" not in [service.name for service in local_services(settings)]
    missing = Settings.load(
        home=tmp_path, neo4j_uri="bolt://graph:7687", neo4j_password_file=tmp_path / "nowhere"
    )
    with pytest.raises(InvalidSetting, match=r"nowhere.*neo4j_password_file.*cannot be read"):
        connection(missing)
    with pytest.raises(InvalidSetting, match="password of the Neo4j"):
        connection(Settings.load(home=tmp_path, neo4j_uri="bolt://graph:7687"))


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.7", "clew.example"])
def test_beyond_loopback_a_token_is_needed(tmp_path: Path, host: str) -> None:
    with pytest.raises(InvalidSetting, match=r"open to anyone.*CLEW_ACCESS_TOKEN"):
        check_settings(Settings.load(home=tmp_path, web_host=host))
    check_settings(Settings.load(home=tmp_path, web_host=host, access_token=SecretStr("t" * 40)))


@pytest.mark.parametrize("host", ["127.0.0.1", "127.0.0.9", "::1", "localhost"])
def test_loopback_needs_no_token(tmp_path: Path, host: str) -> None:
    check_settings(Settings.load(home=tmp_path, web_host=host))


def test_an_address_of_another_machine_is_told_before_anything_is_started(tmp_path: Path) -> None:
    settings = Settings.load(
        home=tmp_path / "home",
        cache_dir=tmp_path,
        web_host="192.0.2.7",
        access_token=SecretStr("t" * 40),
        maven_repository="http://127.0.0.1:1/none",
    )
    with pytest.raises(InvalidSetting, match=r"of 192\.0\.2\.7 \(CLEW_WEB_PORT\)") as told:
        up(settings)
    assert "CLEW_WEB_HOST" in told.value.remedy
    ports = next(check for check in doctor(settings) if check.name == "Ports")
    assert (ports.outcome, ports.detail) == (Outcome.FAILED, told.value.message)


def test_a_disk_without_room_for_a_new_database_is_told_before_anything_is_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    left = SimpleNamespace(free=3 << 20)
    monkeypatch.setattr("clew.runtime.control.shutil.disk_usage", lambda path: left)
    settings = Settings.load(home=tmp_path / "home", maven_repository="http://127.0.0.1:1/none")
    with pytest.raises(ServiceFailed, match=r"needs 200 MiB, and .*home has 3 MiB left") as told:
        up(settings)
    assert "CLEW_HOME" in told.value.remedy
    (settings.home / "neo4j" / "data").mkdir(parents=True)  # what is there can be started
    with pytest.raises(DownloadFailed):
        up(settings)


def test_a_port_that_needs_rights_is_told_with_its_setting(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def bind(listener: socket.socket, address: tuple[str, int]) -> None:
        if address[1] == 80:
            raise PermissionError(errno.EACCES, "Permission denied")  # as for anybody but root

    monkeypatch.setattr(socket.socket, "bind", bind)
    with pytest.raises(InvalidSetting, match=r"port 80 .*CLEW_BOLT_PORT.*Permission denied"):
        check_addresses(Settings.load(home=tmp_path, bolt_port=80))


@pytest.mark.parametrize("before", ["nothing", "empty", "a home"])
def test_the_home_is_private_before_anything_is_fetched(tmp_path: Path, before: str) -> None:
    home = tmp_path / "home"
    if before != "nothing":
        home.mkdir()
        home.chmod(0o755)
    if before == "a home":
        (home / "neo4j").mkdir()
    settings = Settings.load(home=home, maven_repository="http://127.0.0.1:1/none")
    with pytest.raises(DownloadFailed):
        up(settings)
    assert stat.S_IMODE(home.stat().st_mode) == 0o700


def test_a_folder_that_holds_something_else_is_left_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    tmp_path.chmod(0o755)
    make_private(tmp_path)
    assert stat.S_IMODE(tmp_path.stat().st_mode) == 0o755


def test_an_amqp_broker_needs_an_events_url(tmp_path: Path) -> None:
    broker = SecretStr("amqp://user:word@host/")
    with pytest.raises(InvalidSetting, match="CLEW_EVENTS_URL"):
        check_settings(Settings.load(home=tmp_path, broker_url=broker))
    events = SecretStr("redis://host")
    check_settings(Settings.load(home=tmp_path, broker_url=broker, events_url=events))


def test_children_get_the_settings_as_resolved_here(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "clew.toml").write_text("top_k = 7\n")
    monkeypatch.setenv("CLEW_STRATEGY", "dense")
    monkeypatch.setenv("NEO4J_USERNAME", "someone")
    settings = Settings.load(home=tmp_path, web_port=9999, url_ingest=False)
    for name, value in service_environment(settings).items():
        monkeypatch.setenv(name, value)
    assert Settings.load() == settings
    assert (settings.top_k, settings.strategy, settings.web_port) == (7, "dense", 9999)
    there = {one.name: one.source for one in settings_list(Settings.load())}
    # a service can still say what was set, and what nobody set
    assert {name for name, source in there.items() if source != "default"} == {
        *("home", "top_k", "strategy", "neo4j_username", "web_port", "url_ingest"),
    }


@pytest.fixture
def in_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A working directory of its own; the environment is afterwards what it was before."""
    monkeypatch.delenv("CLEW_ENV_FILE", raising=False)
    monkeypatch.chdir(tmp_path)
    before = dict(os.environ)
    yield tmp_path
    os.environ.clear()
    os.environ.update(before)


def test_a_file_named_env_is_read_below_the_environment(
    in_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (in_folder / "clew.toml").write_text("top_k = 7\nweb_port = 7\n")
    (in_folder / ".env").write_text(
        "# comment\nexport CLEW_WEB_PORT=9001\nCLEW_STRATEGY='bm25'\nNEO4J_USERNAME=ada\n"
        "CLEW_ACCESS_TOKEN=a${HOME}-and-more-of-it\nPYTHONPATH=/elsewhere\n"
    )
    monkeypatch.setenv("CLEW_STRATEGY", "dense")
    settings = Settings.load(home=in_folder)
    assert (settings.top_k, settings.web_port, settings.strategy) == (7, 9001, "dense")
    assert settings.neo4j_username == "ada"
    assert settings.access_token is not None
    assert settings.access_token.get_secret_value() == "a${HOME}-and-more-of-it"
    assert os.environ.get("PYTHONPATH") != "/elsewhere"


def test_an_unknown_name_in_it_is_refused_and_another_file_can_be_named(
    in_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (in_folder / "other").write_text("CLEW_TOPK=3\n")
    (in_folder / ".env").write_text("CLEW_TOP_K=4\n")
    monkeypatch.setenv("CLEW_ENV_FILE", "other")
    with pytest.raises(InvalidSetting, match="topk") as failed:
        Settings.load(home=in_folder)
    assert "top_k" in failed.value.remedy
    (in_folder / "other").write_bytes(b"CLEW_HOME=\xff\n")
    del os.environ["CLEW_TOPK"]  # not set by monkeypatch, which would bring it back
    with pytest.raises(InvalidSetting, match="cannot be read"):
        Settings.load(home=in_folder)
    monkeypatch.setenv("CLEW_ENV_FILE", "")
    assert Settings.load(home=in_folder).top_k != 4


@pytest.mark.parametrize("variable", ["CLEW_ENV_FILE", "CLEW_SETTINGS_FILE"])
def test_a_file_that_is_named_and_missing_is_told(
    in_folder: Path, monkeypatch: pytest.MonkeyPatch, variable: str
) -> None:
    monkeypatch.setenv(variable, "nothere")
    with pytest.raises(InvalidSetting, match=f"nothere, which {variable} names"):
        Settings.load(home=in_folder)
    monkeypatch.setenv(variable, "")
    Settings.load(home=in_folder)


def test_a_path_that_is_left_empty_is_not_the_working_directory(
    in_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(in_folder / "me"))
    for name in ("CLEW_HOME", "CLEW_CACHE_DIR", "CLEW_LLM_API_KEY_FILE"):
        monkeypatch.setenv(name, "")
    (in_folder / "clew.toml").write_text("top_k = 9\n")
    settings = Settings.load()
    assert settings.home == in_folder / "me" / ".clew"
    assert (settings.cache_dir, settings.llm_api_key_file, settings.top_k) == (None, None, 5)


def test_the_file_that_compose_reads_is_read_here_too(in_folder: Path) -> None:
    compose = COMPOSE.read_text()
    lines = re.findall(r"\$\{(CLEW_\w+):-([^}]*)\}", compose)  # each variable and its default
    head = re.findall(r"^# {16}(\w+)=(\S+)$", compose, re.MULTILINE)
    assert len(lines) > 20
    assert ("CLEW_INGEST_QUEUES", "ingest") in head
    (in_folder / ".env").write_text("".join(f"{name}={value}\n" for name, value in lines + head))
    assert Settings.load(home=in_folder).llm_base_url == "http://vllm:8000/v1"


@pytest.mark.parametrize("given", ["secret", "~/secret"])
def test_files_are_named_as_their_reader_finds_them(
    in_folder: Path, monkeypatch: pytest.MonkeyPatch, given: str
) -> None:
    """Services work in the home, where a relative path leads elsewhere."""
    monkeypatch.setenv("HOME", str(in_folder))
    names = [name for name in Settings.model_fields if name.endswith("_file")]
    assert len(names) == 5
    settings = Settings.load(**dict.fromkeys([*names, "valkey_binary"], given))
    environment = service_environment(settings)
    for name in (*names, "valkey_binary"):
        assert environment[f"CLEW_{name.upper()}"] == str(in_folder / "secret")


def test_what_services_import_is_compiled_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Images set this, and leave the packages uncompiled: a start took 6 s of a processor more."""
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    assert "PYTHONDONTWRITEBYTECODE" not in service_environment(Settings.load(home=tmp_path))


def test_an_ipv6_host_may_stand_in_brackets(tmp_path: Path) -> None:
    assert Settings.load(home=tmp_path, web_host="[::1]").web_host == "::1"


def test_no_password_is_on_a_command_line(tmp_path: Path, cache_dir: Path) -> None:
    settings = Settings.load(home=tmp_path, cache_dir=cache_dir)
    neo4j = Neo4jService(settings)
    valkey = ValkeyService(settings)
    state = RuntimeState(1)
    neo4j.describe(state)
    valkey.describe(state)
    password = valkey.url.split(":")[2].split("@")[0]
    assert len(password) >= 43
    process = valkey.start()
    try:
        assert password not in " ".join(process.command)
        configuration = tmp_path / "run" / "valkey.conf"
        assert password in configuration.read_text()
        assert configuration.stat().st_mode & 0o777 == 0o600
    finally:
        process.stop()
    assert state.neo4j_password not in " ".join(neo4j.server.command())
    for path in (tmp_path / "neo4j" / "password", tmp_path / "valkey" / "password"):
        assert path.stat().st_mode & 0o777 == 0o600


def test_doctor_finds_nothing_wrong_here(tmp_path: Path, cache_dir: Path) -> None:
    checks = doctor(Settings.load(home=tmp_path / "new" / "home", cache_dir=cache_dir))
    assert [check for check in checks if check.outcome is Outcome.FAILED] == []
    assert not (tmp_path / "new").exists()


def test_doctor_says_what_is_wrong_and_what_to_do(tmp_path: Path) -> None:
    settings = Settings.load(
        home=tmp_path,
        web_host="0.0.0.0",
        neo4j_uri="bolt://127.0.0.1:1",
        neo4j_password=SecretStr("x"),
        valkey_binary=tmp_path / "nowhere",
    )
    failed = {check.name: check for check in doctor(settings) if check.outcome is Outcome.FAILED}
    assert set(failed) == {"Neo4j", "Valkey"}  # its users are there, if any
    assert all(check.detail and check.remedy for check in failed.values())
    nobodys = Settings.load(home=tmp_path, web_host="0.0.0.0")
    assert "Settings" in {one.name for one in doctor(nobodys) if one.outcome is Outcome.FAILED}


def test_rabbitmq_and_what_carries_events_may_be_named_by_files(tmp_path: Path) -> None:
    (tmp_path / "broker").write_text("amqp://clew:x@rabbitmq:5672//\n")
    (tmp_path / "events").write_text("redis://:y@valkey:6379/0\n")
    files = {"home": tmp_path, "broker_url_file": tmp_path / "broker"}
    with pytest.raises(InvalidSetting, match="events"):
        check_settings(Settings.load(**files))
    both = Settings.load(**files, events_url_file=tmp_path / "events")
    check_settings(both)
    remote = both.model_copy(
        update={"neo4j_uri": "bolt://neo4j:7687", "neo4j_password": SecretStr("p")}
    )
    assert broker_url(remote) == "amqp://clew:x@rabbitmq:5672//"
    assert events_url(remote) == "redis://:y@valkey:6379/0"
