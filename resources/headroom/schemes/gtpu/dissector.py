# SPDX-License-Identifier: Apache-2.0
"""GTP-U and PFCP in captures: our reading of messages (TS 29.281, TS 29.244), and tshark's."""

from dataclasses import dataclass
from typing import ClassVar

from headroom.core import tshark
from headroom.core.captures import framing, ip_headers
from headroom.core.captures.dissection import Flow, PayloadDissector, PayloadReader, PayloadReading, Reading, Row, Value
from headroom.schemes.gtpu import judge, pfcp_captures
from headroom.schemes.gtpu.pfcp.tables import PORT as PFCP_PORT

FIELDS = {  # field of tshark -> name of a value, and whether there are several
    "gtp.message": ("message", False),
    "gtp.length": ("GTP-U length", False),
    "gtp.teid": ("TEID", False),
    "gtp.seq_number": ("sequence", False),
    "gtp.npdu_number": ("N-PDU", False),
    "gtp.ext_hdr.next": ("extension headers", True),
    "gtp.ext_hdr.pdu_ses_con.pdu_type": ("PDU type", False),
    "gtp.ext_hdr.pdu_ses_con.qos_flow_id": ("QFI", False),
    "gtp.ext_hdr.pdu_ses_cont.rqi": ("RQI", False),
    "gtp.ext_hdr.pdu_ses_cont.ppi": ("PPI", False),
}
# Ethernet types of frames without IP by which an Ethernet PDU session is known: ARP, MPLS, PPPoE, EAPOL, PROFINET,
# EtherCAT, MVRP, LLDP, MACsec, PTP and CFM.
ETHERNET_TYPES = (
    *(0x0806, 0x8035, 0x8847, 0x8848, 0x8863, 0x8864, 0x888E, 0x8892, 0x88A4, 0x88F5, 0x88CC, 0x88E5, 0x88F7, 0x8902),
)
# The first octets by which tshark knows an IPv4 packet in a T-PDU: the one of the longest header is not among them.
OCTETS_OF_IPV4 = range(0x45, 0x4F)


class GtpuDissector(PayloadDissector):
    """User packets in GTP-U, its own messages, and the messages of N4."""

    hexadecimal: ClassVar = {"TEID": 8}
    is_tunnel = True
    fields = (*FIELDS, *pfcp_captures.FIELDS)

    def reader(self) -> PayloadReader:
        return GtpuReader()

    def complete(self, row: Row, reading: Reading) -> None:
        tshark.take(row, FIELDS | pfcp_captures.FIELDS, reading.values)
        numbers = reading.values.get("extension headers")
        if isinstance(numbers, list):
            # The first octet says which comes first, each header which comes next; 0 ends them.
            reading.values["extension headers"] = [f"0x{number:02x}" for number in numbers if number]

    def is_own(self, flow: Flow, payload: bytes, missing: int = 0) -> bool:
        if PFCP_PORT in flow[2:]:
            return pfcp_captures.is_message(payload)
        return judge.is_message(payload, flow[3] == judge.PORT, missing)

    def refusal(self, payload: bytes) -> str:
        return f"not GTP-U, though on UDP port {judge.PORT}: {judge.why_none(payload)} (TS 29.281, 4.4.2 and 5.1)"

    def inner(self, payload: bytes, missing: int = 0) -> tuple[bytes, int]:
        try:
            message = judge.read(payload, missing)
        except judge.GtpuError:
            return b"", 0
        return carried(message.inner, message.missing).packet, message.missing

    def content(self, payload: bytes) -> tuple[bytes, str] | None:
        try:
            message = judge.read(payload)
        except judge.GtpuError:
            return None
        return (message.inner, f"TEID 0x{message.teid:08x}") if message.inner else None


@dataclass(frozen=True)
class Tpdu:
    """A T-PDU: the IP packet in it, b"" if there is none, a note on what else it is, and the Ethernet frame around."""

    packet: bytes
    note: str = ""
    frame: framing.Frame | None = None


def carried(pdu: bytes, missing: int = 0) -> Tpdu:
    """The content of a T-PDU. A G-PDU does not say the type of its PDU session: IPv4, IPv6, Ethernet or unstructured
    (TS 23.501, 5.6.1). `missing` counts the octets at its end that were not captured."""
    is_sized = framing.ip_length(pdu) == len(pdu) + missing and not framing.has_no_length(pdu)
    if not pdu or is_sized or ip_headers.has_right_checksum(pdu):
        return Tpdu(pdu)
    frame = framing.unwrap(framing.ETHERNET, pdu)
    # The IP header in a frame that was cut may be too short to be known as one.
    types = (*ETHERNET_TYPES, framing.TYPE_IPV4, framing.TYPE_IPV6) if missing else ETHERNET_TYPES
    kind = int.from_bytes(pdu[12 + 4 * len(frame.vlans) :][:2], "big")
    if frame.kind != framing.OTHER or kind in types:
        vlans = "".join(f", VLAN {vid}" for vid in frame.vlans)
        ends = f"{frame.source.hex(':')} → {frame.destination.hex(':')}"
        is_ip = frame.kind == framing.IP
        what = "" if is_ip or kind in (framing.TYPE_IPV4, framing.TYPE_IPV6) else f", {frame.what}"
        note = f"Ethernet PDU session: {ends}{vlans}{what}"
        return Tpdu(frame.octets if is_ip else b"", note, frame)
    if pdu[0] >> 4 in (4, 6):
        return Tpdu(pdu)
    if missing and len(pdu) < framing.LONGEST_ETHERNET_HEADER:
        return Tpdu(b"")  # too little to tell
    return Tpdu(
        b"",
        f"the T-PDU of {len(pdu) + missing} octets is no IP packet and no Ethernet frame: an unstructured PDU session",
    )


class GtpuReader(PayloadReader):
    """Reads messages, none of which depends on another."""

    def read(self, flow: Flow, payload: bytes, missing: int = 0) -> PayloadReading | None:
        if PFCP_PORT in flow[2:]:
            return pfcp_captures.reading(payload, missing)
        if judge.is_header_cut(payload, missing):
            return PayloadReading("GTP-U")
        try:
            message = judge.read(payload, missing)
        except judge.GtpuError as error:
            return PayloadReading("GTP-U", error=str(error))
        reading = PayloadReading(f"GTP-U {message.name}", message_values(message), notes=[*message.remarks])
        tpdu = carried(message.inner, message.missing)
        reading.inner, reading.missing = tpdu.packet, message.missing
        reading.notes += [tpdu.note] if tpdu.note else []
        first = message.inner[0] if message.inner else 0
        if tpdu.frame and (first in OCTETS_OF_IPV4 or first >> 4 == 6):
            reading.misreads = "tshark takes the frame's first octet for the version of an IP packet"
        elif tpdu.frame and tpdu.frame.vlans:
            reading.stops = "tshark knows no Ethernet frame with VLAN tags in a T-PDU"
        elif tpdu.packet and not tpdu.frame and first >> 4 == 4 and first not in OCTETS_OF_IPV4:
            reading.stops = f"tshark knows no IPv4 packet by the first octet 0x{first:02x} in a T-PDU"
        return reading


def message_values(message: judge.Message) -> dict[str, Value]:
    """The values of a GTP-U message by name."""
    values: dict[str, Value] = {"message": message.type, "GTP-U length": message.length, "TEID": message.teid}
    if message.sequence is not None:
        values["sequence"] = message.sequence
    if message.npdu is not None:
        values["N-PDU"] = message.npdu
    if message.extensions:
        values["extension headers"] = [f"0x{extension.type:02x}" for extension in message.extensions]
    if container := message.container:
        values |= {"PDU type": container.pdu_type, "QFI": container.qfi}
        values |= {name: v for name, v in (("RQI", container.rqi), ("PPI", container.ppi)) if v is not None}
    return values
