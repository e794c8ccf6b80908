"""From text to chunks with sentences, mentions and triples."""
