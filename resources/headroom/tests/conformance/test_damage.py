# SPDX-License-Identifier: Apache-2.0
"""Damaged packets: what is tried, and what is made of it."""

from __future__ import annotations

from typing import Any

import pytest

from headroom.core import engine
from headroom.core.capabilities import NotDeclared
from headroom.core.errors import UsageError
from headroom.schemes.rohc.conformance import capabilities, damage
from headroom.schemes.rohc.conformance.damage import DETECTED, KINDS, DamageOutcome, Trial, trials
from headroom.schemes.rohc.judge import Decompressor
from headroom.tests.conformance.support import document, record
from headroom.tests.oracle_rohc.support import all_vectors

NAMES = ("rtp-ir-ipv4", "udp-uo-0-checksum", "udp-ir-dyn", "add-cid", "rtp-uor-2-id")


def tried_with(kind: str) -> list[Trial]:
    return trials(kind, 1, NAMES)


def test_unknown_damage() -> None:
    with pytest.raises(UsageError, match="'bent' is no damage; there are truncated"):
        trials("bent", 1)


@pytest.mark.parametrize("kind", KINDS)
def test_trials_are_repeatable(kind: str) -> None:
    made = tried_with(kind)
    assert made
    assert [one.damaged for one in made] == [one.damaged for one in tried_with(kind)]


@pytest.mark.parametrize("kind", KINDS)
def test_trials_say_what_the_judge_says(kind: str) -> None:
    for one in tried_with(kind):
        judge = Decompressor(one.vector.parameters)
        for link in one.before:
            judge.decompress(link)
        assert judge.decompress(one.damaged).delivered == one.expected
        if one.recovery is not None:
            assert judge.decompress(one.recovery).delivered == one.recovered
            assert one.recovered is not None, "an IR packet ends everything"


def test_truncations_are_of_every_length() -> None:
    """IR of 41 octets, then UO-0 of one octet with four of payload: cut to 1 … 4."""
    made = trials("truncated", 1, ["rtp-ir-ipv4"])
    assert [len(one.damaged) for one in made] == [1, 2, 3, 4]
    assert [one.what for one in made][:1] == ["cut to 1 of 5 octets"]
    # A payload that is shorter is another packet, whose CRC-3 covers the lengths.
    assert all(one.damaged == all_vectors()["rtp-ir-ipv4"].steps[1].link[: len(one.damaged)] for one in made)


def test_every_bit_of_the_header_is_flipped() -> None:
    made = trials("one bit flipped", 1, ["rtp-ir-ipv4"])
    link = all_vectors()["rtp-ir-ipv4"].steps[1].link
    assert len(made) == 8
    assert {one.damaged[0] ^ link[0] for one in made} == {1 << n for n in range(8)}
    assert all(one.damaged[1:] == link[1:] for one in made)


def test_flipped_crc_bits_are_always_detected() -> None:
    for one in tried_with("CRC bits flipped"):
        assert one.expected is None


def test_short_bursts_are_always_detected() -> None:
    """A CRC of w bits detects every burst of at most w bits; those of every octet of the chains are tried."""
    made = tried_with("short bursts")
    assert len(made) > 20
    for one in made:
        assert one.expected is None


@pytest.mark.parametrize(("name", "width"), [("rtp-ir-ipv4", 3), ("udp-uor-2", 7), ("rtp-ir-marker", 3)])
def test_chance_is_that_of_the_crc(name: str, width: int) -> None:
    """The last packet of these vectors is UO-0, UOR-2 and UO-0: CRC-3 and CRC-7."""
    assert {one.chance for one in trials("CRC bits flipped", 1, [name])} == {2.0**-width}


def test_what_never_gets_to_its_crc_has_no_chance() -> None:
    """Cut to one octet: UO-0 without its UDP checksum."""
    (shortest, *_) = trials("truncated", 1, ["udp-uo-0-checksum"])
    assert (len(shortest.damaged), shortest.expected, shortest.chance) == (1, None, 0.0)


def test_repeated_packets_are_not_damaged() -> None:
    for one in tried_with("repeated"):
        assert one.what == "sent twice"
        assert one.damaged == one.vector.steps[len(one.before)].link


@pytest.mark.parametrize("kind", KINDS)
def test_how_many_may_come_out(kind: str) -> None:
    tried = DamageOutcome(chances=1.0)
    if kind in DETECTED:
        assert tried.allowed(kind) == 0
    elif kind in ("one bit flipped", "random octets"):
        assert tried.allowed(kind) == 5
    else:
        assert tried.allowed(kind) is None


# ---- what is made of what a decompressor does


def counted(kind: str = "one bit flipped", **changes: str) -> tuple[DamageOutcome, list[Trial]]:
    """A decompressor that agrees with the judge, but for verdicts such as `damaged="unexpected"` of the first trial
    that the judge refuses, `other="mismatched"` of the first that it delivers, `recovery="not_delivered"`."""
    group = trials(kind, 1, ["rtp-ir-ipv4", "add-cid"])
    refused = next(n for n, one in enumerate(group) if one.expected is None)
    taken = next((n for n, one in enumerate(group) if one.expected is not None), None)
    records: list[dict[str, Any]] = []
    for packet, (number, position, octets, _) in enumerate(damage._in_order(group)):
        behind = number - len(group[position].before)
        verdict = None
        if behind == 0 and position == refused:
            verdict = changes.get("damaged")
        if behind == 0 and position == taken:
            verdict = changes.get("other")
        if behind == 1 and position == refused:
            verdict = changes.get("recovery")
        if verdict is not None:
            records.append(record(packet, octets, verdict))
    tried = DamageOutcome()
    damage._count(tried, group, document(records))
    return tried, group


def test_who_agrees_with_the_judge_is_right() -> None:
    tried, group = counted()
    assert (tried.wrong, tried.not_recovered, tried.careful) == ([], [], 0)
    assert tried.trials == len(group)
    assert tried.refused == sum(one.expected is None for one in group)
    assert tried.chances == sum(one.chance for one in group)


def test_delivering_what_must_be_refused_is_wrong() -> None:
    tried, group = counted(damaged="unexpected")
    first = next(one for one in group if one.expected is None)
    assert tried.wrong == [
        f"{first.vector.name}, {first.what} ({first.damaged.hex()}): it is delivered, though it must be refused"
    ]


def test_delivering_something_else_is_wrong() -> None:
    tried, _ = counted("octets appended", other="mismatched")
    assert len(tried.wrong) == 1
    assert tried.wrong[0].endswith("it is delivered with other octets than the judge restores")


def test_refusing_more_than_the_judge_is_careful() -> None:
    tried, _ = counted("octets appended", other="not_delivered")
    assert (tried.wrong, tried.careful) == ([], 1)


@pytest.mark.parametrize(
    ("verdict", "wrong", "not_recovered"), [("not_delivered", 0, 1), ("mismatched", 1, 0), ("identical", 0, 0)]
)
def test_recovery(verdict: str, wrong: int, not_recovered: int) -> None:
    tried, _ = counted(recovery=verdict)
    assert (len(tried.wrong), len(tried.not_recovered)) == (wrong, not_recovered)
    if not_recovered:
        assert tried.not_recovered[0].endswith("the IR packet after it is not delivered (ERR_CRC)")
    if wrong:
        assert tried.wrong[0].endswith("the IR packet after it is delivered with other octets than the judge restores")


def test_attempt_goes_through_the_channels_that_are_declared(monkeypatch: pytest.MonkeyPatch) -> None:
    jobs: list[dict[str, Any]] = []

    def run(command: str, job: dict[str, Any], timeout_s: float, build: str) -> dict[str, Any]:
        jobs.append(job)
        return document([])  # the records are those of failures

    def require(name: str, role: str, channel: dict[str, Any], *_: Any, **__: Any) -> None:
        if channel["cids"] == "large":
            raise NotDeclared("The vendor does not declare cid large.")

    monkeypatch.setattr(engine, "run", run)
    monkeypatch.setattr(capabilities, "require", require)
    monkeypatch.setattr(capabilities, "channels_of", lambda name, channel, most: 7)
    monkeypatch.setattr(capabilities, "adapter", lambda name, channel, build: {"library": name, "config": channel})
    monkeypatch.setattr(capabilities, "profiles_of", lambda name: ["0x0000", "0x0001", "0x0002", "0x0004"])
    monkeypatch.setattr(damage, "load", lambda: {n: all_vectors()[n] for n in ("add-cid", "large-cid-100")})
    tried = damage.attempt("one bit flipped", "vendor", "", 1)
    assert tried.wrong == tried.not_recovered == []
    assert 0 < tried.trials == sum(job["decompressor"]["config"]["channels"] for job in jobs)
    assert {job["decompressor"]["config"]["cids"] for job in jobs} == {"small"}
    assert max(job["decompressor"]["config"]["channels"] for job in jobs) == 7
