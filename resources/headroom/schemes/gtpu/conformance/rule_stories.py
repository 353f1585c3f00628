# SPDX-License-Identifier: Apache-2.0
"""Stories of rules: PDRs, FARs and QERs (TS 29.244, 5.2 to 5.19)."""

from __future__ import annotations

from dataclasses import replace

from headroom.schemes.gtpu import judge, packets
from headroom.schemes.gtpu.conformance.check import Check, Stories, story
from headroom.schemes.gtpu.conformance.gtpu_stories import both_ways, end_marker
from headroom.schemes.gtpu.conversation import PREDEFINED, Conversation, Session, read_tunnelled, tunnelled
from headroom.schemes.gtpu.pfcp import elements
from headroom.schemes.gtpu.pfcp.message import Element, group
from headroom.schemes.gtpu.pfcp.tables import Action, Ie, Interface, ReportType
from headroom.schemes.gtpu.user_plane import N3, N6

RULES: Stories = {}
QOS: Stories = {}
KILOBIT = 1000
RATE = 10_000  # kilobits a second
WARM_UP_S, MEASURED_S = 2, 10
SIZE = 1200  # octets of payload
PACKET_BITS = 8 * (SIZE + 28)


def _filter(port: int, protocol: int = 17, remote: str = "any") -> Element:
    return elements.sdf_filter(f"permit out {protocol} from {remote} {port} to assigned")


def _with(talk: Conversation, *more: Element) -> Session:
    """A plain session with more rules."""
    session = talk.new_session()
    return talk.establish([*talk.plain_rules(session), *more], session)


def _down_is(talk: Conversation, check: Check, session: Session, port: int, passes: bool, requirement: str) -> None:
    packet = talk.to_user(session, port=port)
    step = talk.downlink(packet)
    if passes:
        check.downlink(step, session, packet, requirement)
    else:
        check.dropped(step, requirement, N3)


@story(RULES, "precedence")
def _precedence(talk: Conversation, check: Check) -> None:
    """If two PDRs match, the PDR with the lower precedence value decides, in whichever order they are created."""
    for values in ((10, 20), (20, 10)):
        session = talk.new_session()
        rules = [
            *talk.plain_rules(session),
            elements.pdr(3, values[0], talk.pdi_down(session, _filter(80)), far=3),
            elements.pdr(4, values[1], talk.pdi_down(session, _filter(80)), far=2, qers=[1]),
            elements.far(3, Action.DROP),
        ]
        for order in (rules, rules[::-1]):
            own = talk.establish(order, session)
            _down_is(talk, check, own, 80, values[0] > values[1], "TS29244-8.2.11-1")
            _down_is(talk, check, own, 443, True, "TS29244-5.2.1-1")
            talk.delete(own)


@story(RULES, "precedence changes")
def _precedence_changes(talk: Conversation, check: Check) -> None:
    session = talk.new_session()
    drop = [elements.pdr(3, 200, talk.pdi_down(session, _filter(80)), far=3), elements.far(3, Action.DROP)]
    session = talk.establish([*talk.plain_rules(session), *drop], session)
    _down_is(talk, check, session, 80, True, "TS29244-5.2.1-1")
    sooner = group(Ie.UPDATE_PDR, [elements.number(Ie.PDR_ID, 3, 2), elements.number(Ie.PRECEDENCE, 1, 4)])
    talk.must_modify(session, sooner)
    _down_is(talk, check, session, 80, False, "TS29244-5.2.1-1")


@story(RULES, "several filters")
def _several_filters(talk: Conversation, check: Check) -> None:
    """A PDI with two SDF filters drops what matches either; protocols, addresses and ports count."""
    session = talk.new_session()
    pdi = talk.pdi_down(session, _filter(80), _filter(53, remote="198.51.100.66"))
    drop = [elements.pdr(3, 10, pdi, far=3), elements.far(3, Action.DROP)]
    session = talk.establish([*talk.plain_rules(session), *drop], session)
    _down_is(talk, check, session, 80, False, "TS29244-5.2.1-4")
    _down_is(talk, check, session, 53, True, "TS29244-5.2.1-2")
    packet = talk.to_user(session, port=53, source="198.51.100.66")
    check.dropped(talk.downlink(packet), "TS29244-5.2.1-4", N3)
    segment = packets.tcp("198.51.100.10", session.user, 80, 40000, b"x")
    check.downlink(talk.downlink(segment), session, segment, "TS29244-5.2.1-2")


@story(RULES, "filters of the uplink")
def _uplink_filter(talk: Conversation, check: Check) -> None:
    """An SDF filter is written for the downlink; in the uplink its source is the destination."""
    session = talk.new_session()
    rules = talk.plain_rules(session)
    rules[0] = elements.pdr(1, 100, talk.pdi_up(session, _filter(443)), far=1, removal=elements.REMOVE_IPV4)
    session = talk.establish(rules, session)
    good = talk.to_network(session, port=443)
    check.uplink(talk.uplink(session, good), good, "TS29244-5.2.1-2")
    step = talk.uplink(session, talk.to_network(session, port=444))
    check.dropped(step, "TS29244-5.2.1-3")
    check.expect(not tunnelled(step), "A packet that matches no rule was answered.", "TS29281-7.3.1-6")


@story(RULES, "port ranges")
def _port_ranges(talk: Conversation, check: Check) -> None:
    session = talk.new_session()
    ranged = elements.sdf_filter("permit out 17 from 198.51.100.0/24 1000-2000,3000 to assigned 40000")
    drop = [elements.pdr(3, 10, talk.pdi_down(session, ranged), far=3), elements.far(3, Action.DROP)]
    session = talk.establish([*talk.plain_rules(session), *drop], session)
    for port, passes in ((999, True), (1000, False), (2000, False), (2001, True), (3000, False)):
        _down_is(talk, check, session, port, passes, "TS29244-5.2.1-2")


@story(RULES, "drop")
def _drop(talk: Conversation, check: Check) -> None:
    session = talk.establish()
    talk.must_modify(session, elements.far(1, Action.DROP, update=True))
    check.dropped(talk.uplink(session, talk.to_network(session)), "TS29244-8.2.26-1")
    _down_is(talk, check, session, 443, True, "TS29244-8.2.26-2")
    talk.must_modify(session, elements.far(1, Action.FORWARD, Interface.CORE, update=True))
    packet = talk.to_network(session)
    check.uplink(talk.uplink(session, packet), packet, "TS29244-8.2.26-2")


@story(RULES, "buffer", "buffering")
def _buffer(talk: Conversation, check: Check) -> None:
    session = talk.establish()
    talk.must_modify(session, elements.far(2, Action.BUFFER | Action.NOTIFY, update=True))
    sent = [talk.to_user(session, size) for size in (10, 20, 30)]
    for packet in sent:
        check.dropped(talk.downlink(packet), "TS29244-8.2.26-3", N3)
    reports = talk.reports(ReportType.DOWNLINK_DATA)
    sentence = f"{len(reports)} downlink data reports came for the first buffered packet, not one."
    if check.expect(len(reports) == 1, sentence, "TS29244-8.2.26-4"):
        message = reports[0]
        sentence = f"The report has the SEID {message.seid}, and ours is {session.number}."
        check.expect(message.seid == session.number, sentence, "TS29244-7.5.8-1")
        data = message.find(Ie.DOWNLINK_DATA_REPORT)
        number = data.find(Ie.PDR_ID) if data else None
        is_second = number is not None and number.number() == 2
        check.expect(is_second, "The downlink data report does not say PDR 2.", "TS29244-8.2.26-4")
    talk.must_modify(session, talk.far_down(session, update=True))
    came = talk.step.sent(N3)
    inner = [output.message.inner for output in map(read_tunnelled, came) if output.message]
    same = len(came) == len(inner) == len(sent) and not any(map(packets.differences, sent, inner))
    sentence = f"Of {len(sent)} buffered packets, {len(came)} came out, or they or their order changed."
    check.expect(same, sentence, "TS29244-8.2.26-3")
    check.nowhere_else(talk.step, N3, "TS29244-8.2.26-3")
    _down_is(talk, check, session, 443, True, "TS29244-8.2.26-2")


@story(RULES, "duplicate", "duplication")
def _duplicate(talk: Conversation, check: Check) -> None:
    session = talk.new_session()
    copy = replace(session, access="172.16.0.200", access_teid=0x0D000001)
    rules = talk.plain_rules(session)
    parameters = [elements.number(Ie.DESTINATION_INTERFACE, Interface.ACCESS, 1)]
    parameters.append(elements.outer_header_creation(copy.access_teid, copy.access))
    action = Action.FORWARD | Action.DUPLICATE
    tunnel = {"teid": session.access_teid, "host": session.access}
    rules[3] = elements.far(2, action, Interface.ACCESS, duplicate=parameters, **tunnel)
    session = talk.establish(rules, session)
    packet = talk.to_user(session)
    step = talk.downlink(packet)
    check.nowhere_else(step, N3, "TS29244-8.2.26-5")
    came = tunnelled(step, N3)
    check.expect(len(came) == 2, f"{len(came)} packets went out, not one and its duplicate.", "TS29244-8.2.26-5")
    outputs = {message.datagram.packet.destination: message for message in came}
    for wanted in (session, replace(copy, host=session.host)):
        sentence = f"Nothing went to {wanted.access}."
        if check.expect(wanted.access in outputs, sentence, "TS29244-8.2.26-5"):
            output = outputs[wanted.access]
            is_same = output.message is not None and not packets.differences(packet, output.message.inner)
            check.expect(is_same, f"No G-PDU with the unchanged packet went to {wanted.access}.", "TS29244-8.2.26-5")


@story(RULES, "End Marker when the tunnel changes")
def _end_marker(talk: Conversation, check: Check) -> None:
    session = talk.establish()
    moved = replace(session, access="172.16.0.77", access_teid=0x0A0000AA)
    talk.must_modify(session, talk.far_down(moved, update=True, end_marker=True))
    outputs = [read_tunnelled(packet.octets) for packet in talk.step.taken if packet.side == N3]
    check.expect(bool(outputs), "Nothing went out when the tunnel changed, no End Marker.", "TS29244-8.2.31-1")
    for output in outputs:  # one or more: TS 38.300, 9.2.3.2.1, step 10
        end_marker(check, output, session.access, session.access_teid, "TS29244-8.2.31-1")
    packet = talk.to_user(session)
    check.downlink(talk.downlink(packet), moved, packet, "TS29244-7.5.5-1")


@story(RULES, "predefined rules", "predefined-rules")
def _predefined(talk: Conversation, check: Check) -> None:
    """Two rules that drop are activated, and one of them is deactivated."""
    names = [str(entry["name"]) for entry in PREDEFINED]
    session = talk.new_session()
    more = elements.pdr(3, 50, talk.pdi_down(session), predefined=names)
    session = talk.establish([*talk.plain_rules(session), more], session)
    hit, other = (talk.to_user(session, port=53, source=f"198.51.100.{host}") for host in (66, 67))
    for packet in (hit, other):
        check.dropped(talk.downlink(packet), "TS29244-5.19-1", N3)
    _down_is(talk, check, session, 443, True, "TS29244-5.19-1")
    off = [elements.number(Ie.PDR_ID, 3, 2), elements.text(Ie.DEACTIVATE_PREDEFINED_RULES, names[0])]
    talk.must_modify(session, group(Ie.UPDATE_PDR, off))
    check.downlink(talk.downlink(hit), session, hit, "TS29244-5.19-2")
    check.dropped(talk.downlink(other), "TS29244-5.19-1", N3)


@story(RULES, "unknown predefined rule", "predefined-rules")
def _unknown_predefined(talk: Conversation, check: Check) -> None:
    session = talk.new_session()
    more = elements.pdr(3, 50, talk.pdi_down(session), predefined=["no-such-rule"])
    check.expect_rejected(talk.ask_for(session, [*talk.plain_rules(session), more]), "TS29244-7.5.3-2")


@story(RULES, "Error Indication is reported", "error-indication-reports")
def _error_indication(talk: Conversation, check: Check) -> None:
    session = talk.establish()
    body = bytes([16]) + session.access_teid.to_bytes(4, "big") + bytes([133, 0, 4]) + packets.address(session.access)
    octets = packets.gtpu(judge.ERROR_INDICATION, 0, body, sequence=0)
    step = talk.give(talk.from_access(session, octets), N3)
    check.silent(step, "TS29281-7.3.1-8")
    reports = talk.reports(ReportType.ERROR_INDICATION)
    sentence = f"{len(reports)} reports came about an Error Indication, not one."
    if not check.expect(len(reports) == 1, sentence, "TS29244-5.10-1"):
        return
    sentence = f"The report has the SEID {reports[0].seid}, and ours is {session.number}."
    check.expect(reports[0].seid == session.number, sentence, "TS29244-7.5.8-1")
    inside = reports[0].find(Ie.ERROR_INDICATION_REPORT)
    tunnel = inside.find(Ie.F_TEID) if inside else None
    if check.expect(tunnel is not None, "The Error Indication Report has no F-TEID.", "TS29244-5.10-1"):
        assert tunnel is not None
        result = elements.read_f_teid(tunnel)
        ends = (result.teid, result.ipv4)
        sentence = f"The report names TEID {result.teid:#x} at {result.ipv4}, not the tunnel of the Error Indication."
        check.expect(ends == (session.access_teid, session.access), sentence, "TS29244-5.10-1")


# ---- QoS


@story(QOS, "QFI of the uplink")
def _uplink_binding(talk: Conversation, check: Check) -> None:
    session = talk.new_session()
    rules = talk.plain_rules(session)
    bound = talk.pdi_up(session, elements.number(Ie.QFI, 9, 1))
    rules[0] = elements.pdr(1, 100, bound, far=1, removal=elements.REMOVE_IPV4)
    session = talk.establish(rules, session)
    packet = talk.to_network(session)
    check.uplink(talk.uplink(session, packet), packet, "TS29244-5.4.2-1")
    for chain in ((packets.container(1, 5),), ()):
        step = talk.uplink(session, packet, extensions=chain)
        check.dropped(step, "TS29244-5.4.2-1")
        check.expect(not tunnelled(step), "A packet that matches no rule was answered.", "TS29281-7.3.1-6")


@story(QOS, "QFI of the downlink")
def _downlink_marking(talk: Conversation, check: Check) -> None:
    for qfi in (1, 5, 63):
        session = replace(talk.new_session(), qfi=qfi)
        session = talk.establish(session=session)
        packet = talk.to_user(session)
        check.downlink(talk.downlink(packet), session, packet, "TS38415-5.4.1.1-1")


@story(QOS, "reflective QoS")
def _reflective(talk: Conversation, check: Check) -> None:
    session = talk.establish()
    for rqi in (False, True):
        talk.must_modify(session, elements.qer(1, qfi=session.qfi, rqi=rqi, kind=Ie.UPDATE_QER)) if rqi else None
        packet = talk.to_user(session)
        output = check.downlink(talk.downlink(packet), replace(session, qfi=None), packet, "TS29244-8.2.26-2")
        if output is not None and output.message is not None:
            check.container(output.message, session.qfi or 0, int(rqi))


@story(QOS, "gates")
def _gates(talk: Conversation, check: Check) -> None:
    session = talk.new_session()
    rules = [*talk.plain_rules(session, qers=[2]), elements.qer(2)]
    session = talk.establish(rules, session)
    for uplink, downlink in ((False, True), (True, False), (False, False), (True, True)):
        gates = {"uplink_open": uplink, "downlink_open": downlink}
        talk.must_modify(session, elements.qer(2, kind=Ie.UPDATE_QER, **gates))
        packet = talk.to_network(session)
        step = talk.uplink(session, packet)
        if uplink:
            check.uplink(step, packet, "TS29244-5.4.3-1")
        else:
            check.dropped(step, "TS29244-5.4.3-1")
        _down_is(talk, check, session, 443, downlink, "TS29244-5.4.3-1")


def _passed(talk: Conversation, session: Session, side: str, load: float, seconds: int) -> tuple[int, int]:
    """Sends at a multiple of RATE for so long; returns how many packets were sent, and how many passed."""
    user = talk.to_user(session, SIZE) if side == N6 else talk.to_network(session, SIZE)
    octets = user if side == N6 else talk.from_access(session, talk.g_pdu(session, user))
    interval_ns = round(PACKET_BITS / (load * RATE * KILOBIT) * 1e9)
    count = round(seconds * 1e9 / interval_ns)
    return count, talk.passed(talk.flood(octets, side, count, interval_ns), side)


def _one_each_way(talk: Conversation, check: Check, session: Session) -> None:
    """Packets far below the maximum bit rate go through unchanged: of those of a flood only the number is known."""
    talk.advance(1)
    both_ways(talk, check, session)


@story(QOS, "maximum bit rate")
def _maximum_bit_rate(talk: Conversation, check: Check) -> None:
    """Traffic of twice the maximum bit rate passes at that rate within 1 %, measured over ten seconds. Traffic of nine
    tenths of the rate passes completely.
    """
    session = talk.new_session()
    rules = [*talk.plain_rules(session, qers=[2]), elements.qer(2, rates=(RATE, RATE))]
    session = talk.establish(rules, session)
    _one_each_way(talk, check, session)
    for side in (N6, N3):
        _passed(talk, session, side, 2.0, WARM_UP_S)
        _, passed = _passed(talk, session, side, 2.0, MEASURED_S)
        rate = passed * PACKET_BITS / MEASURED_S / KILOBIT
        sentence = f"{rate:.0f} kbit/s passed from {side}, and the maximum bit rate is {RATE}."
        check.expect(abs(rate - RATE) <= 0.01 * RATE, sentence, "TS29244-5.4.4-1")
        talk.advance(5)
        count, passed = _passed(talk, session, side, 0.9, MEASURED_S)
        sentence = f"At nine tenths of the maximum bit rate {passed} of {count} packets passed from {side}."
        check.expect(passed == count, sentence, "TS29244-5.4.4-1")
        talk.advance(5)


@story(QOS, "maximum bit rate of one direction")
def _one_direction(talk: Conversation, check: Check) -> None:
    session = talk.new_session()
    rules = [*talk.plain_rules(session, qers=[2]), elements.qer(2, rates=(10 * RATE, RATE))]
    session = talk.establish(rules, session)
    _one_each_way(talk, check, session)
    count, passed = _passed(talk, session, N3, 5.0, 1)
    sentence = f"{passed} of {count} packets of the uplink passed, far below its maximum bit rate."
    check.expect(passed == count, sentence, "TS29244-5.4.4-1")


@story(QOS, "maximum bit rate 0")
def _no_rate(talk: Conversation, check: Check) -> None:
    session = talk.new_session()
    rules = [*talk.plain_rules(session, qers=[2]), elements.qer(2, rates=(0, 0))]
    session = talk.establish(rules, session)
    for side in (N6, N3):
        _passed(talk, session, side, 1.0, 1)
        _, passed = _passed(talk, session, side, 1.0, 1)
        sentence = f"{passed} packets passed from {side} in a second, and the maximum bit rate is 0."
        check.expect(passed == 0, sentence, "TS29244-5.4.4-1")


@story(QOS, "nothing else is touched")
def _others(talk: Conversation, check: Check) -> None:
    """A QER of one session does not affect another session."""
    session = talk.new_session()
    closed = elements.qer(2, uplink_open=False, downlink_open=False)
    session = talk.establish([*talk.plain_rules(session, qers=[2]), closed], session)
    both_ways(talk, check, talk.establish())
    check.dropped(talk.downlink(talk.to_user(session)), "TS29244-5.4.3-1", N3)
