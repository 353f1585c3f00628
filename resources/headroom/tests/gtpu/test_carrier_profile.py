# SPDX-License-Identifier: Apache-2.0
"""The traffic profile upf-carrier: its figures, as its rendered packets have them, and those of the load in memory."""

from __future__ import annotations

import copy
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from headroom.core import engine, profiles
from headroom.core.capabilities import Inconclusive
from headroom.core.engine import EngineFailure
from headroom.schemes.gtpu import judge, packets, wire_load
from headroom.schemes.gtpu.load import ETHERNET, Traffic
from headroom.testbed.captures import records

pytestmark = pytest.mark.long

TUNNEL, IPV4, TCP, UDP = 20 + 8 + 16, 20, 20, 8  # octets of headers
PROTOCOL_TCP = 6
SYN, SYN_ACK, FIN = 0x02, 0x12, 0x01
RULES = "198.18."
TRAFFIC = Traffic()
FLOWS = 270  # ten times the shares of the variants


@dataclass(frozen=True)
class Packet:
    """A packet of a user in its tunnel. `ends` are the user, the user's port, the server and the server's port."""

    time_us: int
    is_downlink: bool
    frame_octets: int
    teid: int
    inner: bytes
    ends: tuple[str, int, str, int]

    @property
    def is_tcp(self) -> bool:
        return self.inner[9] == PROTOCOL_TCP

    @property
    def flags(self) -> int:
        return self.inner[IPV4 + 13]

    @property
    def payload(self) -> bytes:
        return self.inner[IPV4 + (TCP if self.is_tcp else UDP) :]


def render(folder: Path, build: str, is_downlink: bool, flows: int, **limit: float) -> Iterator[Packet]:
    output = folder / "carrier.pcap"
    job = {"profile": profiles.load("upf-carrier"), "flows": flows, "seed": 3, "reverse": is_downlink}
    engine.run("render", job | limit | {"frames": "ethernet", "output": str(output)}, build=build)
    for time_us, frame in records(output.read_bytes()):
        outer = packets.read_udp(frame[14:])
        tunnelled = judge.read(outer.payload)
        inner = packets.read_ip(tunnelled.inner)
        source, destination = (int.from_bytes(tunnelled.inner[at : at + 2], "big") for at in (IPV4, IPV4 + 2))
        user, server = (inner.source, source), (inner.destination, destination)
        ends = (*server, *user) if is_downlink else (*user, *server)
        yield Packet(time_us, is_downlink, len(frame) + 4, tunnelled.teid, tunnelled.inner, ends)


@pytest.fixture(scope="module")
def both(real_build: str, tmp_path_factory: pytest.TempPathFactory) -> list[Packet]:
    """The packets of both directions in 10 s, in order of time."""
    folder = tmp_path_factory.mktemp("carrier")
    found = [one for side in (False, True) for one in render(folder, real_build, side, FLOWS, duration_s=10)]
    return sorted(found, key=lambda one: one.time_us)


def test_frames_are_690_octets_and_85_percent_of_them_http(both: list[Packet]) -> None:
    octets = sum(one.frame_octets for one in both)
    http = sum(one.frame_octets for one in both if one.is_tcp)
    # Four standard deviations: lengths have one of 590 octets.
    assert octets / len(both) == pytest.approx(690, abs=1 + 4 * 590 / len(both) ** 0.5)
    assert http / octets == pytest.approx(TRAFFIC.http_share, abs=0.005)
    assert sum(one.is_downlink for one in both) / len(both) == pytest.approx(0.5, abs=0.005)


def test_connections_have_200_packets_and_begin_with_a_request(both: list[Packet]) -> None:
    connections: dict[tuple[str, int, str, int], list[Packet]] = {}
    for packet in both:
        connections.setdefault(packet.ends, []).append(packet)
    tcp = [some for some in connections.values() if some[0].is_tcp]
    opened = [some for some in tcp if some[0].flags == SYN]
    packets_of_tcp = sum(one.is_tcp for one in both)
    # One connection begins with each end of another: so many packets for each SYN. The deviation is that of `opened`
    # lives of an exponential distribution.
    mean = TRAFFIC.packets_of_flow
    assert packets_of_tcp / len(opened) == pytest.approx(mean, abs=4 * mean / len(opened) ** 0.5)
    seen = [some for some in opened if len(some) > 4]
    assert len(seen) > 500
    for some in seen:
        first = some[:3]
        assert [(one.is_downlink, one.flags) for one in first[:2]] == [(False, SYN), (True, SYN_ACK)]
        assert first[2].payload.startswith(b"GET /") and not first[2].is_downlink
        assert not any(one.payload.startswith(b"GET /") for one in some[3:])
        assert all(one.flags & SYN == 0 for one in some[2:])
        ends = [one for one in some if one.flags & FIN]
        assert [one.is_downlink for one in ends] in ([], [True], [True, False])
        assert ends == some[len(some) - len(ends) :]


def test_one_connection_in_ten_matches_a_rule(both: list[Packet]) -> None:
    rules = [rule["host"] for rule in profiles.load("upf-carrier")["rules"] if "host" in rule]
    hosts = Counter(line[6:] for one in both for line in one.payload.decode("ascii", "replace").split("\r\n")[1:2])
    requests = sum(count for host, count in hosts.items() if host in rules or host == "no-rule.example.net")
    hits = sum(hosts[host] for host in rules)
    assert all(hosts[host] > 0 for host in rules)
    share = TRAFFIC.hit_share
    assert hits / requests == pytest.approx(share, abs=4 * (share * (1 - share) / requests) ** 0.5)
    datagrams = {one.ends for one in both if not one.is_tcp}
    matched = {ends for ends in datagrams if ends[2].startswith(RULES)}
    assert all(ends[3] == 9 and int(ends[2].split(".")[2]) < 50 for ends in matched)
    assert len(matched) / len(datagrams) == pytest.approx(share, abs=4 * (share * (1 - share) / len(datagrams)) ** 0.5)


def test_6000_of_600000_users_are_active(real_build: str, tmp_path: Path) -> None:
    users = {(one.ends[0], one.teid) for one in render(tmp_path, real_build, False, 6000, packets=60_000)}
    assert len(users) == len({user for user, _ in users}) == len({teid for _, teid in users})
    assert 5990 <= len(users) <= TRAFFIC.active_users
    with pytest.raises(EngineFailure) as caught:
        job = {"profile": _of_population(5999), "flows": 6000, "packets": 1, "output": str(tmp_path / "no.pcap")}
        engine.run("render", job, build=real_build)
    assert caught.value.where == "/flows"
    assert "population of 5999" in caught.value.message


def _of_population(members: int) -> dict[str, Any]:
    profile = copy.deepcopy(profiles.load("upf-carrier"))
    for variant in profile["variants"]:
        variant["population"] = members
    return profile


@pytest.mark.parametrize(
    ("change", "where", "sentence"),
    [
        ({"total_share": 28}, "/profile/total_share", "sum to 27"),
        ({"rules": [{"host": "www.example.com"}]}, "/profile/variants/1/connections/hit_share", "none of the"),
        ({"rules": [{"protocol": "tcp", "network": "2001:db8::/32", "ports": [9, 9]}]}, "/profile/variants/0", "none"),
    ],
)
def test_what_does_not_fit_is_refused(
    real_build: str, tmp_path: Path, change: dict[str, Any], where: str, sentence: str
) -> None:
    job = {"profile": profiles.load("upf-carrier") | change, "packets": 1, "output": str(tmp_path / "no.pcap")}
    with pytest.raises(EngineFailure) as caught:
        engine.run("render", job, build=real_build)
    assert caught.value.where is not None and caught.value.where.startswith(where)
    assert sentence in caught.value.message


def test_sessions_are_those_of_all_users(real_build: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also of users who receive nothing in the first interval; where that is all that is looked at, it is said."""
    found = wire_load.sessions_of("upf-carrier", 60, 1, real_build)
    assert len({one.user for one in found}) == len({one.teid for one in found}) == 60
    assert len({one.access_teid for one in found}) == 60
    monkeypatch.setattr(wire_load, "SHOWN_INTERVALS", (1,))
    with pytest.raises(Inconclusive, match=r"Of 60 users, upf-carrier shows \d+ in its first 1 intervals"):
        wire_load.sessions_of("upf-carrier", 60, 1, real_build)


def test_the_load_in_memory_has_the_same_figures() -> None:
    profile, model = profiles.load("upf-carrier"), TRAFFIC
    for variant in profile["variants"]:
        connections, transport = variant["connections"], variant["headers"][-1]["protocol"]
        headers = ETHERNET + TUNNEL + IPV4 + (TCP if transport == "tcp" else UDP)
        shares = [share for share, _ in variant["payload"]["length"]["mix"]]
        frames = [headers + octets for _, octets in variant["payload"]["length"]["mix"]]
        assert [(4 * share, octets) for share, octets in zip(shares, frames, strict=True)] == list(model.frames)
        assert variant["population"] == model.access_users
        assert connections["packets"] == model.packets_of_flow
        assert connections["hit_share"] == model.hit_share
        assert connections.get("forward_share", 0.5) == model.uplink_share
