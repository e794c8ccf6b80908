"""Who a worker is, and whether it lives."""

import os

import psutil
import pytest

from clew.jobs.owner import is_alive, is_dead, owner_name


def test_an_owner_is_dead_only_if_it_surely_is() -> None:
    me = owner_name()
    assert not is_dead(me)
    host, machine, pid, started = me.rsplit("/", 3)
    assert pid == str(os.getpid())
    assert is_dead(f"{host}/{machine}/{pid}/{int(started) - 100}")
    assert not is_dead(f"elsewhere/{machine}/{pid}/{int(started) - 100}")
    assert not is_dead(f"{host}/another-boot/999999/1")
    assert not is_dead("somebody")


def test_an_owner_lives_on_while_the_clock_is_set(monkeypatch: pytest.MonkeyPatch) -> None:
    me = owner_name()
    boot = psutil.boot_time()
    monkeypatch.setattr("psutil._pslinux.boot_time", lambda: boot + 5)  # /proc/stat after a step
    assert is_alive(me)
    assert owner_name() == me
