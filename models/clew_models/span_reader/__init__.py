"""A span model: the answer to a question, marked in passages, or "not here"."""

from clew_models.span_reader.reader import EncodedPassage, Marked, Reading, SpanReader

__all__ = ["EncodedPassage", "Marked", "Reading", "SpanReader"]
