# SPDX-License-Identifier: Apache-2.0
"""Sequence numbers in the feedback of a decompressor: the packets that they may name (RFC 3095 and RFC 6846)."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

from headroom.schemes.rohc.conformance import feedback
from headroom.schemes.rohc.conformance.feedback import Feedback
from headroom.schemes.rohc.judge.framework.findings import Remark
from headroom.schemes.rohc.judge.tcp import feedback as tcp
from headroom.schemes.rohc.judge.v1 import feedback as v1
from headroom.schemes.rohc.judge.v1.rules_stream import WITHOUT_CRC

SN_BITS = {"IR": 16, "IR-DYN": 16}  # of packets that have more than the SN field of FEEDBACK-2


class SentPacket(NamedTuple):
    """A link packet as its sender knows it. `mode` is the mode that it carries, "" if none; `validated` is True if its
    CRC-8 is right.
    """

    cid: int
    kind: str
    sn: int
    mode: str = ""
    validated: bool = False


class NumberRules(Protocol):
    """Rules for sequence numbers in feedback, of one family of profiles. Takes the packets in their order, each with
    the feedback that answers it.
    """

    def remarks(self, sent: SentPacket, came_out: bool, read: Sequence[Feedback]) -> list[Remark]: ...


@dataclass
class SequenceNumbers:
    """RFC 3095, 5.7.6.1: feedback names its context and the header that caused it, or the last one decompressed.

    Feedback never names a packet without a CRC, but the last packet before it that has one (RFC 4815, 3.2).
    """

    last: int | None = None  # of the last packet that was decompressed and had a CRC
    mode: str = "U"  # as the packets have set it

    def remarks(self, sent: SentPacket, came_out: bool, read: Sequence[Feedback]) -> list[Remark]:
        self.mode = sent.mode or self.mode
        mine = [feedback for feedback in read if isinstance(feedback, v1.Feedback)]
        without_crc = sent.kind in WITHOUT_CRC
        remarks = [*of_other_contexts(sent.cid, read), *self._about(mine, None if without_crc else sent.sn)]
        if self.mode == "R":
            remarks += _short_numbers(mine, sent.kind)
        if came_out and not without_crc:
            self.last = sent.sn
        return remarks

    def _about(self, read: Sequence[v1.Feedback], sn: int | None) -> list[Remark]:
        remarks = []
        for element in read:
            named = [number for number in (sn, self.last) if number is not None]
            if not element.sn_is_valid or any(feedback.has_sn(element, number) for number in named):
                continue
            known = (
                "no packet was decompressed yet" if self.last is None else f"the last one decompressed had {self.last}"
            )
            caused = "caused it has no CRC" if sn is None else f"caused it had {sn}"
            sentence = f"{feedback.text_of(element)} carries SN {element.sn.value}; the packet that {caused}, {known}."
            if sn is None:
                remarks.append(Remark("RFC4815-3.2-3", sentence))
            else:
                remarks.append(Remark("RFC3095-5.7.6.1-2" if self.last is None else "RFC3095-5.7.6.1-1", sentence))
        return remarks


def _short_numbers(read: Sequence[v1.Feedback], kind: str) -> list[Remark]:
    """RFC 3095, 5.5.2.2: in R-mode the SN of feedback has at least as many bits as that of the packet."""
    bits = SN_BITS.get(kind, 0)
    return [
        Remark(
            "RFC3095-5.5.2.2-10",
            f"{feedback.text_of(element)} has {element.sn.width} bits of SN; {kind}, which it answers, has {bits}.",
        )
        for element in read
        if element.sn_is_valid and element.sn.width < bits
    ]


@dataclass
class MasterSequenceNumbers:
    """RFC 6846, 8.3.1: "the MSN corresponding to the last header that was successfully CRC-8 validated or CRC
    verified". If the CRC-8 of a packet is right but the decompressor restores nothing from it, feedback may name this
    packet, because it was validated, or the last restored packet, because the compressor can rely only on that one.
    """

    named: dict[int, list[int]] = field(default_factory=dict)  # by CID: MSNs that feedback may have
    known: set[int] = field(default_factory=set)  # CIDs of which something has come out

    def remarks(self, sent: SentPacket, came_out: bool, read: Sequence[Feedback]) -> list[Remark]:
        self.take(sent, came_out)
        return [*of_other_contexts(sent.cid, read), *self.check(read)]

    def take(self, sent: SentPacket, came_out: bool) -> None:
        if came_out:
            self.named[sent.cid] = [sent.sn]
            self.known.add(sent.cid)
        elif sent.validated:
            self.named.setdefault(sent.cid, []).append(sent.sn)

    def check(self, read: Sequence[Feedback]) -> list[Remark]:
        remarks = []
        for element in read:
            named = self.named.get(element.cid, [])
            if isinstance(element, tcp.Feedback):
                is_right = not element.has_msn or any(element.is_about(msn) for msn in named)
                carried = f"{element.width} bits of MSN, {element.msn}"
            else:
                is_right = not element.sn_is_valid or any(feedback.has_sn(element, msn) for msn in named)
                carried = f"{element.sn.width} bits of SN, {element.sn.value}"
            if not is_right:
                known = f"the last header that was verified has {named[-1]}" if named else "no header was verified yet"
                remarks.append(Remark("RFC6846-8.3.1-1", f"{feedback.text_of(element)} carries {carried}; {known}."))
        return remarks


class NoNumbers:
    """The rules for profile 0x0000: it has no sequence numbers, so there are no remarks."""

    def remarks(self, sent: SentPacket, came_out: bool, read: Sequence[Feedback]) -> list[Remark]:
        return []


def of_other_contexts(cid: int, read: Sequence[Feedback]) -> list[Remark]:
    return [
        Remark("RFC5795-5.2.4.1-5", f"A packet of CID {cid} is answered with feedback for CID {feedback.cid}.")
        for feedback in read
        if feedback.cid != cid
    ]
