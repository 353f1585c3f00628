# SPDX-License-Identifier: Apache-2.0
"""The paper of Ang, Sarwar and Wan (2016): its equations give the numbers of its text, and every item is measured."""

import re
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from statistics import fmean

import pytest

from headroom.core import engine, implementations, profiles
from headroom.core.errors import EnvironmentLacks
from headroom.core.papers.paper import find
from headroom.core.paths import ROOT
from headroom.core.replay import Replay, ReplayConfig
from headroom.core.run.run import Run
from headroom.core.settings import Settings
from headroom.schemes.ule import carriage
from headroom.schemes.ule.judge.receiver import Receiver
from headroom.schemes.ule.papers import (
    ang_2016,
    ang_2016_channel,
    ang_2016_figures,
    ang_2016_nodes,
    ang_2016_packets,
    ang_2016_payloads,
    ang_2016_streams,
)
from headroom.schemes.ule.papers import ang_2016_model as model
from headroom.schemes.ule.papers.ang_2016_channel import Arrivals, Setup
from headroom.schemes.ule.papers.ang_2016_nodes import CARRIED, COMPRESSED, RECEIVED, SENT, Recording
from headroom.testbed import captures
from headroom.testbed.recorder import Arrival
from headroom.testbed.trial import Direction, Trial

PAPER = "ang-2016"


def reference() -> Run:
    found = implementations.find("reference")
    return Run(found, found, Settings())


def test_equation_11_gives_the_threshold_of_section_5_2() -> None:
    assert model.packing_threshold_ms(8_000_000) == Fraction(183, 1000)


@pytest.mark.parametrize(("headers", "payloads"), [(28, [134, 318, 502]), (48, [114, 298, 482])])
def test_equation_12_gives_the_valleys(headers: int, payloads: list[int]) -> None:
    assert [model.valley(n, headers) for n in (1, 2, 3)] == payloads


def test_models_of_the_paper_are_its_equations() -> None:
    """An equation that is evaluated is no figure that the paper prints."""
    paper = find(PAPER)
    assert paper.items["section-5.2.threshold"].model == float(model.packing_threshold_ms(8_000_000))
    for ip, headers in (("ipv4", 28), ("ipv6", 48)):
        valleys = [paper.items[f"figure-7.{ip}-valley-{n}"] for n in (1, 2, 3)]
        assert [(one.paper, one.model) for one in valleys] == [(None, model.valley(n, headers)) for n in (1, 2, 3)]
    burst = paper.items["figure-19.burst"]
    assert burst.kind == "context" and burst.model == ang_2016_channel.IRS * 314 == burst.paper
    printed = {one.id: one.paper for one in paper.items.values() if one.kind != "context" and one.paper is not None}
    assert printed == {
        "figure-16.ipv4-rtp": 311,
        "figure-16.ipv6-ip": 249,
        "figure-16.ipv6-rtp": 314,
        "figure-16.gain": 86,
    }


def test_one_stream_of_table_3_is_two_figures_that_must_match(monkeypatch: pytest.MonkeyPatch) -> None:
    """Eight rows of two values are two; that a full link is below it holds for each row by the same rule."""
    found = iter(
        [Arrivals(20.0, 0.5, 9), Arrivals(20.0, 0.3, 9)] * 6 + [Arrivals(20.002, 0.51, 9), Arrivals(20.0, 0.9, 9)] * 2
    )
    monkeypatch.setattr(ang_2016_channel, "arrivals", lambda *_, **__: next(found))
    monkeypatch.setattr(ang_2016_streams, "streams_of", lambda key: (300, 300.0))
    items = {item.id: item for item in ang_2016_streams.inter_arrival(find(PAPER), reference()).items}
    assert {name: item.measured for name, item in items.items() if item.kind == "must-match"} == {
        "table-3.one.mean": 20.002,
        "table-3.one.jitter": 0.51,
    }
    verdicts = {name: item.verdict for name, item in items.items() if name.endswith("above-idle")}
    assert len(verdicts) == 8
    assert [name for name, verdict in verdicts.items() if verdict == "non-strict"] == ["table-3.ipv6-udp.above-idle"]
    assert {item.verdict for name, item in items.items() if re.search(r"-.*\.(one|full)\.", name[8:])} == {None}


def test_equation_14_counts_a_stream() -> None:
    assert model.stream_rate(header=7, payload=33) == (8 + 14 + 7 + 33) * 50 * 8
    assert int(model.streams(8_000_000, 60, 33)) == 169


def test_the_mean_header_lies_between_irs_and_others() -> None:
    assert model.mean_header(ir=45, others=2, interval=350) == pytest.approx((3 * 45 + 350 * 2) / 353)


def test_every_place_has_a_method_and_a_row_of_the_suite() -> None:
    paper = find(PAPER)
    assert {place for places in ang_2016.METHODS for place in places} == set(paper.methods)
    suite = (ROOT / "suites/papers/ang_2016.robot").read_text(encoding="utf-8")
    cases = re.sub(r"\n\s+\.\.\.", "", suite.partition("*** Test Cases ***")[2])
    rows = [re.split(r"\s{2,}", line.strip()) for line in cases.splitlines()[1:]]
    assert {tuple(row[2:]) for row in rows} == set(ang_2016.METHODS)
    assert {chart.where for chart in ang_2016_figures.CHARTS} <= set(paper.methods)


def test_other_places_are_refused() -> None:
    with pytest.raises(ValueError, match="cannot be measured"):
        ang_2016.measure(find(PAPER), ("Figure 99",), reference())


@pytest.mark.parametrize("ip", ["IPv4", "IPv6"])
def test_checksums_of_written_packets_are_right(ip: str) -> None:
    packet = ang_2016_packets.udp_packet(ip, 33, 7)
    header = ang_2016_channel.HEADERS[ip]
    addresses = packet[12:20] if ip == "IPv4" else packet[8:40]
    datagram = packet[header:]
    total = sum(
        int.from_bytes(part.ljust(2, b"\0"))
        for octets in (addresses + bytes([0, 17]) + len(datagram).to_bytes(2), datagram)
        for part in (octets[at : at + 2] for at in range(0, len(octets), 2))
    )
    assert total % 0xFFFF == 0
    assert len(ang_2016_packets.rtp_packet(ip, 1, 2)) == header + 8 + 12 + 33


def test_arrivals_are_means_over_streams() -> None:
    records = [
        {"flow": flow, "time_ns": at, "decompressor": [{"status": "OK", "time_ns": at + late}]}
        for flow in (0, 1)
        for at, late in ((0, 0), (20_000_000, 1_000_000 * flow), (40_000_000, 0))
    ]
    found = ang_2016_channel.arrivals_of(Replay(ReplayConfig("ule"), {"records": records}))
    assert found == Arrivals(20.0, pytest.approx(2**0.5 / 2), 6)


@pytest.mark.engine
def test_valleys_and_header_lengths() -> None:
    """The sweep finds the valleys of equation 12; a mean header is that of whole refresh cycles."""
    run = reference()
    counts = ang_2016_payloads.sweep(Setup(run, "IPv6", packing="padding"))
    assert ang_2016_payloads.valleys(counts) == [114, 298, 482]
    compressed = ang_2016_payloads.sweep(Setup(run, "IPv6", "UDP", packing="padding"))
    assert ang_2016_payloads.valleys(compressed)[0] == 183 - 22 - 4 + 1  # UO-0 with CID, type and UDP checksum


@pytest.mark.engine
def test_the_load_of_a_link_grows_with_the_streams() -> None:
    low, high = ang_2016_channel.load(Setup(reference(), "IPv6"), [100, 200])
    assert low == pytest.approx(100 / 169.3, rel=0.02)
    assert high == pytest.approx(200 / 169.3, rel=0.02)


@pytest.mark.engine
def test_the_largest_number_of_streams_is_found_from_a_wrong_guess() -> None:
    """Equation 14 gives 169.3 for uncompressed IPv6, of which the paper's gain of 86 % is a part."""
    assert ang_2016_channel.most_streams(Setup(reference(), "IPv6"), 150) == 169


@pytest.mark.engine
@pytest.mark.parametrize("profile", ["", "RTP"])
def test_a_stream_alone_waits_for_buffers(profile: str) -> None:
    """20 ms are 17.73 buffers of 1.128 ms: 17 or 18 of them, with a deviation of 0.50 ms."""
    found = ang_2016_channel.arrivals(Setup(reference(), "IPv6", profile), 1, 20.0)
    assert found.mean == pytest.approx(20.0, abs=0.01)
    assert found.jitter == pytest.approx(0.5, abs=0.05)


@pytest.mark.engine
def test_headers_are_shorter_with_longer_refresh_intervals() -> None:
    setup = Setup(reference(), "IPv6", "RTP", interval=10)
    found = ang_2016_streams.mean_header(setup, 20)
    more = ang_2016_streams.mean_header(Setup(reference(), "IPv6", "RTP", interval=20), 20)
    assert found > more > 4


@pytest.mark.engine
def test_a_ping_waits_for_the_threshold_each_way() -> None:
    run = reference()
    short, long = (fmean(ang_2016_streams.round_trips_of(Setup(run, threshold_us=one))) for one in (1000, 11_152))
    # Nine buffers longer, so that the phase of the slots is the same.
    assert long - short == pytest.approx(2 * 9 * 1.128, abs=0.2)


def test_an_answer_to_a_ping_has_the_right_sums() -> None:
    request, reply = ang_2016_packets.ping(7), ang_2016_packets.pong(ang_2016_packets.ping(7))
    assert (reply[12:16], reply[16:20]) == (request[16:20], request[12:16])
    assert (reply[20], reply[24:]) == (0, request[24:])
    for octets in (reply[:20], reply[20:]):
        assert sum(int.from_bytes(octets[at : at + 2]) for at in range(0, len(octets), 2)) % 0xFFFF == 0


def test_without_namespaces_every_item_of_the_nodes_is_unsupported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ang_2016_nodes.netns, "probe", lambda: "Network namespaces need root.")
    paper = find(PAPER)
    found = ang_2016.measure(paper, (ang_2016_nodes.PLACE,), reference())
    assert [item.id for item in found.items] == [figure.id for figure in paper.of(ang_2016_nodes.PLACE)]
    assert {(item.verdict, item.measured) for item in found.items} == {("unsupported", None)}
    assert all(item.note.endswith("Network namespaces need root.") for item in found.items)


def test_nodes_that_cannot_be_started_are_unsupported_with_the_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    def measure(setup: Setup) -> None:
        raise EnvironmentLacks("This kernel has no veth interfaces (module veth).")

    monkeypatch.setattr(ang_2016_nodes, "lacks", lambda build: "")
    monkeypatch.setattr(ang_2016_nodes, "_measure", measure)
    found = ang_2016.measure(find(PAPER), (ang_2016_nodes.PLACE,), reference())
    assert {item.verdict for item in found.items} == {"unsupported"}
    assert found.items[0].note == "This kernel has no veth interfaces (module veth)."


def recorded(tmp_path: Path, lost: int = 0) -> Recording:
    """Five streams for a second as hops between nodes would have them, from a replay."""
    setup = Setup(reference(), "IPv4", "RTP")
    profile = ang_2016_channel.VOICE["IPv4"]
    config = ang_2016_channel.config_of(setup, flows=5, duration_s=1.0)
    done, packets = carriage.run(config)
    job = {"profile": profiles.load(profile), "flows": 5, "seed": config.seed, "duration_s": 1.0}
    engine.run("render", job | {"output": str(tmp_path / "sent.pcap"), "frames": "ethernet"})
    sent = [Arrival(us * 1000, frame) for us, frame in captures.records((tmp_path / "sent.pcap").read_bytes())]
    receiver = Receiver()
    rohc = [Arrival(0, unit.octets) for packet in packets for unit in receiver.take(packet)]
    header = bytes(12) + b"\x08\0" + bytes(9) + b"\x11" + bytes(18)
    null = b"\x47\x1f\xff\x10" + b"\xff" * 184
    datagrams = [Arrival(0, header + packet + null) for packet in packets]
    way = Direction(250, 250, done.sent, done.sent - lost, 0, lost, 0, False, True)
    return Recording(
        Trial("embedded", "", 250, 1.0, way), {SENT: sent, COMPRESSED: rohc, CARRIED: datagrams, RECEIVED: sent}
    )


def faults(found: Recording) -> list[str]:
    rohc, wrong = ang_2016_nodes.judged(found, ang_2016_nodes.ts_packets(found.frames[CARRIED]), 500)
    assert rohc
    return wrong


def without(found: Recording, point: ang_2016_nodes.Point, number: int) -> Recording:
    frames = found.frames[point]
    return replace(found, frames={**found.frames, point: frames[:number] + frames[number + 1 :]})


@pytest.mark.engine
def test_the_judges_find_what_was_not_sent_and_what_is_missing(tmp_path: Path) -> None:
    found = recorded(tmp_path)
    assert len(found.frames[SENT]) == len(found.frames[COMPRESSED]) == found.trial.sent == 250
    assert faults(found) == []
    assert "reads 1 frames that were not sent" in faults(without(found, COMPRESSED, 100))[0]
    assert "restores 1 packets that were not sent" in faults(without(found, SENT, 100))[0]
    told = " ".join(faults(without(found, CARRIED, 20)))
    assert "continuity counter error" in told
    assert "does not read" in told
    assert "does not restore" in told


@pytest.mark.engine
def test_what_a_busy_machine_loses_is_no_fault_of_the_octets(tmp_path: Path) -> None:
    found = recorded(tmp_path, lost=3)
    assert faults(without(found, CARRIED, 20)) == []
    assert "not sent" in faults(without(found, SENT, 100))[0]


@pytest.mark.engine
def test_streams_are_told_apart_by_their_ssrc(tmp_path: Path) -> None:
    arrivals = ang_2016_nodes.by_stream(recorded(tmp_path).frames[RECEIVED])
    assert arrivals.mean == pytest.approx(20.0, abs=0.01)
    assert arrivals.jitter == pytest.approx(0.0, abs=0.01)
    assert arrivals.packets == 250
