# SPDX-License-Identifier: Apache-2.0
"""Unidirectional Lightweight Encapsulation (RFC 4326) over MPEG-2 transport streams, as a scheme."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from headroom.core.contract import DecodeOption, Framing, Scheme
from headroom.core.options import boolean, split_names
from headroom.core.scheme_kit.parts import Parts
from headroom.schemes.ule import BBFRAMES, NAME
from headroom.schemes.ule.axes import AXES, LINKS
from headroom.schemes.ule.options import LARGEST_PDU, MOST_ROOM, REPLAY

if TYPE_CHECKING:
    from headroom.core.papers.measured import MeasuredPaper
    from headroom.core.replay import Replay
    from headroom.core.replay_options import ReplayWords

OWN_ADDRESS = "02:00:00:00:00:01"  # of the reference as a receiver, unless its options say otherwise


def _pid(text: str) -> int:
    """A PID as a number, or as it is usually written: 0x100."""
    try:
        return int(text, 0)
    except ValueError:
        raise ValueError("a PID such as 256 or 0x100 is expected") from None


def _replay() -> ReplayWords:
    from headroom.core.replay_options import ReplayWords, into, without_feedback

    arguments = {
        "encapsulation": into("channel", "encapsulation", str),
        "frame_octets": into("channel", "frame_octets", int),
        "first_pid": into("channel", "first_pid", _pid),
        "packing": into("channel", "packing", str),
        "threshold_us": into("channel", "threshold_us", int),
        "address": into("channel", "address", str),
        "bridged": into("channel", "bridged", boolean),
        "time_stamp": into("channel", "time_stamp", boolean),
        "universal_time_ns": into("channel", "universal_time_ns", int),
        "subnets": into("channel", "subnets", split_names),
        "padding_words": into("channel", "padding_words", int),
        "concat": into("channel", "concat", int),
        "concat_threshold_us": into("channel", "concat_threshold_us", int),
        "largest_pdu": into("channel", "mrru", int),
    }
    return ReplayWords(arguments, without_feedback(SCHEME.title), _remarks, _limit)


def _remarks(result: Replay) -> list[str]:
    """Returns a sentence with the option that would help if a receiver leaves out packets for other addresses or
    streams, or if it restores nothing from a capture whose encapsulation was not given.
    """
    direction = result.direction()
    statistics = direction.get("decompressor", {}).get("statistics") or {}
    if others := statistics.get("other_streams"):
        return [
            f"BBFRAMEs of input streams that the receiver does not take: {others}. decompressor_options=isi=NUMBER "
            "chooses one; the reference takes all with isi=any."
        ]
    if not (others := statistics.get("unmatched_addresses")):
        if result.config.compressor or "encapsulation" in result.config.channel or not result.nothing_came_out():
            return []
        return [
            "The receiver is one of ULE: encapsulation=mpe or encapsulation=gse reads others, and ./headroom decode "
            "says what a capture carries."
        ]
    own = result.config.decompressor_options.get("npa", OWN_ADDRESS)
    return [
        f"Packets for another address than the receiver's, {own}, which it leaves out: {others}. "
        "decompressor_options=npa=ADDRESS gives it another address; the reference takes those of all with npa=any."
    ]


def _limit(result: Replay) -> str:
    """Returns a sentence if PDUs are larger than the receiver's buffers, with the option that makes these larger; ""
    otherwise."""
    room = int(result.config.channel.get("mrru", LARGEST_PDU))
    largest = int(result.direction()["source"].get("largest", 0)) if result.config.compressor else 0
    if not result.without_room or 0 < largest <= room:
        return ""
    needed = f" {min(largest, MOST_ROOM)}" if largest else ""
    return (
        f"PDUs of more than {room} octets, for which a receiver gets no room here: {result.without_room}. That is "
        f"a limit of the replay, not of an implementation: add --largest-pdu{needed}."
    )


def _papers() -> Mapping[str, MeasuredPaper]:
    from headroom.core.papers.measured import MeasuredPaper
    from headroom.schemes.ule.papers import ang_2016, ang_2016_figures

    return {"ang-2016": MeasuredPaper(ang_2016.measure, ang_2016_figures.figures)}


PARTS = Parts("headroom.schemes.ule")
SCHEME = Scheme(
    name=NAME,
    title="ULE",
    subject="encapsulation",
    roles=("compressor", "decompressor"),
    described=("max_channels", "packing", "address"),
    listed=("packing",),
    axes=AXES,
    links=LINKS,
    interop=PARTS.part("interop", "INTEROP"),
    replay_options=REPLAY,
    replay=_replay,
    workload=PARTS.part("workload", "WORKLOAD"),
    sentinels=PARTS.made("sentinels", "sentinels"),
    damaged_links=PARTS.part("damaged_links", "damaged"),
    metrics=PARTS.metrics(),
    papers=_papers,
    carries=("rohc",),
    suites="conformance/ule",
    framing=Framing(
        link_types={243: "MPEG-2 TS"},
        formats={"mpeg-ts": "", "bbframe": BBFRAMES},
        others=("TS packets in UDP and RTP", "MPE", "GSE in BBFRAMEs in UDP"),
    ),
    dissector=PARTS.made("dissector", "UleDissector"),
    decode_options=(
        DecodeOption(
            "pid", "With link type 243: the PID that carries SNDUs, where others carry something else.", 16, 8190
        ),
    ),
    benchmarks=(("ule_bench", "--benchmark_min_time=0.01"),),
)
