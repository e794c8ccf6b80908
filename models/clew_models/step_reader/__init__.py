"""A step reader: how well a passage, with what led there, fits a question."""

from clew_models.step_reader.reader import StepReader, StepText

__all__ = ["StepReader", "StepText"]
