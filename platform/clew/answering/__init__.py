"""Readers: what answers a question from the evidence, with citations (SH-2)."""

from clew.answering.base import Reader
from clew.answering.building import build_reader
from clew.answering.extractive import ExtractiveReader
from clew.answering.language_model_reader import LanguageModelReader

__all__ = ["ExtractiveReader", "LanguageModelReader", "Reader", "build_reader"]
