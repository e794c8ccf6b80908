"""A short run of the fuzz: whatever is sent, REST answers as its OpenAPI document says.

The long one, with users and keys against the whole Clew: tests/benchmarks/fuzz.py.
"""

import importlib.util
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

SCRIPT = Path(__file__).parents[1] / "benchmarks" / "fuzz.py"
pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture(scope="module")
def fuzz() -> ModuleType:
    spec = importlib.util.spec_from_file_location("fuzz", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["fuzz"] = module  # its dataclasses look themselves up there
    spec.loader.exec_module(module)
    return module


def test_rest_answers_as_it_says(
    fuzz: ModuleType, app: Any, serve: Callable[[Any], str], runs: Any
) -> None:
    outcome = fuzz.Fuzz(serve(app), None, seed=7).run(250)
    assert outcome.requests >= 250
    assert outcome.statuses[200] > 20
    assert list(fuzz.report(outcome))[1:] == []


def test_it_finds_what_is_undeclared(
    fuzz: ModuleType, app: Any, serve: Callable[[Any], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(app.view_functions, "settings.list_settings", lambda **_: ("{}", 418))
    monkeypatch.setitem(app.view_functions, "jobs.get_job", lambda **_: ("{}", 500))
    policy = app.view_functions["health.ready"].policy
    for name in ("settings.list_settings", "jobs.get_job"):
        app.view_functions[name].policy = policy
    tried = fuzz.Fuzz(serve(app), None)
    tried.schema = tried.schema.include(path=["/api/v1/settings", "/api/v1/jobs/{job_id}"])
    found = tried.run(10).failures
    assert any("Undocumented status code | GET /api/v1/settings" in kind for kind in found)
    assert any("Server error | GET /api/v1/jobs/{job_id}" in kind for kind in found)
