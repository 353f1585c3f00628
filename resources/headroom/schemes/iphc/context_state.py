# SPDX-License-Identifier: Apache-2.0
"""Header requests (RFC 2507, 10.2): sends them to a compressor, and judges those of a decompressor."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from headroom.core.finding import Finding
from headroom.core.implementations import Implementation
from headroom.core.replay import ReplayConfig
from headroom.core.scheme_kit import one_side
from headroom.core.scheme_kit.line import Arrival, Compressed
from headroom.schemes.iphc.judge.link import TCP_HEADER_REQUEST, requested_cids
from headroom.schemes.iphc.line import LINE


def packet(cids: Sequence[int]) -> bytes:
    return bytes([TCP_HEADER_REQUEST, len(cids), *cids])


def compress(config: ReplayConfig, given: Mapping[int, Sequence[bytes]]) -> tuple[Compressed, list[Finding]]:
    """Replays a compressor that gets reverse packets before the packets whose numbers are the keys of `given`. Returns
    the link packets and the judge's findings.
    """
    control = [
        {"before": number, "side": "compressor", "feedback": octets.hex()}
        for number, packets in given.items()
        for octets in packets
    ]
    result = LINE.compress(replace(config, feedback={"path": "own"}, control=control))
    requests = {
        number: b"".join(requested_cids(octets) or b"" for octets in packets) for number, packets in given.items()
    }
    findings, _ = LINE.follow(result.sent, config.channel, requests)
    return result, findings


def sent_by(
    implementation: Implementation, channel: Mapping[str, Any], arrivals: Sequence[Arrival], build: str
) -> list[list[bytes]]:
    """The reverse packets that a decompressor sends after each arrival. Raises Misbehaviour."""
    packets = [
        {"time_ns": arrival.time_ns, "channel": 0, "type": arrival.type, "hex": arrival.octets.hex()}
        for arrival in arrivals
    ]
    config = ReplayConfig(
        LINE.scheme,
        decompressor=implementation,
        source=packets,
        channel=dict(channel),
        feedback={"path": "own"},
        build=build,
        timeout_s=60.0,
    )
    result, _ = one_side.run(config)
    return [[bytes.fromhex(entry) for entry in record.get("feedback", ())] for record in result.records]


def judge(arrivals: Sequence[Arrival], sent: Sequence[Sequence[bytes]]) -> list[Finding]:
    """The findings on a decompressor's reverse packets: their format, their CIDs and their number. A CID may be
    requested from the first link packet on that cannot be restored, or whose outcome the RFC leaves open.
    """
    findings: list[Finding] = []
    doubtful: set[int] = set()
    refused = requests = 0
    for number, (arrival, packets) in enumerate(zip(arrivals, sent, strict=True)):
        if arrival.octets and (arrival.restored is None or arrival.free):
            doubtful.add(arrival.octets[0])
            refused += 1
        requests += len(packets)
        for octets in packets:
            cids = requested_cids(octets)
            if not cids:
                findings.append(Finding(f"it sends {octets.hex()}, no header request", "RFC2507-10.2-4", number))
            elif strange := {*cids} - doubtful:
                sentence = f"it asks for CID {min(strange)}, whose context is not out of date"
                findings.append(Finding(sentence, "RFC2507-10.2-1", number))
    if refused > 1 and requests >= refused:
        findings.append(Finding(f"it sends {requests} requests for {refused} packets", "RFC2507-10.2-2"))
    return findings
