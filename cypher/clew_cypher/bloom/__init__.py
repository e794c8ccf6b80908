"""What Neo4j's own tools show the graph by: a perspective for Bloom, a guide for the Browser."""
