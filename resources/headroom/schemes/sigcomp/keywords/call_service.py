# SPDX-License-Identifier: Apache-2.0
"""Keywords that put a P-CSCF under the load of calls."""

import statistics
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from robot.api import SkipExecution
from robot.api.deco import keyword

from headroom.core.errors import HeadroomError
from headroom.core.finding import Finding
from headroom.core.metrics import LOAD, Metric
from headroom.core.results import collector
from headroom.core.results.record import CoreLoad, Histogram, Series
from headroom.core.run.run import Run
from headroom.keywords import verdicts
from headroom.keywords.base import current_run, library
from headroom.keywords.load import configuration
from headroom.schemes.sigcomp import call_load, metrics
from headroom.schemes.sigcomp.call_load import CallLoadConfig, CallLoadResult, Comparison
from headroom.schemes.sigcomp.endpoints import SCHEME

TARGET_LOAD = 0.5  # of one core
QUICK_SHARE = 20  # `--quick` makes so many times fewer calls at once
TIMES = ("in_system", "in_buffer", "processing")
# SHORT_* make the short calls of a comparison of organisations: their parts have about the thesis's proportions, and a
# few seconds hold enough of each message.
SHORT_CALLS, SHORT_HOLDING_S, SHORT_ANSWER_S, SHORT_STEP_S = 1000, 1.0, 0.1, 0.005
COMPARED_LOAD = 0.8
FULL, STARVED = 1.0, 0.8  # loads of a worker: it cannot do more; it has fallen behind all the same for want of time


@library
class CallServiceKeywords:
    """`--compressor` is the P-CSCF, `--decompressor` the users. Messages must come out as they went in, all of them,
    and no more of them come than are done with; how long each takes is measured and not judged."""

    @keyword("Calls Should Be Served")
    def calls_should_be_served(self, sequence: str, simultaneous: int, compartments: str, clock: str) -> None:
        """SIMULTANEOUS calls in progress at one worker with one core, or `--calls` of them, held for as long as
        `--holding` and answered after `--answer`, where these are given. COMPARTMENTS is `per call` (opened and closed
        with it) or `per user` (registered beforehand, and kept; a fifth more users than calls, at least). CLOCK is
        `real` or `virtual`."""
        if compartments not in ("per call", "per user"):
            raise ValueError(f"compartments are per call or per user, not '{compartments}'")
        if clock not in ("real", "virtual"):
            raise ValueError(f"the clock is real or virtual, not '{clock}'")
        run = current_run()
        quick = run.quick
        asked = with_calls(config_of(run, sequence), run, simultaneous)
        config = replace(
            asked,
            users=call_load.users_for(asked) if compartments == "per user" else 0,
            clock="real" if clock == "real" else "virtual",
            cores=configuration("1c").cpus if clock == "real" else (),
            warmup_s=0.5,
            duration_s=3.0 if quick else 30.0,
            sample_s=0.5 if quick else 1.0,
        )
        result = measured(config)
        note(
            config,
            result,
            {"asked_simultaneous": run.settings.get("calls") or simultaneous, "compartments": compartments},
        )
        half = call_load.served_at(TARGET_LOAD, [result])
        no_load = "" if half is not None else "the clock has not seen any load"
        collector.current().metric(metrics.CALLS_AT_HALF_LOAD, half, reason=no_load)
        require_served(result)

    @keyword("Organisations Should Be Compared")
    def organisations_should_be_compared(self, sequence: str, workers: int) -> None:
        """WORKERS with a common queue, and as many with compartments pinned to them, each loaded to 80 %: how long
        messages wait and are processed. The endpoint serves a few calls, which tell what each message takes; from that
        both queues are simulated, with the same calls at the same moments, so that nothing else differs. Every trial
        has other arrivals."""
        run = current_run()
        config = replace(
            config_of(run, sequence),
            simultaneous=SHORT_CALLS,
            holding_s=SHORT_HOLDING_S,
            answer_s=SHORT_ANSWER_S,
            step_s=SHORT_STEP_S,
            workers=workers,
            organisation="pool",
            warmup_s=0.1,
            duration_s=1.0 if run.quick else 2.0,
            sample_s=0.5,
            comparison=Comparison(COMPARED_LOAD, trials=3 if run.quick else 10, calls=5_000 if run.quick else 20_000),
        )
        result = measured(config)
        note_comparison(config, result)
        require_served(result)


def config_of(run: Run, sequence: str) -> CallLoadConfig:
    """The configuration of a row; skips the case if an implementation does not declare endpoints for SigComp."""
    for role, implementation in run.sides:
        if reason := implementation.lacks("endpoint", SCHEME):
            raise SkipExecution(f"{reason}.")
        verdicts.note(role, implementation, run.build)
    return CallLoadConfig(
        proxy=run.compressor, user=run.decompressor, sequence=sequence, build=run.build, seed=run.seed
    )


def measured(config: CallLoadConfig) -> CallLoadResult:
    """Skips the case if the implementations do not declare what such calls take."""
    if reason := call_load.lacking(config):
        raise SkipExecution(f"{reason}.")
    result = call_load.measure(config)
    if sentence := call_load.worked_beforehand(result.document):
        collector.current().findings.append(Finding(sentence, severity="note"))
    return result


def with_calls(config: CallLoadConfig, run: Run, simultaneous: int) -> CallLoadConfig:
    """The configuration with the calls of the row, or with those of the command line, which `--quick` does not
    reduce."""
    fewer = max(1, simultaneous // QUICK_SHARE) if run.quick else simultaneous
    return replace(
        config,
        simultaneous=run.settings.get("calls") or fewer,
        holding_s=run.settings.get("holding"),
        answer_s=config.answer_s if run.settings.get("answer") is None else run.settings.get("answer"),
    )


def parameters_of(config: CallLoadConfig) -> dict[str, Any]:
    return {
        "kind": "p-cscf",
        "sequence": config.sequence,
        "simultaneous": config.simultaneous,
        "holding_s": call_load.holding_of(config),
        "answer_s": config.answer_s,
        "users": config.users,
        "clock": config.clock,
        "organisation": config.organisation,
        "workers": config.workers,
        "duration_s": config.duration_s,
    }


def note(config: CallLoadConfig, result: CallLoadResult, parameters: dict[str, Any]) -> None:
    """Leaves the results of a run for the result record."""
    current = collector.current()
    current.parameters |= parameters_of(config) | parameters
    current.metric(LOAD, result.load / len(result.loads))
    current.metric(metrics.MOST_LOAD, result.most_load)
    current.metric(metrics.CALLS_IN_PROGRESS, result.calls_in_progress)
    current.metric(metrics.CALLS_PER_S, result.calls_per_s)
    current.metric(metrics.MESSAGES_PER_S, result.messages_per_s)
    current.metric(metrics.SIP, result.sip_mbit_s)
    current.metric(metrics.SIGCOMP, result.link_mbit_s)
    for name, times in result.times.items():
        for figure in metrics.FIGURES:
            current.metric(metrics.TIME(time=name, figure=figure), times[figure])
    for name, value in result.active.items():
        current.metric(metrics.ACTIVE_WORKERS(figure=name), value)
    no_calls = "" if result.memory_per_call is not None else "no call was in progress"
    current.metric(metrics.MEMORY_PER_CALL, result.memory_per_call, reason=no_calls)
    current.metric(metrics.UNSERVED, result.unserved)
    for name in TIMES:
        current.histograms.append(Histogram(name, "ns", result.times[name]["buckets"]))
    for core, load in zip(config.cores, result.loads, strict=False):
        current.core_load.append(CoreLoad(core, "thread_cpu", load))
    points = [{"x": sample["at_ns"] / 1e9, "y": max(sample["busy_share"])} for sample in result.samples]
    if points:
        current.series.append(Series("load_over_time", "time", "load", "s", "share", points))


def note_comparison(config: CallLoadConfig, result: CallLoadResult) -> None:
    """Leaves what both organisations showed, each figure with those of its trials. `wait_of_pinned_to_pool` compares
    trial by trial, for both have the same calls in it."""
    current = collector.current()
    assert config.comparison is not None, "the configuration has a comparison"
    current.parameters |= parameters_of(config) | {
        "organisation": "both",
        "compared_load": config.comparison.load,
        "trials": config.comparison.trials,
        "calls_a_trial": config.comparison.calls,
    }

    def note_mean(metric: Metric, trials: Sequence[float]) -> None:
        current.metric(metric, statistics.fmean(trials), trials)

    for organisation, entry in result.compared.items():
        note_mean(metrics.ORGANISATION_LOAD(organisation=organisation), entry.loads)
        current.metric(metrics.ORGANISATION_CALLS_PER_S(organisation=organisation), entry.calls_per_s)
        current.metric(metrics.ORGANISATION_ACTIVE_WORKERS(organisation=organisation), entry.active_workers)
        for name in (*TIMES, "waiting_for_lock"):
            note_mean(metrics.ORGANISATION_TIME(organisation=organisation, time=name), entry.means(name))
            p99 = metrics.ORGANISATION_TIME(organisation=organisation, time=name, figure="p99")
            current.metric(p99, entry.times[name]["p99"])
            current.histograms.append(Histogram(f"{organisation}_{name}", "ns", entry.times[name]["buckets"]))
    waits = (result.compared[name].means("in_buffer") for name in ("pinned", "pool"))
    gains = [pinned / pool for pinned, pool in zip(*waits, strict=True) if pool]
    if gains:
        note_mean(metrics.WAIT_OF_PINNED_TO_POOL, gains)


class Disturbed(HeadroomError):
    """The machine did not give the workers the time they needed, so the trial says nothing of the implementation."""

    verdict = "error"


def require_served(result: CallLoadResult) -> None:
    """Ends the case if the workers did not keep up: messages waited long after the end, or calls piled up.

    That is a failure if the endpoint had the processor all the time, and an error if other processes had it."""
    wrong = ""
    if result.unserved:
        wrong = f"{result.unserved:,} messages were still waiting 5 s after the last one had come"
    elif max(result.loads) >= FULL:
        wrong = f"a worker needed {max(result.loads):.2f} times the available time"
    elif result.in_progress_at_end > call_load.most_in_progress(result.simultaneous):
        required = f"{result.simultaneous:,} were required"
        wrong = f"{result.in_progress_at_end:,} calls were in progress at the end, and {required}"
    if not wrong:
        return
    if max(result.loads) < STARVED and result.document["clock"] == "real":
        raise Disturbed(
            f"The workers fell behind ({wrong}), but had the processor for only {max(result.loads):.0%} of the time: "
            "other processes keep the machine busy.".replace("%", " %")
        )
    raise AssertionError(f"The workers cannot keep up: {wrong}.")
