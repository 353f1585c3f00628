# SPDX-License-Identifier: Apache-2.0
"""The checker: silent about right streams, precise about wrong ones. Streams are vectors, whole or with a change."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from headroom.core import requirements
from headroom.schemes.rohc.conformance.feedback import Written, split
from headroom.schemes.rohc.conformance.flow import Flow
from headroom.schemes.rohc.judge import Checker, Decompressor, FeedbackEvent, Finding, Parameters, check_stream
from headroom.schemes.rohc.judge.framework import crc
from headroom.schemes.rohc.judge.v1 import checker, headers
from headroom.schemes.rohc.judge.v1.vectors import PACKET_INTERVAL_NS, Vector
from headroom.tests.conformance.support import sent
from headroom.tests.oracle_rohc.support import all_vectors, patched, stream, with_ipv4_checksum, with_null_esp

CLOCK_OF_10_MS = bytes.fromhex("2000 510a")  # ACK(O), and the CLOCK option: RFC 3095, 5.7.6.7

# Vectors that a decompressor must accept but a compressor must not produce, and what is wrong with them.
NOT_FOR_COMPRESSORS = {
    "rtp-ir-reserved-ignored": {"RFC3095-5.7.7.6-2"},
    "rtp-ir-csrc-padding-ignored": {"RFC3095-5.8.6.1-2"},
    "rtp-ir-first-cc-ignored": {"RFC4815-5.2-1"},
    "rtp-uor-2-extension-3-stride-ignored": {"RFC4815-4.6-1"},
    "rtp-uo-1-id-extension-3-stride-not-kept": set(),
    "udp-uor-2-extension-3-inner": {"RFC3095-5.11.4-2"},
    "udp-uor-2-extension-3-all": {"RFC3095-4.4.1-1"},  # mode O before any feedback
    "ip-uor-2-mode-0": {"RFC3843-3.4-7"},
    "lite-mode-0": {"RFC4019-5.6-3"},
    "csrc-insertion-ignored": {"RFC3095-5.8.6.1-2", "RFC3095-5.8.6.2-2"},
    "csrc-removal-reserved": {"RFC3095-5.8.6.3-1"},
    "ext-reserved-bits": {"RFC3095-5.8.5.1-1"},
    # Streams that jump to show the ends of an interpretation interval; the generated SN does not jump.
    "udp-uo-0-farthest": {"RFC3095-5.11-1"},
    "udp-uo-1-farthest": {"RFC3095-5.11-1"},
    "udp-uo-1-ipv6": {"RFC3095-5.11-1"},
    "udp-uor-2-random-ip-id": {"RFC3095-5.11-1"},
    "udp-uor-2-extension-0": {"RFC3095-5.11-1"},
    "r-udp-0": {"RFC3095-5.11-1"},
    "r-udp-1-extension-1": {"RFC3095-5.11-1"},
    "udp-uor-2-extension-0-farthest": {"RFC3095-5.11-1"},
    "udp-uor-2-extension-3-sn": {"RFC3095-5.11-1"},
    "udp-ir-dyn": {"RFC3095-5.11-1"},
    "ext-ah-follows-sn": {"RFC3095-5.11-1"},
    "udp-profile-switch-from-rtp": {"RFC3095-5.11-1"},
    "ip-uo-0-farthest": {"RFC3843-3-1"},
    "ip-uor-2-extension-0": {"RFC3843-3-1"},
    "ip-constant-ip-id": {"RFC3843-3-1"},
    "ip-two-ipv4-outer-constant": {"RFC3843-3-1"},
}


def whole_streams() -> list[str]:
    return [name for name, vector in all_vectors().items() if all(step.packet is not None for step in vector.steps)]


def found(findings: list[Finding]) -> set[str]:
    return {finding.requirement for finding in findings}


def answers(vector: Vector) -> list[FeedbackEvent]:
    """What a decompressor in R-mode sends, as the vector says it: each reply about the packet that it is for."""
    judge, events = Decompressor(vector.parameters), []
    for number, step in enumerate(vector.steps):
        after = judge.decompress(step.link).after
        for reply in step.replies if vector.channel["mode"] == "R" and after is not None else ():
            words = Written(reply["acktype"], reply["mode"], ("CRC",))
            element = words.element(reply["cid"], reply.get("sn", after.sn), vector.parameters)
            events += [FeedbackEvent(number + 1, data) for data in split(element)]
    return events


@pytest.mark.parametrize("name", whole_streams())
def test_right_streams(name: str) -> None:
    vector, originals, links = stream(name)
    judge = Checker(vector.parameters)
    events = answers(vector)
    if vector.feature == "timer-based":
        events.append(FeedbackEvent(0, CLOCK_OF_10_MS))
    for number, (original, link) in enumerate(zip(originals, links, strict=True)):
        for event in events:
            if event.before == number:
                judge.take_feedback(event.data)
        judge.take(link, original, number * PACKET_INTERVAL_NS)
    assert not judge.not_judged
    findings = judge.findings
    assert found(findings) == NOT_FOR_COMPRESSORS.get(name, set()), findings


def test_the_table_above_is_not_stale() -> None:
    assert set(NOT_FOR_COMPRESSORS) <= set(whole_streams())


def wrong(name: str, index: int, link: bytes | None = None, original: bytes | None = None) -> set[str]:
    """What the checker finds at a packet of a right stream when the link packet or the original is another."""
    vector, originals, links = stream(name)
    if link is not None:
        links[index] = link
    if original is not None:
        originals[index] = original
    findings = check_stream(originals[: index + 1], links[: index + 1], parameters=vector.parameters)
    assert {finding.packet for finding in findings} <= {index}, findings
    return found(findings)


def test_wrong_crc() -> None:
    _, _, links = stream("rtp-uo-0-run")
    assert wrong("rtp-uo-0-run", 2, link=patched(links[2], 0, links[2][0] ^ 1)) == {"RFC3095-5.9.2-1"}


def test_wrong_ir_crc() -> None:
    _, _, links = stream("rtp-ir-reuses-cid")
    assert wrong("rtp-ir-reuses-cid", 1, link=patched(links[1], 2, links[1][2] ^ 0xFF)) == {"RFC3095-5.2.6-5"}


@pytest.mark.parametrize(
    ("at", "requirement"),
    [
        (1, "RFC3095-5.3.1.1.3-1"),  # TOS
        (5, "RFC3095-4.5.5-1"),  # identification
        (6, "RFC3095-5.3.1.1.3-1"),  # DF
        (8, "RFC3095-5.3.1.1.3-1"),  # TTL
        (15, "RFC3095-4.2-1"),  # source address
        (21, "RFC3095-4.2-1"),  # port
        (29, "RFC3095-5.3.1.1.3-1"),  # payload type
        (31, "RFC3095-4.5.1-1"),  # SN
        (35, "RFC3095-4.5.3-1"),  # TS
        (39, "RFC3095-4.2-1"),  # SSRC
    ],
)
def test_a_field_that_changed_and_was_not_sent(at: int, requirement: str) -> None:
    """The original has another value than the compressed header tells: the CRC is wrong, and the field is named."""
    _, originals, _ = stream("rtp-uo-0-run")
    changed = with_ipv4_checksum(patched(originals[2], at, originals[2][at] ^ 0x40))
    findings = wrong("rtp-uo-0-run", 2, original=changed)
    assert requirement in findings
    assert findings <= {requirement, "RFC3095-5.9.2-1"}


def test_marker_that_was_not_sent() -> None:
    _, originals, _ = stream("rtp-uo-0-run")
    assert "RFC3095-5.7-5" in wrong("rtp-uo-0-run", 2, original=patched(originals[2], 29, originals[2][29] | 0x80))


def test_wrong_packet_does_not_spoil_the_next() -> None:
    """TOS changes and nothing tells: one packet is wrong; the next follow from what the compressor believes."""
    vector, originals, links = stream("rtp-uo-0-run")
    changed = originals[:2] + [with_ipv4_checksum(patched(one, 1, 4)) for one in originals[2:]]
    # The later packets carry the CRC that a compressor with the new TOS in its context computes.
    for number in (3, 4):
        covered = headers.crc_input(changed[number][:40], (4, "UDP", "RTP"))
        links[number] = patched(links[number], 0, links[number][0] & 0xF8 | crc.crc3(covered))
    judge = Checker(vector.parameters)
    checker.run(judge, changed, links)
    assert {finding.packet for finding in judge.findings} == {2}
    assert judge.restored == 4


def test_packets_before_ir() -> None:
    vector, originals, links = stream("rtp-uo-0-run")
    findings = check_stream(originals[1:], links[1:], parameters=vector.parameters)
    assert found(findings) == {"RFC3095-4.3.1-1"} and len(findings) == len(links) - 1


def test_cid_above_max_cid() -> None:
    _, originals, links = stream("large-cid-300")
    findings = check_stream(originals, links, parameters=Parameters(large_cids=True, max_cid=299))
    assert found(findings) == {"RFC5795-5.1.2-2"}


def test_profile_outside_profiles() -> None:
    _, originals, links = stream("udp-ir")
    findings = check_stream(originals[:1], links[:1], parameters=Parameters(profiles=frozenset({0, 1})))
    assert found(findings) == {"RFC5795-5.1.2-5"}


def test_udp_checksum_that_the_context_lacks() -> None:
    _, originals, _ = stream("rtp-uo-0-run")
    assert "RFC3095-5.7-7" in wrong("rtp-uo-0-run", 2, original=patched(originals[2], 26, 0x12, 0x34))


def test_packet_without_payload_as_ir() -> None:
    vector = all_vectors()["udp-ir-without-payload"]
    original = vector.steps[1].packet
    assert original is not None
    findings = check_stream([original], [vector.steps[0].link], parameters=vector.parameters)
    assert found(findings) == {"RFC3095-5.7.7-2"}


@pytest.mark.parametrize(
    ("change", "requirement"),
    [
        (lambda packet: b"\x46" + packet[1:20] + bytes(4) + packet[20:], "RFC3095-5.7.7.4-2"),  # options
        (lambda packet: patched(packet, 6, 0x20), "RFC3095-5.7.7.4-2"),  # more fragments
        (lambda packet: packet + b"\0", "RFC3095-5.7.7.4-6"),  # octets behind the IP packet
        (lambda packet: patched(packet, 10, packet[10] ^ 1), "RFC3095-5.7.7.4-6"),  # IPv4 checksum
        (lambda packet: patched(packet, 25, 9), "RFC3095-5.7.7.5-1"),  # UDP length
        (lambda packet: patched(packet, 28, 0x40), "RFC3095-4.2-1"),  # RTP version 1
    ],
)
def test_packets_that_the_profile_must_not_take(change, requirement: str) -> None:
    _, originals, _ = stream("rtp-uo-0-run")
    assert requirement in wrong("rtp-uo-0-run", 2, original=change(originals[2]))


def test_segments_without_mrru() -> None:
    vector = all_vectors()["segments-without-mrru"]
    findings = check_stream([b""], [vector.steps[0].link], source_of=[None])
    assert found(findings) == {"RFC5795-5.1.2-6"}


def test_segments_are_put_together() -> None:
    vector = all_vectors()["segments-of-ir"]
    originals = [step.packet for step in vector.steps if step.packet]
    checker_ = Checker(vector.parameters)
    checker.run(checker_, originals, [step.link for step in vector.steps], [0, 0, 0, 1])
    assert not checker_.findings and checker_.restored == 2


def test_generated_sn_that_skips() -> None:
    _, originals, links = stream("udp-uo-0-run")
    vector = all_vectors()["udp-uo-0-run"]
    findings = check_stream(originals[:3] + originals[4:], links[:3] + links[4:], parameters=vector.parameters)
    assert [(finding.requirement, finding.packet) for finding in findings] == [("RFC3095-5.11-1", 3)]


def test_mode_without_feedback() -> None:
    _, originals, links = stream("rtp-ir-ipv4")
    ir = links[0]
    at = len(ir) - 4 - 3  # mode, TIS, TSS; then two octets of TS_STRIDE
    assert ir[at] == 0b00000101
    mode_o = patched(ir, at, 0b00001001)
    mode_o = patched(mode_o, 2, crc.crc8(patched(mode_o[:-4], 2, 0)))
    assert found(check_stream(originals, [mode_o, links[1]])) == {"RFC3095-4.4.1-1"}
    ack_o = bytes.fromhex("23e811") + b"\0"
    protected = ack_o[:-1] + bytes([crc.crc8(ack_o)])
    assert not check_stream(originals, [mode_o, links[1]], feedback=[FeedbackEvent(0, protected)])
    unprotected = bytes.fromhex("23e8")
    findings = check_stream(originals, [mode_o, links[1]], feedback=[FeedbackEvent(0, unprotected)])
    assert found(findings) == {"RFC3095-5.6.2-1"}, "feedback without CRC changes no mode (RFC 4815, 3.2)"


def feedback_o(first: int, options: bytes = b"") -> bytes:
    """FEEDBACK-2 in O-mode for SN 1000, with the CRC option: `first` is 2 for ACK, 6 for NACK, 10 for STATIC-NACK."""
    octets = bytes([first << 4 | 3, 0xE8]) + options + b"\x11\0"
    return octets[:-1] + bytes([crc.crc8(octets)])


ACK_O, NACK_O, STATIC_NACK_O = feedback_o(0x2), feedback_o(0x6), feedback_o(0xA)


@pytest.mark.parametrize(
    ("nack", "requirement"), [(NACK_O, "RFC3095-5.4.1.1.1-1"), (STATIC_NACK_O, "RFC3095-5.4.1.1.1-3")]
)
def test_nacks_are_answered(nack: bytes, requirement: str) -> None:
    _, originals, links = stream("rtp-uo-0-run")
    events = [FeedbackEvent(1, ACK_O), FeedbackEvent(3, nack)]
    findings = check_stream(originals, links, feedback=events)
    assert [(finding.requirement, finding.packet) for finding in findings] == [(requirement, 3)]


def test_ir_answers_everything() -> None:
    _, originals, links = stream("rtp-ir-refresh-keeps-stride")
    assert not check_stream(originals, links, feedback=[FeedbackEvent(1, ACK_O), FeedbackEvent(1, NACK_O)])
    findings = check_stream(originals, links, feedback=[FeedbackEvent(1, ACK_O), FeedbackEvent(1, STATIC_NACK_O)])
    assert found(findings) == {"RFC4815-8.11-2"}, "TS_STRIDE was updated before and is not in the IR packet"


def test_repair_without_stride() -> None:
    _, originals, links = stream("rtp-uor-2-id")
    findings = check_stream(originals, links, feedback=[FeedbackEvent(1, ACK_O), FeedbackEvent(1, NACK_O)])
    assert [finding.requirement for finding in findings] == ["RFC4815-8.11-1"]


def reused_cid(first: str, second: str, *modes: str) -> list[Finding]:
    """CID 0 with one flow, which feedback brings to O-mode, and then with another whose IR packets say these modes."""
    links, originals = sent(Flow.of(first), ["IR", "IR", "UO-0"])
    irs = [f"IR/{mode}".removesuffix("/") for mode in modes]
    more_links, more_originals = sent(Flow.of(second, 7), [*irs, "UO-0", "UO-0"])
    return check_stream([*originals, *more_originals], [*links, *more_links], feedback=[FeedbackEvent(2, ACK_O)])


def test_a_cid_reused_with_another_profile_starts_in_u_mode() -> None:
    assert reused_cid("udp-ipv4", "rtp-ipv4", "U") == []
    wrong = reused_cid("udp-ipv4", "rtp-ipv4", "O")
    assert [(one.requirement, one.packet) for one in wrong] == [("RFC3095-5.6.2-1", 3)]


def test_a_cid_reused_with_the_same_profile_should_keep_its_mode() -> None:
    """RFC 4815, 7.2.1 is a SHOULD: a compressor that starts in U-mode breaks that alone, once."""
    assert reused_cid("rtp-ipv4", "rtp-ipv4", "O") == []
    assert reused_cid("rtp-ipv4", "rtp-ipv4", "O", "O") == []
    other = reused_cid("rtp-ipv4", "rtp-ipv4", "U")
    assert [(one.requirement, one.packet) for one in other] == [("RFC4815-7.2.1-1", 3)]
    assert requirements.load()["RFC4815-7.2.1-1"].level == "should"


def test_rnd_needs_to_be_established() -> None:
    _, originals, links = stream("rtp-uor-2-rnd-set")
    assert not check_stream(originals, links, confidence=3)
    findings = check_stream(originals, links, confidence=5)
    assert [(finding.requirement, finding.packet) for finding in findings] == [("RFC3095-5.7.5.1-3", 4)]


def test_wrapped_timestamp() -> None:
    """The timestamp wraps in a UO-0 packet: fine with stride 256, a power of two, and not with 240."""
    _, originals, links = stream("rtp-uo-0-ts-wraps")
    ir = patched(links[0], len(links[0]) - 6, 0x80, 0xF0)  # TS_STRIDE 240
    ir = patched(ir, 2, crc.crc8(patched(ir[:-4], 2, 0)))
    wrapped = patched(originals[1], 32, 0, 0, 0, 0)  # 0xffffff10 + 240
    covered = headers.crc_input(wrapped[:40], (4, "UDP", "RTP"))
    uo_0 = patched(links[1], 0, links[1][0] & 0xF8 | crc.crc3(covered))
    findings = check_stream([originals[0], wrapped], [ir, uo_0])
    assert [finding.requirement for finding in findings] == ["RFC4815-4.4.3-2"]


def test_window_of_references() -> None:
    """1000, 1006, then 1014: right for whoever has 1006, and right for whoever lost it and has 1000 (14 ahead)."""
    _, run_originals, run_links = stream("rtp-uo-0-run")
    _, originals, links = stream("rtp-uo-0-farthest-ahead")
    three = [run_originals[0], run_originals[1], originals[1]], [run_links[0], run_links[1], links[1]]
    assert not check_stream(*three, window=3)


def test_window_finds_values_that_older_references_misread() -> None:
    """1000, 1006, then 1016: ten ahead of 1006, sixteen ahead of 1000, where four bits reach 14."""
    _, run_originals, run_links = stream("rtp-uo-0-run")
    far = run_originals[1]
    far = patched(far, 4, *(8192 + 16).to_bytes(2, "big"))
    far = patched(far, 30, *(1016).to_bytes(2, "big"), *(160080 + 16 * 160).to_bytes(4, "big"))
    far = with_ipv4_checksum(far)
    uo_0 = bytes([(1016 & 15) << 3 | crc.crc3(headers.crc_input(far[:40], (4, "UDP", "RTP")))]) + far[40:]
    three = [run_originals[0], run_originals[1], far], [run_links[0], run_links[1], uo_0]
    assert not check_stream(*three)
    findings = check_stream(*three, window=2)
    assert [finding.requirement for finding in findings] == ["RFC3095-5.3.1.1.1-1"]
    assert "SN of this UO-0 packet is misread" in findings[0].sentence


def test_refreshes_in_unidirectional_mode() -> None:
    _, originals, links = stream("udp-uo-0-run")
    findings = check_stream(originals, links, refresh_limit=5)
    assert [(finding.requirement, finding.packet) for finding in findings] == [("RFC3095-5.3.1.1.2-1", 6)]
    assert not check_stream(originals, links, refresh_limit=13)


def test_uncompressed_on_two_cids() -> None:
    _, originals, links = stream("uncompressed-ir-with-packet")
    seven = stream("uncompressed-add-cid")
    findings = check_stream(originals + seven[1], links + seven[2])
    assert [finding.requirement for finding in findings] == ["RFC5795-5.4-1"]


def test_piggybacked_feedback_is_looked_at() -> None:
    vector = all_vectors()["feedback-piggybacked"]
    links = [step.link for step in vector.steps]
    originals = [step.packet or b"" for step in vector.steps]
    assert not check_stream(originals, links)
    assert links[1][0] == 0xF2
    findings = check_stream(originals, [links[0], patched(links[1], 1, 0x01), *links[2:]])
    assert found(findings) == {"RFC3095-5.7.6.1-4"}, "mode 0"


def test_what_cannot_be_judged_is_no_finding() -> None:
    vector, originals, links = stream("rtp-ir-ipv6")
    judge = Checker(vector.parameters)
    checker.run(judge, originals, [with_null_esp(links[0]), links[1]])
    assert not judge.findings
    assert [(one.packet_index, one.feature) for one in judge.not_judged] == [(0, "null-esp"), (1, "null-esp")]


def test_source_mapping() -> None:
    _, originals, links = stream("rtp-uo-0-run")
    alone = all_vectors()["feedback-alone"].steps[1].link
    assert not check_stream(originals, [links[0], alone, *links[1:]], source_of=[0, None, 1, 2, 3, 4])
    with pytest.raises(ValueError, match="source_of"):
        check_stream(originals, links, source_of=[0])


def test_findings_read_as_sentences() -> None:
    _, originals, links = stream("rtp-uo-0-run")
    finding = check_stream(originals, [*links[:2], patched(links[2], 0, links[2][0] ^ 1), *links[3:]])[0]
    assert re.fullmatch(
        r"packet 3: The UO-0 packet carries CRC-3 \d; the original header gives \d\. \(RFC3095-5\.9\.2-1\)",
        str(finding),
    )


def test_requirements_in_the_code_exist() -> None:
    known = requirements.load()
    for path in Path(checker.__file__).parent.glob("*.py"):
        for name in re.findall(r"RFC\d+-[0-9A-Z.]+-\d+", path.read_text()):
            assert name in known, f"{path.name}: {name}"


@pytest.mark.parametrize("name", ["rtp-uo-1-random-ip-id", "rtp-uor-2-rnd-set"])
def test_format_without_t_bit_while_rnd_is_0(name: str) -> None:
    """A compressor believes in RND = 1, but its IR packet said 0: UO-1 is what nobody can read."""
    _, ir_originals, ir_links = stream("rtp-uo-0-run")
    _, originals, links = stream(name)
    number = next(n for n, link in enumerate(links) if link[0] >> 6 == 2)
    findings = check_stream([ir_originals[0], originals[number]], [ir_links[0], links[number]])
    assert "RFC3095-5.7-9" in found(findings)
    assert "UO-1 is used" in findings[0].sentence


def test_format_with_t_bit_while_rnd_is_1() -> None:
    _, ir_originals, ir_links = stream("rtp-uo-0-random-ip-id")
    _, originals, links = stream("rtp-uo-1-ts-talk-spurt")
    following = with_ipv4_checksum(patched(originals[1], 4, 0x8D, 0x3D))  # one more than in the IR packet
    covered = headers.crc_input(following[:40], (4, "UDP", "RTP"))
    uo_1_ts = patched(links[1], 1, links[1][1] & 0xF8 | crc.crc3(covered))
    assert found(check_stream([ir_originals[0], following], [ir_links[0], uo_1_ts])) == {"RFC3095-5.7-10"}


def test_what_is_not_acknowledged_is_no_reference() -> None:
    """RFC 3095, 5.5.1.1.1: an R-0 that only the lost R-0-CRC before it explains, and none that the ACK explains."""
    vector, originals, links = stream("r-0-crc-ahead")
    events = answers(vector)
    assert not check_stream(originals, links, parameters=vector.parameters, feedback=events)
    without = [event for event in events if event.before < 3]
    findings = check_stream(originals, links, parameters=vector.parameters, feedback=without)
    assert [(one.requirement, one.packet) for one in findings] == [("RFC3095-5.5.1.1.1-1", n) for n in (3, 4)]


def test_no_type_0_before_the_transition_is_acknowledged() -> None:
    """RFC 3095, 5.6.3: C_TRANS stays P until a packet with mode R is acknowledged."""
    vector, originals, links = stream("r-0-run")
    findings = check_stream(originals, links, parameters=vector.parameters, feedback=answers(vector)[:1])
    early = [one.packet for one in findings if one.requirement == "RFC3095-5.6.3-1"]
    assert early == [2, 3, 4, 5]
    assert found(findings) == {"RFC3095-5.6.3-1", "RFC3095-5.5.1.1.1-1"}


def test_other_modes_are_not_asked_for_during_a_transition() -> None:
    """RFC 3095, 5.6.1: while C_TRANS is P, new mode transition requests are ignored."""
    vector, originals, links = stream("r-0-run")
    events = answers(vector)
    other = FeedbackEvent(2, split(Written("ACK", "U", ("CRC",)).element(0, 1001, vector.parameters))[0])
    findings = check_stream(originals, links, parameters=vector.parameters, feedback=[events[0], other, *events[1:]])
    assert not findings


def test_gen_id_increases_by_one_and_only_with_another_list() -> None:
    """RFC 3095, 5.8.2.1: here the second list has gen_id 2 once more, or 4."""
    for changed, gen_id in ((2, 2), (2, 4)):
        vector, originals, links = stream("csrc-generations")
        at = links[changed].index(bytes([0x6B, 3, 1]))  # ET 1, GP, XI 1; gen_id; ref_id
        links[changed] = patched(links[changed], at + 1, gen_id)
        findings = check_stream(originals[:3], links[:3], parameters=vector.parameters)
        assert found(findings) == {"RFC3095-5.8.2.1-5"}


@pytest.mark.parametrize("clock", [b"", bytes.fromhex("2000 5100")])
def test_no_time_stride_without_a_clock(clock: bytes) -> None:
    """RFC 4815, 4.7, and RFC 3095, 5.7.6.7: the resolution 0 says that there is none."""
    vector, originals, links = stream("timer-without-bits")
    events = [FeedbackEvent(0, clock)] if clock else []
    assert found(check_stream(originals[:1], links[:1], parameters=vector.parameters, feedback=events)) == {
        "RFC4815-4.7-1"
    }
    events = [FeedbackEvent(0, CLOCK_OF_10_MS)]
    assert not check_stream(originals[:1], links[:1], parameters=vector.parameters, feedback=events)


@pytest.mark.parametrize(("clock", "right"), [(CLOCK_OF_10_MS, True), (bytes.fromhex("2000 51ff"), False)])
def test_timestamps_are_read_by_the_clock_that_the_decompressor_told(clock: bytes, right: bool) -> None:
    """RFC 3095, 4.5.4: five bits reach 15 behind the time, not 15 and what a clock of 255 ms is ahead of it."""
    vector, originals, links = stream("timer-lowest")
    judge = Checker(vector.parameters)
    judge.take_feedback(clock)
    last = len(links) - 1
    for number, (original, link) in enumerate(zip(originals, links, strict=True)):
        judge.take(link, original, 1_020_000_000 + (number - last) * PACKET_INTERVAL_NS)  # 255 ms, for the fourth time
    assert (not judge.findings) == right
