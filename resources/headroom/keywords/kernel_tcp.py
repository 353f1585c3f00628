# SPDX-License-Identifier: Apache-2.0
"""Keywords that send data by the kernel's TCP over two nodes and a link that damages packets."""

from __future__ import annotations

import platform
from collections.abc import Callable, Sequence

from robot.api import SkipExecution
from robot.api.deco import keyword

from headroom.bench import kernel_tcp
from headroom.bench.kernel_tcp import Comparison, KernelTcpConfig
from headroom.core import metrics, replay_metrics
from headroom.core.capabilities import Inconclusive
from headroom.core.chance import poisson_limit
from headroom.core.results import collector
from headroom.keywords import verdicts
from headroom.keywords.base import current_run, library
from headroom.keywords.forwarding import channel_of, require_declared
from headroom.keywords.transfer import CHECKSUM_MISSES, LEAST_SERVICE
from headroom.testbed import choice
from headroom.testbed.tcp_hosts import TcpSettings

ROUNDS = 2  # once more where the first says nothing, or that compression slows TCP down


@library
class KernelTcpKeywords:
    """A host sends to another one over a network, a router and a link; both have the TCP of this machine's kernel.
    Headers are compressed on the link, both ways. Beside it, at the same time, the same without compression."""

    topologies = ("netns",)  # where hosts have namespaces of their own

    @keyword("TCP Should Not Be Slower With Compression")
    def not_slower(
        self, scheme: str, mode: str, rate_kbps: int, mtu: int, ber: float, connections: int, control: str = "reno"
    ) -> None:
        """Every octet arrives as it was sent, but for what chance lets TCP's checksum miss, and goodput is not below
        that without compression by more than chance explains. Where chance or the machine explain everything, the case
        is inconclusive.

        MODE as in the rows of throughput. The link drops each packet that has a wrong bit; it leaves the packets of the
        other direction alone. CONTROL is a congestion control of the kernel.
        """
        row = (scheme, mode, rate_kbps, mtu, ber, connections, control)
        _must_be_judged(_compare(*row, enough=lambda one: not one.is_slower and not one.doubt))

    @keyword("TCP Should Get Through")
    def get_through(
        self, scheme: str, mode: str, rate_kbps: int, mtu: int, ber: float, connections: int, control: str = "reno"
    ) -> None:
        """For schemes that a lost packet costs others: every octet arrives as it was sent, and goodput is at least a
        twentieth of that without compression."""
        row = (scheme, mode, rate_kbps, mtu, ber, connections, control)
        last = _compare(*row, enough=_gets_through)[-1]
        if not _gets_through(last):
            raise Inconclusive(f"{last.doubt} {_goodputs(last)}") if last.doubt else AssertionError(_goodputs(last))


def _gets_through(compared: Comparison) -> bool:
    return LEAST_SERVICE * compared.compressed.goodput >= compared.uncompressed.goodput


def _compare(
    scheme: str,
    mode: str,
    rate_kbps: int,
    mtu: int,
    ber: float,
    connections: int,
    control: str,
    enough: Callable[[Comparison], bool],
) -> list[Comparison]:
    """The rounds of a row, of which the last one counts, noted for the record. A round that is not `enough` is
    repeated."""
    run, current = current_run(), collector.current()
    channel = channel_of(run, scheme, mode, connections)
    current.parameters |= {
        "kind": "kernel_tcp",
        "compressor": run.settings.compressor,
        "decompressor": run.settings.decompressor,
        "scheme": scheme,
        "build": run.build,
        **channel.parameters,
        "topology": run.topology,
        "rate_kbps": rate_kbps,
        "mtu": mtu,
        "ber": ber,
        "connections": connections,
        "control": control,
    }
    current.traffic = choice.traffic(run)
    verdicts.note_sides(run)
    choice.require(run.topology, run.build)
    if run.topology != "netns":
        raise SkipExecution(f"The hosts of {run.topology} are not this kernel's: use --topology netns.")
    require_declared(run, channel)
    warm_up_s, seconds = (2.0, 2.0) if run.quick else (3.0, 20.0)
    settings = TcpSettings(mtu=mtu, congestion_control=control)
    rounds: list[Comparison] = []
    while len(rounds) < ROUNDS and not (rounds and enough(rounds[-1])):
        seed = run.seed + len(rounds)
        config = KernelTcpConfig(1000 * rate_kbps, ber, connections, warm_up_s, seconds, settings, seed)
        rounds.append(kernel_tcp.side_by_side(run, config, channel))
    _note(rounds)
    for one in rounds:
        _must_be_unchanged(one)
    return rounds


def _note(rounds: Sequence[Comparison]) -> None:
    current, last = collector.current(), rounds[-1]
    kernel = {"name": "kernel", "version": f"{platform.system()} {platform.release()}"}
    current.traffic = {"generator": kernel, "topology": last.compressed.described}
    current.parameters["rounds"] = [
        {"compressed": one.compressed.slices(), "uncompressed": one.uncompressed.slices()} for one in rounds
    ]
    current.metric(metrics.GOODPUT, last.compressed.goodput, last.compressed.slices())
    current.metric(metrics.GOODPUT_UNCOMPRESSED, last.uncompressed.goodput, last.uncompressed.slices())
    current.metric(metrics.GOODPUT_NOISE, last.noise)
    if last.uncompressed.goodput:
        current.metric(replay_metrics.TCP_GAIN, 100 * last.gain / last.uncompressed.goodput)
    current.metric(metrics.RETRANSMITS, last.compressed.transfer.retransmits)
    current.metric(metrics.RETRANSMITS_UNCOMPRESSED, last.uncompressed.transfer.retransmits)
    current.metric(metrics.WRONG_CHECKSUMS, last.compressed.transfer.wrong_checksums)
    current.metric(metrics.QUEUE_DROPS, last.compressed.dropped)
    current.metric(metrics.DAMAGED, last.compressed.damaged)


def _must_be_unchanged(compared: Comparison) -> None:
    """Raises AssertionError where more connections deliver octets other than they were sent than wrong segments explain
    that TCP's checksum missed, where one ended, or nothing was decompressed."""
    transfer = compared.compressed.transfer
    places = [one.first_difference for one in transfer.connections if one.first_difference is not None]
    if len(places) > poisson_limit(CHECKSUM_MISSES * transfer.wrong_checksums):
        raise AssertionError(f"The kernel's TCP delivers octet {places[0]} other than it was sent.")
    for carried in (compared.uncompressed, compared.compressed):
        if failure := next((one.failure for one in carried.transfer.connections if one.failure), ""):
            raise AssertionError(failure)
    if not compared.compressed.restored:
        raise AssertionError("No packet was decompressed.")


def _must_be_judged(rounds: Sequence[Comparison]) -> None:
    """Raises Inconclusive or AssertionError by the rule of `not_slower`."""
    last = rounds[-1]
    if doubt := last.doubt:
        raise Inconclusive(f"{doubt} {_goodputs(last)}")
    if last.is_slower:
        if earlier := next((one.doubt for one in rounds if one.doubt), ""):
            raise Inconclusive(f"{earlier} {_goodputs(last)}")
        raise AssertionError(_goodputs(last))


def _goodputs(compared: Comparison) -> str:
    return (
        f"TCP delivers {compared.compressed.goodput:,.0f} octets a second, and "
        f"{compared.uncompressed.goodput:,.0f} without header compression; chance explains {compared.noise:,.0f}."
    )
