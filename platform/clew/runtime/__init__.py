"""The local runtime: Neo4j, the broker, the workers and the web server on this machine."""

from clew.resources.runtime_state import ServiceRow, ServiceState
from clew.runtime.control import Addresses, OnStep, Step, check_settings, down, status, up
from clew.runtime.doctor import Check, doctor

__all__ = [
    "Addresses",
    "Check",
    "OnStep",
    "ServiceRow",
    "ServiceState",
    "Step",
    "check_settings",
    "doctor",
    "down",
    "status",
    "up",
]
