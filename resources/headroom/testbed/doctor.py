# SPDX-License-Identifier: Apache-2.0
"""Checks of this machine: the parts that it has and lacks, the cost of each lack, and how to install it."""

import os
import re
import shutil
import subprocess
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Literal

from headroom.core import sandbox
from headroom.core.errors import EnvironmentLacks
from headroom.core.machine import environment, procstat, topology

Status = Literal["good", "lacking", "note"]


@dataclass(frozen=True)
class Check:
    """A line of `doctor`.

    `cost` is the cost of the lack, `remedy` the way to end it; both are empty if nothing is missing.
    """

    name: str
    status: Status
    value: str
    cost: str = ""
    remedy: str = ""

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


# The cost of a lack, and the way to end it, by the name of the check.
ADVICE = {
    "compiler": ("nothing can be built, so nothing can be measured", "apt-get install g++"),
    "clang": ("no sanitized tests, no fuzzing, no clang builds to compare", "apt-get install clang"),
    "cmake": ("nothing can be built", "apt-get install cmake"),
    "ninja": ("nothing can be built", "apt-get install ninja-build"),
    "32-bit builds": (
        "no gcc-m32-O2 in the comparison of builds (the Effnet paper's Figure 6)",
        "apt-get install g++-multilib",
    ),
    "tshark": ("no second judge of link captures; those cases are unsupported", "apt-get install tshark"),
    "browser": ("the report's browser test cannot run (./headroom test)", "apt-get install chromium"),
    "DPDK": (
        "the engine has no ports: no node, link or generator on interfaces",
        "apt-get install libdpdk-dev pkg-config",
    ),
    "TRex": (
        "no --generator trex: on interfaces the engine's own generator sends",
        "unpack or build TRex and set TREX_ROOT to its folder",
    ),
    "cores": ("no scaling over cores; the harness shares its core with what it measures", "more cores"),
    "last-level cache": (
        "2c-l3 does not differ from other pairs of cores",
        "a hypervisor that passes CPUID's cache leaves",
    ),
    "SMT siblings": ("2c-smt is skipped", ""),
    "governor": (
        "the clock follows the load, so ns per operation fall as load grows",
        "cpupower frequency-set -g performance",
    ),
    "isolated CPUs": ("other processes may disturb a trial (it is then repeated)", "boot with isolcpus=… nohz_full=…"),
    "hugepages": ("DPDK on real NICs needs them; topology process needs none", "sysctl vm.nr_hugepages=1024"),
    "transparent hugepages": (
        "large context tables meet more TLB misses, so figures beyond the caches are lower",
        "echo madvise > /sys/kernel/mm/transparent_hugepage/enabled",
    ),
    "clock": (
        "times per operation are less exact, and reading the clock is slower",
        "boot with clocksource=tsc where the CPU allows it",
    ),
    "sandbox": (
        "other people's code can end and watch other processes, and without Landlock change files of this user",
        "apt-get install bubblewrap",
    ),
    "memory": ("large numbers of flows do not fit", "2 GiB or more"),
    "steal": (
        "the hypervisor gives this machine's time to other guests: ticks are missed for that reason alone",
        "a dedicated host",
    ),
    "quiet": ("other work shares the cores; trials spread and are repeated", "end other programs while measuring"),
}


def lacking(name: str, value: str, status: Status = "lacking") -> Check:
    return Check(name, status, value, *ADVICE[name])


def checks(steal_seconds: float = 0.3) -> list[Check]:
    """All checks, those of programs first. Takes `steal_seconds` and a little more."""
    before = procstat.read()
    began = time.monotonic()
    machine = topology.read()
    seen = environment.read()
    result = [
        program("compiler", "g++"),
        program("clang", "clang++"),
        program("cmake", "cmake"),
        program("ninja", "ninja"),
        multilib(),
        program("tshark", "tshark"),
        browser(),
        walls(),
        *others(),
        namespaces(),
        dpdk(),
        docker(),
        trex(),
        cores(machine),
        caches(machine),
        smt(machine),
        frequency(seen.governor),
        isolated(seen.isolated_cpus),
        huge_pages(seen.hugepages),
        transparent_huge_pages(seen.transparent_hugepages),
        clock(seen.clock_source),
        memory(seen.memory_bytes),
    ]
    time.sleep(max(0.0, steal_seconds - (time.monotonic() - began)))
    result.append(steal(before, procstat.read(), {cpu.number for cpu in machine.cpus}))
    result.append(quiet(environment.load_average(), len(machine.cpus)))
    return result


def program(name: str, command: str) -> Check:
    """A check that a program is installed, with the first line of its version."""
    if shutil.which(command) is None:
        return lacking(name, f"{command} is not installed")
    return Check(name, "good", first_line((command, "--version")) or command)


def first_line(command: tuple[str, ...], only_good: bool = False) -> str:
    """The first line that a program prints; "" if it does not run or, with `only_good`, if it ends with an error."""
    try:
        process = subprocess.run(command, capture_output=True, text=True, timeout=20, errors="replace")
    except (OSError, subprocess.SubprocessError):
        return ""
    if only_good and process.returncode != 0:
        return ""
    return next((line.strip() for line in (process.stdout or process.stderr).splitlines() if line.strip()), "")


def multilib() -> Check:
    if list(Path("/usr/lib/gcc").glob("*/*/32/libstdc++.a")):
        return Check("32-bit builds", "good", "g++ -m32 has its library")
    return lacking("32-bit builds", "g++ -m32 has no library")


BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")


def find_browser() -> tuple[str, str] | None:
    """The path and version of a Chromium that runs. Some distributions ship a script that only asks for another
    package.
    """
    for name in BROWSERS:
        path = shutil.which(name)
        if path and "Chrom" in (version := first_line((path, "--version"), only_good=True)):
            return path, version
    return None


def browser() -> Check:
    program = find_browser()
    return Check("browser", "good", program[1]) if program else lacking("browser", "no Chromium that runs")


def others() -> list[Check]:
    """External libraries that an adapter of ours opens at run time, one check each."""
    from headroom.core import implementations
    from headroom.core.errors import HeadroomError
    from headroom.core.machine import libraries

    lines = []
    for name in implementations.names():
        try:
            implementation = implementations.find(name)
        except HeadroomError:
            continue  # `list implementations` reports the error
        if implementation.requires is None:
            continue
        here = libraries.look_for(implementation.requires)
        if here.reason:
            cost = f"{name} cannot be tested, alone or against another"
            lines.append(Check(name, "lacking", here.reason, cost, implementation.obtain.strip()))
        else:
            lines.append(Check(name, "good", f"{here.version} in {here.path}" if here.version else here.path))
    return lines


def namespaces() -> Check:
    """Checks that a network namespace with a veth pair can be made: makes one, and removes it."""
    from headroom.testbed import netns

    cost = "no --topology netns: nodes, link and generator cannot be measured on this machine's own interfaces"
    if reason := netns.probe():
        lack, _, remedy = reason.partition(": ")
        return Check("network namespaces", "lacking", lack, cost, remedy)
    return Check("network namespaces", "good", "root, ip and veth pairs")


def walls() -> Check:
    """Checks the sandbox around other people's code."""
    in_force = f"{sandbox.in_force()}; engines with ports: {sandbox.in_force(ports=True)}; TRex: none"
    if reason := sandbox.lacking() or sandbox.lacking(ports=True):
        check = lacking("sandbox", f"{in_force} ({reason})", "lacking" if sandbox.lacking() else "note")
        if os.environ.get(sandbox.OFF):
            return replace(check, remedy="leave out --no-sandbox")
        if reason != sandbox.MISSING:  # it is installed, and may not make namespaces
            return replace(check, remedy="let users make namespaces: sysctl, AppArmor, or the container's seccomp")
        return check
    return Check("sandbox", "good", in_force)


def dpdk() -> Check:
    version = first_line(("pkg-config", "--modversion", "libdpdk"), only_good=True)
    return Check("DPDK", "good", version) if version else lacking("DPDK", "libdpdk is not installed")


def docker() -> Check:
    from headroom.testbed import containers

    cost = "no --topology compose: containers cannot be measured, other vendors' among them"
    installed = containers.look()
    if installed.reason:
        return Check("Docker", "lacking", installed.reason, cost, installed.remedy)
    return Check("Docker", "good", installed.version)


def trex(environment: Mapping[str, str] = os.environ) -> Check:
    from headroom.testbed.trex import installation

    try:
        installed = installation.find(environment)
    except EnvironmentLacks as error:
        return lacking("TRex", str(error))
    return Check("TRex", "good", f"{installed.version} in {installed.folder}")


def cores(machine: topology.Topology) -> Check:
    physical = len(machine.physical_cores)
    sockets = len({cpu.package for cpu in machine.cpus})
    names = ", ".join(c.name for c in topology.configurations(machine) if c.is_available)
    value = (
        f"{len(machine.cpus)} CPUs on {physical} cores in {sockets} socket{'s' if sockets != 1 else ''}; "
        f"configurations: {names}"
    )
    if machine.excluded:
        reasons = sorted(set(machine.excluded.values()))
        return Check("cores", "note", f"{value}; {len(machine.excluded)} more are {' or '.join(reasons)}")
    return lacking("cores", value) if physical < 2 else Check("cores", "good", value)


def caches(machine: topology.Topology) -> Check:
    groups = {cpu.last_level_cache: cpu.cache_level for cpu in machine.cpus if cpu.last_level_cache}
    if not groups:
        return lacking("last-level cache", "the kernel does not show who shares it")
    texts = [
        f"CPUs {_ranges(group)} share the L{level}" if len(group) > 1 else f"CPU {min(group)} has its own L{level}"
        for group, level in sorted(groups.items(), key=lambda item: min(item[0]))
    ]
    return Check("last-level cache", "good", "; ".join(texts[:8]) + ("; …" if len(texts) > 8 else ""))


def smt(machine: topology.Topology) -> Check:
    threads = max((len(cpu.siblings) for cpu in machine.cpus), default=1)
    if threads > 1:
        pairs = sorted({tuple(sorted(cpu.siblings)) for cpu in machine.cpus})
        text = ", ".join("+".join(map(str, pair)) for pair in pairs[:6]) + (", …" if len(pairs) > 6 else "")
        return Check("SMT siblings", "good", f"{threads} threads per core: {text}")
    return lacking("SMT siblings", "one thread per core (or the hypervisor hides them)", "note")


def frequency(governor: str | None) -> Check:
    if governor is None:
        cost = "the clock may change unseen; trials show it as spread"
        return Check("governor", "note", "not shown (usual in a virtual machine)", cost)
    return Check("governor", "good", governor) if governor == "performance" else lacking("governor", governor)


def isolated(listed: str | None) -> Check:
    if listed and listed != "none":
        return Check("isolated CPUs", "good", listed)
    return lacking("isolated CPUs", "none", "note")


def huge_pages(count: int | None) -> Check:
    return Check("hugepages", "good", f"{count} reserved") if count else lacking("hugepages", "none reserved", "note")


def transparent_huge_pages(mode: str | None) -> Check:
    # With "madvise" an implementation gets them for what it asks; the reference asks for its context tables.
    if mode in ("always", "madvise"):
        return Check("transparent hugepages", "good", mode)
    return lacking("transparent hugepages", mode or "unknown", "note")


def clock(source: str | None) -> Check:
    try:
        flags = environment.cpuinfo_fields(Path("/proc/cpuinfo").read_text()).get("flags", "").split()
    except OSError:
        flags = []
    steady = [flag for flag in ("constant_tsc", "nonstop_tsc") if flag in flags]
    rate = "is steady" if len(steady) == 2 else "may change its rate" if flags else "unknown"
    value = f"{source or 'unknown'}; TSC {rate}"
    if source in ("tsc", "kvm-clock", "arch_sys_counter") and (len(steady) == 2 or source == "arch_sys_counter"):
        return Check("clock", "good", value)
    return lacking("clock", value)


def memory(octets: int | None) -> Check:
    if octets is None:
        return Check("memory", "note", "unknown")
    value = f"{octets / 2**30:.1f} GiB"
    return lacking("memory", value) if octets < 2 << 30 else Check("memory", "good", value)


def steal(before: dict[int, procstat.CoreTimes], after: dict[int, procstat.CoreTimes], cpus: set[int]) -> Check:
    shares = {
        number: share
        for number in cpus
        if number in before
        and number in after
        and (share := procstat.steal_share(before[number], after[number])) is not None
    }
    since_boot = max(
        (times.steal / times.total for number, times in after.items() if number in cpus and times.total), default=0.0
    )
    worst = max(shares.values(), default=0.0)
    value = f"{worst:.1%} now, {since_boot:.2%} since boot"
    if worst > 0.01 or since_boot > 0.01:
        return lacking("steal", value)
    return Check("steal", "good", value)


def quiet(load: float, cpus: int) -> Check:
    value = f"load average {load:.2f} on {cpus} CPUs"
    return lacking("quiet", value) if load > 0.5 else Check("quiet", "good", value)


def _ranges(numbers: frozenset[int]) -> str:
    """Numbers as the kernel lists them: {0, 1, 2, 5} is 0-2,5."""
    text: list[str] = []
    for number in sorted(numbers):
        last = re.fullmatch(r"(\d+)(?:-(\d+))?", text[-1]) if text else None
        if last and int(last[2] or last[1]) == number - 1:
            text[-1] = f"{last[1]}-{number}"
        else:
            text.append(str(number))
    return ",".join(text)
