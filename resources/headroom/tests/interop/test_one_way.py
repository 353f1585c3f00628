# SPDX-License-Identifier: Apache-2.0
"""The runner of cells whose sides are judged one after the other, with sides made up for a test and with real ones."""

from __future__ import annotations

import functools
import json
import math
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from headroom.core.capabilities import Misbehaviour
from headroom.core.captures import engine_pcapng
from headroom.core.finding import Finding
from headroom.core.matrix import ArtefactStore, Cell, Result, Row, Traffic, row_axes
from headroom.core.paths import DEFAULT_BUILD
from headroom.core.replay import Packets, ReplayConfig
from headroom.core.scheme_kit import cells, line, one_side
from headroom.core.scheme_kit.minimise import minimise
from headroom.core.scheme_kit.one_way import Judged, OneWay
from headroom.core.scheme_registry import all_schemes
from headroom.schemes.ule import interop as ule
from headroom.schemes.ule import line as ule_line
from headroom.schemes.vj import interop as vj
from headroom.schemes.vj.judge import decompressor
from headroom.schemes.vj.judge.compressor import CompressorJudge
from headroom.schemes.vj.judge.packet import COMPRESSED

VJ = all_schemes()["vj"]
PACKETS = [{"time_ns": number, "channel": 0, "hex": f"{number:02x}"} for number in range(40)]


@dataclass(frozen=True)
class Done:
    sent: int


@dataclass(frozen=True)
class Sent:
    packets: Packets
    done: Done
    refused: tuple[bytes, ...] = ()


def cell(scheme: str, traffic: str, link: str = "clean", build: str = DEFAULT_BUILD) -> Cell:
    found = all_schemes()[scheme]
    return Cell(Row(found, "reference", "reference", row_axes(found, {}), build=build), Traffic(traffic), link)


def send(config: ReplayConfig) -> Sent:
    packets = config.source if isinstance(config.source, list) else PACKETS
    return Sent(packets, Done(len(packets)))


def wrong_after_both(_: Cell, sent: Sent) -> Judged:
    """Fails where packet 7 is sent, and packet 31 later."""
    numbers = [int(one["hex"], 16) for one in sent.packets]
    wrong = f"packet {numbers.index(31)} is wrong" if {7, 31} <= set(numbers) else ""
    return Judged([], wrong, delivered=len(numbers), first=["the first wrong packet"])


def made(judge=wrong_after_both, send=send) -> OneWay[Sent]:
    source, header = (lambda sent: sent.packets), (lambda _: 4.56789)
    return OneWay({"tcp-bulk-data": 1}, 40, lambda _: {}, lambda _: {}, send, judge, source, header)


def run(tmp_path: Path, scheme: OneWay[Sent], link: str = "clean") -> Result:
    (result,) = scheme.run([cell("vj", "tcp-bulk-data", link)], ArtefactStore(tmp_path))
    return result


def test_a_failure_is_shown_with_the_fewest_packets(tmp_path: Path) -> None:
    result = run(tmp_path, made())
    assert result["verdict"] == "fail"
    assert result["reason"] == result["signature"] == "reference: packet 31 is wrong"
    assert (result["packets"], result["delivered"], result["header_bytes"]) == (40, 40, 4.568)
    small = result["minimised"]
    assert small["packets"] == 2
    job = json.loads((tmp_path / small["job"]).read_text())
    assert [one["hex"] for one in job["source"]["packets"]] == ["07", "1f"]
    assert "reference: packet 1 is wrong" in (tmp_path / small["evidence"]).read_text()
    assert small["command"].endswith("job.json")
    text = (tmp_path / result["evidence"]).read_text()
    assert "the first wrong packet" in text and result["command"] in text and "fewest packets that show it: 2" in text


def test_behind_a_link_that_does_harm_the_cell_itself_repeats_it(tmp_path: Path) -> None:
    result = run(tmp_path, made(), "lost-1")
    assert result["minimised"]["command"] == result["command"]


def test_a_failure_that_does_not_show_again_is_not_minimised(tmp_path: Path) -> None:
    trials: list[int] = []

    def once(_: Cell, sent: Sent) -> Judged:
        trials.append(len(sent.packets))
        return Judged([], "packet 3 is wrong" if len(trials) == 1 else "")

    result = run(tmp_path, made(once))
    assert result["verdict"] == "fail" and "minimised" not in result
    assert trials == [40, 40]


@pytest.mark.parametrize(
    ("judged", "verdict", "reason"),
    [
        (Judged([], ""), "pass", ""),
        (Judged([], "it is wrong", "it is late"), "fail", "two: it is wrong"),
        (Judged([], "", "it is late"), "non-strict", "two: it is late"),
        (
            Judged([Finding("a bit is set", "RFC1144-3.2.2-1")], "it is wrong"),
            "fail",
            "one: a bit is set (RFC1144-3.2.2-1)",
        ),
        (Judged([Finding("no slot", "RFC1144-5.1-2")], "it is wrong"), "fail", "two: it is wrong"),
        (Judged([Finding("no slot")], "nothing comes out", lacking="nothing is sent"), "fail", "one: nothing is sent"),
        (Judged([Finding("no slot", "RFC1144-5.1-2")], "", "it is late"), "non-strict", "one: no slot (RFC1144-5.1-2)"),
    ],
)
def test_verdicts(judged: Judged, verdict: str, reason: str) -> None:
    row = Row(VJ, "one", "two", row_axes(VJ, {}))
    assert judged.verdict(row) == (verdict, reason)


def test_packets_that_a_compressor_refuses(tmp_path: Path) -> None:
    def refuse(config: ReplayConfig) -> Sent:
        return replace(send(config), refused=(b"a", b"b"))

    result = run(tmp_path, made(lambda *_: Judged([], ""), refuse))
    assert (result["verdict"], result["reason"]) == ("fail", "reference: 2 of 40 packets are not on the link")


def test_misbehaviour_is_no_verdict_on_the_protocol(tmp_path: Path) -> None:
    def misbehave(_: ReplayConfig) -> Sent:
        raise Misbehaviour("It broke a promise.")

    result = run(tmp_path, made(send=misbehave))
    assert (result["verdict"], result["reason"], result["signature"]) == ("error", "It broke a promise.", "harness")


@pytest.mark.parametrize(("scheme", "axis"), [("vj", "max_slot_id"), ("iphc", "tcp_space"), ("taroc", "tcp_space")])
def test_most_cells_of_the_smallest_table_have_compressed_headers(
    scheme: str, axis: str, tmp_path: Path, real_build: str
) -> None:
    of_all = cell(scheme, "tcp-bulk-data", build=real_build)
    smallest = replace(of_all, row=replace(of_all.row, axes={**of_all.row.axes, axis: "3"}))
    (result,) = all_schemes()[scheme].cells().run([smallest], ArtefactStore(tmp_path))
    assert result["header_bytes"] < 10


def few(scheme: OneWay) -> OneWay:
    """The cells of a scheme with few packets, so that trials are short."""
    return replace(scheme, traffic=dict.fromkeys(scheme.traffic, 2), packets=30)


@pytest.fixture
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Minimising stops for no time that passed: on a busy machine, it would leave more packets."""
    monkeypatch.setattr(cells, "minimise", functools.partial(minimise, most_seconds=math.inf))


@pytest.mark.usefixtures("patient")
def test_a_slot_that_is_restored_wrongly(tmp_path: Path, real_build: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The judge is made to expect another octet of compressed packets: one such packet, and its context, show it."""
    receive = decompressor.Decompressor.receive

    def spoilt(judge: decompressor.Decompressor, type_: int, octets: bytes) -> decompressor.Outcome:
        made = receive(judge, type_, octets)
        wrong = type_ == COMPRESSED and made.restored
        return replace(made, restored=wrong[:-1] + bytes([wrong[-1] ^ 1])) if wrong else made

    monkeypatch.setattr(decompressor.Decompressor, "receive", spoilt)
    (result,) = few(vj.CELLS).run([cell("vj", "tcp-bulk-data", build=real_build)], ArtefactStore(tmp_path))
    assert result["verdict"] == "fail" and "a packet of" in result["reason"]
    assert result["minimised"]["packets"] == 2
    assert len(list(engine_pcapng.read(tmp_path / result["minimised"]["capture"]))) == 2
    assert "must come out" in (tmp_path / result["evidence"]).read_text()
    assert result["capture"].endswith("link.pcapng.gz")


@pytest.mark.usefixtures("patient")
def test_a_packet_that_is_changed_before_the_link(
    tmp_path: Path, real_build: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def spoilt(config: ReplayConfig) -> line.Compressed:
        link = vj.LINE.compress(config)
        return replace(link, sent=tuple(replace(one, link=one.link[:-1] + b"\0") for one in link.sent))

    monkeypatch.setattr(CompressorJudge, "sent", lambda *_: [])
    scheme = replace(few(vj.CELLS), send=spoilt)
    (result,) = scheme.run([cell("vj", "tcp-bulk-data", build=real_build)], ArtefactStore(tmp_path))
    assert result["verdict"] == "fail" and result["reason"].startswith("reference: the judge does not restore")


@pytest.mark.parametrize(
    ("at_once", "sentence"),
    [(True, "link packet 1 (type 0x002f): 2 packets come out"), (False, "1 packets come out when no link packet")],
)
def test_a_packet_that_comes_out_besides(
    tmp_path: Path, real_build: str, monkeypatch: pytest.MonkeyPatch, at_once: bool, sentence: str
) -> None:
    decompress = one_side.decompress

    def spoilt(*args):
        result, came_out = decompress(*args)
        if at_once:
            result.records[0]["decompressor"].append({"status": "OK"})
        else:
            result.records.append({"direction": "forward", "inserted": True, "status": "OK"})
        return result, [came_out[0], *came_out]

    monkeypatch.setattr(one_side, "decompress", spoilt)
    (result,) = few(vj.CELLS).run([cell("vj", "tcp-bulk-data", build=real_build)], ArtefactStore(tmp_path))
    assert result["verdict"] == "fail" and sentence in result["reason"]


def test_a_link_packet_that_no_packet_became(tmp_path: Path, real_build: str, monkeypatch: pytest.MonkeyPatch) -> None:
    compress = one_side.compress

    def spoilt(*args):
        result, (sources, link) = compress(*args)
        return result, [sources, [*link, link[-1]]]

    monkeypatch.setattr(one_side, "compress", spoilt)
    (result,) = few(vj.CELLS).run([cell("vj", "tcp-bulk-data", build=real_build)], ArtefactStore(tmp_path))
    assert result["verdict"] == "error"
    assert result["reason"] == "The compressor sends 1 link packets besides those that its packets became."


@pytest.mark.usefixtures("patient")
def test_units_that_no_receiver_can_deliver(tmp_path: Path, real_build: str) -> None:
    """TS packets that are said to be scrambled: no sentence of RFC 4326 is broken, and receivers discard them."""

    def scrambled(config: ReplayConfig) -> ule_line.Encapsulated:
        sent = ule_line.encapsulate(config)
        packets = tuple((time, ts[:3] + bytes([ts[3] | 0xC0]) + ts[4:]) for time, ts in sent.packets)
        return replace(sent, packets=packets)

    scheme = replace(few(ule.CELLS), send=scrambled)
    (result,) = scheme.run([cell("ule", "voip-amr-nb-ipv4", build=real_build)], ArtefactStore(tmp_path))
    assert result["verdict"] == "fail" and "the judge's receiver delivers 0 of 30 PDUs" in result["reason"]
    assert result["minimised"]["packets"] == 1


@pytest.mark.usefixtures("patient")
def test_a_unit_that_the_judge_does_not_deliver(
    tmp_path: Path, real_build: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    receive = ule_line.receive

    def spoilt(*args, **named):
        found = receive(*args, **named)
        return replace(found, units=tuple(one[:-1] + b"\0" for one in found.units))

    monkeypatch.setattr(ule_line, "receive", spoilt)
    (result,) = few(ule.CELLS).run([cell("ule", "voip-amr-nb-ipv4", build=real_build)], ArtefactStore(tmp_path))
    assert result["verdict"] == "fail" and "is none that the judge delivers" in result["reason"]
    assert result["minimised"]["packets"] == 1
    assert "the judge delivers" in (tmp_path / result["minimised"]["evidence"]).read_text()
