# SPDX-License-Identifier: Apache-2.0
"""Profile 0x0006 on a channel: contexts beside those of RFC 3095, any octets at all, and streams that are wrong."""

from __future__ import annotations

import random

import pytest

from headroom.schemes.rohc.judge import Checker, Decompressor, NoContext, Parameters
from headroom.schemes.rohc.judge.framework import crc
from headroom.schemes.rohc.judge.tcp.chains import SEQUENTIAL, Context, write_compressed
from headroom.schemes.rohc.judge.tcp.feedback import ACK, MSN_NOT_VALID, NACK, STATIC_NACK, Feedback, write_feedback
from headroom.schemes.rohc.judge.tcp.packets import write_ir, write_ir_dyn
from headroom.schemes.rohc.judge.v1 import vectors
from headroom.tests.oracle_rohc.support import all_vectors
from headroom.tests.oracle_rohc.test_robustness import check_outcome
from headroom.tests.oracle_rohc_tcp.packets import context_of, ipv4, ipv6, tcp

BOTH = Parameters(profiles=frozenset({0, 1, 2, 4, 6}))
CONTROL = {"ack_stride": 0, "ecn_used": 0, "ip_id_behavior_innermost": SEQUENTIAL}
TCP_VECTORS = vectors.load(vectors.FOLDER / "tcp")


def original(number: int, acknowledged: int | None = None) -> bytes:
    """A pure acknowledgement of a flow: the IP-ID goes on with its number, and so does what is acknowledged."""
    return ipv4(tcp(1000, 7000 + 10 * number if acknowledged is None else acknowledged), 77 + number)


def context(number: int, msn: int | None = None, packet: bytes | None = None) -> Context:
    return context_of(packet or original(number), 500 + number if msn is None else msn, CONTROL)[0]


def compressed(number: int, name: str = "seq_3", packet: bytes | None = None, msn: int | None = None) -> bytes:
    packet = packet or original(number)
    after = context(number, msn, packet)
    value = crc.crc3(packet) if name != "seq_8" else crc.crc7(packet)
    return write_compressed(name, context(number - 1), after, value, b"", {"list_present": 0})


def stream(count: int = 4) -> list[bytes]:
    return [write_ir(context(0), b""), *(compressed(number) for number in range(1, count))]


def findings(checker: Checker) -> list[str]:
    return [one.requirement for one in checker.findings]


def test_a_cid_goes_from_one_family_to_the_other_and_back() -> None:
    rtp = all_vectors()["rtp-uo-0-next"].steps
    decompressor = Decompressor(BOTH)
    assert decompressor.decompress(rtp[0].link).delivered == rtp[0].packet
    assert decompressor.decompress(write_ir(context(0), b"")).delivered == original(0)
    assert not decompressor.channel.contexts
    assert decompressor.decompress(compressed(1)).delivered == original(1)
    assert [decompressor.decompress(step.link).delivered for step in rtp] == [step.packet for step in rtp]
    assert not decompressor.channel.tcp_contexts
    assert decompressor.decompress(rtp[-1].link).error is None


def test_a_refused_packet_leaves_the_context_of_either_family() -> None:
    rtp = all_vectors()["rtp-uo-0-next"].steps
    decompressor = Decompressor(BOTH)
    decompressor.decompress(rtp[0].link)
    damaged = write_ir(context(0), b"")[:-1] + b"\xff"
    assert decompressor.decompress(damaged).error is not None
    assert list(decompressor.channel.contexts) == [0] and not decompressor.channel.tcp_contexts
    ir_dyn = decompressor.decompress(write_ir_dyn(context(0), b""))
    assert isinstance(ir_dyn.error, NoContext) and ir_dyn.error.requirement == "RFC6846-5.3.1.3-1"


def test_a_copy_goes_on_by_itself() -> None:
    decompressor = Decompressor(BOTH)
    decompressor.decompress(stream()[0])
    copy = decompressor.copy()
    copy.decompress(compressed(1))
    assert decompressor.channel.tcp_contexts[0] == context(0)
    assert copy.channel.tcp_contexts[0] == context(1)


def test_a_channel_has_this_profile_only_if_it_is_named() -> None:
    assert 6 not in Parameters().profiles and 6 not in Parameters.of({}).profiles
    assert Decompressor().decompress(stream()[0]).error is not None


@pytest.mark.parametrize("name", TCP_VECTORS)
def test_whatever_octets_arrive(name: str) -> None:
    draw = random.Random(name)
    vector = TCP_VECTORS[name]
    decompressor = Decompressor(vector.parameters)
    for step in vector.steps:
        for _ in range(6):
            octets = bytearray(step.link)
            for _ in range(draw.randrange(1, 4)):
                octets[draw.randrange(len(octets))] ^= 1 << draw.randrange(8)
            check_outcome(decompressor.copy().decompress(bytes(octets)), bytes(octets))
        decompressor.decompress(step.link)


# --- streams ----------------------------------------------------------------------------------------------------------


def checked(links: list[bytes], sources: list[bytes], held: int = 1) -> Checker:
    """The first packet, of MSN 500, is acknowledged."""
    checker = Checker(BOTH, window=held, confidence=held)
    for link, source in zip(links, sources, strict=True):
        checker.take(link, source)
        if link is links[0]:
            checker.take_feedback(write_feedback(Feedback(ACK, 500, 14)))
    return checker


def test_a_stream_that_is_right() -> None:
    checker = checked(stream(), [original(number) for number in range(4)], held=4)
    assert (checker.findings, checker.restored) == ([], 4)
    assert checker.kinds == {"IR": 1, "seq_3": 3}


def test_a_packet_for_another_original() -> None:
    checker = checked(stream(2), [original(0), original(1, 7999)])
    assert findings(checker) == ["RFC6846-5.2.1-1"]
    assert "ack_number of tcp is 7999, and 7010 comes out" in checker.findings[0].sentence


def test_a_wrong_crc_over_the_right_header() -> None:
    wrong = bytearray(compressed(1))
    wrong[3] ^= 1  # the CRC-3 is last in seq_3
    checker = checked([stream()[0], bytes(wrong)], [original(0), original(1)])
    assert findings(checker) == ["RFC6846-5.3.1.1-3"]
    assert "That is the right header." in checker.findings[0].sentence


def test_an_msn_that_skips() -> None:
    links = [stream()[0], compressed(1, packet=ipv4(tcp(1000, 7010), 79), msn=502)]
    assert findings(checked(links, [original(0), ipv4(tcp(1000, 7010), 79)])) == ["RFC6846-6.1.1-1"]


def test_an_ir_of_another_flow_that_begins_its_msn_anew() -> None:
    other = ipv6(tcp(1, 2))
    links = [stream()[0], write_ir(context_of(other, 9, CONTROL | {"ip_id_behavior_innermost": 2})[0], b"")]
    assert findings(checked(links, [original(0), other])) == ["RFC6846-6.1.1-5"]


def test_a_change_that_only_one_packet_carries() -> None:
    """The window changes in an IR-DYN packet alone, and the next packet has nothing of it."""
    window = [ipv4(tcp(1000, 7000 + 10 * n, window=500 if n < 2 else 900), 77 + n) for n in range(4)]
    contexts = [context(n, packet=packet) for n, packet in enumerate(window)]
    links = [write_ir(contexts[0], b""), compressed(1), write_ir_dyn(contexts[2], b"")]
    links.append(write_compressed("seq_3", contexts[2], contexts[3], crc.crc3(window[3]), b""))
    assert not checked(links, window, held=1).findings
    found = checked(links, window, held=3)
    assert findings(found) == ["RFC6846-5.2.1.1-3"] * 2
    assert "2 packets back" in found.findings[0].sentence and "window of tcp" in found.findings[0].sentence
    heard = checked(links[:1], window[:1], held=3)
    for number, link in enumerate(links[1:], 1):
        if number == 3:  # what acknowledges the IR-DYN packet says that older references are gone
            heard.take_feedback(write_feedback(Feedback(ACK, 502, 14)))
        heard.take(link, window[number])
    assert not heard.findings


def test_an_outer_header_whose_ip_id_is_called_sequential() -> None:
    packet = ipv4(original(0), 5, protocol=4)
    wrong = context(0, packet=packet)
    wrong.headers[0].values["ip_id_behavior_outer"] = SEQUENTIAL
    assert findings(checked([write_ir(wrong, b"")], [packet])) == ["RFC6846-6.1.2-3"]


def test_originals_that_cannot_be_inferred() -> None:
    source = original(0)
    source = source[:10] + b"\0\0" + source[12:]
    assert findings(checked(stream(1), [source])) == ["RFC6846-6.4.1-2"]
    assert findings(checked(stream(1), [source[:9] + b"\x11" + source[10:]])) == ["RFC6846-5.1-1"]


NACKED = Feedback(NACK, 501, 14)


@pytest.mark.parametrize(
    ("feedback", "answer", "requirement"),
    [
        (NACKED, "seq_3", "RFC6846-5.2.2.2-1"),
        (NACKED, "seq_8", None),  # with a CRC-7
        (NACKED, "IR-DYN", None),
        (NACKED, "IR", None),
        (Feedback(NACK, 501, 14, options=frozenset({MSN_NOT_VALID})), "IR-DYN", "RFC6846-5.2.2.2-3"),
        (Feedback(STATIC_NACK, 501, 14), "IR-DYN", "RFC6846-5.2.2.2-3"),
        (Feedback(STATIC_NACK, 501, 14), "IR", None),
        (Feedback(STATIC_NACK, 499, 14, cid=3), "seq_3", None),  # of a CID that has no context
    ],
)
def test_answers(feedback: Feedback, answer: str, requirement: str | None) -> None:
    checker = checked(stream(2), [original(0), original(1)])
    checker.take_feedback(write_feedback(feedback))
    links = {"IR": write_ir(context(2), b""), "IR-DYN": write_ir_dyn(context(2), b"")}
    checker.take(links.get(answer) or compressed(2, answer), original(2))
    assert findings(checker) == ([requirement] if requirement else [])


def test_feedback_that_is_to_be_discarded_binds_nobody() -> None:
    checker = checked(stream(2), [original(0), original(1)])
    data = bytearray(write_feedback(NACKED))
    data[2] ^= 1
    checker.take_feedback(bytes(data))
    checker.take(compressed(2), original(2))
    assert not checker.findings
