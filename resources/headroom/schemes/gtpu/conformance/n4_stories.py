# SPDX-License-Identifier: Apache-2.0
"""Stories of N4: associations, sessions, and messages that are wrong (TS 29.244, 6 and 7)."""

from __future__ import annotations

from dataclasses import replace

from headroom.schemes.gtpu.conformance.check import Check, Stories, story
from headroom.schemes.gtpu.conformance.gtpu_stories import both_ways
from headroom.schemes.gtpu.conversation import CONTROL, Conversation, Session, ends_of_tunnels
from headroom.schemes.gtpu.pfcp import elements, message
from headroom.schemes.gtpu.pfcp.message import Element, Message
from headroom.schemes.gtpu.pfcp.tables import Action, Cause, Ie, Interface, MessageType

ASSOCIATIONS: Stories = {}
SESSIONS: Stories = {}
ERRORS: Stories = {}
UNKNOWN_SEID = 0x00C0FFEE00C0FFEE
UNKNOWN_IE, VENDOR_IE = 0x7FF0, 0xFFF0
# What a peer has to ignore: 7.6.9 and 8.1.1.
IGNORED = (Element(UNKNOWN_IE, b"\x01\x02\x03"), Element(VENDOR_IE, b"\x28\xaf" + b"abc"), Element(UNKNOWN_IE, b""))


def expect_elements(check: Check, answer: Message, kinds: tuple[Ie, ...], requirement: str) -> bool:
    """Expects that an answer has all of these elements."""
    names = [message.name_of(kind, Ie, "") for kind in kinds if answer.find(kind) is None]
    return check.expect(not names, f"The {answer.name} has no {', '.join(names)}.", requirement)


def proper(check: Check, answer: Message) -> None:
    """The header of an answer is as it should be."""
    flags = answer.flags or 0
    check.expect(not flags & 0x18 and not answer.remarks, f"Its first octet is {flags | 0x20:#04x}.", "TS29244-7.2.2-1")


# ---- associations


@story(ASSOCIATIONS, "association setup")
def _association(talk: Conversation, check: Check) -> None:
    answer = talk.request(
        *(MessageType.ASSOCIATION_SETUP_REQUEST, elements.node_id(CONTROL)),
        elements.recovery_time_stamp(3_900_000_000),
    )
    if not check.expect_accepted(answer, "TS29244-6.2.6-1"):
        return
    assert answer is not None
    is_so = answer.type == MessageType.ASSOCIATION_SETUP_RESPONSE
    check.expect(is_so, f"The answer is a {answer.name}.", "TS29244-6.2.6-1")
    expect_elements(check, answer, (Ie.NODE_ID, Ie.CAUSE, Ie.RECOVERY_TIME_STAMP), "TS29244-6.2.6-1")
    proper(check, answer)
    own = answer.find(Ie.NODE_ID)
    if own is not None:
        elements.read_node_id(own)
    check.expect(answer.seid is None, "The header of a node's message has a SEID.", "TS29244-7.2.2-1")


@story(ASSOCIATIONS, "heartbeat")
def _heartbeat(talk: Conversation, check: Check) -> None:
    stamps = []
    for _ in range(2):
        talk.advance(1.0)
        answer = talk.request(MessageType.HEARTBEAT_REQUEST, elements.recovery_time_stamp(3_900_000_000))
        if not check.expect(answer is not None, "A Heartbeat Request is not answered.", "TS29244-6.2.2-1"):
            return
        assert answer is not None
        expect_elements(check, answer, (Ie.RECOVERY_TIME_STAMP,), "TS29244-6.2.2-1")
        stamps.append(answer.value(Ie.RECOVERY_TIME_STAMP))
        talk.associate()
    sentence = f"The Recovery Time Stamp changed from {stamps[0]} to {stamps[1]} without a restart."
    check.expect(stamps[0] == stamps[1], sentence, "TS29244-6.2.2-1")


@story(ASSOCIATIONS, "association twice")
def _association_twice(talk: Conversation, check: Check) -> None:
    for _ in range(2):
        check.expect_accepted(talk.associate(), "TS29244-6.2.6-1")
    both_ways(talk, check, talk.establish())


@story(ASSOCIATIONS, "session without association", associated=False)
def _no_association(talk: Conversation, check: Check) -> None:
    session = talk.new_session()
    check.expect_rejected(talk.ask_for(session, talk.plain_rules(session)), "TS29244-6.2.6-2", Cause.NO_ASSOCIATION)


# ---- sessions


@story(SESSIONS, "establishment")
def _establishment(talk: Conversation, check: Check) -> None:
    session = talk.new_session()
    answer = talk.ask_for(session, talk.plain_rules(session))
    if not check.expect_accepted(answer, "TS29244-7.5.3-1"):
        return
    assert answer is not None
    proper(check, answer)
    expect_elements(check, answer, (Ie.NODE_ID, Ie.CAUSE, Ie.F_SEID), "TS29244-7.5.3-1")
    sentence = f"The response has the SEID {answer.seid}, and ours is {session.number}."
    check.expect(answer.seid == session.number, sentence, "TS29244-7.2.2.4.2-1")
    both_ways(talk, check, talk.established(session, answer))


@story(SESSIONS, "chosen F-TEID", "ftup")
def _chosen(talk: Conversation, check: Check) -> None:
    results = set()
    for _ in range(3):
        session = talk.establish()
        assert session.answer is not None
        created = [element for element in session.answer.all(Ie.CREATED_PDR) if element.find(Ie.F_TEID)]
        sentence = f"{len(created)} of the Created PDRs have an F-TEID; one PDR asked for an F-TEID."
        if not check.expect(len(created) == 1, sentence, "TS29244-5.5.1-1"):
            return
        number = created[0].find(Ie.PDR_ID)
        is_first = number is not None and number.number() == 1
        check.expect(is_first, "The Created PDR does not say PDR 1.", "TS29244-5.5.1-1")
        if not check.chosen(session, ends_of_tunnels(talk.facts.config())):
            return
        results.add(session.teid)
        both_ways(talk, check, session)
    check.expect(len(results) == 3, "Two sessions have the same F-TEID.", "TS29244-5.5.1-1")


@story(SESSIONS, "modification")
def _modification(talk: Conversation, check: Check) -> None:
    session = talk.establish()
    moved = replace(session, access="172.16.0.77", access_teid=0x0A0000AA)
    far = elements.far(2, Action.FORWARD, Interface.ACCESS, teid=moved.access_teid, host=moved.access, update=True)
    answer = talk.modify(session, far)
    check.expect_accepted(answer, "TS29244-7.5.5-1")
    if answer is not None:
        sentence = f"The response has the SEID {answer.seid}, and ours is {session.number}."
        check.expect(answer.seid == session.number, sentence, "TS29244-7.2.2.4.2-1")
    packet = talk.to_user(session)
    check.downlink(talk.downlink(packet), moved, packet, "TS29244-7.5.5-1")


@story(SESSIONS, "rules come and go")
def _rules_come_and_go(talk: Conversation, check: Check) -> None:
    session = talk.establish()
    only = elements.sdf_filter("permit out 17 from any 80 to assigned")
    more = [elements.pdr(3, 10, talk.pdi_down(session, only), far=3), elements.far(3, Action.DROP)]
    check.expect_accepted(talk.modify(session, *more), "TS29244-7.5.5-1")
    web = talk.to_user(session, port=80)
    check.dropped(talk.downlink(web), "TS29244-7.5.5-1", "N3")
    away = [elements.remove(Ie.REMOVE_PDR, 3), elements.remove(Ie.REMOVE_FAR, 3)]
    check.expect_accepted(talk.modify(session, *away), "TS29244-7.5.5-1")
    check.downlink(talk.downlink(web), session, web, "TS29244-7.5.5-1")


@story(SESSIONS, "deletion")
def _deletion(talk: Conversation, check: Check) -> None:
    session, other = talk.establish(), talk.establish()
    answer = talk.delete(session)
    check.expect_accepted(answer, "TS29244-7.5.7-1")
    if answer is not None:
        sentence = f"The response has the SEID {answer.seid}, and ours is {session.number}."
        check.expect(answer.seid == session.number, sentence, "TS29244-7.2.2.4.2-1")
    check.dropped(talk.downlink(talk.to_user(session)), "TS29244-7.5.7-1", "N3")
    check.dropped(talk.uplink(session, talk.to_network(session)), "TS29244-7.5.7-1")
    check.expect_rejected(talk.delete(session), "TS29244-8.2.1-1", Cause.SESSION_CONTEXT_NOT_FOUND)
    both_ways(talk, check, other)


@story(SESSIONS, "the same user again")
def _again(talk: Conversation, check: Check) -> None:
    session = talk.establish()
    check.expect_accepted(talk.delete(session), "TS29244-7.5.7-1")
    again = replace(talk.new_session(), user=session.user)
    both_ways(talk, check, talk.establish(session=again))


@story(SESSIONS, "a hundred sessions")
def _hundred(talk: Conversation, check: Check) -> None:
    sessions = [talk.establish() for _ in range(100)]
    check.expect(
        len({session.seid for session in sessions}) == 100, "Two sessions have the same SEID.", "TS29244-7.5.3-1"
    )
    for session in sessions[::7]:
        both_ways(talk, check, session)


@story(SESSIONS, "request sent again")
def _sent_again(talk: Conversation, check: Check) -> None:
    session = talk.new_session()
    seid = elements.f_seid(session.number, CONTROL)
    request = Message(
        *(MessageType.SESSION_ESTABLISHMENT_REQUEST, 0x4321),
        (elements.node_id(CONTROL), seid, *talk.plain_rules(session)),
        seid=0,
    )
    first, second = (talk.exchange(request.octets()) for _ in range(2))
    sentence = f"{len(first)} and {len(second)} answers came to a request and to its repetition; one each is expected."
    if check.expect(len(first) == len(second) == 1, sentence, "TS29244-6.4-3"):
        check.expect(first[0].octets() == second[0].octets(), "The answers differ.", "TS29244-6.4-3")
        both_ways(talk, check, talk.established(session, first[0]))


@story(SESSIONS, "request from another port")
def _another_port(talk: Conversation, check: Check) -> None:
    request = Message(MessageType.HEARTBEAT_REQUEST, 0x777, (elements.recovery_time_stamp(3_900_000_000),))
    step = talk.plane.n4(request.octets(), "192.0.2.101", 40805, talk.now_ns)
    ends = [(message.peer, message.port) for message in step.n4]
    check.expect(ends == [("192.0.2.101", 40805)], f"The answers went to {ends}.", "TS29244-6.4-2")
    numbers = [message.read(n4_message.octets).sequence for n4_message in step.n4]
    check.expect(numbers == [0x777], f"The sequence numbers are {numbers}.", "TS29244-6.4-1")


# ---- errors


@story(ERRORS, "version 2")
def _version(talk: Conversation, check: Check) -> None:
    request = Message(MessageType.HEARTBEAT_REQUEST, 5, (elements.recovery_time_stamp(1),), version=2)
    answers = talk.exchange(request.octets())
    types = [message.name for message in answers]
    wanted = [MessageType.VERSION_NOT_SUPPORTED_RESPONSE]
    sentence = f"A message of version 2 is answered with {', '.join(types) or 'nothing'}."
    check.expect([message.type for message in answers] == wanted, sentence, "TS29244-7.6.2-1")


@story(ERRORS, "too short")
def _short(talk: Conversation, check: Check) -> None:
    whole = Message(MessageType.HEARTBEAT_REQUEST, 5, (elements.recovery_time_stamp(1),)).octets()
    for size in (1, 3, 4, 7):
        came = talk.exchange(whole[:size])
        check.expect(not came, f"A message of {size} octets is answered.", "TS29244-7.6.3-1")


@story(ERRORS, "unknown message")
def _unknown_message(talk: Conversation, check: Check) -> None:
    for kind in (0, 40, 49, 58, 99, 255):
        seid = None if kind < 50 else 0
        came = talk.exchange(Message(kind, 9, (elements.node_id(CONTROL),), seid).octets())
        check.expect(not came, f"A message of the type {kind} is answered.", "TS29244-7.6.4-1")


@story(ERRORS, "response without request")
def _unexpected(talk: Conversation, check: Check) -> None:
    cause = elements.number(Ie.CAUSE, Cause.REQUEST_ACCEPTED, 1)
    stamp = elements.recovery_time_stamp(1)
    for entry in (
        Message(MessageType.HEARTBEAT_RESPONSE, 99, (stamp,)),
        Message(MessageType.SESSION_REPORT_RESPONSE, 98, (cause,), 1),
        Message(MessageType.ASSOCIATION_SETUP_RESPONSE, 97, (elements.node_id(CONTROL), cause, stamp)),
    ):
        came = talk.exchange(entry.octets())
        check.expect(not came, f"A {entry.name} without a request is answered.", "TS29244-7.6.5-1")


@story(ERRORS, "unknown session")
def _unknown_session(talk: Conversation, check: Check) -> None:
    for kind in (MessageType.SESSION_MODIFICATION_REQUEST, MessageType.SESSION_DELETION_REQUEST):
        answer = talk.request(kind, seid=UNKNOWN_SEID)
        check.expect_rejected(answer, "TS29244-8.2.1-1", Cause.SESSION_CONTEXT_NOT_FOUND)
        if answer is not None:
            sentence = f"The response about an unknown session has the SEID {answer.seid}, not 0."
            check.expect(answer.seid == 0, sentence, "TS29244-7.2.2.4.2-2")


def _missing(talk: Conversation, check: Check, answer: Message | None, kind: Ie) -> None:
    if not check.expect_rejected(answer, "TS29244-7.6.6-1", Cause.MANDATORY_IE_MISSING):
        return
    assert answer is not None
    value = answer.value(Ie.OFFENDING_IE)
    name = message.name_of(kind, Ie, "")
    sentence = f"The Offending IE is {value}, but {int(kind)} ({name}) was missing."
    check.expect(value == kind, sentence, "TS29244-7.6.6-2")


@story(ERRORS, "association without Node ID", associated=False)
def _no_node_id(talk: Conversation, check: Check) -> None:
    answer = talk.request(MessageType.ASSOCIATION_SETUP_REQUEST, elements.recovery_time_stamp(1))
    _missing(talk, check, answer, Ie.NODE_ID)


@story(ERRORS, "session without F-SEID")
def _no_f_seid(talk: Conversation, check: Check) -> None:
    rules = talk.plain_rules(talk.new_session())
    kind = MessageType.SESSION_ESTABLISHMENT_REQUEST
    _missing(talk, check, talk.request(kind, elements.node_id(CONTROL), *rules, seid=0), Ie.F_SEID)


def without(rule: Element, kind: Ie) -> Element:
    """A group without its members of a type."""
    return replace(rule, members=tuple(element for element in rule.members if element.type != kind))


@story(ERRORS, "rules without what they need")
def _incomplete_rules(talk: Conversation, check: Check) -> None:
    for place, kind in ((0, Ie.PDR_ID), (0, Ie.PRECEDENCE), (0, Ie.PDI), (2, Ie.FAR_ID), (2, Ie.APPLY_ACTION)):
        session = talk.new_session()
        rules = talk.plain_rules(session)
        rules[place] = without(rules[place], kind)
        answer = talk.ask_for(session, rules)
        if check.expect_rejected(answer, "TS29244-7.6.6-1"):
            _nothing_left(talk, check, session)


def _nothing_left(talk: Conversation, check: Check, session: Session) -> None:
    """A session that was rejected passes nothing, and its user is free."""
    check.dropped(talk.downlink(talk.to_user(session)), "TS29244-7.5.3-3", "N3")
    own = talk.establish(session=replace(talk.new_session(), user=session.user))
    packet = talk.to_user(own)
    check.downlink(talk.downlink(packet), own, packet, "TS29244-7.5.3-3")
    talk.delete(own)


@story(ERRORS, "PDR of a FAR that there is not")
def _no_far(talk: Conversation, check: Check) -> None:
    session = talk.new_session()
    rules = talk.plain_rules(session)
    del rules[2]
    if check.expect_rejected(talk.ask_for(session, rules), "TS29244-7.5.3-2"):
        _nothing_left(talk, check, session)


@story(ERRORS, "modification that cannot be")
def _failed_modification(talk: Conversation, check: Check) -> None:
    session = talk.establish()
    drop = elements.far(1, Action.DROP, update=True)
    for wrong in (
        elements.far(77, Action.FORWARD, Interface.CORE, update=True),
        elements.pdr(3, 1, talk.pdi_down(session), far=78),
        elements.pdr(79, 1, (), far=1, kind=Ie.UPDATE_PDR),
    ):
        check.expect_rejected(talk.modify(session, drop, wrong), "TS29244-7.5.3-2")
        packet = talk.to_network(session)
        check.uplink(talk.uplink(session, packet), packet, "TS29244-7.5.5-2")


@story(ERRORS, "elements of a wrong length")
def _wrong_lengths(talk: Conversation, check: Check) -> None:
    session = talk.new_session()
    for place, kind in ((0, Ie.PDR_ID), (0, Ie.PRECEDENCE), (2, Ie.FAR_ID)):
        rules = talk.plain_rules(session)
        members = tuple(
            replace(element, value=b"\1") if element.type == kind else element for element in rules[place].members
        )
        rules[place] = replace(rules[place], members=members)
        check.expect_rejected(talk.ask_for(session, rules), "TS29244-7.6.7-1")


@story(ERRORS, "unknown elements")
def _unknown_elements(talk: Conversation, check: Check) -> None:
    session = talk.new_session()
    rules = [replace(element, members=(*element.members, *IGNORED)) for element in talk.plain_rules(session)]
    answer = talk.ask_for(session, [*IGNORED, *rules, *IGNORED])
    if check.expect_accepted(answer, "TS29244-7.6.9-1"):
        assert answer is not None
        both_ways(talk, check, talk.established(session, answer), requirement="TS29244-7.6.9-1")


@story(ERRORS, "spare bits")
def _spare_bits(talk: Conversation, check: Check) -> None:
    for flags in (0x08, 0x10, 0x18):
        stamp = elements.recovery_time_stamp(3_900_000_000)
        request = Message(MessageType.HEARTBEAT_REQUEST, 0x100 + flags, (stamp,), flags=flags, spare=0xFF)
        came = talk.exchange(request.octets())
        check.expect(len(came) == 1, f"With the spare bits {flags:#04x} there is no answer.", "TS29244-7.2.2-1")
        for answer in came:
            proper(check, answer)
