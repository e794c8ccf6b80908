"""Where Neo4j, the broker and the web server are: external ones by setting, else our own."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import SecretStr

from clew.errors import InvalidSetting, RuntimeNotRunning
from clew.resources.runtime_state import live_state
from clew.settings import Settings

if TYPE_CHECKING:
    from clew_cypher.store import Neo4jConfig


@dataclass(frozen=True)
class Connection:
    """How to reach the parts; asking for one that is nowhere raises RuntimeNotRunning."""

    neo4j_config: "Neo4jConfig | None" = None
    broker: SecretStr | None = None
    events: SecretStr | None = None
    web: str | None = None
    browser: str | None = None

    @property
    def neo4j(self) -> "Neo4jConfig":
        """The graph database."""
        if self.neo4j_config is None:
            raise _not_running("no Neo4j is configured", "NEO4J_URI")
        return self.neo4j_config

    @property
    def broker_url(self) -> SecretStr:
        """The broker."""
        if self.broker is None:
            raise _not_running("no broker is configured", "CLEW_BROKER_URL")
        return self.broker

    @property
    def events_url(self) -> SecretStr:
        """The Redis or Valkey that carries a question's events: its setting, else the broker."""
        return self.events or self.broker_url

    @property
    def web_url(self) -> str:
        """The web server that `clew up` started."""
        if self.web is None:
            raise RuntimeNotRunning("Clew is not running.", remedy="Start it: `clew up`.")
        return self.web


def connection(settings: Settings) -> Connection:
    """Return how to reach Neo4j, the broker and the web server.

    Raises RuntimeNotRunning where there is neither an external Neo4j nor a running ``clew up``.
    """
    state = live_state(settings.home)
    config = external_neo4j(settings)
    broker = external_broker(settings)
    if state is not None:
        if config is None and state.neo4j_uri:
            from clew_cypher.store import Neo4jConfig

            config = Neo4jConfig(
                state.neo4j_uri, state.neo4j_username, state.neo4j_password, state.neo4j_database
            )
        if broker is None and state.broker_url:
            broker = SecretStr(state.broker_url)
    found = Connection(
        config,
        broker,
        external_events(settings) or broker,
        state.web_url or None if state else None,
        state.browser_url or None if state else None,
    )
    found.neo4j  # noqa: B018 - raises where there is none
    return found


def external_neo4j(settings: Settings) -> "Neo4jConfig | None":
    """Return the Neo4j that the settings name; None where they name none."""
    if settings.neo4j_uri is None:
        return None
    password = secret(settings.neo4j_password, settings.neo4j_password_file, "neo4j_password_file")
    if password is None:
        raise InvalidSetting(
            f"The password of the Neo4j at {settings.neo4j_uri} is not known.",
            remedy="Set NEO4J_PASSWORD, or CLEW_NEO4J_PASSWORD_FILE to a file that holds it.",
        )
    from clew_cypher.store import Neo4jConfig

    return Neo4jConfig(
        settings.neo4j_uri, settings.neo4j_username, password, settings.neo4j_database
    )


def external_broker(settings: Settings) -> SecretStr | None:
    """Return the URL of the broker that the settings name; None where they name none."""
    url = secret(settings.broker_url, settings.broker_url_file, "broker_url_file")
    return None if url is None else SecretStr(url)


def external_events(settings: Settings) -> SecretStr | None:
    """Return the URL of what carries events that the settings name; None where they name none."""
    url = secret(settings.events_url, settings.events_url_file, "events_url_file")
    return None if url is None else SecretStr(url)


def secret(value: SecretStr | None, file: Path | None, name: str) -> str | None:
    """Return a secret given itself or by a file (without its last line end); None: neither."""
    if value is not None:
        return value.get_secret_value()
    if file is None:
        return None
    try:
        return file.read_text(encoding="utf-8").rstrip("\r\n")
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidSetting(
            f"The file {file} of the setting {name} cannot be read: {error}.",
            remedy="It must be a text file that this user may read.",
        ) from error


def _not_running(what: str, variable: str) -> RuntimeNotRunning:
    return RuntimeNotRunning(
        f"Clew is not running, and {what}.",
        remedy=f"Start it with `clew up`, or set {variable} to one that runs already.",
    )
