"""Everything a corpus holds, as lines of text that two runs can be compared by."""

import json
from collections import Counter
from typing import Any

from clew_cypher.store import GraphStore

FORGOTTEN = {
    *("accepted_at", "ready_at", "created_at", "job_id", "seconds", "llm_calls"),
    *("prompt_tokens", "completion_tokens"),
}
"""Properties that differ between two runs, however right both are."""


def graph_lines(store: GraphStore, corpus: str) -> Counter[str]:
    """Return each node and edge of a corpus as a line, with how often it is there.

    Not that titles were linked, and how often: it tells of a run and not of the graph.

    Vectors count as "there or not": which texts are embedded together changes their last digits.
    """
    lines: Counter[str] = Counter()
    nodes = store.run_declared(
        "CYPHER 25 MATCH (n) WHERE n.corpus = $corpus AND NOT n:Job AND NOT n:TitleLinks "
        "RETURN labels(n) AS labels, n{.*, embedding: n.embedding IS NOT NULL} AS properties",
        {"corpus": corpus},
    )
    for row in nodes:
        lines[_line("node", sorted(row["labels"]), row["properties"])] += 1
    edges = store.run_declared(
        "CYPHER 25 MATCH (a)-[r]->(b) WHERE a.corpus = $corpus RETURN a.id AS a, type(r) AS type, "
        "b.id AS b, r{.*, embedding: r.embedding IS NOT NULL} AS properties",
        {"corpus": corpus},
    )
    for row in edges:
        lines[_line("edge", [row["a"], row["type"], row["b"]], row["properties"])] += 1
    return lines


def _line(kind: str, head: list[str], properties: dict[str, Any]) -> str:
    kept = {key: value for key, value in properties.items() if key not in FORGOTTEN}
    return f"{kind} {head} {json.dumps(kept, sort_keys=True, default=str)}"
