# SPDX-License-Identifier: Apache-2.0
"""Rule files for the inspection of flows: as many rules as a carrier has for content billing.

The shares of kinds are ours. Names and addresses are of documentation and benchmarking (RFC 2606, RFC 6890), and two
seeds give two sets of rules.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from pathlib import Path
from typing import Any

L7_RULES, L3_RULES = 40_000, 10_000
# Shares of L7 rules by kind: names of hosts, names below one, servers of TLS, beginnings of paths, texts anywhere.
KINDS = (("host", 0.60), ("below", 0.10), ("sni", 0.20), ("url", 0.095), ("contains", 0.005))
HOSTS = 1000  # of HTTP requests that match a rule


@dataclass(frozen=True)
class RuleFiles:
    """Files of one set of rules, and hosts whose HTTP requests match a rule of layer 7."""

    l7: Path
    l3: Path
    cache: Path
    hosts: tuple[str, ...]

    @property
    def folder(self) -> Path:
        """The folder of the files; the user plane writes its cache there."""
        return self.cache.parent

    def as_config(self) -> dict[str, Any]:
        """The key `inspection` of a configuration."""
        return {"l7": str(self.l7), "l3": str(self.l3), "cache": str(self.cache)}


def write(folder: Path, seed: int, l7: int = L7_RULES, l3: int = L3_RULES) -> RuleFiles:
    """Writes rule files into a folder, the same ones for the same seed."""
    draw = random.Random(seed)
    kinds = draw.choices([kind for kind, _ in KINDS], [share for _, share in KINDS], k=l7)
    rules = [_rule(kind, number, draw) for number, kind in enumerate(kinds)]
    names = [_name(number) for number, kind in enumerate(kinds) if kind == "host"]
    files = RuleFiles(
        folder / "l7.rules", folder / "l3.rules", folder / "l7.cache", tuple(draw.sample(names, min(HOSTS, len(names))))
    )
    files.l7.write_text("\n".join(rules) + "\n", encoding="ascii")
    files.l3.write_text("\n".join(_l3(draw) for _ in range(l3)) + "\n", encoding="ascii")
    return files


def _name(number: int) -> str:
    return f"service{number:05d}.example.com"


def _rule(kind: str, number: int, draw: random.Random) -> str:
    if kind == "below":
        return f"host *.cdn{number:05d}.example.net"
    if kind == "url":
        return f"url portal{number % 100:02d}.example.org/section{number:05d}/"
    if kind == "contains":
        return f"contains stream-{draw.getrandbits(40):010x}"
    return f"{kind} {_name(number)}"


def _l3(draw: random.Random) -> str:
    protocol = draw.choice(("tcp", "udp"))
    remote = f"198.{draw.randint(18, 19)}.{draw.randint(0, 255)}.{draw.randint(0, 255)}/{draw.choice((24, 28, 32))}"
    return f"{protocol} any {remote} any {draw.randint(1024, 65535)}"
