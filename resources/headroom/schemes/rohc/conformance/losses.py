# SPDX-License-Identifier: Apache-2.0
"""A flow that changes once, sent in many copies at once: each copy has its own channel and loses different packets.

The first copy loses nothing and shows how many consecutive packets carry the change (`repeats`). The other copies show
whether the decompressor restores at least the packets that the judge restores.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from headroom.core.replay import ReplayConfig
from headroom.core.text import nth
from headroom.schemes.rohc.conformance import capabilities, repeats
from headroom.schemes.rohc.conformance.flow import INTERVAL_NS, Flow
from headroom.schemes.rohc.conformance.observation import Observation, ObservedPacket, observe
from headroom.schemes.rohc.judge import Decompressor, Parameters

CHANGE_AT = 40  # by then every compressor has settled
PACKETS = 80
PATTERNS: tuple[tuple[int, ...], ...] = (
    (),
    *(tuple(range(count)) for count in range(1, 9)),  # the change and what follows it
    *((n,) for n in range(1, 5)),  # one packet after the change
    (0, 2),
    (0, 1, 3),
    (0, 2, 4),
)


@dataclass
class Survey:
    """The result of a survey. The compressor sends the change in `carried` consecutive packets. `complaints` has a
    sentence for each packet that the decompressor should have restored and did not.
    """

    carried: int
    observation: Observation  # of the copy that loses nothing
    complaints: list[str] = field(default_factory=list)
    patterns: int = 0


def packets_of(flow: Flow, changes: dict[int, str], count: int) -> list[bytes]:
    """The packets of a flow with changes by packet number."""
    results = []
    for n in range(count):
        if n in changes:
            flow.change(changes[n])
        results.append(flow.packet())
    return results


def literal(
    packets: Sequence[bytes], channels: int = 1, interval_ns: int = INTERVAL_NS, start_ns: int = 0
) -> list[dict[str, Any]]:
    """Packets as a job has them, each one once on every channel."""
    return [
        {"time_ns": start_ns + n * interval_ns, "channel": channel, "hex": octets.hex()}
        for n, octets in enumerate(packets)
        for channel in range(channels)
    ]


def survey(flow: Flow, change: str, config: ReplayConfig) -> Survey:
    """Sends the flow with a change at packet `CHANGE_AT` and the losses of `PATTERNS`."""
    packets = packets_of(flow, {CHANGE_AT: change}, PACKETS)
    most = min(capabilities.channels_of(end, config.channel) for end in (config.compressor, config.decompressor) if end)
    result: Survey | None = None
    for start in range(0, len(PATTERNS), most):
        patterns = PATTERNS[start : start + most]
        channels = len(patterns)
        drop = [(CHANGE_AT + n) * channels + channel for channel, pattern in enumerate(patterns) for n in pattern]
        channel = {**config.channel, "channels": channels} if channels > 1 else config.channel
        seen = observe(
            replace(config, source=literal(packets, channels), channel=channel, forward={"drop": drop}), judged={0}
        )
        by_channel = {n: [packet for packet in seen.packets if packet.channel == n] for n in range(channels)}
        if result is None:
            carried = repeats.survived(by_channel[0], CHANGE_AT, seen.parameters) + 1
            result = Survey(carried, seen)
        result.observation.findings += seen.findings if seen is not result.observation else []
        for n, pattern in enumerate(patterns):
            result.complaints += disagreements(by_channel[n], seen.parameters, f"losing {_lost(pattern)}: ")
        result.patterns += channels
    assert result is not None
    return result


def disagreements(packets: Sequence[ObservedPacket], parameters: Parameters, prefix: str = "") -> list[str]:
    """Returns a sentence for each packet that arrived and that the decompressor did not restore. `packets` are those of
    one channel, in order.

    Returns nothing if the judge, given the packets that arrived, does not restore all of them: the decompressor's
    output then depends on chance and on repairs.
    """
    judge = Decompressor(parameters)
    arrived = [seen for seen in packets if seen.link is not None and seen.has_arrived]
    if any(judge.decompress(seen.link).delivered != seen.original for seen in arrived if seen.link is not None):
        return []
    result = []
    for seen in arrived:
        statuses = ", ".join(arrival["status"] for arrival in seen.record.get("decompressor", ())) or "nothing"
        which = f"{prefix}{nth('packet', seen.index)} ({seen.kind})"
        if seen.verdict == "mismatched":
            result.append(f"{which} is delivered with other octets")
        elif seen.verdict != "identical":
            result.append(f"{which} is not delivered ({statuses}), though the packets that arrived suffice")
    return result


def _lost(pattern: Sequence[int]) -> str:
    places = ", ".join(f"c+{n}" if n else "c" for n in pattern)
    return f"packets {places}" if places else "nothing"
