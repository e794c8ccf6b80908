"""The lock file of the embedded Neo4j: which jars, of which size and content."""

from dataclasses import dataclass
from functools import cache
from pathlib import Path

LOCK_PATH = Path(__file__).with_name("jars.lock")
GDS_GROUP = "org.neo4j.gds"


@dataclass(frozen=True, order=True)
class Jar:
    """One jar: Maven coordinates ``group:artifact:version[:classifier]``, bytes, SHA-256."""

    coordinates: str
    size: int
    sha256: str
    in_plugin: bool = False
    """Whether GDS needs it and a plain Neo4j server does not bring it."""

    @property
    def path(self) -> str:
        """Where the jar lies in a Maven repository, relative to its address."""
        group, artifact, version, *classifier = self.coordinates.split(":")
        name = "-".join([artifact, version, *classifier])
        return f"{group.replace('.', '/')}/{artifact}/{version}/{name}.jar"

    @property
    def is_gds(self) -> bool:
        """Whether the jar may hold GDS procedures; Neo4j finds those only in ``plugins/``."""
        return self.coordinates.split(":")[0] == GDS_GROUP

    def line(self) -> str:
        """Return the jar's line of the lock file."""
        mark = " gds" if self.in_plugin else ""
        return f"{self.coordinates} {self.size} sha256:{self.sha256}{mark}"


@cache
def locked_jars() -> tuple[Jar, ...]:
    """Return the jars of ``jars.lock``, in its order."""
    jars = []
    for line in LOCK_PATH.read_text().splitlines():
        if line and not line.startswith("#"):
            coordinates, size, digest, *mark = line.split()
            jars.append(Jar(coordinates, int(size), digest.removeprefix("sha256:"), bool(mark)))
    return tuple(jars)
