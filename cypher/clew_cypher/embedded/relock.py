"""Maintenance: write ``jars.lock`` anew with Maven, ``python -m clew_cypher.embedded.relock``.

Only who changes a version needs this, and Maven with it. The versions are ``ROOTS`` below; all
else is resolved by Maven's own mediation, so that the class path is the one Neo4j is tested with.
"""

import hashlib
import shutil
import subprocess
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

from clew_cypher.embedded.lock import LOCK_PATH, Jar

NEO4J_VERSION = "2026.08.1"
GDS_VERSION = "2.26.0"
BROWSER_VERSION = "5.24.0"

SERVER_ROOTS = (
    f"org.neo4j:neo4j:{NEO4J_VERSION}",
    f"org.neo4j.app:neo4j-server:{NEO4J_VERSION}",
    f"org.neo4j.client:neo4j-browser:{BROWSER_VERSION}",
)
ROOTS = (
    *SERVER_ROOTS,
    f"org.neo4j.gds:proc:{GDS_VERSION}",
    f"org.neo4j.gds:opengds-extension:{GDS_VERSION}",
)

_POM = """<project xmlns="http://maven.apache.org/POM/4.0.0">
<modelVersion>4.0.0</modelVersion>
<groupId>clew</groupId><artifactId>lock</artifactId><version>1</version>
<dependencies>{dependencies}</dependencies>
</project>
"""
_DEPENDENCY = (
    "<dependency><groupId>{}</groupId><artifactId>{}</artifactId><version>{}</version></dependency>"
)
_COPY = (
    "dependency:copy-dependencies",
    "-DincludeScope=runtime",
    "-Dmdep.useRepositoryLayout=true",
    "-DoutputDirectory=jars",
)


def resolve(roots: tuple[str, ...] = ROOTS) -> list[Jar]:
    """Return every jar the roots need at run time, with the SHA-256 of what Maven fetched."""
    maven = shutil.which("mvn")
    if maven is None:
        raise SystemExit("Maven (mvn) is needed to resolve the jars; it is not on PATH.")
    with tempfile.TemporaryDirectory() as folder:
        dependencies = "".join(_DEPENDENCY.format(*root.split(":")) for root in roots)
        Path(folder, "pom.xml").write_text(_POM.format(dependencies=dependencies))
        subprocess.run([maven, "-B", "-q", *_COPY], cwd=folder, check=True)
        base = Path(folder, "jars")
        return sorted(_jar(base, path) for path in base.rglob("*.jar"))


def _jar(base: Path, path: Path) -> Jar:
    group, artifact, version = path.relative_to(base).parent.as_posix().rsplit("/", 2)
    classifier = path.stem.removeprefix(f"{artifact}-{version}").removeprefix("-")
    coordinates = ":".join(
        part for part in (group.replace("/", "."), artifact, version, classifier) if part
    )
    data = path.read_bytes()
    jar = Jar(coordinates, len(data), hashlib.sha256(data).hexdigest())
    if jar.path != path.relative_to(base).as_posix():
        raise SystemExit(f"{coordinates} would be fetched as {jar.path}, but Maven has {path}.")
    return jar


def main() -> None:
    """Resolve and write the lock file."""
    server = {jar.coordinates for jar in resolve(SERVER_ROOTS)}
    jars = [replace(jar, in_plugin=jar.coordinates not in server) for jar in resolve()]
    heading = (
        "# Jars of the embedded Neo4j: Maven coordinates, bytes, SHA-256; gds marks those that\n"
        "# a plain server does not have.\n"
        "# Written by `python -m clew_cypher.embedded.relock`; do not edit.\n"
    )
    LOCK_PATH.write_text(heading + "".join(f"{jar.line()}\n" for jar in jars))
    total = sum(jar.size for jar in jars) / 1e6
    sys.stdout.write(f"{LOCK_PATH}: {len(jars)} jars, {total:.0f} MB\n")


if __name__ == "__main__":
    main()
