# SPDX-License-Identifier: Apache-2.0
"""Keywords that send data by TCP over a link with bit errors, in virtual time."""

from __future__ import annotations

from typing import Any

from robot.api.deco import keyword

from headroom.bench import transfer
from headroom.bench.transfer import Control, TransferConfig, TransferResult
from headroom.core import capabilities, replay_metrics, scheme_registry
from headroom.core.chance import CONFIDENCE, poisson_limit
from headroom.core.replay_options import config_of
from headroom.core.results import collector
from headroom.core.run.run import Run
from headroom.keywords import verdicts
from headroom.keywords.base import current_run, library

CHECKSUM_MISSES = 2.0**-16  # share of wrong packets that the checksum of TCP cannot detect
LEAST_SERVICE = 20  # throughput without header compression may be this many times that with it


@library
class TransferKeywords:
    """Sends data from one host to another over a router and a link. Headers are compressed on the link, in both
    directions.
    """

    @keyword("TCP Should Arrive Unchanged")
    def arrive_unchanged(
        self, scheme: str, control: Control, rate_kbps: int, mtu: int, ber: float, **named: str
    ) -> None:
        """Checks that TCP accepts no packet that no host has sent, except for those that its checksum misses by chance:
        at most as many as a share of 2^-16 of the packets that arrive over a link with errors explains. Throughput
        must be at least a twentieth of that without header compression.

        CONTROL is tahoe, reno or sack. The link drops each packet that has a wrong bit; feedback has the same BER.
        Named arguments are those of the scheme's channel, as in replays.
        """
        run, current = current_run(), collector.current()
        channel = config_of(scheme_registry.find(scheme), "", named, run).channel if named else {}
        needed = {name: value for name, value in channel.items() if isinstance(value, list)}
        for role, implementation in run.sides:
            capabilities.require(implementation, role, scheme_registry.find(scheme), run.build, **needed)
            verdicts.note(role, implementation, run.build)
        parameters = {"scheme": scheme, "control": control, "rate_kbps": rate_kbps, "mtu": mtu, "ber": ber, **named}
        current.parameters |= {"kind": "transfer", **parameters}
        with_codec, without = transfer.measure(
            [_config(run, of, control, rate_kbps, mtu, ber) for of in ({"scheme": scheme, **channel}, None)], run.build
        )
        wrong, allowed = with_codec.wrong, poisson_limit(CHECKSUM_MISSES * with_codec.at_risk)
        current.metric(replay_metrics.TCP_THROUGHPUT, with_codec.throughput)
        current.metric(replay_metrics.TCP_THROUGHPUT_UNCOMPRESSED, without.throughput)
        if without.throughput:
            current.metric(replay_metrics.TCP_GAIN, 100 * (with_codec.throughput / without.throughput - 1))
        current.metric(replay_metrics.HEADER(figure="mean"), with_codec.header_octets)
        current.metric(replay_metrics.TCP_DISCARDED, with_codec.discarded)
        current.metric(replay_metrics.WRONG, wrong)
        current.metric(replay_metrics.WRONG_ALLOWED, allowed)
        _conclude(with_codec, without, allowed)


def _config(
    run: Run, channel: dict[str, Any] | None, control: Control, rate_kbps: int, mtu: int, ber: float
) -> TransferConfig:
    """The configuration of a transfer. Without a `channel`, headers are not compressed."""
    codec = None
    if channel is not None:
        codec = {role: capabilities.adapter(implementation, run.build, channel) for role, implementation in run.sides}
    return TransferConfig(
        control,
        1_000 * rate_kbps,
        mtu,
        ber,
        codec=codec,
        reverse_codec=codec,
        harmed_at="link",
        feedback_ber=ber,
        warm_up_seconds=60,
        seconds=300 if run.quick else 1_000,
        most=2 if run.quick else 20,
        seed=run.seed,
    )


def _conclude(with_codec: TransferResult, without: TransferResult, allowed: int) -> None:
    if with_codec.wrong > allowed:
        raise AssertionError(
            f"TCP accepts {with_codec.wrong} packets that no host has sent; its checksum lets at most {allowed} of "
            f"{with_codec.at_risk} packets pass, with a probability of {CONFIDENCE}."
        )
    if LEAST_SERVICE * with_codec.throughput < without.throughput:
        raise AssertionError(
            f"TCP sends {with_codec.throughput:.0f} octets a second, and {without.throughput:.0f} without header "
            f"compression: {with_codec.discarded} packets that arrived were discarded."
        )
