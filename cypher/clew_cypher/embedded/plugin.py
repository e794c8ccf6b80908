"""Lay out GDS as a plugin for a Neo4j that comes from elsewhere, such as the official image.

``python -m clew_cypher.embedded.plugin FOLDER`` fills the folder with the jars of GDS, checked
against the lock, that a plain server of the same version does not have.
"""

import shutil
import sys
import tempfile
from pathlib import Path

from clew_cypher.embedded.jars import ensure_jars
from clew_cypher.embedded.lock import Jar, locked_jars


def plugin_jars() -> list[Jar]:
    """Return the jars of the GDS plugin."""
    return [jar for jar in locked_jars() if jar.in_plugin]


def lay_out_plugin(folder: Path, cache_dir: Path, repository: str | None = None) -> list[Path]:
    """Copy the plugin's jars into ``folder``, fetched where the cache has none; return them."""
    folder.mkdir(parents=True, exist_ok=True)
    found = ensure_jars(cache_dir, None, repository, plugin_jars())
    return [Path(shutil.copy(path, folder / path.name)) for path in found]


def main() -> None:
    """Lay out the plugin in the folder named on the command line."""
    with tempfile.TemporaryDirectory() as cache:
        jars = lay_out_plugin(Path(sys.argv[1]), Path(cache))
    sys.stdout.write(f"{sys.argv[1]}: {len(jars)} jars of GDS\n")


if __name__ == "__main__":
    main()
