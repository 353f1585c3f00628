#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Our traffic profiles as streams that a packet generator with a field engine can send.

headroom-engine renders the profile; each of its flows is cut into *runs*: packets of one length at one interval, which
differ in some fields only. Of each such field the run says how it moves, by a step or as a list of values, so that a
run is one packet and a few rules, whatever its length. Nothing of how a profile's fields move is known here, and every
packet that a run stands for is one that the engine has made. `packets_of` turns runs back into packets.

Payloads are the pattern that `load` sends as well, whatever the profile says: a field engine cannot make the octets of
a random payload. Who wants those sends the rendered capture itself.

    rendered.py voip-amr-nb-ipv4 --flows 2      prints the runs as JSON

Python 3.10 and later.
"""

import argparse
import itertools
import json
import os
import struct
import subprocess
import sys
import tempfile
from collections import OrderedDict

FOLDER = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(FOLDER))
BUILD = "gcc-O2"
MOST_STREAMS = 20000  # of a port: trex_stl_port.h, MAX_STREAMS
MOST_VALUES = 65535  # of a list that a variable of the field engine goes through
MOST_PACKETS = 20_000_000  # that the engine renders at once
STAMP = 16  # octets at the end of a payload that TRex overwrites to measure latency

# Kinds of movement: `step` counts modulo 2^bits; `list` says all values. TRex has no arithmetic modulo 65535, in which
# a UDP checksum counts down: it is a list, too.
STEP, LIST = "step", "list"


class Refused(Exception):
    """What was asked for cannot be sent as streams; the message says why and what to do instead."""


class Field:
    """A field that differs between the packets of a run."""

    def __init__(self, offset, octets, kind, first, step=0, values=()):
        self.offset, self.octets, self.kind, self.first, self.step = offset, octets, kind, first, step
        self.values = list(values)

    def value(self, number):
        if self.kind == STEP:
            return (self.first + self.step * number) % (1 << 8 * self.octets)
        return self.values[number]


class Run:
    """`count` packets, one every `interval_us`, the first `gap_us` after the last of the run before it.

    Before the first run of a flow the gap is counted from the start. `packet` is the first packet, an IP packet.
    `headers` are the offsets of its IPv4 headers, whose checksums follow from the rest.
    """

    def __init__(self, flow, gap_us, interval_us, packet, count, fields, headers=None):
        self.flow, self.gap_us, self.interval_us = flow, gap_us, interval_us
        self.packet, self.count, self.fields = packet, count, fields
        self.headers = headers if headers is not None else [0] * (packet[0] >> 4 == 4)

    def as_json(self):
        fields = [{key: value for key, value in vars(field).items() if value != []} for field in self.fields]
        return dict(vars(self), packet=self.packet.hex(), fields=fields)


def packets_of(run):
    """The packets that a run stands for; IPv4's header checksum is put right as a field engine does."""
    for number in range(run.count):
        packet = bytearray(run.packet)
        for field in run.fields:
            packet[field.offset : field.offset + field.octets] = field.value(number).to_bytes(field.octets, "big")
        put_right(packet, run.headers)
        yield bytes(packet)


def put_right(packet, headers):
    """Writes the checksums of IPv4 headers at some offsets of a packet, a bytearray (RFC 791, 3.1)."""
    for at in headers:
        packet[at + 10 : at + 12] = b"\0\0"
        packet[at + 10 : at + 12] = checksum(packet[at : at + (packet[at] & 15) * 4]).to_bytes(2, "big")


def checksum(octets):
    """The Internet checksum (RFC 1071)."""
    total = sum(struct.unpack(f">{len(octets) // 2}H", bytes(octets)))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return 0xFFFF - total


# ---------------------------------------------------------------------------------------------------------------------
# What the engine makes of a profile


def read_profile(name):
    """A profile's YAML as an object: a name such as voip-amr-nb-ipv4, or the path of a file."""
    import yaml  # TRex's, when it is TRex that runs this

    path = name if name.endswith((".yaml", ".yml")) else os.path.join(ROOT, "traffic-profiles", name + ".yaml")
    if not os.path.isfile(path):
        raise Refused(f"there is no traffic profile at {path}.")
    with open(path) as file:
        profile = yaml.safe_load(file)
    if not isinstance(profile, dict) or not isinstance(profile.get("variants"), list):
        raise Refused(f"{path} is no traffic profile.")
    return profile


def refuse_other_than_voice(profile):
    for variant in profile["variants"]:
        protocols = [header.get("protocol") for header in variant["headers"]]
        if protocols not in (["ipv4", "udp", "rtp"], ["ipv6", "udp", "rtp"]):
            raise Refused(
                "the profile {} has flows of {}; as streams, RTP over UDP over IPv4 or IPv6 can be sent. Send it as a "
                "rendered capture.".format(profile.get("name"), "/".join(map(str, protocols)))
            )
        variant["payload"]["content"] = "pattern"


def engine_program(named=None):
    program = named or os.environ.get("HEADROOM_ENGINE") or os.path.join(ROOT, "build", BUILD, "bin", "headroom-engine")
    if not os.access(program, os.X_OK):
        raise Refused(
            f"there is no engine at {program}: `./headroom run` builds one, and HEADROOM_ENGINE names another."
        )
    return program


def render(profile, flows, seed, reverse, limit, engine=None, tunnels=None):
    """[(time in microseconds, IP packet)] as headroom-engine renders the profile, in order of time.

    `limit` is {"duration_s": …} or {"packets": …}, of all flows together. `tunnels` are the keys of the engine's job
    that say what becomes of the profile's tunnels; None: nothing.
    """
    with tempfile.TemporaryDirectory(prefix=f"headroom-trex-{os.getpid()}-") as folder:
        capture = os.path.join(folder, "rendered.pcap")
        job = {"profile": profile, "flows": flows, "seed": seed, "reverse": reverse, "output": capture, **limit}
        job.update(tunnels or {})
        done = subprocess.Popen(
            [engine_program(engine), "render", "--job", "-"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        said, _ = done.communicate(json.dumps(job).encode())
        if done.returncode != 0:
            raise Refused(f"headroom-engine render: {message_of(said)}")
        with open(capture, "rb") as file:
            return read_capture(file.read())


def message_of(said):
    try:
        return json.loads(said.decode())["error"]["message"]
    except (ValueError, KeyError, TypeError):
        return "it failed without a word."


def read_capture(octets):
    """The packets of a classic pcap file of raw IP, little-endian, in microseconds, as the engine writes it."""
    magic, network = struct.unpack_from("<I", octets)[0], struct.unpack_from("<I", octets, 20)[0]
    if (magic, network) != (0xA1B2C3D4, 101):
        raise Refused("the engine wrote a capture of another kind than raw IP with microseconds.")
    packets, at = [], 24
    while at < len(octets):
        seconds, micros, length = struct.unpack_from("<III", octets, at)
        packets.append((seconds * 1000000 + micros, octets[at + 16 : at + 16 + length]))
        at += 16 + length
    return packets


def flow_of(packet):
    """What all packets of a flow share and no other flow has: addresses and ports."""
    if packet[0] >> 4 == 6:
        return packet[8:44]
    header = (packet[0] & 15) * 4
    return packet[12:20] + packet[header : header + 4]


def by_flow(packets):
    flows = OrderedDict()
    for time_us, packet in packets:
        flows.setdefault(flow_of(packet), []).append((time_us, packet))
    return list(flows.values())


# ---------------------------------------------------------------------------------------------------------------------
# Runs


def places(packet):
    """(offset, octets) of the fields of an RTP/UDP/IP packet that may differ within a run."""
    header = 40 if packet[0] >> 4 == 6 else (packet[0] & 15) * 4
    rtp = header + 8
    identification = [] if packet[0] >> 4 == 6 else [(4, 2)]
    # UDP's checksum; marker and payload type, sequence number, time stamp (RFC 3550, 5.1).
    return identification + [(header + 6, 2), (rtp + 1, 1), (rtp + 2, 2), (rtp + 4, 4)]


def rest_of(packet):
    """A packet without what may differ within a run, to see that nothing else does."""
    rest = bytearray(packet)
    for offset, octets in places(packet):
        rest[offset : offset + octets] = bytes(octets)
    if packet[0] >> 4 == 4:
        rest[10:12] = b"\0\0"  # IPv4's header checksum follows from the rest
    return bytes(rest)


def movement(offset, octets, packets):
    """How a field moves through the packets of a run; None when it stays as it is."""
    values = [int.from_bytes(packet[offset : offset + octets], "big") for packet in packets]
    if len(set(values)) == 1:
        return None
    modulus = 1 << 8 * octets
    step = (values[1] - values[0]) % modulus
    if all((b - a) % modulus == step for a, b in itertools.pairwise(values)) and countable(step, len(values), modulus):
        return Field(offset, octets, STEP, values[0], step)
    return Field(offset, octets, LIST, values[0], values=values)


def countable(step, count, modulus):
    """Whether a variable of TRex can count so often from 0: where it wraps, only a step that divides its range fits."""
    return modulus % step == 0 or step * count <= modulus


def runs_of(flow, timed, start_us=0):
    """Cuts the packets of one flow into runs. `timed` is [(time in microseconds, packet)], in order."""
    runs, first, last_us = [], 0, start_us
    rests = [rest_of(packet) for _, packet in timed]
    while first < len(timed):
        end, interval = first + 1, None
        while end < len(timed) and end - first < MOST_VALUES and rests[end] == rests[first]:
            gap = timed[end][0] - timed[end - 1][0]
            if interval is not None and gap != interval:
                break
            interval, end = gap, end + 1
        packets = [packet for _, packet in timed[first:end]]
        fields = [movement(*place, packets) for place in places(packets[0])] if len(packets) > 1 else []
        runs.append(
            Run(flow, timed[first][0] - last_us, interval or 0, packets[0], len(packets), [f for f in fields if f])
        )
        last_us = timed[end - 1][0]
        first = end
    return runs


def streams(profile, flows=1, seed=1, reverse=False, duration_s=10.0, start_s=0.0, engine=None):
    """The runs of a profile's packets from `start_s` on, for `duration_s`: a list of runs for each flow.

    Times are the profile's own. Raises Refused.
    """
    refuse_other_than_voice(profile)
    packets = render(profile, flows, seed, reverse, {"duration_s": start_s + duration_s}, engine)
    begin_us = round(start_s * 1e6)
    found = []
    for number, timed in enumerate(by_flow([one for one in packets if one[0] >= begin_us])):
        found.append(runs_of(number, timed, begin_us))
    total = sum(len(runs) for runs in found)
    if total > MOST_STREAMS:
        raise Refused(
            f"{flows} flows for {duration_s:g} s are {total} streams, and TRex takes {MOST_STREAMS} a port. Ask for "
            "fewer flows or for a shorter time, or send the rendered capture."
        )
    return found


def one_more_flow(profile, flows, seed, reverse, engine=None):
    """A run of the flow behind the last one, without an end (count 0): the one that latency is measured with.

    Its RTP fields count on from packet to packet without pauses of the speaker.
    """
    refuse_other_than_voice(profile)
    limit = {"duration_s": 2e-3 * max(variant["timing"]["interval_ms"] for variant in profile["variants"])}
    known = {flow_of(packet) for _, packet in render(profile, flows, seed, reverse, limit, engine)}
    packets = render(profile, flows + 1, seed, reverse, limit, engine)
    packet = next(packet for _, packet in packets if flow_of(packet) not in known)
    step = profile["variants"][0]["headers"][-1].get("timestamp_step", 160)
    header = 40 if packet[0] >> 4 == 6 else (packet[0] & 15) * 4
    moving = [(header + 10, 2, 1), (header + 12, 4, step)] + ([] if header == 40 else [(4, 2, 1)])
    fields = [
        Field(offset, octets, STEP, int.from_bytes(packet[offset : offset + octets], "big"), by)
        for offset, octets, by in moving
    ]
    return Run(flows, 0, 0, packet, 0, fields)


def main(words):
    parser = argparse.ArgumentParser(description="The runs of a traffic profile, as JSON.")
    parser.add_argument("profile")
    parser.add_argument("--flows", type=int, default=1)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--reverse", action="store_true")
    parser.add_argument("--duration", type=float, default=10.0, help="seconds of the profile's own time")
    parser.add_argument("--start", type=float, default=0.0, help="seconds of the profile that are left out")
    parser.add_argument("--packets", action="store_true", help="the packets in place of the runs, in order of flows")
    given = parser.parse_args(words)
    try:
        profile = read_profile(given.profile)
        found = streams(profile, given.flows, given.seed, given.reverse, given.duration, given.start)
    except Refused as error:
        sys.stderr.write(f"{error}\n")
        return 1
    runs = [run for flow in found for run in flow]
    shown = [p.hex() for run in runs for p in packets_of(run)] if given.packets else [run.as_json() for run in runs]
    json.dump(shown, sys.stdout)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
