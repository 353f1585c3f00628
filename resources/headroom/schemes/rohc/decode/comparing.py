# SPDX-License-Identifier: Apache-2.0
"""Comparison of two readings of a packet, and the cases in which tshark's reading is no evidence.

tshark parses ROHC, but neither decompresses it nor checks CRCs. Measured with 4.0.17 over the reference's packets in
all modes, with small and large CIDs: a disagreement is reported only for packets that tshark always read right there.
"""

from collections.abc import Callable
from dataclasses import dataclass

from headroom.core.captures.dissection import Ours, Reading, ReadingComparison
from headroom.schemes.rohc.judge.v1.packet import Packet
from headroom.schemes.rohc.judge.v1.profiles import RTP, UNCOMPRESSED

# What lies in front of every place where tshark stops: in IR and IR-DYN packets, and in a base header.
FRONT = ("CID", "profile", "CRC")
BASE_HEADER = (*FRONT, "SN bits", "TS bits", "IP-ID bits")
STOPS = ("not dissected yet", "profile-specific part not dissected", "profile not supported", "unknown IP version")
# What tshark says of a packet that it does not read, and our words for it.
NOT_READ = {
    "malformed": "tshark takes it for malformed",
    "calls it an error": "tshark takes it for an error",
    "segments are not put together": "tshark does not put segments together",
}


@dataclass
class RohcReading(Ours):
    """The judge's reading of a link packet; `packet` is None if the judge refuses it."""

    packet: Packet | None = None
    versions: tuple[int, ...] = ()  # of the IP headers of its context
    lists: bool = False  # whether it is of a context with extension headers
    refuses_ir: bool = False  # whether it is an IR or IR-DYN packet that the judge refuses
    unsupported: bool = False  # refused because the judge does not implement something, which is no fault of it
    other_feedback_cids: bool = False  # its feedback has CIDs of the other size than its headers


class Limits:
    """The packets of one channel that tshark cannot read, some of them because of earlier packets."""

    def __init__(self) -> None:
        self._beyond: set[int] = set()  # CIDs whose IP flags tshark does not know
        self._modes: set[int] = set()  # CIDs whose mode a packet has set
        self._refused: set[int] = set()  # CIDs whose last IR packet our judge refuses, and tshark does not

    def why_silent(self, ours: RohcReading) -> str:
        """The reason why tshark's reading of this packet is not compared with ours; "" if it is compared."""
        packet = ours.packet
        if ours.refuses_ir and isinstance(cid := ours.values.get("CID"), int):
            self._refused.add(cid)
        if packet is None and ours.unsupported:
            return "our judge does not read the packet"
        if packet is None:
            return "our judge refuses the packet, and tshark keeps no state and checks no CRC"
        if packet.tcp is not None:
            return "tshark does not decode ROHC-TCP"
        if packet.kind == "segment":
            return "tshark does not put segments together"
        if any("last segment" in note for note in ours.notes):
            return "tshark does not put segments together"
        if packet.kind == "feedback":
            return "tshark does not decode feedback of ROHC-TCP" if _is_of_tcp(ours) else ""
        if packet.kind in ("IR", "IR-DYN"):
            self._beyond.discard(packet.cid)
            self._modes.discard(packet.cid)
            self._refused.discard(packet.cid)
        if packet.cid in self._refused:
            return "tshark has taken an IR packet that our judge refuses"
        if _has_visible_mode(ours):
            self._modes.add(packet.cid)
        if (
            packet.header is not None
            and packet.value("extension 3") is not None
            and (packet.value("ip") or packet.value("ip2"))
        ):
            self._beyond.add(packet.cid)
        return self._by_profile(ours)

    def has_not_seen_mode(self, ours: RohcReading) -> bool:
        """True if tshark has not seen the mode, by which it tells UO-0 from R-0 and UO-1 from R-1.

        Until then, version 4.0 reads the mode from uninitialised memory.
        """
        packet = ours.packet
        if packet is None or packet.header is None or packet.kind.startswith("UOR-2"):
            return False
        return packet.cid not in self._modes

    def _by_profile(self, ours: RohcReading) -> str:
        packet = ours.packet
        assert packet is not None
        if packet.profile is UNCOMPRESSED:
            return "" if packet.kind == "IR" else "tshark shows no more of a Normal packet than the IP packet"
        if packet.kind in ("IR", "IR-DYN") and ours.lists:
            return "tshark does not read lists of extension headers"
        if packet.kind == "IR":
            return ""
        if packet.profile is not RTP:
            return f"tshark does not decode {packet.kind} of profile {packet.profile}"
        if packet.cid in self._beyond:
            return "an extension 3 changed IP flags: tshark takes RND from IR packets alone"
        if len(ours.versions) > 1 and packet.kind not in ("UO-0", "R-0", "R-0-CRC"):
            return "tshark knows of one IP header, and takes dynamic chains and packet formats to be those of it"
        return ""


def _is_of_tcp(ours: RohcReading) -> bool:
    elements = ours.values.get("feedback")
    return isinstance(elements, list) and any(isinstance(element, dict) and "MSN" in element for element in elements)


def _has_visible_mode(ours: RohcReading) -> bool:
    """True if a packet with a single IP header carries the mode where tshark reads it: in extension 3, or in the
    dynamic chain of an IPv4 header without lists.
    """
    packet = ours.packet
    assert packet is not None
    if len(ours.versions) > 1:
        return False
    if packet.dynamic is not None and packet.dynamic.rtp is not None:
        return packet.dynamic.rtp.mode is not None and ours.versions == (4,) and not ours.lists
    extension = packet.header.extension if packet.header is not None else None
    return extension is not None and extension.mode is not None


def compare(ours: RohcReading, theirs: Reading | None, limits: Limits) -> ReadingComparison:
    """Every value that both have."""
    comparison = ReadingComparison(silent=limits.why_silent(ours))
    if comparison.silent or theirs is None:
        return comparison
    if ours.title != theirs.title and limits.has_not_seen_mode(ours):
        comparison.silent = "tshark has not seen the mode, by which it tells UO-0 from R-0 and UO-1 from R-1"
        return comparison
    if theirs.error or not (theirs.title or theirs.values):
        comparison.silent = theirs.error or "tshark says nothing of it"
        return comparison
    if reasons := [note for note in theirs.notes if note in NOT_READ]:
        comparison.silent = NOT_READ[reasons[0]]
        return comparison
    assert ours.packet is not None
    if ours.packet.kind != "feedback" and theirs.title:
        comparison.hold("type", ours.title, theirs.title)
    readable = _readable(ours, theirs)
    for name, value in ours.values.items():
        if name not in theirs.values or name == "feedback":
            continue
        other = theirs.values[name]
        if isinstance(value, list) and isinstance(other, list):
            comparison.hold(name, value[: len(other)], other)  # tshark reads no IP header after the first one
        elif readable(name):
            comparison.hold(name, value, other)
    if not ours.other_feedback_cids and not _is_of_tcp(ours):
        _compare_feedback(comparison, ours, theirs)
    return comparison


def _readable(ours: RohcReading, theirs: Reading) -> Callable[[str], bool]:
    """Tells the values that lie in front of the place where tshark stops, or goes on at the wrong one."""
    without = {"TS bits", "IP-ID bits"} if "extension" in ours.values else set()  # tshark shows the parts
    chains = ours.title in ("IR", "IR-DYN")
    stops = any(note in STOPS for note in theirs.notes) or (chains and len(ours.versions) > 1)
    front = FRONT if chains else BASE_HEADER
    return lambda name: name not in without and (name in front or not stops)


def _compare_feedback(comparison: ReadingComparison, ours: RohcReading, theirs: Reading) -> None:
    mine, other = ours.values.get("feedback"), theirs.values.get("feedback")
    if not isinstance(mine, list) or not isinstance(other, list) or len(mine) != len(other):
        return
    for number, (a, b) in enumerate(zip(mine, other, strict=True)):
        for name in a:
            if name in b:
                comparison.hold(f"feedback {number + 1} {name}", a[name], b[name])
