# SPDX-License-Identifier: Apache-2.0
"""The ROHC option of IPCP and IPV6CP, and link packets in PPP frames."""

from __future__ import annotations

import re
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from headroom.core import replay, replay_options, scheme_registry, tshark
from headroom.core.contract import Framing
from headroom.core.errors import UsageError
from headroom.schemes.rohc import ppp
from headroom.schemes.rohc.scheme import SCHEME
from headroom.tests.runs import run_of

# Type 2, length 20, protocol 0003, MAX_CID 15, MRRU 1500, MAX_HEADER 168; PROFILES, 10 octets: 0000 to 0002 and 0004.
OPTION = "0214 0003 000f 05dc 00a8 010a 0000 0001 0002 0004"


def octets(text: str) -> bytes:
    return bytes.fromhex(text.replace(" ", ""))


def test_each_field_has_its_place() -> None:
    found = ppp.parse(octets(OPTION))
    assert found == ppp.RohcOption(frozenset({0, 1, 2, 4}), max_cid=15, mrru=1500, max_header=168)
    assert found.octets() == octets(OPTION)
    assert found.channel() == {
        "cids": "small",
        "max_cid": 15,
        "mrru": 1500,
        "profiles": ["0x0000", "0x0001", "0x0002", "0x0004"],
    }
    assert ppp.parse(octets("020e 0003 3fff 0000 00a8 0104 0000")).channel()["cids"] == "large"


def test_unknown_suboptions_are_passed_over() -> None:
    assert ppp.parse(octets("0211 0003 000f 0000 00a8 0903ff 0104 0001")).profiles == {1}


def test_union_of_both_protocols() -> None:
    one = ppp.RohcOption(frozenset({0, 1}), max_cid=3, mrru=0, max_header=168)
    other = ppp.RohcOption(frozenset({0, 2}), max_cid=1, mrru=600, max_header=60)
    assert one.union(other) == ppp.RohcOption(frozenset({0, 1, 2}), 3, 600, 168)


@pytest.mark.parametrize(
    ("text", "words_"),
    [
        ("", "type 2 and 10 octets or more"),
        ("0214 0003 000f", "type 2 and 10 octets or more"),
        ("0314 0003 000f 05dc 00a8 010a 0000 0001 0002 0004", "type 2"),
        ("0213 0003 000f 05dc 00a8 010a 0000 0001 0002 0004", "says that it has 19 octets, and has 20"),
        ("020e 002d 000f 0000 00a8 0104 0000", "IP-Compression-Protocol 0x002d"),
        ("020e 0003 4000 0000 00a8 0104 0000", "MAX_CID is 16384"),
        ("020a 0003 000f 0000 00a8", "PROFILES suboption is missing"),
        ("020c 0003 000f 0000 00a8 0101", "suboption of 1 octets"),
        ("020c 0003 000f 0000 00a8 0108", "suboption of 8 octets"),
        ("020b 0003 000f 0000 00a8 01", "suboption of 0 octets"),
        ("020d 0003 000f 0000 00a8 0103 00", "make no pairs"),
        ("0210 0003 000f 0000 00a8 0106 0002 0001", "ascending order"),
    ],
)
def test_what_is_no_such_option_is_told(text: str, words_: str) -> None:
    with pytest.raises(UsageError, match=words_):
        ppp.parse(octets(text))


def test_the_words_of_a_replay() -> None:
    wanted = replay_options.config_of(SCHEME, "voip-amr-nb-ipv4", {"ppp_option": OPTION, "mode": "O"}, run_of())
    assert wanted.encapsulation == "ppp"
    assert wanted.channel["mrru"] == 1500
    assert wanted.channel["mode"] == "O"
    assert replay_options.config_of(SCHEME, "x", {"encapsulation": "ppp"}, run_of()).encapsulation == "ppp"
    assert replay_options.config_of(SCHEME, "x", {"largest_packet": "40"}, run_of()).channel == {"largest_packet": 40}
    with pytest.raises(UsageError, match="must be ethernet or ppp"):
        replay_options.config_of(SCHEME, "x", {"encapsulation": "slip"}, run_of())


def test_an_encapsulation_that_the_scheme_does_not_have() -> None:
    ppp_alone = scheme_registry.find("vj")
    sentence = (
        "encapsulation=ethernet is impossible: packets of VJ have no Ethernet type. "
        "Leave encapsulation out, or say encapsulation=ppp."
    )
    with pytest.raises(UsageError, match=f"^{re.escape(sentence)}$"):
        replay_options.config_of(ppp_alone, "x", {"encapsulation": "ethernet"}, run_of())
    assert replay_options.config_of(ppp_alone, "x", {"encapsulation": "ppp"}, run_of()).encapsulation == "ppp"
    assert replay_options.config_of(ppp_alone, "x", {}, run_of()).encapsulation == ""
    ethernet_alone = replace(ppp_alone, framing=Framing(ether_types={0x88B5: ""}))
    with pytest.raises(UsageError, match="no PPP protocol number"):
        replay_options.config_of(ethernet_alone, "x", {"encapsulation": "ppp"}, run_of())


def test_the_job_of_a_replay() -> None:
    packets = [{"time_ns": 0, "channel": 0, "hex": "45"}]
    assert (
        replay.job(replay_options.config_of(SCHEME, packets, {"encapsulation": "ppp"}, run_of()))["link"][
            "encapsulation"
        ]
        == "ppp"
    )
    assert "encapsulation" not in replay.job(replay_options.config_of(SCHEME, packets, {}, run_of()))["link"]


def test_tshark_names_the_protocol(tmp_path: Path) -> None:
    """It knows that these are ROHC with small or large CIDs, and takes none of them apart."""
    if not tshark.is_available():
        pytest.skip("tshark is not installed")
    captured = {}
    for protocol in (0x0003, 0x0005):
        # An IR packet of the Uncompressed profile in a classic pcap of link type PPP (9).
        frame = b"\xff\x03" + protocol.to_bytes(2, "big") + octets("fc00b7") + bytes(20)
        header = octets("d4c3b2a1 0200 0400 00000000 00000000 00000400 09000000")
        lengths = len(frame).to_bytes(4, "little") * 2
        path = tmp_path / f"{protocol}.pcap"
        path.write_bytes(header + bytes(8) + lengths + frame)
        command = ["tshark", "-n", "-r", str(path), "-T", "fields", "-e", "ppp.protocol", "-e", "_ws.col.Info"]
        captured[protocol] = subprocess.run(command, capture_output=True, text=True, timeout=60).stdout
    assert "0x0003" in captured[3] and "ROHC small-CID" in captured[3]
    assert "0x0005" in captured[5] and "ROHC large-CID" in captured[5]
