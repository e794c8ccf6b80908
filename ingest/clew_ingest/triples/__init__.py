"""Triples: what a text states, as (head, predicate, tail), by interchangeable extractors."""
