"""Entity resolution in the graph: candidates, merges, joins, reviews."""
