# SPDX-License-Identifier: Apache-2.0
"""Stories of usage reports: URRs (TS 29.244, 5.2.2)."""

from __future__ import annotations

from headroom.schemes.gtpu.conformance.check import Check, Stories, story
from headroom.schemes.gtpu.conversation import Conversation, Session
from headroom.schemes.gtpu.pfcp import elements
from headroom.schemes.gtpu.pfcp.elements import Volumes
from headroom.schemes.gtpu.pfcp.message import Element, group
from headroom.schemes.gtpu.pfcp.tables import Ie, Method, ReportTrigger, ReportType, Trigger
from headroom.schemes.gtpu.user_plane import N3, N6

USAGE: Stories = {}
FEATURE = "usage-reports"
SIZE = 1000  # octets of payload
OCTETS = SIZE + 28  # of the user's packet
THRESHOLD = 5000
QUOTA = 3000


def _session(talk: Conversation, urr: Element) -> Session:
    session = talk.new_session()
    return talk.establish([*talk.plain_rules(session, urrs=[1]), urr], session)


def _up(talk: Conversation, check: Check, session: Session, size: int = SIZE) -> None:
    """A packet of the uplink that has to pass: what did not pass is not to be counted."""
    packet = talk.to_network(session, size)
    check.uplink(talk.uplink(session, packet), packet, "TS29244-8.2.26-2")


def _volumes(check: Check, report: Element) -> Volumes:
    element = report.find(Ie.VOLUME_MEASUREMENT)
    if not check.expect(element is not None, "A usage report has no Volume Measurement.", "TS29244-8.2.44-1"):
        return Volumes()
    assert element is not None
    return elements.read_volumes(element)


def _total(volumes: Volumes) -> int:
    return (volumes.uplink or 0) + (volumes.downlink or 0) if volumes.total is None else volumes.total


def _triggers(report: Element) -> int:
    element = report.find(Ie.USAGE_REPORT_TRIGGER)
    return 0 if element is None else elements.read_triggers(element)


def _number(report: Element, kind: Ie) -> int | None:
    element = report.find(kind)
    return None if element is None else element.number()


def _numbered(check: Check, reports: list[Element]) -> None:
    numbers = [_number(element, Ie.UR_SEQN) for element in reports]
    expected = list(range(len(reports)))
    check.expect(numbers == expected, f"The reports are numbered {numbers}, not {expected}.", "TS29244-5.2.2.3-3")
    urrs = {_number(element, Ie.URR_ID) for element in reports}
    check.expect(urrs <= {1}, f"The reports are of the URRs {urrs}.", "TS29244-5.2.2.3-1")


@story(USAGE, "volume threshold", FEATURE)
def _volume_threshold(talk: Conversation, check: Check) -> None:
    threshold = elements.volume_threshold(total=THRESHOLD)
    session = _session(talk, elements.urr(1, Trigger.VOLUME_THRESHOLD, threshold))
    for number in range(1, 13):
        _up(talk, check, session)
        if number * OCTETS < THRESHOLD:
            check.expect(not talk.usage_reports(), "A report came below the threshold.", "TS29244-5.2.2.3-1")
    reports = talk.usage_reports()
    sentence = f"{len(reports)} reports came for {12 * OCTETS} octets and a threshold of {THRESHOLD}, not two."
    if not check.expect(len(reports) == 2, sentence, "TS29244-5.2.2.3-1"):
        return
    _numbered(check, reports)
    counted = sum(_total(_volumes(check, report)) for report in reports)
    sentence = f"The reports count {counted} octets, and {12 * OCTETS} passed."
    check.expect(counted <= 12 * OCTETS, sentence, "TS29244-5.2.2.2-1")
    for report in reports:
        named = bool(_triggers(report) & ReportTrigger.VOLUME_THRESHOLD)
        check.expect(named, f"The trigger is {_triggers(report):#x}.", "TS29244-5.2.2.3-1")
        volumes = _volumes(check, report)
        total = _total(volumes)
        good = total >= THRESHOLD and total % OCTETS == 0
        check.expect(good, f"A report counts {total} octets, but each packet has {OCTETS}.", "TS29244-5.2.2.2-1")
    for report in talk.reports(ReportType.USAGE):
        sentence = f"A report has the SEID {report.seid}, and ours is {session.number}."
        check.expect(report.seid == session.number, sentence, "TS29244-7.5.8-1")


@story(USAGE, "query", FEATURE)
def _query(talk: Conversation, check: Check) -> None:
    """Three packets up and two down, of different lengths."""
    session = _session(talk, elements.urr(1, Trigger.VOLUME_THRESHOLD, elements.volume_threshold(total=1 << 40)))
    _traffic(talk, check, session)
    answer = talk.modify(session, group(Ie.QUERY_URR, [elements.number(Ie.URR_ID, 1, 4)]))
    check.expect_accepted(answer, "TS29244-7.5.5-1")
    reports = answer.all(Ie.USAGE_REPORT_IN_MODIFICATION) if answer else []
    if check.expect(len(reports) == 1, f"{len(reports)} reports came for a query, not one.", "TS29244-7.5.5-3"):
        sentence = f"The trigger is {_triggers(reports[0]):#x}."
        check.expect(bool(_triggers(reports[0]) & ReportTrigger.IMMEDIATE), sentence, "TS29244-7.5.5-3")
        _counted(check, reports[0], up=3 * 128, down=2 * 528)


def _traffic(talk: Conversation, check: Check, session: Session) -> None:
    for _ in range(3):
        _up(talk, check, session, 100)
    for _ in range(2):
        packet = talk.to_user(session, 500)
        check.downlink(talk.downlink(packet), session, packet, "TS29244-8.2.26-2")


def _counted(check: Check, report: Element, up: int, down: int) -> None:
    volumes = _volumes(check, report)
    entry = (volumes.total, volumes.uplink, volumes.downlink)
    wanted = (up + down, up, down)
    sentence = f"The volumes are {entry} (total, up, down), and {wanted} octets passed."
    # A measurement may leave out what the trigger does not ask for, but the sum has to be known.
    good = all(number in (None, right) for number, right in zip(entry, wanted, strict=True))
    known = volumes.total is not None or None not in (volumes.uplink, volumes.downlink)
    check.expect(good and known, sentence, "TS29244-5.2.2.2-1")


@story(USAGE, "deletion", FEATURE)
def _deletion(talk: Conversation, check: Check) -> None:
    session = _session(talk, elements.urr(1, Trigger.VOLUME_THRESHOLD, elements.volume_threshold(total=1 << 40)))
    _traffic(talk, check, session)
    answer = talk.delete(session)
    check.expect_accepted(answer, "TS29244-7.5.7-1")
    reports = answer.all(Ie.USAGE_REPORT_IN_DELETION) if answer else []
    if check.expect(len(reports) == 1, f"{len(reports)} reports came with a deletion, not one.", "TS29244-7.5.7-2"):
        sentence = f"The trigger is {_triggers(reports[0]):#x}."
        check.expect(bool(_triggers(reports[0]) & ReportTrigger.TERMINATION), sentence, "TS29244-7.5.7-2")
        _counted(check, reports[0], up=3 * 128, down=2 * 528)


@story(USAGE, "periods", FEATURE)
def _periods(talk: Conversation, check: Check) -> None:
    session = _session(talk, elements.urr(1, Trigger.PERIODIC, period=10, method=Method.VOLUME))
    for _ in range(3):
        _up(talk, check, session)
        talk.advance(10)
    talk.advance(1)
    reports = talk.usage_reports()
    if not check.expect(len(reports) == 3, f"{len(reports)} reports came in three periods.", "TS29244-5.2.2.3-2"):
        return
    _numbered(check, reports)
    for report in reports:
        sentence = f"The trigger is {_triggers(report):#x}."
        check.expect(bool(_triggers(report) & ReportTrigger.PERIODIC), sentence, "TS29244-5.2.2.3-2")
        volumes = _volumes(check, report)
        sentence = f"A period has {_total(volumes)} octets, and {OCTETS} passed."
        check.expect(_total(volumes) == OCTETS, sentence, "TS29244-5.2.2.2-1")


@story(USAGE, "volume quota", FEATURE)
def _volume_quota(talk: Conversation, check: Check) -> None:
    """Two packets are within the quota, the third reaches beyond it and may pass, no other does; a new quota lets
    packets pass again."""
    quota = elements.volume_quota(total=QUOTA)
    session = _session(talk, elements.urr(1, Trigger.VOLUME_QUOTA, quota))
    _within(talk, check, session)
    named = any(_triggers(element) & ReportTrigger.VOLUME_QUOTA for element in talk.usage_reports())
    check.expect(named, "No report says that the quota is used up.", "TS29244-5.2.2.3-1")
    talk.must_modify(session, elements.urr(1, Trigger.VOLUME_QUOTA, quota, kind=Ie.UPDATE_URR))
    _within(talk, check, session)


def _within(talk: Conversation, check: Check, session: Session) -> None:
    passed = [_passes(talk, check, session) for _ in range(8)]
    sentence = f"Of eight packets of {OCTETS} octets {sum(passed)} passed, and the quota is {QUOTA} octets."
    check.expect(passed[:2] == [True, True] and not any(passed[3:]), sentence, "TS29244-5.2.2.2-2")


def _passes(talk: Conversation, check: Check, session: Session) -> bool:
    """Sends a packet of the uplink, which may pass; it passes as it is, or not at all."""
    packet = talk.to_network(session, SIZE)
    step = talk.uplink(session, packet)
    if step.sent():
        check.uplink(step, packet, "TS29244-8.2.26-2")
    return bool(step.sent(N6))


@story(USAGE, "quota 0", FEATURE)
def _quota_zero(talk: Conversation, check: Check) -> None:
    session = _session(talk, elements.urr(1, Trigger.VOLUME_QUOTA, elements.volume_quota(total=0)))
    passed = [_passes(talk, check, session) for _ in range(4)]
    check.expect(not any(passed[1:]), f"{sum(passed)} packets passed with a quota of 0.", "TS29244-5.2.2.2-2")


@story(USAGE, "dropped packets do not count", FEATURE)
def _dropped(talk: Conversation, check: Check) -> None:
    session = talk.new_session()
    urr = elements.urr(1, Trigger.VOLUME_THRESHOLD, elements.volume_threshold(total=1 << 40))
    closed = elements.qer(2, downlink_open=False)
    session = talk.establish([*talk.plain_rules(session, urrs=[1], qers=[2]), urr, closed], session)
    _up(talk, check, session, 100)
    for _ in range(4):
        check.dropped(talk.downlink(talk.to_user(session, 500)), "TS29244-5.4.3-1", N3)
    answer = talk.delete(session)
    reports = answer.all(Ie.USAGE_REPORT_IN_DELETION) if answer else []
    if check.expect(len(reports) == 1, f"{len(reports)} reports came with a deletion, not one.", "TS29244-7.5.7-2"):
        _counted(check, reports[0], up=128, down=0)


@story(USAGE, "measurement before QoS enforcement", FEATURE)
def _before_qos(talk: Conversation, check: Check) -> None:
    session = talk.new_session()
    before = elements.number(Ie.MEASUREMENT_INFORMATION, 1, 1)  # MBQE
    urr = elements.urr(1, Trigger.VOLUME_THRESHOLD, elements.volume_threshold(total=1 << 40), before)
    closed = elements.qer(2, downlink_open=False)
    session = talk.establish([*talk.plain_rules(session, urrs=[1], qers=[2]), urr, closed], session)
    _up(talk, check, session, 100)
    for _ in range(4):
        check.dropped(talk.downlink(talk.to_user(session, 500)), "TS29244-5.4.3-1", N3)
    answer = talk.delete(session)
    reports = answer.all(Ie.USAGE_REPORT_IN_DELETION) if answer else []
    if check.expect(len(reports) == 1, f"{len(reports)} reports came with a deletion, not one.", "TS29244-7.5.7-2"):
        total = _total(_volumes(check, reports[0]))
        sentence = f"{total} octets were counted; 128 passed, and a gate dropped {4 * 528}."
        check.expect(total == 128 + 4 * 528, sentence, "TS29244-8.2.68-1")
