"""Where the services that are started here are to listen, and whether they may."""

import errno

from clew.errors import InvalidSetting
from clew.resources.connecting import external_broker
from clew.settings import ENVIRONMENT_PREFIX, Settings
from clew_cypher.embedded import free_ports

LOOPBACK = "127.0.0.1"


def wanted_addresses(settings: Settings) -> dict[str, tuple[str, int]]:
    """Return host and wanted port of each, by the setting of its port."""
    wanted = {"web_port": (settings.web_host, settings.web_port)}
    if settings.neo4j_uri is None:
        wanted["bolt_port"] = (LOOPBACK, settings.bolt_port)
        wanted["browser_port"] = (LOOPBACK, settings.browser_port)
    if external_broker(settings) is None:
        wanted["broker_port"] = (LOOPBACK, settings.broker_port)
    return wanted


def check_addresses(settings: Settings) -> None:
    """Raise InvalidSetting for a port that this user may not use, or a host that is elsewhere.

    A port that is taken is well: the next free one is used.
    """
    for name, (host, port) in wanted_addresses(settings).items():
        try:
            free_ports(port, host=host)
        except OSError as error:
            variable = f"{ENVIRONMENT_PREFIX}{name.upper()}"
            raise InvalidSetting(
                f"Nothing can listen on port {port} of {host} ({variable}): {error.strerror}.",
                remedy=f"Set {variable} to a port from 1024 on, which needs no rights of its own."
                if error.errno in (errno.EACCES, errno.EPERM)
                else f"Set {ENVIRONMENT_PREFIX}WEB_HOST to an address of this machine, or to "
                "0.0.0.0 for all that it has.",
            ) from error
