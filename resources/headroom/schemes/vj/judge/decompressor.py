# SPDX-License-Identifier: Apache-2.0
"""The decompressor of RFC 1144, 3.2.4, and the choices that the RFC leaves to it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from headroom.schemes.vj.judge import header as headers
from headroom.schemes.vj.judge import packet
from headroom.schemes.vj.judge.header import PSH, TCP, URG, Header
from headroom.schemes.vj.judge.packet import COMPRESSED, ECHOED, IP, UNCOMPRESSED, NotVj

ERROR = 0xFFFF  # the type of the pseudo-packet that reports a damaged frame: TYPE_ERROR


@dataclass
class Outcome:
    """The outcome of a link packet. `restored` is None if nothing is returned, and `reason` then says why; `other`
    may come out in its place. `free`: the RFC does not say what is returned."""

    restored: bytes | None
    reason: str = ""
    header: packet.CompressedHeader | None = None
    slot: int | None = None
    other: bytes | None = None
    free: bool = False


@dataclass
class Decompressor:
    """One line. `slots` is their number, `saved` the header of each connection, `last` the connection received last.

    `urgent` holds the connections whose saved header may have URG set: by 3.2.4 a special mask leaves it as it is, by
    3.2.2 it stands for "no … URG". `toss` is None if the RFC does not say whether the flag is set.
    """

    slots: int = 16
    saved: dict[int, Header] = field(default_factory=dict)
    last: int | None = None
    toss: bool | None = None  # no connection number has come
    urgent: set[int] = field(default_factory=set)

    def receive(self, type_: int, octets: bytes) -> Outcome:
        """Decompresses a link packet of a type."""
        if type_ == IP:
            return Outcome(octets)
        if type_ == UNCOMPRESSED:
            return self._uncompressed(octets)
        if type_ == COMPRESSED:
            return self._compressed(octets)
        return self._bad("a packet of TYPE_ERROR, or of an unrecognized type, returns nothing (3.2.4)")

    def _bad(self, reason: str) -> Outcome:
        self.toss = True
        return Outcome(None, reason)

    def _open(self, slot: int | None, reason: str, header: packet.CompressedHeader | None = None) -> Outcome:
        """The outcome of a packet that the RFC does not describe. Afterwards the saved header of its connection is
        unknown."""
        self._forget(slot)
        self.last, self.toss = slot, None
        return Outcome(None, reason, header, slot, free=True)

    def _forget(self, slot: int | None) -> None:
        if slot is not None:
            self.saved.pop(slot, None)
            self.urgent.discard(slot)

    def _uncompressed(self, octets: bytes) -> Outcome:
        slot = octets[9] if len(octets) > 9 else None
        if slot is not None and slot >= self.slots:
            return self._bad(f"the state index {slot} is illegal: it runs from 0 to {self.slots - 1} (3.2.4, note 24)")
        header = headers.read(octets)
        if slot is None or header is None:
            return self._open(slot, "there is no whole TCP/IP header")
        header = replace(header, protocol=TCP)
        restored = header.octets() + octets[header.length :]
        if not headers.is_sound(restored):  # "The receiver can check the header checksum" (3.1)
            return self._open(slot, "its total length, or the checksum of its IP header, is wrong")
        self.toss, self.last, self.saved[slot] = False, slot, header
        self.urgent.discard(slot)
        return Outcome(restored, slot=slot)

    def _compressed(self, octets: bytes) -> Outcome:
        explicit = bool(octets) and bool(octets[0] & packet.BITS["C"])
        if octets and not explicit and self.toss:
            return Outcome(None, "the C bit is clear and the toss flag is set (3.2.4)")
        slot = self.last
        if explicit and len(octets) > 1:
            slot = octets[1]
            if slot >= self.slots:
                return self._bad(f"the state index {slot} is illegal: it runs from 0 to {self.slots - 1} (3.2.4)")
        try:
            header = packet.read(octets)
        except NotVj as error:
            self._forget(slot)
            self.toss = None
            return Outcome(None, str(error))
        if slot is None or slot not in self.saved:
            return self._open(slot, "no packet of its connection has come, or none that is known", header)
        if not explicit and self.toss is None:
            return self._open(slot, "whether the toss flag is set is unknown", header)
        data = octets[header.length :]
        restored = apply(header, self.saved[slot], len(data))
        if restored.total_length > 0xFFFF:
            return self._open(slot, "the packet would be longer than 65,535 octets", header)
        if self.saved[slot].flags & URG and header.special:
            self.urgent.add(slot)
        if not header.special:
            self.urgent.discard(slot)
        self.toss, self.last, self.saved[slot] = False, slot, restored
        still_urgent = replace(restored, flags=restored.flags | URG).octets() + data
        return Outcome(
            restored.octets() + data, header=header, slot=slot, other=still_urgent if slot in self.urgent else None
        )


def apply(changes: packet.CompressedHeader, saved: Header, data: int) -> Header:
    """The saved header with the changes of a compressed one, in front of so many octets of data. A special mask clears
    URG."""

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
