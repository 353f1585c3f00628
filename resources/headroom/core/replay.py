# SPDX-License-Identifier: Apache-2.0
"""Replays: packets through compressor, link and decompressor, compared with what went in.

The job and the document are the engine's `replay`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from headroom.core import engine, profiles
from headroom.core.capabilities import adapter
from headroom.core.declarations import CAPTURES
from headroom.core.errors import UsageError
from headroom.core.implementations import Implementation, Role
from headroom.core.paths import DEFAULT_BUILD

# What an impairment may do to packets; a constant delay does nothing.
HARMFUL = ("loss", "burst_loss", "ber", "reorder", "duplicate", "jitter_ns", "drop", "flip", "insert", "queue_octets")

Packets = list[dict[str, Any]]


@dataclass
class ReplayConfig:
    """What to replay. `compressor` or `decompressor` may be None: the run then begins, or ends, at the link."""

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
    profiles_asked: bool = True  # whether the channel's profiles are those of the case, or just what both sides have
    compressor_options: dict[str, Any] = field(default_factory=dict)  # what an implementation documents for itself
    decompressor_options: dict[str, Any] = field(default_factory=dict)
    forward: dict[str, Any] = field(default_factory=dict)  # impairments of the link
    feedback: dict[str, Any] = field(default_factory=dict)  # "path", and impairments of the way back
    backward: dict[str, Any] = field(default_factory=dict)  # impairments of the reverse channel's link
    reverse: bool = False
    encapsulation: str = "ethernet"  # of link packets in the capture of the link: ethernet or ppp (RFC 3241)
    control: list[dict[str, Any]] = field(default_factory=list)
    outputs: dict[str, Path] = field(default_factory=dict)
    records: str = "none"
    record_octets: bool = True
    expected: Packets | str | None = None  # without a compressor: what must come out, as packets or as a capture
    timing: bool = False  # whether calls are timed
    build: str = DEFAULT_BUILD
    timeout_s: float = 120.0


@dataclass(frozen=True)
class Replay:
    """What the engine said."""

    wanted: ReplayConfig
    document: dict[str, Any]

    @property
    def promise_broken(self) -> str:
        """The promise of the ABI that an adapter broke, as a sentence; "" when it kept them all."""
        broken = self.document.get("promise_broken")
        if not broken:
            return ""
        return (
            f"the {broken['side']} broke a promise of the ABI in {broken['function']} (packet "
            f"{broken['packet']}): {broken['message']}"
        )

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

    def failures(self) -> list[str]:
        """Sentences about what no replay should show; empty when there is nothing wrong."""
        found = []
        if self.promise_broken:
            found.append(f"A promise was broken: {self.promise_broken}")
        if self.differing:
            found.append(f"{self.differing} packets came out different from what went in: {self.first_difference()}.")
        missing = self.count("not_delivered")
        if missing and self.wanted.compressor and self.wanted.decompressor and not impaired(self.wanted):
            reasons = self.direction()["verdicts"].get("not_delivered_by_status", {})
            by_status = ", ".join(f"{count} {status}" for status, count in reasons.items())
            found.append(
                f"{missing} of {self.sent} packets did not come out, though the link does nothing to them"
                f"{f' ({by_status})' if by_status else ''}."
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
                return (
                    f"packet {found['packet']} came out different from octet {where} on: expected "
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
        bandwidth = forward["link"].get("bandwidth_bps")
        if bandwidth:
            rows.append(("bandwidth on the link, bit/s", round(bandwidth)))
        return rows


def _around(text: str, octet: int) -> str:
    """A few octets of a hex dump around one of them, that one marked."""
    octets = [text[index : index + 2] for index in range(0, len(text), 2)]
    first = max(0, octet - 4)
    shown = [f"[{value}]" if index == octet else value for index, value in enumerate(octets[first : octet + 8], first)]
    return ("… " if first else "") + " ".join(shown) + (" …" if octet + 8 < len(octets) else "")


def side(found: Implementation, role: Role, wanted: ReplayConfig) -> dict[str, Any]:
    """The adapter of one side with its configuration, as a job has it."""
    options = wanted.compressor_options if role == "compressor" else wanted.decompressor_options
    config = {"scheme": wanted.scheme, **wanted.channel, "seed": wanted.seed}
    if has_feedback(wanted) is False:
        config["feedback"] = False
    return adapter(found, wanted.build, config, options)


def impaired(wanted: ReplayConfig) -> bool:
    """Whether any part of the link is asked to harm packets."""
    return any(part.get(name) for part in (wanted.forward, wanted.feedback, wanted.backward) for name in HARMFUL)


def has_feedback(wanted: ReplayConfig) -> bool:
    """Whether the decompressor has a way back to the compressor."""
    return feedback_path(wanted) != "none"


def feedback_path(wanted: ReplayConfig) -> str:
    """The path of feedback: as asked for; else a channel of its own unless the mode is unidirectional."""
    default = "none" if wanted.channel.get("mode", "U") == "U" else "own"
    return str(wanted.feedback.get("path", default))


def source(wanted: ReplayConfig) -> dict[str, Any]:
    """The source of a job. Raises UsageError when the profile or capture does not exist."""
    if not isinstance(wanted.source, str):
        return {"packets": wanted.source}
    if wanted.source.endswith(CAPTURES):
        path = Path(wanted.source)
        if not path.is_file():
            raise UsageError(f"There is no capture {wanted.source}.")
        return {"capture": str(path.resolve())}
    chosen: dict[str, Any] = {"profile": profiles.load(wanted.source), "flows": wanted.flows}
    if wanted.duration_s is not None:
        chosen["duration_s"] = wanted.duration_s
    else:
        chosen["packets"] = wanted.packets
    return chosen


def job(wanted: ReplayConfig) -> dict[str, Any]:
    """The engine's job."""
    made: dict[str, Any] = {"source": source(wanted), "seed": wanted.seed, "burst": wanted.burst}
    if wanted.compressor:
        made["compressor"] = side(wanted.compressor, "compressor", wanted)
    if wanted.decompressor:
        made["decompressor"] = side(wanted.decompressor, "decompressor", wanted)
    if isinstance(wanted.expected, str):
        made["expected"] = {"capture": str(Path(wanted.expected).resolve())}
    elif wanted.expected is not None:
        made["expected"] = {"packets": wanted.expected}
    link: dict[str, Any] = {}
    if wanted.encapsulation != "ethernet":
        link["encapsulation"] = wanted.encapsulation
    if wanted.forward:
        link["forward"] = wanted.forward
    if wanted.compressor and wanted.decompressor:
        link["feedback"] = {**wanted.feedback, "path": feedback_path(wanted)}
    if wanted.reverse:
        made["reverse"] = True
        if wanted.backward:
            link["reverse"] = wanted.backward
    made["link"] = link
    if wanted.control:
        made["control"] = wanted.control
    if wanted.outputs:
        made["outputs"] = {name: str(path) for name, path in wanted.outputs.items()}
    if wanted.records != "none":
        made["records"] = wanted.records
        made["record_octets"] = wanted.record_octets
    if wanted.timing:
        made["timing"] = True
    return made


def run(wanted: ReplayConfig) -> Replay:
    """Replays. Raises EngineFailure when an adapter does not load, crashes or hangs."""
    made = job(wanted)
    if "profile" not in made["source"]:
        return Replay(wanted, engine.run("replay", made, wanted.timeout_s, wanted.build))
    with profiles.told_by_line(str(wanted.source), "/source/profile"):
        return Replay(wanted, engine.run("replay", made, wanted.timeout_s, wanted.build))


def parts_of(record: dict[str, Any]) -> list[dict[str, Any]]:
    """What a record says of each link packet of its packet (`link`, `fate`, `flipped` …): one, or all its segments; []
    when nothing was put on the link."""
    return record.get("segments") or ([record] if "link" in record else [])


def arrivals_of(record: dict[str, Any]) -> list[tuple[dict[str, Any], dict[str, Any]]]:
    """What came out of the link, in order: what the record says of a link packet, and of one arrival of it. Of one link
    packet there may be several arrivals; segments have one each."""
    delivered = [part for part in parts_of(record) if part.get("fate") == "delivered"]
    said = record.get("decompressor", ())
    if "segments" in record:
        return list(zip(delivered, said, strict=False))
    return [(part, one) for part in delivered for one in said]


def arrives(record: dict[str, Any]) -> bool:
    """Whether all of a packet was delivered by the link, be it damaged."""
    parts = parts_of(record)
    return bool(parts) and all(part.get("fate") == "delivered" for part in parts)
