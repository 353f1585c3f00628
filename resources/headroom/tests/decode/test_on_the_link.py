# SPDX-License-Identifier: Apache-2.0
"""A capture of a link beside what was sent: all decoders agree, or the report names those that do not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from robot.api import SkipExecution

from headroom.core import settings, tshark
from headroom.core.errors import HeadroomError
from headroom.core.results import collector
from headroom.core.settings import Settings
from headroom.decode import on_the_link
from headroom.keywords import capture
from headroom.testbed import choice
from headroom.tests.decode.support import (
    IR,
    RESTORED,
    UO_0,
    enhanced,
    ethernet,
    g_pdu,
    interface,
    ipv4,
    option,
    rtp,
    section,
    udp,
)
from headroom.tests.wire.test_netns import root

with_tshark = pytest.mark.skipif(not tshark.is_available(), reason="tshark is not installed")

FIRST = bytes.fromhex("4500002c2000400040112e8ac0000201c6336402138c138e00180000800003e80002715011223344a0b0c000")
USERS = [ipv4(udp(g_pdu(ipv4(udp(rtp(number), 5004, 5006))))) for number in range(3)]


def link(path: Path, forward: list[bytes], reverse: list[bytes]) -> Path:
    """A capture as the engine's link writes it: an interface for each direction."""
    names = b"".join(interface(1, option(2, name)) for name in (b"forward", b"reverse"))
    frames = [enhanced(one) for one in forward] + [enhanced(one, place=1) for one in reverse]
    path.write_bytes(section() + names + b"".join(frames))
    return path


@with_tshark
def test_all_decoders_agree(tmp_path: Path) -> None:
    forward = [ethernet(0x22F1, one) for one in (IR, UO_0)]
    path = link(tmp_path / "x.pcapng", forward, [ethernet(0x0800, one) for one in USERS])
    found = on_the_link.look(path, {"forward": [FIRST, RESTORED], "reverse": USERS}, {})
    assert (found.wrong, found.missing, found.inside) == ([], 0, 5)
    assert found.on_the_link == {"agree": 5}


@with_tshark
def test_what_was_not_sent_is_wrong(tmp_path: Path) -> None:
    path = link(tmp_path / "x.pcapng", [ethernet(0x22F1, one) for one in (IR, UO_0)], [])
    found = on_the_link.look(path, {"forward": [FIRST, RESTORED[:-1] + b"?"], "reverse": USERS}, {})
    assert found.wrong == [
        "forward: packet 2 of those restored was never sent",
        "reverse: no sent packet was on the link",
    ]
    assert found.missing == 4


@with_tshark
def test_what_tshark_reads_otherwise_is_wrong(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = link(tmp_path / "x.pcapng", [ethernet(0x0800, one) for one in USERS], [])
    real = on_the_link.tshark_reading.read_ip

    def another_teid(*arguments: Any) -> Any:
        found = real(*arguments)
        found[-1].values["TEID"] = 7
        return found

    monkeypatch.setattr(on_the_link.tshark_reading, "read_ip", another_teid)
    found = on_the_link.look(path, {"forward": USERS}, {})
    assert [sentence.split()[0] for sentence in found.wrong] == ["packet", "forward:"]
    assert all("TEID 0x01020304, tshark 0x00000007" in sentence for sentence in found.wrong)


def test_a_capture_that_is_not_whole_is_no_evidence(tmp_path: Path) -> None:
    path = link(tmp_path / "x.pcapng", [ethernet(0x22F1, IR)], [])
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(HeadroomError, match="is damaged"):
        on_the_link.look(path, {"forward": [FIRST]}, {})


def test_too_little_is_no_pass() -> None:
    with pytest.raises(RuntimeError, match="Only 4 of 10 packets"):
        capture.judge(on_the_link.LinkComparison(inside=4), 10)
    with pytest.raises(AssertionError, match="1 differences: no"):
        capture.judge(on_the_link.LinkComparison(inside=10, wrong=["no"]), 10)
    capture.judge(on_the_link.LinkComparison(inside=10), 10)


ROW = ("rohc", "voip-amr-nb-ipv4", "compressed", "U, small CIDs", 3)


@pytest.mark.parametrize(
    ("topology", "here", "reason"),
    [
        ("process", True, "--topology process has none"),
        ("compose", True, "use --topology netns"),
        ("netns", False, "tshark is not installed"),
    ],
)
def test_without_what_it_takes_it_is_unsupported(
    monkeypatch: pytest.MonkeyPatch, topology: str, here: bool, reason: str
) -> None:
    collector.begin()
    monkeypatch.setattr(settings, "from_robot", lambda: Settings(topology=topology))
    monkeypatch.setattr(choice, "build_lacks", lambda build: "")
    monkeypatch.setattr(tshark, "is_available", lambda: here)
    with pytest.raises(SkipExecution, match=reason):
        capture.CaptureKeywords().all_decoders_agree(*ROW)
    assert collector.current().parameters["kind"] == "on_the_link"
    collector.begin()


@root
@with_tshark
def test_a_line_for_real(real_build: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if reason := choice.build_lacks(real_build):
        pytest.skip(reason)
    collector.begin()
    monkeypatch.setattr(settings, "from_robot", lambda: Settings(topology="netns", build=real_build))
    monkeypatch.setattr(capture, "artefact_folder", lambda: None)
    capture.CaptureKeywords().all_decoders_agree(*ROW[:3], "O piggybacked, small CIDs", 3)
    metrics = {one.name: one.value for one in collector.current().metrics}
    assert (metrics["packets_read_alike"] or 0) >= 400
    assert (metrics["packets_read_alike_inside"] or 0) >= 400
    collector.begin()
