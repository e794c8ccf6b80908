"""Which documents a sentence names by their titles, and the links of that in the graph."""
