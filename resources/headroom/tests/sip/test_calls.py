# SPDX-License-Identifier: Apache-2.0
"""Generated calls: the structure of the printed ones, other identities, and the same octets from the same seed."""

from __future__ import annotations

import itertools
import json
import re

import pytest

from headroom.core.errors import UsageError
from headroom.core.yamlfile import read
from headroom.schemes.sigcomp.sip import calls, sequences

NAMES = sequences.names()


def printed(name: str) -> tuple[sequences.Message, ...]:
    return sequences.load(sequences.path_of(name))


def structure(octets: bytes) -> list[str]:
    """What a message keeps: its line ends, header fields in their order, types of lines of its body."""
    head, _, body = octets.decode().partition("\r\n\r\n")
    first, *fields = head.split("\r\n")
    start = re.sub(r"^([A-Z]+) \S+ SIP", r"\1 SIP", first)
    return [start, *(line.partition(":")[0] for line in fields), "", *(line[:2] for line in body.split("\r\n"))]


@pytest.mark.parametrize("name", NAMES)
def test_the_structure_stays(name: str) -> None:
    for made, given in zip(calls.call(name, 7).messages, printed(name), strict=True):
        assert (made.from_caller, made.name) == (given.from_caller, given.name)
        assert structure(made.octets) == structure(given.octets)
        head, _, body = made.octets.partition(b"\r\n\r\n")
        assert re.search(rb"(?i)\r\nContent-Length: %d$|\r\nContent-Length: %d\r\n" % (len(body), len(body)), head)


@pytest.mark.parametrize("name", NAMES)
def test_no_identity_is_left(name: str) -> None:
    texts = [entry["text"].encode() for entry in read(calls.IDENTITIES).data["identities"]]
    for made, given in zip(calls.call(name, 1).messages, printed(name), strict=True):
        words = set(re.findall(rb"[A-Za-z0-9][A-Za-z0-9_.:-]*[A-Za-z0-9]", made.octets))
        assert not [text for text in texts if text in words]
        assert made.octets != given.octets


def test_every_identity_is_in_use() -> None:
    everything = b"".join(message.octets for name in NAMES for message in printed(name)).decode()
    found = set(calls._pattern(calls.IDENTITIES).findall(everything))
    assert found == {entry["text"] for entry in read(calls.IDENTITIES).data["identities"]}


@pytest.mark.parametrize("name", NAMES)
def test_a_call_agrees_with_itself(name: str) -> None:
    """What is the same in two printed messages is the same in those made of them: identities are never mixed."""
    for number in range(5):
        made = calls.call(name, 3, number).messages
        ids = {re.search(rb"(?i)\r\ncall-id: (\S+)\r\n", message.octets)[1] for message in made}  # type: ignore[index]
        assert len(ids) == 1
        for (one, given), (other, also) in itertools.combinations(zip(made, printed(name), strict=True), 2):
            same = [a == b for a, b in itertools.product(_lines(given.octets), _lines(also.octets))]
            assert same == [a == b for a, b in itertools.product(_lines(one.octets), _lines(other.octets))]


def _lines(octets: bytes) -> list[bytes]:
    return [line for line in octets.split(b"\r\n") if not line.lower().startswith(b"content-length")]


@pytest.mark.parametrize("name", NAMES)
def test_printed_lengths(name: str) -> None:
    for number in range(20):
        made = calls.call(name, 2, number, lengths_vary=False).messages
        assert [len(one.octets) for one in made] == [len(one.octets) for one in printed(name)]


def test_lengths_vary() -> None:
    lengths = {len(calls.call("3gpp-video-call", 1, number).messages[0].octets) for number in range(20)}
    assert len(lengths) > 10


def test_counters_count_on_together() -> None:
    """RAck repeats the RSeq and CSeq that it acknowledges (RFC 3262, 7.2)."""
    text = b"".join(one.octets for one in calls.call("3gpp-video-call", 5).messages).decode()
    sequence = dict(re.findall(r"(?i)\r\nCSeq: (\d+) (\w+)\r\n", text))
    assert [int(n) - int(min(sequence, key=int)) for n in sorted(sequence, key=int)] == [0, 1, 2, 3, 26]
    rseqs = re.findall(r"\r\nRSeq: (\d+)\r\n", text)
    racks = re.findall(r"\r\nRAck: (\d+) (\d+) INVITE\r\n", text)
    assert [rack[0] for rack in racks] == rseqs
    assert {rack[1] for rack in racks} == {re.search(r"(?i)\r\nCSeq: (\d+) INVITE", text)[1]}  # type: ignore[index]


def test_seed_and_number_decide() -> None:
    first = calls.call("basic-voice-call", 1, 0)
    assert calls.call("basic-voice-call", 1, 0) == first
    others = [calls.call("basic-voice-call", 2, 0), calls.call("basic-voice-call", 1, 1)]
    assert all(other.messages != first.messages for other in others)
    assert list(itertools.islice(calls.calls("basic-voice-call", 1), 2)) == [first, others[1]]


def test_as_data() -> None:
    found = json.loads(json.dumps(calls.call("push-to-talk", 1).as_data()))
    assert [one["from"] for one in found["messages"]] == ["caller", "called", "called", "caller", "caller", "called"]
    assert bytes.fromhex(found["messages"][0]["octets"]) == calls.call("push-to-talk", 1).messages[0].octets


def test_unknown_sequence() -> None:
    with pytest.raises(UsageError, match="There is no SIP sequence"):
        calls.call("nobody", 1)
