# SPDX-License-Identifier: Apache-2.0
"""The notation of packets in vector files, and the error with file, line and vector for anything else."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from headroom.core import vectors
from headroom.core.errors import UsageError
from headroom.core.paths import VECTORS
from headroom.core.vectors import Entry, Field
from headroom.core.yamlfile import read

FILE = """\
vectors:
  - name: first
    parts: |
      IR 0b1111110 | D 1:1 | Profile 8:2 | CRC =1f (CRC-8, this field taken as zero)
      Flow Label (msb) 4:10 | -T 12:2748 (0xabc (2748)) |
        address
        =c0000201
      payload =a0
"""
OCTETS = "fd021f aabc c0000201 a0"
ENDLESS = "7" * 5000


def entry(folder: Path, text: str = FILE) -> Entry:
    path = folder / "x.yaml"
    path.write_text(text)
    return vectors.entries([read(path)], "vectors")["first"]


def fields(folder: Path, text: str = FILE, octets: str = OCTETS) -> tuple[Field, ...]:
    found = entry(folder, text)
    return found.fields(found.data["parts"], bytes.fromhex(octets), "parts")


def test_fields_of_every_form(tmp_path: Path) -> None:
    assert fields(tmp_path) == (
        Field("IR", 7, 126),
        Field("D", 1, 1),
        Field("Profile", 8, 2),
        Field("CRC", 8, 0x1F, "CRC-8, this field taken as zero"),
        Field("Flow Label (msb)", 4, 10),
        Field("-T", 12, 2748, "0xabc (2748)"),
        Field("address", 32, 0xC0000201),
        Field("payload", 8, 0xA0),
    )


@pytest.mark.parametrize(
    ("before", "after", "sentence"),
    [
        ("D 1:1", "D", r"x\.yaml:4: /vectors/0/parts/0: first: 'D' is no field; write NAME WIDTH:NUMBER, NAME 0bBITS"),
        ("D 1:1", "1:1", r"x\.yaml:4: .*first: '1:1' is no field"),
        ("D 1:1", "D  1:1", r"x\.yaml:4: .*'D  1:1' is no field; .* one space apart"),
        (
            "D 1:1 |",
            "D 1:1|",
            r"x\.yaml:4: .*'D 1:1\| Profile 8:2' is no field; .* with ' \| ' between",
        ),
        ("D 1:1", "D 1:1 1:1", r"x\.yaml:4: .*'1:1' after the value of D is no \(REASON\)"),
        ("D 1:1", "D 1:1 ()", r"x\.yaml:4: .*'\(\)' after the value of D is no \(REASON\)"),
        ("D 1:1", "D 1:1 (one", r"x\.yaml:4: .*'\(one' after the value of D is no \(REASON\)"),
        ("D 1:1", "D 1:2", r"x\.yaml:4: .*first: D is 2, which does not fit into 1 bits"),
        ("D 1:1", "D 0:0", r"x\.yaml:4: .*'0:0' is no value of D; write WIDTH:NUMBER .* of 1 to 32 bits"),
        ("D 1:1", "D 33:1", r"x\.yaml:4: .*'33:1' is no value of D"),
        ("D 1:1", "D 1:-1", r"x\.yaml:4: .*'1:-1' is no value of D"),
        ("D 1:1", "D 1:0x1", r"x\.yaml:4: .*'1:0x1' is no value of D"),
        ("D 1:1", "D 1:\u0661", r"x\.yaml:4: .*'1:\u0661' is no value of D"),
        ("D 1:1", f"D 1:{ENDLESS}", r"x\.yaml:4: .*'1:7{38}…' is no value of D"),
        ("0b1111110", "0b1111112", r"x\.yaml:4: .*'0b1111112' is no value of IR"),
        ("0b1111110", "0b", r"x\.yaml:4: .*'0b' is no value of IR"),
        ("=1f", "=1F", r"x\.yaml:4: .*'=1F' is no value of CRC; .* two small hexadecimal digits for each octet"),
        ("=1f", "=1f0", r"x\.yaml:4: .*'=1f0' is no value of CRC"),
        ("=1f", "=", r"x\.yaml:4: .*'=' is no value of CRC"),
        ("D 1:1 | ", "", r"x\.yaml:4: .*first: the fields make up 23 bits; a part ends where an octet ends"),
        (
            "D 1:1",
            "D 1:0",
            r"x\.yaml:4: .*octet 0 of the packet \(the first is 0\) is fd, but this part makes it fc; correct",
        ),
        (
            "2748",
            "2749",
            r"x\.yaml:5: /vectors/0/parts/1: first: octet 4 of the packet .* is bc, but this part makes it bd",
        ),
        (
            "=a0\n",
            "=a0a1\n",
            r"x\.yaml:8: /vectors/0/parts/4: .* octet 10 of the packet .* is not there, but this part makes it a1",
        ),
        (
            "=a0\n",
            "=a0\n      rest =a1\n",
            r"x\.yaml:9: .* octet 10 of the packet .* is not there, but this part makes it a1",
        ),
        ("      payload =a0\n", "", r"x\.yaml:3: /vectors/0/parts: first: no part makes up the last octets, a0; write"),
        ("      payload =a0\n", "\n      payload =a0\n", r"x\.yaml:8: .*first: '' is no field"),
        ("D 1:1", "D\t1:1", r"x\.yaml:4: .*'D\\t1:1' is no field"),
    ],
)
def test_what_is_not_in_the_notation(tmp_path: Path, before: str, after: str, sentence: str) -> None:
    assert before in FILE
    with pytest.raises(UsageError, match=sentence) as error:
        fields(tmp_path, FILE.replace(before, after, 1))
    assert len(str(error.value)) < 400


def test_a_part_in_quotes_has_the_line_of_its_key(tmp_path: Path) -> None:
    text = 'vectors:\n  - name: first\n    parts: "A 8:1\\nB 8:2"\n'
    assert [field.name for field in fields(tmp_path, text, "01 02")] == ["A", "B"]
    with pytest.raises(
        UsageError, match=r"x\.yaml:3: /vectors/0/parts/1: first: octet 1 of the packet \(the first is 0\) is 03"
    ):
        fields(tmp_path, text, "01 03")


def test_two_entries_of_the_same_name(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"x\.yaml:4: /vectors/1/name: first: another entry has this name already"):
        entry(tmp_path, "vectors:\n  - name: first\n    parts: a\n  - name: first\n")


def test_select() -> None:
    names = ["rtp-a", "rtp-b", "udp-a"]
    assert vectors.select(["rtp-*"], names, VECTORS) == ["rtp-a", "rtp-b"]
    assert vectors.select(["*", "-rtp-b"], names, VECTORS) == ["rtp-a", "udp-a"]
    assert vectors.select(["udp-a", "rtp-a", "udp-*"], names, VECTORS) == ["udp-a", "rtp-a"]
    with pytest.raises(UsageError, match=r"No vector of resources/vectors matches 'ip-\*'"):
        vectors.select(["rtp-*", "-ip-*"], names, VECTORS)


def test_any_part_is_read_or_refused_with_a_sentence(tmp_path: Path) -> None:
    """Parts of the files, changed at random: what is read makes up the packet, all else is a short sentence."""
    draw = random.Random(1)
    pieces = [*" |:=()", "0b", " | ", "  ", "\n", "\n  ", "8:1", "=ff", "99:1", "\0", "é", "٣", "\u2028", ENDLESS]
    octets, read_all = bytes.fromhex(OCTETS), 0
    first = entry(tmp_path)
    for _ in range(5000):
        text = first.data["parts"]
        for _ in range(draw.randrange(1, 4)):
            begin = draw.randrange(len(text) + 1)
            text = text[:begin] + draw.choice(["", *pieces]) + text[begin + draw.randrange(3) :]
        try:
            found = first.fields(text, octets, "parts")
        except UsageError as error:
            assert 40 < len(str(error)) < 500
            assert ": first: " in str(error)
        else:
            read_all += 1
            assert vectors.octets_of(found) == octets
    assert 50 < read_all < 2500
