# SPDX-License-Identifier: Apache-2.0
"""Stories about state that an endpoint keeps of its own messages, for its peer to compress against: shared compression,
RFC 3321, 5.2. As those of `endpoint_stories`."""

from headroom.core.text import nth
from headroom.schemes.sigcomp.conformance.endpoint_cases import accessing
from headroom.schemes.sigcomp.conformance.endpoint_session import Session
from headroom.schemes.sigcomp.conformance.endpoint_stories import NothingHappened, announced, messages
from headroom.schemes.sigcomp.conformance.peer import FarEnd, fault_of
from headroom.schemes.sigcomp.judge import message as wire
from headroom.schemes.sigcomp.judge.assembling import assemble
from headroom.schemes.sigcomp.judge.states import ITEM_COST, Item

# What the far end answers, and what the endpoint then sends has the most of.
ANSWER = (
    b"SIP/2.0 200 OK\r\nVia: SIP/2.0/UDP host.example.com;branch=z9hG4bK%d\r\n"
    b"Contact: <sip:somebody-%d@%d.far.example.net:5060;transport=udp;comp=sigcomp>\r\n"
    b"Record-Route: <sip:proxy-%d.example.net;lr>, <sip:proxy-%d.example.org;lr>\r\n\r\n"
)
BEFORE = b"ACK sip:user@example.com SIP/2.0\r\n"


def announced_before_use(session: Session, far: FarEnd, count: int = 8) -> list[str]:
    """The far end keeps every second message of its own and announces it; in the messages between, it repeats the last
    announcement. The endpoint may refer only to state that the far end has. Raises NothingHappened if it refers to none
    of these messages."""
    wrong: list[str] = []
    kept: list[bytes] = []
    answer = b""
    for number in range(count):
        message = BEFORE + answer
        octets = session.message(session.compress(message))
        if fault := fault_of(far.hears(octets), message, octets):
            wrong.append(f"{nth('message', number)}: {fault}")
        answer = ANSWER % ((number,) * 5)
        if number % 2 == 0:
            kept.append(far.keeps(answer))
        session.decompress(far.says(answer, returned=announced(kept[-1:])))
    if not wrong and not any(far.has_referred_to(octets) for octets in kept):
        raise NothingHappened("It refers to no message that its peer has announced as state.")
    return wrong


SIZES = (500, 700)  # octets of the items that the far end has the endpoint keep, but for the last, which fills it up


def nothing_crowded_out(session: Session, far: FarEnd, state_memory_size: int) -> list[str]:
    """The far end fills the endpoint's state memory, so that one octet is missing for a message of the endpoint. The
    endpoint must not remove the far end's state in favour of its own."""
    sent = messages(6)
    left = min(len(message) for message in sent) + ITEM_COST - 1
    room = state_memory_size - left - ITEM_COST * (len(SIZES) + 1)
    items = [Item(bytes([number]) * size, 1024) for number, size in enumerate((*SIZES, room - sum(SIZES)), 0x61)]
    wrong: list[str] = []
    for number, message in enumerate(sent):
        if number < len(items):
            session.decompress(_creates(far, items[number]))
        octets = session.message(session.compress(message))
        if fault := fault_of(far.hears(octets), message, octets):
            wrong.append(f"{nth('message', number)}: {fault}")
        session.decompress(far.says(b"SIP/2.0 200 OK\r\n\r\n"))
    for number, item in enumerate(items, 1):
        seen = session.done(session.decompress(wire.upload(accessing(item, 6), feedback=far.to_return))).seen
        if [outcome.output for outcome in seen] != [item.value]:
            what = ", ".join(outcome.kind for outcome in seen) or "nothing"
            wrong.append(f"item {number} of its peer, {len(item.value)} octets, is not there any more: {what}")
    return wrong


def _creates(far: FarEnd, item: Item) -> bytes:
    code = f"""
        OUTPUT (text, 2)
        MEMSET ({item.address}, {len(item.value)}, {item.value[0]}, 0)
        STATE-CREATE ({len(item.value)}, {item.address}, {item.instruction}, {item.minimum_access_length}, 0)
        END-MESSAGE (0, 0, 0, 0, 0, 0, 0)
        :text
        hex (0d0a)"""
    return wire.upload(assemble(code), feedback=far.to_return)


def silent_after_i_bit(session: Session, far: FarEnd) -> list[str]:
    """The far end says with an I-bit that it will not refer to state of the endpoint; then the endpoint must not
    announce its state any more. Raises NothingHappened if the endpoint announced none before.
    """
    sent = messages(6)
    wrong: list[str] = []
    lists: list[tuple[bytes, ...]] = []
    for number, message in enumerate(sent):
        octets = session.message(session.compress(message))
        outcome = far.hears(octets)
        if fault := fault_of(outcome, message, octets):
            wrong.append(f"{nth('message', number)}: {fault}")
        parameters = outcome.run.parameters
        lists.append(parameters.announced if parameters else ())
        session.decompress(far.says(b"SIP/2.0 200 OK\r\n\r\n", requested=b"\x01" if number >= 2 else b"\x00"))
    if not wrong and not any(lists[:3]):
        raise NothingHappened("It announces no item of state, with or without an I-bit.")
    if late := sum(map(len, lists[3:])):
        wrong.append(f"{late} items of state are announced after an I-bit")
    return wrong
