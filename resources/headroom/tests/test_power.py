# SPDX-License-Identifier: Apache-2.0
"""Electric power: each probe over a made-up /sys, and the reason where there is none."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from headroom.core.machine.power import FILE_VARIABLE, PowerMeter


@pytest.fixture(autouse=True)
def no_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(FILE_VARIABLE, raising=False)
    monkeypatch.setattr("headroom.core.machine.power._ipmi", lambda: None)


def clock(*times: float) -> Callable[[], float]:
    ticks: Iterator[float] = iter(times)
    return lambda: next(ticks)


def zone(root: Path, number: str, name: str, energy: int, most: int = 1_000_000_000) -> Path:
    folder = root / "sys/class/powercap" / f"intel-rapl:{number}"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "name").write_text(name)
    (folder / "energy_uj").write_text(str(energy))
    (folder / "max_energy_range_uj").write_text(str(most))
    return folder


def test_rapl_is_energy_over_time_of_packages_and_memory(tmp_path: Path) -> None:
    zone(tmp_path, "0", "package-0", 1_000_000)
    zone(tmp_path, "0:0", "core", 0)
    zone(tmp_path, "0:1", "dram", 0)
    meter = PowerMeter(tmp_path, clock(0, 2))
    zone(tmp_path, "0", "package-0", 101_000_000)
    zone(tmp_path, "0:0", "core", 90_000_000)
    zone(tmp_path, "0:1", "dram", 20_000_000)
    power = meter.read()
    assert (power.watts, power.source) == (60, "RAPL")


def test_a_rapl_counter_that_wraps_goes_on(tmp_path: Path) -> None:
    zone(tmp_path, "0", "package-0", 900, most=1000)
    meter = PowerMeter(tmp_path, clock(0, 1))
    zone(tmp_path, "0", "package-0", 100, most=1000)
    assert meter.read().watts == pytest.approx(200e-6)


def test_hwmon_sums_sensors_and_prefers_the_average(tmp_path: Path) -> None:
    for name, value in (("hwmon0/power1_average", 5e6), ("hwmon0/power1_input", 9e6), ("hwmon1/power1_input", 7e6)):
        path = tmp_path / "sys/class/hwmon" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{value:.0f}")
    power = PowerMeter(tmp_path, clock(0, 1)).read()
    assert (power.watts, power.source) == (12, "hwmon")


def test_a_file_of_the_users_comes_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "watts"
    path.write_text("410.5 W\n")
    monkeypatch.setenv(FILE_VARIABLE, str(path))
    zone(tmp_path, "0", "package-0", 0)
    meter = PowerMeter(tmp_path, clock(0, 1))
    path.write_text("420.5 W\n")
    power = meter.read()
    assert (power.watts, power.source) == (415.5, "file")


@pytest.mark.parametrize("text", ["", "much", "-3", "inf", "nan"])
def test_what_is_no_power_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    path = tmp_path / "watts"
    path.write_text(text)
    monkeypatch.setenv(FILE_VARIABLE, str(path))
    power = PowerMeter(tmp_path, clock(0, 1)).read()
    assert power.watts is None
    assert "no RAPL" in power.reason


def test_a_counter_without_permission_is_the_reason(tmp_path: Path) -> None:
    zone(tmp_path, "0", "package-0", 0).joinpath("energy_uj").unlink()
    assert "RAPL needs root" in PowerMeter(tmp_path, clock(0, 1)).read().reason
