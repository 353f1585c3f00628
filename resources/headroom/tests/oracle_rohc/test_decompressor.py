# SPDX-License-Identifier: Apache-2.0
"""What vectors do not show of the judge's decompressor: features it lacks, its own strictness, its traces."""

from __future__ import annotations

import pytest

from headroom.schemes.rohc.judge import Decompressor, Parameters, Unsupported
from headroom.schemes.rohc.judge.framework import crc
from headroom.schemes.rohc.judge.framework.bits import Reader
from headroom.schemes.rohc.judge.framework.errors import MalformedPacket
from headroom.schemes.rohc.judge.v1 import headers, lists
from headroom.schemes.rohc.judge.v1.lists import Entry, ListState
from headroom.tests.oracle_rohc.support import all_vectors, patched, stream, with_ipv4_checksum, with_null_esp


def with_crc8(ir: bytes, crc_at: int, header: int) -> bytes:
    """An IR packet whose header has `header` octets, with the CRC put right."""
    return patched(ir, crc_at, crc.crc8(patched(ir[:header], crc_at, 0)))


def after_ir(name: str) -> tuple[Decompressor, list[bytes]]:
    _, _, links = stream(name)
    decompressor = Decompressor(all_vectors()[name].parameters)
    assert decompressor.decompress(links[0]).error is None
    return decompressor, links


def test_trace_shows_every_field() -> None:
    decompressor, links = after_ir("rtp-uo-1-ts-talk-spurt")
    packet = decompressor.decompress(links[1]).packet
    assert packet is not None
    assert packet.trace().splitlines() == [
        "UO-1-TS, CID 0, profile 0x0001 (RTP): 2 octets of header, 4 of payload",
        "  bit    0     2  UO-1                         10 = 2",
        "  bit    2     1  T                            1 = 1",
        "  bit    3     5  TS                           11100 = 28",
        "  bit    8     1  M                            1 = 1",
        "  bit    9     4  SN                           1001 = 9",
        "  bit   13     3  CRC                          " + f"{packet.value('CRC'):03b} = {packet.value('CRC')}",
        "  bit   16    32  payload                      0xa0b0c001 = 2695938049",
    ]


def test_header_octets_leave_out_padding_and_feedback() -> None:
    vector = all_vectors()["feedback-several"]
    packet = Decompressor(vector.parameters).decompress(vector.steps[0].link).packet
    assert packet is not None
    assert packet.padding == 1 and len(packet.feedback) == 2
    assert packet.header_octets == len(vector.steps[0].link) - 1 - 2 - 11 - 4


def test_null_esp_is_not_decoded_and_the_context_stays_unknown_until_ir() -> None:
    decompressor, links = after_ir("rtp-ir-ipv6")
    ir = links[0]
    outcome = decompressor.decompress(with_null_esp(ir))
    assert isinstance(outcome.error, Unsupported) and outcome.error.feature == "null-esp"
    outcome = decompressor.decompress(links[1])
    assert isinstance(outcome.error, Unsupported), "what the context is now cannot be known"
    assert decompressor.decompress(ir).error is None
    assert decompressor.decompress(links[1]).error is None


def test_count_of_another_reference_list() -> None:
    vector, _, links = stream("csrc-removal")
    decompressor = Decompressor(vector.parameters)
    decompressor.decompress(links[0])
    at = links[1].index(bytes([0xA2, 0x02, 0x01]))  # ET 2, GP, Count 2; gen_id; ref_id
    outcome = decompressor.decompress(patched(links[1], at, 0xA3))
    assert isinstance(outcome.error, MalformedPacket) and outcome.error.requirement == "RFC3095-5.8.6.3-2"


def test_more_items_than_cc_can_count() -> None:
    reference = tuple(Entry(n, bytes([n] * 4)) for n in range(15))
    reader = Reader(bytes.fromhex("480140") + b"ABCD")
    with pytest.raises(MalformedPacket, match="16 items"):
        lists.read_list(reader, lists.CSRCS, ListState(), {1: reference}, [])


def test_timer_based_timestamps_need_the_time() -> None:
    decompressor, links = after_ir("rtp-ir-time-stride-zero")
    decompressor.channel.contexts[0].time_stride = 20
    outcome = decompressor.decompress(links[1])
    assert isinstance(outcome.error, Unsupported) and outcome.error.feature == "timer-based"


def test_packets_without_crc_leave_the_context_as_it_is() -> None:
    decompressor, links = after_ir("rtp-uo-0-next")
    context = decompressor.channel.contexts[0]
    context.mode = "R"
    for _ in range(2):
        outcome = decompressor.decompress(bytes([context.sn + 5 & 0x3F]) + links[1][1:])
        assert outcome.error is None and outcome.packet is not None and outcome.packet.kind == "R-0"
        assert decompressor.channel.contexts[0] is context


def test_a_profile_of_the_channel_that_the_judge_lacks() -> None:
    vector = all_vectors()["profile-reserved"]
    outcome = Decompressor(Parameters(profiles=frozenset({0x00FF}))).decompress(vector.steps[0].link)
    assert isinstance(outcome.error, Unsupported) and outcome.error.feature == "profile-0x00ff"


def test_ip2_without_a_second_header() -> None:
    decompressor, links = after_ir("rtp-uor-2-extension-3-tos-ttl-df")
    flags = links[1].index(bytes([0b11001010]))
    outcome = decompressor.decompress(patched(links[1], flags + 1, links[1][flags + 1] | 1))
    assert isinstance(outcome.error, MalformedPacket) and outcome.error.requirement == "RFC3095-5.7.5-4"


def test_i2_with_an_inner_ipv6_header() -> None:
    decompressor, _ = after_ir("rtp-uo-1-id-ipv6-in-ipv4")
    # UOR-2-ID with extension 3: ip and ip2, then I2.
    link = bytes([0xC0, 0x29, 0x80, 0b11001010, 0b00000101, 0b00000101]) + bytes(8)
    outcome = decompressor.decompress(link)
    assert isinstance(outcome.error, MalformedPacket) and outcome.error.requirement == "RFC3095-5.7.5-5"


def test_uo_1_id_must_not_change_rnd() -> None:
    decompressor, links = after_ir("rtp-uo-1-id-extension-3-tos-once")
    at = links[1].index(bytes([0b10100100]))
    outcome = decompressor.decompress(patched(links[1], at, 0b10100110))
    assert isinstance(outcome.error, MalformedPacket) and outcome.error.requirement == "RFC3095-5.7-11"


def test_stride_zero_and_scaled_bits() -> None:
    decompressor, links = after_ir("rtp-uo-1-ts-talk-spurt")
    decompressor.channel.contexts[0].ts_stride = 0
    outcome = decompressor.decompress(links[1])
    assert isinstance(outcome.error, MalformedPacket) and outcome.error.requirement == "RFC4815-4.4.1-1"


def test_three_ip_headers_and_compressed_rtp() -> None:
    decompressor, links = after_ir("rtp-uo-0-two-ipv4")
    context = decompressor.channel.contexts[0]
    context.ips = [context.ips[0], *context.ips]
    outcome = decompressor.decompress(links[1])
    assert isinstance(outcome.error, MalformedPacket) and "3 IP headers" in outcome.error.sentence


@pytest.mark.parametrize("flag", [0x01, 0x10])
def test_reserved_bits_are_remarked_and_not_refused(flag: int) -> None:
    _, _, links = stream("rtp-ir-ipv4")
    ir = links[0]
    at = ir.index(bytes([0xA0]), 20)  # DF, NBO
    outcome = Decompressor().decompress(with_crc8(patched(ir, at, ir[at] | flag), 2, len(ir) - 4))
    assert outcome.error is None and outcome.packet is not None
    assert [remark.requirement for remark in outcome.packet.remarks] == ["RFC3095-5.7.7.4-1"]


def test_the_constant_ip_id_flag_is_read_outside_its_profiles_too() -> None:
    """RFC 3843, 3.3 adds SID to its own profile; in profile 0x0001 the bit is one of five zero bits (5.7.7.4), and
    compressors that set it mean a constant IP-ID."""
    _, _, links = stream("rtp-ir-ipv4")
    ir = links[0]
    at = ir.index(bytes([0xA0]), 20)
    decompressor = Decompressor()
    outcome = decompressor.decompress(with_crc8(patched(ir, at, ir[at] | 0x10), 2, len(ir) - 4))
    assert decompressor.channel.contexts[0].ips[0].sid == 1
    assert outcome.packet is not None and "SID (RFC 3843, 3.3)" in outcome.packet.remarks[0].sentence


def test_profiles_negotiated_elsewhere_are_not_judged() -> None:
    """A profile outside PROFILES is a fault where PROFILES is known, and something unread where it is not."""
    _, _, links = stream("udp-ir")
    known = Decompressor(Parameters(profiles=frozenset({0, 1}))).decompress(links[0])
    assert isinstance(known.error, MalformedPacket) and known.error.requirement == "RFC5795-5.1.2-5"
    elsewhere = Decompressor(Parameters(profiles=frozenset({0, 1}), profiles_known=False))
    assert isinstance(elsewhere.decompress(links[0]).error, Unsupported)
    assert isinstance(elsewhere.decompress(b"\x01abc").error, Unsupported)


def test_a_copy_goes_on_by_itself() -> None:
    decompressor, links = after_ir("rtp-uo-0-next")
    sn = decompressor.channel.contexts[0].sn
    copy = decompressor.copy()
    assert copy.decompress(links[1]).error is None
    assert (copy.channel.contexts[0].sn, decompressor.channel.contexts[0].sn) == (sn + 1, sn)


def test_another_profile_starts_in_its_initial_mode() -> None:
    """RFC 4815, 7.2.2: after a switch by IR-DYN the context is in U-mode, whatever mode it had."""
    decompressor, links = after_ir("udp-profile-switch-from-rtp")
    decompressor.channel.contexts[0].mode = "O"
    assert decompressor.decompress(links[1]).error is None
    assert decompressor.channel.contexts[0].mode == "U"


def test_mode_of_the_context_follows_the_packets() -> None:
    vector, _, links = stream("udp-uor-2-extension-3-all")
    decompressor = Decompressor(vector.parameters)
    modes = []
    for link in links:
        decompressor.decompress(link)
        modes.append(decompressor.channel.contexts[0].mode)
    assert modes == ["U", "O"]


def test_a_part_of_another_version_than_announced_counts_by_its_own() -> None:
    """Protocol 41 (IPv6) before an IPv4 header, by hand from RFC 3843, 3.1, and RFC 3095, 5.7.7.4; then UO-0. What was
    sent is restored, and the compressor is told."""
    outer = with_ipv4_checksum(bytes.fromhex("4510 002c 5000 0000 2029 0000 cb007105 cb007109"))
    inner = with_ipv4_checksum(bytes.fromhex("4500 0018 2000 4000 4001 0000 c0000201 c6336402"))
    static = "40 29 cb007105 cb007109  40 01 c0000201 c6336402"  # version, protocol, addresses of each
    dynamic = "10 20 5000 20 00  00 40 2000 a0 00  0001"  # TOS, TTL, IP-ID, flags, list of each; SN
    ir = bytes.fromhex(f"fd 04 00 {static} {dynamic}")
    payload = b"data"
    outcome = (decompressor := Decompressor()).decompress(with_crc8(ir, 2, len(ir)) + payload)
    assert outcome.delivered == outer + inner + payload
    assert outcome.packet is not None
    assert [one.requirement for one in outcome.packet.remarks] == ["RFC3095-5.7.7-3"]

    outer = with_ipv4_checksum(patched(outer, 4, 0x50, 0x01))  # both IP-IDs go with the SN
    inner = with_ipv4_checksum(patched(inner, 4, 0x20, 0x01))
    checksum = crc.crc3(headers.crc_input(outer + inner, (4, 4)))
    assert decompressor.decompress(bytes([2 << 3 | checksum]) + payload).delivered == outer + inner + payload
