# SPDX-License-Identifier: Apache-2.0
"""Keywords that measure forwarding by nodes over interfaces: throughput, and latency below it."""

from collections.abc import Sequence
from typing import Any

from robot.api import SkipExecution
from robot.api.deco import keyword

from headroom.bench.throughput import GOALS, GeneratorFellBehind, Goal, NoThroughput, Rate
from headroom.bench.throughput_search import (
    FLOWS,
    SearchConfig,
    SearchResult,
    control,
    octets_of,
    rules_of,
    throughput,
)
from headroom.core.results import collector
from headroom.core.run.run import Run
from headroom.core.scheme_registry import workload_of
from headroom.core.workload import Channel
from headroom.keywords import forwarding_results
from headroom.keywords.base import current_run, library
from headroom.keywords.load import configuration, target_of
from headroom.testbed import choice, images
from headroom.testbed.line import CODECS, Codec, Line
from headroom.testbed.sender import traffic
from headroom.testbed.trial import Trial


@library
class ForwardingKeywords:
    """Keywords for forwarding by two nodes and a link, over `--topology` and from `--generator`.

    SCHEME is the name of the scheme that the nodes use. MODE is the configuration of their channel, in the terms of
    that scheme, which the documentation of its suite explains; left out, it is the plainest one.
    """

    @keyword("Throughput Should Be Found")
    def throughput_should_be_found(
        self, scheme: str, profile: str, cpus: str, loss: str, mode: str = "", flows: int = FLOWS
    ) -> None:
        """Searches for the throughput. LOSS is `none` (NDR), or `0.5 %` (PDR). The null codec and a bare bridge are
        measured beside it.
        """
        goal = goal_of(loss)
        parameters = {"kind": "throughput", "goal": goal.name, "loss_ratio": goal.loss_ratio}
        config = config_of(scheme, profile, cpus, mode, flows, **parameters)
        measure_throughput(config, goal, CODECS)

    @keyword("Throughput Should Grow With The Cores")
    def throughput_should_grow_with_the_cores(self, scheme: str, profile: str, cpus: str, loss: str) -> None:
        """Compares the throughput of a CPU configuration with that of `1c`: gives the speed-up, and the speed-up by the
        number of cores.

        Measured and not judged. The null codec is measured on both, too: if it does not grow either, the implementation
        is not the limit.
        """
        goal = goal_of(loss)
        parameters = {"kind": "scaling", "goal": goal.name, "loss_ratio": goal.loss_ratio}
        many = config_of(scheme, profile, cpus, "", FLOWS, **parameters)
        single = SearchConfig(many.run, many.profile, "1c", configuration("1c").cpus, many.flows, many.channel)
        alone, together = (with_controls(place, goal, ("asked", "null")) for place in (single, many))
        pairs = {codec: (alone[codec], together[codec]) for codec in alone}
        forwarding_results.note_scaling(pairs, goal, len(many.cores))
        for pair in pairs["asked"]:
            require_rate(pair.throughput.rates[goal.name], goal)

    @keyword("Every Packet Should Arrive")
    def every_packet_should_arrive(
        self, scheme: str, profile: str, cpus: str, rate_pps: float, mode: str = "", flows: int = FLOWS
    ) -> None:
        """Checks every packet, octet by octet, at a rate in packets a second of each direction: all must arrive in at
        least one of three trials.

        A process that takes a core for a moment costs packets, too; a packet that came out changed is never excused.
        """
        config = config_of(scheme, profile, cpus, mode, flows, kind="delivery", rate_pps=rate_pps)
        measure_delivery(config, rate_pps)

    @keyword("Latency Should Be Measured")
    def latency_should_be_measured(self, scheme: str, profile: str, cpus: str, share: str, mode: str = "") -> None:
        """Measures latency at a SHARE, such as `50 %`, of the PDR. The PDR is searched for if no row has found it
        before.

        If only the generator limited the search, the share is of the highest rate without a fault, and the record says
        so. The control is a bare bridge at the same rate. Trials that lose more than the PDR allows are repeated; if
        all lose that much, the latencies are those of full queues, and the case gets the verdict "non-strict".
        """
        part = share_of(share)
        config = config_of(scheme, profile, cpus, mode, FLOWS, kind="wire_latency", share_of_pdr=part)
        measure_latency(config, part)


def measure_throughput(config: SearchConfig, goal: Goal, codecs: Sequence[Codec]) -> dict[Codec, SearchResult]:
    """Searches for a rate, records it with its controls, and ends the case if there is none."""
    results = with_controls(config, goal, codecs)
    forwarding_results.note_throughput(results, goal)
    require_rate(results["asked"].throughput.rates[goal.name], goal)
    return results


def measure_delivery(config: SearchConfig, rate_pps: float) -> None:
    """Records the outcome of every packet at a rate, and ends the case if some did not arrive."""
    trials: list[Trial] = []
    with config.line("asked") as running_line:
        while len(trials) < 3 and not (trials and trials[-1].lost == 0):
            trials += steady_trials(running_line, rate_pps, 1, 1.0 if config.run.quick else 5.0, compared=True)
        octets = octets_of(running_line)
        collector.current().traffic = traffic(running_line.topology, trials[-1])
    forwarding_results.note_delivery(trials, octets)
    require_delivery(trials)


def share_of(text: str) -> float:
    """The share of a rate in a text. Raises ValueError if it is not one."""
    part = target_of(text)
    if part is None:
        raise ValueError(f"'{text}' is not a share of a rate, such as 50 %")
    return part


def measure_latency(config: SearchConfig, part: float) -> None:
    """Records latencies at a share of the PDR, and those of a bare bridge."""
    pdr = goal_of("0.5 %")
    rate = throughput(config, "asked").throughput.rates[pdr.name]
    whole = rate.pps or rate.at_least_pps
    if whole is None:
        require_rate(rate, pdr)
    assert whole is not None
    count, seconds = (1, 1.0) if config.run.quick else (3, 3.0)
    with config.line("asked") as running_line:
        trials = steady_trials(running_line, part * whole, count, seconds, tolerance=pdr.loss_ratio)
        collector.current().traffic = traffic(running_line.topology, trials[-1])
    control: list[Trial] = []
    why = ""
    with config.line("bridge") as running_line:
        try:
            control = steady_trials(running_line, part * whole, count, seconds, tolerance=pdr.loss_ratio)
        except GeneratorFellBehind as error:
            why = str(error)
    forwarding_results.note_latency(trials, rate)
    forwarding_results.note_latency_control(control, why)
    if sentence := beyond(trials, control, pdr, part, rules_of(config).trial_s):
        collector.current().judge("non-strict", sentence)


def with_controls(config: SearchConfig, goal: Goal, codecs: Sequence[Codec]) -> dict[Codec, SearchResult]:
    """The throughput of the row's nodes, the first of `codecs`, and of the controls beside it."""
    judged, *controls = codecs
    results = {judged: throughput(config, judged)}
    rate = results[judged].throughput.rates[goal.name]
    return results | {codec: control(config, codec, goal, rate) for codec in controls}


def goal_of(text: str) -> Goal:
    """A goal from `none` or from the share of packets that may be lost. Raises ValueError for any other text."""
    share = 0.0 if text.strip().lower() == "none" else target_of(text)
    for goal in GOALS:
        if goal.loss_ratio == share:
            return goal
    known = ", ".join(f"{100 * goal.loss_ratio:g} %" for goal in GOALS if goal.loss_ratio)
    raise ValueError(f"'{text}' is no loss that a search has a goal for; give 'none' or one of {known}")


def config_of(scheme: str, profile: str, cpus: str, mode: str, flows: int, **parameters: Any) -> SearchConfig:
    """Records a row's configuration and returns it. Skips the case if run, machine or implementation cannot do it."""
    run = current_run()
    channel = channel_of(run, scheme, mode, flows)
    current = collector.current()
    current.traffic = choice.traffic(run)
    current.parameters |= {
        "compressor": run.settings.compressor,
        "decompressor": run.settings.decompressor,
        "scheme": scheme,
        "profile": profile or run.profile,
        "build": run.build,
        "cpus": cpus,
        "channel": channel.words,
        **channel.parameters,
        "topology": run.topology,
        "flows": flows,
        **parameters,
    }
    for role, implementation in run.sides:
        setattr(current, role, images.identity(implementation, run.topology, run.build))
    choice.require(run.topology, run.build)
    require_declared(run, channel)
    cores = configuration(cpus).cpus
    current.parameters["cores"] = list(cores)
    if reason := choice.crowded(run.topology, cores):
        raise SkipExecution(reason)
    return SearchConfig(run, profile or run.profile, cpus, cores, flows, channel)


def channel_of(run: Run, scheme: str, mode: str, flows: int) -> Channel:
    """The row's channel, as far as both sides declare that they support it."""
    return workload_of(scheme).channel(
        mode, flows, [implementation.declared(scheme) for _, implementation in run.sides]
    )


def require_declared(run: Run, channel: Channel) -> None:
    """Skips the case if a side does not declare what the channel needs."""
    for role, implementation in run.sides:
        if reason := implementation.lacks(role, channel.scheme, **channel.needs):
            raise SkipExecution(f"{reason}.")


def require_rate(rate: Rate, goal: Goal) -> None:
    """Ends the case if there is no rate: unsupported if the generator is the limit, an error if the search ended early,
    a failure if nodes lose packets.
    """
    if rate.pps is not None:
        return
    if rate.at_least_pps is not None:
        raise GeneratorFellBehind(
            f"The {goal.name.upper()} was not found: {rate.reason}. This is not a limit of the nodes."
        )
    if rate.error:
        raise NoThroughput(f"The {goal.name.upper()} was not found: {rate.reason}.")
    raise AssertionError(f"There is no {goal.name.upper()}: {rate.reason}.")


def require_delivery(trials: list[Trial]) -> None:
    """Fails the case if packets came out changed, or if some were lost in every trial."""
    if changed := sum(way.unexpected for trial in trials for way in trial.directions):
        raise AssertionError(f"{changed} packets arrived that were never sent.")
    if all(trial.lost for trial in trials):
        lost = ", ".join(f"{trial.lost:,}" for trial in trials)
        raise AssertionError(f"Packets were lost in every trial at {trials[0].rate_pps:,.0f} packets/s: {lost}.")


def steady_trials(
    running_line: Line, rate_pps: float, count: int, duration_s: float, compared: bool = False, tolerance: float = 1.0
) -> list[Trial]:
    """Repeats trials at a rate until `count` of them count, at most three times as many. Trials in which the generator
    fell behind do not count.

    Trials that lose more than `tolerance`, a share of the packets, are replaced by others if there are any. Raises
    GeneratorFellBehind if too few count.
    """
    trials: list[Trial] = []
    lossy: list[Trial] = []
    for _ in range(3 * count):
        trial = (running_line.compared if compared else running_line.trial)(rate_pps, duration_s)
        if not trial.fell_behind:
            (lossy if trial.lost > tolerance * trial.sent else trials).append(trial)
        if len(trials) == count:
            return trials
    if len(trials) + len(lossy) < count:
        raise GeneratorFellBehind(f"The generator does not keep up with {rate_pps:,.0f} packets/s.")
    return [*trials, *lossy][:count]


def beyond(trials: list[Trial], control: list[Trial], goal: Goal, share: float, searched_s: float) -> str:
    """A remark on latencies at a share of a rate, if more packets were lost than the rate's goal allows; else nothing.

    `searched_s` is the length in seconds of the trials in which the rate was found.
    """
    lost = [trial for trial in trials if trial.lost > goal.loss_ratio * trial.sent]
    if not lost:
        return ""
    missed, sent = sum(trial.lost for trial in trials), sum(trial.sent for trial in trials)
    also = sum(trial.lost for trial in control)
    return (
        f"At {share:.0%} of the {goal.name.upper()}, {missed:,} of {sent:,} packets were lost, more than the "
        f"{goal.loss_ratio:.1%} that it allows: these latencies are those of full queues. The rate was found in "
        f"trials of {searched_s:g} s. Queues hide for a while that a rate is too high, and so does a machine that is "
        f"otherwise busy. The bare bridge lost {also:,}."
    ).replace("%", " %")
