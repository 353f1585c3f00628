# SPDX-License-Identifier: Apache-2.0
"""Replays: packets through compressor, link and decompressor, compared with what went in.

The job and the document are the engine's `replay`.
"""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from headroom.core import engine, profiles
from headroom.core.capabilities import adapter
from headroom.core.declarations import CAPTURES
from headroom.core.errors import UsageError
from headroom.core.implementations import Implementation, Role
from headroom.core.paths import DEFAULT_BUILD
from headroom.core.text import nth
from headroom.core.workload import COPY

# What an impairment may do to packets; a constant delay does nothing.
HARMFUL = (
    *("loss", "burst_loss", "ber", "reorder", "duplicate", "jitter_ns", "drop", "flip", "insert"),
    *("queue_octets", "queue_packets"),
)

Packets = list[dict[str, Any]]


@dataclass
class Carrier:
    """Another scheme that carries the link packets of a replay. Of `config` only scheme, implementations, their options
    and the channel count; its decompressor is left out where the replay ends at the link. `type`: the Ethernet type of
    the packets that it carries, None for that of the inner scheme; `ethernet`: it carries whole frames of that type."""

    config: ReplayConfig
    type: int | None = None
    ethernet: bool = False


@dataclass
class ReplayConfig:
    """The configuration of a replay. A `compressor` or `decompressor` of None makes it begin, or end, at the link."""

    scheme: str
    compressor: Implementation | None = None
    decompressor: Implementation | None = None
    source: str | Packets = ""  # a traffic profile, a capture, or literal packets {time_ns, channel, hex}
    flows: int = 1
    packets: int | None = 1000
    duration_s: float | None = None
    seed: int = 1
    burst: int = 1
    channel: dict[str, Any] = field(default_factory=dict)  # configuration of both sides, in the scheme's words
    profiles_named: bool = True  # whether the channel's profiles are those of the case, or just what both sides have
    compressor_options: dict[str, Any] = field(default_factory=dict)  # what an implementation documents for itself
    decompressor_options: dict[str, Any] = field(default_factory=dict)
    forward: dict[str, Any] = field(default_factory=dict)  # impairments of the link
    feedback: dict[str, Any] = field(default_factory=dict)  # "path", and impairments of the way back
    backward: dict[str, Any] = field(default_factory=dict)  # impairments of the reverse channel's link
    reverse: bool = False
    sender: str = ""  # of the link packets of a capture: a MAC address, sent or received; "": that of the first one
    encapsulation: str = ""  # frames in the capture of the link: ethernet or ppp; "" is the default of the scheme
    carrier: Carrier | None = None
    control: list[dict[str, Any]] = field(default_factory=list)
    outputs: dict[str, Path] = field(default_factory=dict)
    records: str = "none"
    record_octets: bool = True
    expected: Packets | str | None = None  # without a compressor: what must come out, as packets or as a capture
    timing: bool = False  # whether calls are timed
    build: str = DEFAULT_BUILD
    timeout_s: float = 120.0

    @property
    def sides(self) -> list[tuple[Role, Implementation]]:
        """The implementations that there are, each with its role."""
        roles: tuple[Role, ...] = ("compressor", "decompressor")
        return [(role, found) for role in roles if (found := getattr(self, role)) is not None]

    def described(self) -> dict[str, Any]:
        """The replay as parameters of a record."""
        return {
            "kind": "replay",
            "source": self.source if isinstance(self.source, str) else f"{len(self.source)} literal packets",
            "channel": self.channel,
            "link": self.forward,
            "feedback": feedback_path(self),
            "flows": self.flows,
            **(
                {"carrier": {"scheme": self.carrier.config.scheme, **self.carrier.config.channel}}
                if self.carrier
                else {}
            ),
        }


@dataclass(frozen=True)
class Replay:
    """The engine's results."""

    config: ReplayConfig
    document: dict[str, Any]

    @property
    def promise_broken(self) -> str:
        """The promise of the ABI that an adapter broke, as a sentence; "" when it kept them all."""
        broken = self.document.get("promise_broken")
        if not broken:
            return ""
        where = "" if broken["packet"] is None else f" ({nth('packet', broken['packet'])})"
        return f"the {broken['side']} broke a promise of the ABI in {broken['function']}{where}: {broken['message']}"

    def direction(self, reverse: bool = False) -> dict[str, Any]:
        return self.document["reverse" if reverse else "forward"]

    def count(self, verdict: str) -> int:
        """Packets of the forward direction with a verdict: identical, mismatched, not_delivered, lost_on_link …"""
        return int(self.direction()["verdicts"].get(verdict, 0))

    @property
    def sent(self) -> int:
        return int(self.direction()["source"]["packets"])

    @property
    def differing(self) -> int:
        """Packets that came out other than they went in, or though nothing was to come out; both directions."""
        names = ("mismatched", "unexpected")
        return sum(
            int(self.document[side]["verdicts"].get(name, 0))
            for side in ("forward", "reverse")
            if side in self.document
            for name in names
        )

    @property
    def packet_types(self) -> dict[str, int]:
        """Packets on the link by type, as the compressor names them."""
        counted = self.direction().get("compressor", {}).get("packet_types", {})
        return {name: int(entry["packets"]) for name, entry in counted.items()}

    @property
    def header_length(self) -> dict[str, Any]:
        """Mean, min, max and histogram of the compressed header, octets."""
        return self.direction()["compressor"]["header_length"] or {}

    @property
    def records(self) -> list[dict[str, Any]]:
        return self.document.get("records", [])

    @property
    def without_room(self) -> int:
        """Packets for which the decompressor had no room in the buffer that it was given."""
        return int(self.direction().get("decompressor", {}).get("statuses", {}).get("ERR_NO_SPACE", 0))

    def failures(self, explained: int = 0) -> list[str]:
        """Sentences about what no replay should show; empty when there is nothing wrong. `explained` counts packets
        that did not come out because of a limit of the run itself."""
        found = []
        if self.promise_broken:
            found.append(f"A promise was broken: {self.promise_broken}")
        if self.differing:
            found.append(f"{self.differing} packets came out different from what went in: {self.first_difference()}.")
        missing = max(0, self.count("not_delivered") - explained)
        if missing and self.config.compressor and self.config.decompressor and not impaired(self.config):
            reasons = self.direction()["verdicts"].get("not_delivered_by_status", {})
            by_status = ", ".join(f"{count} {status}" for status, count in reasons.items())
            found.append(
                f"{missing} of {self.sent} packets did not come out, though the link does nothing to them"
                f"{f' ({by_status})' if by_status else ''}."
            )
        return found

    def remarks_on_capture(self) -> list[str]:
        """Sentences about packets of the source, a capture, that were left out or changed."""
        counts = self.direction()["source"].get("capture", {})
        left_out = {
            "something_else": "frames that carry something else",
            "cut_short": "frames that were cut short",
            "too_long": "packets of more than 65,535 octets",
            "other_sender": "link packets of another sender (choose one: sender=ADDRESS, sent or received)",
        }
        reasons = [f"{counts[name]} {text}" for name, text in left_out.items() if counts.get(name)]
        found = [f"Left out of the capture: {', '.join(reasons)}."] if reasons else []
        if number := counts.get("without_length"):
            found.append(
                f"Packets of the capture with the length 0 (segmentation offload), now that of the frame: {number}."
            )
        return found

    def nothing_came_out(self) -> str:
        """A sentence when packets reached the decompressor and it delivered none of them; "" otherwise."""
        missing = self.count("not_delivered")
        if not missing or missing < self.sent - self.count("lost_on_link") - self.count("not_compressed"):
            return ""
        return f"Nothing came out: none of the {missing} packets that reached the decompressor."

    def first_difference(self) -> str:
        """A sentence about the first packet that came out different; "" when there is none."""
        for side in ("forward", "reverse"):
            for found in self.document.get(side, {}).get("mismatch_list", ()):
                where = found["first_difference"]
                which = "an inserted packet" if found["packet"] is None else nth("packet", found["packet"])
                return (
                    f"{which} came out different from octet {where} on: expected "
                    f"{_around(found['expected'], where)}, got {_around(found['got'], where)}"
                )
        return ""

    def summary(self) -> list[tuple[str, Any]]:
        """Rows for a table."""
        forward = self.direction()
        rows: list[tuple[str, Any]] = [("packets sent", self.sent)]
        rows += [
            (name.replace("_", " "), count)
            for name, count in forward["verdicts"].items()
            if isinstance(count, int) and count
        ]
        for title, key in (
            ("not delivered", "not_delivered_by_status"),
            ("not compressed", "not_compressed_by_status"),
        ):
            rows += [(f"{title}: {status}", count) for status, count in forward["verdicts"].get(key, {}).items()]
        if "compressor" in forward and self.header_length:
            rows += [(f"header octets, {name}", self.header_length[name]) for name in ("mean", "min", "max")]
            rows += [(f"type {name}", count) for name, count in self.packet_types.items()]
        link = forward["link"]
        if "carrier" in forward:
            rows += [
                (f"carried: {name.replace('_', ' ')}", n) for name, n in forward["carrier"]["packets"].items() if n
            ]
            link = forward["carrier"]["link"]
            rows.append(("link packets of the carrier", link["packets"]))
        if link.get("bandwidth_bps") and not link.get("slots"):
            rows.append(("bandwidth on the link, bit/s", round(link["bandwidth_bps"])))
        if link.get("slots"):
            rows.append(("slots with link packets", f"{link['slots']['carried']} of {link['slots']['sent']}"))
        return rows


def _around(text: str, octet: int) -> str:
    """A few octets of a hex dump around one of them, that one marked."""
    octets = [text[index : index + 2] for index in range(0, len(text), 2)]
    first = max(0, octet - 4)
    shown = [f"[{value}]" if index == octet else value for index, value in enumerate(octets[first : octet + 8], first)]
    return ("… " if first else "") + " ".join(shown) + (" …" if octet + 8 < len(octets) else "")


def side(found: Implementation, role: Role, config: ReplayConfig) -> dict[str, Any]:
    """The adapter of one side with its configuration, as a job has it. One that only copies does so in any scheme."""
    if not found.declared(config.scheme) and found.declared(COPY):
        return adapter(found, config.build, {"scheme": COPY})
    options = config.compressor_options if role == "compressor" else config.decompressor_options
    configuration = {"scheme": config.scheme, **config.channel, "seed": config.seed}
    if has_feedback(config) is False:
        configuration["feedback"] = False
    return adapter(found, config.build, configuration, options)


def impaired(config: ReplayConfig) -> bool:
    """Whether any part of the link is configured to harm packets."""
    return any(part.get(name) for part in (config.forward, config.feedback, config.backward) for name in HARMFUL)


def has_feedback(config: ReplayConfig) -> bool:
    """Whether the decompressor has a way back to the compressor."""
    return feedback_path(config) != "none"


def feedback_path(config: ReplayConfig) -> str:
    """The path of feedback: as configured; else a channel of its own unless the mode is unidirectional."""
    default = "none" if config.channel.get("mode", "U") == "U" else "own"
    return str(config.feedback.get("path", default))


def _carrier(carrier: Carrier, config: ReplayConfig) -> dict[str, Any]:
    """The carrier of a job."""
    its = replace(carrier.config, seed=config.seed, build=config.build)
    made: dict[str, Any] = {"ethernet": carrier.ethernet}
    if carrier.type is not None:
        made["type"] = carrier.type
    for role, found in its.sides:
        if role == "compressor" or config.decompressor:
            made[role] = side(found, role, its)
    return made


def source(config: ReplayConfig) -> dict[str, Any]:
    """The source of a job. Raises UsageError when the profile or capture does not exist."""
    if not isinstance(config.source, str):
        return {"packets": config.source}
    if config.source.endswith(CAPTURES):
        path = Path(config.source)
        if not path.is_file():
            raise UsageError(f"There is no capture {config.source}.")
        named: dict[str, Any] = {"capture": str(path.resolve())}
        if config.sender:
            named["direction" if config.sender in ("sent", "received") else "source_mac"] = config.sender
        return named
    chosen: dict[str, Any] = {"profile": profiles.load(config.source), "flows": config.flows}
    if config.duration_s is not None:
        chosen["duration_s"] = config.duration_s
    else:
        chosen["packets"] = config.packets
    return chosen


def job(config: ReplayConfig) -> dict[str, Any]:
    """The engine's job."""
    made: dict[str, Any] = {"source": source(config), "seed": config.seed, "burst": config.burst}
    if config.compressor:
        made["compressor"] = side(config.compressor, "compressor", config)
    if config.decompressor:
        made["decompressor"] = side(config.decompressor, "decompressor", config)
    if isinstance(config.expected, str):
        made["expected"] = {"capture": str(Path(config.expected).resolve())}
    elif config.expected is not None:
        made["expected"] = {"packets": config.expected}
    if config.carrier:
        made["carrier"] = _carrier(config.carrier, config)
    link: dict[str, Any] = {}
    if config.encapsulation:
        link["encapsulation"] = config.encapsulation
    if config.forward:
        link["forward"] = config.forward
    if config.compressor and config.decompressor:
        link["feedback"] = {**config.feedback, "path": feedback_path(config)}
    if config.reverse:
        made["reverse"] = True
        if config.backward:
            link["reverse"] = config.backward
    made["link"] = link
    if config.control:
        made["control"] = config.control
    if config.outputs:
        made["outputs"] = {name: str(path) for name, path in config.outputs.items()}
    if config.records != "none":
        made["records"] = config.records
        made["record_octets"] = config.record_octets
    if config.timing:
        made["timing"] = True
    return made


def run(config: ReplayConfig) -> Replay:
    """Replays. Raises EngineFailure when an adapter does not load, crashes or hangs."""
    made = job(config)
    if "profile" not in made["source"]:
        return Replay(config, engine.run("replay", made, config.timeout_s, config.build))
    with profiles.located_by_line(str(config.source), "/source/profile"):
        return Replay(config, engine.run("replay", made, config.timeout_s, config.build))


def run_many(configs: Iterable[ReplayConfig]) -> Iterator[Replay]:
    """Replays, as many at a time as there are CPUs, in order; only those of one time are in memory at once. Their build
    and time limit are those of the first of them. Raises EngineFailure as `run` does."""
    waiting = iter(configs)
    while batch := list(itertools.islice(waiting, len(os.sched_getaffinity(0)))):
        jobs = [job(one) for one in batch]
        yield from map(Replay, batch, engine.run_together("replay", jobs, batch[0].timeout_s, batch[0].build))


def parts_of(record: dict[str, Any]) -> list[dict[str, Any]]:
    """What a record says of each link packet of its packet (`link`, `fate`, `flipped` …): one, or all its segments; []
    when nothing was put on the link."""
    return record.get("segments") or ([record] if "link" in record else [])


def arrivals_of(record: dict[str, Any]) -> list[tuple[dict[str, Any], dict[str, Any]]]:
    """What came out of the link, in order: what the record says of a link packet, and of one arrival of it. Of one link
    packet there may be several arrivals; segments have one each."""
    delivered = [part for part in parts_of(record) if part.get("fate") == "delivered"]
    arrivals = record.get("decompressor", ())
    if "segments" in record:
        return list(zip(delivered, arrivals, strict=False))
    return [(part, one) for part in delivered for one in arrivals]


def arrives(record: dict[str, Any]) -> bool:
    """Whether all of a packet was delivered by the link, be it damaged."""
    parts = parts_of(record)
    return bool(parts) and all(part.get("fate") == "delivered" for part in parts)
