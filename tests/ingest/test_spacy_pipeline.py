"""The spaCy pipeline is loaded without PyTorch, which it does not use and everybody would pay."""

import subprocess
import sys

import pytest

from clew_ingest.errors import ParserNotInstalled
from clew_ingest.parsing.spacy_pipeline import load_pipeline

CHECK = """
import sys
from clew_ingest.parsing.parser import Parser
parser = Parser()
assert parser.parse(["Ada Lovelace wrote to Babbage."])[0].sentences[0].heads
assert not [name for name in sys.modules if name == "torch" or name.startswith("torch.")]
import torch
assert torch.ones(2).sum() == 2
"""


def test_parsing_does_not_import_torch_and_leaves_it_importable():
    child = subprocess.run([sys.executable, "-c", CHECK], capture_output=True, text=True)
    assert child.returncode == 0, child.stderr


def test_a_pipeline_that_is_not_there_is_a_clear_error():
    with pytest.raises(ParserNotInstalled, match="no_such_pipeline"):
        load_pipeline("no_such_pipeline")
