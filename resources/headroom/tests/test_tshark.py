# SPDX-License-Identifier: Apache-2.0
"""tshark's reading of a link capture beside our own, and what is done when it fails or differs."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest

from headroom.core import replay, sandbox, tshark
from headroom.core.captures import engine_pcapng
from headroom.core.errors import EnvironmentLacks, HeadroomError, UsageError
from headroom.schemes.rohc import judging
from headroom.schemes.rohc.interop import side_by_side
from headroom.tests.runs import replay_of


def test_without_tshark(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert not tshark.is_available()
    with pytest.raises(EnvironmentLacks, match="tshark is not installed"):
        tshark.lines_of(tmp_path / "x.pcapng", ["frame.number"])


def test_a_file_that_tshark_cannot_read(tmp_path: Path) -> None:
    path = tmp_path / "x.pcapng"
    path.write_bytes(b"nothing of the kind")
    with pytest.raises(HeadroomError, match=r"tshark could not read x\.pcapng"):
        tshark.lines_of(path, ["frame.number"])


# ---- our own reader of the engine's captures


def block(kind: int, body: bytes) -> bytes:
    length = 12 + len(body)
    return struct.pack("=II", kind, length) + body + struct.pack("=I", length)


SECTION = block(0x0A0D0D0A, struct.pack("=IHHq", 0x1A2B3C4D, 1, 0, -1))


def enhanced(octets: bytes, interface: int = 0) -> bytes:
    padded = octets + b"\0" * (-len(octets) % 4)
    return block(6, struct.pack("=IIIII", interface, 0, 0, len(octets), len(octets)) + padded)


def test_packets_with_their_interface(tmp_path: Path) -> None:
    path = tmp_path / "x.pcapng"
    path.write_bytes(SECTION + block(1, b"\0" * 8) + enhanced(b"abc") + enhanced(b"defgh", 1))
    assert list(engine_pcapng.read(path)) == [
        engine_pcapng.EnginePacket(0, b"abc"),
        engine_pcapng.EnginePacket(1, b"defgh"),
    ]


def test_packets_with_their_time_and_link_type(tmp_path: Path) -> None:
    path = tmp_path / "x.pcapng"
    body = struct.pack("=IIIII", 0, 1, 2, 3, 3) + b"abc\0"
    path.write_bytes(SECTION + block(1, struct.pack("=HHI", 101, 0, 0)) + block(6, body) + enhanced(b"d", 1))
    assert [(one.time_ns, one.link_type) for one in engine_pcapng.read(path)] == [((1 << 32) + 2, 101), (0, 0)]


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\xd4\xc3\xb2\xa1" + b"\0" * 20,
        SECTION[:-1],
        SECTION + b"\6\0\0\0",
        SECTION + struct.pack("=III", 6, 8, 8),
        SECTION + struct.pack("=III", 6, 1 << 30, 8),
        SECTION + block(6, b"\0" * 8),
        SECTION + block(6, struct.pack("=IIIII", 0, 0, 0, 99, 99)),
    ],
)
def test_broken_captures_are_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "x.pcapng"
    path.write_bytes(content)
    with pytest.raises(UsageError, match=r"x\.pcapng"):
        list(engine_pcapng.read(path))


# ---- with the real engine


@pytest.mark.parametrize("mode", ["U", "O"])
@pytest.mark.parametrize(
    "profile", ["voip-amr-nb-ipv4", "voip-amr-nb-ipv6-silence", "rtp-marker-every", "ip-id-random"]
)
def test_tshark_reads_what_the_reference_sends(real_build: str, profile: str, mode: str) -> None:
    wanted = replay_of(source=profile, packets=300, flows=3, build=real_build, channel={"mode": mode})
    found = judging.compare_with_tshark(replay.run(wanted))
    assert found.differences == []
    assert found.packets + found.skipped == 300
    assert found.packets >= 3


@pytest.mark.parametrize("mode", ["U", "O"])
@pytest.mark.parametrize(
    "profile", ["voip-mixed", "udp-constant-ipv6", "ip-only-ipv4", "tunnel-ipv4-in-ipv6", "rtp-video"]
)
def test_the_second_judge_restores_what_the_reference_sends(real_build: str, profile: str, mode: str) -> None:
    wanted = replay_of(source=profile, packets=300, flows=3, build=real_build, channel={"mode": mode})
    done = replay.run(wanted)
    assert done.count("identical") == 300
    found = judging.second_judge(done)
    assert [one for one in found.findings if one.severity == "must"] == []
    assert found.restored + len(found.not_judged) == found.packets == 300


def test_the_second_judge_notices_what_is_wrong(real_build: str) -> None:
    """Packets that were never compressed are no ROHC, and the judge says so."""
    wanted = replay_of(
        compressor="null",
        decompressor="null",
        source="voip-amr-nb-ipv4",
        packets=20,
        build=real_build,
        channel={"mode": "U"},
    )
    found = judging.second_judge(replay.run(wanted))
    assert len(found.findings) >= 20
    assert found.restored == 0


def test_feedback_elements_become_feedback_data() -> None:
    assert judging.feedback_data(bytes.fromhex("f2aabb")) == b"\xaa\xbb"
    assert judging.feedback_data(bytes.fromhex("f003aabbcc")) == b"\xaa\xbb\xcc"
    assert judging.feedback_data(b"") == b""


@pytest.mark.skipif(sandbox.in_force() == "none", reason="there is no sandbox here")
def test_it_reads_in_the_sandbox(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Packets of an adapter may hit a flaw of a dissector: what then runs must not reach our files or the network."""
    (tmp_path / "secret").write_text("hidden")
    (tmp_path / "packets").mkdir()
    capture, program = tmp_path / "packets" / "link.pcap", tmp_path / "bin" / "tshark"
    capture.write_bytes(b"packets\n")
    program.parent.mkdir()
    program.write_text(
        f"#!/bin/sh\necho >> {tmp_path}/secret && echo reached\ncat {capture}\ncat /proc/net/route | wc -l"
    )
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:/usr/bin:/bin")
    for lines in (tshark.lines_of(capture, ()), side_by_side.tshark(capture, 0).split("\n")):
        assert lines[0] == "packets", "the file is as it was, and only the capture was read"
        assert (tmp_path / "secret").read_text() == "hidden"
        if sandbox.in_force().startswith("bubblewrap"):
            assert lines[1] == "1", "there is a heading, and no route"
