# SPDX-License-Identifier: Apache-2.0
"""PFCP messages: built, read back, and read by pycrate and tshark; and octets that are none."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from pycrate_mobile.TS29244_PFCP import PFCPIEType_dict, PFCPMsgType_dict, parse_PFCP

from headroom.core import tshark
from headroom.core.captures.dissection import Reading
from headroom.core.captures.framing import RAW
from headroom.schemes.gtpu import packets, pfcp_captures
from headroom.schemes.gtpu.dissector import GtpuDissector
from headroom.schemes.gtpu.pfcp import elements, message
from headroom.schemes.gtpu.pfcp.elements import Seid, Tunnel, Volumes
from headroom.schemes.gtpu.pfcp.message import Element, Message, PfcpError, group
from headroom.schemes.gtpu.pfcp.tables import PORT, Action, Cause, Ie, Interface, MessageType, Method, Trigger

HOST, HOST6 = "192.0.2.100", "2001:db8::100"
UP = (elements.source_interface(Interface.ACCESS), elements.choose_f_teid(choose_id=3))
DOWN = (
    elements.source_interface(Interface.CORE),
    elements.ue_ip_address("10.45.0.1", True),
    elements.sdf_filter("permit out ip from any to assigned", 5),
)
RULES = (
    elements.pdr(
        1, 100, [*UP, elements.ue_ip_address("2001:db8:45::", False, 56)], far=1, removal=6, qers=[1, 2], urrs=[1]
    ),
    elements.pdr(2, 200, DOWN, far=2, predefined=["static-1"]),
    elements.far(1, Action.FORWARD, Interface.CORE, marking=0x28),
    elements.far(2, Action.BUFFER | Action.NOTIFY, Interface.ACCESS, teid=7, host=HOST6, bar=1),
    elements.qer(1, qfi=9, rqi=True, rates=(1000, (1 << 40) - 1), downlink_open=False),
    elements.urr(
        1,
        Trigger.VOLUME_QUOTA | Trigger.PERIODIC,
        elements.volume_quota(10, 20, 30),
        elements.volume_threshold(total=5),
        period=60,
        method=Method.VOLUME | Method.DURATION,
    ),
)
ESTABLISHMENT = Message(
    MessageType.SESSION_ESTABLISHMENT_REQUEST, 7, (elements.node_id(HOST), elements.f_seid(1, HOST6), *RULES), 0
)
MODIFICATION = Message(
    MessageType.SESSION_MODIFICATION_REQUEST,
    0xFFFFFF,
    (
        elements.far(2, Action.FORWARD, Interface.ACCESS, teid=8, host=HOST, end_marker=True, update=True),
        elements.remove(Ie.REMOVE_PDR, 1),
        elements.qer(1, kind=Ie.UPDATE_QER),
        message.group(Ie.QUERY_URR, [elements.number(Ie.URR_ID, 1, 4)]),
    ),
    0x1122334455667788,
)
HEARTBEAT = Message(MessageType.HEARTBEAT_REQUEST, 1, (elements.recovery_time_stamp(3_900_000_000),))
ASSOCIATION = Message(
    MessageType.ASSOCIATION_SETUP_REQUEST, 2, (elements.node_id(HOST6), elements.recovery_time_stamp(1))
)
ALL = {"establishment": ESTABLISHMENT, "modification": MODIFICATION, "heartbeat": HEARTBEAT, "association": ASSOCIATION}


@pytest.mark.parametrize("name", ALL)
def test_a_message_is_read_back_and_by_pycrate(name: str) -> None:
    octets = ALL[name].octets()
    read = message.read(octets)
    assert (read.type, read.sequence, read.seid, read.elements) == (
        ALL[name].type,
        ALL[name].sequence,
        ALL[name].seid,
        ALL[name].elements,
    )
    assert read.octets() == octets and not read.remarks
    theirs, error = parse_PFCP(octets)
    assert error == 0 and theirs.to_bytes() == octets


@pytest.mark.skipif(not tshark.is_available(), reason="tshark is not installed")
def test_tshark_reads_them() -> None:
    sent = [packets.udp(HOST, "192.0.2.4", PORT, PORT, one.octets()) for one in ALL.values()]
    fields = ("pfcp.msg_type", "pfcp.seqno", "pfcp.ie_type", tshark.MALFORMED)
    rows = tshark.rows_of([(0, one, len(one)) for one in sent], RAW, fields, ())
    assert rows is not None
    for one, row in zip(ALL.values(), rows, strict=True):
        assert not row[tshark.MALFORMED]
        assert tshark.numbers(row["pfcp.msg_type"]) == [one.type] and tshark.numbers(row["pfcp.seqno"]) == [
            one.sequence
        ]
        assert sorted(tshark.numbers(row["pfcp.ie_type"])) == sorted(int(element.type) for element in one.walk())


@pytest.mark.parametrize(("table", "theirs"), [(Ie, PFCPIEType_dict), (MessageType, PFCPMsgType_dict)])
def test_the_numbers_are_those_of_pycrate(table: type, theirs: dict[int, str]) -> None:
    """By their first words: names differ in how they tell the places of an element apart."""
    for one in table:
        ours = one.name.replace("_IN_", " ").split("_")[0].split(" ")[0]
        name = theirs[one.value].upper().replace("-", " ").replace("PFCP ", "", 1)
        assert name.split()[0].startswith(ours[:4]) or ours in name.replace(" ", "_"), (one, theirs[one.value])


def test_values_of_answers() -> None:
    assert elements.read_f_teid(elements.f_teid(5, HOST6, HOST)) == Tunnel(5, HOST, HOST6)
    assert elements.read_f_seid(elements.f_seid(1 << 60, HOST)) == Seid(1 << 60, HOST)
    assert elements.read_node_id(elements.node_id(HOST6)) == HOST6
    volumes = Element(Ie.VOLUME_MEASUREMENT, bytes([0b100101]) + b"".join(n.to_bytes(8, "big") for n in (9, 4, 2)))
    assert elements.read_volumes(volumes) == Volumes(total=9, downlink=4, downlink_packets=2)
    assert elements.read_triggers(Element(Ie.USAGE_REPORT_TRIGGER, b"\x80\x08\0")) == 0x880
    assert ESTABLISHMENT.value(Ie.CAUSE) is None and HEARTBEAT.value(Ie.RECOVERY_TIME_STAMP) == 3_900_000_000


@pytest.mark.parametrize(
    ("read", "value"),
    [
        (elements.read_f_teid, b""),
        (elements.read_f_teid, b"\5"),
        (elements.read_f_teid, b"\1\0\0\0\1\x7f"),
        (elements.read_f_seid, b"\2" + bytes(7)),
        (elements.read_f_seid, b"\1" + bytes(12)),
        (elements.read_node_id, b""),
        (elements.read_node_id, b"\0\1\2\3"),
        (elements.read_volumes, b"\7" + bytes(17)),
    ],
)
def test_values_that_end_too_soon(read, value: bytes) -> None:
    with pytest.raises(PfcpError, match=r"\(TS 29\.244, 8\.2\."):
        read(Element(0, value))


@pytest.mark.parametrize(
    ("octets", "sentence"),
    [
        (b"", "8 octets at least"),
        (HEARTBEAT.octets()[:7], "8 octets at least"),
        (replace(HEARTBEAT, version=2).octets(), "The version is 2"),
        (replace(HEARTBEAT, length=13).octets(), "The Length is 13, but 12 octets follow"),
        (replace(HEARTBEAT, length=3).octets(), "the header alone has 4"),
        (
            replace(HEARTBEAT, elements=(Element(Ie.CAUSE, b"\1", length=9),)).octets(),
            "The Cause claims 9 octets, but 1 are left",
        ),
        (replace(HEARTBEAT, elements=(Element(1, b"\0\1\2"),)).octets(), "3 octets are left"),
    ],
)
def test_octets_that_are_no_message(octets: bytes, sentence: str) -> None:
    with pytest.raises(PfcpError, match=sentence):
        message.read(octets)


def test_remarks_on_a_header() -> None:
    read = message.read(replace(HEARTBEAT, flags=0x18).octets() + b"xx")
    assert len(read.remarks) == 2 and "spare" in read.remarks[1]


def test_random_octets_raise_nothing_else() -> None:
    chance = random.Random(1)
    base = bytearray(ESTABLISHMENT.octets())
    for _ in range(3000):
        octets = bytearray(base)
        for _ in range(chance.randint(1, 5)):
            octets[chance.randrange(len(octets))] = chance.randrange(256)
        try:
            list(message.read(bytes(octets[: chance.randint(0, len(octets))])).walk())
        except PfcpError:
            continue


def test_names_in_words() -> None:
    assert message.name_of(Ie.CREATE_PDR, Ie, "") == "Create PDR"
    assert message.name_of(Cause.RULE_FAILURE, Cause, "") == "Rule Failure"
    assert message.name_of(999, Ie, "element") == "element 999"


@pytest.mark.skipif(not tshark.is_available(), reason="tshark is not installed")
def test_captures_are_read_as_tshark_reads_them() -> None:
    dissector, reader = GtpuDissector(), GtpuDissector().reader()
    flow = (b"\1" * 4, b"\2" * 4, PORT, PORT)
    answer = Message(MessageType.SESSION_DELETION_RESPONSE, 9, (elements.number(Ie.CAUSE, 65, 1),), 0)
    sent = [one.octets() for one in (*ALL.values(), answer)]
    packed = [packets.udp(HOST, "192.0.2.4", PORT, PORT, one) for one in sent]
    rows = tshark.rows_of([(0, one, len(one)) for one in packed], RAW, dissector.fields, dissector.options)
    assert rows is not None
    for octets, row in zip(sent, rows, strict=True):
        assert dissector.is_own(flow, octets) and not dissector.is_own(flow, b"\x00" + octets[1:])
        ours, theirs = reader.read(flow, octets), Reading()
        dissector.complete(row, theirs)
        assert ours is not None and not ours.error and ours.values == theirs.values
    assert ours.title == "PFCP Session Deletion Response" and ours.notes == [
        "the cause is 65 (Session Context Not Found)"
    ]
    cut = reader.read(flow, sent[0][:20])
    assert cut is not None and "The Length is" in cut.error


def test_a_capture_with_a_cause_that_is_no_number_is_read() -> None:
    """Also if it is in a group."""
    cause = Element(Ie.CAUSE, bytes([1]) * 5000)
    for element in (cause, group(Ie.CREATED_PDR, [cause])):
        read = pfcp_captures.reading(Message(MessageType.HEARTBEAT_RESPONSE, 1, (element,)).octets(), 0)
        assert "The Cause has 5000 octets" in read.error
