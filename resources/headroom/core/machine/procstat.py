# SPDX-License-Identifier: Apache-2.0
"""Load of each core as the kernel counts it.

Source: proc(5), /proc/stat; the measure of the Effnet paper, "Test Methodology".
"""

from dataclasses import dataclass
from pathlib import Path

PROC_STAT = Path("/proc/stat")
FIELDS = ("user", "nice", "system", "idle", "iowait", "irq", "softirq", "steal", "guest", "guest_nice")


@dataclass(frozen=True)
class CoreTimes:
    """The jiffies of one core since boot, by use."""

    user: int = 0
    nice: int = 0
    system: int = 0
    idle: int = 0
    iowait: int = 0
    irq: int = 0
    softirq: int = 0
    steal: int = 0
    guest: int = 0
    guest_nice: int = 0

    @property
    def total(self) -> int:
        # guest and guest_nice are already counted in user and nice.
        return self.user + self.nice + self.system + self.idle + self.iowait + self.irq + self.softirq + self.steal


def parse(text: str) -> dict[int, CoreTimes]:
    """The times of each core in the text of /proc/stat. Fields that an old kernel lacks are 0."""
    result = {}
    for line in text.splitlines():
        name, *values = line.split() or [""]
        if name.startswith("cpu") and name[3:].isdigit():
            numbers = [int(value) for value in values[: len(FIELDS)] if value.isdigit()]
            result[int(name[3:])] = CoreTimes(*numbers)
    return result


def read(path: Path = PROC_STAT) -> dict[int, CoreTimes]:
    return parse(path.read_text(encoding="ascii"))


def busy_share(before: CoreTimes, after: CoreTimes) -> float | None:
    """The busy share of a core between two readings, 0..1; None if the clock did not advance. Stolen time is
    not busy.
    """
    total = after.total - before.total
    if total <= 0:
        return None
    idle = (after.idle + after.iowait + after.steal) - (before.idle + before.iowait + before.steal)
    return min(1.0, max(0.0, 1.0 - idle / total))


def steal_share(before: CoreTimes, after: CoreTimes) -> float | None:
    """The share of the time that a hypervisor gave to other guests, 0..1; None if the clock did not advance."""
    total = after.total - before.total
    return min(1.0, max(0.0, (after.steal - before.steal) / total)) if total > 0 else None
