# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs and batches as streams of TRex: packets with the field engine's programs that make all others from them."""

import os
import sys

from trex.stl.api import (
    STLFlowLatencyStats,
    STLPktBuilder,
    STLScVmRaw,
    STLStream,
    STLTXCont,
    STLTXSingleBurst,
    STLVmFixIpv4,
    STLVmFlowVar,
    STLVmTrimPktSize,
    STLVmWrFlowVar,
)

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import rendered

ETHERNET = 14  # octets; TRex writes the addresses of its ports into them
SHORTEST = 60  # octets of a frame without its FCS (IEEE 802.3, 4A.4.2); TRex sends none that are shorter
SPLIT = False  # among cores: no, for a flow belongs to one of them


def frame(packet):
    octets = bytes(12) + (b"\x86\xdd" if packet[0] >> 4 == 6 else b"\x08\x00") + packet
    return octets.ljust(SHORTEST, b"\0")


def signed(value, octets):
    """A value as TRex wants what is to be added: a signed number of as many bits."""
    half = 1 << 8 * octets - 1
    return (value + half) % (2 * half) - half


def instructions(run):
    """The field engine's program that makes the packets of a run from its first one."""
    program = []
    for number, field in enumerate(run.fields):
        name, first = f"field{number}", 0
        if field.kind == rendered.LIST:
            counter = variable(name, field.values, field.octets)
        else:
            # The variable counts from 0 and the first value is added where it is written, which wraps as the field
            # does. An initial value would be lost in stl-sim, which turns streams into JSON and back.
            first, modulus = signed(field.first, field.octets), 1 << 8 * field.octets
            most = modulus // field.step * field.step - 1
            counter = STLVmFlowVar(
                name, min_value=0, max_value=most, size=field.octets, step=field.step, op="inc", split_to_cores=SPLIT
            )
        program += [counter, STLVmWrFlowVar(fv_name=name, pkt_offset=ETHERNET + field.offset, add_val=first)]
    return program + [STLVmFixIpv4(offset=ETHERNET + at) for at in run.headers if program]


def builder(run):
    program = instructions(run)
    return STLPktBuilder(pkt_buffer=frame(run.packet), vm=STLScVmRaw(program) if program else None)


def batch_builder(batch):
    """The packets of a batch, one after the other: each variable goes through its list, a value a packet."""
    program = []
    if batch.lengths:
        # A packet is cut to the length of its frame; where some are too short for one, they get padding behind them.
        frames = [length + ETHERNET for length in batch.lengths.values]
        program += [variable("length", frames, 2), *writes("length", batch.lengths, -ETHERNET)]
        if is_padded := min(frames) < SHORTEST:
            program.append(variable("frame", [max(length, SHORTEST) for length in frames], 2))
    for number, column in enumerate(batch.columns):
        name = f"column{number}"
        program += [variable(name, column.values, column.octets), *writes(name, column, 0)]
    program += [STLVmFixIpv4(offset=ETHERNET + at) for at in batch.headers]
    if batch.lengths:
        program.append(STLVmTrimPktSize("frame" if is_padded else "length"))
    moves = batch.lengths or batch.columns  # else the packet is sent as it is
    return STLPktBuilder(pkt_buffer=frame(batch.packet), vm=STLScVmRaw(program) if moves else None)


def variable(name, values, octets):
    """A variable that goes through a list."""
    return STLVmFlowVar(name, value_list=values, size=octets, step=1, op="inc", split_to_cores=SPLIT)


def writes(name, column, more):
    return [
        STLVmWrFlowVar(fv_name=name, pkt_offset=ETHERNET + offset, add_val=signed(added + more, column.octets))
        for offset, added in column.places
    ]


def latency_stream(run, direction, pps, duration_s):
    """TRex measures latency with this stream: it overwrites the last 16 octets of its payload, and its IP-ID.

    It ends by itself as all others do; with a duration of 0 it goes on for ever.
    """
    ends = STLTXSingleBurst(total_pkts=max(1, round(pps * duration_s)), pps=pps) if duration_s else STLTXCont(pps=pps)
    return STLStream(name="latency", packet=builder(run), mode=ends, flow_stats=STLFlowLatencyStats(pg_id=direction))
