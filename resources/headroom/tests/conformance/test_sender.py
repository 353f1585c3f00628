# SPDX-License-Identifier: Apache-2.0
"""Link packets made by hand: against the vectors, which explain theirs field by field, and against the judge."""

from __future__ import annotations

import pytest

from headroom.core.errors import UsageError
from headroom.schemes.rohc.conformance.flow import Flow
from headroom.schemes.rohc.conformance.sender import KINDS, Sender, header_crc, wrong_crc_of
from headroom.schemes.rohc.judge import CrcMismatch, Decompressor, Parameters
from headroom.tests.conformance.support import flow_of_vectors
from headroom.tests.oracle_rohc.support import all_vectors

BY_FLOW = {
    "rtp-ipv4": ("UO-0", "UO-1-ID", "UO-1-TS", "UOR-2-ID", "UOR-2-TS", "IR-DYN", "IR"),
    "rtp-ipv6": ("UO-0", "UO-1", "UOR-2", "IR-DYN", "IR"),
    "udp-ipv4": ("UO-0", "UO-1", "UOR-2", "IR-DYN", "IR"),
    "udp-ipv6": ("UO-0", "UO-1", "UOR-2", "IR-DYN", "IR"),
    "ip-ipv4": ("UO-0", "UO-1", "UOR-2", "IR-DYN", "IR"),
    "ip-ipv6": ("UO-0", "UO-1", "UOR-2", "IR-DYN", "IR"),
    "esp-ipv4": ("UO-0", "UO-1", "UOR-2", "IR-DYN", "IR"),
    "esp-ipv6": ("UO-0", "UO-1", "UOR-2", "IR-DYN", "IR"),
    "udplite-ipv4": ("UO-0", "UO-1", "UOR-2", "IR-DYN", "IR"),
    "udplite-ipv6": ("UO-0", "UO-1", "UOR-2", "IR-DYN", "IR"),
    "rtplite-ipv4": ("UO-0", "UO-1-ID", "UO-1-TS", "UOR-2-ID", "UOR-2-TS", "IR-DYN", "IR"),
    "rtplite-ipv6": ("UO-0", "UO-1", "UOR-2", "IR-DYN", "IR"),
}


def from_vectors(cid: int = 0, large: bool = False) -> Sender:
    return Sender(flow_of_vectors(), cid, large)


def test_ir_octet_by_octet() -> None:
    """Chains and CRC-8 as resources/vectors/rohc/rtp-types-0-and-1.yaml explains them."""
    link, original = from_vectors().packet("IR")
    assert link.hex() == (
        "fd013f4011c0000201c6336402138c138e1122334400402000a0000000900003e800027150000580a0" + "a0b0c000"
    )
    assert original == all_vectors()["rtp-ir-ipv4"].steps[0].packet


@pytest.mark.parametrize(
    ("vector", "kinds", "change"),
    [
        ("rtp-ir-ipv4", ["UO-0"], ""),  # 0x4c: SN 1001 = ...1001, CRC-3 100
        ("rtp-uo-1-ts-talk-spurt", ["UO-1-TS"], "ts by 3040 and marker"),
        ("rtp-uo-1-id-jump", ["UO-1-ID"], "ip-id by 3"),
        ("rtp-uo-1-ts-same", ["UO-1-TS"], "ts by 4294967136"),
    ],
)
def test_packets_of_the_vectors(vector: str, kinds: list[str], change: str) -> None:
    steps = all_vectors()[vector].steps
    sender = from_vectors()
    assert sender.packet("IR")[0] == steps[0].link
    if change:
        sender.flow.change(change)
    for step, kind in zip(steps[1:], kinds, strict=False):
        link, original = sender.packet(kind)
        assert original == step.packet
        assert link.hex() == step.link.hex()


@pytest.mark.parametrize("name", ["add-cid", "large-cid-0", "large-cid-127", "large-cid-128", "large-cid-16383"])
def test_cids_as_the_vectors_have_them(name: str) -> None:
    """RFC 5795, 5.2.1.3: Add-CID in front; large CIDs behind the first octet, one octet up to 127 and two above."""
    vector = all_vectors()[name]
    cid = 15 if name == "add-cid" else int(name.rpartition("-")[2])
    sender = from_vectors(cid, vector.channel["cids"] == "large")
    assert sender.packet("IR")[0].hex() == vector.steps[0].link.hex()
    assert sender.packet("UO-0")[0].hex() == vector.steps[1].link.hex()


def prepared(name: str) -> tuple[Sender, Decompressor]:
    sender, judge = Sender(Flow.of(name)), Decompressor()
    link, original = sender.packet("IR")
    assert judge.decompress(link).delivered == original
    return sender, judge


@pytest.mark.parametrize(("name", "kind"), [(name, kind) for name, kinds in BY_FLOW.items() for kind in kinds])
def test_the_judge_reads_every_type(name: str, kind: str) -> None:
    sender, judge = prepared(name)
    for _ in range(20):
        link, original = sender.packet(kind)
        outcome = judge.decompress(link)
        assert outcome.packet is not None
        assert outcome.packet.kind == kind
        assert outcome.delivered == original


@pytest.mark.parametrize(("name", "kind"), [(name, kind) for name, kinds in BY_FLOW.items() for kind in kinds])
def test_a_wrong_crc_is_wrong_and_nothing_else(name: str, kind: str) -> None:
    sender, judge = prepared(name)
    twin = Sender(sender.flow.copy())
    twin.flow.random.setstate(sender.flow.random.getstate())
    link, _ = sender.packet(kind, wrong_crc=True)
    right, original = twin.packet(kind)
    assert link != right
    assert isinstance(judge.decompress(link).error, CrcMismatch)
    assert judge.decompress(right).delivered == original


R_MODE_OF = {
    "rtp-ipv4": ("R-0", "R-0-CRC", "R-1-ID", "R-1-TS"),
    "rtp-ipv6": ("R-0", "R-0-CRC", "R-1"),
    "udp-ipv4": ("R-0", "R-0-CRC", "R-1"),
    "esp-ipv4": ("R-0", "R-0-CRC", "R-1"),
    "ip-ipv6": ("R-0", "R-0-CRC", "R-1"),
    "udplite-ipv4": ("R-0", "R-0-CRC", "R-1"),
    "rtplite-ipv6": ("R-0", "R-0-CRC", "R-1"),
}


@pytest.mark.parametrize(("name", "kind"), [(name, kind) for name, kinds in R_MODE_OF.items() for kind in kinds])
def test_the_judge_reads_every_type_of_r_mode(name: str, kind: str) -> None:
    sender, judge = prepared(name)
    judge.channel.contexts[0].mode = "R"
    for _ in range(20):
        link, original = sender.packet(kind)
        outcome = judge.decompress(link)
        assert outcome.packet is not None
        assert outcome.packet.kind == kind
        assert outcome.delivered == original


def test_what_has_no_crc_cannot_be_damaged() -> None:
    with pytest.raises(UsageError, match="A R-0 packet has no CRC that could be wrong"):
        Sender(Flow.of("rtp-ipv4")).packet("R-0", wrong_crc=True)


def test_partial_coverage_is_in_every_packet() -> None:
    """RFC 4019, 5.2.2 and 5.3.1: CFP is set by an IR packet whose coverage is not the length."""
    flow = Flow.of("udplite-ipv4")
    flow.change("coverage to 8")
    sender, judge = Sender(flow), Decompressor()
    for kind in ("IR", "UO-0", "UOR-2", "UO-1", "IR-DYN", "UO-0"):
        link, original = sender.packet(kind)
        assert judge.decompress(link).delivered == original
    flow.change("coverage to full")
    for kind in ("IR-DYN", "UO-0"):
        link, original = sender.packet(kind)
        assert judge.decompress(link).delivered == original
    assert len(link) == 1 + 2 + flow.payload, "type 0 and the checksum, no coverage"


@pytest.mark.parametrize("behaviour", ["sequential", "swapped", "random", "constant"])
@pytest.mark.parametrize("name", ["rtp-ipv4", "udp-ipv4", "ip-ipv4"])
def test_every_ip_id(name: str, behaviour: str) -> None:
    if behaviour == "constant" and name != "ip-ipv4":
        return  # SID is for the IP profile (RFC 3843, 3.3)
    flow = Flow.of(name)
    flow.change(f"ip-id to {behaviour}")
    sender, judge = Sender(flow), Decompressor()
    for kind in ("IR", "UO-0", "UO-0", "IR-DYN", "UO-0"):
        link, original = sender.packet(kind)
        assert judge.decompress(link).delivered == original


@pytest.mark.parametrize("kind", ["UOR-2-ID", "UOR-2-TS", "IR", "IR-DYN"])
@pytest.mark.parametrize(("mode", "value"), [("U", 1), ("O", 2), ("R", 3)])
def test_mode_parameter_of_rtp(kind: str, mode: str, value: int) -> None:
    sender, judge = prepared("rtp-ipv4")
    link, original = sender.packet(kind, mode)
    outcome = judge.decompress(link)
    assert outcome.delivered == original
    packet = outcome.packet
    assert packet is not None
    if packet.dynamic is not None:
        assert packet.dynamic.rtp is not None
        assert packet.dynamic.rtp.mode == value
    else:
        assert packet.header is not None
        assert packet.header.extension is not None
        assert packet.header.extension.mode == value


def test_mode_parameter_of_udp() -> None:
    """RFC 3095, 5.11.4: two bits of extension 3, 11 S? Mode I ip tsc; here S = I = ip = 0."""
    sender, judge = prepared("udp-ipv4")
    link, original = sender.packet("UOR-2", "O")
    assert link[1] & 0x80
    assert link[2] == 0b11_0_10_0_0_0
    assert judge.decompress(link).delivered == original


def test_ir_without_dynamic_chain_delivers_nothing() -> None:
    sender, judge = Sender(Flow.of("rtp-ipv4")), Decompressor()
    link, _ = sender.packet("IR", dynamic=False)
    assert link[0] == 0xFC
    outcome = judge.decompress(link)
    assert outcome.delivered is None
    assert outcome.error is None
    link, original = sender.packet("IR-DYN")
    assert judge.decompress(link).delivered == original


def test_skip_is_a_packet_that_is_lost() -> None:
    sender, judge = prepared("udp-ipv4")
    sender.skip()
    link, original = sender.packet("UO-0")
    assert judge.decompress(link).delivered == original
    assert sender.last_sn == 1002


def test_profile_0x0000() -> None:
    """RFC 5795, 5.4: IR is 11111100, profile 0, CRC-8, the packet; Normal is the packet itself."""
    sender = Sender(Flow.of("udp-ipv4"), uncompressed=True)
    link, original = sender.packet("IR")
    assert link == bytes.fromhex("fc00b7") + original  # b7: the vectors have it, too
    link, original = sender.packet("Normal")
    assert link == original
    assert Decompressor().decompress(sender.packet("IR", wrong_crc=True)[0]).error is not None
    with pytest.raises(UsageError, match="does not exist in profile 0x0000"):
        sender.packet("UO-0")


def test_profile_0x0000_with_cids() -> None:
    """The CID of a Normal packet stands behind its first octet where CIDs are large (RFC 5795, 5.4.1)."""
    small = Sender(Flow.of("udp-ipv4"), 3, uncompressed=True)
    link, original = small.packet("Normal")
    assert link == b"\xe3" + original
    large = Sender(Flow.of("udp-ipv4"), 300, True, uncompressed=True)
    link, original = large.packet("Normal")
    assert link == original[:1] + bytes.fromhex("812c") + original[1:]


@pytest.mark.parametrize(
    ("name", "kind"), [("rtp-ipv4", "UO-1"), ("rtp-ipv4", "UOR-2"), ("rtp-ipv6", "UO-1-TS"), ("udp-ipv4", "UOR-2-ID")]
)
def test_formats_that_do_not_exist_there(name: str, kind: str) -> None:
    """RFC 3095, 5.7: formats with a T bit are for RTP over IPv4 with RND = 0, and only for it."""
    with pytest.raises(UsageError, match=f"{kind} does not exist"):
        Sender(Flow.of(name)).packet(kind)


def test_unknown_type() -> None:
    with pytest.raises(UsageError, match=f"'UO-9' is no packet type to send; there are {', '.join(KINDS)}"):
        Sender(Flow.of("rtp-ipv4")).packet("UO-9")


def test_wrong_crc_is_not_the_one_that_a_repair_expects() -> None:
    """RFC 3095, 5.3.2.2.4: a decompressor may take the packet for the one 16 later; it must not verify as that."""
    flow = Flow.of("rtp-ipv4")
    repaired = 0
    for _ in range(200):
        now = flow.copy()
        header = flow.packet()[:40]
        wrong = wrong_crc_of(3, now, header)
        assert wrong != header_crc(3, header, now)
        later = now.copy()
        later.change("sn by 16, ts by 2560, ip-id by 16")
        repaired += wrong == header_crc(3, later.packet()[:40], now)
    assert repaired == 0


def test_sn_bits_are_those_of_the_interval() -> None:
    """The interval of four bits ends 14 behind the reference; who lost more cannot know (RFC 3095, 4.5.1)."""
    sender = Sender(Flow.of("rtp-ipv4"))
    judge = Decompressor(Parameters())
    judge.decompress(sender.packet("IR")[0])
    for _ in range(15):
        sender.skip()
    link, original = sender.packet("UO-0")
    assert judge.decompress(link).delivered != original
