# SPDX-License-Identifier: Apache-2.0
"""What is found wrong with an endpoint that lets hostile bytecode do what it likes."""

from __future__ import annotations

from dataclasses import replace

from headroom.conformance import endpoint_cases
from headroom.conformance.endpoint_cases import as_seen, judged
from headroom.conformance.hostile_messages import (
    REFUSED,
    Cost,
    Siege,
    costs_too_much,
    cycles_granted,
    faults,
    grows,
    siege_faults,
)
from headroom.oracle.sigcomp.endpoint import Offer

JUMP = endpoint_cases.case("hostile", "jump")
OCTETS = JUMP.steps[0].octets
HONEST = as_seen(judged(JUMP)[0], OCTETS, 2)


def cost(work: int = 1000, endless: int = 1, memory: int = 100, **wrong: object) -> Cost:
    statistics = {"work": work, "endless": endless, "refused": {}, "memory_bytes": memory}
    return Cost((OCTETS,), (replace(HONEST, **wrong),), statistics)  # type: ignore[arg-type]


def test_an_honest_failure_is_right_both_ways() -> None:
    assert faults(JUMP, cost(), exactly=True) == faults(JUMP, cost(), exactly=False) == []


def test_another_reason_another_place_and_no_failure() -> None:
    for exactly in (True, False):
        assert faults(JUMP, cost(reason=4), exactly)
        assert faults(JUMP, cost(kind="sigcomp", output=b"x"), exactly)
    assert faults(JUMP, cost(pc=200), exactly=True)
    assert faults(JUMP, cost(pc=200), exactly=False) == []


def test_more_cycles_than_there_are() -> None:
    most = cycles_granted(OCTETS, Offer())
    assert most == (1000 + 8 * len(OCTETS)) * 16
    assert judged(JUMP)[0].run.beyond == 1, "a jump is what did not fit"
    assert faults(JUMP, cost(cycles=most + 1), exactly=False) == []
    assert faults(JUMP, cost(cycles=most + 2), exactly=False)
    memset = endpoint_cases.case("hostile", "memset")
    assert judged(memset)[0].run.beyond > 1000


def test_work_and_proof() -> None:
    assert costs_too_much(JUMP, cost(), seen_through=True) == []
    assert costs_too_much(JUMP, cost(endless=0), seen_through=True)
    assert costs_too_much(JUMP, cost(), seen_through=False)
    assert costs_too_much(JUMP, cost(work=200_000), seen_through=True)
    assert costs_too_much(JUMP, cost(work=200_000, endless=0), seen_through=False) == []
    assert costs_too_much(JUMP, cost(work=1_000_000, endless=0), seen_through=False)


def test_memory_that_grows() -> None:
    assert grows(cost(memory=100), cost(memory=100)) == []
    assert grows(cost(memory=100), cost(memory=101))


def test_a_siege() -> None:
    statistics = {"refused": {"work": 2, "failures": 0}}
    good = Siege(("ERR_DECOMPRESSION", REFUSED, REFUSED), ("OK",) * 3, "ERR_DECOMPRESSION", statistics)
    assert siege_faults(good, "work") == []
    assert siege_faults(good, "failures")
    assert siege_faults(replace(good, attacks=(REFUSED,) * 2 + ("ERR_DECOMPRESSION",)), "work")
    assert siege_faults(replace(good, attacks=("ERR_DECOMPRESSION",) * 3, statistics={"refused": {"work": 0}}), "work")
    assert siege_faults(replace(good, others=("OK", REFUSED, "OK")), "work")
    assert siege_faults(replace(good, later=REFUSED), "work")
