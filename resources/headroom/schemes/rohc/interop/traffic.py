# SPDX-License-Identifier: Apache-2.0
"""Traffic of cells: traffic profiles that one ROHC profile is made for, or a capture."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from headroom.core import matrix, profiles
from headroom.core.replay import CAPTURES
from headroom.schemes.rohc.interop.axes import ESP, IP, LITE, LITE_RTP, RTP, TCP, UDP, UNCOMPRESSED


@dataclass(frozen=True)
class Traffic(matrix.Traffic):
    """Traffic of the matrix: packets of a traffic profile, a whole capture, or a recording of an implementation.

    `feature` names an optional feature for this traffic. A compressor that declares it uses it, and the decompressor
    then has to declare it, too; other compressors send the same packets by a simpler profile of ROHC.
    """

    flows: int = 3
    packets: int = 240
    feature: str = ""
    is_recording: bool = False

    @property
    def is_capture(self) -> bool:
        return bool(self.word)


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
    TCP: (
        Traffic("tcp-both-directions"),
        Traffic("tcp-timestamps-ipv6"),
        Traffic("tcp-sack", 1),
        Traffic("tcp-retransmissions", 1),
        Traffic("tcp-short-connections"),
        Traffic("tcp-ecn", 1),
        Traffic("tcp-ip-id-changing", 1),
        Traffic("tcp-header-changes-ipv4", 1, 640),
        Traffic("tcp-ipv6-in-ipv4", 1),
    ),
    LITE_RTP: (Traffic("udplite-rtp-ipv4"), Traffic("udplite-rtp-ipv6-silence")),
    LITE: (Traffic("udplite-ipv4"), Traffic("udplite-ipv6"), Traffic("udplite-coverage-changing", 1)),
}


def names() -> list[str]:
    """All traffic profiles of the matrix."""
    return sorted({traffic.name for all_of_one in BY_PROFILE.values() for traffic in all_of_one})


def capture(path: str) -> Traffic:
    return Traffic(Path(path).name, 1, 0, word=path)


def of(profile: str, names: Sequence[str] = ()) -> list[Traffic]:
    """The traffic of a ROHC profile. `names` chooses among it by name; captures among `names` go with every profile."""
    known = set(profiles.names())
    standard = [traffic for traffic in BY_PROFILE.get(profile, ()) if traffic.name in known]
    if not names:
        return standard
    chosen = [traffic for traffic in standard if traffic.name in names]
    return chosen + [capture(name) for name in names if name.endswith(CAPTURES)]
