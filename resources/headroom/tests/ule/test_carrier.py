# SPDX-License-Identifier: Apache-2.0
"""ROHC over ULE: link packets of one scheme as PDUs of another (RFC 4326, 4.4: PDUs are named by their EtherType)."""

import itertools
from pathlib import Path
from typing import Any

import pytest

from headroom.core import replay, replay_options
from headroom.core.captures import engine_pcapng
from headroom.core.errors import HeadroomError, UsageError
from headroom.core.replay import Replay
from headroom.core.scheme_registry import all_schemes
from headroom.schemes.ule.judge.receiver import Receiver
from headroom.tests.runs import run_of

ETHER_TYPE = 0x22F1
MAC_HEADER = 14


def configured(source: str = "voip-amr-nb-ipv6", **named: Any) -> replay.ReplayConfig:
    words = {"carrier": "ule", "flows": "7", "packets": "700", **{name: str(value) for name, value in named.items()}}
    made = replay_options.config_of(all_schemes()["rohc"], source, words, run_of(seed=4))
    made.records = "all"
    return made


def carried(done: Replay) -> dict[str, Any]:
    return done.direction()["carrier"]


@pytest.mark.engine
@pytest.mark.parametrize(("packing", "address"), list(itertools.product(("packing", "padding"), ("present", "absent"))))
@pytest.mark.parametrize("frames", ["none", "whole", "bridged"])
def test_every_packet_comes_out_as_it_went_in(packing: str, address: str, frames: str, tmp_path: Path) -> None:
    """The judge receives every ROHC packet from the same TS packets, too."""
    words = {"whole": {"carrier.ethernet": "yes"}, "bridged": {"carrier.bridged": "yes"}, "none": {}}[frames]
    config = configured(**{"carrier.packing": packing, "carrier.address": address, **words})
    config.outputs = {"link": tmp_path / "link.pcapng"}
    done = replay.run(config)
    assert done.count("identical") == done.sent == 700
    assert carried(done)["packets"] == {
        "carried": 700,
        "refused": 0,
        "delivered": 700,
        "duplicates": 0,
        "damaged": 0,
        "unknown": 0,
        "other_types": 0,
    }
    judge = Receiver(bridged=frames == "bridged")
    packets = [one.octets for one in engine_pcapng.read(tmp_path / "link.pcapng")]
    assert len(packets) == carried(done)["link"]["packets"]
    units = [unit for packet in packets for unit in judge.take(packet)]
    assert judge.events == {}
    assert {unit.type for unit in units} == {0x6558 if frames == "whole" else ETHER_TYPE}
    header = MAC_HEADER if frames == "whole" else 0
    sent = [record["link"] for record in done.records]
    assert [unit.octets[header:].hex() for unit in units] == sent


@pytest.mark.engine
@pytest.mark.parametrize(
    "words",
    [
        {"profile": "rtp-video", "cids": "large", "max_cid": 300},
        {"profile": "udp-dns-like-ipv6"},
        {"profile": "voip-g711-ipv4", "mode": "O", "feedback_delay": 20},
        {"profile": "voip-g711-ipv4", "mode": "R", "feedback_loss": 0.1},
        {"profile": "voip-amr-nb-ipv6", "channels": 3, "max_cid": 1},
        {"profile": "voip-amr-nb-ipv6", "mrru": 2000, "largest_packet": 40},
    ],
    ids=lambda words: ",".join(str(value) for value in words.values()),
)
def test_channels_of_all_kinds_are_carried(words: dict[str, Any]) -> None:
    profile, *_ = words.values()
    named = {name: value for name, value in words.items() if name != "profile"}
    done = replay.run(configured(profile, **named))
    assert done.count("identical") == done.sent
    assert not done.failures()


@pytest.mark.engine
def test_what_ts_packets_lose_is_lost_on_the_link() -> None:
    named = {"loss": "0.02", "ber": "2e-6", "header_errors": "mark", "reorder": "0.01", "duplicate": "0.01"}
    done = replay.run(configured("voip-g711-ipv4", **named))
    found, link = carried(done)["packets"], carried(done)["link"]
    assert done.differing == 0
    assert found["damaged"] == found["unknown"] == 0
    assert link["lost"]["loss"] > 10
    assert link["duplicated"] > 0
    assert link["marked"] > 0 < link["reordered"]
    lost = found["carried"] - found["delivered"]
    assert lost >= link["lost"]["loss"]
    assert done.count("lost_on_link") == lost == done.direction()["link"]["lost"]["carrier"]
    fates = [record["fate"] for record in done.records]
    assert fates.count("carrier") == lost
    assert done.count("identical") + done.count("not_delivered") == 700 - lost


@pytest.mark.engine
def test_slots_delay_every_packet_by_its_wait() -> None:
    """8 Mbit/s: a buffer of six TS packets lasts 1,128 us. In padding mode each packet has TS packets of its own."""
    done = replay.run(configured(**{"rate": 8_000_000, "slots": "188:6:2:1", "carrier.packing": "padding"}))
    assert done.count("identical") == 700
    for record in done.records:
        arrived = record["decompressor"][0]["time_ns"]
        assert arrived % 188_000 == 0
        assert 188_000 <= arrived - record["time_ns"] <= 1_128_000 + 8 * 188_000
    assert carried(done)["link"]["slots"]["carried"] == carried(done)["link"]["packets"]


@pytest.mark.engine
def test_the_same_seed_gives_the_same_octets() -> None:
    first, second = (replay.run(configured(loss="0.05")).document for _ in range(2))
    assert first == second


def test_arguments_of_the_carrier() -> None:
    made = configured(channels=3, **{"carrier.threshold_us": 5, "carrier.type": "0x1234", "carrier.ethernet": "yes"})
    assert made.carrier is not None
    assert made.carrier.config.channel == {"channels": 3, "mrru": 2000, "threshold_us": 5}
    assert (made.carrier.type, made.carrier.ethernet) == (0x1234, True)
    job = replay.job(made)["carrier"]
    assert job["compressor"]["config"]["scheme"] == "ule"
    assert (job["type"], job["ethernet"]) == (0x1234, True)
    made.decompressor = None
    assert "decompressor" not in replay.job(made)["carrier"]


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ({"carrier": "pigeon"}, "names no scheme that carries packets"),
        ({"carrier.nest": "1"}, r"'carrier\.nest' is not known here"),
        ({"carrier.threshold_us": "soon"}, r"carrier\.threshold_us=soon is not valid"),
        ({"encapsulation": "ppp"}, "packets of ULE have no PPP protocol number"),
    ],
)
def test_arguments_that_are_wrong(words: dict[str, str], sentence: str) -> None:
    with pytest.raises(UsageError, match=sentence):
        configured(**words)


@pytest.mark.engine
@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ({"reverse": "yes", "feedback": "piggybacked"}, "a carrier carries one direction"),
        ({"carrier.type": "0x100"}, "/carrier/type|at carrier.type"),
        ({"channels": 3, "carrier.channels": 1}, "each channel needs one of the carrier's"),
    ],
)
def test_jobs_that_cannot_be(words: dict[str, Any], sentence: str) -> None:
    with pytest.raises(HeadroomError, match=sentence):
        replay.run(configured(**words))


# ---- many channels: behind a packet, encapsulators put out what is due on others by then


@pytest.mark.engine
@pytest.mark.parametrize("words", [{}, {"concat": "3", "concat_threshold_us": "50000"}, {"encapsulation": "gse"}])
def test_deadlines_of_many_channels_that_coincide(words: dict[str, str]) -> None:
    named = {"flows": "500", "packets": "5000", "channels": "200", **words}
    made = replay_options.config_of(all_schemes()["ule"], "udp-1500", named, run_of(seed=4))
    made.channel["mrru"] = 1500
    done = replay.run(made)
    assert done.failures() == []
    assert done.count("identical") == done.sent


@pytest.mark.engine
def test_a_carrier_of_many_channels_loses_nothing() -> None:
    done = replay.run(
        configured(
            "udp-1500", flows=500, packets=5000, **{"carrier.channels": "200", "cids": "large", "max_cid": "600"}
        )
    )
    assert done.failures() == []
    assert done.count("identical") == done.sent
