"""Readers: what answers a question from the evidence, with citations (SH-2)."""
