# SPDX-License-Identifier: Apache-2.0
"""The cost of ownership of user planes: servers for a rate, their price, and years of electricity.

The method is that of "Implementation of ZTE's High-Performance 5G Core Network UPF" (Intel and ZTE, 2020), section 5.3:
a rate over what a server performs, rounded up. Input: resources/schemas/ownership.schema.json.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from headroom.core.paths import ROOT
from headroom.core.yamlfile import check, read

PAPER_SERVERS = ROOT / "resources" / "ownership" / "zte-2020.yaml"
HOURS_PER_YEAR = 8766  # of 365.25 days


@dataclass(frozen=True)
class Number:
    """A number of the input. `assumed` is the reason why it is assumed, "" if it has a source."""

    value: float
    assumed: str = ""


@dataclass(frozen=True)
class Server:
    """A kind of server. Rate in Gbit/s, price of one in the currency, mean power in W, height in rack units."""

    name: str
    key: str
    gbit_s: Number
    price: Number
    power_w: Number
    rack_units: Number


@dataclass(frozen=True)
class RackLimits:
    """The limits of a rack: height in rack units, power in kW."""

    rack_units: Number
    power_kw: Number


@dataclass(frozen=True)
class Ownership:
    """Servers, electricity, needs and limits, as a file states them."""

    title: str
    needs_gbit_s: tuple[float, ...]
    years: float
    currency: str
    price_per_kwh: Number
    facility_overhead: Number
    spare_servers: int
    servers: tuple[Server, ...]
    limits: RackLimits | None

    def assumptions(self) -> list[str]:
        """One sentence for each assumed number; a sentence that applies to several servers appears once."""
        named = [
            ("the price of a kilowatt hour", self.price_per_kwh),
            ("the overhead of the facility", self.facility_overhead),
        ]
        if self.limits:
            named += [("the height of a rack", self.limits.rack_units), ("the power of a rack", self.limits.power_kw)]
        for server in self.servers:
            named += [
                (f"the rate of {server.name}", server.gbit_s),
                (f"the price of {server.name}", server.price),
                (f"the power of {server.name}", server.power_w),
                (f"the height of {server.name}", server.rack_units),
            ]
        return [f"{what}, {number.value:g}: {number.assumed}" for what, number in named if number.assumed]


@dataclass(frozen=True)
class Cost:
    """The cost of one kind of server for one rate. Money is in the currency; `racks` is None without limits."""

    server: Server
    need_gbit_s: float
    servers: int
    devices: float
    electricity: float
    racks: int | None

    @property
    def total(self) -> float:
        return self.devices + self.electricity


def load(path: Path) -> Ownership:
    """Reads a file. Raises UsageError with file and line where it is not valid."""
    data = check(read(path), "ownership").data
    limits = data.get("limits")
    return Ownership(
        title=data["title"],
        needs_gbit_s=tuple(data["needs_gbit_s"]),
        years=data["years"],
        currency=data["currency"],
        price_per_kwh=_number(data["electricity"]["price_per_kwh"]),
        facility_overhead=_number(data["electricity"].get("facility_overhead"), 1),
        spare_servers=data.get("spare_servers", 0),
        servers=tuple(_server(entry) for entry in data["servers"]),
        limits=RackLimits(_number(limits["rack_units"]), _number(limits["rack_power_kw"])) if limits else None,
    )


def servers_needed(need_gbit_s: float, gbit_s: float) -> int | None:
    """Servers of `gbit_s` each for a rate, rounded up; None if a server forwards nothing."""
    return math.ceil(need_gbit_s / gbit_s) if gbit_s > 0 else None


def costs(ownership: Ownership) -> list[Cost]:
    """The costs by need and then by server; a server that forwards nothing has none."""
    results = (_cost(ownership, server, need) for need in ownership.needs_gbit_s for server in ownership.servers)
    return [cost for cost in results if cost]


def _cost(ownership: Ownership, server: Server, need: float) -> Cost | None:
    needed = servers_needed(need, server.gbit_s.value)
    if needed is None:
        return None
    servers = needed + ownership.spare_servers
    kilowatts = servers * server.power_w.value / 1000
    hours = ownership.years * HOURS_PER_YEAR
    electricity = kilowatts * ownership.facility_overhead.value * hours * ownership.price_per_kwh.value
    return Cost(server, need, servers, servers * server.price.value, electricity, _racks(ownership, server, servers))


def _racks(ownership: Ownership, server: Server, servers: int) -> int | None:
    """Racks for so many servers; None if there are no limits, or one server goes beyond them."""
    limits = ownership.limits
    if limits is None:
        return None
    by_height = limits.rack_units.value // max(server.rack_units.value, 1)
    by_power = limits.power_kw.value * 1000 // server.power_w.value if server.power_w.value else math.inf
    in_a_rack = min(by_height, by_power)
    return math.ceil(servers / in_a_rack) if in_a_rack >= 1 else None


def _server(entry: dict[str, Any]) -> Server:
    return Server(
        name=entry["name"],
        key=entry.get("key", entry["name"]),
        gbit_s=_number(entry["gbit_s"]),
        price=_number(entry["price"]),
        power_w=_number(entry["power_w"]),
        rack_units=_number(entry.get("rack_units"), 1),
    )


def _number(entry: dict[str, Any] | None, default: float = 0) -> Number:
    return Number(entry["value"], entry.get("assumed", "")) if entry else Number(default)
