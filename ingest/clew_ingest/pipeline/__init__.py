"""From accepted documents to the graph, in stages that overlap."""
