# SPDX-License-Identifier: Apache-2.0
"""The line of IPHC: the judges of RFC 2507, and the vectors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from typing import Any

from headroom.core.finding import Finding
from headroom.core.scheme_kit.line import Arrival, Line, Sent
from headroom.core.scheme_kit.line_vectors import LineVectors, Vector
from headroom.schemes.iphc.judge import link
from headroom.schemes.iphc.judge.compressor import CompressorJudge
from headroom.schemes.iphc.judge.decompressor import ERROR, Decompressor, Parameters

WRONG = {  # what a decompressor breaks that makes another packet of one than the judge does
    link.FULL: "RFC2507-5.3.1-1",
    link.TCP: "RFC2507-7-4",
    link.NODELTA: "RFC2507-7.12.2-1",
    link.NON_TCP: "RFC2507-7-5",
}
NOTHING = {link.TCP: "RFC2507-9-1", link.NODELTA: "RFC2507-9-1", link.NON_TCP: "RFC2507-9-2"}


def parameters(channel: Mapping[str, Any]) -> Parameters:
    """The parameters of section 14 that a configuration has."""
    return Parameters(**{field.name: channel[field.name] for field in fields(Parameters) if field.name in channel})


def _requirement(arrival: Arrival) -> str:
    return (NOTHING if arrival.restored is None else WRONG).get(arrival.type, "RFC2507-3.1-3")


class IphcLine(Line):
    """Its judge of compressors needs times (3.3), and hears of header requests; packet sequence numbers are a
    feature."""

    def asked(self, channel: Mapping[str, Any]) -> dict[str, Any]:
        """Besides limits, the feature that a configuration takes."""
        features = {"features": ["packet-numbers"]} if channel.get("reordering") else {}
        return {**super().asked(channel), **features}

    def follow(
        self, sent: Sequence[Sent], channel: Mapping[str, Any], requests: Mapping[int, bytes] | None = None
    ) -> tuple[list[Finding], list[CompressorJudge]]:
        """As in the base. `requests`: CIDs of header requests that came, by the number of the packet that follows."""
        judges: dict[int, CompressorJudge] = {}
        results = []
        for number, packet in enumerate(sent):
            judge = judges.setdefault(packet.channel, CompressorJudge(parameters(channel)))
            judge.request((requests or {}).get(number, b""))
            findings = judge.sent(packet.source, packet.type, packet.link, packet.time_ns)
            results += [replace(finding, packet=number) for finding in findings]
        return results, list(judges.values())


LINE = IphcLine(
    "iphc",
    {"tcp_space": 15, "non_tcp_space": 15, "max_header": 168},
    follower=lambda channel: CompressorJudge(parameters(channel)),
    receiver=lambda channel: Decompressor(parameters(channel)).receive,
    requirement=_requirement,
    error=ERROR,
)


class IphcVectors(LineVectors):
    """Vectors may have packet sequence numbers."""

    def _vector(self, entry: dict[str, Any]) -> Vector:
        vector = super()._vector(entry)
        return replace(vector, channel={**vector.channel, "reordering": entry.get("reordering", False)})


VECTORS = IphcVectors(
    LINE,
    {
        "ip": link.IPV4,
        "ipv6": link.IPV6,
        "full": link.FULL,
        "tcp": link.TCP,
        "no-delta": link.NODELTA,
        "non-tcp": link.NON_TCP,
        "error": ERROR,
    },
)
