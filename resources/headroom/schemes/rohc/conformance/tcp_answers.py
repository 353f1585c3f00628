# SPDX-License-Identifier: Apache-2.0
"""Judges the feedback of a decompressor about contexts of profile 0x0006: its form, and its MSN (RFC 6846, 8.3). The
judge decompresses the same packets.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field

from headroom.schemes.rohc.conformance import feedback
from headroom.schemes.rohc.conformance.numbers import MasterSequenceNumbers, SentPacket
from headroom.schemes.rohc.conformance.tcp_sender import INITIALISING
from headroom.schemes.rohc.judge import Outcome, Parameters
from headroom.schemes.rohc.judge.framework.findings import Remark

CRC_8 = ("RFC6846-5.3.1.1-1", "RFC4164-3.4.1-1")  # the judge's words for one that is wrong


@dataclass
class TcpAnswers:
    """Takes the packets of one channel in the order in which they arrive, with the answers to each.

    MSNs are judged as long as the last verified header is known. It is not known after a packet that the judge refuses
    although its CRC-8 is right, nor if `orderly` is False: then packets may be lost, damaged or reordered.
    """

    parameters: Parameters
    orderly: bool = True
    numbers: MasterSequenceNumbers = field(default_factory=MasterSequenceNumbers)

    def take(self, outcome: Outcome, verdict: str, elements: Iterable[str]) -> list[Remark]:
        """The remarks on the feedback after a packet. `outcome` is the judge's; `verdict` is the engine's verdict on
        the output; `elements` are feedback elements in hexadecimal.
        """
        self._follow(outcome, verdict)
        octets = [bytes.fromhex(element) for element in elements]
        read = feedback.read_about_tcp(octets, self.parameters, self.numbers.known)
        return read.remarks + (self.numbers.check(read.read) if self.orderly else [])

    def _follow(self, outcome: Outcome, verdict: str) -> None:
        packet = outcome.packet.tcp if outcome.packet is not None else None
        if packet is not None:
            validated = packet.kind in INITIALISING
            sent = SentPacket(packet.cid, packet.kind, packet.context.control["msn"] or 0, validated=validated)
            self.numbers.take(sent, verdict == "identical")
        elif outcome.error is not None and outcome.error.requirement not in CRC_8:
            self.orderly &= all(field.name != "CRC" for field in outcome.error.fields)
        self.orderly &= verdict not in ("mismatched", "unexpected")
