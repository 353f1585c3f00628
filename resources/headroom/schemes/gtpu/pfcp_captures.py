# SPDX-License-Identifier: Apache-2.0
"""PFCP in captures: our reading of messages (TS 29.244), and the names of tshark's fields."""

from headroom.core.captures.dissection import PayloadReading, Value
from headroom.schemes.gtpu.conversation import Conversation
from headroom.schemes.gtpu.pfcp import message
from headroom.schemes.gtpu.pfcp.message import Message, PfcpError
from headroom.schemes.gtpu.pfcp.tables import Ie

FIELDS = {  # field of tshark -> name of a value, and whether there are several
    "pfcp.msg_type": ("message", False),
    "pfcp.length": ("PFCP length", False),
    "pfcp.seqno": ("sequence", False),
    "pfcp.cause": ("cause", False),
    "pfcp.ie_type": ("elements", True),
}


def is_message(octets: bytes) -> bool:
    """True if octets on the port of PFCP are meant as a message of it."""
    return len(octets) >= 8 and octets[0] >> 5 == message.VERSION


def reading(octets: bytes, missing: int) -> PayloadReading:
    """Our reading of a message; `missing` octets follow that were not captured."""
    if missing:
        return PayloadReading("PFCP", notes=["not read: it was not captured whole"])
    try:
        result = message.read(octets)
        notes = [*result.remarks]
        if result.value(Ie.CAUSE) is not None:
            notes.append(Conversation.told(result))
        return PayloadReading(f"PFCP {result.name}", values(result), notes=notes)
    except PfcpError as error:
        return PayloadReading("PFCP", error=str(error))


def values(result: Message) -> dict[str, Value]:
    """The values of a message by name. Raises PfcpError."""
    read: dict[str, Value] = {
        "message": result.type,
        "PFCP length": len(result.octets()) - 4,
        "sequence": result.sequence,
    }
    causes = [element for element in result.walk() if element.type == Ie.CAUSE]
    if causes:
        read["cause"] = causes[0].number()
    if types := [int(element.type) for element in result.walk()]:
        read["elements"] = types
    return read
