# SPDX-License-Identifier: Apache-2.0
"""What is found wrong with an endpoint that lets hostile bytecode do what it likes."""

from __future__ import annotations

from dataclasses import replace

from headroom.schemes.sigcomp.conformance import endpoint_cases
from headroom.schemes.sigcomp.conformance.endpoint_cases import as_seen, judged
from headroom.schemes.sigcomp.conformance.hostile_messages import (
    REFUSED,
    Cost,
    Siege,
    costs_too_much,
    cycles_granted,
    elsewhere,
    faults,
    grows,
    siege_faults,
    takes_too_long,
)
from headroom.schemes.sigcomp.judge.endpoint import Offer
from headroom.schemes.sigcomp.judge.reasons import Reason

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
        assert faults(JUMP, cost(kind="compressed", output=b"x"), exactly)
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


def test_the_place_is_the_same_with_the_guard_and_without() -> None:
    off = cost(reason=Reason.CYCLES_EXHAUSTED, cycles=1000)
    assert elsewhere(off, off, seen_through=True) == []
    moved = cost(reason=Reason.CYCLES_EXHAUSTED, cycles=1000, pc=200)
    assert elsewhere(moved, off, seen_through=False) and elsewhere(moved, off, seen_through=True)
    cut_short = cost(reason=Reason.CYCLES_EXHAUSTED, cycles=900, pc=200)
    assert elsewhere(cut_short, off, seen_through=False) == [], "its budget was used up first"
    assert "fails at 200 (opcode" in elsewhere(cut_short, off, seen_through=True)[0]
    other = cost(reason=4, cycles=900, opcode=7)
    assert elsewhere(other, off, seen_through=False), "no budget ends a message with another reason"


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


def test_memory_that_grows_without_a_word() -> None:
    """The statistics of such an endpoint always tell the same."""
    often = replace(cost(memory=0), octets=(OCTETS,) * 50)
    once_only = (4096,) * 50
    assert grows(often, replace(often, heap=once_only, resident=once_only)) == [], "what the first message took"
    doubled = (512,) * 40 + (900,) * 10
    assert grows(often, replace(often, heap=doubled)) == [], "a list that has grown"
    leaks = tuple(48 * number for number in range(1, 51))
    assert grows(often, replace(often, heap=leaks)) == ["25 messages leave 1200 octets in the heap, whatever the "
                                                        "statistics say"]  # fmt: skip
    pages = tuple((128 << 10) * number for number in range(1, 51))
    assert "in the memory of the process" in grows(often, replace(often, resident=pages))[0]
    assert grows(often, replace(often, heap=leaks[:1])) == [], "one message tells nothing"


def test_fewer_than_filled_a_core_in_2005() -> None:
    often = replace(cost(), octets=(OCTETS,) * 50)
    slow = tuple(126_000_000 * number for number in range(1, 51))
    assert takes_too_long(replace(often, processor_ns=tuple(124_000_000 * n for n in range(1, 51)))) == []
    assert takes_too_long(replace(often, processor_ns=slow)) == [
        "each takes 126 ms of a processor: 7.9 a second fill a core, and 8 did in 2005 (maenpaa-2005, 11.7)"
    ]
    assert takes_too_long(replace(often, processor_ns=(10**10,) * 50)) == [], "the first took it"


def test_a_siege() -> None:
    statistics = {"refused": {"work": 2, "failures": 0}}
    good = Siege(("ERR_DECOMPRESSION", REFUSED, REFUSED), ("OK",) * 3, "ERR_DECOMPRESSION", statistics)
    assert siege_faults(good, "work") == []
    assert siege_faults(good, "failures")
    assert siege_faults(replace(good, attacks=(REFUSED,) * 2 + ("ERR_DECOMPRESSION",)), "work")
    assert siege_faults(replace(good, attacks=("ERR_DECOMPRESSION",) * 3, statistics={"refused": {"work": 0}}), "work")
    assert siege_faults(replace(good, others=("OK", REFUSED, "OK")), "work")
    assert siege_faults(replace(good, later=REFUSED), "work")
