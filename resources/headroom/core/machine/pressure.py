# SPDX-License-Identifier: Apache-2.0
"""The load of a machine during a measurement, and the share of its time that a hypervisor took.

Source: proc(5), /proc/loadavg and /proc/stat.
"""

import os
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

from headroom.core.machine import procstat
from headroom.core.machine.procstat import CoreTimes

# Above these limits, a report warns that the machine was not quiet.
HIGH_STEAL = 0.01  # share over the whole run: a trial of a second then lacks 10 ms, longer than most queues
HIGH_STEAL_OF_CASE = 0.05
LONG_S = 1.0  # seconds; a shorter case is a few jiffies of 10 ms, too few for a share
BUSY_AT_START = 0.5  # processes ready to run, for each CPU


@dataclass(frozen=True)
class Reading:
    """A moment: processes ready to run, averaged over the last minute, and the time of all CPUs by use."""

    load_average: float
    cpus: int
    times: CoreTimes


def read() -> Reading | None:
    """The present reading; None if the kernel shows no /proc/stat."""
    try:
        cores = procstat.read()
        return Reading(os.getloadavg()[0], len(cores), _sum(list(cores.values())))
    except (OSError, ValueError):
        return None


def between(before: Reading | None, after: Reading | None) -> dict[str, Any]:
    """The entry of a result record for the time between two readings; {} if there is none.

    `busy` and `steal` are shares of the time of all CPUs, 0..1, and null if the clock did not advance.
    """
    if before is None or after is None:
        return {}
    return {
        "cpus": after.cpus,
        "load_average": [before.load_average, after.load_average],
        "busy": procstat.busy_share(before.times, after.times),
        "steal": procstat.steal_share(before.times, after.times),
    }


def excuse(machine: dict[str, Any]) -> str:
    """The part of `between` that may have kept a generator from keeping up, as a sentence; "" if the machine
    was quiet.
    """
    if not machine:
        return ""
    load, cpus, steal = max(machine["load_average"]), machine["cpus"], machine["steal"] or 0.0
    causes = []
    if load > cpus:
        causes.append(f"the load average was up to {load:.1f} on {cpus} CPUs, including the measurement itself")
    if steal >= HIGH_STEAL:
        causes.append(f"a hypervisor gave {steal:.1%} of the CPUs' time to other guests".replace("%", " %"))
    return f"Other work may have taken the processors: {', and '.join(causes)}." if causes else ""


@dataclass(frozen=True)
class Summary:
    """A summary of a run's records. `steal` is weighted by the duration of cases."""

    cpus: int
    first_load: float
    most_load: float
    steal: float | None
    most_steal: float | None

    def sentences(self) -> list[str]:
        """Warnings that a reader needs before trusting figures; [] if the machine was quiet."""
        warnings = []
        if self.first_load > BUSY_AT_START * self.cpus:
            warnings.append(
                f"The machine was not quiet when the run began: a load average of {self.first_load:.1f} on "
                f"{self.cpus} CPUs shows other work."
            )
        if self.most_load > self.cpus:
            warnings.append(
                f"More processes were ready than CPUs: the load average was up to {self.most_load:.1f} on {self.cpus} "
                "CPUs, including the measurement itself. Tests that had to wait for a CPU run slower and may lose "
                "packets."
            )
        steal, most = self.steal or 0.0, self.most_steal or 0.0
        if steal >= HIGH_STEAL or most >= HIGH_STEAL_OF_CASE:
            warnings.append(
                f"A hypervisor gave {steal:.1%} of the CPUs' time to other guests (steal), up to {most:.1%} within a "
                "case: figures vary from run to run on such a virtual machine.".replace("%", " %")
            )
        return warnings


def summary(records: Sequence[dict[str, Any]]) -> Summary | None:
    """The pressure over a run's records, in their order; None if no record has it (those of earlier versions)."""
    shares = [(record["machine"], record["duration_s"]) for record in records if record.get("machine")]
    if not shares:
        return None
    loads = [load for machine, _ in shares for load in machine["load_average"]]
    stolen = [(machine["steal"], seconds) for machine, seconds in shares if machine["steal"] is not None]
    seconds = sum(seconds for _, seconds in stolen)
    return Summary(
        cpus=shares[-1][0]["cpus"],
        first_load=loads[0],
        most_load=max(loads),
        steal=sum(share * seconds for share, seconds in stolen) / seconds if seconds else None,
        most_steal=max((share for share, seconds in stolen if seconds >= LONG_S), default=None),
    )


def _sum(cores: Sequence[CoreTimes]) -> CoreTimes:
    return CoreTimes(**{field.name: sum(getattr(core, field.name) for core in cores) for field in fields(CoreTimes)})
