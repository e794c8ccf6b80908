"""Text-to-triples (RA-3; RAS section 3.2): a language model that writes what sentences state."""
