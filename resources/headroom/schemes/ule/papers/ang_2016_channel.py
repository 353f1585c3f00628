# SPDX-License-Identifier: Apache-2.0
"""The test-bed of Ang, Sarwar and Wan (2016) in virtual time.

ROHC in unidirectional mode, carried by ULE over a DVB-S channel of 8 Mbit/s that is fed by an ASI card with two buffers
of six TS packets. Streams are those of the paper's generator: GSM, 33 octets every 20 ms, with the addresses and ports
of one host and an SSRC each.
"""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from statistics import fmean, stdev
from typing import Any

from headroom.core import replay
from headroom.core.implementations import Implementation, find
from headroom.core.run.run import Run
from headroom.schemes.ule import NAME, carriage
from headroom.schemes.ule.options import LARGEST_PDU
from headroom.schemes.ule.papers import ang_2016_model as model

RATE = 8_000_000
SATELLITE = {"rate_bps": RATE, "slots": {"packet_octets": model.TS_PACKET}}
REFRESH_INTERVAL = 350  # packets between IRs
IRS = 3  # of a refresh
VOICE = {"IPv4": "voip-gsm-shared-ports-ipv4", "IPv6": "voip-gsm-shared-ports-ipv6"}
HEADERS = {"IPv4": 20, "IPv6": 40}
UDP, RTP = 8, 12
VOICE_PAYLOAD = 33
INTERVAL_NS = 20_000_000

# The profiles that a compressor may use: what each row of the paper calls its profile, and the ones below it.
ROHC_PROFILES = {
    "IP": ["0x0000", "0x0004"],
    "UDP": ["0x0000", "0x0004", "0x0002"],
    "RTP": ["0x0000", "0x0004", "0x0002", "0x0001"],
}
BEHIND = {"IP": UDP + RTP, "UDP": RTP, "RTP": 0}  # octets of headers that a profile leaves in the payload


@dataclass(frozen=True)
class Carriage:
    """A way to carry packets: SNDUs, sections or GSE packets. `overhead`: octets around each packet, including its
    share of octets that several packets have in common; `slot_octets`: octets of a link packet."""

    title: str
    config: dict[str, Any]
    overhead: float
    slot_octets: int = model.TS_PACKET


BRIDGED = Carriage("bridged, D 1", {"bridged": True, "address": "absent"}, 22)
CARRIAGES = (
    BRIDGED,
    Carriage("bridged, D 0", {"bridged": True, "address": "present"}, 28),
    Carriage("direct, D 0", {"bridged": False, "address": "present"}, 14),
    Carriage("direct, D 1", {"bridged": False, "address": "absent"}, 8),
    Carriage(
        "concat of 4",
        {"bridged": False, "address": "absent", "concat": 4, "concat_threshold_us": 1000},
        (model.ULE + 2) / 4 + 2,
    ),
)
# Encapsulations to compare with, over a link of the same rate. BBFRAMEs take the slots of TS packets.
BBFRAME = 384
OTHERS = {
    "mpe": Carriage("MPE", {"encapsulation": "mpe"}, model.MPE),
    "gse-label": Carriage("GSE, label", {"encapsulation": "gse"}, model.GSE + 6, BBFRAME),
    "gse": Carriage("GSE", {"encapsulation": "gse", "address": "absent"}, model.GSE, BBFRAME),
}


@dataclass(frozen=True)
class Setup:
    """One arrangement of the test-bed. `profile` is that of ROHC, or "" where packets go uncompressed."""

    run: Run
    ip: str = "IPv4"
    profile: str = ""
    carriage: Carriage = BRIDGED
    packing: str = "packing"
    threshold_us: int = 1000
    interval: int = REFRESH_INTERVAL
    max_cid: int = 500
    link: dict[str, Any] = field(default_factory=lambda: dict(SATELLITE))
    options: dict[str, Any] = field(default_factory=dict)  # of the ROHC compressor, besides

    @property
    def ule(self) -> dict[str, Any]:
        return {
            "mrru": LARGEST_PDU,
            "packing": self.packing,
            "threshold_us": self.threshold_us,
            **self.carriage.config,
        }

    @property
    def headers(self) -> int:
        """Octets of the IP, UDP and RTP headers."""
        return HEADERS[self.ip] + UDP + RTP


def carried_by(setup: Setup, way: Carriage) -> Setup:
    """The setup with another carriage, and slots for its link packets."""
    slots = {**setup.link.get("slots", {}), "packet_octets": way.slot_octets}
    return with_link(replace(setup, carriage=way), slots=slots)


def with_link(setup: Setup, **changes: Any) -> Setup:
    return replace(setup, link={**setup.link, **changes})


def _encapsulator(implementation: Implementation, encapsulation: str) -> Implementation:
    """The implementation where it has this scheme with the encapsulation, else the reference."""
    declared = [
        capability.get("encapsulation", ["ule"])
        for capability in implementation.capabilities
        if capability["scheme"] == NAME
    ]
    return implementation if any(encapsulation in entry for entry in declared) else find("reference")


def config_of(setup: Setup, **changes: Any) -> replay.ReplayConfig:
    """The replay of an arrangement: over ULE alone, or with ROHC over it."""
    run = setup.run
    common = {"seed": run.seed, "build": run.build, "packets": None, **changes}
    encapsulation = setup.carriage.config.get("encapsulation", "ule")
    sides = [_encapsulator(implementation, encapsulation) for implementation in (run.compressor, run.decompressor)]
    if not setup.profile:
        return replay.ReplayConfig(
            NAME, *sides, channel=setup.ule, forward=setup.link, **{"source": VOICE[setup.ip], **common}
        )
    ule = replay.ReplayConfig(NAME, *sides, channel=setup.ule)
    return replay.ReplayConfig(
        "rohc",
        run.compressor,
        run.decompressor,
        forward=setup.link,
        carrier=replay.Carrier(ule, carriage.ETHER_TYPE),
        **rohc(setup),
        **{"source": VOICE[setup.ip], **common},
    )


def rohc(setup: Setup) -> dict[str, Any]:
    """Channel and options of ROHC: large CIDs, unidirectional, an IR thrice after so many other packets."""
    channel = {
        "mode": "U",
        "cids": "large",
        "max_cid": setup.max_cid,
        "profiles": ROHC_PROFILES[setup.profile or "RTP"],
    }
    options = {
        "repeats": IRS,
        "ir_refresh": {"packets": setup.interval + IRS, "ms": 0},
        "ir_refresh_start": 0,
        "ir_repeats": IRS,
        "fo_refresh": {"packets": 0, "ms": 0},
        "ssrcs_per_flow": setup.max_cid + 1,
        **setup.options,
    }
    return {"channel": channel, "compressor_options": options}


def many(configs: Iterable[replay.ReplayConfig]) -> Iterator[replay.Replay]:
    """Replays in order. Raises what `checked` raises."""
    return map(checked, replay.run_many(configs))


def checked(result: replay.Replay) -> replay.Replay:
    """Returns the replay unchanged. Raises RuntimeError if a packet came out different, or did not come out over a
    clean link."""
    if wrong := result.failures():
        raise RuntimeError(" ".join(wrong))
    missing = result.sent - result.count("identical")
    if missing and not replay.is_impaired(result.config):
        raise RuntimeError(f"{missing} of {result.sent} packets did not come out.")
    return result


def ts_packets(result: replay.Replay) -> int:
    """TS packets, or the BBFRAMEs in their place, that were put on the link."""
    direction = result.direction()
    return int(direction.get("carrier", direction)["link"]["packets"])


# ---- streams (5.3.2)


def refresh_period_ns(setup: Setup, flows: int) -> int:
    """The time in which the IRs of all contexts are sent once."""
    packets = setup.interval + IRS
    each = INTERVAL_NS if setup.profile == "RTP" else INTERVAL_NS // flows
    return packets * each if setup.profile else 50 * INTERVAL_NS


def periods(setup: Setup, flows: int) -> int:
    """Whole refresh periods of at least a second."""
    return -(-1_000_000_000 // refresh_period_ns(setup, flows))


def load(setup: Setup, counts: Sequence[int]) -> list[float]:
    """Link packets of so many streams, as a share of what the link carries, over whole refresh periods; the first ones,
    in which contexts begin, do not count."""
    configs = []
    for flows in counts:
        span = periods(setup, flows) * refresh_period_ns(setup, flows)
        configs += [config_of(setup, flows=flows, duration_s=times * span / 1e9, records="none") for times in (1, 2)]
    results = [ts_packets(result) for result in many(configs)]
    shares = []
    for index, flows in enumerate(counts):
        span = periods(setup, flows) * refresh_period_ns(setup, flows)
        octets = (results[2 * index + 1] - results[2 * index]) * setup.carriage.slot_octets
        shares.append(octets * 8 / (RATE * span / 1e9))
    return shares


MOST_STEPS = 8


def most_streams(setup: Setup, guess: int) -> int:
    """The largest number of streams whose link packets the link carries. The load is nearly proportional to the number,
    so that a few steps from a guess suffice."""
    known: dict[int, float] = {}
    flows = guess
    for _ in range(MOST_STEPS):
        wanted = [number for number in (flows, flows + 1) if number not in known]
        known |= dict(zip(wanted, load(setup, wanted), strict=True))
        if known[flows] <= 1 < known[flows + 1]:
            return flows
        step = round(flows / known[flows]) - flows
        flows += step if step else (1 if known[flows + 1] <= 1 else -1)
    raise RuntimeError(f"No largest number of streams was found around {flows}: {known}.")


@dataclass(frozen=True)
class Arrivals:
    """Inter-arrival times, ms: the mean over streams of each stream's mean, and of its standard deviation."""

    mean: float
    jitter: float
    packets: int


def arrivals(setup: Setup, flows: int, duration_s: float, from_s: float = 0.0, **changes: Any) -> Arrivals:
    """The arrivals of the packets of `flows` streams, from a time on."""
    config = config_of(setup, flows=flows, duration_s=duration_s, records="all", record_octets=False, **changes)
    return arrivals_of(next(many([config])), from_s)


def arrivals_of(result: replay.Replay, from_s: float = 0.0) -> Arrivals:
    times: dict[int, list[int]] = {}
    for record in result.records:
        if "flow" not in record or record["time_ns"] < from_s * 1e9:
            continue
        came = [entry["time_ns"] for entry in record["decompressor"] if entry["status"] == "OK"]
        times.setdefault(record["flow"], []).extend(came[:1])
    return arrivals_by_stream(times.values())


def arrivals_by_stream(times_ns: Collection[Sequence[int]]) -> Arrivals:
    """Inter-arrival times from the times of each stream's packets, in order. Streams of fewer than 3 do not count."""
    gaps = [[(b - a) / 1e6 for a, b in itertools.pairwise(entry)] for entry in times_ns if len(entry) > 2]
    return Arrivals(fmean(fmean(gap) for gap in gaps), fmean(stdev(gap) for gap in gaps), sum(map(len, times_ns)))
