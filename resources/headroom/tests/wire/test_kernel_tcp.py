# SPDX-License-Identifier: Apache-2.0
"""The kernel's TCP with and without header compression: what is compared, how cases end, and two lines for real."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from robot.api import SkipExecution

from headroom.bench import kernel_tcp
from headroom.bench.kernel_tcp import Comparison, KernelTcpConfig, LineTransfer, side_by_side
from headroom.core import settings
from headroom.core.capabilities import Inconclusive
from headroom.core.engine_result import EngineFailure
from headroom.core.errors import EnvironmentLacks
from headroom.core.results import collector
from headroom.core.scheme_registry import workload_of
from headroom.core.settings import Settings
from headroom.core.yamlfile import violations
from headroom.keywords.kernel_tcp import KernelTcpKeywords
from headroom.testbed import choice, tcp_hosts
from headroom.testbed.netns import Netns
from headroom.testbed.tcp_hosts import Connection, TcpSettings, Transfer
from headroom.testbed.topology import roles_of, taking_turns
from headroom.tests.runs import run_of
from headroom.tests.sample import record
from headroom.tests.wire.test_forwarding import shown_row
from headroom.tests.wire.test_netns import namespaces, root

ROW = ("vj", "", 384, 576, 1e-5, 4)
SECONDS = 4


def carried(
    rates: list[int], late_ns: int = 0, restored: int = 9, connection: Connection | None = None
) -> LineTransfer:
    """A line that has delivered so many octets in each half of a second behind the first one."""
    octets = bytearray(sum(rates))
    one = connection or Connection(octets, octets, [(101.25 + number / 2, rate) for number, rate in enumerate(rates)])
    one.retransmits = 3
    late = {"late_ns": {"max": late_ns}, "forward": {"lost": {"header_error": 2}}}
    worker = {"decompressed": restored, "shaper": {"queue_full": 1, "octets": 100}}
    nodes = {role: {"workers": [worker]} for role in ("compressor", "decompressor")}
    return LineTransfer(
        Transfer([one], 100.0, 1.0 + SECONDS, 5), 1.0, {"wan": late, "link": late, **nodes}, {"name": "netns"}
    )


EVEN = [1000, 1100, 900, 1000, 1000, 1100, 900, 1000]
ABOUT_EVEN = [1100, 1000, 1000, 900, 1000, 1000, 1000, 1000]
FASTER, SLOWER = [one + 200 for one in EVEN], [one - 200 for one in ABOUT_EVEN]
WILD = [0, 7900, 0, 0, 0, 0, 0, 0]


def test_goodput_is_of_the_time_behind_the_warm_up() -> None:
    one = carried(EVEN)
    assert one.goodput == sum(EVEN) / SECONDS
    assert one.slices() == [2 * rate for rate in EVEN]
    early = Connection(arrivals=[(100.5, 10**6), (101.0, 400)])
    assert carried([], connection=early).goodput == 400 / SECONDS
    assert (one.dropped, one.damaged, one.restored) == (1, 2, 9)


def test_what_arrives_is_compared_octet_by_octet() -> None:
    sent = bytearray(b"abcdef")
    assert Connection(sent, bytearray(b"abcd")).first_difference is None, "the rest is on its way"
    assert Connection(sent, bytearray(b"abXd")).first_difference == 2
    assert Connection(sent, bytearray(b"abcdefg")).first_difference == 6, "nobody has sent it"


def test_a_connection_that_no_host_has_begun_is_a_failure() -> None:
    connections = [Connection(), Connection()]
    assert tcp_hosts._connection_of(tcp_hosts.FIRST_PORT + 1, connections) is connections[1]
    for port in (tcp_hosts.FIRST_PORT - 1, tcp_hosts.FIRST_PORT + 2):
        connections[0].failure = ""
        assert tcp_hosts._connection_of(port, connections) is None
        assert f"from port {port}" in connections[0].failure


def test_a_difference_is_one_beyond_chance() -> None:
    assert Comparison(carried(SLOWER), carried(EVEN)).is_slower
    assert not Comparison(carried(ABOUT_EVEN), carried(EVEN)).is_slower
    assert not Comparison(carried(FASTER), carried(EVEN)).is_slower


def test_what_leaves_doubt() -> None:
    assert Comparison(carried(EVEN), carried(EVEN)).doubt == ""
    assert "a link was 150 ms late" in Comparison(carried(SLOWER, late_ns=150_000_000), carried(EVEN)).doubt
    assert Comparison(carried(FASTER, late_ns=150_000_000), carried(EVEN)).doubt == "", "it is faster all the same"
    assert "too short" in Comparison(carried(WILD), carried(EVEN)).doubt
    assert Comparison(carried([9000, 0] * 4), carried(EVEN)).doubt == "", "much faster, by whatever"
    assert "Nothing arrives" in Comparison(carried(EVEN), carried([0] * 8)).doubt


def test_the_queue_holds_what_is_on_its_way() -> None:
    config = KernelTcpConfig(384_000, 1e-5, 4, 1.0, 2.0, TcpSettings(mtu=576), seed=7)
    assert config.queue_packets == 33, "48,000 octets/s times 0.4 s are 33 packets of 576 octets"
    assert config.node("compressor")["shaper"] == {"rate_bps": 384_000, "queue_packets": 33}
    assert config.node("decompressor")["shaper"]["queue_packets"] > 33
    links = config.links()
    assert links["link"]["forward"]["ber"] == 1e-5
    assert "ber" not in links["link"]["reverse"], "acknowledgements arrive"
    assert links["wan"]["forward"] == links["wan"]["reverse"]


def test_the_settings_of_both_hosts() -> None:
    plain, modern = TcpSettings(mtu=296), TcpSettings(sack=True, timestamps=True, quick_acks=False)
    assert plain.sysctls() | {"tcp_sack": "0", "tcp_timestamps": "0", "tcp_recovery": "0"} == plain.sysctls()
    assert modern.sysctls()["tcp_sack"] == modern.sysctls()["tcp_timestamps"] == "1"
    route = plain.route("receiver", "host")
    assert route.startswith(
        "route replace 198.18.0.1/32 dev host src 198.18.0.2 mtu 296 advmss 256 window 5120 quickack 1"
    )
    assert "quickack 0" in modern.route("sender", "host")


# ---- cases


Give = Callable[..., None]


@pytest.fixture
def lines(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Give]:
    """Sets what the rounds of the next case are, of which no more may be asked for."""
    rounds: list[Comparison] = []
    monkeypatch.setattr(kernel_tcp, "side_by_side", lambda run, config, channel: rounds.pop(0))
    monkeypatch.setattr(choice, "require", lambda topology, build: None)
    monkeypatch.setattr(settings, "from_robot", lambda: Settings(topology="netns", quick=True, folder=tmp_path))
    collector.begin()
    yield lambda *more: rounds.extend(more)
    assert rounds == [], "a round that was not asked for"
    collector.begin()


def test_a_case_notes_what_the_report_shows(lines: Give) -> None:
    lines(Comparison(carried(FASTER), carried(EVEN)))
    KernelTcpKeywords().not_slower(*ROW)
    current = collector.current()
    values = {one.name: one.value for one in current.metrics}
    assert (values["goodput"], values["goodput_uncompressed"]) == (2400, 2000)
    assert values["tcp_gain"] == pytest.approx(20)
    assert (values["retransmits"], values["wrong_checksums"], values["damaged"]) == (3, 5, 2)
    names = ("parameters", "metrics", "traffic")
    made = record("performance/tcp_on_the_link/VJ", **{name: getattr(current, name) for name in names}).as_json()
    assert violations(made, "result") == []
    assert shown_row(made, "t-kernel-tcp")[:7] == ["VJ", "1e-05", "576", "4", "2,400", "2,000", "0"]


def test_only_what_is_slower_twice_fails(lines: Give) -> None:
    slower, faster = Comparison(carried(SLOWER), carried(EVEN)), Comparison(carried(FASTER), carried(EVEN))
    lines(slower, faster)
    KernelTcpKeywords().not_slower(*ROW)
    collector.begin()
    lines(slower, slower)
    with pytest.raises(AssertionError, match=r"1,600 octets a second, and 2,000 without"):
        KernelTcpKeywords().not_slower(*ROW)


def test_a_case_that_cannot_tell_says_so(lines: Give) -> None:
    stalled = Comparison(carried(SLOWER, late_ns=10**9), carried(EVEN))
    lines(stalled, stalled)
    with pytest.raises(Inconclusive, match="The machine stood still: a link was 1000 ms late"):
        KernelTcpKeywords().not_slower(*ROW)
    collector.begin()
    lines(stalled, Comparison(carried(SLOWER), carried(EVEN)))
    with pytest.raises(Inconclusive, match="The machine stood still"):
        KernelTcpKeywords().not_slower(*ROW)
    collector.begin()
    wild = Comparison(carried(WILD), carried(EVEN))
    lines(wild, wild)
    with pytest.raises(Inconclusive, match="too short"):
        KernelTcpKeywords().not_slower(*ROW)


@pytest.mark.parametrize(
    ("compressed", "reason"),
    [
        (carried(FASTER, connection=Connection(bytearray(b"ab"), bytearray(b"ax"))), "octet 1 changed"),
        (carried(FASTER, connection=Connection(failure="The receiver's connection ended.")), "connection ended"),
        (carried(FASTER, restored=0), "No packet was decompressed"),
    ],
    ids=["changed", "ended", "passed"],
)
def test_what_arrives_otherwise_fails_however_fast(lines: Give, compressed: LineTransfer, reason: str) -> None:
    both = Comparison(compressed, carried(EVEN))
    lines(both, *([both] if both.is_slower else []))
    with pytest.raises(AssertionError, match=reason):
        KernelTcpKeywords().not_slower(*ROW)


def test_slow_schemes_have_to_get_through(lines: Give) -> None:
    lines(Comparison(carried(SLOWER), carried(EVEN)))
    KernelTcpKeywords().get_through(*ROW)
    collector.begin()
    stuck = Comparison(carried([40] * 8), carried(EVEN))
    lines(stuck, stuck)
    with pytest.raises(AssertionError, match="80 octets a second"):
        KernelTcpKeywords().get_through(*ROW)


@pytest.mark.parametrize(("topology", "reason"), [("process", "has none"), ("compose", "do not use this kernel")])
def test_elsewhere_it_is_unsupported(monkeypatch: pytest.MonkeyPatch, topology: str, reason: str) -> None:
    collector.begin()
    monkeypatch.setattr(settings, "from_robot", lambda: Settings(topology=topology))
    with pytest.raises(SkipExecution, match=reason):
        KernelTcpKeywords().not_slower(*ROW)
    collector.begin()


def test_a_channel_without_the_profile_of_tcp_is_unsupported(lines: Give) -> None:
    lacking = replace(run_of().compressor, capabilities=({"scheme": "rohc", "roles": ["compressor"], "profiles": []},))
    channel = workload_of("rohc").channel("O own, TCP", 4, [])
    assert channel.config["profiles"] == ["0x0000", "0x0006"]
    assert "0x0006" in lacking.lacks("compressor", "rohc", profiles=channel.needs["profiles"])


# ---- for real


def hosts(build: str = "gcc-O2") -> Netns:
    return Netns(tcp_hosts.SHAPE, taking_turns(roles_of(tcp_hosts.SHAPE), [0]), build)


@root
def test_a_congestion_control_that_the_kernel_has_not(state: Path) -> None:
    with hosts() as made, pytest.raises(EnvironmentLacks, match="no congestion control 'tahoe'"):
        tcp_hosts.set_up(made, TcpSettings(congestion_control="tahoe"))


@root
def test_hosts_without_nodes_between_them_have_no_connection(state: Path) -> None:
    with hosts() as made:
        tcp_hosts.set_up(made, TcpSettings())
        with pytest.raises(EngineFailure, match=r"None of 2 connections was established in 0\.3 s"):
            tcp_hosts.transfer(made, TcpSettings(), 2, 0.3, 1)


@root
def test_two_lines_for_real(real_build: str, state: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if reason := choice.build_lacks(real_build):
        pytest.skip(reason)
    made: list[str] = []
    make = Netns.make
    monkeypatch.setattr(Netns, "make", lambda self: (make(self), made.append(self.run))[0])
    config = KernelTcpConfig(384_000, 1e-5, 3, 1.0, 1.5, TcpSettings(mtu=296))
    found = side_by_side(run_of(topology="netns", build=real_build), config, workload_of("vj").channel("", 3, []))
    for one in (found.compressed, found.uncompressed):
        assert [end.first_difference for end in one.transfer.connections] == [None] * 3
        assert [end.failure for end in one.transfer.connections] == [""] * 3
        assert all(len(end.received) > 1000 for end in one.transfer.connections)
    assert found.compressed.restored > 20
    assert found.uncompressed.restored == 0, "the bare bridge"
    assert [namespaces(run) for run in made] == [[], []]


@root
def test_a_line_that_fails_ends_the_other(real_build: str, state: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if reason := choice.build_lacks(real_build):
        pytest.skip(reason)
    config = KernelTcpConfig(384_000, 0, 1, 0.5, 1.0, TcpSettings())
    channel: Any = replace(workload_of("vj").channel("", 3, []), config={"slot_ids": "purple"})
    with pytest.raises(EngineFailure, match="refuses the configuration"):
        side_by_side(run_of(topology="netns", build=real_build), config, channel)


def test_a_checksum_misses_what_chance_lets_it_miss(lines: Give) -> None:
    """1 of 65,536 wrong segments; 400 were seen."""
    missed = carried(FASTER, connection=Connection(bytearray(b"ab"), bytearray(b"ax"), [(101.25, 9000)]))
    transfer = replace(missed.transfer, wrong_checksums=400)
    lines(Comparison(replace(missed, transfer=transfer), carried(EVEN)))
    KernelTcpKeywords().not_slower(*ROW)
    collector.begin()
    several = replace(transfer, connections=2 * transfer.connections)
    lines(Comparison(replace(missed, transfer=several), carried(EVEN)))
    with pytest.raises(AssertionError, match="octet 1 changed"):
        KernelTcpKeywords().not_slower(*ROW)
