# SPDX-License-Identifier: Apache-2.0
"""The two generators on the wire: TRex, and the one that the engine has embedded (`headroom-engine generate`).

Both send the packets that `headroom-engine render` makes for a profile, a number of flows and a seed, so that what
differs between them is who sends. TRex sends them in one of two ways:
- `streams`: profiles of voice and those for which a scheme has a program, as streams for its field engine
  (traffic-profiles/trex). Payloads are the engine's pattern. A stream of one more flow measures latency;
- `capture`: any profile, octet by octet as rendered, from a capture. TRex measures no latency then.
"""

import copy
import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

from headroom.core import engine
from headroom.core.contract import TrexStreams
from headroom.core.errors import HeadroomError, UsageError
from headroom.core.machine.build import engine_program
from headroom.core.paths import DEFAULT_BUILD
from headroom.core.scheme_registry import all_schemes
from headroom.testbed.arrivals import UNCOMPARED, ArrivalComparison, Listener, Tap, compare, ip_packet
from headroom.testbed.bridge_noise import strays_in
from headroom.testbed.captures import read, records, split
from headroom.testbed.trex.client import Trex
from headroom.testbed.trex.home import PROFILES
from headroom.testbed.trex.server import TrexFailure, scratch
from headroom.testbed.trex.statistics import direction_of
from headroom.testbed.trial import Direction, Latency, Trial
from headroom.testbed.tunnel_path import WHOLE, TunnelPath

Directions = Literal["both", "forward"]
Execute = Callable[[str, dict[str, Any]], dict[str, Any]]

STREAMS = PROFILES / "voip_flow_pairs.py"
VOICE = (("ipv4", "udp", "rtp"), ("ipv6", "udp", "rtp"))
LATENCY_PPS = 1000.0
LATENCY_SHARE = 0.1  # share of the rate at most
SAMPLED_FLOWS, SAMPLED_S = 200, 20.0  # flows and seconds of the sample that tells a profile's own rate
MOST_WARM = 10_000  # packets of a warm-up that TRex sends from lists: preparing each of them takes time
GUARD_S = (
    1.0  # seconds: streams end by themselves; a duration of theirs alone would cut off the last packets of slow ones
)
PATIENCE_S = 5.0  # seconds for a sender that has fallen behind
MOST_RENDERED = 20_000_000  # packets: kMostSourcePackets of the engine


def is_voice(profile: Mapping[str, Any]) -> bool:
    """True if all flows are RTP over UDP over IP."""
    return _is_all_of(profile, VOICE)


def _is_all_of(profile: Mapping[str, Any], known: Sequence[tuple[str, ...]]) -> bool:
    return all(tuple(header["protocol"] for header in variant["headers"]) in known for variant in profile["variants"])


def streams_for(profile: Mapping[str, Any]) -> Path | None:
    """The program that makes TRex's streams of a profile; None if it can only be sent as a capture."""
    if is_voice(profile):
        return STREAMS
    programs = (PROFILES / scheme.program for scheme in _of_schemes() if _is_all_of(profile, scheme.headers))
    return next(programs, None)


def _of_schemes() -> list[TrexStreams]:
    return [scheme.streams for scheme in all_schemes().values() if scheme.streams]


@dataclass
class TrexGenerator:
    """TRex as a generator. `trex` is connected; `profile_path` is the file that `profile` was read from, `tunnel_path`
    describes the path of its tunnels.
    """

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
    tap: Tap | None = None  # where packets can be captured to compare them
    tunnel_path: TunnelPath = WHOLE
    name: str = field(default="trex", init=False)
    _natural_pps: float = field(default=0.0, init=False)

    def __post_init__(self) -> None:
        if self.packets == "auto":
            self.packets = "streams" if streams_for(self.profile) else "capture"
        if self.packets == "streams" and not streams_for(self.profile):
            kinds = " nor ".join(["voice", *(scheme.what for scheme in _of_schemes())])
            raise UsageError(
                f"{self.profile['name']} is neither {kinds}: TRex can send it as a capture, not as streams."
            )

    @property
    def ports(self) -> list[int]:
        return [0, 1] if self.directions == "both" else [0]

    def trial(self, rate_pps: float, duration_s: float) -> Trial:
        """Makes a trial in which packets are counted, and latency is measured."""
        return self._send(rate_pps, duration_s, min(self.latency_pps, LATENCY_SHARE * rate_pps), lambda: None)

    def compared(self, rate_pps: float, duration_s: float) -> Trial:
        """A trial whose packets are compared where they arrive, octet by octet, without latency.

        If listening is impossible, they are only counted, and a note says so.
        """
        if self.tap is None:
            trial = self.trial(rate_pps, duration_s)
            return replace(trial, notes=(*trial.notes, UNCOMPARED))
        with Listener(self.tap) as listener:
            trial = self._send(rate_pps, duration_s, 0.0, listener.forget)
            arrived = {port: listener.packets(1 - port) for port in self.ports}
            missed = listener.missed()
        if missed:
            note = (
                f"TRex counts arrivals; they were not compared, because {missed} frames came too fast to be captured."
            )
            return replace(trial, notes=(*trial.notes, note))
        comparisons = [
            _with(direction, self._compare(port, self._expected(port, rate_pps, duration_s), arrived[port]))
            for direction, port in zip(trial.directions, self.ports, strict=True)
        ]
        return replace(trial, forward=comparisons[0], reverse=comparisons[1] if len(comparisons) > 1 else None)

    def _compare(self, port: int, sent: Sequence[bytes], arrived: Sequence[bytes]) -> ArrivalComparison:
        """Compares the arrivals of a port's packets by the parts that identify them."""
        known = [[self.tunnel_path.known_by(packet, port == 1) for packet in some] for some in (sent, arrived)]
        return compare(*known)

    def _send(self, rate_pps: float, duration_s: float, latency_pps: float, before: Callable[[], None]) -> Trial:
        """Sends packets for a trial. `before` is called when the warm-up has arrived, before the packets that count."""
        if not (rate_pps > 0 and duration_s > 0):
            raise UsageError(f"A trial needs a rate and a duration above 0, not {rate_pps:g}/s for {duration_s:g} s.")
        if self.packets == "capture":
            return self._send_captures(rate_pps, duration_s, before)
        return self._send_streams(rate_pps, duration_s, latency_pps, before)

    # -- streams ------------------------------------------------------------------------------------------------------

    def _send_streams(
        self, rate_pps: float, duration_s: float, latency_pps: float, before: Callable[[], None]
    ) -> Trial:
        pace = rate_pps - latency_pps
        warm_s = self._warm_s(pace)
        if warm_s > 0:
            self._load(pace, warm_s, 0.0, 0.0)
            self._go(lambda: self.trex.start(self.ports, warm_s + GUARD_S), warm_s)
            self.trex.stop()
        counts = self._load(pace, duration_s, warm_s, latency_pps)
        self.trex.clear()
        before()
        elapsed_s = self._go(lambda: self.trex.start(self.ports, duration_s + GUARD_S), duration_s)
        stats = self.trex.stats()
        self.trex.stop()
        rates = {port: packets / duration_s for port, packets in counts.items()}
        missing = "" if latency_pps else "there was no stream that measures latency"
        return self._judge(stats, rates, rate_pps, duration_s, elapsed_s, missing)

    def _warm_s(self, pps: float) -> float:
        """Seconds of warm-up with streams. TRex sends all profiles but those of voice from lists of packets, and then
        the warm-up has at most MOST_WARM packets.
        """
        return self.warmup_s if is_voice(self.profile) else min(self.warmup_s, MOST_WARM / pps)

    def _load(self, pps: float, duration_s: float, start_s: float, latency_pps: float) -> dict[int, int]:
        """Loads the profile's packets from `start_s` of sending on. Returns the number that each port is to send."""
        tunables = {
            "profile": self.profile_path.resolve(),
            "flows": self.flows,
            "seed": self.seed,
            **self._pace(pps, duration_s, start_s),
            "latency-pps": repr(latency_pps),
            "engine": engine_program(self.build),
        }
        program = streams_for(self.profile)
        assert program is not None
        with scratch() as folder:
            if tunnels := self.tunnel_path.as_job():
                path = tunables["tunnels"] = Path(folder) / "tunnels.json"
                path.write_text(json.dumps(tunnels))
            return {port: self.trex.load(port, program, tunables) for port in self.ports}

    def _pace(self, pps: float, duration_s: float, start_s: float) -> dict[str, object]:
        """Rate, duration and start as arguments of the profile's program."""
        if not is_voice(self.profile):
            return {"pps": repr(pps), "duration": repr(duration_s), "skip": round(start_s * pps)}
        speed = pps / self.natural_pps()
        return {"speed": repr(speed), "duration": repr(duration_s), "start": repr(start_s * speed)}

    def natural_pps(self) -> float:
        """The packets a second and direction that all flows send at the profile's own speed."""
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

    def _send_captures(self, rate_pps: float, duration_s: float, before: Callable[[], None]) -> Trial:
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
            before()
            elapsed_s = self._go(lambda: self._push(folder, "counted", gap_us), duration_s)
        stats = self.trex.stats()
        rates = dict.fromkeys(self.ports, counted / duration_s)
        return self._judge(
            stats, rates, rate_pps, duration_s, elapsed_s, "TRex measures no latency of packets from a capture"
        )

    def _render(self, output: Path, reverse: bool) -> dict[str, Any]:
        profile = copy.deepcopy(self.profile)
        job = {"profile": profile, "flows": self.flows, "seed": self.seed, "reverse": reverse, "output": str(output)}
        return job | self.tunnel_path.as_job()

    def _push(self, folder: Path, which: str, gap_us: float) -> None:
        self.trex.push({port: folder / f"{which}-{port}.pcap" for port in self.ports}, gap_us)

    def _expected(self, port: int, rate_pps: float, duration_s: float) -> list[bytes]:
        """The IP packets that count in a trial without latency, as they must arrive, from the engine."""
        streams, voice = self.packets == "streams", is_voice(self.profile)
        with scratch() as name:
            whole = Path(name) / "expected.pcap"
            job = self._render(whole, port == 1) | {"frames": "ethernet", "end": "arrived"}
            warm_s = self._warm_s(rate_pps) if streams else self.warmup_s
            skip, first_us = round(rate_pps * warm_s), 0
            if streams and voice:
                speed = rate_pps / self.natural_pps()
                first_us, skip = round(self.warmup_s * speed * 1e6), 0
                job["duration_s"] = (self.warmup_s + duration_s) * speed
            else:
                job["packets"] = skip + max(1, round(rate_pps * duration_s))
            for variant in job["profile"]["variants"] if streams else ():
                variant["payload"]["content"] = "pattern"
            engine.run("render", job, build=self.build)
            packets = [ip_packet(frame) for at_us, frame in records(read(whole)) if at_us >= first_us]
        return packets[skip:]

    # -- both ---------------------------------------------------------------------------------------------------------

    def _go(self, start: Callable[[], None], duration_s: float) -> float:
        """Starts, waits until all packets are sent and had time to arrive. Returns the seconds that sending took.

        A sender that has fallen behind is stopped after a while: TRex does not report it, and goes on.
        """
        start()
        began = time.monotonic()
        self.trex.sleep(duration_s - 0.05)
        finished = self.trex.wait(0.05 + PATIENCE_S)
        # Up to 10 ms pass between two looks at a sender that keeps up, and RPCs take as long on a busy machine.
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
        directions = [
            direction_of(stats, sender, receiver, rates[sender], elapsed_s, latency_missing)
            for sender, receiver in pairs
        ]
        if any(direction.sent == 0 for direction in directions):
            raise TrexFailure(f"TRex sent nothing in a trial of {duration_s:g} s at {rate_pps:g} packets/s.")
        notes = tuple(self.trex.notes + self.trex.warnings())
        reverse = directions[1] if len(directions) > 1 else None
        return Trial(self.name, self.trex.version, rate_pps, duration_s, directions[0], reverse, notes, dict(stats))


def _with(counted: Direction, caught: ArrivalComparison) -> Direction:
    """A direction that TRex has counted, with the result of a comparison."""
    lost = max(0, counted.sent - caught.equal)
    received = caught.equal + len(caught.others)
    return replace(counted, compared=True, received=received, lost=lost, unexpected=len(caught.others))


@dataclass
class EmbeddedGenerator:
    """Drives `headroom-engine generate`, which compares every arrival with the sent packet.

    `ports` are the job's ports; `run` carries a job out at the generator's place, and returns its document. `common`
    are further keys of the job (eal, core, order, idle).
    """

    ports: Sequence[Mapping[str, Any]]
    profile: dict[str, Any]
    flows: int = 100
    seed: int = 1
    directions: Directions = "both"
    warmup_s: float = 0.5
    drain_s: float = 0.5
    common: Mapping[str, Any] = field(default_factory=dict)
    run: Execute = engine.run
    bridged: bool = False  # True if packets of bridges are to be left out
    name: str = field(default="embedded", init=False)

    def trial(self, rate_pps: float, duration_s: float) -> Trial:
        document = self.run("generate", self.job(rate_pps, duration_s))
        if not document["complete"]:
            raise HeadroomError("The embedded generator was stopped before its time was up.")
        directions = {name: embedded_direction(document[name]) for name in ("forward", "reverse") if document.get(name)}
        notes = []
        for name, direction in directions.items() if self.bridged else ():
            if strays := strays_in(document[name]):
                directions[name] = replace(direction, unexpected=direction.unexpected - strays)
                notes.append(f"{name}: {strays} packets of neighbour discovery, which bridges send, are not counted.")
        version = str((document.get("engine") or {}).get("version", ""))
        reverse = directions.get("reverse")
        return Trial(
            self.name, version, rate_pps, duration_s, directions["forward"], reverse, tuple(notes), dict(document)
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


def embedded_direction(document: Mapping[str, Any]) -> Direction:
    """A direction from the engine's document."""
    latency = document.get("latency_ns")
    return Direction(
        requested_pps=float(document["requested_pps"]),
        achieved_pps=float(document["achieved_pps"] or 0.0),  # null if it sent fewer than two packets
        sent=int(document["sent"]),
        received=int(document["received"]),
        octets_sent=int(document["octets_sent"]),
        lost=int(document["lost"]),
        unexpected=int(document["unexpected"]) + int(document.get("duplicated", 0)),
        fell_behind=bool(document["fell_behind"]),
        compared=True,
        latency=embedded_latency(latency) if latency and latency.get("count") else None,
        latency_missing="" if latency and latency.get("count") else "no packet has arrived",
    )


def embedded_latency(document: Mapping[str, Any]) -> Latency:
    buckets = tuple((float(edge), int(count)) for edge, count in document.get("buckets", []))
    return Latency(
        int(document["count"]),
        document.get("average"),
        document.get("jitter"),
        document.get("min"),
        document.get("max"),
        buckets,
    )
