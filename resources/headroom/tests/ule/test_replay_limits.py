# SPDX-License-Identifier: Apache-2.0
"""Captures of users through a replay: its own limits are said as such, and so is what it leaves out or changes."""

from __future__ import annotations

from pathlib import Path

import pytest

from headroom.schemes.ule.dissector import LINK_TYPE
from headroom.tests.command_line import call
from headroom.tests.decode.support import ethernet, ipv4, pcap, udp
from headroom.tests.ule.test_bbframes import bbframe, whole
from headroom.tests.ule.test_sections import mpe, ts

LARGE, SMALL = ipv4(udp(b"x" * 2934, 1000, 2000)), ipv4(udp(b"x" * 100, 1000, 2000))


def test_a_pdu_for_which_a_replay_has_no_room(real_build: str, tmp_path: Path) -> None:
    frames = [ethernet(0x0800, packet) for packet in (SMALL, LARGE, SMALL, LARGE, LARGE, SMALL)]
    capture = str(pcap(tmp_path / "x.pcap", 1, *frames))
    done = call("replay", "--scheme", "ule", capture)
    assert done.returncode == 2, done.stderr
    assert "no room here: 3" in done.stderr and "add --largest-pdu 2962" in done.stderr
    assert "did not come out" not in done.stderr
    assert call("replay", "--scheme", "ule", capture, "--largest-pdu", "2962").returncode == 0


def test_what_a_capture_has_besides(real_build: str, tmp_path: Path) -> None:
    offloaded = LARGE[:2] + b"\0\0" + LARGE[4:]
    frames = [ethernet(0x0800, offloaded), ethernet(0x0800, SMALL), ethernet(0x0806, bytes(28))]
    frames.append(ethernet(0x0800, b"\x55" + SMALL[1:]))  # whole, and of version 5
    done = call("replay", "--scheme", "ule", str(pcap(tmp_path / "x.pcap", 1, *frames)), "--largest-pdu", "4000")
    assert done.returncode == 0, done.stderr
    assert "Left out of the capture: 2 frames that carry something else." in done.stderr
    assert "with the length 0 (segmentation offload), now that of the frame: 1." in done.stderr


@pytest.mark.long
def test_a_receiver_of_mpe_names_its_address_filter(real_build: str, tmp_path: Path) -> None:
    capture = str(pcap(tmp_path / "x.pcap", LINK_TYPE, *ts(mpe(SMALL, mac=bytes(6)), pid=0x100)))
    words = ["replay", "--scheme", "ule", capture, "--compressor", "none", "encapsulation=mpe"]
    done = call(*words)
    assert done.returncode == 1
    assert "Packets for another address than the receiver's, 02:00:00:00:00:01" in done.stderr
    assert "encapsulation=mpe or" not in done.stderr
    done = call(*words[:-1])
    assert done.returncode == 1
    assert "encapsulation=mpe or encapsulation=gse reads others" in done.stderr
    done = call(*words, "decompressor_options=npa=any", "--json")
    assert done.returncode == 0, done.stderr
    assert '"delivered": 1' in done.stdout


@pytest.mark.long
def test_a_receiver_of_gse_takes_the_input_stream_that_is_chosen(real_build: str, tmp_path: Path) -> None:
    frames = [bbframe(whole(SMALL), stream=7), bbframe(whole(SMALL) * 20, octets=7274)]
    capture = str(pcap(tmp_path / "x.pcap", 1, *(ethernet(0x88B5, frame) for frame in frames)))
    words = ["replay", "--scheme", "ule", capture, "--compressor", "none", "encapsulation=gse", "frame_octets=7274"]
    done = call(*words)
    assert "BBFRAMEs of input streams that the receiver does not take: 1" in done.stderr
    for value, delivered in (("7", 1), ("any", 2)):
        done = call(*words, f"decompressor_options=isi={value}", "--json")
        assert f'"delivered": {delivered}' in done.stdout, done.stderr
    done = call("replay", "--scheme", "ule", "voip-mixed", "encapsulation=gse", "compressor_options=isi=7")
    assert done.returncode == 2 and "isi" in done.stderr


def test_a_refusal_names_what_is_refused(real_build: str, tmp_path: Path) -> None:
    capture = str(pcap(tmp_path / "x.pcap", 1, ethernet(0x0800, SMALL)))
    done = call("replay", "--scheme", "ule", capture, "frame_octets=7", "decompressor_options=npa=any")
    assert done.returncode != 0 and "frame_octets" in done.stderr and "npa" not in done.stderr
    done = call("replay", "--scheme", "ule", capture, "compressor_options=npa=any")
    assert done.returncode == 2 and "refuses compressor_options=npa=any" in done.stderr
