# SPDX-License-Identifier: Apache-2.0
"""When a machine is fit to measure."""

from pathlib import Path

import pytest

from headroom.core.machine import guard, procstat

QUIET, BUSY = "cpu0 100 0 0 900 0 0 0 0 0 0\n", "cpu0 600 0 0 900 0 0 0 0 0 0\n"


@pytest.fixture
def machine(tmp_path: Path) -> Path:
    (tmp_path / "proc").mkdir()
    (tmp_path / "proc/stat").write_text(QUIET, encoding="ascii")
    return tmp_path


def looks(monkeypatch: pytest.MonkeyPatch, machine: Path, after: str) -> list[str]:
    readings = iter([procstat.parse(QUIET), procstat.parse(after)])
    monkeypatch.setattr(procstat, "read", lambda path: next(readings))
    return guard.look(machine, root=machine, sample_s=0)


def test_a_quiet_machine_has_nothing_against_it(monkeypatch: pytest.MonkeyPatch, machine: Path) -> None:
    assert looks(monkeypatch, machine, "cpu0 101 0 0 1900 0 0 0 0 0 0\n") == []


def test_other_work_and_stolen_time_are_named(monkeypatch: pytest.MonkeyPatch, machine: Path) -> None:
    assert looks(monkeypatch, machine, "cpu0 600 0 0 1400 0 0 0 0 0 0\n") == ["other work takes 50 % of the CPUs"]
    stolen = "cpu0 100 0 0 1800 0 0 0 100 0 0\n"
    assert looks(monkeypatch, machine, stolen) == ["a hypervisor gives 10.0 % of the CPUs' time to other guests"]


def test_a_throttled_and_hot_processor_is_named(machine: Path) -> None:
    cpu = machine / "sys/devices/system/cpu/cpu0/cpufreq"
    zone = machine / "sys/class/thermal/thermal_zone0"
    for folder in (cpu, zone):
        folder.mkdir(parents=True)
    (cpu / "scaling_max_freq").write_text("1000000")
    (cpu / "cpuinfo_max_freq").write_text("3000000")
    (zone / "temp").write_text("97000")
    found = guard.look(machine, root=machine, sample_s=0)
    assert found == ["the frequency of cpu0 is limited to less than half", "the processor has 97 °C"]


def test_a_full_disk_is_named(monkeypatch: pytest.MonkeyPatch, machine: Path) -> None:
    monkeypatch.setattr(guard, "LEAST_DISK", 1 << 62)
    assert "MiB left" in guard.look(machine / "not" / "there", root=machine, sample_s=0)[0]


def test_it_waits_and_gives_up() -> None:
    slept: list[float] = []
    reasons = iter([["a"], ["a"], []])
    assert guard.wait(lambda: next(reasons), slept.append) == ""
    assert slept == [guard.PAUSE_S] * 2
    sentence = guard.wait(lambda: ["it is busy", "it is hot"], slept.append, most_s=60)
    assert sentence == "This machine was not fit to measure for 1 minute: it is busy, and it is hot."
