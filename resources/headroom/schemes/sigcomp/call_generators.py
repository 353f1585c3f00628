# SPDX-License-Identifier: Apache-2.0
"""The two generators of calls: `headroom-engine call`, and TRex with sessions (ASTF).

Both play a SIP sequence between callers and called parties: a message is sent when all that the other side says before
it has arrived. Their trials are counted in calls: one that lacks a message is lost. What became of the messages stands
in `raw`, under `forward` (of the callers) and `reverse`.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from headroom.core import engine
from headroom.core.errors import HeadroomError
from headroom.core.run.run import Run
from headroom.schemes.sigcomp.sip import sequences
from headroom.schemes.sigcomp.sip.sequences import Message
from headroom.testbed.arrivals import UNCOMPARED, Listener, Tap, compare
from headroom.testbed.generator import embedded_latency
from headroom.testbed.sender import carrying_out, tap_at, trex_at
from headroom.testbed.topology import Topology
from headroom.testbed.trex.client import Trex
from headroom.testbed.trex.home import PROFILES
from headroom.testbed.trial import BEHIND, Direction, Generator, Trial

SESSIONS = PROFILES / "sip_3gpp.py"
UDP_IPV4 = 28  # octets of headers
UDP = 17  # the protocol's number

Execute = Callable[[str, dict[str, Any]], dict[str, Any]]


@contextmanager
def callers(settings: Run, topology: Topology, sequence: str, holding_s: float = 0.0) -> Iterator[Generator]:
    """Gives the generator of calls over an existing topology: the engine, or TRex, which runs until the block ends.

    Raises as `sender` does.
    """
    path = sequences.path_of(sequence)
    messages = sequences.load_datagrams(path)
    if settings.generator == "memory":
        seat = topology.seats["generator"]
        ports = [seat.ports[name].as_job() for name in ("0", "1")]
        with carrying_out(topology) as run:
            yield EmbeddedCalls(ports, messages, holding_s, common={"core": seat.cores[0]}, run=run)
        return
    with trex_at(topology, "astf") as server:
        yield TrexCalls(server, path, messages, holding_s, tap=tap_at(topology))


@dataclass
class EmbeddedCalls:
    """The embedded generator of calls, `headroom-engine call`. It compares every arriving message with the sent one,
    octet by octet.
    """

    ports: Sequence[Mapping[str, Any]]
    messages: Sequence[Message]
    holding_s: float = 0.0  # before BYE
    warmup_s: float = 0.5
    drain_s: float = 1.0
    common: Mapping[str, Any] = field(default_factory=dict)
    run: Execute = engine.run
    name: str = field(default="embedded", init=False)

    def trial(self, rate_pps: float, duration_s: float) -> Trial:
        """`rate_pps` is in calls a second."""
        document = self.run("call", self.job(rate_pps, duration_s))
        if not document["complete"]:
            raise HeadroomError("The embedded generator was stopped before its time was up.")
        version = str((document.get("engine") or {}).get("version", ""))
        return Trial(self.name, version, rate_pps, duration_s, embedded_calls(document), None, (), dict(document))

    def job(self, calls_per_s: float, duration_s: float) -> dict[str, Any]:
        return {
            **self.common,
            "ports": [dict(port) for port in self.ports],
            "messages": [_as_job(message, self.holding_s) for message in self.messages],
            "calls_per_s": calls_per_s,
            "duration_s": duration_s,
            "warmup_s": self.warmup_s,
            "drain_s": self.drain_s,
        }


def _as_job(message: Message, holding_s: float) -> dict[str, Any]:
    entry: dict[str, Any] = {"from": "caller" if message.from_caller else "called", "hex": message.octets.hex()}
    pauses = holding_s and message.from_caller and message.name == "BYE"
    return entry | ({"pause_ms": 1000 * holding_s} if pauses else {})


def embedded_calls(document: Mapping[str, Any]) -> Direction:
    """The calls of the engine's document."""
    calls, took = document["calls"], document["calls"]["took_ns"]
    ways = [document[name] for name in ("forward", "reverse")]
    requested = float(calls["requested_cps"])
    known = bool(took and took.get("count"))
    return Direction(
        requested_pps=requested,
        achieved_pps=_achieved(calls, requested),
        sent=int(calls["began"]),
        received=int(calls["completed"]),
        octets_sent=sum(int(way["octets_sent"]) for way in ways),
        lost=int(calls["failed"]),
        unexpected=sum(int(way["unexpected"]) + int(way["duplicated"]) for way in ways),
        fell_behind=bool(calls["fell_behind"]),
        compared=True,
        latency=embedded_latency(took) if known else None,
        latency_missing="" if known else "no call has been completed",
    )


def _achieved(calls: Mapping[str, Any], requested: float) -> float:
    """A single call has no rate: it has begun, or has not."""
    if calls["achieved_cps"] is None:
        return 0.0 if calls["fell_behind"] else requested
    return float(calls["achieved_cps"])


@dataclass
class TrexCalls:
    """TRex with sessions. It counts messages and octets, and compares nothing itself."""

    trex: Trex
    path: Path
    messages: Sequence[Message]
    holding_s: float = 0.0
    drain_s: float = 1.0
    tap: Tap | None = None  # where packets can be caught to compare them
    name: str = field(default="trex", init=False)

    def trial(self, rate_pps: float, duration_s: float) -> Trial:
        """`rate_pps` is in calls a second."""
        tunables = {"sequence": self.path.resolve(), "cps": repr(rate_pps), "holding-time": repr(self.holding_s)}
        self.trex.astf_load(SESSIONS, tunables)
        self.trex.clear()
        self.trex.astf_start(duration_s=duration_s)
        self.trex.sleep(duration_s + self.holding_s + self.drain_s)
        stats = self.trex.stats()
        self.trex.stop()
        notes = tuple(self.trex.notes + self.trex.warnings())
        raw = messages_of_sessions(stats["sessions"])
        direction = trex_calls(stats["sessions"], self.messages, rate_pps, duration_s)
        return Trial(self.name, self.trex.version, rate_pps, duration_s, direction, None, notes, {**stats, **raw})

    def compared(self, rate_pps: float, duration_s: float) -> Trial:
        """A trial whose messages are compared where they arrive, octet by octet. Where listening is impossible, they
        are counted only, and a note says so."""
        if self.tap is None:
            trial = self.trial(rate_pps, duration_s)
            return replace(trial, notes=(*trial.notes, UNCOMPARED))
        with Listener(self.tap) as listener:
            trial = self.trial(rate_pps, duration_s)
            arrived = {port: listener.packets(port) for port in (0, 1)}
            missed = listener.missed()
        if missed:
            note = f"TRex counts arrivals; they were not compared, for {missed} frames came too fast to be caught."
            return replace(trial, notes=(*trial.notes, note))
        unexpected = sum(
            changed_messages(
                arrived[port], [message.octets for message in self.messages if message.from_caller == from_caller]
            )
            for port, from_caller in ((1, True), (0, False))
        )
        return replace(trial, forward=replace(trial.forward, compared=True, unexpected=unexpected))


def changed_messages(packets: Iterable[bytes], messages: Sequence[bytes]) -> int:
    """The number of packets that are no UDP/IPv4 packet with a message of one side; in each flow each message counts
    once."""
    flows: dict[bytes, list[bytes]] = {}
    others = 0
    for packet in packets:
        header = 4 * (packet[0] & 15)
        if packet[0] >> 4 == 4 and packet[9] == UDP and len(packet) >= header + 8:
            flows.setdefault(packet[12 : header + 4], []).append(packet[header + 8 :])
        else:
            others += 1
    return others + sum(len(compare(messages, payloads).others) for payloads in flows.values())


def trex_calls(
    sessions: Mapping[str, Any], messages: Sequence[Message], calls_per_s: float, duration_s: float
) -> Direction:
    """Calls from TRex's statistics of sessions: complete are as many as the messages that arrived suffice for."""
    client, server = sessions["client"], sessions["server"]
    by_caller = sum(message.from_caller for message in messages)
    began = int(client.get("udps_connects", 0))
    whole = [began, int(server.get("udps_rcvpkt", 0)) // by_caller]
    if answers := len(messages) - by_caller:
        whole.append(int(client.get("udps_rcvpkt", 0)) // answers)
    completed = min(whole)
    sent = [int(side.get("udps_sndpkt", 0)) for side in (client, server)]
    octets = [int(side.get("udps_sndbyte", 0)) for side in (client, server)]
    # The first call begins at once, and one may begin with the last moment.
    behind = began < math.floor((1 - BEHIND) * calls_per_s * duration_s)
    return Direction(
        requested_pps=calls_per_s,
        achieved_pps=min(calls_per_s, began / duration_s),
        sent=began,
        received=completed,
        octets_sent=sum(octets) + UDP_IPV4 * sum(sent),
        lost=began - completed,
        unexpected=0,
        fell_behind=behind,
        compared=False,
        latency_missing="TRex measures no latency of sessions over UDP",
    )


def messages_of_sessions(sessions: Mapping[str, Any]) -> dict[str, dict[str, int]]:
    """The outcome of each side's messages, as `headroom-engine call` reports it."""
    sides = [sessions["client"], sessions["server"]]
    result = {}
    for name, sender, receiver in (("forward", *sides), ("reverse", *reversed(sides))):
        sent, received = int(sender.get("udps_sndpkt", 0)), int(receiver.get("udps_rcvpkt", 0))
        result[name] = {"sent": sent, "received": received, "lost": max(0, sent - received)}
    return result
