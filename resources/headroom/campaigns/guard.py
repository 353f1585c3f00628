# SPDX-License-Identifier: Apache-2.0
"""Whether a machine is quiet enough for a cell of a campaign."""

from __future__ import annotations

import time

from headroom.core.machine import pressure
from headroom.core.machine.measuring import Lock, MachineBusy

LOOK_S = 1.0  # over which stolen time is counted
POLL_S = 1.0


def guard(load: float = 0.5, steal: float = 0.01, own_load: float = 0.0) -> str:
    """Why the machine is busy, as a sentence; "" when it is quiet.

    `load` is the highest load average for each CPU, `steal` the highest share of the CPUs' time that a hypervisor takes
    for others; `own_load` is the part of the load average that the caller's own work left there.
    """
    before = pressure.read()
    time.sleep(LOOK_S)
    after = pressure.read()
    if before is None or after is None:
        return ""
    found = max(0.0, after.load_average - own_load)
    if found > load * after.cpus:
        return f"the load average is {found:.1f} on {after.cpus} CPUs, without what was measured last"
    stolen = pressure.between(before, after)["steal"] or 0.0
    if stolen > steal:
        return f"a hypervisor gives {stolen:.1%} of the CPUs' time to others".replace("%", " %")
    return ""


def wait_until_quiet(lock: Lock, patience_s: float, load: float, steal: float) -> None:
    """Raises MachineBusy where the machine is not quiet within `patience_s`."""
    until = time.monotonic() + patience_s
    while reason := guard(load, steal, lock.own_load()):
        if time.monotonic() >= until:
            raise MachineBusy(f"{reason}, still after {patience_s:g} s")
        time.sleep(POLL_S)
