# SPDX-License-Identifier: Apache-2.0
"""What the tests of the conformance package share: streams made by hand, and what an engine would say of them."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from typing import Any

from headroom.core.replay import Replay
from headroom.schemes.rohc.conformance.flow import INTERVAL_NS, Flow
from headroom.schemes.rohc.conformance.observation import Observation, ObservedPacket
from headroom.schemes.rohc.conformance.sender import Sender
from headroom.schemes.rohc.judge import Checker, Parameters
from headroom.tests.runs import replay_of

# Packets of a flow that begins and settles: IR three times, then packets of type 0.
BEGINNING = ("IR", "IR", "IR")


class Numbered(random.Random):
    """Payloads as the vectors have them: a0b0c0 and the packet's number."""

    def __init__(self, first: int = 0) -> None:
        super().__init__(1)
        self.next = first

    def randbytes(self, n: int) -> bytes:
        octets = (0xA0B0C000 + self.next).to_bytes(4, "big")
        self.next += 1
        return octets[:n]


def flow_of_vectors() -> Flow:
    """The flow of the prologue rtp-ipv4 in resources/vectors/rohc/rtp-types-0-and-1.yaml, which explains its octets."""
    flow = Flow.of("rtp-ipv4")
    flow.inner.addresses = bytes.fromhex("c0000201c6336402")
    flow.inner.identification = 8192
    flow.ports = (5004, 5006)
    flow.ssrc, flow.payload_type, flow.sn, flow.ts = 0x11223344, 0, 1000, 160_080
    flow.payload, flow.random = 4, Numbered()
    return flow


def sent(flow: Flow | str, kinds: Iterable[str], cid: int = 0) -> tuple[list[bytes], list[bytes]]:
    """Link packets of these types and their originals.

    `ttl to 9: IR` changes the flow before the packet, `IR/O` says a mode.
    """
    sender = Sender(Flow.of(flow) if isinstance(flow, str) else flow, cid)
    links, originals = [], []
    for kind in kinds:
        change, colon, name = kind.rpartition(": ")
        if colon:
            sender.flow.change(change)
        name, _, mode = name.partition("/")
        link, original = sender.packet(name, mode or None)
        links.append(link)
        originals.append(original)
    return links, originals


def record(index: int, link: bytes | None, verdict: str = "identical", channel: int = 0, **more: Any) -> dict[str, Any]:
    """What the engine records of a packet; `more` is put over it, `statuses` are those of its arrivals."""
    statuses = more.pop("statuses", ["OK"] if verdict in ("identical", "mismatched", "unexpected") else ["ERR_CRC"])
    time_ns = index * INTERVAL_NS
    found: dict[str, Any] = {
        "packet": index,
        "direction": "forward",
        "time_ns": time_ns,
        "channel": channel,
        "fate": "delivered",
        "verdict": verdict,
        "decompressor": [{"time_ns": time_ns, "status": status} for status in statuses],
    }
    if link is not None:
        found["link"] = link.hex()
    return found | more


def document(records: Sequence[dict[str, Any]], **more: Any) -> dict[str, Any]:
    """What the engine says of a replay with these records."""
    verdicts: dict[str, int] = {}
    for one in records:
        verdicts[one["verdict"]] = verdicts.get(one["verdict"], 0) + 1
    forward = {"source": {"packets": len(records)}, "verdicts": verdicts}
    return {"forward": forward, "records": list(records), "promise_broken": None} | more


def observed(
    links: Sequence[bytes | None],
    originals: Sequence[bytes],
    parameters: Parameters | None = None,
    records: Sequence[dict[str, Any]] | None = None,
) -> Observation:
    """An observation of one channel, as `observe` would make it: the judge's reading beside the engine's records."""
    checker = Checker(parameters)
    records = records or [record(n, link) for n, link in enumerate(links)]
    found = Observation(Replay(replay_of(), document(records)), parameters or Parameters())
    for n, (link, original) in enumerate(zip(links, originals, strict=True)):
        outcome = checker.take(link, original) if link is not None else None
        found.packets.append(ObservedPacket(n, records[n]["time_ns"], 0, original, link, outcome, records[n]))
    return found


def stream(flow: Flow | str, kinds: Iterable[str]) -> Observation:
    """An observation of packets of these types, nothing lost and everything delivered."""
    links, originals = sent(flow, kinds)
    return observed(links, originals)
