# SPDX-License-Identifier: Apache-2.0
"""ROHC over ULE before the judge: the units that it reads from the TS packets of a replay with a carrier."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path

from headroom.core import replay
from headroom.core.captures import engine_pcapng
from headroom.core.replay import Replay, ReplayConfig
from headroom.schemes.ule.judge.receiver import TEST_SNDU, Receiver

ETHER_TYPE = 0x22F1  # of ROHC
WHOLE_FRAME = 0x6558  # the type of a bridged frame that the judge leaves whole
MAC_HEADER = 14
FORWARD = 0  # interface of the engine's captures; feedback is on the other one


def run(config: ReplayConfig) -> tuple[Replay, list[bytes]]:
    """A replay with records, and the TS packets that were sent."""
    with tempfile.TemporaryDirectory() as folder:
        link = Path(folder) / "link.pcapng"
        result = replay.run(replace(config, records="all", record_octets=True, outputs={"link": link}))
        return result, [packet.octets for packet in engine_pcapng.read(link) if packet.interface == FORWARD]


def read_by_the_judge(result: Replay, packets: list[bytes]) -> list[str]:
    """Sentences about ROHC packets that the judge does not read from the TS packets as they were sent."""
    assert result.config.carrier is not None
    judge = Receiver(bridged=bool(result.config.carrier.config.channel.get("bridged")))
    units = [unit for packet in packets for unit in judge.take(packet)]
    header = MAC_HEADER if result.config.carrier.ethernet else 0
    type_of_units = WHOLE_FRAME if result.config.carrier.ethernet else ETHER_TYPE
    # An encapsulator may send Test SNDUs: receivers "MUST then discard any Test SNDUs" (RFC 4326, 5.1).
    events = {event: count for event, count in judge.events.items() if event != TEST_SNDU}
    wrong = [f"The judge notes {count} times: {event}." for event, count in events.items()]
    if types := {unit.type for unit in units} - {type_of_units}:
        wrong.append(f"The judge reads units of other types: {sorted(types)}.")
    sent = [record["link"] for record in result.records if "link" in record]
    read = [unit.octets[header:].hex() for unit in units]
    # Link packets of several channels are on several PIDs, which the multiplex may order otherwise.
    if sorted(read) != sorted(sent):
        wrong.append(f"The judge reads {len(set(read) & set(sent))} of {len(sent)} ROHC packets.")
    return wrong
