# SPDX-License-Identifier: Apache-2.0
"""Stories of a SigComp endpoint that compresses; its peer, the far end, conforms to the RFCs.

Each story returns its findings as sentences, [] if there are none. It raises `NothingHappened` if the condition under
test never occurred, because then it shows nothing about the endpoint.
"""

import random
from collections.abc import Sequence
from dataclasses import replace

from headroom.core.text import nth
from headroom.schemes.sigcomp.conformance.endpoint_session import Session
from headroom.schemes.sigcomp.conformance.peer import FarEnd, fault_of
from headroom.schemes.sigcomp.judge import message as wire
from headroom.schemes.sigcomp.judge.endpoint import Offer
from headroom.schemes.sigcomp.judge.message import Parameters, Records
from headroom.schemes.sigcomp.sip.sequences import Message

OPTIONS = b"OPTIONS sip:user@example.com SIP/2.0\r\nVia: SIP/2.0/UDP host.example.com;branch=z9hG4bK%d\r\n\r\n"


class NothingHappened(Exception):
    """Raised if the condition under test never occurred, so that the case shows nothing."""


def messages(count: int) -> list[bytes]:
    """Application messages that differ a little from each other."""
    return [OPTIONS % number for number in range(count)]


# ---- Round trips


def carried(
    session: Session,
    far: FarEnd,
    call: Sequence[Message],
    loss: float = 0.0,
    seed: int = 1,
    refusals: bool = False,
    heard: list[tuple[bytes, bytes]] | None = None,
) -> list[str]:
    """A call between the endpoint under test, which is the caller, and the far end.

    Every arriving message must be decompressed to the original. `loss` is the share of messages that are lost, in both
    directions, but at least one; the sender compresses a lost message again and sends it until it arrives (RFC 5049,
    8). With `refusals` the endpoint may decline to compress a message, which is then sent uncompressed. `heard` gets
    each message that arrived, with its compressed form. Raises NothingHappened if the endpoint declines all messages.
    """
    heard = [] if heard is None else heard
    wrong: list[str] = []
    for number, (message, losses) in enumerate(zip(call, lost(len(call), loss, seed), strict=True)):
        for arrived in (*[False] * losses, True):
            if message.from_caller:
                act = session.compress(message.octets)
                if refusals and session.done(act).octets is None:
                    continue
                octets = session.message(act)
                if arrived:
                    heard.append((message.octets, octets))
                    if fault := fault_of(far.hears(octets), message.octets, octets):
                        wrong.append(f"{nth('message', number)}, {message.name}: {fault}")
            elif arrived:
                wrong += _answered(session, far, message, number)
    if not heard:
        raise NothingHappened("It compresses no message of the call: it declines each.")
    return wrong


def nothing_saved(heard: Sequence[tuple[bytes, bytes]]) -> list[str]:
    """Returns a sentence if the SigComp messages, bytecode included, have together as many octets as the messages or
    more: an endpoint that only wraps messages in SigComp makes no effort to compress them (RFC 3320, 5.2)."""
    plain, sent = (sum(len(pair[which]) for pair in heard) for which in (0, 1))
    return [] if sent < plain else [f"{plain} octets of {len(heard)} messages became {sent}: nothing is saved"]


def lost(count: int, loss: float, seed: int) -> list[int]:
    """Draws how often each of `count` messages is lost before it arrives; if `loss` is not 0, at least one message is
    lost."""
    draw = random.Random(seed)
    times = [0] * count
    for number in range(count):
        while draw.random() < loss:
            times[number] += 1
    if loss and not any(times):
        times[draw.randrange(count)] = 1
    return times


def _answered(session: Session, far: FarEnd, message: Message, number: int) -> list[str]:
    act = session.decompress(far.says(message.octets))
    seen = session.done(act).seen
    if [outcome.output for outcome in seen if outcome.kind == "compressed"] != [message.octets]:
        kinds = ", ".join(outcome.kind for outcome in seen) or "nothing"
        return [f"{nth('message', number)}, {message.name}, from the far end came out as {kinds}"]
    return []


def reordered(session: Session, far: FarEnd, count: int = 6) -> list[str]:
    """Each two messages arrive in the other order, nothing is acknowledged in between."""
    wrong: list[str] = []
    sent = messages(count)
    octets = [session.message(session.compress(message)) for message in sent]
    for first in range(0, count - 1, 2):
        for number in (first + 1, first):
            if fault := fault_of(far.hears(octets[number]), sent[number], octets[number]):
                wrong.append(f"{nth('message', number)}: {fault}")
        session.done(session.decompress(far.says(b"SIP/2.0 200 OK\r\n\r\n")))
    return wrong


def never_acknowledged(session: Session, far: FarEnd, count: int = 8) -> list[str]:
    """Every other message is lost, and the far end never answers: messages that arrive refer only to messages that
    arrived."""
    wrong: list[str] = []
    for number, message in enumerate(messages(count)):
        octets = session.message(session.compress(message))
        if number % 2 == 1 and (fault := fault_of(far.hears(octets), message, octets)):
            wrong.append(f"{nth('message', number)}: {fault}")
    return wrong


def first_acknowledged(session: Session, far: FarEnd, count: int = 12) -> list[str]:
    """All messages arrive, and the far end answers only the first: it may have freed the state of that message for
    later state."""
    wrong: list[str] = []
    for number, message in enumerate(messages(count)):
        octets = session.message(session.compress(message))
        if fault := fault_of(far.hears(octets), message, octets):
            wrong.append(f"{nth('message', number)}: {fault}")
        if number == 0:
            session.decompress(far.says(b"SIP/2.0 200 OK\r\n\r\n"))
    return wrong


def acknowledged_late(session: Session, far: FarEnd, count: int = 4) -> list[str]:
    """Each two messages arrive before the far end answers twice: first it acknowledges the first of them, and announces
    what it has besides, then the second."""
    wrong: list[str] = []
    dictionary = next(iter(far.endpoint.states.local))
    sent = messages(2 * count)
    for number in range(0, 2 * count, 2):
        acknowledged: list[bytes] = []
        for message in (sent[number], sent[number + 1] + b"and so on, " * (number + 1)):
            octets = session.message(session.compress(message))
            if fault := fault_of(far.hears(octets), message, octets):
                wrong.append(f"{nth('message', number + len(acknowledged))}: {fault}")
            acknowledged.append(far.to_return)
        for item in acknowledged:
            session.decompress(far.says(b"SIP/2.0 200 OK\r\n\r\n", returned=announced([dictionary]), feedback=item))
    return wrong


def sent_again(session: Session, far: FarEnd) -> list[str]:
    """A message is sent again after an answer that was lost, and after it arrived itself."""
    wrong: list[str] = []
    for message in messages(3):
        for attempt in (1, 2, 3):
            octets = session.message(session.compress(message))
            if attempt > 1 and (fault := fault_of(far.hears(octets), message, octets)):
                wrong.append(f"attempt {attempt}: {fault}")
        session.done(session.decompress(far.says(b"SIP/2.0 200 OK\r\n\r\n")))
    return wrong


def too_long(session: Session, far: FarEnd) -> list[str]:
    """A message beyond what SigComp carries is refused, and the next one is as if there had been none."""
    first, second = messages(2)
    draw = random.Random(1)
    long = bytes(draw.randrange(32, 127) for _ in range(70_000))
    wrong = []
    for message in (first, long, second):
        act = session.compress(message)
        octets = session.done(act).octets
        if message is long:
            wrong += [] if octets is None else [f"70000 octets were compressed to {len(octets)}"]
        elif octets is None:
            wrong.append(f"{len(message)} octets were not compressed")
        elif fault := fault_of(far.hears(octets), message, octets):
            wrong.append(fault)
    return wrong


# ---- Feedback and announcements: RFC 3320, 5 and 9.4.9; RFC 4896, 9 and 10


def _item_in(session: Session, far: FarEnd, message: bytes) -> tuple[bytes, list[str]]:
    """The feedback item that the next message returns, and the faults of that message."""
    octets = session.message(session.compress(message))
    outcome = far.hears(octets)
    fault = fault_of(outcome, message, octets)
    return (outcome.header.returned_feedback if outcome.header else b""), [fault] if fault else []


def feedback_returned(session: Session, far: FarEnd) -> list[str]:
    """Requested items come back unmodified with the next message: one octet, and the longest there is."""
    wrong: list[str] = []
    longest = bytes([0xFF]) + bytes(range(127))
    for item, message in zip((b"\x2a", b"\x83abc", longest, b"\x80"), messages(4), strict=True):
        session.decompress(far.says(b"SIP/2.0 200 OK\r\n\r\n", requested=b"\x04" + item))
        came, faults = _item_in(session, far, message)
        wrong += faults
        if came != item:
            wrong.append(f"the item {item.hex()} was requested, and {came.hex() or 'none'} came back")
    return wrong


def reserved_bits_ignored(session: Session, far: FarEnd) -> list[str]:
    """An item requested with all reserved bits set comes back as without them."""
    session.decompress(far.says(b"SIP/2.0 200 OK\r\n\r\n", requested=b"\xfc\x44"))
    came, faults = _item_in(session, far, messages(1)[0])
    return faults + ([] if came == b"\x44" else [f"44 was requested, and {came.hex() or 'none'} came back"])


def newest_feedback_returned(session: Session, far: FarEnd) -> list[str]:
    """Requests two feedback items and expects the newer one back."""
    for item in (b"\x11", b"\x22"):
        session.decompress(far.says(b"SIP/2.0 200 OK\r\n\r\n", requested=b"\x04" + item))
    came, faults = _item_in(session, far, messages(1)[0])
    return faults + ([] if came == b"\x22" else [f"22 was requested last, and {came.hex() or 'none'} came back"])


def feedback_repeated(session: Session, far: FarEnd) -> list[str]:
    """An item comes back with each message until another request takes its place: RFC 4896, 9.2."""
    wrong: list[str] = []
    sent = messages(5)
    session.decompress(far.says(b"SIP/2.0 200 OK\r\n\r\n", requested=b"\x04\x33"))
    for message in sent[:2]:
        came, faults = _item_in(session, far, message)
        wrong += faults + ([] if came == b"\x33" else [f"33 was requested, and {came.hex() or 'none'} came back"])
    session.decompress(far.says(b"SIP/2.0 200 OK\r\n\r\n"))  # requests nothing: the earlier request stays
    came, faults = _item_in(session, far, sent[2])
    wrong += faults + ([] if came == b"\x33" else [f"after a message without request {came.hex() or 'none'} came back"])
    session.decompress(far.says(b"SIP/2.0 200 OK\r\n\r\n", requested=b"\x00"))  # a request without item
    came, faults = _item_in(session, far, sent[3])
    return wrong + faults + ([f"{came.hex()} came back though the last request has no item"] if came else [])


NOT_TOLD = "no message says what the endpoint offers"  # a SHOULD (RFC 3320, 5)


def parameters_announced(session: Session, far: FarEnd, own: Offer, i_bit: bool = False) -> list[str]:
    """An endpoint that offers more than the minima says so in its messages, as it is; also after an I-bit."""
    if i_bit:
        session.decompress(far.says(b"SIP/2.0 200 OK\r\n\r\n", requested=b"\x01"))
    wrong: list[str] = []
    for message in messages(2):
        octets = session.message(session.compress(message))
        if fault := fault_of(far.hears(octets), message, octets):
            wrong.append(fault)
    parameters = far.endpoint.states.compartments[0].parameters
    result = Parameters(parameters.cycles_per_bit, parameters.decompression_memory_size, parameters.state_memory_size)
    right = Parameters(own.cycles_per_bit, own.decompression_memory_size, own.state_memory_size)
    if result == Parameters():
        return [*wrong, NOT_TOLD]
    if result != right:
        wrong.append(f"it says that it offers {_offer(result)}; it offers {_offer(right)}")
    if parameters.version is not None and parameters.version != own.version:
        wrong.append(f"it says that its version is {parameters.version}; it is {own.version}")
    return wrong


def _offer(parameters: Parameters) -> str:
    return (
        f"{parameters.decompression_memory_size} octets to decompress, {parameters.state_memory_size} of state, "
        f"{parameters.cycles_per_bit} cycles per bit"
    )


def less_announced(session: Session, far: FarEnd, less: Offer) -> list[str]:
    """The peer says that it offers less than before, and does (RFC 4896, 10.2): what follows fits, or is refused.
    Raises NothingHappened if all of it is."""
    wrong: list[str] = []
    compressed = 0
    sent = messages(6)
    for message in sent[:2]:
        octets = session.message(session.compress(message))
        if fault := fault_of(far.hears(octets), message, octets):
            wrong.append(fault)
        session.decompress(far.says(b"SIP/2.0 200 OK\r\n\r\n"))
    session.decompress(far.says(b"SIP/2.0 200 OK\r\n\r\n", returned=announcement(less)))
    far.shrinks(less)
    for number, message in enumerate(sent[2:], 2):
        octets = session.done(session.compress(message)).octets
        if octets is not None:
            compressed += 1
            if fault := fault_of(far.hears(octets), message, octets):
                wrong.append(f"{nth('message', number)}, after the announcement: {fault}")
        session.decompress(far.says(b"SIP/2.0 200 OK\r\n\r\n"))
    if not compressed:
        raise NothingHappened("It declines to compress anything once its peer offers so little.")
    return wrong


def announced(identifiers: Sequence[bytes]) -> bytes:
    """Returned parameters that are a list of items, six octets of each, and nothing else: RFC 3320, figure 13."""
    return bytes(2) + b"".join(b"\x06" + identifier[:6] for identifier in identifiers) + bytes(1)


def announcement(offer: Offer) -> bytes:
    """Returned parameters: RFC 3320, figure 13."""
    state = offer.state_memory_size.bit_length() - 11 if offer.state_memory_size else 0
    cycles = (offer.cycles_per_bit // 16).bit_length() - 1
    return bytes([cycles << 6 | (offer.decompression_memory_size.bit_length() - 11) << 3 | state, offer.version, 0])


# ---- Streams: RFC 3320, 4.2.2; RFC 5049, 5


def streamed(session: Session, far: FarEnd, call: Sequence[Message], piece: int) -> list[str]:
    """A call over streams. A delimiter must end each message of the endpoint, and the far end must restore it. The
    messages of the far end reach the endpoint in pieces of `piece` octets."""
    wrong: list[str] = []
    records = Records()
    for number, message in enumerate(call):
        if message.from_caller:
            octets = session.message(session.compress(message.octets))
            results = records.feed(octets)
            if not results or records.message or records.marked or records.broken:
                wrong.append(f"{nth('message', number)}, {message.name}: no delimiter ends it")
            elif fault := _fault_of_parts(far, message.octets, results):
                wrong.append(f"{nth('message', number)}, {message.name}: {fault}")
        else:
            stream = wire.mark(far.says(message.octets))
            acts = [session.decompress(stream[at : at + piece]) for at in range(0, len(stream), piece)]
            came = [outcome for act in acts for outcome in session.done(act).seen]
            if [outcome.output for outcome in came if outcome.kind == "compressed"] != [message.octets] or len(
                came
            ) != 1:
                kinds = ", ".join(outcome.kind for outcome in came) or "nothing"
                wrong.append(f"{nth('message', number)}, {message.name}, from the far end came out as {kinds}")
    return wrong


def _fault_of_parts(far: FarEnd, message: bytes, parts: Sequence[bytes]) -> str:
    """Returns what is wrong with the SigComp messages that `message` became, as a sentence; "" if nothing is."""
    outcomes = [far.hears(part) for part in parts]
    failed = next((n for n, outcome in enumerate(outcomes) if outcome.kind != "compressed"), None)
    if failed is not None:
        return fault_of(outcomes[failed], message, parts[failed])
    output = b"".join(outcome.output for outcome in outcomes)
    return fault_of(replace(outcomes[0], output=output), message, parts[0])


def one_message_each(session: Session, far: FarEnd, call: Sequence[Message]) -> list[str]:
    """Each message of a call becomes exactly one SigComp message on a stream (RFC 3320, 5)."""
    wrong: list[str] = []
    for number, message in enumerate(message for message in call if message.from_caller):
        results = Records().feed(session.message(session.compress(message.octets)))
        if len(results) != 1:
            wrong.append(f"{nth('message', number)}, {message.name}, became {len(results)} SigComp messages")
        for octets in results:
            far.hears(octets)
    return wrong
