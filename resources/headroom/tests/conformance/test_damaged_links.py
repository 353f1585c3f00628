# SPDX-License-Identifier: Apache-2.0
"""Wrong bits in ROHC headers: why more of them go unnoticed than the CRC of the packet that was sent would let pass."""

from __future__ import annotations

import copy

import pytest

from headroom.core import replay_options
from headroom.core.damaged_links import flipped
from headroom.core.implementations import find
from headroom.core.run.run import Run
from headroom.core.settings import Settings
from headroom.schemes.rohc.conformance import arrivals
from headroom.schemes.rohc.conformance.observation import Observation, observe
from headroom.schemes.rohc.damaged_links import LINK
from headroom.schemes.rohc.judge import CrcMismatch, Decompressor
from headroom.schemes.rohc.scheme import SCHEME


def observed(source: str, seed: int, **named: str) -> Observation:
    run = Run(find("reference"), find("reference"), Settings(seed=seed))
    return observe(replay_options.config_of(SCHEME, source, named, run))


@pytest.mark.engine
def test_in_r_mode_one_wrong_bit_makes_of_uor_2_a_packet_without_crc(real_build: str) -> None:
    seen = observed("voip-amr-nb-ipv4-silence", 1, packets="400", mode="R")
    judge, wrong, refused = Decompressor(seen.parameters), [], []
    for one in arrivals.in_order(seen):
        if one.seen.kind.startswith("UOR-2"):
            outcome = copy.deepcopy(judge).decompress(flipped(one.octets, [1]))  # 110 becomes 100
            if outcome.delivered is None:
                refused.append(outcome.error)
            elif outcome.delivered != one.seen.original and outcome.packet is not None:
                wrong.append(outcome.packet.kind)
        judge.decompress(one.octets)
    assert wrong and all(kind.startswith("R-1") and arrivals.width_of(kind) == 0 for kind in wrong)
    assert not any(isinstance(error, CrcMismatch) for error in refused), "by their length, if at all"


@pytest.mark.engine
def test_what_follows_in_a_spoilt_context_is_no_further_chance(real_build: str) -> None:
    """A CRC is linear: one missed difference in the context is missed in packet after packet."""
    seen = observed("tcp-acknowledgements", 2, **{**LINK, "mode": "O", "profiles": "0x0000,0x0006"})
    balance = arrivals.balance(seen)
    assert balance.following > 10
    assert balance.wrong - balance.following < 10
    assert balance.wrong <= balance.allowed
