# SPDX-License-Identifier: Apache-2.0
"""The sequences as they were counted have the lengths of the publication's tables, compressed ones included."""

from __future__ import annotations

import re

import pytest

from headroom.core.errors import UsageError
from headroom.schemes.sigcomp.sip import counted, sequences

# maenpaa-2005, 14.8.1.1: basic compression without a dictionary, the column "Length compr", in octets.
BASIC_COMPRESSION = [1085, 276, 1027, 996, 641, 956, 625, 490, 645, 279, 759, 397]
# Sums of the uncompressed lengths, appendix L. The first messages of a sequence, as many as its table has.
TOTALS = {
    "basic-voice-call": (5, 2428),
    "basic-video-call": (5, 2952),
    "push-to-talk": (6, 3103),
    "3gpp-registration": (4, 2766),
    "3gpp-video-call": (12, 10640),
    "3gpp-video-call-re-invite": (8, 6319),
    "3gpp-video-call-re-invite-reliable": (10, 7867),
}


def lzss_octets(message: bytes) -> int:
    """Octets of a greedy LZSS: a literal is 9 bits; a match of 3 to 258 octets 1 + 14 + 8 (maenpaa-2005, 7.8.4)."""
    at = bits = 0
    while at < len(message):
        length = 3
        while length <= 258 and at + length <= len(message):
            if message.find(message[at : at + length], 0, at + length - 1) < 0:
                break
            length += 1
        length -= 1
        at, bits = (at + length, bits + 23) if length >= 3 else (at + 1, bits + 9)
    return -(-bits // 8)


def test_every_sequence_has_both_editions() -> None:
    assert sorted(counted.names()) == sequences.names()


@pytest.mark.parametrize("name", counted.names())
def test_lengths_are_those_of_the_tables(name: str) -> None:
    found = counted.load_with_lengths(name)
    visible = [(len(one.message.octets), one.length) for one in found if one.length is not None]
    assert all(ours == theirs for ours, theirs in visible)
    assert (len(visible), sum(length for _, length in visible)) == TOTALS[name]


def test_what_went_uncompressed_was_counted_as_text() -> None:
    """401 Unauthorized: the printed text, with nothing of what the rule has for messages that were compressed."""
    printed = sequences.load(sequences.path_of("3gpp-registration"))[1].octets
    found = counted.load("3gpp-registration")[1]
    assert found.name == "401 Unauthorized"
    assert found.octets == printed.replace(b"\r\n", b"")
    assert (len(printed), printed.count(b"\r\n"), len(found.octets)) == (496, 10, 476)


def test_compressed_lengths_are_those_of_the_table() -> None:
    """They show that the text is the right one, not only its length."""
    as_counted = [lzss_octets(message.octets) for message in counted.load("3gpp-video-call")[:12]]
    printed = [lzss_octets(message.octets) for message in sequences.load(sequences.path_of("3gpp-video-call"))[:12]]
    assert as_counted == BASIC_COMPRESSION
    assert sum(ours == theirs for ours, theirs in zip(printed, BASIC_COMPRESSION, strict=True)) == 1


@pytest.mark.parametrize("name", counted.names())
def test_the_rule(name: str) -> None:
    """Call-IDs end in -1000, directions and names stay, at most two octets of the end are missing."""
    pairs = list(zip(sequences.load(sequences.path_of(name)), counted.load(name), strict=True))
    for printed, found in pairs:
        assert (found.from_caller, found.name) == (printed.from_caller, printed.name)
        if found.name == "401 Unauthorized":
            continue
        assert re.search(rb"\r\nCall-ID: \S+-1000\r\n", found.octets)
        assert len(found.octets) - len(found.octets.rstrip(b"\r\n")) in range(1, 5)


def test_unknown_sequence() -> None:
    with pytest.raises(
        UsageError, match=r"No rule says how the messages of nobody were counted; there are rules for basic-voice-call"
    ):
        counted.load("nobody")


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ("without: [Content-Type]", "without: [Nonsense]", r"message 9, 200 OK to INVITE: there is no Nonsense"),
        ("    cut: 1\n    messages:\n      - {length: 747}\n", "    cut: 1\n    messages:\n", r"has 3 messages, and 4"),
    ],
)
def test_rules_that_do_not_fit(old: str, new: str, sentence: str, tmp_path, monkeypatch) -> None:
    text = counted.RULES.read_text()
    assert text.count(old) == 1
    path = tmp_path / "as_counted.yaml"
    path.write_text(text.replace(old, new))
    monkeypatch.setattr(counted, "RULES", path)
    counted.load_with_lengths.cache_clear()
    with pytest.raises(UsageError, match=sentence):
        for name in counted.names():
            counted.load(name)
    counted.load_with_lengths.cache_clear()
