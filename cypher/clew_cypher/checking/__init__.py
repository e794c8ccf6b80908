"""Whether the graph is what its documents say, and whether what is cited exists."""
