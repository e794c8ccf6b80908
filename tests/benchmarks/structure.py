"""The house in figures: files and lines a package, import rings, who names a method.

    python tests/benchmarks/structure.py [--json FILE]

Run from the root of a checkout. A ring: files that import one another in a circle, imports within
functions and those for type checkers alone counted. A sliver: a module of under 60 lines that one
module alone imports. A method is named where its name, or the word for its class or options, stands
in a file of the product that is not in a folder or file of that method's own; the paper's name,
KG-Translator, where a source is cited, does not count.
"""

import argparse
import ast
import json
import re
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import networkx

ROOTS = {
    "clew": "platform",
    "clew_cypher": "cypher",
    "clew_ingest": "ingest",
    "clew_models": "models",
    "clew_web": "web",
}
TEXTS = {".py", ".cypher", ".html", ".js", ".css", ".j2"}
METHOD = "translator"
FEW_LINES = 60


def modules() -> dict[str, Path]:
    """Return every module of the product by its dotted name."""
    found = {}
    for package, root in ROOTS.items():
        for path in sorted(Path(root, package).rglob("*.py")):
            name = ".".join(path.relative_to(root).with_suffix("").parts)
            found[name.removesuffix(".__init__")] = path
    return found


def imports(tree: ast.AST) -> Iterator[str]:
    """Yield what a module imports, `package.name` for each name of a `from`."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def graph(known: dict[str, Path]) -> networkx.DiGraph:
    """Return which module imports which."""
    found = networkx.DiGraph()
    found.add_nodes_from(known)
    for name, path in known.items():
        for imported in imports(ast.parse(path.read_text())):
            while imported and imported not in known:
                imported = imported.rpartition(".")[0]
            if imported and imported != name:
                found.add_edge(name, imported)
    return found


def figures() -> dict[str, object]:
    """Return all figures of the checkout in the working directory."""
    known = modules()
    arrows = graph(known)
    packages: dict[str, dict[str, int]] = defaultdict(lambda: {"files": 0, "lines": 0})
    for name, path in known.items():
        row = packages[name.split(".")[0]]
        row["files"] += 1
        row["lines"] += len(path.read_text().splitlines())
    slivers = [
        name
        for name, path in known.items()
        if path.name != "__init__.py"
        and arrows.in_degree(name) == 1
        and len(path.read_text().splitlines()) < FEW_LINES
    ]
    loose = {
        package: len(list(Path(root, package).glob("*.py"))) for package, root in ROOTS.items()
    }
    word = re.compile(rf"(?<!KG-){METHOD}", re.IGNORECASE)
    texts = [p for r in ROOTS.values() for p in Path(r).rglob("*") if p.suffix in TEXTS]
    naming = [
        str(path)
        for path in sorted(texts)
        if METHOD not in str(path) and word.search(path.read_text(errors="replace"))
    ]
    rings = [sorted(ring) for ring in networkx.strongly_connected_components(arrows)]
    return {
        "packages": dict(packages),
        "loose_files": loose,
        "rings": sorted((ring for ring in rings if len(ring) > 1), key=len, reverse=True),
        "slivers": slivers,
        f"files_that_name_{METHOD}": naming,
    }


def main() -> None:
    """Print the figures, and write them where that is asked for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", type=Path, help="also write the figures to this file")
    arguments = parser.parse_args()
    found = figures()
    text = json.dumps(found, indent=1)
    if arguments.json:
        arguments.json.write_text(text + "\n")
    sys.stdout.write(text + "\n")


if __name__ == "__main__":
    main()
