# SPDX-License-Identifier: Apache-2.0
"""What a link did to messages, and what that excuses."""

from __future__ import annotations

from typing import Any

import pytest

from headroom.schemes.sigcomp import loss_attribution

CAME = {"from": "a", "compartment": 1, "verdict": "identical", "link": {"fate": "delivered"}}
LOST = {"from": "a", "compartment": 1, "verdict": "lost_on_link", "link": {"fate": "loss"}}


def fails(time_ns: int = 0, nacks: tuple[dict[str, Any], ...] = (), **more: Any) -> dict[str, Any]:
    arrival = {"status": "ERR_DECOMPRESSION", "reason_name": "STATE_NOT_FOUND", "time_ns": time_ns, "nacks": nacks}
    return CAME | {"verdict": "not_delivered", "time_ns": time_ns, "arrivals": [arrival]} | more


ARRIVED = {"octets": "f8", "arrived": {"kind": "nack"}, "link": {"fate": "delivered"}}
ON_ITS_WAY = {"octets": "f8", "link": {"fate": "loss"}}
LATE = ARRIVED | {"link": {"fate": "delivered", "held": True}}


def test_what_the_link_says_counts() -> None:
    assert loss_attribution.is_lost(LOST) and loss_attribution.is_harmed(LOST) and not loss_attribution.is_harmed(CAME)
    assert loss_attribution.is_harmed(CAME | {"link": {"fate": "delivered", "held": True}})
    assert not loss_attribution.is_harmed(CAME | {"link": {"fate": "delivered", "duplicated": True}}), (
        "twice does no harm"
    )
    assert loss_attribution.wrong([CAME, LOST]) == []
    said_to_be_lost = LOST | {"link": {"fate": "delivered"}}
    assert loss_attribution.wrong([said_to_be_lost]) == [said_to_be_lost]


def test_a_damaged_message_need_not_come_out() -> None:
    damaged = CAME | {"verdict": "not_delivered", "link": {"fate": "delivered", "flipped": [3]}}
    assert loss_attribution.wrong([damaged]) == []
    assert loss_attribution.wrong([damaged | {"verdict": "mismatched"}])


@pytest.mark.parametrize("other", [{"from": "b"}, {"compartment": 2}])
def test_state_is_missed_by_whom_it_was_for(other: dict[str, Any]) -> None:
    assert loss_attribution.wrong([LOST, fails()]) == []
    assert len(loss_attribution.wrong([LOST | other, fails()])) == 1


@pytest.mark.parametrize(("nack", "excused"), [(ARRIVED, 1), (ON_ITS_WAY, 3), (LATE, 3)])
def test_a_sender_that_was_told_knows(nack: dict[str, Any], excused: int) -> None:
    failures = [fails(time_ns, (nack,)) for time_ns in (10, 20, 30)]
    assert len(loss_attribution.wrong([LOST, *failures])) == 3 - excused
    assert loss_attribution.wrong([LOST, failures[0], LOST, failures[1]]) == [], "each loss is an excuse by itself"


def test_a_nack_takes_its_time() -> None:
    failures = [fails(time_ns, (ARRIVED,)) for time_ns in (10, 20, 30)]
    assert len(loss_attribution.wrong([LOST, *failures], back_ns=15)) == 1
    assert loss_attribution.wrong([LOST, *failures], back_ns=None) == []


def test_messages_that_nobody_sent_are_not_asked_about() -> None:
    assert loss_attribution.wrong([{"to": "b", "verdict": "unchecked"}]) == []


def test_silence() -> None:
    assert (
        loss_attribution.silent([CAME, CAME | {"from": "b"}])
        == loss_attribution.silent([])
        == loss_attribution.silent([LOST])
        == []
    )
    assert loss_attribution.silent([LOST, fails(), fails()]) == []
    found = loss_attribution.silent([LOST, fails(), fails(), fails()])
    assert found == [("b", "understands none of the 3 messages that the link delivers to it")]
    plain = CAME | {"plain": True}
    assert loss_attribution.silent([plain, plain]) == [("a", "compresses none of its 2 messages")]
    assert loss_attribution.silent([plain, CAME]) == []
