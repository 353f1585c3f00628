# SPDX-License-Identifier: Apache-2.0
"""Electric power of the machine: RAPL, hwmon, IPMI, or a file that another program writes.

Sources: Linux, Documentation/power/powercap/powercap.rst (energy_uj, max_energy_range_uj) and
Documentation/hwmon/sysfs-interface.rst (power*_average and power*_input, microwatts); ipmitool(1), `dcmi power
reading`.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

FILE_VARIABLE = "HEADROOM_POWER_FILE"  # a file whose first word is the present power in W
IPMI_TIMEOUT_S = 10


@dataclass(frozen=True)
class Power:
    """The mean power in W over some time, and the probe that measured it; None with the reason if no probe can."""

    watts: float | None
    source: str = ""
    reason: str = ""


class PowerMeter:
    """Measures from its construction until `read`.

    RAPL counts energy, so its figure is the mean over the time; the other probes are read at both ends. RAPL covers
    processors and memory, the others the whole machine.
    """

    def __init__(self, root: Path = Path("/"), clock: Callable[[], float] = time.monotonic) -> None:
        self._root, self._clock = root, clock
        self._begin = clock()
        self._zones = _zones(root)
        self._watts = _watts(root)

    def read(self) -> Power:
        elapsed = self._clock() - self._begin
        if self._watts is not None:
            source, before = self._watts
            after = _watts(self._root)
            return Power((before + after[1]) / 2, source) if after else Power(None, reason=f"{source} ended")
        if self._zones and elapsed > 0:
            now = _zones(self._root)
            joules = [zone.joules_until(now[path]) for path, zone in self._zones.items() if path in now]
            if joules:
                return Power(sum(joules) / elapsed, "RAPL")
        return Power(None, reason=self._reason())

    def _reason(self) -> str:
        folder = self._root / "sys/class/powercap"
        rapl = "RAPL needs root" if any(folder.glob("intel-rapl:*")) else "there is no RAPL (/sys/class/powercap)"
        return f"{rapl}, no power sensor in /sys/class/hwmon, no BMC by ipmitool, and {FILE_VARIABLE} names no file"


@dataclass(frozen=True)
class _Zone:
    """The energy counter of a RAPL zone in microjoules, and the value at which it wraps."""

    energy_uj: int
    range_uj: int

    def joules_until(self, later: _Zone) -> float:
        return ((later.energy_uj - self.energy_uj) % max(self.range_uj, 1)) / 1e6


def _zones(root: Path) -> dict[Path, _Zone]:
    """The zones of packages and memories; other zones are parts of a package."""
    zones = {}
    for folder in sorted((root / "sys/class/powercap").glob("intel-rapl:*")):
        name = _text(folder / "name") or ""
        energy, most = _number(folder / "energy_uj"), _number(folder / "max_energy_range_uj")
        if (name.startswith("package") or name == "dram") and energy is not None and most is not None:
            zones[folder] = _Zone(int(energy), int(most))
    return zones


def _watts(root: Path) -> tuple[str, float] | None:
    """The present power, from the first probe that has a value."""
    if (named := os.environ.get(FILE_VARIABLE)) and (watts := _number(Path(named))) is not None:
        return "file", watts
    if (watts := _ipmi()) is not None:
        return "IPMI", watts
    sensors = [
        value
        for folder in sorted((root / "sys/class/hwmon").glob("hwmon*"))
        if (value := _first(folder, "power*_average", "power*_input")) is not None
    ]
    return ("hwmon", sum(sensors) / 1e6) if sensors else None


def _first(folder: Path, *patterns: str) -> float | None:
    """The sum of the files of the first pattern with any."""
    for pattern in patterns:
        values = [value for path in sorted(folder.glob(pattern)) if (value := _number(path)) is not None]
        if values:
            return sum(values)
    return None


def _ipmi() -> float | None:
    """The power that the BMC reads; None without ipmitool or BMC."""
    if not shutil.which("ipmitool") or not any(Path("/dev").glob("ipmi*")):
        return None
    try:
        reply = subprocess.run(
            ["ipmitool", "dcmi", "power", "reading"],
            capture_output=True,
            text=True,
            timeout=IPMI_TIMEOUT_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    match = re.search(r"Instantaneous power reading:\s*(\d+) Watts", reply.stdout)
    return float(match[1]) if match else None


def _text(path: Path) -> str | None:
    try:
        return path.read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return None


def _number(path: Path) -> float | None:
    """The first word of a file as a number that can be a power or an energy; None for any other word."""
    columns = (_text(path) or "").split()
    try:
        value = float(columns[0]) if columns else -1.0
    except ValueError:
        return None
    return value if 0 <= value < float("inf") else None
