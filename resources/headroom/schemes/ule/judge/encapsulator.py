# SPDX-License-Identifier: Apache-2.0
"""The rules for an encapsulator's output: RFC 4326, 3 to 6, and RFC 5163, 3.

The judge gets the PDUs that the encapsulator accepted, in their order, and follows the TS packets of each PID octet by
octet: the beginning and end of SNDUs, the padding, the waiting time of TS packets, and the content of SNDUs.
"""

from __future__ import annotations

import ipaddress
from collections import deque
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from headroom.core.finding import Finding
from headroom.schemes.ule.judge.receiver import BROADCAST, LARGEST_POINTER, SYNC, TS_HEADER, TS_OCTETS, crc

BRIDGED, TS_CONCAT, PDU_CONCAT, FRAME, FIRST_ETHER_TYPE = 1, 2, 3, 0x6558, 0x600
PADDING, TIME_STAMP = 0, 1  # H-Types of optional extension headers
NULL_PID = 0x1FFF
HOUR_US = 3_600_000_000
COARSEST_BITS = 20  # of a TimeStamp that a system may leave zero: it counts seconds


@dataclass(frozen=True)
class Pdu:
    """A PDU that the encapsulator took. `type` is an EtherType, 0 of an IP packet, 0x6558 of a whole MAC frame."""

    octets: bytes
    time_ns: int = 0
    channel: int = 0
    type: int = 0

    @property
    def ether_type(self) -> int:
        return self.type or (0x86DD if self.octets[0] >> 4 == 6 else 0x0800)


@dataclass(frozen=True)
class Setting:
    """The configuration of the encapsulator."""

    first_pid: int = 0x100
    channels: int = 1
    packing: bool = True
    threshold_us: int = 1000
    address: bool = True
    address_by_default: bool = False  # the configuration does not say
    bridged: bool = False
    padding_words: int = 0
    time_stamp: bool = False
    concat: int = 1
    concat_threshold_us: int = 1000
    npa: bytes = bytes([2, 0, 0, 0, 0, 1])
    mac: bytes = bytes([2, 0, 0, 0, 0, 2])
    subnets: tuple[str, ...] = ()  # of the link, such as 192.168.1.0/24
    universal_time_ns: int = 0  # at the time 0


@dataclass
class _Stream:
    """A PID: the SNDU of which a part has been sent, and the PDUs that are still to come."""

    waiting: deque[Pdu] = field(default_factory=deque)
    counter: int | None = None
    current: bytes = b""
    ended: list[int] = field(default_factory=list)  # when SNDUs that end in this TS packet were made, or had to be
    concatenated: int = 0  # the first type of those SNDUs which carry several units


class EncapsulatorJudge:
    """Follows the TS packets of an encapsulator; `findings` is complete after `finish`.

    `packed` counts SNDUs that begin after another one in a TS packet, `sndus` whole SNDUs, `tests` the Test SNDUs among
    them, and `units` the units that the SNDUs carry. `left` counts TS packets by the number of octets after the last
    SNDU that ends in them, and by PUSI.
    """

    def __init__(self, setting: Setting, pdus: Iterable[Pdu]) -> None:
        self.setting = setting
        self.findings: list[Finding] = []
        self.packed = self.sndus = self.tests = self.units = self.number = 0
        self.left: dict[tuple[int, bool], int] = {}
        self.broadcasts = frozenset(broadcasts_of(setting.subnets))
        self.streams = {setting.first_pid + n: _Stream() for n in range(setting.channels)}
        for pdu in pdus:
            self.streams[setting.first_pid + pdu.channel].waiting.append(pdu)

    def _find(self, requirement: str, sentence: str) -> None:
        self.findings.append(Finding(sentence, requirement, self.number))

    def finish(self) -> list[Finding]:
        """All findings: with PDUs that are not on the link."""
        for pid, stream in self.streams.items():
            if stream.waiting or stream.current:
                sentence = f"{len(stream.waiting)} PDUs are not on the link, or not as a whole (PID {pid})"
                self.findings.append(Finding(sentence, _whole(stream.waiting[0] if stream.waiting else None)))
        return self.findings

    # ---- TS packets: 3, 6

    def take(self, time_ns: int, packet: bytes) -> None:
        """The next TS packet, and when it left."""
        self._take(time_ns, packet)
        self.number += 1

    def _take(self, time_ns: int, packet: bytes) -> None:
        if len(packet) != TS_OCTETS or packet[0] != SYNC:
            self._find("RFC4326-3-1", f"{len(packet)} octets that begin with '{packet[:1].hex()}' are no TS packet")
            return
        pid, starts = int.from_bytes(packet[1:3]) & 0x1FFF, bool(packet[1] & 0x40)
        if pid not in self.streams:
            return  # of tables, null packets …; PDUs that it carries are missing
        if packet[1] & 0x80 or packet[3] & 0xC0:
            self._find("", "The TS packet says that it is in error, or scrambled")
        if packet[3] >> 4 & 3 != 1:
            self._find("RFC4326-3-2", f"The adaptation field control is {packet[3] >> 4 & 3:02b}, not 01")
            return
        stream, counter = self.streams[pid], packet[3] & 15
        if stream.counter is not None and counter != (stream.counter + 1) % 16:
            self._find("RFC4326-6.1-2", f"The continuity counter is {counter} after {stream.counter}")
        is_first, stream.counter = stream.counter is None, counter
        stream.ended, stream.concatenated = [], 0
        rest = packet[TS_HEADER:]
        if starts:
            rest = self._pointer(stream, rest, is_first)
        elif not stream.current:
            fresh = "RFC4326-6.1-1" if is_first else "RFC4326-6.2-1"
            self._find(fresh, "The PUSI is 0, and no SNDU goes on here")
            return
        left = self._sndus(stream, rest, starts, time_ns)
        if stream.ended and not stream.current:
            self.left[left, starts] = self.left.get((left, starts), 0) + 1
        self._timing(stream, time_ns, left, starts)

    def _pointer(self, stream: _Stream, payload: bytes, is_first: bool) -> bytes:
        """The octets after the Payload Pointer, from where the judge goes on."""
        pointer, rest = payload[0], payload[1:]
        missing = _missing(stream.current) if stream.current else 0
        if pointer == missing:
            return rest
        if missing:
            self._find("RFC4326-6.2-6", f"The Payload Pointer is {pointer}, and the SNDU lacks {missing} octets")
        else:
            fresh = "RFC4326-6.1-1" if is_first else "RFC4326-6.2-1"
            self._find(fresh, f"The Payload Pointer is {pointer}, not 0, though no SNDU goes on here")
        if pointer <= LARGEST_POINTER:
            stream.current, rest = b"", rest[pointer:]
        return rest

    def _sndus(self, stream: _Stream, rest: bytes, starts: bool, time_ns: int) -> int:
        """Follows the SNDUs of a payload. Returns the octets after the last one that ends in it."""
        begun = False
        while True:
            if stream.current:
                missing = _missing(stream.current)
                stream.current, rest = stream.current + rest[:missing], rest[missing:]
                if _missing(stream.current):
                    break
                sndu, stream.current = stream.current, b""
                self._sndu(stream, sndu, time_ns)
            if len(rest) < 2 or rest[:2] == b"\xff\xff":
                self._fill(rest, starts)
                break
            length = int.from_bytes(rest[:2]) & 0x7FFF
            if not starts:
                requirement = "RFC4326-6.2-3" if len(rest) == 2 else "RFC4326-6.2-4"
                self._find(requirement, f"{len(rest)} octets after an SNDU begin with {rest[:2].hex()}, and PUSI is 0")
                break
            if length <= 4:
                self._find("RFC4326-4.2-1", f"The Length of an SNDU is {length}")
                break
            if stream.ended:
                self.packed += 1
                if not self.setting.packing:
                    self._find("", "An SNDU begins behind another one, though the configuration says padding")
            begun, stream.current, rest = True, rest[:2], rest[2:]
        if starts and not begun:
            self._find("RFC4326-3-4", "The PUSI is 1, and no SNDU begins")
        return len(rest)

    def _fill(self, rest: bytes, starts: bool) -> None:
        if rest != b"\xff" * len(rest):
            requirement = "RFC4326-6.2-2" if len(rest) == 1 else "RFC4326-6.1-3"
            self._find(requirement, f"{len(rest)} octets after an SNDU are not all 0xFF: {rest.hex()[:40]}")

    def _timing(self, stream: _Stream, time_ns: int, left: int, starts: bool) -> None:
        """6.2 v: how long what ends in a TS packet has waited for it to leave."""
        if not stream.ended:
            return
        waited, threshold = time_ns - min(stream.ended), self.setting.threshold_us * 1000
        late = {TS_CONCAT: "RFC5163-3.1-8", PDU_CONCAT: "RFC5163-3.2-10"}.get(stream.concatenated, "RFC4326-6.2-9")
        early = {TS_CONCAT: "RFC5163-3.1-7", PDU_CONCAT: "RFC5163-3.2-9"}.get(stream.concatenated, "RFC4326-6.2-8")
        if waited > threshold:
            self._find(late, f"The TS packet leaves {waited - threshold} ns behind the thresholds that are configured")
        had_room = left >= (2 if starts else 3) and not stream.current
        if had_room and waited < (threshold if self.setting.packing else 0):
            self._find(early, f"The TS packet leaves {threshold - waited} ns before its threshold")

    # ---- SNDUs: 4, 5

    def _npas_of(self, pdu: Pdu) -> tuple[bytes, ...]:
        return npas_of(pdu, self.setting.npa, self.broadcasts)

    def _sndu(self, stream: _Stream, sndu: bytes, time_ns: int) -> None:
        self.sndus += 1
        before = list(stream.waiting)
        expected = before[0] if before else None
        if crc(sndu):
            self._find("RFC4326-4.6-2", f"The CRC of an SNDU is {sndu[-4:].hex()}, not {crc(sndu[:-4]):08x}")
        content = sndu[4:-4] if sndu[0] & 0x80 else sndu[10:-4]
        chain = self._chain(int.from_bytes(sndu[2:4]), content, expected, time_ns)
        is_test = chain is not None and chain[0] == 0
        self._address(sndu, None if is_test else expected, is_test)
        if chain is not None:
            self._content(stream, *chain)
        if len(stream.waiting) == len(before) and stream.waiting and (chain is None or chain[0] != 0):
            stream.waiting.popleft()  # it has been complained about
        carried = before[: len(before) - len(stream.waiting)]
        self.units += len(carried)
        if carried:
            stream.ended.append(self._made(carried, stream.waiting[0] if stream.waiting else None))
            if chain is not None and chain[0] in (TS_CONCAT, PDU_CONCAT):
                stream.concatenated = stream.concatenated or chain[0]

    def _address(self, sndu: bytes, expected: Pdu | None, is_test: bool) -> None:
        """The D-bit and the NPA address of an SNDU that is to carry a PDU. That of a Test SNDU is nobody's, and "The
        D-bit MAY be set in a TEST SNDU" (RFC 4326, 5.1)."""
        has_address, npa = not sndu[0] & 0x80, sndu[4:-4][:6]
        if has_address != self.setting.address and not is_test:
            word = "present" if self.setting.address else "absent"
            sentence = f"The D-bit is {int(not has_address)}, and the address is to be {word}"
            if self.setting.address_by_default:
                self._find("RFC4326-4.1-3", f"{sentence} by default")
            else:
                self._find("", sentence)
        if not has_address:
            return
        if len(npa) < 6:
            self._find("RFC4326-4.2-1", f"An SNDU with a D-bit of 0 has a Length of {len(sndu) - 4}")
        elif not any(npa):
            self._find("RFC4326-4.5-4", "The NPA address is 00:00:00:00:00:00")
        elif expected is not None and npa not in (wanted := self._npas_of(expected)):
            sentence = f"The NPA address is {npa.hex(':')}, not {wanted[0].hex(':')}"
            self._find(_of_address(wanted[0], self.setting.npa), sentence)

    def _made(self, carried: Sequence[Pdu], following: Pdu | None) -> int:
        """The time at which an SNDU with these PDUs had to be completed: when it was full, when the next PDU had to go
        into another SNDU, or when the PDU (or TS) Packing Threshold had passed."""
        last = carried[-1].time_ns
        if len(carried) >= self.setting.concat:
            return last
        due = carried[0].time_ns + self.setting.concat_threshold_us * 1000
        return due if following is None else max(last, min(due, following.time_ns))

    def _chain(self, type_: int, content: bytes, expected: Pdu | None, time_ns: int) -> tuple[int, bytes] | None:
        """Type and octets after the optional extension headers; None if they go beyond the end."""
        stamps: list[bytes] = []
        words = 0
        while 0x100 <= type_ < FIRST_ETHER_TYPE:
            octets, h_type = 2 * (type_ >> 8), type_ & 0xFF
            if len(content) < octets:
                self._find("RFC4326-5-1", f"The extension header 0x{type_:04x} goes beyond the end of its SNDU")
                return None
            body, content = content[: octets - 2], content[octets - 2 :]
            if h_type == PADDING:
                words += octets // 2
                if any(body):
                    self._find("RFC4326-5.3-1", f"An Extension-Padding header has {body.hex()} in it")
            elif h_type == TIME_STAMP:
                stamps.append(body)
            type_, content = int.from_bytes(content[:2]), content[2:]
        if words != self.setting.padding_words:
            self._find("", f"{words} words of Extension-Padding, not {self.setting.padding_words} as configured")
        if len(stamps) != self.setting.time_stamp:
            self._find("", f"{len(stamps)} time stamps, not {int(self.setting.time_stamp)} as configured")
        if expected is not None and type_ != 0:
            for body in stamps:
                self._time_stamp(body, expected, time_ns)
        return type_, content

    def _time_stamp(self, body: bytes, expected: Pdu, left_ns: int) -> None:
        """ "Past the hour in Universal Time when the PDU was encapsulated", which is not before it came, nor after its
        TS packet left; "unused least-significant bits" of a system are zero."""
        first, last = (self._universal_us(time_ns) for time_ns in (expected.time_ns, left_ns))
        stamp = int.from_bytes(body)
        is_one = any(
            (stamp - (first % HOUR_US >> unused << unused)) % HOUR_US <= last - first and not stamp % (1 << unused)
            for unused in range(COARSEST_BITS + 1)
        )
        if len(body) != 4 or stamp >= HOUR_US or not is_one:
            sentence = f"The time stamp is 0x{body.hex()}, and the PDU came {first % HOUR_US} us past the hour"
            self._find("RFC5163-3.3-1", sentence)

    def _universal_us(self, time_ns: int) -> int:
        return (self.setting.universal_time_ns + time_ns) // 1000

    def _content(self, stream: _Stream, type_: int, content: bytes) -> None:
        if type_ == 0:
            self.tests += 1  # it carries no PDU
            return
        if type_ == BRIDGED:
            self._frame(stream, content)
        elif type_ == TS_CONCAT:
            if not content or len(content) % TS_OCTETS:
                self._find("RFC5163-3.1-3", f"A TS-Concat SNDU carries {len(content)} octets")
            for at in range(0, len(content), TS_OCTETS):
                if int.from_bytes(content[at + 1 : at + 3]) & 0x1FFF == NULL_PID:
                    self._find("RFC5163-3.1-4", "A null packet is in a TS-Concat SNDU")
                self._pdu(stream, TS_CONCAT, content[at : at + TS_OCTETS])
        elif type_ == PDU_CONCAT:
            self._pdus(stream, content)
        elif type_ < 0x100:
            self._find("RFC4326-4.4-1", f"No RFC has a mandatory extension header of the type 0x{type_:04x}")
        else:
            self._pdu(stream, type_, content)

    def _pdus(self, stream: _Stream, content: bytes) -> None:
        type_, rest = int.from_bytes(content[:2]), content[2:]
        if type_ == PDU_CONCAT or len(content) < 4:
            self._find("RFC5163-3.2-2", f"A PDU-Concat SNDU of {len(content)} octets carries the type {type_}")
            return
        while rest:
            if rest[0] & 0x80:
                self._find("RFC5163-3.2-3", "The R bit of a concatenated PDU is 1")
            length = int.from_bytes(rest[:2]) & 0x7FFF
            if len(rest) < 2 or not 0 < length < 32_758 or length > len(rest) - 2:
                self._find("RFC5163-3.2-5", f"A concatenated PDU has a length of {length}, with {len(rest)} left")
                return
            pdu, rest = rest[2 : 2 + length], rest[2 + length :]
            if type_ == BRIDGED:
                self._frame(stream, pdu)
            else:
                self._pdu(stream, type_, pdu)

    def _frame(self, stream: _Stream, frame: bytes) -> None:
        expected = stream.waiting[0] if stream.waiting else None
        if expected is None or expected.type == FRAME:
            self._pdu(stream, FRAME, frame)
            return
        if not self.setting.bridged:
            self._find("", "An IP packet is in a bridged frame, against the configuration")
        if frame[:6] not in self._npas_of(expected) or frame[6:12] != self.setting.mac:
            self._find("RFC4326-5.2-4", f"The MAC addresses of a bridged frame are {frame[:12].hex(':')}")
        self._pdu(stream, int.from_bytes(frame[12:14]), frame[14:])

    def _pdu(self, stream: _Stream, type_: int, octets: bytes) -> None:
        if not stream.waiting:
            self._find("RFC4326-4.7.2-1", f"{len(octets)} octets are on the link that no PDU has")
            return
        expected = stream.waiting.popleft()
        if type_ != expected.ether_type:
            self._find("RFC4326-4.4-1", f"The type is 0x{type_:04x}, not 0x{expected.ether_type:04x}")
        if octets != expected.octets:
            sentence = f"{len(octets)} octets differ from the PDU of {len(expected.octets)} that is next"
            self._find(_whole(expected), sentence)


def _whole(pdu: Pdu | None) -> str:
    return "RFC4326-4.7.3-1" if pdu is not None and pdu.ether_type == 0x86DD else "RFC4326-4.7.2-1"


def broadcasts_of(subnets: Iterable[str]) -> Iterator[bytes]:
    """The broadcast addresses of IPv4 subnetworks; those of 31 and 32 bits have none (RFC 3021)."""
    for subnet in subnets:
        network = ipaddress.IPv4Network(subnet, strict=False)
        if network.prefixlen < 31:
            yield network.broadcast_address.packed


def npas_of(pdu: Pdu, own: bytes, broadcasts: Container[bytes] = frozenset()) -> tuple[bytes, ...]:
    """The NPA addresses that a PDU may have (4.5): of a frame, the receiver's; of an IP packet, by its destination. 4.5
    names broadcasts of subnetworks; the limited broadcast address it leaves open."""
    octets = pdu.octets
    if pdu.ether_type == 0x0800 and len(octets) >= 20:
        if octets[16:20] in broadcasts:
            return (BROADCAST,)
        if octets[16:20] == b"\xff" * 4:
            return BROADCAST, own
        if octets[16] >> 4 == 14:
            return (bytes([1, 0, 0x5E, octets[17] & 0x7F]) + octets[18:20],)
    if pdu.ether_type == 0x86DD and len(octets) >= 40 and octets[24] == 0xFF:
        return (b"\x33\x33" + octets[36:40],)
    return (own,)


def _of_address(wanted: bytes, own: bytes) -> str:
    """The requirement on an address; "" if the configuration alone says it."""
    if wanted == BROADCAST:
        return "RFC4326-4.5-5"
    return "" if wanted == own else "RFC4326-4.5-6"


def _missing(sndu: bytes) -> int:
    """Octets that an SNDU lacks."""
    return 4 + (int.from_bytes(sndu[:2]) & 0x7FFF) - len(sndu)


def judge(setting: Setting, pdus: Sequence[Pdu], packets: Iterable[tuple[int, bytes]]) -> EncapsulatorJudge:
    """Follows TS packets, each with the time in ns at which it left, to the end."""
    result = EncapsulatorJudge(setting, pdus)
    for time_ns, packet in packets:
        result.take(time_ns, packet)
    result.finish()
    return result
