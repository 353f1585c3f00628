# SPDX-License-Identifier: Apache-2.0
"""GTP-U in captures: the judge's reading of messages (TS 29.281), and tshark's."""

from typing import ClassVar

from headroom.core import tshark
from headroom.core.captures.dissection import Flow, PayloadDissector, PayloadReader, PayloadReading, Reading, Row, Value
from headroom.schemes.gtpu import judge

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


class GtpuDissector(PayloadDissector):
    """User packets in GTP-U, and its own messages."""

    hexadecimal: ClassVar = {"TEID": 8}
    is_tunnel = True
    fields = tuple(FIELDS)

    def reader(self) -> PayloadReader:
        return GtpuReader()

    def complete(self, row: Row, reading: Reading) -> None:
        tshark.take(row, FIELDS, reading.values)
        numbers = reading.values.get("extension headers")
        if isinstance(numbers, list):
            # The first octet says which comes first, each header which comes next; 0 ends them.
            reading.values["extension headers"] = [f"0x{number:02x}" for number in numbers if number]

    def inner(self, payload: bytes) -> bytes:
        try:
            return judge.read(payload).inner
        except judge.GtpuError:
            return b""


class GtpuReader(PayloadReader):
    """Reads messages, none of which depends on another."""

    def read(self, flow: Flow, payload: bytes) -> PayloadReading:
        try:
            message = judge.read(payload)
        except judge.GtpuError as error:
            return PayloadReading("GTP-U", error=str(error))
        found = PayloadReading(f"GTP-U {message.name}", message_values(message), notes=[*message.remarks])
        if message.inner and message.inner[0] >> 4 in (4, 6):
            found.inner = message.inner
        elif message.inner:
            found.notes.append(f"the T-PDU of {len(message.inner)} octets is no IP packet")
        return found


def message_values(message: judge.Message) -> dict[str, Value]:
    """The values of a GTP-U message by name."""
    values: dict[str, Value] = {"message": message.type, "GTP-U length": message.length, "TEID": message.teid}
    if message.sequence is not None:
        values["sequence"] = message.sequence
    if message.npdu is not None:
        values["N-PDU"] = message.npdu
    if message.extensions:
        values["extension headers"] = [f"0x{one.type:02x}" for one in message.extensions]
    if container := message.container:
        values |= {"PDU type": container.pdu_type, "QFI": container.qfi}
        values |= {name: v for name, v in (("RQI", container.rqi), ("PPI", container.ppi)) if v is not None}
    return values
