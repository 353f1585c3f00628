# SPDX-License-Identifier: Apache-2.0
"""Whether two readings of a packet agree, and where tshark's is no second opinion, why.

tshark parses ROHC and neither decompresses it nor looks at a CRC. Measured with 4.0.17 over the reference's
packets in all modes, with small and large CIDs; a disagreement is claimed only where tshark was right in all of them.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from headroom.decode.reading import Ours, Reading, Value
from headroom.schemes.rohc.judge.profiles import RTP, UNCOMPRESSED


@dataclass(frozen=True)
class Difference:
    """A value that the two read differently."""

    name: str
    ours: Value
    theirs: Value


@dataclass
class ReadingComparison:
    """`agreed` are names of values that both have alike. `silent` says why tshark's reading decides nothing."""

    agreed: list[str] = field(default_factory=list)
    differences: list[Difference] = field(default_factory=list)
    silent: str = ""

    @property
    def verdict(self) -> str:
        if self.differences:
            return "differ"
        return "agree" if self.agreed else "silent"


class Limits:
    """What tshark cannot read of one channel: some of it follows from packets that came before."""

    def __init__(self) -> None:
        self._beyond: set[int] = set()  # CIDs whose IP flags tshark does not know
        self._modes: set[int] = set()  # CIDs whose mode a packet has said

    def why_silent(self, ours: Ours) -> str:
        """Why tshark's reading of this packet is not held against ours; empty where it is."""
        packet = ours.packet
        if packet is None:
            return "our judge refuses the packet, and tshark keeps no state and checks no CRC"
        if packet.kind == "segment":
            return "tshark does not put segments together"
        if any("last segment" in note for note in ours.notes):
            return "tshark does not put segments together"
        if packet.kind == "feedback":
            return ""
        if packet.kind in ("IR", "IR-DYN"):
            self._beyond.discard(packet.cid)
            self._modes.discard(packet.cid)
        if _says_mode(ours):
            self._modes.add(packet.cid)
        if (
            packet.header is not None
            and packet.value("extension 3") is not None
            and (packet.value("ip") or packet.value("ip2"))
        ):
            self._beyond.add(packet.cid)
        return self._by_profile(ours)

    def has_not_seen_mode(self, ours: Ours) -> bool:
        """Whether tshark has not seen the mode, by which it tells UO-0 from R-0 and UO-1 from R-1.

        Until then, version 4.0 takes for the mode what it finds in memory.
        """
        packet = ours.packet
        if packet is None or packet.header is None or packet.kind.startswith("UOR-2"):
            return False
        return packet.cid not in self._modes

    def _by_profile(self, ours: Ours) -> str:
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
        return ""


def _says_mode(ours: Ours) -> bool:
    """Whether a packet says the mode where tshark sees it: a dynamic chain behind one IPv4 header, or extension 3."""
    packet = ours.packet
    assert packet is not None
    if packet.dynamic is not None and packet.dynamic.rtp is not None:
        return packet.dynamic.rtp.mode is not None and ours.versions == (4,) and not ours.lists
    extension = packet.header.extension if packet.header is not None else None
    return extension is not None and extension.mode is not None


def compare_rohc(ours: Ours, theirs: Reading, limits: Limits) -> ReadingComparison:
    """Every value that both have."""
    found = ReadingComparison(silent=limits.why_silent(ours))
    if found.silent:
        return found
    if ours.title != theirs.title and limits.has_not_seen_mode(ours):
        found.silent = "tshark has not seen the mode, by which it tells UO-0 from R-0 and UO-1 from R-1"
        return found
    if theirs.error or not (theirs.title or theirs.values):
        found.silent = theirs.error or "tshark says nothing of it"
        return found
    if "malformed" in theirs.notes:
        found.differences.append(Difference("form", "well-formed", "malformed"))
    assert ours.packet is not None
    if ours.packet.kind != "feedback":
        _hold(found, "type", ours.title, theirs.title)
    without = {"TS bits", "IP-ID bits"} if "extension" in ours.values else set()  # tshark shows the parts
    for name, value in ours.values.items():
        if name not in theirs.values or name in without or name == "feedback":
            continue
        other = theirs.values[name]
        if isinstance(value, list) and isinstance(other, list) and "not dissected yet" in theirs.notes:
            value = value[: len(other)]  # tshark stops behind the first IP header, and says so
        _hold(found, name, value, other)
    _compare_feedback(found, ours, theirs)
    return found


def _compare_feedback(found: ReadingComparison, ours: Ours, theirs: Reading) -> None:
    mine, other = ours.values.get("feedback"), theirs.values.get("feedback")
    if not isinstance(mine, list) or not isinstance(other, list) or len(mine) != len(other):
        return
    for number, (a, b) in enumerate(zip(mine, other, strict=True)):
        for name in a.keys() & b.keys():
            _hold(found, f"feedback {number + 1} {name}", a[name], b[name])


def compare_ip(ours: Ours, theirs: Reading) -> ReadingComparison:
    """Every value that both have. tshark may read on where ours ends, never the other way round."""
    found = ReadingComparison()
    if ours.error or theirs.error:
        found.silent = theirs.error or "our reader refuses what is in it"
        return found
    for name, value in ours.values.items():
        other = theirs.values.get(name)
        if isinstance(value, list):
            theirs_first = other[: len(value)] if isinstance(other, list) else []
            if theirs_first or name != "extension headers":
                _hold(found, name, value, theirs_first)
        elif other is not None:
            _hold(found, name, value, other)
    if not found.agreed and not found.differences:
        found.silent = "tshark says nothing of it"
    return found


def _hold(found: ReadingComparison, name: str, ours: Value, theirs: Value) -> None:
    if ours == theirs:
        found.agreed.append(name)
    else:
        found.differences.append(Difference(name, ours, theirs))
