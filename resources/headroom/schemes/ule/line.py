# SPDX-License-Identifier: Apache-2.0
"""Runs an encapsulator alone for the TS packets that it sends, or a receiver alone for the units that it passes on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

from headroom.core.captures import engine_pcapng
from headroom.core.implementations import Implementation
from headroom.core.replay import Replay, ReplayConfig
from headroom.core.scheme_kit import one_side
from headroom.schemes.ule.judge.encapsulator import Pdu, Setting
from headroom.schemes.ule.vectors import FIRST_PID, OWN, WHOLE_FRAME, Arrival

ETHERNET, MAC_HEADER = 1, 14  # LINKTYPE, and octets in front of a link packet in such a frame
LARGEST_UNIT = 33_000  # octets: more than the Length of an SNDU can say


@dataclass(frozen=True)
class Encapsulated:
    """PDUs that an encapsulator took, those that it refused, and the TS packets that it sent, each with the time at
    which it left, ns."""

    pdus: tuple[Pdu, ...]
    refused: tuple[bytes, ...]
    packets: tuple[tuple[int, bytes], ...]
    done: Replay


@dataclass(frozen=True)
class Received:
    """Units that came out of a receiver, in order, with their types, and its statistics."""

    units: tuple[bytes, ...]
    statistics: Mapping[str, Any]
    types: tuple[int, ...]


def setting_of(channel: Mapping[str, Any], npa: str = OWN) -> Setting:
    """The judge's view of an encapsulator's configuration."""
    same = {field.name for field in fields(Setting)} - {
        "packing",
        "address",
        "address_by_default",
        "npa",
        "mac",
        "subnets",
    }
    return Setting(
        packing=channel.get("packing", "packing") == "packing",
        address=channel.get("address", "present") == "present",
        address_by_default="address" not in channel,
        npa=bytes.fromhex(npa.replace(":", "")),
        subnets=tuple(channel.get("subnets", ())),
        **{key: channel[key] for key in same if key in channel},
    )


def encapsulate(config: ReplayConfig) -> Encapsulated:
    """Replays through the encapsulator of a configuration alone. Raises Misbehaviour if an
    adapter breaks a promise of the ABI."""
    result, (captured, on_the_link) = one_side.compress(config, "source", "link")
    packets = tuple((captured.time_ns, _link_packet(captured)) for captured in on_the_link)
    types = (
        [entry.get("type", 0) for entry in config.source] if isinstance(config.source, list) else [0] * len(captured)
    )
    pdus, refused = [], []
    for record, packet, type_ in zip(result.records, captured, types, strict=True):
        if record["verdict"] != "not_compressed":
            pdus.append(Pdu(_unit(packet, type_), record["time_ns"], record["channel"], type_))
        else:
            refused.append(_unit(packet, type_))
    return Encapsulated(tuple(pdus), tuple(refused), packets, result)


def _link_packet(packet: engine_pcapng.EnginePacket) -> bytes:
    return packet.octets[MAC_HEADER:] if packet.link_type == ETHERNET else packet.octets


def _unit(captured: engine_pcapng.EnginePacket, type_: int) -> bytes:
    """A packet of a type from a capture of what goes in or comes out: in a frame of Ethernet, unless it is one."""
    return captured.octets if type_ == WHOLE_FRAME else captured.octets[MAC_HEADER:]


def receive(
    implementation: Implementation,
    arrivals: Sequence[Arrival],
    channel: Mapping[str, Any],
    build: str,
    npa: str = OWN,
) -> Received:
    """Sends TS packets, a millisecond apart, through a receiver and returns its outcome. Raises Misbehaviour."""
    packets = [
        {"hex": arrival.octets.hex(), "channel": arrival.channel, "time_ns": number * 1_000_000}
        for number, arrival in enumerate(arrivals)
    ]
    channel = {"first_pid": FIRST_PID, "mrru": LARGEST_UNIT, **channel}
    result, came_out = one_side.decompress(
        "ule", implementation, packets, channel, build, {"npa": npa} if npa != OWN else {}
    )
    types = _types(result)
    units = tuple(_unit(packet, type_) for packet, type_ in zip(came_out, types, strict=True))
    return Received(units, result.direction()["decompressor"].get("statistics") or {}, types)


def _types(result: Replay) -> tuple[int, ...]:
    """Types of what came out, in order; 0 is the default."""
    outputs = [entry for record in result.records for entry in record.get("decompressor", [record])]
    came_out = sorted((output for output in outputs if output["status"] == "OK"), key=lambda entry: entry["time_ns"])
    return tuple(entry.get("out_type", 0) for entry in came_out)
