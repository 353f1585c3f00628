# SPDX-License-Identifier: Apache-2.0
"""Replays: packets through compressor, link and decompressor, compared with the source.

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

# Impairments that may harm packets; a constant delay does not.
HARMFUL = (
    *("loss", "burst_loss", "ber", "reorder", "duplicate", "jitter_ns", "drop", "flip", "insert"),
    *("queue_octets", "queue_packets"),
)

Packets = list[dict[str, Any]]


@dataclass
class Carrier:
    """Another scheme that carries the link packets of a replay. Only scheme, implementations, their options and the
    channel count of `config` are used; its decompressor is left out if the replay ends at the link. `type`: the
    Ethernet type of the packets that it carries, None for that of the inner scheme; `ethernet`: it carries whole frames
    of that type.
    """

    config: ReplayConfig
    type: int | None = None
    ethernet: bool = False


@dataclass
class ReplayConfig:
    """The configuration of a replay. A replay with a `compressor` of None begins at the link; one with a `decompressor`
    of None ends there.
    """

    scheme: str
    compressor: Implementation | None = None
    decompressor: Implementation | None = None
    source: str | Packets = ""  # a traffic profile, a capture, or literal packets {time_ns, channel, hex}
    flows: int = 1
    packets: int | None = 1000
    duration_s: float | None = None
    seed: int = 1
    burst: int = 1
    channel: dict[str, Any] = field(default_factory=dict)  # configuration of both sides, in the scheme's terms
    # True if the case chose the channel's profiles, False if both sides only have them in common.
    profiles_named: bool = True
    # The implementation's own options, as it documents them.
    compressor_options: dict[str, Any] = field(default_factory=dict)
    decompressor_options: dict[str, Any] = field(default_factory=dict)
    forward: dict[str, Any] = field(default_factory=dict)  # impairments of the link
    feedback: dict[str, Any] = field(default_factory=dict)  # "path", and impairments of the reverse direction
    backward: dict[str, Any] = field(default_factory=dict)  # impairments of the reverse channel's link
    reverse: bool = False
    # Sender of the link packets of a capture: a MAC address, sent or received; "": that of the first packet.
    sender: str = ""
    encapsulation: str = ""  # frames in the capture of the link: ethernet or ppp; "" is the default of the scheme
    carrier: Carrier | None = None
    control: list[dict[str, Any]] = field(default_factory=list)
    outputs: dict[str, Path] = field(default_factory=dict)
    records: str = "none"
    record_octets: bool = True
    expected: Packets | str | None = None  # without a compressor: the expected output, as packets or as a capture
    timing: bool = False  # True if calls are timed
    build: str = DEFAULT_BUILD
    timeout_s: float = 120.0

    @property
    def sides(self) -> list[tuple[Role, Implementation]]:
        """The implementations of the replay, each with its role."""
        roles: tuple[Role, ...] = ("compressor", "decompressor")
        return [(role, implementation) for role in roles if (implementation := getattr(self, role)) is not None]

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
        """The promise of the ABI that an adapter broke, as a sentence; "" if it kept them all."""
        broken = self.document.get("promise_broken")
        if not broken:
            return ""
        where = "" if broken["packet"] is None else f" ({nth('packet', broken['packet'])})"
        return f"the {broken['side']} broke a promise of the ABI in {broken['function']}{where}: {broken['message']}"

    def direction(self, reverse: bool = False) -> dict[str, Any]:
        return self.document["reverse" if reverse else "forward"]

    def count(self, verdict: str) -> int:
        """The number of packets of the forward direction with a verdict: identical, mismatched, not_delivered,
        lost_on_link …
        """
        return int(self.direction()["verdicts"].get(verdict, 0))

    @property
    def sent(self) -> int:
        return int(self.direction()["source"]["packets"])

    @property
    def differing(self) -> int:
        """The number of packets that came out changed, or though no packet was expected; both directions. What came
        out besides counts where it is known what has to come out, unless the link inserts packets."""
        sides = [(self.document[side], link) for side, link in self._links().items() if side in self.document]
        wrong = sum(int(side["verdicts"].get(name, 0)) for side, _ in sides for name in ("mismatched", "unexpected"))
        if self.config.compressor is None and self.config.expected is None:
            return wrong
        return wrong + sum(
            int(side.get("inserted", {}).get("delivered", 0)) for side, link in sides if not link.get("insert")
        )

    def _links(self) -> dict[str, dict[str, Any]]:
        return {"forward": self.config.forward, "reverse": self.config.backward}

    @property
    def packet_types(self) -> dict[str, int]:
        """The packets on the link by type, as the compressor names them."""
        counted = self.direction().get("compressor", {}).get("packet_types", {})
        return {name: int(entry["packets"]) for name, entry in counted.items()}

    @property
    def header_length(self) -> dict[str, Any]:
        """The mean, min, max and histogram of the compressed header, octets."""
        return self.direction()["compressor"]["header_length"] or {}

    @property
    def records(self) -> list[dict[str, Any]]:
        return self.document.get("records", [])

    @property
    def besides(self) -> list[dict[str, Any]]:
        """The records of what arrived, or came out, and belongs to no packet of the forward direction."""
        return [record for record in self.records if record.get("inserted") and record["direction"] == "forward"]

    @property
    def sent_besides(self) -> list[dict[str, Any]]:
        """The records of what the compressor sent in the forward direction and no packet of the source became."""
        return [record for record in self.records if record.get("besides") and record["direction"] == "forward"]

    @property
    def without_room(self) -> int:
        """The number of packets for which the decompressor had no room in its buffer."""
        return int(self.direction().get("decompressor", {}).get("statuses", {}).get("ERR_NO_SPACE", 0))

    def failures(self, explained: int = 0) -> list[str]:
        """Sentences about errors that no replay should show; empty if there are none. `explained` counts packets that
        did not come out because of a limit of the run itself.
        """
        sentences = []
        if self.promise_broken:
            sentences.append(f"A promise was broken: {self.promise_broken}")
        if self.differing:
            sentences.append(
                f"{self.differing} packets came out different from what went in: {self.first_difference()}."
            )
        missing = max(0, self.count("not_delivered") - explained)
        if missing and self.config.compressor and self.config.decompressor and not is_impaired(self.config):
            reasons = self.direction()["verdicts"].get("not_delivered_by_status", {})
            by_status = ", ".join(f"{count} {status}" for status, count in reasons.items())
            sentences.append(
                f"{missing} of {self.sent} packets did not come out, though the link does nothing to them"
                f"{f' ({by_status})' if by_status else ''}."
            )
        return sentences

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
        sentences = [f"Left out of the capture: {', '.join(reasons)}."] if reasons else []
        if number := counts.get("without_length"):
            sentences.append(
                f"Packets of the capture with the length 0 (segmentation offload), now that of the frame: {number}."
            )
        return sentences

    def nothing_came_out(self) -> str:
        """A sentence if packets reached the decompressor and it delivered none of them; "" otherwise."""
        missing = self.count("not_delivered")
        if not missing or missing < self.sent - self.count("lost_on_link") - self.count("not_compressed"):
            return ""
        return f"No packet came out: none of the {missing} packets that reached the decompressor."

    def first_difference(self) -> str:
        """A sentence about the first packet that came out different; "" if there is none."""
        for side in ("forward", "reverse"):
            for mismatch in self.document.get(side, {}).get("mismatch_list", ()):
                where = mismatch["first_difference"]
                which = "an inserted packet" if mismatch["packet"] is None else nth("packet", mismatch["packet"])
                return (
                    f"{which} came out different from octet {where} on: expected "
                    f"{_around(mismatch['expected'], where)}, got {_around(mismatch['got'], where)}"
                )
        return ""

    def summary(self) -> list[tuple[str, Any]]:
        """The rows of a table of results."""
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
    """A few octets of a hex dump, with one octet marked."""
    octets = [text[index : index + 2] for index in range(0, len(text), 2)]
    first = max(0, octet - 4)
    shown = [f"[{value}]" if index == octet else value for index, value in enumerate(octets[first : octet + 8], first)]
    return ("… " if first else "") + " ".join(shown) + (" …" if octet + 8 < len(octets) else "")


def side(implementation: Implementation, role: Role, config: ReplayConfig) -> dict[str, Any]:
    """The adapter of one side with its configuration, as a job has it. An adapter that copies does so in any scheme."""
    if not implementation.declared(config.scheme) and implementation.declared(COPY):
        return adapter(implementation, config.build, {"scheme": COPY})
    options = config.compressor_options if role == "compressor" else config.decompressor_options
    configuration = {"scheme": config.scheme, **config.channel, "seed": config.seed}
    if has_feedback(config) is False:
        configuration["feedback"] = False
    return adapter(implementation, config.build, configuration, options)


def is_impaired(config: ReplayConfig) -> bool:
    """True if any part of the link is configured to harm packets."""
    return any(part.get(name) for part in (config.forward, config.feedback, config.backward) for name in HARMFUL)


def has_feedback(config: ReplayConfig) -> bool:
    """True if the decompressor has a way back to the compressor."""
    return feedback_path(config) != "none"


def feedback_path(config: ReplayConfig) -> str:
    """The path of feedback: as configured, or a channel of its own unless the mode is unidirectional."""
    default = "none" if config.channel.get("mode", "U") == "U" else "own"
    return str(config.feedback.get("path", default))


def _carrier(carrier: Carrier, config: ReplayConfig) -> dict[str, Any]:
    """The carrier of a job."""
    its = replace(carrier.config, seed=config.seed, build=config.build)
    result: dict[str, Any] = {"ethernet": carrier.ethernet}
    if carrier.type is not None:
        result["type"] = carrier.type
    for role, implementation in its.sides:
        if role == "compressor" or config.decompressor:
            result[role] = side(implementation, role, its)
    return result


def source(config: ReplayConfig) -> dict[str, Any]:
    """The source of a job. Raises UsageError if the profile or capture does not exist."""
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
    result: dict[str, Any] = {"source": source(config), "seed": config.seed, "burst": config.burst}
    if config.compressor:
        result["compressor"] = side(config.compressor, "compressor", config)
    if config.decompressor:
        result["decompressor"] = side(config.decompressor, "decompressor", config)
    if isinstance(config.expected, str):
        result["expected"] = {"capture": str(Path(config.expected).resolve())}
    elif config.expected is not None:
        result["expected"] = {"packets": config.expected}
    if config.carrier:
        result["carrier"] = _carrier(config.carrier, config)
    link: dict[str, Any] = {}
    if config.encapsulation:
        link["encapsulation"] = config.encapsulation
    if config.forward:
        link["forward"] = config.forward
    if config.compressor and config.decompressor:
        link["feedback"] = {**config.feedback, "path": feedback_path(config)}
    if config.reverse:
        result["reverse"] = True
        if config.backward:
            link["reverse"] = config.backward
    result["link"] = link
    if config.control:
        result["control"] = config.control
    if config.outputs:
        result["outputs"] = {name: str(path) for name, path in config.outputs.items()}
    if config.records != "none":
        result["records"] = config.records
        result["record_octets"] = config.record_octets
    if config.timing:
        result["timing"] = True
    return result


def run(config: ReplayConfig) -> Replay:
    """Runs a replay. Raises EngineFailure if an adapter does not load, crashes or hangs."""
    engine_job = job(config)
    if "profile" not in engine_job["source"]:
        return Replay(config, engine.run("replay", engine_job, config.timeout_s, config.build))
    with profiles.located_by_line(str(config.source), "/source/profile"):
        return Replay(config, engine.run("replay", engine_job, config.timeout_s, config.build))


def run_many(configs: Iterable[ReplayConfig]) -> Iterator[Replay]:
    """Runs replays, as many at a time as there are CPUs, in order; only those of one time are in memory at once. The
    first of a batch gives build and time limit. Raises EngineFailure as `run` does.
    """
    waiting = iter(configs)
    while batch := list(itertools.islice(waiting, len(os.sched_getaffinity(0)))):
        jobs = [job(config) for config in batch]
        yield from map(Replay, batch, engine.run_together("replay", jobs, batch[0].timeout_s, batch[0].build))


def parts_of(record: dict[str, Any]) -> list[dict[str, Any]]:
    """The entries of a record about each link packet of its packet (`link`, `fate`, `flipped` …): one, or all its
    segments; [] if nothing was put on the link.
    """
    return record.get("segments") or ([record] if "link" in record else [])


def arrivals_of(record: dict[str, Any]) -> list[tuple[dict[str, Any], dict[str, Any]]]:
    """The output of the link, in order: the record's entry about a link packet, and about one arrival of it. A link
    packet may have several arrivals; segments have one each.
    """
    delivered = [part for part in parts_of(record) if part.get("fate") == "delivered"]
    arrivals = record.get("decompressor", ())
    if "segments" in record:
        return list(zip(delivered, arrivals, strict=False))
    return [(part, arrival) for part in delivered for arrival in arrivals]


def has_arrived(record: dict[str, Any]) -> bool:
    """True if the link delivered all of a packet, even damaged."""
    parts = parts_of(record)
    return bool(parts) and all(part.get("fate") == "delivered" for part in parts)
