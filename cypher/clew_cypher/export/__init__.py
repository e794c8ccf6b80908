"""Parts of the graph as arrays and rows for models."""
