# SPDX-License-Identifier: Apache-2.0
"""The signature of a packet that went wrong: its type, the field that differs, and the judge's reading of it."""

from typing import Any

from headroom.core import replay
from headroom.core.captures import fields
from headroom.core.scheme_kit.signature import SEPARATOR, of_promise, plain
from headroom.schemes.rohc.interop.study import Study

RTP_PROFILES = ("0x0001", "0x0007", "0x0101", "0x0107")


RESTORES = "the judge restores it"
BESIDES = "a link packet that no packet became"


def of_study(seen: Study, profile: str) -> str:
    """The first packet that went wrong or, if none did, that came out besides; "" if there is none."""
    if seen.done.promise_broken:
        return of_promise(seen.done)
    record = seen.first_bad()
    if record is None:
        besides = next((one for one in seen.done.besides if one["status"] == "OK"), None)
        if besides is None:
            return ""
        return f"a packet comes out of {BESIDES if besides['link'] else 'no link packet'}"
    arrival = seen.arrival(record["packet"])
    kind = (arrival.kind if arrival else "") or record.get("compressor", {}).get("type") or "link packet"
    verdict = record["verdict"]
    if verdict == "not_compressed":
        status = record.get("compressor", {}).get("status", "no status")
        return SEPARATOR.join(("not compressed", status))
    if verdict in ("mismatched", "unexpected"):
        parts = [f"{kind} comes out wrong", difference(seen, record["packet"], profile)]
    else:
        parts = [f"{kind} does not come out", arrival.status if arrival else "no status"]
    return SEPARATOR.join([*filter(None, parts), opinion(seen, record)])


def of_shortfall(result: replay.Replay) -> str:
    """The signature of a cell with too little output: the most frequent status of the packets that are missing."""
    statuses = result.direction()["verdicts"].get("not_delivered_by_status", {})
    return SEPARATOR.join(
        ("too little comes out", max(statuses, key=lambda status: statuses[status], default="no status"))
    )


def difference(seen: Study, packet: int, profile: str) -> str:
    """The first field that differs; "" if nothing is known about what came out."""
    got = seen.got(packet)
    if got is None:
        return ""
    original = seen.originals[packet]
    common = min(len(original), len(got))
    at = next((n for n in range(common) if original[n] != got[n]), common)
    # Length and checksum fields follow from what differs after them.
    parts = fields.dissect(original, profile in RTP_PROFILES)
    derived = ("IPv4 header checksum", "IPv4 total length", "IPv6 payload length")
    differing = [
        part.name
        for part in parts
        if original[part.offset : part.offset + part.length] != got[part.offset : part.offset + part.length]
    ]
    telling = [name for name in differing if not name.endswith(derived)]
    return (telling or differing or [fields.name_at(original, at, profile in RTP_PROFILES)])[0]


def opinion(seen: Study, record: dict[str, Any]) -> str:
    """The judge's reading of the packet, which shows the side that is more likely at fault."""
    arrival = seen.arrival(record["packet"])
    if arrival is None or arrival.is_not_judged:
        return "no judge"
    assert arrival.outcome is not None
    if arrival.outcome.error is not None:
        return f"the judge refuses it: {plain(arrival.outcome.error.sentence)}"
    if arrival.outcome.delivered == seen.originals[record["packet"]]:
        disturbed = any(one["link"] and one["time_ns"] < arrival.time_ns for one in seen.done.besides)
        return f"{RESTORES}, but {BESIDES} came before" if disturbed else RESTORES
    return "the judge restores something else"
