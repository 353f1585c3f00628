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

ROUNDS = 2  # rounds at most; a round is repeated if it is undecided, or if compression slowed TCP down


@library
class KernelTcpKeywords:
    """Sends data from one host to another over a network, a router and a link, with the TCP of this machine's kernel on
    both. Headers are compressed on the link in both directions. The same transfer without compression runs beside it at
    the same time.
    """

    topologies = ("netns",)  # topologies whose hosts have namespaces of their own

    @keyword("TCP Should Not Be Slower With Compression")
    def not_slower(
        self, scheme: str, mode: str, rate_kbps: int, mtu: int, ber: float, connections: int, control: str = "reno"
    ) -> None:
        """Checks that every octet arrives as it was sent, except for errors that TCP's checksum misses by chance, and
        that goodput is not below that without compression by more than chance explains. If chance or the machine
        explain everything, the case is inconclusive.

        MODE is that of the rows of throughput. The link drops each packet that has a wrong bit; the other direction has
        no errors. CONTROL is a congestion control of the kernel.
        """
        row = (scheme, mode, rate_kbps, mtu, ber, connections, control)
        _must_be_judged(_compare(*row, enough=lambda comparison: not comparison.is_slower and not comparison.doubt))

    @keyword("TCP Should Get Through")
    def get_through(
        self, scheme: str, mode: str, rate_kbps: int, mtu: int, ber: float, connections: int, control: str = "reno"
    ) -> None:
        """For schemes that lose further packets after a loss: checks that every octet arrives as it was sent, and that
        goodput is at least a twentieth of that without compression.
        """
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
    """The rounds of a row, of which the last one counts, all written to the record. A round that is not `enough` is
    repeated.
    """
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
        raise SkipExecution(f"The hosts of {run.topology} do not use this kernel: use --topology netns.")
    require_declared(run, channel)
    warm_up_s, seconds = (2.0, 2.0) if run.quick else (3.0, 20.0)
    settings = TcpSettings(mtu=mtu, congestion_control=control)
    rounds: list[Comparison] = []
    while len(rounds) < ROUNDS and not (rounds and enough(rounds[-1])):
        seed = run.seed + len(rounds)
        config = KernelTcpConfig(1000 * rate_kbps, ber, connections, warm_up_s, seconds, settings, seed)
        rounds.append(kernel_tcp.side_by_side(run, config, channel))
    _note(rounds)
    for comparison in rounds:
        _must_be_unchanged(comparison)
    return rounds


def _note(rounds: Sequence[Comparison]) -> None:
    current, last = collector.current(), rounds[-1]
    kernel = {"name": "kernel", "version": f"{platform.system()} {platform.release()}"}
    current.traffic = {"generator": kernel, "topology": last.compressed.described}
    current.parameters["rounds"] = [
        {"compressed": comparison.compressed.slices(), "uncompressed": comparison.uncompressed.slices()}
        for comparison in rounds
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
    """Raises AssertionError if more connections deliver changed octets than TCP's checksum can miss by chance, if a
    connection ended, or if nothing was decompressed.
    """
    transfer = compared.compressed.transfer
    places = [
        connection.first_difference for connection in transfer.connections if connection.first_difference is not None
    ]
    if len(places) > poisson_limit(CHECKSUM_MISSES * transfer.wrong_checksums):
        raise AssertionError(f"The kernel's TCP delivers octet {places[0]} changed.")
    for carried in (compared.uncompressed, compared.compressed):
        if failure := next(
            (connection.failure for connection in carried.transfer.connections if connection.failure), ""
        ):
            raise AssertionError(failure)
    if not compared.compressed.restored:
        raise AssertionError("No packet was decompressed.")


def _must_be_judged(rounds: Sequence[Comparison]) -> None:
    """Raises AssertionError if compression slows TCP down, Inconclusive if chance or the machine may be the cause."""
    last = rounds[-1]
    if doubt := last.doubt:
        raise Inconclusive(f"{doubt} {_goodputs(last)}")
    if last.is_slower:
        if earlier := next((comparison.doubt for comparison in rounds if comparison.doubt), ""):
            raise Inconclusive(f"{earlier} {_goodputs(last)}")
        raise AssertionError(_goodputs(last))


def _goodputs(compared: Comparison) -> str:
    return (
        f"TCP delivers {compared.compressed.goodput:,.0f} octets a second, and "
        f"{compared.uncompressed.goodput:,.0f} without header compression; chance explains {compared.noise:,.0f}."
    )
