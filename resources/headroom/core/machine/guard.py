# SPDX-License-Identifier: Apache-2.0
"""The guard: decides if this machine is quiet enough to measure, for nights and for the cells of campaigns.

Source: proc(5), /proc/stat; sysfs: cpufreq, thermal.
"""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields
from pathlib import Path

from headroom.core.machine import procstat
from headroom.core.machine.procstat import CoreTimes

SAMPLE_S = 1.0
LEAST_FREQUENCY = 0.5  # share of the highest frequency: below it, the processor is throttled
MOST_CELSIUS = 90.0
LEAST_DISK = 2 << 30  # octets: binaries, a worktree and its build
WAIT_S = 15 * 60.0
PAUSE_S = 20.0

Look = Callable[[], list[str]]


@dataclass(frozen=True)
class QuietLimits:
    """The limits of a quiet machine, as shares (0..1) of the time of all CPUs: other work, and time that a hypervisor
    gives to other guests.
    """

    busy: float = 0.15
    steal: float = 0.01


def look(
    folder: Path, quiet: QuietLimits = QuietLimits(), root: Path = Path("/"), sample_s: float = SAMPLE_S
) -> list[str]:
    """The reasons why this machine cannot measure now, a clause each; [] if it can. `folder` is the folder of results;
    `root` is for tests. Takes `sample_s` seconds, in which this process sleeps.
    """
    return [*_cpus(quiet, root, sample_s), *_frequency(root), *_temperature(root), *_disk(folder)]


def wait(look: Look, sleep: Callable[[float], None] = time.sleep, most_s: float = WAIT_S) -> str:
    """Waits until nothing prevents measuring. Returns the reasons that remain after `most_s` seconds, as a sentence; ""
    if none does.
    """
    waited = 0.0
    while reasons := look():
        if waited >= most_s:
            minutes = round(most_s / 60)
            lasting = f" for {minutes} minute{'s' if minutes != 1 else ''}" if minutes else ""
            return f"This machine was not fit to measure{lasting}: {', and '.join(reasons)}."
        pause_s = min(PAUSE_S, most_s - waited)
        sleep(pause_s)
        waited += pause_s
    return ""


def _cpus(quiet: QuietLimits, root: Path, sample_s: float) -> Iterator[str]:
    try:
        before = _total(procstat.read(root / "proc/stat"))
        time.sleep(sample_s)
        after = _total(procstat.read(root / "proc/stat"))
    except (OSError, ValueError):
        return
    busy, steal = procstat.busy_share(before, after), procstat.steal_share(before, after)
    if busy is not None and busy > quiet.busy:
        yield f"other work takes {busy:.0%} of the CPUs".replace("%", " %")
    if steal is not None and steal > quiet.steal:
        yield f"a hypervisor gives {steal:.1%} of the CPUs' time to other guests".replace("%", " %")


def _total(cores: dict[int, CoreTimes]) -> CoreTimes:
    return CoreTimes(
        **{field.name: sum(getattr(core, field.name) for core in cores.values()) for field in fields(CoreTimes)}
    )


def _frequency(root: Path) -> Iterator[str]:
    throttled = []
    for cpu in sorted((root / "sys/devices/system/cpu").glob("cpu[0-9]*/cpufreq")):
        limit, highest = _number(cpu / "scaling_max_freq"), _number(cpu / "cpuinfo_max_freq")
        if limit and highest and limit < LEAST_FREQUENCY * highest:
            throttled.append(cpu.parent.name)
    if throttled:
        yield f"the frequency of {', '.join(throttled)} is limited to less than half"


def _temperature(root: Path) -> Iterator[str]:
    temperatures = [_number(path) for path in (root / "sys/class/thermal").glob("thermal_zone*/temp")]
    hottest = max((value / 1000 for value in temperatures if value is not None), default=0.0)
    if hottest > MOST_CELSIUS:
        yield f"the processor has {hottest:.0f} °C"


def _disk(folder: Path) -> Iterator[str]:
    there = next(path for path in (folder, *folder.parents) if path.exists())
    free = shutil.disk_usage(there).free
    if free < LEAST_DISK:
        yield f"the disk has {free >> 20} MiB left, and measuring takes up to {LEAST_DISK >> 20}"


def _number(path: Path) -> float | None:
    try:
        return float(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
