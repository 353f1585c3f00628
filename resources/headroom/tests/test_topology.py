# SPDX-License-Identifier: Apache-2.0
"""The topology as sysfs shows it, on machines that a fixture tree describes."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import pytest

from headroom.core.errors import UsageError
from headroom.core.machine import topology
from headroom.testbed import doctor


@dataclass
class Machine:
    """A machine to write as a sysfs tree: for each CPU (package, core, last-level cache group)."""

    cpus: list[tuple[int, int, str]]
    offline: set[int] = field(default_factory=set)
    capacities: dict[int, int] = field(default_factory=dict)
    cache_level: int = 3
    isolated: str = ""

    def write(self, root: Path) -> Path:
        def put(path: Path, text: str) -> None:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text + "\n")

        online = [number for number in range(len(self.cpus)) if number not in self.offline]
        put(root / "online", ",".join(map(str, online)))
        put(root / "isolated", self.isolated)
        for number, (package, core, cache) in enumerate(self.cpus):
            folder = root / f"cpu{number}"
            folder.mkdir(parents=True)
            if number in self.offline:
                continue  # The kernel takes the topology folder of an offline CPU away.
            same = [n for n in online if self.cpus[n][:2] == (package, core)]
            put(folder / "topology" / "core_id", str(core))
            put(folder / "topology" / "physical_package_id", str(package))
            put(folder / "topology" / "thread_siblings_list", ",".join(map(str, same)))
            if number in self.capacities:
                put(folder / "cpu_capacity", str(self.capacities[number]))
            put(folder / "cache" / "index0" / "level", "1")
            put(folder / "cache" / "index0" / "type", "Data")
            put(folder / "cache" / "index0" / "shared_cpu_list", ",".join(map(str, same)))
            if cache:
                shared = [n for n in online if self.cpus[n][2] == cache]
                put(folder / "cache" / "index3" / "level", str(self.cache_level))
                put(folder / "cache" / "index3" / "type", "Unified")
                put(folder / "cache" / "index3" / "shared_cpu_list", ",".join(map(str, shared)))
        return root


def by_name(tmp_path: Path, machine: Machine, allowed: set[int] | None = None) -> dict[str, topology.CpuConfiguration]:
    mask = set(range(len(machine.cpus))) if allowed is None else allowed
    found = topology.read(machine.write(tmp_path / "cpu"), mask)
    return {configuration.name: configuration for configuration in topology.configurations(found)}


ONE = Machine([(0, 0, "a")])
TWO_CORES = Machine([(0, 0, "a"), (0, 1, "a")])
SMT = Machine([(0, 0, "a"), (0, 1, "a"), (0, 0, "a"), (0, 1, "a")])
TWO_SOCKETS = Machine([(0, 0, "a"), (0, 1, "a"), (1, 0, "b"), (1, 1, "b")])
THREE_CACHES = Machine([(0, n, "abc"[n // 2]) for n in range(6)])
HYBRID = Machine(
    [(0, 0, "a"), (0, 0, "a"), (0, 1, "a"), (0, 1, "a"), (0, 2, "a"), (0, 3, "a")],
    capacities={0: 1024, 1: 1024, 2: 1024, 3: 1024, 4: 600, 5: 600},
)


def test_kernel_lists() -> None:
    assert topology.parse_list("0-3,8, 10-11\n") == {0, 1, 2, 3, 8, 10, 11}
    assert topology.parse_list("") == set()
    with pytest.raises(ValueError, match="'x'"):
        topology.parse_list("0,x")


def test_one_cpu(tmp_path: Path) -> None:
    found = by_name(tmp_path, ONE)
    assert found["1c"].cpus == (0,)
    assert "second hardware thread" in found["2c-smt"].reason
    assert "only one core" in found["2c-l3"].reason
    assert "one socket" in found["2c-socket"].reason
    assert found["3c"].reason == "only one core may be used"


def test_two_cores_share_a_cache(tmp_path: Path) -> None:
    found = by_name(tmp_path, TWO_CORES)
    assert found["1c"].cpus == (1,), "CPU 0 takes the interrupts, so a single core is another one"
    assert found["2c-l3"].cpus == (1, 0)
    assert not found["2c-smt"].is_available
    assert list(found) == ["1c", "2c-smt", "2c-l3", "2c-socket", "3c", "4c"]


def test_siblings_are_one_core(tmp_path: Path) -> None:
    found = by_name(tmp_path, SMT)
    assert found["2c-smt"].cpus == (1, 3)
    first, second = found["2c-l3"].cpus
    assert {first % 2, second % 2} == {0, 1}, "two cores, not two threads of one"
    assert "only 2 cores" in found["3c"].reason


def test_sibling_outside_the_affinity_mask(tmp_path: Path) -> None:
    found = by_name(tmp_path, SMT, allowed={0, 1})
    assert "offline or may not be used" in found["2c-smt"].reason
    assert set(found["2c-l3"].cpus) == {0, 1}


def test_two_sockets(tmp_path: Path) -> None:
    found = by_name(tmp_path, TWO_SOCKETS)
    assert found["1c"].cpus == (1,)
    assert found["2c-socket"].cpus == (1, 2)
    assert found["2c-l3"].cpus == (2, 3) or found["2c-l3"].cpus == (1, 0)
    assert found["4c"].cpus == (0, 1, 2, 3)
    assert len(found["3c"].cpus) == 3


def test_several_caches_in_one_socket(tmp_path: Path) -> None:
    found = by_name(tmp_path, THREE_CACHES)
    assert set(found["2c-l3"].cpus) == {0, 1}
    assert found["3c"].cpus[:2] == (0, 1), "the cores around one cache come first"
    assert found["6c"].cpus == (0, 1, 2, 3, 4, 5)


def test_last_level_may_be_the_second(tmp_path: Path) -> None:
    machine = Machine([(0, 0, "a"), (0, 1, "a")], cache_level=2)
    assert "(L2)" in by_name(tmp_path, machine)["2c-l3"].description


def test_the_doctor_says_who_shares_a_cache(tmp_path: Path) -> None:
    machine = Machine([(0, 0, "a"), (0, 1, "a"), (0, 2, "b")])
    shown = doctor.caches(topology.read(machine.write(tmp_path / "cpu"), {0, 1, 2})).value
    assert shown == "CPUs 0-1 share the L3; CPU 2 has its own L3"


def test_no_word_about_caches(tmp_path: Path) -> None:
    found = by_name(tmp_path, Machine([(0, 0, ""), (0, 1, "")]))
    # The first-level cache is there but private: no pair shares a cache.
    assert "share" in found["2c-l3"].reason


def test_hybrid_takes_fast_cores_first(tmp_path: Path) -> None:
    found = by_name(tmp_path, HYBRID)
    assert set(found["2c-l3"].cpus) <= {0, 1, 2, 3}
    assert found["1c"].cpus[0] in (1, 2, 3)
    assert "of different speeds" in found["3c"].description
    assert {4, 5} <= set(found["4c"].cpus)


def test_offline_and_forbidden_cpus_are_named(tmp_path: Path) -> None:
    machine = Machine([(0, n, "a") for n in range(4)], offline={3})
    found = topology.read(machine.write(tmp_path / "cpu"), {0, 1})
    assert [cpu.number for cpu in found.cpus] == [0, 1]
    assert found.excluded[3] == "offline"
    assert "affinity mask" in found.excluded[2]


def test_isolated_cores_come_first(tmp_path: Path) -> None:
    machine = Machine([(0, n, "a") for n in range(4)], isolated="3")
    assert by_name(tmp_path, machine)["1c"].cpus == (3,)


def test_empty_tree_falls_back_to_the_mask(tmp_path: Path) -> None:
    found = topology.read(tmp_path, {0, 5})
    assert [cpu.number for cpu in found.cpus] == [0, 5]
    assert topology.configurations(found)[0].cpus == (5,)


def test_resolve(tmp_path: Path) -> None:
    available = list(by_name(tmp_path, TWO_CORES).values())
    chosen = topology.resolve(["2c-l3", "1c", "2c-l3", "12c"], available)
    assert [c.name for c in chosen] == ["2c-l3", "1c", "12c"]
    assert chosen[2].reason == "this machine has fewer cores"
    with pytest.raises(UsageError, match="'2c-l9' is not a CPU configuration"):
        topology.resolve(["2c-l9"], available)


def test_this_machine_can_be_read() -> None:
    found = topology.read()
    assert found.cpus
    assert topology.configurations(found)[0].is_available
