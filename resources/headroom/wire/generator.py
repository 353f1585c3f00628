# SPDX-License-Identifier: Apache-2.0
"""The two generators on the wire: TRex, and the one that the engine has embedded (`headroom-engine generate`).

Both send the packets that `headroom-engine render` makes for a profile, a number of flows and a seed, so that what
differs between them is who sends. TRex sends them in one of two ways:
- `streams`: voice profiles, as streams for its field engine (traffic-profiles/trex). Payloads are the engine's pattern.
  A stream of one more flow measures latency;
- `capture`: any profile, octet by octet as rendered, from a capture. TRex measures no latency then.
"""

from __future__ import annotations

import copy
import math
import struct
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from headroom import engine
from headroom.errors import HeadroomError, UsageError
from headroom.machine.build import engine_program
from headroom.paths import DEFAULT_BUILD
from headroom.wire.trex import PROFILES, Trex
from headroom.wire.trex_server import TrexFailure, scratch
from headroom.wire.trial import Direction, Latency, Trial, behind

Directions = Literal["both", "forward"]
Run = Callable[[str, dict[str, Any]], dict[str, Any]]

STREAMS = PROFILES / "voip_flow_pairs.py"
VOICE = (["ipv4", "udp", "rtp"], ["ipv6", "udp", "rtp"])
LATENCY_PPS = 1000.0
LATENCY_SHARE = 0.1  # of the rate at most
SAMPLED_FLOWS, SAMPLED_S = 200, 20.0  # to learn what a profile sends in a second
PATIENCE_S = 5.0  # for a sender that has fallen behind
MOST_RENDERED = 20_000_000  # packets: kMostSourcePackets of the engine
FRAME_OCTETS = 14 + 4  # TRex counts Ethernet's header and frame check sequence
PCAP_HEADER, PCAP_RECORD = 24, 16  # octets


def is_voice(profile: Mapping[str, Any]) -> bool:
    """Whether a profile can be sent as streams."""
    return all([header["protocol"] for header in variant["headers"]] in VOICE for variant in profile["variants"])


@dataclass
class TrexGenerator:
    """TRex as a generator. `trex` is connected; `profile_path` is the file that `profile` was read from."""

    trex: Trex
    profile: dict[str, Any]
    profile_path: Path
    flows: int = 100
    seed: int = 1
    directions: Directions = "both"
    warmup_s: float = 0.5
    drain_s: float = 0.5
    packets: Literal["auto", "streams", "capture"] = "auto"
    latency_pps: float = LATENCY_PPS
    build: str = DEFAULT_BUILD
    name: str = field(default="trex", init=False)
    _natural_pps: float = field(default=0.0, init=False)

    def __post_init__(self) -> None:
        if self.packets == "auto":
            self.packets = "streams" if is_voice(self.profile) else "capture"
        if self.packets == "streams" and not is_voice(self.profile):
            raise UsageError(
                f"{self.profile['name']} is no voice profile: TRex can send it as a capture, not as streams."
            )

    @property
    def ports(self) -> list[int]:
        return [0, 1] if self.directions == "both" else [0]

    def trial(self, rate_pps: float, duration_s: float) -> Trial:
        if not (rate_pps > 0 and duration_s > 0):
            raise UsageError(f"A trial needs a rate and a duration above 0, not {rate_pps:g}/s for {duration_s:g} s.")
        if self.packets == "capture":
            return self._send_captures(rate_pps, duration_s)
        return self._send_streams(rate_pps, duration_s)

    # -- streams ------------------------------------------------------------------------------------------------------

    def _send_streams(self, rate_pps: float, duration_s: float) -> Trial:
        latency_pps = min(self.latency_pps, LATENCY_SHARE * rate_pps)
        speed = (rate_pps - latency_pps) / self.natural_pps()
        warm_s = self.warmup_s * speed  # of the profile's own time
        if self.warmup_s > 0:
            self._load(speed, self.warmup_s, 0.0, 0.0)
            self._go(lambda: self.trex.start(self.ports, self.warmup_s + self.drain_s), self.warmup_s)
            self.trex.stop()
        wanted = self._load(speed, duration_s, warm_s, latency_pps)
        self.trex.clear()
        elapsed_s = self._go(lambda: self.trex.start(self.ports, duration_s), duration_s)
        stats = self.trex.stats()
        self.trex.stop()
        rates = {port: packets / duration_s + latency_pps for port, packets in wanted.items()}
        missing = "" if latency_pps else "no stream that measures latency was asked for"
        return self._judge(stats, rates, rate_pps, duration_s, elapsed_s, missing)

    def _load(self, speed: float, duration_s: float, start_s: float, latency_pps: float) -> dict[int, int]:
        """Loads the profile's packets from `start_s` of its own time on; returns how many each port is to send."""
        tunables = {
            "profile": self.profile_path.resolve(),
            "flows": self.flows,
            "seed": self.seed,
            "speed": repr(speed),
            "duration": repr(duration_s),
            "start": repr(start_s),
            "latency-pps": repr(latency_pps),
            "engine": engine_program(self.build),
        }
        return {port: self.trex.load(port, STREAMS, tunables) for port in self.ports}

    def natural_pps(self) -> float:
        """Packets a second and direction that all flows send at the profile's own speed."""
        if not self._natural_pps:
            flows = min(self.flows, SAMPLED_FLOWS)
            with scratch() as folder:
                job = self._render(Path(folder) / "sample.pcap", False) | {"flows": flows, "duration_s": SAMPLED_S}
                document = engine.run("render", job, build=self.build)
            self._natural_pps = document["packets"] / SAMPLED_S * self.flows / flows
        if not self._natural_pps:
            raise UsageError(f"{self.profile['name']} sends nothing within {SAMPLED_S:g} s.")
        return self._natural_pps

    # -- captures -----------------------------------------------------------------------------------------------------

    def _send_captures(self, rate_pps: float, duration_s: float) -> Trial:
        warm, counted = round(rate_pps * self.warmup_s), max(1, round(rate_pps * duration_s))
        if warm + counted >= MOST_RENDERED:
            raise UsageError(f"{warm + counted} packets are too many for a capture; at most {MOST_RENDERED} fit.")
        with scratch() as name:
            folder = Path(name)
            for port in self.ports:
                whole = folder / "whole.pcap"
                job = self._render(whole, port == 1) | {"packets": warm + counted, "frames": "ethernet"}
                engine.run("render", job, build=self.build)
                split(whole, warm, folder / f"warm-{port}.pcap", folder / f"counted-{port}.pcap")
            gap_us = 1e6 / rate_pps
            if warm:
                self._go(lambda: self._push(folder, "warm", gap_us), self.warmup_s)
            self.trex.clear()
            elapsed_s = self._go(lambda: self._push(folder, "counted", gap_us), duration_s)
        stats = self.trex.stats()
        rates = dict.fromkeys(self.ports, counted / duration_s)
        return self._judge(
            stats, rates, rate_pps, duration_s, elapsed_s, "TRex measures no latency of packets from a capture"
        )

    def _render(self, output: Path, reverse: bool) -> dict[str, Any]:
        profile = copy.deepcopy(self.profile)
        return {"profile": profile, "flows": self.flows, "seed": self.seed, "reverse": reverse, "output": str(output)}

    def _push(self, folder: Path, which: str, gap_us: float) -> None:
        self.trex.push({port: folder / f"{which}-{port}.pcap" for port in self.ports}, gap_us)

    # -- both ---------------------------------------------------------------------------------------------------------

    def _go(self, start: Callable[[], None], duration_s: float) -> float:
        """Starts, waits until all is sent and has had time to arrive; returns the seconds that sending took.

        A sender that has fallen behind is stopped after a while: TRex says nothing of it, and goes on.
        """
        start()
        began = time.monotonic()
        self.trex.sleep(duration_s - 0.05)
        finished = self.trex.wait(0.05 + PATIENCE_S)
        # Between two looks at a sender that keeps up, up to 10 ms pass, and RPCs take as long on a crowded machine.
        elapsed_s = max(duration_s, time.monotonic() - began) if not finished else self._taken(began, duration_s)
        if not finished:
            self.trex.stop()
        self.trex.sleep(self.drain_s)
        return elapsed_s

    @staticmethod
    def _taken(began: float, duration_s: float) -> float:
        took = time.monotonic() - began
        return took if took > 1.02 * duration_s + 0.1 else duration_s

    def _judge(
        self,
        stats: Mapping[str, Any],
        rates: Mapping[int, float],
        rate_pps: float,
        duration_s: float,
        elapsed_s: float,
        latency_missing: str,
    ) -> Trial:
        pairs = [(port, 1 - port) for port in self.ports]
        found = [
            direction_of(stats, sender, receiver, rates[sender], elapsed_s, latency_missing)
            for sender, receiver in pairs
        ]
        if any(one.sent == 0 for one in found):
            raise TrexFailure(f"TRex sent nothing in a trial of {duration_s:g} s at {rate_pps:g} packets/s.")
        notes = tuple(self.trex.notes + self.trex.warnings())
        reverse = found[1] if len(found) > 1 else None
        return Trial(self.name, self.trex.version, rate_pps, duration_s, found[0], reverse, notes, dict(stats))


def split(whole: Path, first: int, head: Path, tail: Path) -> None:
    """Writes the first packets of a pcap file to one file and the others to another."""
    octets = whole.read_bytes()
    at = PCAP_HEADER
    for _ in range(first):
        at += PCAP_RECORD + struct.unpack_from("<I", octets, at + 8)[0]
    head.write_bytes(octets[:at])
    tail.write_bytes(octets[:PCAP_HEADER] + octets[at:])


def direction_of(
    stats: Mapping[str, Any], sender: int, receiver: int, rate_pps: float, elapsed_s: float, latency_missing: str
) -> Direction:
    """One direction from TRex's statistics. The counters of ports are of all packets, stray ones included."""
    sent, received = int(stats["ports"][sender]["opackets"]), int(stats["ports"][receiver]["ipackets"])
    latency = None if latency_missing else latency_of(stats, sender)
    achieved = sent / elapsed_s
    return Direction(
        requested_pps=rate_pps,
        achieved_pps=achieved,
        sent=sent,
        received=received,
        octets_sent=int(stats["ports"][sender]["obytes"]) - sent * FRAME_OCTETS,
        lost=max(0, sent - received),
        unexpected=max(0, received - sent),
        fell_behind=behind(rate_pps, achieved),
        compared=False,
        latency=latency,
        latency_missing=latency_missing or ("" if latency else "no packet that measures latency has arrived"),
    )


def latency_of(stats: Mapping[str, Any], group: int) -> Latency | None:
    """Latency of a packet group from TRex's statistics, which are in microseconds; None when no packet arrived."""
    found = (stats.get("latency") or {}).get(str(group), {}).get("latency")
    histogram = {int(edge): int(count) for edge, count in (found or {}).get("histogram", {}).items()}
    if not histogram:
        return None
    assert found is not None
    return Latency(
        count=sum(histogram.values()),
        average_ns=in_ns(found.get("average")),
        jitter_ns=in_ns(found.get("jitter")),
        least_ns=in_ns(found.get("total_min")),
        most_ns=in_ns(found.get("total_max")),
        buckets=tuple((upper_edge(edge) * 1000.0, count) for edge, count in sorted(histogram.items())),
    )


def in_ns(microseconds: float | None) -> float | None:
    return None if microseconds is None else microseconds * 1000.0


def upper_edge(lower: int) -> int:
    """TRex names a bucket by its lower edge: 0, then ten for each power of ten, from 10 microseconds on."""
    return 10 if lower < 10 else lower + 10 ** int(math.log10(lower))


@dataclass
class EmbeddedGenerator:
    """`headroom-engine generate`: every packet that arrives is compared with what was sent.

    `ports` are the job's ports; `run` carries a job out where the generator has its place, and returns its document.
    `common` are further keys of the job (eal, core, order, idle).
    """

    ports: Sequence[Mapping[str, Any]]
    profile: dict[str, Any]
    flows: int = 100
    seed: int = 1
    directions: Directions = "both"
    warmup_s: float = 0.5
    drain_s: float = 0.5
    common: Mapping[str, Any] = field(default_factory=dict)
    run: Run = engine.run
    name: str = field(default="embedded", init=False)

    def trial(self, rate_pps: float, duration_s: float) -> Trial:
        document = self.run("generate", self.job(rate_pps, duration_s))
        if not document["complete"]:
            raise HeadroomError("The embedded generator was stopped before its time was up.")
        found = {name: embedded_direction(document[name]) for name in ("forward", "reverse") if document.get(name)}
        version = str((document.get("engine") or {}).get("version", ""))
        return Trial(
            self.name, version, rate_pps, duration_s, found["forward"], found.get("reverse"), (), dict(document)
        )

    def job(self, rate_pps: float, duration_s: float) -> dict[str, Any]:
        return {
            **self.common,
            "ports": [dict(port) for port in self.ports],
            "profile": self.profile,
            "flows": self.flows,
            "seed": self.seed,
            "rate_pps": rate_pps,
            "directions": self.directions,
            "duration_s": duration_s,
            "warmup_s": self.warmup_s,
            "drain_s": self.drain_s,
        }


def embedded_direction(told: Mapping[str, Any]) -> Direction:
    """One direction from the engine's document."""
    latency = told.get("latency_ns")
    return Direction(
        requested_pps=float(told["requested_pps"]),
        achieved_pps=float(told["achieved_pps"] or 0.0),  # null where it has come to send nothing
        sent=int(told["sent"]),
        received=int(told["received"]),
        octets_sent=int(told["octets_sent"]),
        lost=int(told["lost"]),
        unexpected=int(told["unexpected"]) + int(told.get("duplicated", 0)),
        fell_behind=bool(told["fell_behind"]),
        compared=True,
        latency=embedded_latency(latency) if latency and latency.get("count") else None,
        latency_missing="" if latency and latency.get("count") else "no packet has arrived",
    )


def embedded_latency(told: Mapping[str, Any]) -> Latency:
    buckets = tuple((float(edge), int(count)) for edge, count in told.get("buckets", []))
    return Latency(
        int(told["count"]), told.get("average"), told.get("jitter"), told.get("min"), told.get("max"), buckets
    )
