# SPDX-License-Identifier: Apache-2.0
"""The bare bridge as a control: two nodes forward frames unchanged, over interfaces in network namespaces.

No implementation takes part, so a change here is due to the machine or the engine. It is drawn, and never judged as a
change of code.
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
RATE_PPS = 2000.0  # packets a second of each direction: any machine can forward as many
TRIAL_S = 1.0
MOST_TRIALS = 6
FIGURES = ("p50", "p99")
WORK = (PROFILE, FLOWS, RATE_PPS, TRIAL_S)  # all parameters that trials must share


def lacking(build: str) -> str:
    """The reason why this machine has no interfaces to measure, as a sentence; "" if it has."""
    try:
        choice.check("netns", "memory")
        choice.require("netns", build)
    except HeadroomError as error:
        return str(error)
    configuration = topology.resolve(["1c"], topology.configurations(topology.read()))[0]
    return choice.crowded("netns", configuration.cpus) if configuration.is_available else "There is no free core."


def measure(build: str, seed: int, trials: int) -> Trials:
    """Latency through the bridge, and packets lost, one value a trial. Trials in which the generator fell behind do not
    count. Raises HeadroomError if a process fails or no trial counts.
    """
    run = Run.of(Settings.of({"topology": "netns", "build": build, "seed": seed}))
    cores = topology.resolve(["1c"], topology.configurations(topology.read()))[0].cpus
    with line(run, cores, "bridge", PROFILE, FLOWS) as bridge:
        bridge.trial(RATE_PPS, TRIAL_S)  # the first trial meets cold queues and caches
        trials_made = [bridge.trial(RATE_PPS, TRIAL_S) for _ in range(min(trials, MOST_TRIALS))]
    steady = [trial for trial in trials_made if not trial.fell_behind]
    if not steady:
        raise HeadroomError(f"The generator does not keep up with {RATE_PPS:,.0f} packets/s over the bare bridge.")
    values: Trials = {metrics.LOST(nodes="bridge"): [float(trial.lost) for trial in steady]}
    for figure, share in zip(FIGURES, (0.5, 0.99), strict=True):
        if latencies := [value for trial in steady if (value := _latency(trial, share)) is not None]:
            values[metrics.LATENCY(nodes="bridge", figure=figure)] = latencies
    return values


def _latency(trial: Trial, share: float) -> float | None:
    return trial.forward.latency.percentile(share) if trial.forward.latency else None
