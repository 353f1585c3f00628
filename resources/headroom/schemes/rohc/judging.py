# SPDX-License-Identifier: Apache-2.0
"""Has a replay judged by the independent judges: the ROHC judge, which is made from the RFCs, and tshark.

A replay is deterministic, so it is repeated with the records that a judge needs.
"""

import tempfile
from dataclasses import dataclass, field, replace
from pathlib import Path

from headroom.core import replay
from headroom.core.captures import engine_pcapng
from headroom.core.captures.dissection import LinkPacket
from headroom.core.finding import Finding
from headroom.core.scheme_kit import second_reading
from headroom.core.text import nth
from headroom.schemes.rohc.channel_checkers import ChannelCheckers
from headroom.schemes.rohc.decode.dissector import RohcChannel
from headroom.schemes.rohc.decode.reading import ChannelHints
from headroom.schemes.rohc.judge import Parameters


@dataclass
class Judgement:
    """A judge's result; `restored` counts the packets that its own decompressor restored octet by octet."""

    packets: int
    restored: int
    findings: list[Finding] = field(default_factory=list)
    not_judged: list[str] = field(default_factory=list)


def second_judge(replayed: replay.Replay, window: int = 1, refresh_limit: int | None = None) -> Judgement:
    """The compressor's stream before the ROHC judge: every link packet with its original, and the feedback in between.

    `window` and `refresh_limit` are those of `headroom.schemes.rohc.judge.Checker`.
    """
    config = replace(replayed.config, records="all", record_octets=True)
    with tempfile.TemporaryDirectory(prefix="headroom-judge-") as folder:
        path = Path(folder) / "source.pcapng"
        again = replay.run(replace(config, outputs={"source": path}))
        originals = [packet.octets for packet in engine_pcapng.read(path) if packet.interface == 0]
    result = Judgement(0, 0)
    checkers = ChannelCheckers(again, window=window, refresh_limit=refresh_limit)
    for record in again.records:
        if "packet" not in record or record.get("direction") != "forward":
            continue
        checkers.take_besides(record["packet"])
        result.packets += checkers.take(record, originals[record["packet"]]) is not None
        if is_feedback_prompt(config):
            for element in record.get("feedback", ()):
                checkers.of(record["channel"]).take_feedback(feedback_data(bytes.fromhex(element)))
    checkers.take_besides(len(originals))
    result.findings, left_out = checkers.finish()
    result.restored = checkers.restored
    result.not_judged = [f"{nth('packet', packet)}: {each.sentence}" for packet, each in left_out]
    return result


def is_feedback_prompt(config: replay.ReplayConfig) -> bool:
    """True if all feedback reaches the compressor before its next packet, so that the judge may rely on it."""
    harmless = {"path"}
    return (
        replay.feedback_path(config) == "own"
        and not set(config.feedback) - harmless
        and "delay_ns" not in config.forward
    )


def feedback_data(element: bytes) -> bytes:
    """Feedback data of a feedback element: without its type octet and its size octet (RFC 5795, 5.2.4.1)."""
    return element[2:] if element and element[0] & 0x07 == 0 else element[1:]


def compare_with_tshark(result: replay.Replay) -> second_reading.LinkReading:
    """The link as tshark and as the ROHC judge read it, field by field."""
    again = replay.run(replace(result.config, records="all", record_octets=True))
    if any("segments" in record for record in again.records):
        return second_reading.LinkReading(differences=["packets went as segments, of which tshark shows no headers"])
    packets = [
        LinkPacket(bytes.fromhex(record["link"]), record["time_ns"])
        for record in again.records
        if "packet" in record and record.get("direction") == "forward" and "link" in record
    ]
    parameters = Parameters.of(result.config.channel)
    return second_reading.compare(RohcChannel(ChannelHints(parameters.large_cids), parameters.large_cids, ()), packets)
