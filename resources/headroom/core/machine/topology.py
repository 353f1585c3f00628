# SPDX-License-Identifier: Apache-2.0
"""The processor's cores, their siblings and caches, and the CPU configurations that measurements run on.

Source: /sys/devices/system/cpu (Linux, Documentation/ABI/testing/sysfs-devices-system-cpu) and the scheduler's affinity
mask.
"""

import os
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from headroom.core.errors import UsageError

SYS_CPU = Path("/sys/devices/system/cpu")


@dataclass(frozen=True)
class Cpu:
    """A logical CPU that may be used."""

    number: int
    core: int  # core_id: unique within the package
    package: int
    siblings: frozenset[int]  # logical CPUs of the same physical core, including this one
    last_level_cache: frozenset[int]  # logical CPUs that share the cache of the highest level; empty: unknown
    cache_level: int = 0
    capacity: int = 1024  # relative speed of the core's kind; 1024 is the fastest (cpu_capacity)
    isolated: bool = False


@dataclass(frozen=True)
class Topology:
    """Usable CPU configurations, and unusable ones with the reason."""

    cpus: tuple[Cpu, ...]
    excluded: dict[int, str] = field(default_factory=dict)

    @property
    def physical_cores(self) -> list[Cpu]:
        """The preferred CPU of each physical core, in the order in which measurements should take them (see
        `_preference`).
        """
        cores: dict[tuple[int, int], list[Cpu]] = {}
        for cpu in self.cpus:
            cores.setdefault((cpu.package, cpu.core), []).append(cpu)
        return sorted((min(core, key=_preference) for core in cores.values()), key=_preference)

    def cpu(self, number: int) -> Cpu:
        return next(cpu for cpu in self.cpus if cpu.number == number)


@dataclass(frozen=True)
class CpuConfiguration:
    """The CPUs that do the work. `cpus` is empty if this machine lacks the configuration, and `reason` tells why."""

    name: str
    description: str
    cpus: tuple[int, ...] = ()
    reason: str = ""

    @property
    def is_available(self) -> bool:
        return bool(self.cpus)


def parse_list(text: str) -> set[int]:
    """The CPU numbers of a kernel list such as `0-3,8`. Raises ValueError on anything else."""
    numbers: set[int] = set()
    for part in filter(None, (piece.strip() for piece in text.strip().split(","))):
        match = re.fullmatch(r"(\d+)(?:-(\d+))?", part)
        if not match:
            raise ValueError(f"'{part}' is not a CPU number or range")
        first, last = int(match[1]), int(match[2] or match[1])
        numbers.update(range(first, last + 1))
    return numbers


def read(root: Path = SYS_CPU, allowed: Iterable[int] | None = None) -> Topology:
    """Reads the topology below `root`. `allowed` is the affinity mask, by default the calling process's own."""
    mask = set(os.sched_getaffinity(0)) if allowed is None else set(allowed)
    present = {int(path.name[3:]) for path in root.glob("cpu[0-9]*") if path.name[3:].isdigit()}
    online = _list(root / "online") or present or mask
    isolated = _list(root / "isolated")
    excluded = dict.fromkeys(present - online, "offline")
    excluded |= dict.fromkeys(online - mask, "outside the affinity mask (taskset, cgroup or container limit)")
    usable = sorted(online & mask)
    return Topology(tuple(_cpu(root, number, isolated) for number in usable), dict(sorted(excluded.items())))


def _cpu(root: Path, number: int, isolated: set[int]) -> Cpu:
    folder = root / f"cpu{number}"
    topology = folder / "topology"
    siblings = _list(topology / "thread_siblings_list") or _list(topology / "core_cpus_list") or {number}
    cache, level = _last_level_cache(folder / "cache")
    return Cpu(
        number=number,
        core=_number(topology / "core_id", number),
        package=_number(topology / "physical_package_id", 0),
        siblings=frozenset(siblings | {number}),
        last_level_cache=frozenset(cache),
        cache_level=level,
        capacity=_number(folder / "cpu_capacity", _number(folder / "acpi_cppc" / "highest_perf", 1024)),
        isolated=number in isolated,
    )


def _last_level_cache(folder: Path) -> tuple[set[int], int]:
    best: tuple[int, set[int]] = (0, set())
    for index in folder.glob("index[0-9]*"):
        if _text(index / "type") == "Instruction":
            continue
        level = _number(index / "level", 0)
        if level > best[0]:
            best = (level, _list(index / "shared_cpu_list"))
    return best[1], best[0]


def _preference(cpu: Cpu) -> tuple[bool, int, bool, int]:
    """A sort key: isolated cores first, fast kinds before slow ones, CPU 0 last because it takes most interrupts and
    runs the harness.
    """
    return (not cpu.isolated, -cpu.capacity, cpu.number == 0, cpu.number)


def configurations(topology: Topology) -> list[CpuConfiguration]:
    """Every CPU configuration that is defined for the machine, including those that it lacks, with the reason."""
    cores = topology.physical_cores
    fastest = [core for core in cores if core.capacity == cores[0].capacity] if cores else []
    result = [_one(cores), _siblings(topology, cores), _same_cache(fastest), _two_packages(fastest)]
    result += [_many(count, cores) for count in range(3, max(len(cores), 4) + 1)]
    return result


def _one(cores: list[Cpu]) -> CpuConfiguration:
    cpus = (cores[0].number,) if cores else ()
    return CpuConfiguration("1c", "one core", cpus, "" if cpus else "no CPU may be used")


def _siblings(topology: Topology, cores: list[Cpu]) -> CpuConfiguration:
    name, description = "2c-smt", "two hardware threads of one core"
    usable = {cpu.number for cpu in topology.cpus}
    for core in cores:
        pair = sorted(core.siblings & usable)
        if len(pair) >= 2:
            return CpuConfiguration(name, description, tuple(pair[:2]))
    if any(len(core.siblings) > 1 for core in cores):
        return CpuConfiguration(
            name, description, reason="a core's second hardware thread is offline or may not be used"
        )
    return CpuConfiguration(name, description, reason="no core shows a second hardware thread (SMT is absent or off)")


def _same_cache(cores: list[Cpu]) -> CpuConfiguration:
    name, description = "2c-l3", "two cores that share the last-level cache"
    for index, first in enumerate(cores):
        for second in cores[index + 1 :]:
            if second.number in first.last_level_cache:
                return CpuConfiguration(name, f"{description} (L{first.cache_level})", (first.number, second.number))
    if len(cores) < 2:
        return CpuConfiguration(name, description, reason="only one core of the fastest kind may be used")
    if not any(core.last_level_cache for core in cores):
        return CpuConfiguration(name, description, reason="the machine does not say which cores share a cache")
    return CpuConfiguration(name, description, reason="no two usable cores share a last-level cache")


def _two_packages(cores: list[Cpu]) -> CpuConfiguration:
    name, description = "2c-socket", "two cores in different sockets"
    for first in cores[:1]:
        for second in cores:
            if second.package != first.package:
                return CpuConfiguration(name, description, (first.number, second.number))
    return CpuConfiguration(name, description, reason="all usable cores are in one socket")


def _many(count: int, cores: list[Cpu]) -> CpuConfiguration:
    name, description = f"{count}c", f"{count} cores"
    if len(cores) < count:
        have = "one core" if len(cores) == 1 else f"{len(cores)} cores"
        return CpuConfiguration(name, description, reason=f"only {have} may be used")
    # Neighbours first: cores around one cache before those of the next, sockets one after the other.
    first = cores[0]

    def distance(core: Cpu) -> tuple[object, ...]:
        near = core.number in first.last_level_cache
        cache = min(core.last_level_cache, default=core.number)
        return (-core.capacity, core.package != first.package, core.package, not near, cache, _preference(core))

    chosen = sorted(cores, key=distance)[:count]
    kinds = {core.capacity for core in chosen}
    note = " of different speeds" if len(kinds) > 1 else ""
    return CpuConfiguration(name, description + note, tuple(sorted(core.number for core in chosen)))


def resolve(names: Iterable[str], available: list[CpuConfiguration]) -> list[CpuConfiguration]:
    """The configurations of some names, in the order given. Raises UsageError for an unknown name."""
    by_name = {configuration.name: configuration for configuration in available}
    result = []
    for name in names:
        configuration_known = by_name.get(name)
        if configuration_known is None and (match := re.fullmatch(r"(\d+)c", name)) and int(match[1]) > 0:
            configuration_known = CpuConfiguration(name, f"{match[1]} cores", reason="this machine has fewer cores")
        if configuration_known is None:
            raise UsageError(f"'{name}' is not a CPU configuration. Known here: {', '.join(by_name)}.")
        if configuration_known not in result:
            result.append(configuration_known)
    return result


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="ascii", errors="replace").strip()
    except OSError:
        return ""


def _number(path: Path, default: int) -> int:
    try:
        return int(_text(path))
    except ValueError:
        return default


def _list(path: Path) -> set[int]:
    try:
        return parse_list(_text(path))
    except ValueError:
        return set()
