# SPDX-License-Identifier: Apache-2.0
"""A replay looked at packet by packet, beside a judge that gets the same arrivals: for cells that are not clean."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from headroom.conformance.arrivals import ATTEMPTS, CRC_WIDTH, TYPE_0_AND_1_WIDTH, flipped, poisson_limit
from headroom.measure import pcapng, replay
from headroom.oracle.rohc import Decompressor, Outcome, Parameters
from headroom.oracle.rohc.errors import Unsupported
from headroom.oracle.rohc.profiles import PROFILES

# Verdicts of the engine on a packet, the worst first.
BAD = ("mismatched", "unexpected", "not_compressed", "not_delivered", "not_run")
DISTURBANCE_LASTS = 64  # packets after which a judge that cannot read them has nothing more to excuse


@dataclass
class Arrival:
    """A link packet as it arrived. `outcome` is what the judge makes of it; None where no judge can look."""

    index: int
    octets: bytes
    status: str
    verdict: str
    outcome: Outcome | None = None

    @property
    def kind(self) -> str:
        """Packet type as the judge reads it; "" when it does not."""
        packet = self.outcome.packet if self.outcome else None
        return packet.kind if packet is not None else ""

    @property
    def not_judged(self) -> bool:
        return self.outcome is None or isinstance(self.outcome.error, Unsupported)


@dataclass
class Study:
    """One replay with all its records; `originals` are what had to come out, by packet."""

    done: replay.Replay
    originals: list[bytes]
    arrivals: list[Arrival] = field(default_factory=list)

    @property
    def records(self) -> dict[int, dict[str, Any]]:
        return {
            record["packet"]: record
            for record in self.done.records
            if "packet" in record and record.get("direction") == "forward"
        }

    def first_bad(self) -> dict[str, Any] | None:
        """The record of the first packet that came out wrong; where none did, of the first that did not come out."""
        bad = [record for record in self.records.values() if record.get("verdict") in BAD]
        wrong = [record for record in bad if record["verdict"] in ("mismatched", "unexpected")]
        return min(wrong or bad, key=lambda record: record["packet"], default=None)

    def arrival(self, index: int) -> Arrival | None:
        """The arrival of a packet; of several copies the first that was not well."""
        mine = [one for one in self.arrivals if one.index == index]
        return next((one for one in mine if one.status != "OK"), mine[0] if mine else None)

    def got(self, index: int) -> bytes | None:
        """What came out of a packet, where it was wrong and the engine kept it."""
        for found in self.done.direction()["mismatch_list"]:
            if found["packet"] == index:
                return bytes.fromhex(found["got"])
        return None

    def allowed_wrong(self) -> int:
        """Wrong packets that chance explains: CRCs miss a damaged header with a probability of 2^-w.

        The judge says which arrivals had such a chance; what it restores wrong itself is no chance any more, for then
        the CRC says nothing to anybody. What it cannot read had a chance for a while after each disturbance of the
        link.
        """
        chances = 0.0
        disturbed = -DISTURBANCE_LASTS
        records = self.records
        expected = 0
        for arrival in self.arrivals:
            record = records[arrival.index]
            if record.get("held") or record.get("flipped") or arrival.index != expected:
                disturbed = arrival.index
            expected = arrival.index + 1
            if arrival.not_judged:
                if arrival.index - disturbed < DISTURBANCE_LASTS:
                    chances += 2.0**-TYPE_0_AND_1_WIDTH
            elif arrival.outcome is not None and arrival.outcome.delivered is None:
                chances += 2.0 ** -CRC_WIDTH.get(arrival.kind, TYPE_0_AND_1_WIDTH)
            elif arrival.outcome is not None and arrival.outcome.delivered != self.originals[arrival.index]:
                chances += 1.0
        return poisson_limit(ATTEMPTS * chances)


def study(wanted: replay.Wanted, folder: Path, expected: list[bytes] | None = None, judge: bool = True) -> Study:
    """Replays with every record; the captures of it go to `folder`. Same seed, same octets as before.

    `expected` says what had to come out where there is no compressor. Raises EngineFailure as `replay.run` does.
    """
    outputs = {name: folder / f"{name}.pcapng" for name in ("source", "link", "decompressed")}
    if wanted.decompressor is None:
        del outputs["decompressed"]
    done = replay.run(replace(wanted, records="all", record_octets=True, outputs=outputs))
    originals = expected if expected is not None else [one.octets for one in pcapng.read(outputs["source"])]
    found = Study(done, originals)
    found.arrivals = _arrivals(found.records)
    if judge and not done.promise_broken:
        _judge(found, wanted.channel)
    return found


def _arrivals(records: dict[int, dict[str, Any]]) -> list[Arrival]:
    """All arrivals in order. Of those at one time, the ones that were held back come last."""
    found = []
    for index, record in sorted(records.items()):
        if "link" not in record or record.get("fate") != "delivered":
            continue
        octets = flipped(bytes.fromhex(record["link"]), record.get("flipped", ()))
        for one in record.get("decompressor", ()):
            late = bool(record.get("held")) and not one.get("duplicate")
            found.append(((one["time_ns"], late, index), Arrival(index, octets, one["status"], record["verdict"])))
    found.sort(key=lambda pair: pair[0])
    return [arrival for _, arrival in found]


def _judge(found: Study, channel: dict[str, Any]) -> None:
    if any(int(profile, 16) not in PROFILES for profile in channel["profiles"]):
        return
    judge = Decompressor(Parameters.of(channel))
    for arrival in found.arrivals:
        arrival.outcome = judge.decompress(arrival.octets)
