# SPDX-License-Identifier: Apache-2.0
"""The load of a machine while something was measured, and the share of its time that a hypervisor took.

Source: proc(5), /proc/loadavg and /proc/stat.
"""

import os
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

from headroom.core.machine import procstat
from headroom.core.machine.procstat import CoreTimes

# Above these, a report says that its figures are those of a machine that was not quiet.
HIGH_STEAL = 0.01  # of the whole run: a trial of a second then lacks 10 ms, longer than most queues
HIGH_STEAL_OF_CASE = 0.05
LONG_S = 1.0  # a case that is shorter is a few jiffies of 10 ms: too few for a share
BUSY_AT_START = 0.5  # processes that want to run, for each CPU


@dataclass(frozen=True)
class Reading:
    """A moment: processes that want to run, averaged over the last minute, and where the time of all CPUs went."""

    load_average: float
    cpus: int
    times: CoreTimes


def read() -> Reading | None:
    """None where the kernel shows no /proc/stat."""
    try:
        cores = procstat.read()
        return Reading(os.getloadavg()[0], len(cores), _sum(list(cores.values())))
    except (OSError, ValueError):
        return None


def between(before: Reading | None, after: Reading | None) -> dict[str, Any]:
    """What a result record says of the time between two readings; nothing where there is none.

    `busy` and `steal` are shares of the time of all CPUs, 0..1, and null where the clock did not advance.
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
    """What `between` says that may have kept a generator from keeping up, as a sentence; "" where it was quiet."""
    if not machine:
        return ""
    load, cpus, steal = max(machine["load_average"]), machine["cpus"], machine["steal"] or 0.0
    found = []
    if load > cpus:
        found.append(f"the load average was up to {load:.1f} on {cpus} CPUs, what was measured included")
    if steal >= HIGH_STEAL:
        found.append(f"a hypervisor gave {steal:.1%} of the CPUs' time to others".replace("%", " %"))
    return f"Other work may have taken the processors: {', and '.join(found)}." if found else ""


@dataclass(frozen=True)
class Summary:
    """What the records of a run say together. `steal` is weighted by how long cases took."""

    cpus: int
    first_load: float
    most_load: float
    steal: float | None
    most_steal: float | None

    def sentences(self) -> list[str]:
        """What a reader has to know before trusting figures; nothing where the machine was quiet."""
        found = []
        if self.first_load > BUSY_AT_START * self.cpus:
            found.append(
                f"The machine was not quiet when the run began: a load average of {self.first_load:.1f} on {self.cpus} "
                "CPUs, so something else was running, or had just been."
            )
        if self.most_load > self.cpus:
            found.append(
                f"More processes were ready than CPUs: the load average was up to {self.most_load:.1f} on "
                f"{self.cpus} CPUs, what was measured included. Who waits for a CPU is slower, and loses packets."
            )
        steal, most = self.steal or 0.0, self.most_steal or 0.0
        if steal >= HIGH_STEAL or most >= HIGH_STEAL_OF_CASE:
            found.append(
                f"A hypervisor gave {steal:.1%} of the CPUs' time to others (steal), up to {most:.1%} within a case: "
                "figures of a virtual machine with such neighbours change from run to run.".replace("%", " %")
            )
        return found


def summary(records: Sequence[dict[str, Any]]) -> Summary | None:
    """The pressure over a run's records, in their order; None where no record has it (those of earlier versions)."""
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
    return CoreTimes(**{one.name: sum(getattr(core, one.name) for core in cores) for one in fields(CoreTimes)})
