# SPDX-License-Identifier: Apache-2.0
"""G-PDUs of the uplink, valid or not, which the fields of a suite's row describe.

first=0x50                 the first octet: version 2
flags=S,PN                 sequence number and N-PDU number
sequence=7                 a sequence number
extensions=85:1009 C0:0abc extension headers: type and content; `85/0:1009` has the length 0
last=85                    the next type of the last extension header
length=-4                  the Length field: its difference from the right length
trailing=8                 octets after the message in the datagram
unused=ff                  octets of optional fields without a flag
source_port=1024           the UDP port of the sender
checksum=0                 the UDP checksum
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from headroom.core.capabilities import NotDeclared
from headroom.core.errors import UsageError
from headroom.schemes.gtpu import judge, packets
from headroom.schemes.gtpu.conformance.check import Check
from headroom.schemes.gtpu.conversation import Conversation, Session, tunnelled
from headroom.schemes.gtpu.packets import Extension
from headroom.schemes.gtpu.user_plane import N3, N6

WORDS = ("first", "flags", "sequence", "extensions", "last", "length", "trailing", "unused")
WORDS += ("source_port", "checksum", "size")
FLAGS = ("", "E", "S", "PN")
EXTENSION = re.compile(r"([0-9A-Fa-f]{2})(?:/([0-9]+))?(?::([0-9A-Fa-f]*))?")


def extensions_of(text: str) -> list[Extension]:
    """The extension headers that a text describes. Raises UsageError."""
    extensions = []
    for word in text.split():
        match = EXTENSION.fullmatch(word)
        if match is None:
            raise UsageError(f"'{word}' is no extension header: write type, /length and :content, as in 85/1:1009.")
        kind, length, content = match.groups()
        octets = b"\0\0" if content is None else bytes.fromhex(content)
        extensions.append(Extension(int(kind, 16), octets, None if length is None else int(length)))
    return extensions


def message(session: Session, packet: bytes, fields: Mapping[str, str]) -> bytes:
    """The GTP-U message that the fields of a suite's row describe. Raises UsageError for an unknown field or flag, and
    for text that describes no extension header.
    """
    if unknown := sorted({*fields} - {*WORDS}):
        raise UsageError(f"There is no field {', '.join(unknown)} of uplink packets. Known: {', '.join(WORDS)}.")
    flags = [word for word in fields.get("flags", "").split(",") if word]
    if wrong := sorted({*flags} - {*FLAGS}):
        raise UsageError(f"There is no flag {', '.join(wrong)}. Known: E, S, PN.")
    chain: list[Extension] = []
    if "extensions" in fields:
        chain = extensions_of(fields["extensions"])
    elif session.qfi is not None and (not flags or "E" in flags) and "first" not in fields:
        chain = [packets.container(1, session.qfi)]
    more: dict[str, Any] = {"extensions": chain, "unused": int(fields.get("unused", "0"), 16)}
    if "S" in flags or "sequence" in fields:
        more["sequence"] = int(fields.get("sequence", "4660"), 0)
    if "PN" in flags:
        more["npdu"] = 0x56
    if "first" in fields:
        more["first"] = int(fields["first"], 0)
    octets = bytearray(packets.gtpu(judge.G_PDU, session.teid, packet, **more))
    if "last" in fields:
        octets[len(octets) - len(packet) - 1] = int(fields["last"], 16)
    if "length" in fields:
        size = int.from_bytes(octets[2:4], "big") + int(fields["length"])
        octets[2:4] = max(0, min(0xFFFF, size)).to_bytes(2, "big")
    return bytes(octets) + b"\xa5" * int(fields.get("trailing", 0))


def datagram(talk: Conversation, session: Session, packet: bytes, fields: Mapping[str, str]) -> bytes:
    """The IP packet of a row."""
    more: dict[str, Any] = {}
    if "source_port" in fields:
        more["source_port"] = int(fields["source_port"])
    if "checksum" in fields:
        more["checksum_value"] = int(fields["checksum"], 0)
    return talk.from_access(session, message(session, packet, fields), **more)


def must_be_forwarded(talk: Conversation, check: Check, fields: Mapping[str, str], or_dropped: bool = False) -> None:
    """The packet of a row goes to the data network, and nothing is answered; with `or_dropped` it may be dropped.
    Raises NotDeclared for a PDU session container if sessions have no QoS flows."""
    session = talk.establish()
    chain = extensions_of(fields.get("extensions", ""))
    if session.qfi is None and any(extension.type == judge.PDU_SESSION_CONTAINER for extension in chain):
        raise NotDeclared("Its sessions have no QoS flows, and therefore no PDU session containers.")
    packet = talk.to_network(session, int(fields.get("size", 64)))
    step = talk.give(datagram(talk, session, packet, fields), N3)
    if step.sent(N6) or not or_dropped:
        check.uplink(step, packet)
    check.expect(not tunnelled(step), "The packet was answered.")


def must_be_dropped(talk: Conversation, check: Check, fields: Mapping[str, str], answers: int = 0) -> None:
    """The packet of a row does not go on, at most so many messages come back, and the next packet goes through."""
    session = talk.establish()
    packet = talk.to_network(session, int(fields.get("size", 64)))
    step = talk.give(datagram(talk, session, packet, fields), N3)
    check.dropped(step)
    came = len(tunnelled(step))
    check.expect(came <= answers, f"{came} messages came back.")
    check.expect(not any(packet in octets for octets in step.sent()), "The user's packet came back.")
    packet = talk.to_network(session)
    check.uplink(talk.uplink(session, packet), packet, "TS29244-8.2.26-2")
