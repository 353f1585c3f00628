# SPDX-License-Identifier: Apache-2.0
"""Which traffic a cell carries: traffic profiles that one ROHC profile is made for, or a capture."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from headroom.core import profiles
from headroom.core.errors import UsageError
from headroom.core.replay import CAPTURES


@dataclass(frozen=True)
class Traffic:
    """`source` is a traffic profile or the path of a capture; a capture is sent as it is, whole.

    `feature` is what a compressor that declares it uses for this traffic, so that the decompressor needs it, too;
    others send the same packets by a simpler profile.
    """

    source: str
    flows: int = 3
    packets: int = 240
    feature: str = ""

    @property
    def name(self) -> str:
        return Path(self.source).name if self.is_capture else self.source

    @property
    def is_capture(self) -> bool:
        return self.source.endswith(CAPTURES)


UNCOMPRESSED, RTP, UDP, ESP, IP, LITE_RTP, LITE = (
    "0x0000",
    "0x0001",
    "0x0002",
    "0x0003",
    "0x0004",
    "0x0007",
    "0x0008",
)

LISTS, EXTENSION_HEADERS, ADDITIONAL_IP_HEADERS = "list-compression", "extension-headers", "additional-ip-headers"

# By ROHC profile. What is named here and not (yet) among the traffic profiles is left out.
BY_PROFILE: dict[str, tuple[Traffic, ...]] = {
    UNCOMPRESSED: (Traffic("udp-dns-like-ipv4"), Traffic("fragments", 1), Traffic("not-ip", 1)),
    RTP: (
        Traffic("voip-amr-nb-ipv4-silence"),
        Traffic("voip-mixed", 12, 480),
        Traffic("header-changes-ipv4", 1, 640),
        Traffic("rtp-video", 1),
        Traffic("rtp-sequence-wrap", 1),
        Traffic("rtp-csrc", 1, feature=LISTS),
        Traffic("rtp-csrc-changing", 1, feature=LISTS),
        Traffic("ipv6-extension-headers", 1, feature=EXTENSION_HEADERS),
        Traffic("tunnel-ipv6-in-ipv4", 1),
    ),
    UDP: (Traffic("udp-dns-like-ipv4"), Traffic("udp-constant-ipv6"), Traffic("ip-id-jumps", 1)),
    ESP: (Traffic("esp-ipv4"), Traffic("esp-ipv6"), Traffic("esp-sequence-jumps", 1)),
    IP: (
        Traffic("ip-only-ipv4"),
        Traffic("icmp-ipv6"),
        Traffic("tunnel-ipv4-in-ipv6", 1),
        Traffic("tunnel-three-headers", 1, feature=ADDITIONAL_IP_HEADERS),
    ),
    LITE_RTP: (Traffic("udplite-rtp-ipv4"), Traffic("udplite-rtp-ipv6-silence")),
    LITE: (Traffic("udplite-ipv4"), Traffic("udplite-ipv6"), Traffic("udplite-coverage-changing", 1)),
}
PROFILES = tuple(BY_PROFILE)
PROFILE_NAMES = {
    UNCOMPRESSED: "Uncompressed",
    RTP: "RTP",
    UDP: "UDP",
    ESP: "ESP",
    IP: "IP",
    LITE_RTP: "RTP Over UDP-Lite",
    LITE: "UDP-Lite",
}


def of(profile: str, asked: tuple[str, ...] = ()) -> list[Traffic]:
    """The traffic of a ROHC profile. `asked` chooses among it by name; captures among `asked` go with every profile."""
    known = set(profiles.names())
    standard = [one for one in BY_PROFILE.get(profile, ()) if one.source in known]
    if not asked:
        return standard
    chosen = [one for one in standard if one.source in asked]
    return chosen + [Traffic(name, 1, 0) for name in asked if name.endswith(CAPTURES)]


def check(asked: tuple[str, ...], recordings: Collection[str] = ()) -> None:
    """Raises UsageError when a name is neither traffic of the matrix, nor one of the recordings that an implementation
    has, nor a capture that is there."""
    known = {one.source for all_of_one in BY_PROFILE.values() for one in all_of_one}
    for name in asked:
        if name in recordings:
            continue
        if name.endswith(CAPTURES):
            if not Path(name).is_file():
                raise UsageError(f"There is no capture {name}.")
        elif name not in known:
            what = "a traffic profile, but not one of the matrix" if name in profiles.names() else "no traffic"
            raise UsageError(
                f"'{name}' is {what}, and neither a recording nor a capture file ({', '.join(CAPTURES)}). The matrix "
                f"has {', '.join(sorted(known))}."
            )
