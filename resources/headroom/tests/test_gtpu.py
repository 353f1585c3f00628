# SPDX-License-Identifier: Apache-2.0
"""The GTP-U reader: messages with every octet explained (TS 29.281, TS 38.415), and octets that are none."""

from __future__ import annotations

import pytest

from headroom.schemes.gtpu import judge
from headroom.schemes.gtpu.judge import GtpuError


def message(text: str) -> bytes:
    """Octets from a text with remarks behind a #."""
    return bytes.fromhex("".join(line.partition("#")[0] for line in text.splitlines()))


def test_a_g_pdu_without_anything_optional() -> None:
    read = judge.read(
        message("""
        30        # version 1, protocol type GTP, no flag
        ff        # G-PDU
        0003      # three octets follow the mandatory part
        01020304  # TEID
        450102    # the user's packet""")
    )
    assert (read.name, read.length, read.teid, read.inner) == ("G-PDU", 3, 0x01020304, b"\x45\x01\x02")
    assert (read.sequence, read.npdu, read.extensions, read.remarks) == (None, None, [], [])
    assert read.header_octets == 8


def test_a_downlink_g_pdu_with_everything() -> None:
    read = judge.read(
        message("""
        37        # E, S and PN
        ff 0014 00000007
        1234 56   # sequence number, N-PDU number
        85        # a PDU session container is next
        02        # two words of four octets
        00 c9     # PDU type 0; PPP and RQI, QFI 9
        a0        # PPI 5
        000000    # padding
        c0        # a PDCP PDU number is next
        01 0abc 00  # one word, number 0xabc; nothing follows
        45ffffff""")
    )
    assert (read.sequence, read.npdu) == (0x1234, 0x56)
    assert [one.name for one in read.extensions] == ["PDU Session Container", "PDCP PDU Number"]
    assert read.container == judge.Container(0, 9, 1, 5)
    assert (read.header_octets, read.inner.hex(), read.remarks) == (24, "45ffffff", [])


def test_fields_without_their_flag_mean_nothing() -> None:
    read = judge.read(message("32 ff 0004 00000001  0009 77 85"))  # S alone: N-PDU number and next type not evaluated
    assert (read.sequence, read.npdu, read.extensions) == (9, None, [])


def test_an_uplink_container() -> None:
    read = judge.read(message("34 ff 0008 00000001  0000 00 85  01 10 bf 00"))
    assert read.container == judge.Container(1, 0x3F, None, None), "the upper bits are others' uplink"


def test_signalling_messages() -> None:
    echo = judge.read(message("32 02 0006 00000000  0001 00 00  0e 00"))
    assert (echo.name, echo.sequence, echo.remarks) == ("Echo Response", 1, [])
    assert [(one.name, one.value) for one in echo.elements] == [("Recovery", b"\0")]
    error = judge.read(message("32 1a 0010 00000000  0001 00 00  10 0a0b0c0d  85 0004 c0000201"))
    assert [one.value.hex() for one in error.elements] == ["0a0b0c0d", "c0000201"]
    assert error.elements[1].name == "GTP-U Peer Address"
    assert judge.read(message("30 fe 0000 00000009")).name == "End Marker"


@pytest.mark.parametrize(
    ("octets", "sentence"),
    [
        ("", "has 8 octets at least, but 0"),
        ("30ff0000000000", "but 7 are there"),
        ("50ff000000000001", "The version is 2"),
        ("20ff000000000001", "this is GTP'"),
        ("30ff000500000001aabb", "The Length is 5, but 2 octets follow"),
        ("34ff000200000001aabb", "4 optional octets, but the Length is 2"),
        ("34ff00040000000100000085", "is announced, but the message ends"),
        ("34ff0008000000010000008500000000", "has the length 0"),
        ("34ff0008000000010000008502100900", "has 8 octets, but 4 are left"),
        ("34ff0008000000010000008501300900", "has type 3; there are 0 and 1"),
        ("34ff0008000000010000008501008900", "Paging Policy Indicator is announced"),
        ("3202000600000000000100000300", "element 3 is none of GTP-U's"),
        ("321a000700000000000100008500ff", "claims 255 octets, but 0 are left"),
        ("320200050000000000010000" + "0e", "claims 1 octets, but 0 are left"),
    ],
)
def test_what_cannot_be_is_refused(octets: str, sentence: str) -> None:
    with pytest.raises(GtpuError, match=sentence) as caught:
        judge.read(bytes.fromhex(octets))
    assert "(TS " in str(caught.value)


@pytest.mark.parametrize(
    ("octets", "remark"),
    [
        ("30ff00010000000145aabb", "2 octets follow the message"),
        ("38ff00010000000145", "The spare flag is 1"),
        ("3001000000000000", "Echo Request has no sequence number"),
        ("320100040000000100010000", "Echo Request has the TEID 0x00000001"),
        ("3063000000000001", "There is no message type 99"),
        ("34ff000c00000001000000c0010abc850110090045", "is not the first extension header"),
    ],
)
def test_what_should_be_otherwise_is_remarked(octets: str, remark: str) -> None:
    assert any(remark in one for one in judge.read(bytes.fromhex(octets)).remarks)


def test_a_message_is_read_as_far_as_it_was_captured() -> None:
    whole = message("37 ff 0014 00000007 1234 56 85 02 00 c9 a0 000000 c0 01 0abc 00 45ffffff")
    for length in range(8, len(whole)):
        read = judge.read(whole[:length], len(whole) - length)
        assert (read.type, read.teid, read.missing) == (255, 7, len(whole) - length)
        assert (read.sequence, read.npdu) == (0x1234 if length >= 10 else None, 0x56 if length >= 11 else None)
        assert len(read.extensions) == (length >= 20) + (length >= 24)
        assert read.inner == whole[24:length]
    error = message("32 1a 0010 00000000  0001 00 00  10 0a0b0c0d  85 0004 c0000201")
    for length in range(8, len(error)):
        assert len(judge.read(error[:length], len(error) - length).elements) == (length >= 17)


@pytest.mark.parametrize(
    ("octets", "missing", "sentence"),
    [
        ("30ff000900000001aabb", 5, "The Length is 9, but 7 octets follow"),
        ("34ff0002000000010000", 2, "4 optional octets, but the Length is 2"),
        ("34ff0008000000010000008501", 3, None),
        ("34ff0008000000010000008502", 3, "has 8 octets, but 4 are left"),
        ("34ff0008000000010000008500", 3, "has the length 0"),
        ("321a000a0000000000010000850004", 3, "claims 4 octets, but 3 are left"),
    ],
)
def test_a_cut_message_is_refused_for_what_it_says(octets: str, missing: int, sentence: str | None) -> None:
    if sentence is None:
        assert judge.read(bytes.fromhex(octets), missing).missing == missing
        return
    with pytest.raises(GtpuError, match=sentence):
        judge.read(bytes.fromhex(octets), missing)


def test_any_octets_are_read_or_refused() -> None:
    whole = message("37 ff 0014 00000007 1234 56 85 02 00 c9 a0 000000 c0 01 0abc 00 45ffffff")
    for length in range(len(whole)):
        for at in range(8 * length):
            octets = bytearray(whole[:length])
            octets[at // 8] ^= 1 << at % 8
            try:
                judge.read(bytes(octets), at % 32)
            except GtpuError as error:
                assert error.sentence
