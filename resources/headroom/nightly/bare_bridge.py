# SPDX-License-Identifier: Apache-2.0
"""The bare bridge as a control: frames that two nodes pass on untouched, over interfaces in network namespaces.

No implementation takes part, so that what changes here is the machine's doing, or the engine's. Drawn, and never judged
as a change of code.
"""

from __future__ import annotations

from headroom.core import metrics
from headroom.core.errors import HeadroomError
from headroom.core.machine import topology
from headroom.core.run.run import Run
from headroom.core.sentinels import SUITE, Trials
from headroom.core.settings import Settings
from headroom.testbed import choice
from headroom.testbed.line import line
from headroom.testbed.trial import Trial

NAME, TEST, PROFILE = "bridge", f"{SUITE}/Bare Bridge", "voip-amr-nb-ipv6"
FLOWS = 100
RATE_PPS = 2000.0  # of each direction: what any machine forwards
TRIAL_S = 1.0
MOST_TRIALS = 6
FIGURES = ("p50", "p99")
WORK = (PROFILE, FLOWS, RATE_PPS, TRIAL_S)  # all that makes trials equal


def lacking(build: str) -> str:
    """Why this machine has no interfaces to measure, as a sentence; "" where it has."""
    try:
        choice.check("netns", "memory")
        choice.require("netns", build)
    except HeadroomError as error:
        return str(error)
    one = topology.resolve(["1c"], topology.configurations(topology.read()))[0]
    return choice.crowded("netns", one.cpus) if one.available else "There is no free core."


def measure(build: str, seed: int, trials: int) -> Trials:
    """Latency through the bridge, and packets lost, one value a trial. Trials in which the generator fell behind do not
    count. Raises HeadroomError where a process fails or no trial counts."""
    run = Run.of(Settings.of({"topology": "netns", "build": build, "seed": seed}))
    cores = topology.resolve(["1c"], topology.configurations(topology.read()))[0].cpus
    with line(run, cores, "bridge", PROFILE, FLOWS) as made:
        made.trial(RATE_PPS, TRIAL_S)  # the first one finds queues and caches cold
        found = [made.trial(RATE_PPS, TRIAL_S) for _ in range(min(trials, MOST_TRIALS))]
    steady = [one for one in found if not one.fell_behind]
    if not steady:
        raise HeadroomError(f"The generator does not keep up with {RATE_PPS:,.0f} packets/s over the bare bridge.")
    values: Trials = {metrics.LOST(nodes="bridge"): [float(one.lost) for one in steady]}
    for figure, share in zip(FIGURES, (0.5, 0.99), strict=True):
        if latencies := [value for one in steady if (value := _latency(one, share)) is not None]:
            values[metrics.LATENCY(nodes="bridge", figure=figure)] = latencies
    return values


def _latency(trial: Trial, share: float) -> float | None:
    return trial.forward.latency.percentile(share) if trial.forward.latency else None
