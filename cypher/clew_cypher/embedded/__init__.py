"""A local Neo4j with GDS: its jars, its configuration, its process."""

from clew_cypher.embedded.jars import ensure_jars, missing_jars
from clew_cypher.embedded.process import OwnedProcess
from clew_cypher.embedded.server import EmbeddedNeo4j, answers, free_ports, is_listening
from clew_cypher.embedded.startup_cache import StartupCacheTraining, startup_cache_path

__all__ = [
    "EmbeddedNeo4j",
    "OwnedProcess",
    "StartupCacheTraining",
    "answers",
    "ensure_jars",
    "free_ports",
    "is_listening",
    "missing_jars",
    "startup_cache_path",
]
