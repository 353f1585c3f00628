# SPDX-License-Identifier: Apache-2.0
"""The decompressor of RFC 1144, 3.2.4."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from headroom.schemes.vj.judge import header as headers
from headroom.schemes.vj.judge import packet
from headroom.schemes.vj.judge.header import PSH, TCP, URG, Header
from headroom.schemes.vj.judge.packet import COMPRESSED, ECHOED, IP, UNCOMPRESSED, NotVj

ERROR = 0xFFFF  # the type of the pseudo-packet that reports a damaged frame: TYPE_ERROR


@dataclass
class Outcome:
    """The outcome of a link packet. `restored` is None where nothing is returned, and `reason` then says why."""

    restored: bytes | None
    reason: str = ""
    header: packet.CompressedHeader | None = None
    slot: int | None = None


@dataclass
class Decompressor:
    """One line. `slots` is their number, `saved` the header of each connection, `last` the connection received last."""

    slots: int = 16
    saved: dict[int, Header] = field(default_factory=dict)
    last: int | None = None
    toss: bool = True  # until a connection number comes, there is none

    def receive(self, type_: int, octets: bytes) -> Outcome:
        """Decompresses a link packet of a type."""
        try:
            if type_ == IP:
                return Outcome(octets)
            if type_ == UNCOMPRESSED:
                return self._uncompressed(octets)
            if type_ == COMPRESSED:
                return self._compressed(octets)
            raise NotVj("a packet of TYPE_ERROR, or of an unrecognized type, returns nothing (3.2.4)")
        except NotVj as error:
            self.toss = True
            return Outcome(None, str(error))

    def _uncompressed(self, octets: bytes) -> Outcome:
        header = headers.read(octets)
        if header is None:
            raise NotVj("there is no whole TCP/IP header (3.2.4)")
        slot = header.protocol
        if slot >= self.slots:
            raise NotVj(f"the state index {slot} is illegal: it runs from 0 to {self.slots - 1} (3.2.4, note 24)")
        header = replace(header, protocol=TCP)
        if header.with_ip_checksum() != header:
            raise NotVj("the checksum of the IP header is wrong (3.1)")
        self.toss, self.last, self.saved[slot] = False, slot, header
        return Outcome(header.octets() + octets[header.length :], slot=slot)

    def _compressed(self, octets: bytes) -> Outcome:
        header = packet.read(octets)
        if header.connection is not None and header.connection >= self.slots:
            raise NotVj(f"the state index {header.connection} is illegal: it runs from 0 to {self.slots - 1} (3.2.4)")
        if header.connection is None and self.toss:
            return Outcome(None, "the C bit is clear and the toss flag is set (3.2.4)", header)
        slot = self.last if header.connection is None else header.connection
        assert slot is not None
        if slot not in self.saved:
            raise NotVj(f"no packet of connection {slot} has come")
        data = octets[header.length :]
        restored = apply(header, self.saved[slot], len(data))
        if restored.total_length > 0xFFFF:
            raise NotVj("the packet would be longer than 65,535 octets")
        self.toss, self.last, self.saved[slot] = False, slot, restored
        return Outcome(restored.octets() + data, header=header, slot=slot)


def apply(changes: packet.CompressedHeader, saved: Header, data: int) -> Header:
    """The saved header with the changes of a compressed one, in front of so many octets of data."""

    def change(letter: str) -> int:
        return changes.changes[letter].value if letter in changes.changes else 0

    flags = saved.flags & ~(PSH | URG) | (PSH if "P" in changes.bits else 0)
    if changes.special:
        sequence = saved.data
        acknowledgement = saved.data if changes.special == ECHOED else 0
        urgent, window = saved.urgent, 0
    else:
        sequence, acknowledgement, window = change("S"), change("A"), change("W")
        urgent = change("U") if "U" in changes.bits else saved.urgent
        flags |= URG if "U" in changes.bits else 0
    step = change("I") if "I" in changes.bits else 1
    return replace(
        saved,
        total_length=saved.length + data,
        identification=(saved.identification + step) & 0xFFFF,
        sequence=(saved.sequence + sequence) & 0xFFFFFFFF,
        acknowledgement=(saved.acknowledgement + acknowledgement) & 0xFFFFFFFF,
        window=(saved.window + window) & 0xFFFF,
        urgent=urgent,
        flags=flags,
        tcp_checksum=changes.checksum,
    ).with_ip_checksum()
