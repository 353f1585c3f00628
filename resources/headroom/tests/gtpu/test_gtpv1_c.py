# SPDX-License-Identifier: Apache-2.0
"""GTPv1-C against pycrate, which reads and writes it by TS 29.060."""

from __future__ import annotations

import pytest
from pycrate_mobile import TS29060_GTP as gtp

from headroom.schemes.gtpu import gtpv1_c
from headroom.schemes.gtpu.gtpv1_c import Context
from headroom.schemes.gtpu.judge import GtpuError

# A response of a GGSN: cause 128, reordering, Recovery, TEIDs, Charging ID, 10.45.0.1, both addresses, QoS.
RESPONSE = bytes.fromhex(
    "3211003d000000010003000001800800 0e01 1000000001 1100000001 7f00000001 800006f1210a2d0001"
    "850004ac110001 850004ac110002 87000a0223421f7396404074f8"
)


def test_a_request_is_what_pycrate_reads() -> None:
    request = gtpv1_c.create_request(7, 3, "192.0.2.100", "172.16.0.1", 0x0A000001, "internet")
    message, error = gtp.parse_GTP(request)
    assert error == 0
    assert message.to_bytes() == request
    shown = message.show()
    for value in ("001010000000007", "0x0a000001", "internet", "192.0.2.100", "172.16.0.1", "IPv4"):
        assert value in shown


def test_a_response_is_a_context() -> None:
    message, error = gtp.parse_GTP(RESPONSE)
    assert error == 0 and message["GTPHdr"]["Type"].get_val() == gtpv1_c.CREATE_RESPONSE
    assert gtpv1_c.read_create_response(RESPONSE, 3) == Context("10.45.0.1", 1, "172.17.0.2")
    assert gtpv1_c.read_create_response(RESPONSE, 4) is None, "another request's"
    assert gtpv1_c.read_create_response(b"", 3) is None


@pytest.mark.parametrize(
    ("octets", "sentence"),
    [
        (RESPONSE.replace(b"\x01\x80\x08", b"\x01\xc0\x08"), "refuses a PDP context, with the cause c0"),
        (RESPONSE[:40], "ends beyond the message"),
        (RESPONSE[:14], "no IPv4 address"),
        (RESPONSE.replace(b"\x0e\x01\x10", b"\x7e\x01\x10"), "126 of unknown size"),
    ],
)
def test_a_response_that_gives_no_context_is_refused(octets: bytes, sentence: str) -> None:
    with pytest.raises(GtpuError, match=sentence):
        gtpv1_c.read_create_response(octets, 3)


def test_no_octet_of_a_response_ends_the_client() -> None:
    for at in range(len(RESPONSE)):
        for value in (0, 1, 0x7F, 0x80, 0xFF):
            try:
                gtpv1_c.read_create_response(RESPONSE[:at] + bytes([value]) + RESPONSE[at + 1 :], 3)
            except GtpuError:
                continue
