"""Writing documents, chunks, entities and triples, and taking them out again."""
