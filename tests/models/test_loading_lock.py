"""Threads of one process may load and train with transformers at the same time."""

import subprocess
import sys
from pathlib import Path

import pytest

from clew_models.embedding import load_embedder
from clew_models.embedding.minilm import model_directory
from clew_models.language_model import weights
from clew_models.partial_alignment.towers import Towers

from ..tiny_gguf import tiny_gguf

PROGRAM = """
import sys, threading, time
from pathlib import Path
from types import SimpleNamespace

from clew_models.translator.backbone import loaded_model
from clew_models.translator.training import TrainingOptions, prepared_trainer

folder = Path(sys.argv[1])
ended = []

def question():
    try:
        loaded_model(folder, None)
    except Exception as error:
        ended.append(f"{type(error).__name__} {error}".split(":")[0])

thread = threading.Thread(target=question)
thread.start()
while 'transformers.utils' not in sys.modules:  # until the thread is in the midst of its imports
    time.sleep(0.001)
try:
    prepared_trainer(SimpleNamespace(model=None), [], [], folder, TrainingOptions(), None)
except Exception as error:
    ended.append(f"{type(error).__name__} {error}".split(":")[0])
thread.join()
print(*sorted(ended), sep="\\n")
"""


def test_a_question_and_a_training_import_their_libraries_at_once(tmp_path: Path) -> None:
    ran = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(tmp_path)],
        capture_output=True,
        text=True,
        check=True,
    )
    # both came through their imports, to what is wrong with an empty folder and with no model
    ended = ran.stdout.splitlines()
    assert len(ended) == 2
    assert not [line for line in ended if line.startswith("ImportError")], ended


def test_loading_draws_no_bars_of_libraries(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    source = tiny_gguf(tmp_path / "tiny.gguf")
    monkeypatch.setattr(weights, "gguf_file", lambda: source)
    capfd.readouterr()
    Towers("minilm", rank=4)
    load_embedder(str(model_directory()), cache_dir=tmp_path)
    weights.converted_weights(tmp_path)
    assert capfd.readouterr() == ("", "")
