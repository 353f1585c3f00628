# SPDX-License-Identifier: Apache-2.0
"""Stories about NACKs that come in (RFC 4077, 2.3): as those of `endpoint_stories`."""

import random

from headroom.core.text import nth
from headroom.schemes.sigcomp.conformance.endpoint_session import Session
from headroom.schemes.sigcomp.conformance.endpoint_stories import NothingHappened, messages
from headroom.schemes.sigcomp.conformance.peer import FarEnd, fault_of
from headroom.schemes.sigcomp.judge import message as wire
from headroom.schemes.sigcomp.judge.reasons import Reason


def nack_heeded(session: Session, far: FarEnd, count: int = 4) -> list[str]:
    """The far end loses its state, answers the message that it cannot decompress with a NACK, and can decompress what
    follows. Raises NothingHappened if no message refers to state."""
    wrong: list[str] = []
    sent = messages(count + 3)
    for message in sent[:count]:
        octets = session.message(session.compress(message))
        if fault := fault_of(far.hears(octets), message, octets):
            wrong.append(fault)
        session.decompress(far.says(b"SIP/2.0 200 OK\r\n\r\n"))
    far.forgets()
    octets = session.message(session.compress(sent[count]))
    outcome = far.hears(octets)
    if outcome.kind != "failed":
        raise NothingHappened("No message refers to state of the far end, so that none can be lost.")
    answer = session.done(session.decompress(far.refuses(octets, outcome), None))
    if [outcome.kind for outcome in answer.seen] != ["nack"] or any(outcome.nack for outcome in answer.seen):
        wrong.append(
            f"the NACK was taken for {', '.join(outcome.kind for outcome in answer.seen) or 'nothing'}, or answered"
        )
    for message in sent[count + 1 :]:
        octets = session.message(session.compress(message))
        if fault := fault_of(far.hears(octets), message, octets):
            wrong.append(f"after the NACK: {fault}")
    return wrong


def nack_of_another_compartment(session: Session, far: FarEnd, other: FarEnd) -> list[str]:
    """A NACK about a message of compartment 0 leaves compartment 1 as it is. Raises NothingHappened as above."""
    sent = messages(4)
    for message in sent[:2]:
        for number, end in ((0, far), (1, other)):
            octets = session.message(session.compress(message, number))
            end.hears(octets)
            session.decompress(end.says(b"SIP/2.0 200 OK\r\n\r\n"), number)
    far.forgets()
    octets = session.message(session.compress(sent[2], 0))
    outcome = far.hears(octets)
    if outcome.kind != "failed":
        raise NothingHappened("No message refers to state of the far end, so that none can be lost.")
    session.decompress(far.refuses(octets, outcome), None)
    after = [session.message(session.compress(sent[3], number)) for number in (0, 1)]
    wrong = []
    for name, end, octets in (("0", far, after[0]), ("1", other, after[1])):
        if fault := fault_of(end.hears(octets), sent[3], octets):
            wrong.append(f"compartment {name}: {fault}")
    if not wrong and not (header := wire.read_header(after[1])).partial and header.code:
        wrong.append("compartment 1 sends its bytecode again, though the NACK was about compartment 0")
    return wrong


def unknown_nack_ignored(session: Session, far: FarEnd, without: Session) -> list[str]:
    """A NACK about a message that was never sent changes nothing: `without`, which gets none, says the same. The first
    messages are answered, so that there is something that the NACK could take back."""
    ours, theirs = [], []
    for number, message in enumerate(messages(4)):
        if number == 2:
            session.decompress(wire.nack(1, bytes(range(20)), details=bytes(6)), None)
        ours.append(session.message(session.compress(message)))
        theirs.append(without.message(without.compress(message)))
        if number < 2:
            far.hears(ours[-1])
            answer = far.says(b"SIP/2.0 200 OK\r\n\r\n")
            session.decompress(answer)
            without.decompress(answer)
    return [] if ours == theirs else ["a NACK about a message that was never sent changed what is sent next"]


# What only a peer with more cycles, or with more memory, than there are can decompress: octets that are all alike,
# which become long matches with few bits; and octets of which none follows from those before, so that they stay as
# many as they are.
ALL_ALIKE = b"MESSAGE sip:user@example.com SIP/2.0\r\n\r\n" + b"a" * 40_000
NONE_ALIKE = b"MESSAGE sip:user@example.com SIP/2.0\r\n\r\n" + random.Random(4077).randbytes(3_000)


def nack_about_less(session: Session, far: FarEnd, heavy: bytes, reason: Reason) -> list[str]:
    """The far end offers less than announced, and says so in the NACK for the first message, for which it
    is too little: what follows can be decompressed, or is not compressed at all. Raises NothingHappened if `heavy`
    does not fail for `reason`, or nothing is compressed after the NACK."""
    octets = session.done(session.compress(heavy)).octets
    outcome = far.hears(octets) if octets is not None else None
    if octets is None or outcome is None or outcome.reason != reason:
        came = "is not compressed" if outcome is None else "comes out"
        came = f"fails with {outcome.reason.name}" if outcome is not None and outcome.reason else came
        raise NothingHappened(f"A message of {len(heavy)} octets does not fail with {reason.name}: it {came}.")
    session.decompress(far.refuses(octets, outcome), None)
    wrong: list[str] = []
    compressed = 0
    for number, message in enumerate((*messages(3), heavy, *messages(1))):
        octets = session.done(session.compress(message)).octets
        if octets is not None:
            compressed += 1
            if fault := fault_of(far.hears(octets), message, octets):
                wrong.append(f"{nth('message', number)} after the NACK for {reason.name}: {fault}")
        session.decompress(far.says(b"SIP/2.0 200 OK\r\n\r\n"))
    if not compressed:
        raise NothingHappened("It declines to compress anything once a NACK has announced how little its peer offers.")
    return wrong
