# SPDX-License-Identifier: Apache-2.0
"""The environment of a measurement, as result records keep it: processor, kernel, settings, compiler, commit.

An unknown value is None; `missing` has the reason, so that a report never shows a silent gap.
"""

import os
import platform
import re
from dataclasses import asdict, dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from headroom.core import sandbox, version
from headroom.core.errors import EnvironmentLacks
from headroom.core.git import git
from headroom.core.machine import topology
from headroom.core.paths import ROOT, build_folder


@dataclass
class Environment:
    """The properties of a machine that influence a figure."""

    cpu_model: str | None = None
    microcode: str | None = None
    clock_mhz: float | None = None
    topology: dict[str, Any] = field(default_factory=dict)
    memory_bytes: int | None = None
    kernel: str | None = None
    distribution: str | None = None
    virtualisation: str | None = None
    governor: str | None = None
    boost: str | None = None
    clock_source: str | None = None
    transparent_hugepages: str | None = None
    hugepages: int | None = None
    isolated_cpus: str | None = None
    mitigations: str | None = None
    build: str | None = None
    compiler: str | None = None
    flags: str | None = None
    python: str | None = None
    sandbox: str | None = None
    missing: dict[str, str] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


def read(build: str | None = None, root: Path = Path("/")) -> Environment:
    """Reads the environment below `root` (for tests; `/` otherwise) and of a build folder."""
    environment = Environment(kernel=platform.release(), python=platform.python_version())
    cpuinfo = cpuinfo_fields(_text(root / "proc/cpuinfo") or "")
    environment.cpu_model = cpuinfo.get("model name") or cpuinfo.get("cpu model") or platform.machine()
    environment.microcode = cpuinfo.get("microcode")
    environment.clock_mhz = float(cpuinfo["cpu mhz"]) if _is_number(cpuinfo.get("cpu mhz")) else None
    environment.topology = topology_summary(topology.read(root / "sys/devices/system/cpu"))
    environment.memory_bytes = _memory(_text(root / "proc/meminfo") or "")
    environment.distribution = _distribution(_text(root / "etc/os-release") or "")
    environment.virtualisation = virtualisation(cpuinfo, root)
    cpu = root / "sys/devices/system/cpu"
    environment.governor = governor(cpu)
    environment.boost = boost(cpu)
    environment.clock_source = _text(
        root / "sys/devices/system/clocksource/clocksource0/current_clocksource",
    )
    environment.transparent_hugepages = _chosen(_text(root / "sys/kernel/mm/transparent_hugepage/enabled"))
    pages = _text(root / "proc/sys/vm/nr_hugepages")
    environment.hugepages = int(pages) if pages and pages.isdigit() else None
    environment.isolated_cpus = _text(cpu / "isolated") or "none"
    environment.mitigations = _mitigations(cpu / "vulnerabilities")
    environment.sandbox = sandbox.in_force()
    if reason := sandbox.lacking():
        environment.missing["sandbox"] = reason
    if build:
        environment.build = build
        environment.compiler, environment.flags = compiler_and_flags(build_folder(build))
    reasons = {
        "governor": "the kernel shows no frequency scaling, as is usual in a virtual machine",
        "boost": "the kernel shows no boost setting",
        "microcode": "/proc/cpuinfo does not name it",
        "compiler": "the build folder has no CMakeCache.txt",
    }
    for name, reason in reasons.items():
        if getattr(environment, name) is None and (name != "compiler" or build):
            environment.missing[name] = reason
    return environment


def cpuinfo_fields(text: str) -> dict[str, str]:
    """Fields of the first processor in /proc/cpuinfo, names in lower case."""
    fields: dict[str, str] = {}
    for line in text.split("\n\n", 1)[0].splitlines():
        name, colon, value = line.partition(":")
        if colon:
            fields[name.strip().lower()] = value.strip()
    return fields


def topology_summary(machine: topology.Topology) -> dict[str, Any]:
    """Counts of cores and caches, and the CPU configurations of the machine."""
    return {
        "cpus": [cpu.number for cpu in machine.cpus],
        "physical_cores": len(machine.physical_cores),
        "sockets": len({cpu.package for cpu in machine.cpus}),
        "last_level_caches": len({cpu.last_level_cache for cpu in machine.cpus if cpu.last_level_cache}),
        "smt": any(len(cpu.siblings) > 1 for cpu in machine.cpus),
        "excluded": {str(number): reason for number, reason in machine.excluded.items()},
        "configurations": {c.name: list(c.cpus) for c in topology.configurations(machine) if c.is_available},
    }


def virtualisation(cpuinfo: dict[str, str], root: Path = Path("/")) -> str | None:
    """The name of the hypervisor or container; "none" on bare metal, as far as the kernel shows."""
    product = _text(root / "sys/class/dmi/id/product_name") or ""
    vendor = _text(root / "sys/class/dmi/id/sys_vendor") or ""
    if "hypervisor" in cpuinfo.get("flags", "").split():
        return " ".join(filter(None, ("virtual machine", f"({vendor} {product})".strip() if vendor else ""))).strip()
    return "none"


def governor(cpu: Path) -> str | None:
    governors = {text for path in sorted(cpu.glob("cpu[0-9]*/cpufreq/scaling_governor")) if (text := _text(path))}
    return ", ".join(sorted(governors)) or None


def boost(cpu: Path) -> str | None:
    plain = _text(cpu / "cpufreq/boost")
    intel = _text(cpu / "intel_pstate/no_turbo")
    if plain is not None:
        return "on" if plain == "1" else "off"
    if intel is not None:
        return "off" if intel == "1" else "on"
    return None


def compiler_and_flags(folder: Path) -> tuple[str | None, str | None]:
    """The compiler with its version, and the C++ flags, of a build folder, from CMake's own files."""
    cached = _text(folder / "CMakeCache.txt")
    if cached is None:
        return None, None
    flags = re.search(r"^CMAKE_CXX_FLAGS:\w+=(.*)$", cached, re.MULTILINE)
    for described in sorted(folder.glob("CMakeFiles/*/CMakeCXXCompiler.cmake")):
        text = _text(described) or ""
        name = re.search(r'set\(CMAKE_CXX_COMPILER_ID "(\w+)"', text)
        version = re.search(r'set\(CMAKE_CXX_COMPILER_VERSION "([^"]+)"', text)
        if name and version:
            return f"{name[1]} {version[1]}", flags[1] if flags else ""
    return None, flags[1] if flags else None


@cache
def commit() -> dict[str, Any]:
    """The commit of the harness, and if its tree has changes; {"commit": None, "reason"} outside a git repository."""
    if stamp := version.stamped():
        return {"commit": stamp[:40], "changed": stamp.endswith(".changed")}
    try:
        head, status = (
            git(ROOT, *arguments, timeout_s=20) for arguments in (("rev-parse", "HEAD"), ("status", "--porcelain"))
        )
    except (OSError, EnvironmentLacks) as error:
        return {"commit": None, "changed": None, "reason": str(error)}
    if head.returncode or status.returncode:
        return {"commit": None, "changed": None, "reason": "not a git repository"}
    return {"commit": head.stdout.strip(), "changed": bool(status.stdout.strip())}


def _distribution(text: str) -> str | None:
    match = re.search(r'^PRETTY_NAME="?([^"\n]+)', text, re.MULTILINE)
    return match[1] if match else None


def _memory(text: str) -> int | None:
    match = re.search(r"^MemTotal:\s+(\d+) kB", text, re.MULTILINE)
    return int(match[1]) * 1024 if match else None


def _mitigations(folder: Path) -> str | None:
    if not folder.is_dir():
        return None
    states = {path.name: _text(path) or "" for path in sorted(folder.iterdir())}
    active = [name for name, state in states.items() if state.startswith("Mitigation")]
    return ", ".join(active) or "none"


def _chosen(text: str | None) -> str | None:
    """The word in brackets of a kernel setting such as `always [madvise] never`."""
    match = re.search(r"\[(\w+)\]", text or "")
    return match[1] if match else text


def _is_number(text: str | None) -> bool:
    return bool(text and re.fullmatch(r"\d+(\.\d+)?", text))


def _text(path: Path) -> str | None:
    try:
        return path.read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return None


def load_average() -> float:
    """The processes ready to run, averaged over the last minute: on a quiet machine well below 0.5."""
    return os.getloadavg()[0]
