#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Packets of many flows as lists for a field engine: what GTP-U profiles need, in which no two packets are alike.

headroom-engine renders the profile. Packets with the same headers make a *kind*; of a kind, the longest packet is the
pattern of all, and what differs between them is read off column by column, whatever it means: two or four octets at a
place, and their value in each packet. Lengths move together, so that one list of them serves all fields that say one.
`packets_of` turns a batch of packets back into what it stands for.

Payloads are the pattern that `load` sends as well, whatever the profile says: a list of their octets would be the
payload itself. Who wants random ones sends the rendered capture. A packet with a text, such as an HTTP request, is a
kind of its own: so it keeps its place among those of its connection.

    columns.py gtpu-imix --flows 60 --packets 1000      prints the batches as JSON

Python 3.10 and later.
"""

import argparse
import json
import os
import struct
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import rendered

# Values of a list. A request to TRex's server has at most 999,999 octets (trex_rpc_req_resp_server.h), and the client
# adds a stream to one as long as it has 500,000; in JSON, a packet's values are 200 octets at most.
MOST_VALUES = 2000
MOST_OCTETS = 64  # of all variables of a stream together: trex_stl_stream_vm.h, svMAX_FLOW_VAR
UDP, TCP, GTPU_PORT = 17, 6, 2152
KINDS = (["udp", "gtpu", "ipv4", "tcp"], ["udp", "gtpu", "ipv4", "udp"])
KINDS += (["udp", "gtpu", "ipv6", "tcp"], ["udp", "gtpu", "ipv6", "udp"])
TUNNELS = "a file with the keys of the engine's job that say what becomes of tunnels, as JSON"


class Column:
    """A variable: its value in each packet, and where it stands: [(offset, what is added to it there)]."""

    def __init__(self, octets, values, places):
        self.octets, self.values, self.places = octets, values, places


class Batch:
    """`count` packets of one kind, in order.

    `packet` is the longest of them, an IP packet; `lengths` a column whose values are the lengths of the packets, None
    where all are the same. `headers` are the offsets of IPv4 headers, whose checksums follow from the rest. `first` is
    the place of its first packet among those of all kinds.
    """

    def __init__(self, kind, first, packet, count, lengths, columns, headers):
        self.kind, self.first, self.packet, self.count = kind, first, packet, count
        self.lengths, self.columns, self.headers = lengths, columns, headers

    def as_json(self):
        columns = [vars(column) for column in self.columns]
        lengths = vars(self.lengths) if self.lengths else None
        return dict(vars(self), packet=self.packet.hex(), lengths=lengths, columns=columns)


def packets_of(batch):
    """The packets that a batch stands for, made as a field engine makes them."""
    moving = batch.columns + ([batch.lengths] if batch.lengths else [])
    for number in range(batch.count):
        packet = bytearray(batch.packet)
        for column in moving:
            for offset, added in column.places:
                value = (column.values[number] + added) % (1 << 8 * column.octets)
                packet[offset : offset + column.octets] = value.to_bytes(column.octets, "big")
        rendered.put_right(packet, batch.headers)
        yield bytes(packet[: batch.lengths.values[number]] if batch.lengths else packet)


# ---------------------------------------------------------------------------------------------------------------------
# Headers


def read_tunnels(path):
    """The keys that a file of tunnels holds; None without a file."""
    if not path:
        return None
    try:
        with open(path) as file:
            tunnels = json.load(file)
    except (OSError, ValueError) as error:
        raise rendered.Refused(f"the tunnels in {path} cannot be read: {error}.") from error
    if not isinstance(tunnels, dict) or not {"tunnels", "endpoints"}.issuperset(tunnels):
        raise rendered.Refused(f"{path} holds no object with the keys `tunnels` and `endpoints`.")
    return tunnels


def refuse_other_than_gtpu(profile):
    for variant in profile["variants"]:
        protocols = [header.get("protocol") for header in variant["headers"]]
        if protocols[:1] not in (["ipv4"], ["ipv6"]) or protocols[1:] not in KINDS:
            raise rendered.Refused(
                "the profile {} has flows of {}; as lists, TCP or UDP over IP in GTP-U can be sent. Send it as a "
                "rendered capture.".format(profile.get("name"), "/".join(map(str, protocols)))
            )
        variant["payload"]["content"] = "pattern"


def transport_of(packet, at=0):
    """(protocol behind an IP header, offset of that protocol's header)."""
    if packet[at] >> 4 == 6:
        return packet[at + 6], at + 40
    return packet[at + 9], at + (packet[at] & 15) * 4


def inner_of(packet):
    """Offset of the user's IP packet in a G-PDU (TS 29.281, 4.4.2.3, 5.1 and 5.2); 0 where it is in no tunnel."""
    protocol, udp = transport_of(packet)
    if protocol != UDP or packet[udp + 2 : udp + 4] != GTPU_PORT.to_bytes(2, "big"):
        return 0
    gtpu = udp + 8
    at = gtpu + 8
    if packet[gtpu] & 7:  # any of E, S and PN: four octets more, the last the type of an extension header
        following, at = packet[at + 3] if packet[gtpu] & 4 else 0, at + 4
        while following:
            at += 4 * max(1, packet[at])
            following = packet[at - 1]
    return at


def parts_of(packet):
    """(offset of the user's IP header, of its UDP or TCP header, of its payload)."""
    inner = inner_of(packet)
    protocol, transport = transport_of(packet, inner)
    return inner, transport, transport + (8 if protocol == UDP else packet[transport + 12] // 16 * 4)


def flow_of(packet):
    """What all packets of a flow share and no other flow has: the tunnel, and the user's addresses and ports."""
    inner, transport, _ = parts_of(packet)
    addresses = packet[inner + 8 : inner + 40] if packet[inner] >> 4 == 6 else packet[inner + 12 : inner + 20]
    gtpu = transport_of(packet)[1] + 8
    tunnel = packet[gtpu + 4 : gtpu + 8] if inner else b""
    return tunnel + addresses + packet[transport : transport + 4]


# ---------------------------------------------------------------------------------------------------------------------
# Batches


def batches(packets, most=MOST_VALUES):
    """The packets of all flows, in order of time, as batches of at most `most`: by kind, and in order within a kind."""
    kinds = {}
    for number, packet in enumerate(packets):
        kinds.setdefault(kind_of(number, packet), []).append((number, packet))
    found = []
    for kind, (key, members) in enumerate(kinds.items()):
        for begin in range(0, len(members), most):
            part = members[begin : begin + most]
            found.append(batch_of(kind, part[0][0], [packet for _, packet in part], *cut_of(key)))
    return found


def pattern(octets):
    """A payload of so many octets that is the engine's pattern (pattern_octet): the first outputs of SplitMix64."""
    mask, words = (1 << 64) - 1, []
    for number in range(1, octets // 8 + 2):
        word = (number ^ number >> 30) * 0xBF58476D1CE4E5B9 & mask
        word = (word ^ word >> 27) * 0x94D049BB133111EB & mask
        words.append((word ^ word >> 31).to_bytes(8, "little"))
    return b"".join(words)[:octets]


PATTERN = pattern(9000)  # the longest payload of a profile


def is_text(packet):
    """Whether a packet has a payload that is not the pattern."""
    return not PATTERN.startswith(packet[parts_of(packet)[2] :])


def kind_of(number, packet):
    """What is common to the packets of a kind: versions of IP, where the headers stand, and the number of a text."""
    inner, transport, payload = parts_of(packet)
    text = number if is_text(packet) else None
    return packet[0] >> 4, inner, packet[inner] >> 4, transport, payload, text


def cut_of(kind):
    """Offsets of the IPv4 headers of a kind of packet, and of its payload."""
    outer, inner, version, _, payload, _ = kind
    return ipv4_at({0: outer, inner: version}), payload


def ipv4_at(versions):
    """Offsets of IPv4 headers, from the versions of IP by their offsets."""
    return [at for at, version in versions.items() if version == 4]


def batch_of(kind, first, packets, headers, payload):
    longest = max(packets, key=len)
    sizes = [len(packet) for packet in packets]
    lengths = Column(2, sizes, []) if len(set(sizes)) > 1 else None
    columns = columns_of(packets, payload, [at + 10 for at in headers], lengths)
    taken = sum(column.octets for column in columns) + (2 if lengths else 0)
    if taken > MOST_OCTETS:
        raise rendered.Refused(
            f"between packets {taken} octets of headers differ, and TRex's field engine has variables for "
            f"{MOST_OCTETS}. Send the profile as a rendered capture."
        )
    return Batch(kind, first, longest, len(packets), lengths, columns, headers)


def columns_of(packets, end, apart, lengths):
    """The columns of what differs between packets before `end`, but for the words at `apart`.

    Headers are whole numbers of words of two octets. A word that moves as the lengths do is a place of `lengths`; of
    the others, two that follow one another make a column of four octets.
    """
    words = list(zip(*(struct.unpack_from(f">{end // 2}H", packet) for packet in packets), strict=True))
    left = [n for n, values in enumerate(words) if 2 * n not in apart and min(values) != max(values)]
    if lengths:
        left = [n for n in left if not join(lengths, 2 * n, words[n])]
    columns = []
    while left:
        number = left.pop(0)
        octets, values = 2, words[number]
        if left[:1] == [number + 1]:
            octets, values = 4, [high << 16 | low for high, low in zip(values, words[left.pop(0)], strict=True)]
        if not any(column.octets == octets and join(column, 2 * number, values) for column in columns):
            columns.append(Column(octets, list(values), [(2 * number, 0)]))
    return columns


def join(column, offset, values):
    """Adds a place to a column that moves in the same way; whether it does."""
    modulus = 1 << 8 * column.octets
    added = (values[0] - column.values[0]) % modulus
    if any((a - b) % modulus != added for a, b in zip(values, column.values, strict=True)):
        return False
    column.places.append((offset, added))
    return True


def streams(profile, packets, flows=1, seed=1, reverse=False, skip=0, engine=None, most=MOST_VALUES, tunnels=None):
    """The batches of so many packets of a profile, behind the first `skip`. Raises Refused."""
    refuse_other_than_gtpu(profile)
    limit = {"packets": skip + packets}
    packets = rendered.render(profile, flows, seed, reverse, limit, engine, tunnels)[skip:]
    return batches([packet for _, packet in packets], most)


def one_more_flow(profile, flows, seed, reverse, engine=None, tunnels=None):
    """A run of the flow behind the last one, without an end (count 0): the one that latency is measured with.

    It is a short packet, whose payload has room for a time stamp, sent again and again: IP-ID and TCP's sequence number
    count on, and checksums of UDP and TCP are not those of the octets.
    """
    refuse_other_than_gtpu(profile)
    longest_interval_s = 1e-3 * max(variant["timing"]["interval_ms"] for variant in profile["variants"])
    for intervals in (5, 50, 500):
        limit = {"duration_s": intervals * longest_interval_s}
        few, more = (
            [packet for _, packet in rendered.render(profile, count, seed, reverse, limit, engine, tunnels)]
            for count in (flows, flows + 1)
        )
        known = {flow_of(packet) for packet in few}
        new = [one for one in more if flow_of(one) not in known and not is_text(one)]
        fit = [one for one in new if len(one) - parts_of(one)[2] >= rendered.STAMP]
        if fit:
            return counting(flows, min(fit, key=len))
    raise rendered.Refused("no packet of the profile has a payload in which TRex's time stamp has room.")


def counting(flow, packet):
    inner, transport, payload = parts_of(packet)
    version, moving = packet[inner] >> 4, []
    if version == 4:
        moving.append((inner + 4, 2, 1))
    if transport_of(packet, inner)[0] == TCP:
        step = 1 << (len(packet) - payload).bit_length() - 1  # a power of two, for where the variable wraps
        moving.append((transport + 4, 4, step))
    fields = [
        rendered.Field(offset, octets, rendered.STEP, int.from_bytes(packet[offset : offset + octets], "big"), by)
        for offset, octets, by in moving
    ]
    return rendered.Run(flow, 0, 0, packet, 0, fields, ipv4_at({0: packet[0] >> 4, inner: version}))


def main(words):
    parser = argparse.ArgumentParser(description="The batches of a GTP-U profile, as JSON.")
    parser.add_argument("profile")
    parser.add_argument("--flows", type=int, default=1)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--reverse", action="store_true")
    parser.add_argument("--packets", type=int, default=1000)
    parser.add_argument("--skip", type=int, default=0, help="packets that are left out before them")
    parser.add_argument("--tunnels", help=TUNNELS)
    parser.add_argument("--most-values", type=int, default=MOST_VALUES, help="packets of a batch at most")
    parser.add_argument("--hex", action="store_true", help="the packets in place of the batches, kind by kind")
    given = parser.parse_args(words)
    try:
        profile = rendered.read_profile(given.profile)
        tunnels = read_tunnels(given.tunnels)
        found = streams(
            profile, given.packets, given.flows, given.seed, given.reverse, given.skip, None, given.most_values, tunnels
        )
    except rendered.Refused as error:
        sys.stderr.write(f"{error}\n")
        return 1
    shown = [p.hex() for batch in found for p in packets_of(batch)] if given.hex else [b.as_json() for b in found]
    json.dump(shown, sys.stdout)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
