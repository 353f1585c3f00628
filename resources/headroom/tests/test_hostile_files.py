# SPDX-License-Identifier: Apache-2.0
"""Untrusted files, damaged in any way: read, or refused with a sentence, and soon."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import pytest

from headroom.core import implementations, profiles, yamlfile
from headroom.core.errors import UsageError
from headroom.core.paths import IMPLEMENTATIONS, PROFILES
from headroom.decode import run
from headroom.decode.run import DecodeOptions
from headroom.schemes.sigcomp.dissector import MOST_CYCLES, Conversations
from headroom.schemes.sigcomp.judge.message import upload
from headroom.schemes.sigcomp.sip import sequences
from headroom.tests.decode.support import ethernet, ipv4, pcap, udp

# What YAML, PyYAML and JSON Schema are tempted by.
YAML_WORDS = (
    b"!!int ''", b"!!float ''", b"!!bool x", b"!!timestamp x", b"!!binary x", b"!!set x", b"0x" + b"f" * 5000,
    b'"\\UFFFFFFFF"', b'"\\uD800"', b'"\\0"', b"9" * 400, b"9" * 5000, b"1e999", b".nan", b"190:20:30", b"-1", b"1.5",
    b"0001-01-01T00:00:00+23:59", b"a" * 300 + b"/b/c", b"../../../x", b"null", b"[]", b"{}", b"yes", b"\0", b"\xff",
    b"- ", b"? ", b": ", b"&a ", b"*a", b"<<: ", b"[", b"{", b"}", b"|", b"---\n", b"\t", b"'", b'"',
)  # fmt: skip
SIP_WORDS = (
    b">>>",
    b"<<<",
    b"\n>>> \n",
    b"{length}",
    b"\xff",
    b"\0",
    b"\r",
    b"\n\n",
    b"#",
    b"\xef\xbb\xbf",
    b"x" * 2000,
)


def damaged(octets: bytes, words: tuple[bytes, ...], draw: random.Random) -> bytes:
    for _ in range(draw.randrange(1, 4)):
        at = draw.randrange(len(octets) + 1)
        match draw.randrange(4):
            case 0:
                octets = octets[:at] + draw.randbytes(1) + octets[at + 1 :]
            case 1:
                octets = octets[:at] + octets[at + draw.randrange(1, 60) :]
            case 2:
                octets = octets[:at] + draw.choice(words) + octets[at:]
            case _:  # instead of a value
                lines = octets.split(b"\n")
                number = draw.randrange(len(lines))
                lines[number] = lines[number].partition(b": ")[0] + b": " + draw.choice(words)
                octets = b"\n".join(lines)
    return octets


def read_or_refused(read: Callable[[], object]) -> bool:
    """Whether it was read; what refuses it is a sentence of a readable length."""
    try:
        read()
    except UsageError as error:
        assert 10 < len(str(error).encode()) < 8000
        return False
    return True


def test_any_implementation(tmp_path: Path) -> None:
    draw = random.Random(1)
    originals = [path.read_bytes() for path in sorted(IMPLEMENTATIONS.glob("*/implementation.yaml"))]
    folder = tmp_path / "yours"
    folder.mkdir()
    read = 0
    for number in range(120):
        lines = damaged(draw.choice(originals), YAML_WORDS, draw).split(b"\n")
        lines = [b"name: yours" if line.startswith(b"name:") else line for line in lines]
        (folder / "implementation.yaml").write_bytes(b"\n".join(lines))
        read += read_or_refused(lambda changed=number: implementations._load(folder, -1 - changed))
    assert 0 < read < 100


def test_any_profile(tmp_path: Path) -> None:
    draw = random.Random(2)
    originals = [path.read_bytes() for path in sorted(PROFILES.rglob("*.yaml")) if path.parent.name != "sip"]
    path = tmp_path / "profile.yaml"
    read = 0
    for number in range(120):
        path.write_bytes(damaged(draw.choice(originals), YAML_WORDS, draw))
        read += read_or_refused(lambda changed=number: profiles._load(path, -1 - changed))
    assert 0 < read < 100


@pytest.mark.parametrize("value", YAML_WORDS, ids=range(len(YAML_WORDS)))
def test_any_value(tmp_path: Path, value: bytes) -> None:
    path = tmp_path / "file.yaml"
    for text in (b"name: " + value, value + b": 1\n", b"[" + value + b"]"):
        path.write_bytes(text)
        read_or_refused(lambda: yamlfile.check(yamlfile.read(path), "implementation"))


def test_a_long_list_of_unknown_keys_is_a_short_sentence(tmp_path: Path) -> None:
    path = tmp_path / "file.yaml"
    path.write_text("".join(f"capabilities{number}: 1\n" for number in range(1000)))
    with pytest.raises(UsageError, match=r"'capabilities' is meant\?.*; nor are 995 more \(known: ") as error:
        yamlfile.check(yamlfile.read(path), "implementation")
    assert len(str(error.value)) < 1500


def test_any_sequence(tmp_path: Path) -> None:
    draw = random.Random(3)
    originals = [path.read_bytes() for path in sorted(sequences.FOLDER.glob("*.txt"))]
    read = 0
    for number in range(300):
        path = tmp_path / f"{number}.txt"
        path.write_bytes(damaged(draw.choice(originals), SIP_WORDS, draw))
        if read_or_refused(lambda path=path: sequences.load(path)):
            read += 1
            for message in sequences.load(path):
                start, end, _ = message.octets.partition(b"\r\n\r\n")
                assert start and end
    assert 0 < read < 300


def test_any_sigcomp_in_a_capture(tmp_path: Path) -> None:
    draw = random.Random(4)
    frames = []
    for _ in range(200):
        payload = bytes([0xF8 | draw.randrange(8)]) + draw.randbytes(draw.randrange(60))
        frame = ethernet(0x0800, ipv4(udp(payload, 5060, 5060)))
        frames.append(damaged(frame, (b"\xff",), draw) if draw.random() < 0.3 else frame)
    path = pcap(tmp_path / "x.pcap", 1, *frames)
    assert len(list(run.read(DecodeOptions(path, tshark=False)).decoded())) == 200
    whole = path.read_bytes()
    for _ in range(60):
        path.write_bytes(damaged(whole[:2000], (b"\xff\xff\xff\xff",), draw))
        read_or_refused(lambda: list(run.read(DecodeOptions(path, tshark=False)).decoded()))


def test_messages_without_end_come_to_an_end() -> None:
    """A loop has all cycles that its message brings; many such messages would keep a reader for hours."""
    conversations, loop = Conversations(), upload(bytes.fromhex("16 00"))  # JUMP to itself
    conversations._cycles = MOST_CYCLES - 100_000
    for last in (False, True):
        found = conversations.read((b"a", b"b", 5060, 5060), loop)
        assert found is not None and found.title == "SigComp in UDP"
        assert found.notes == (
            [f"not decompressed: messages that failed have taken {conversations._cycles} UDVM cycles"] * last
        )
    assert conversations._cycles > MOST_CYCLES - 100_000
