"""What runs beside what under ``pytest -n``: a file stays together, and the longest come first.

A file's tests share what its fixtures made, so a worker takes all of them or none; ``TOGETHER``
joins files that share more than that.
"""

from typing import Any

import pytest

TOGETHER = {
    "tests/platform/test_runtime.py": "the runtime",
    "tests/web/test_end_to_end.py": "the runtime",
    "tests/web/test_walk.py": "the runtime",
    "tests/platform/test_training.py": "the films",
    "tests/platform/test_training_data_sets.py": "the films",
    "tests/platform/test_training_jobs.py": "the films",
}
LONGEST = (
    "web/test_end_to_end.py",
    "web/test_walk.py",
    "platform/test_runtime.py",
    "test_installed.py",
    "platform/test_jobs",
    "platform/test_translator.py",
    "platform/test_training",
    "platform/test_strategies.py",
    "cypher/test_embedded_server.py",
    "platform/test_bench",
    "platform/test_iterative.py",
    "ingest/test_pipeline",
    "platform/test_",
    "ingest/test_changes",
    "cypher/test_checking",
    "cypher/test_merges",
    "ingest/test_resolving",
    "test_compose.py",
    "web/test_browser",
)
"""Beginnings of names, below ``tests/``; the rest comes after them, as it is found."""
LAST = "cypher/test_schema_and_corpora.py"
"""It changes the schema, after which Neo4j plans every statement anew for whoever comes next."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the longest first, so that the workers end at nearly the same time."""
    items.sort(key=_place)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Return what hands out whole files, or those that belong together, in their order."""
    from xdist.scheduler import LoadScopeScheduling

    class WholeFiles(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            file = nodeid.partition("::")[0]
            return TOGETHER.get(file, file)

    config.option.loadscopereorder = False
    return WholeFiles(config, log)


def _place(item: pytest.Item) -> int:
    name = item.nodeid.removeprefix("tests/")
    if name.startswith(LAST):
        return len(LONGEST) + 1
    return next(
        (place for place, begin in enumerate(LONGEST) if name.startswith(begin)), len(LONGEST)
    )
