"""The time that a run took: wall seconds a folder, and processor seconds of all its processes."""

import os
from collections import defaultdict
from pathlib import PurePosixPath
from typing import Any

import pytest


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Print a line a folder, fixtures counted with the test that first asked for them."""
    seconds: defaultdict[str, float] = defaultdict(float)
    tests: defaultdict[str, set[str]] = defaultdict(set)
    for reports in terminalreporter.stats.values():
        for report in reports:
            if isinstance(report, pytest.TestReport):
                folder = str(PurePosixPath(report.nodeid.partition("::")[0]).parent)
                seconds[folder] += report.duration
                tests[folder].add(report.nodeid)
    terminalreporter.section("time a folder")
    for folder in sorted(seconds, key=lambda name: -seconds[name]):
        terminalreporter.write_line(
            f"{seconds[folder]:8.1f} s  {len(tests[folder]):5} tests  {folder}"
        )
    spent = os.times()
    here, ended = spent.user + spent.system, spent.children_user + spent.children_system
    terminalreporter.write_line(
        f"{sum(seconds.values()):8.1f} s  in all; processor: {here:.0f} s in this process, "
        f"{ended:.0f} s in those that it started and that have ended"
    )
