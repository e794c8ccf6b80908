"""Threads that wait do not spin: they would take the cores that those they wait for need."""

import os
import subprocess
import sys

import pytest

PROGRAM = "import clew_models, os; print(os.environ['OMP_WAIT_POLICY'])"


@pytest.mark.parametrize(("given", "used"), [(None, "PASSIVE"), ("ACTIVE", "ACTIVE")])
def test_threads_sleep_while_they_wait_unless_somebody_says_otherwise(
    given: str | None, used: str
) -> None:
    environment = {k: v for k, v in os.environ.items() if k != "OMP_WAIT_POLICY"}
    if given is not None:
        environment["OMP_WAIT_POLICY"] = given
    ran = subprocess.run(
        [sys.executable, "-c", PROGRAM], env=environment, capture_output=True, text=True, check=True
    )
    assert ran.stdout.strip() == used


def test_the_policy_is_set_before_torch_is_loaded() -> None:
    program = "import sys, clew_models; print('torch' in sys.modules)"
    ran = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert ran.stdout.strip() == "False"
