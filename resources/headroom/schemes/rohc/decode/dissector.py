# SPDX-License-Identifier: Apache-2.0
"""The dissector of ROHC: the known parameters of a capture's channels, and the readers of their packets."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, ClassVar

from headroom.core.captures.dissection import LinkChannel, LinkDissector, LinkPacket, Reading, Value
from headroom.core.errors import UsageError
from headroom.core.options import split_names
from headroom.schemes.rohc.decode import tshark_reading
from headroom.schemes.rohc.decode.reading import READ, ChannelHints, CidEvidence, RohcReader, ends_of, evidence_of
from headroom.schemes.rohc.judge.framework.cid import MAX_SMALL_CID

LARGE = "large CIDs"  # what a frame says that has them


class RohcDissector(LinkDissector):
    """Link packets of ROHC."""

    hexadecimal: ClassVar = {"CRC": 2}

    def hints(self, fields: Mapping[str, Any]) -> ChannelHints:
        cid, max_cid, profiles = (fields.get(name) for name in ("cid", "max_cid", "profiles"))
        if cid not in (None, "small", "large"):
            raise UsageError(f"--cid is small or large, not '{cid}'.")
        if cid == "small" and max_cid is not None and max_cid > MAX_SMALL_CID:
            raise UsageError(f"Small CIDs go to {MAX_SMALL_CID}; --max-cid {max_cid} needs --cid large.")
        numbers = frozenset(READ) if profiles is None else profiles_of(profiles)
        return ChannelHints(None if cid is None else cid == "large", max_cid, numbers)

    def channel(self, form: str, packets: Iterable[bytes], hints: ChannelHints) -> LinkChannel:
        """CIDs are as large as the frames say, as the user says, or as makes more sense."""
        return RohcChannel(hints, form == LARGE if form else hints.large_cids, packets)

    def ends(self, link: LinkPacket) -> tuple[bytes, bytes] | None:
        """Returns the addresses of an IR packet; no other has any."""
        return ends_of(link.octets, ChannelHints())

    def phrases(self, name: str, value: Value) -> list[str] | None:
        if name == "profile" and isinstance(value, int):
            return [str(READ.get(value, f"profile 0x{value:04x}"))]
        if name == "feedback" and isinstance(value, list):
            return [_feedback(element) for element in value]
        return None


def profiles_of(text: str) -> frozenset[int]:
    """Profiles by number or name. Raises UsageError if the judge does not know one."""
    known = {f"0x{number:04x}": number for number in READ}
    known |= {profile.name.lower(): number for number, profile in READ.items()}
    names = [name.lower() for name in split_names(text)]
    if unknown := [name for name in names if name not in known] or (not names and ["nothing"]):
        profiles = ", ".join(f"0x{number:04x} ({profile.name})" for number, profile in READ.items())
        raise UsageError(f"The judge knows no ROHC profile '{unknown[0]}'. It knows {profiles}.")
    return frozenset(known[name] for name in names)


def _feedback(element: dict[str, Any]) -> str:
    parts = [str(element.get("type", "feedback"))]
    parts += [str(element[name]) for name in ("acknowledgement",) if name in element]
    parts += [f"({element['mode']})"] if "mode" in element else []
    parts += [f"CID {element['CID']}"] if "CID" in element else []
    parts += [f"{name} {element[name]}" for name in ("SN", "MSN") if name in element]
    parts += [str(option) for option in element.get("options", [])]
    return " ".join(parts)


class RohcChannel(LinkChannel):
    """A channel with small or large CIDs. `stated` is whether frames or user say that they are large; None: neither
    does, so that the packets decide."""

    def __init__(self, hints: ChannelHints, stated: bool | None, packets: Iterable[bytes]) -> None:
        self.hints, self.stated = hints, stated
        if stated is None:
            self.evidence = evidence_of(packets, hints)
            hints.evidence.append(self.evidence)

    @property
    def has_large_cids(self) -> bool:
        return self._is_large(lambda evidence: (evidence.headers, evidence.feedback))

    @property
    def has_large_feedback_cids(self) -> bool:
        return self._is_large(lambda evidence: (evidence.feedback, evidence.headers))

    def _is_large(self, order: Callable[[CidEvidence], tuple[int, int]]) -> bool:
        """True if CIDs are large. If that is not stated, the packets of the channel decide; if they leave it open, the
        packets of the other direction decide.
        """
        if self.stated is not None:
            return self.stated
        first = next((count for count in order(self.evidence) if count), 0)
        return (first or sum(evidence.headers + evidence.feedback for evidence in self.hints.evidence)) > 0

    @property
    def remark(self) -> str:  # type: ignore[override]
        result = self.stated is None and (self.has_large_cids or self.has_large_feedback_cids)
        return "Read with large CIDs, which made more sense" if result else ""

    def reader(self) -> RohcReader:
        return RohcReader(self.hints, self.has_large_cids, self.has_large_feedback_cids)

    def tshark(self, packets: Sequence[LinkPacket]) -> list[Reading]:
        return tshark_reading.read(packets, self.has_large_cids)
