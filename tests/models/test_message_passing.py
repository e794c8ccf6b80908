"""Layers that pass messages leave no files in the directory for temporary ones."""

import os
import subprocess
import sys
from pathlib import Path

PROGRAM = """
import torch
from clew_models.graph_llm.encoder import EncoderOptions, GraphBatch, GraphEncoder
from clew_models.graph_network.layers import InterLevel, IntraLevel

edges = torch.tensor([[0, 1, 2], [1, 2, 0]])
part = torch.zeros(3, dtype=torch.long)
nodes, question = torch.randn(3, 8), torch.randn(1, 8)
within, between = IntraLevel(8, 1.0), InterLevel(8, 1.0)
print(within.propagate.__module__)
nodes, _ = within(nodes, question, part, edges)
between(nodes, nodes, question, part, edges)
for kind in ("graph-transformer", "gat", "gcn"):
    encoder = GraphEncoder(EncoderOptions(kind, 2, 2, 8, 8), 8, 1.0)
    print(encoder.layers[0].propagate.__module__)
    encoder(GraphBatch(nodes, edges, nodes, part, part[:1], 1))
"""


def test_no_file_is_left(tmp_path: Path) -> None:
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        env=environment,
        capture_output=True,
        text=True,
        timeout=250,
        check=True,
    )
    # each is a module that was imported from a file there
    assert [name.rsplit("_", 2)[1:] for name in done.stdout.split()] == [
        ["IntraLevel", "propagate"],
        ["TransformerConv", "propagate"],
        ["GATConv", "propagate"],
        ["GCNConv", "propagate"],
    ]
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []
