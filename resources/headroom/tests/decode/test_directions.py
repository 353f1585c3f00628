# SPDX-License-Identifier: Apache-2.0
"""The two directions of a line are two simplex links (RFC 1144, 2), whatever says so: link type, flags, addresses."""

from __future__ import annotations

import struct
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from headroom.core.captures import direction
from headroom.decode import run, text
from headroom.decode.run import Capture, DecodeOptions
from headroom.tests.decode.support import enhanced, interface, ipv4, option, pcap, section, udp

HOST, SERVER = bytes([192, 0, 2, 1]), bytes([198, 51, 100, 1])
IP, COMPRESSED, UNCOMPRESSED = 0x0021, 0x002D, 0x002F


def checksum(octets: bytes) -> int:
    total = sum(struct.unpack(f"!{(len(octets) + 1) // 2}H", octets + bytes(len(octets) % 2)))
    while total > 0xFFFF:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF


@dataclass
class End:
    """One end of a TCP connection and its VJ compressor, which has one slot. Frames: PPP protocol and octets."""

    address: bytes
    peer: bytes
    ports: tuple[int, int]
    sequence: int
    acknowledgement: int
    window: int = 1000
    identification: int = 1
    sent: list[bytes] = field(default_factory=list)
    _saved: tuple[int, int] = (0, 0)

    def send(self, data: bytes = b"", acknowledged: int = 0) -> tuple[int, bytes]:
        """The next frame; `acknowledged` counts octets of the peer's that are acknowledged anew."""
        self.acknowledgement += acknowledged
        tcp = struct.pack("!HHIIBBHHH", *self.ports, self.sequence, self.acknowledgement, 0x50, 0x10, self.window, 0, 0)
        pseudo = self.address + self.peer + struct.pack("!HH", 6, len(tcp) + len(data))
        right = checksum(pseudo + tcp + data)
        tcp = tcp[:16] + right.to_bytes(2) + tcp[18:]
        ip = struct.pack("!BBHHHBBH", 0x45, 0, 40 + len(data), self.identification, 0, 64, 6, 0)
        ip += self.address + self.peer
        ip = ip[:10] + checksum(ip).to_bytes(2) + ip[12:]
        packet = ip + tcp + data
        changes = self.sequence - self._saved[0], self.acknowledgement - self._saved[1]
        self._saved = self.sequence, self.acknowledgement
        self.sequence += len(data)
        self.identification += 1
        self.sent.append(packet)
        if len(self.sent) == 1:
            head = bytearray(packet)
            head[9] = 0  # the slot
            return UNCOMPRESSED, bytes(head)
        mask = bytes([(0x08 if changes[0] else 0) | (0x04 if changes[1] else 0)]) + right.to_bytes(2)
        deltas = b"".join(_delta(one) for one in (changes[1], changes[0]) if one)
        return COMPRESSED, mask + deltas + data


def _delta(change: int) -> bytes:
    return bytes([change]) if 0 < change < 256 else b"\0" + change.to_bytes(2)


def ends(window: int = 1000) -> tuple[End, End]:
    return End(HOST, SERVER, (1025, 23), 1000, 5000), End(SERVER, HOST, (23, 1025), 5000, 1000, window, 700)


def bulk(window: int = 1000) -> tuple[list[tuple[End, tuple[int, bytes]]], list[bytes]]:
    """Frames of a transfer with an acknowledgement for two packets, each with its sender; and the packets."""
    host, server = ends(window)
    sent, packets = [], []
    turns = [(host, b"login", 0), (server, b"", 5)]
    for number in range(20):
        turns += [(host, bytes([number]) * 100, 0)] * 2 + [(server, b"", 200)]
    for end, data, acknowledged in turns:
        sent.append((end, end.send(data, acknowledged)))
        packets.append(end.sent[-1])
    return sent, packets


def ppp(protocol: int, octets: bytes) -> bytes:
    return b"\xff\x03" + protocol.to_bytes(2) + octets


def restored(capture: Capture) -> list[bytes | None]:
    assert capture.faults == []
    return [one.ours.restored if one.ours else None for one in capture.decoded()]


def decoded(path: Path) -> Capture:
    return run.read(DecodeOptions(path, tshark=False))


@pytest.mark.parametrize("window", [1000, 8760])
def test_addresses_and_checksums_tell_directions_apart(tmp_path: Path, window: int) -> None:
    """With one window at both ends the checksums of both directions are alike: acknowledgements decide."""
    sent, packets = bulk(window)
    for link_type in (9, 50):
        capture = decoded(pcap(tmp_path / "x.pcap", link_type, *(ppp(*frame) for _, frame in sent)))
        assert restored(capture) == packets
        assert set(capture.channels.values()) == {"from 192.0.2.1", "from 198.51.100.1"}
        assert capture.remarks[0].startswith("No frame names its sender: addresses")
        assert capture.unverified == 0


@pytest.mark.parametrize(
    ("link_type", "head"),
    [
        (204, lambda sent: bytes([sent]) + b"\xff\x03"),
        (204, lambda sent: bytes([7 * sent])),  # any value but 0 is "sent"
        (166, lambda sent: bytes([sent]) + b"\x03"),
    ],
)
def test_link_types_with_directions(tmp_path: Path, link_type: int, head: object) -> None:
    sent, packets = bulk()
    frames = [head(end.address == HOST) + frame[0].to_bytes(2) + frame[1] for end, frame in sent]  # type: ignore[operator]
    capture = decoded(pcap(tmp_path / "x.pcap", link_type, *frames))
    assert restored(capture) == packets
    assert set(capture.channels.values()) == {"sent", "received"}
    assert capture.remarks == ["tshark did not run (--no-tshark)."]


def test_flags_of_pcapng_say_the_direction(tmp_path: Path) -> None:
    sent, packets = bulk()
    path = tmp_path / "x.pcapng"
    blocks = [
        enhanced(ppp(*frame), option(2, struct.pack("<I", 2 if end.address == HOST else 1))) for end, frame in sent
    ]
    path.write_bytes(section() + interface(9) + b"".join(blocks))
    capture = decoded(path)
    assert restored(capture) == packets
    assert set(capture.channels.values()) == {"sent", "received"}


def test_one_direction_is_read_as_one_and_said_so(tmp_path: Path) -> None:
    sent, _ = bulk()
    mine = [frame for end, frame in sent if end.address == HOST]
    capture = decoded(pcap(tmp_path / "x.pcap", 9, *(ppp(*frame) for frame in mine)))
    assert restored(capture) == sent[0][0].sent
    assert "read as one direction" in capture.remarks[0]


def test_plain_ip_packets_name_the_second_end(tmp_path: Path) -> None:
    """The connection of the other direction began before the capture: its packets are no lost ones of this one."""
    sent, packets = bulk(8760)
    frames = [ppp(IP, ipv4(udp(b"x"), source=SERVER.hex(), destination=HOST.hex()))]
    frames += [ppp(*frame) for number, (_, frame) in enumerate(sent) if number != 1]
    capture = decoded(pcap(tmp_path / "x.pcap", 9, *frames))
    found = restored(capture)[1:]
    mine = [packet for packet in packets if packet[12:16] == HOST]
    assert [packet for packet in found if packet] == mine
    assert capture.unverified == 0


def test_a_lost_frame_is_said(tmp_path: Path) -> None:
    sent, _ = bulk()
    mine = [frame for end, frame in sent if end.address == HOST]
    del mine[2]
    capture = decoded(pcap(tmp_path / "x.pcap", 9, *(ppp(*frame) for frame in mine)))
    shown = [text.ours_text(one) for one in capture.decoded()]
    assert ["the TCP checksum is wrong" in one for one in shown] == [False, False] + [True] * (len(mine) - 2)
    assert capture.unverified == len(mine) - 2


def test_frames_that_were_cut_keep_their_lengths(tmp_path: Path) -> None:
    """Octets of data that were not captured count for the numbers of the packets behind."""
    host, _ = ends()
    path = tmp_path / "x.pcapng"
    blocks = b""
    for data in (b"a" * 100, b"b" * 100, b""):
        frame = ppp(*host.send(data))
        blocks += enhanced(frame[:60], length=len(frame))
    path.write_bytes(section() + interface(9) + blocks)
    capture = decoded(path)
    found = restored(capture)
    assert [one is not None and packet.startswith(one) for one, packet in zip(found, host.sent, strict=True)] == [
        True
    ] * 3
    assert found[2] == host.sent[2]
    assert capture.unverified == 0


def test_sides_of_addresses() -> None:
    sides = direction.Sides()
    for pair in ((b"a", b"b"), (b"c", b"b"), (b"d", b"e")):
        sides.add(pair)
    assert sides.of((b"a", b"b")) == sides.of((b"c", b"b")) == sides.of((b"c", b"z"))
    assert sides.of((b"b", b"a")) not in (sides.of((b"a", b"b")), sides.of((b"d", b"e")))
    assert sides.of(None) is None
    sides.add((b"a", b"c"))  # both are on one side
    assert sides.of((b"a", b"b")) is None and sides.of((b"e", b"d")) is not None
    assert direction.ends_of(ipv4(b"", destination="e0000001")) is None


NO_SENDER = "No frame names its sender, and there are no addresses of a second one: read as one direction."


def on_interfaces(path: Path, sent: list[tuple[End, tuple[int, bytes]]], *names: str) -> Capture:
    """The frames of the host on the first interface, those of the server on the second one."""
    blocks = b""
    for end, frame in sent:
        blocks += enhanced(ppp(*frame), place=int(end.address != HOST))
    path.write_bytes(section() + b"".join(interface(9, option(2, name.encode())) for name in names) + blocks)
    return decoded(path)


@pytest.mark.parametrize("names", [("forward", "reverse"), ("", ""), ("ppp0 TX", "ppp0 RX"), ("hdlc0", "hdlc1")])
def test_two_interfaces_with_a_direction_each(tmp_path: Path, names: tuple[str, str]) -> None:
    sent, packets = bulk()
    capture = on_interfaces(tmp_path / "x.pcapng", sent, *names)
    assert restored(capture) == packets
    assert NO_SENDER not in capture.remarks


def test_names_of_interfaces_say_the_direction_without_addresses(tmp_path: Path) -> None:
    """The capture begins behind the UNCOMPRESSED_TCP packets."""
    sent, _ = bulk()
    for names, is_said in ((("forward", "reverse"), True), (("tx", "rx"), True), (("ppp0", "ppp1"), False)):
        capture = on_interfaces(tmp_path / "x.pcapng", sent[2:], *names)
        assert (NO_SENDER not in capture.remarks) == is_said
    mine = [one for one in sent if one[0].address == HOST]
    for name, is_said in (("forward", True), ("uplink", False)):
        assert (NO_SENDER not in on_interfaces(tmp_path / "x.pcapng", mine, name).remarks) == is_said


def test_simplex_interfaces_by_addresses() -> None:
    there, back, further = (b"a", b"b"), (b"b", b"a"), (b"c", b"b")
    assert direction.simplex_by_ends({0: {there, further}, 1: {back}}) == {0, 1}
    for ends in ({0: {there, back}, 1: {back}}, {0: {there}, 1: {there}}, {0: {there}}):
        assert direction.simplex_by_ends(ends) == set()


def test_a_named_direction_has_one_channel(tmp_path: Path) -> None:
    """Both ends of a connection may be behind the compressor of one direction: addresses are no senders there."""
    _, packets = bulk()
    frames = [UNCOMPRESSED.to_bytes(2) + packet[:9] + b"\0" + packet[10:] for packet in packets]
    path = tmp_path / "x.pcapng"
    path.write_bytes(section() + interface(9, option(2, b"forward")) + b"".join(map(enhanced, frames)))
    capture = decoded(path)
    assert set(capture.channels.values()) == {"forward"}
    assert restored(capture) == packets


def flagged(path: Path, frames: list[tuple[bytes, str]]) -> Capture:
    """PPP frames, each with "sent", "received" or no direction among the flags of its packet."""
    flags = {"sent": 2, "received": 1}
    blocks = [enhanced(one, *([option(2, struct.pack("<I", flags[flag]))] if flag else [])) for one, flag in frames]
    path.write_bytes(section() + interface(9) + b"".join(blocks))
    return decoded(path)


@pytest.mark.parametrize("window", [1000, 8760])
@pytest.mark.parametrize("kept", [(0, 1), (0,), (1,), (7, 10)])
def test_packets_without_flags_beside_some_with_them(tmp_path: Path, kept: tuple[int, ...], window: int) -> None:
    sent, packets = bulk(window)
    ends = ["sent" if end.address == HOST else "received" for end, _ in sent]
    frames = [
        (ppp(*frame), flag if number in kept else "")
        for number, ((_, frame), flag) in enumerate(zip(sent, ends, strict=True))
    ]
    capture = flagged(tmp_path / "x.pcapng", frames)
    assert restored(capture) == packets
    assert [one.channel for one in capture.decoded()] == ends
    assert capture.remarks[0].startswith(
        f"Link packets that do not name their sender, though others do: {42 + 20 - len(kept)}."
    )
    assert not any("No frame names" in remark for remark in capture.remarks)


def test_flags_of_plain_packets_name_the_directions(tmp_path: Path) -> None:
    sent, packets = bulk()
    plain = ppp(IP, ipv4(udp(b"x"), source=SERVER.hex(), destination=HOST.hex()))
    capture = flagged(tmp_path / "x.pcapng", [(plain, "received"), *((ppp(*frame), "") for _, frame in sent)])
    assert restored(capture)[1:] == packets
    assert set(capture.channels.values()) >= {"sent", "received"}


def test_a_packet_without_a_flag_that_fits_no_direction(tmp_path: Path) -> None:
    """The second packet of the host is lost, so that its third one is wrong behind the first."""
    sent, _ = bulk()
    mine = [ppp(*frame) for end, frame in sent if end.address == HOST]
    theirs = ppp(*sent[1][1])
    frames = [(mine[0], "sent"), (theirs, "received"), (mine[3], ""), (theirs, "")]
    capture = flagged(tmp_path / "x.pcapng", frames)
    shown = list(capture.decoded())
    assert [one.channel for one in shown] == ["sent", "received", direction.UNKNOWN, "received"]
    assert shown[2].ours is not None and "fits neither direction" in shown[2].ours.error


def test_flags_at_odds_with_addresses_count(tmp_path: Path) -> None:
    """Both ends of the connection seem to be on both sides of the line."""
    sent, _ = bulk()
    frames = [(ppp(*sent[0][1]), "sent"), (ppp(*sent[0][1]), "received"), (ppp(*sent[1][1]), "sent")]
    capture = flagged(tmp_path / "x.pcapng", [*frames, (ppp(*sent[2][1]), "")])
    assert [one.channel for one in capture.decoded()][:3] == ["sent", "received", "sent"]
