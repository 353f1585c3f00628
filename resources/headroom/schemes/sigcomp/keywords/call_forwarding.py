# SPDX-License-Identifier: Apache-2.0
"""Keywords that make calls through nodes over interfaces: SIP sequences, as UDP exchanges."""

from collections.abc import Sequence
from typing import Any

from robot.api import SkipExecution
from robot.api.deco import keyword

from headroom.bench.throughput import NDR, GeneratorFellBehind, compact
from headroom.bench.throughput_search import MessageCounters, SearchConfig, message_counters_of, octets_of, throughput
from headroom.core.implementations import Implementation, null
from headroom.core.results import collector
from headroom.core.results.record import Histogram
from headroom.core.run.run import Run
from headroom.keywords import forwarding_results, verdicts
from headroom.keywords.base import current_run, library
from headroom.keywords.forwarding import require_rate
from headroom.keywords.load import configuration
from headroom.schemes.sigcomp import metrics
from headroom.schemes.sigcomp.call_generators import callers
from headroom.schemes.sigcomp.endpoints import SCHEME
from headroom.schemes.sigcomp.sip import sequences
from headroom.testbed import choice
from headroom.testbed.line import Line
from headroom.testbed.sender import traffic
from headroom.testbed.trial import Trial

TRIALS = 3


@library
class CallForwardingKeywords:
    """SIP calls through two nodes and a link, over `--topology` and from `--generator`. NODES is `null`, whose codec
    copies, or `sigcomp`: `--compressor` speaks for the callers, `--decompressor` is the proxy that they talk to."""

    @keyword("Calls Should Be Completed")
    def calls_should_be_completed(self, sequence: str, cpus: str, calls_per_s: float, nodes: str = "null") -> None:
        """Every message of every call arrives as it was sent, in one of three trials at least; none arrives changed."""
        config = config_of(sequence, cpus, nodes, calls_per_s=calls_per_s)
        trials: list[Trial] = []
        with config.line(config.codec) as line:
            while len(trials) < TRIALS and not (trials and trials[-1].lost == 0):
                trials.append(kept_up(line, calls_per_s, 1.0 if config.run.quick else 5.0))
            collector.current().traffic = traffic(line.topology, trials[-1])
            octets, spoken = octets_of(line), message_counters_of(line)
        note_calls(trials)
        forwarding_results.note_octets(octets)
        require_calls(trials)
        require_sigcomp(config, spoken)

    @keyword("Call Rate Should Be Found")
    def call_rate_should_be_found(self, sequence: str, cpus: str, nodes: str = "null") -> None:
        """The highest number of calls a second at which every call is completed, by MLRsearch."""
        config = config_of(sequence, cpus, nodes, goal=NDR.name)
        result = throughput(config, config.codec)
        rate = result.throughput.rates[NDR.name]
        current = collector.current()
        current.traffic = result.traffic
        current.metric(metrics.CALLS_PER_S, rate.pps, reason=rate.reason)
        if rate.at_least_pps is not None:
            current.metric(metrics.CALLS_PER_S_AT_LEAST, rate.at_least_pps)
        if (highest := rate.pps or rate.at_least_pps) is not None:
            messages = sequences.load(sequences.path_of(sequence))
            current.metric(metrics.MESSAGES_PER_S, highest * len(messages))
        current.parameters["trials"] = [compact(trial) for trial in result.throughput.trials]
        current.parameters["held_by_generator"] = result.throughput.held_by_generator
        forwarding_results.note_loads(result.loads.get(NDR.name, []))
        forwarding_results.note_octets(result.octets)
        require_rate(rate, NDR)
        require_sigcomp(config, result.spoken)


def config_of(sequence: str, cpus: str, nodes: str, **parameters: Any) -> SearchConfig:
    """The configuration of a row, recorded as parameters; skips the case if this run or machine does not support it."""
    if nodes not in ("null", "sigcomp"):
        raise ValueError(f"the nodes are null or sigcomp, not '{nodes}'")
    run = current_run()
    current = collector.current()
    current.traffic = choice.traffic(run)
    current.parameters |= {
        "kind": "calls",
        "sequence": sequence,
        "messages": len(sequences.load_datagrams(sequences.path_of(sequence))),
        "build": run.build,
        "cpus": cpus,
        "topology": run.topology,
        "nodes": nodes,
        **parameters,
    }
    if nodes == "null" and (asked := under_test(run)):
        raise SkipExecution(f"The nodes of this row copy: it does not exercise {' and '.join(asked)}.")
    for role, implementation in run.sides:
        if nodes == SCHEME and (reason := implementation.lacks("endpoint", SCHEME)):
            raise SkipExecution(f"{reason}.")
        verdicts.note(role, implementation if nodes == SCHEME else null(), run.build)
    choice.require(run.topology, run.build)
    cores = configuration(cpus).cpus
    current.parameters["cores"] = list(cores)
    return SearchConfig(run, sequence, cpus, cores, codec=nodes, callers=callers)


def under_test(run: Run) -> list[str]:
    """The implementations that a run is about. None of them where it names none: then rows of controls are measured."""
    settings = run.settings
    roles = [settings.subject] if settings.subject else [role for role, _ in run.sides]
    names = [implementation.name for role, implementation in run.sides if role in roles]
    return sorted(set(names)) if any(name not in ("reference", "null") for name in names) else []


def kept_up(line: Line, calls_per_s: float, duration_s: float) -> Trial:
    """A trial whose messages are compared. Raises GeneratorFellBehind if the generator keeps up in none of three."""
    for _ in range(TRIALS):
        trial = line.compared(calls_per_s, duration_s)
        if not trial.fell_behind:
            return trial
    raise GeneratorFellBehind(f"The generator does not keep up with {calls_per_s:,.0f} calls/s.")


def note_calls(trials: Sequence[Trial]) -> None:
    """Leaves what became of calls and messages for the result record."""
    current = collector.current()
    best = min(trials, key=lambda trial: trial.lost)
    calls = best.forward
    current.parameters["compared"] = calls.compared
    current.parameters["trials"] = [compact(trial) for trial in trials]
    current.metric(metrics.CALLS_PER_S, calls.achieved_pps)
    current.metric(metrics.CALLS, calls.sent)
    current.metric(metrics.FAILED, calls.lost, [float(trial.lost) for trial in trials])
    changed = [float(trial.forward.unexpected) for trial in trials]
    current.metric(metrics.MESSAGES_UNEXPECTED, sum(changed), changed)
    for way in ("forward", "reverse"):
        for count in ("sent", "received"):
            current.metric(metrics.WAY_COUNT(way=way, count=count), best.raw[way][count])
    if calls.latency is not None:
        current.metric(metrics.CALL_TIME(figure="p50"), calls.latency.percentile(0.5))
        current.metric(metrics.CALL_TIME(figure="p99"), calls.latency.percentile(0.99))
        current.metric(metrics.CALL_TIME(figure="longest"), calls.latency.most_ns)
        current.histograms.append(
            Histogram("call_time", "ns", [[edge, count] for edge, count in calls.latency.buckets])
        )
    else:
        current.metric(metrics.CALL_TIME(figure="p50"), None, reason=calls.latency_missing)


FEW, SHARE = 20, 0.01  # frames, and of the messages: what passes as it is beside calls, such as ARP


def require_sigcomp(config: SearchConfig, spoken: MessageCounters | None) -> None:
    """Ends the case where nodes that are to speak SigComp do not: calls arrive through those as well that only copy.

    Does nothing for other nodes, and for implementations that declare that no SigComp is on their link."""
    if config.codec != "sigcomp" or spoken is None:
        return
    current = collector.current()
    current.metric(metrics.MESSAGES_COMPRESSED, spoken.compressed)
    current.metric(metrics.MESSAGES_DECOMPRESSED, spoken.decompressed)
    current.metric(metrics.COMPARTMENTS, spoken.compartments)
    if all(is_copying(implementation) for _, implementation in config.run.sides):
        return
    if not spoken.decompressed or spoken.left_alone > FEW + SHARE * spoken.decompressed:
        raise AssertionError(
            f"{spoken.decompressed:,} messages were restored from SigComp by the nodes, and {spoken.left_alone:,} "
            "times one of them passed something on as it was: the calls were not compressed."
        )


def is_copying(implementation: Implementation) -> bool:
    """True if an implementation declares that its endpoints copy."""
    return implementation.declared(SCHEME).get("wire") == "copy"


def require_calls(trials: Sequence[Trial]) -> None:
    """Ends the case where messages came out changed, or where calls failed in every trial."""
    if changed := sum(trial.forward.unexpected for trial in trials):
        raise AssertionError(f"{changed} messages arrived that were not sent, or twice.")
    if all(trial.lost for trial in trials):
        failed = ", ".join(f"{trial.lost:,} of {trial.sent:,}" for trial in trials)
        raise AssertionError(f"Calls lacked a message in every trial: {failed}.")
