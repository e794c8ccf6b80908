"""The local runtime: Neo4j, the broker, the workers and the web server on this machine."""

from clew.runtime.connecting import Connection, connection
from clew.runtime.control import Addresses, OnStep, Step, check_settings, down, status, up
from clew.runtime.doctor import Check, doctor
from clew.runtime.state import ServiceRow, ServiceState

__all__ = [
    "Addresses",
    "Check",
    "Connection",
    "OnStep",
    "ServiceRow",
    "ServiceState",
    "Step",
    "check_settings",
    "connection",
    "doctor",
    "down",
    "status",
    "up",
]
