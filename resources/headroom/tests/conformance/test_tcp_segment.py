# SPDX-License-Identifier: Apache-2.0
"""TCP packets made one by one: against the judge's reading of headers."""

from __future__ import annotations

import pytest

from headroom.core.errors import UsageError
from headroom.schemes.rohc.conformance.flow import Flow
from headroom.schemes.rohc.judge.tcp import checker, headers


def packet(*changes: str, flow: str = "tcp-ipv4") -> bytes:
    made = Flow.of(flow)
    for change in changes:
        made.change(change)
    return made.packet()


@pytest.mark.parametrize("flow", ["tcp-ipv4", "tcp-ipv6", "tcp-ipv4-in-ipv6"])
def test_a_packet_is_right(flow: str) -> None:
    octets = packet(flow=flow)
    assert checker.is_restorable(octets)
    found, options, payload = headers.read_headers(octets)
    tcp = found[-1].values
    assert (tcp["src_port"], tcp["dst_port"], options, len(payload)) == (20_000, 30_000, [], 20)
    ip = found[-2]
    names = ("src_addr", "dst_addr")
    addresses = b"".join((ip.values[name] or 0).to_bytes(4 if ip.method == "ipv4" else 16, "big") for name in names)
    segment = octets[len(octets) - 20 - 20 :]
    pseudo = addresses + (6).to_bytes(4, "big") + len(segment).to_bytes(4, "big")
    assert headers.checksum(pseudo + segment) == 0


def test_numbers_go_on() -> None:
    flow = Flow.of("tcp-ipv4")
    flow.change("ack-step to 100, payload to 500")
    first, second = (headers.read_headers(flow.packet())[0][-1].values for _ in range(2))
    assert ((second["seq_number"] or 0) - (first["seq_number"] or 0)) == 500
    assert ((second["ack_number"] or 0) - (first["ack_number"] or 0)) == 100


def test_changes() -> None:
    values = headers.read_headers(packet("flags to psh+ack, window to 0x1234", "port to 4000", "seq by 7"))[0][
        -1
    ].values
    assert (values["psh_flag"], values["window"], values["src_port"]) == (1, 0x1234, 4000)
    assert values["seq_number"] == 0x10203047


@pytest.mark.parametrize(
    ("words", "indexes"),
    [
        ("mss1460+nop+ws7", [2, 0, 3]),
        ("nop2+ts", [0, 0, 4]),
        ("nop2+sack3", [0, 0, 6]),
        ("ok+nop2", [5, 0, 0]),
        ("mss1460+mss1400", [2, 7]),
        ("mss1460+eol3", [2, 1]),
        ("x8+x12", [7, 8]),
        ("nop40", [0] * 40),
        ("none", []),
    ],
)
def test_options(words: str, indexes: list[int]) -> None:
    octets = packet(f"options to {words}")
    assert checker.is_restorable(octets)
    assert [one.index for one in headers.read_headers(octets)[1]] == indexes


@pytest.mark.parametrize("words", ["mss1460+nop", "nop44", "cookie4", "mss1460-nop"])
def test_options_that_no_header_has_are_refused(words: str) -> None:
    with pytest.raises(UsageError):
        packet(f"options to {words}")


@pytest.mark.parametrize(
    "spoilt", ["option-length-zero", "option-length-one", "option-beyond", "data-offset-four", "ihl-four"]
)
def test_impossible_headers(spoilt: str) -> None:
    flow = Flow.of("tcp-ipv4")
    flow.change(spoilt)
    assert not checker.is_restorable(flow.packet())
    assert checker.is_restorable(flow.packet()), "only one packet is"


def test_a_data_offset_beyond_the_packet() -> None:
    assert packet("data-offset-beyond")[32] >> 4 == 15 and len(packet("data-offset-beyond")) < 20 + 60
