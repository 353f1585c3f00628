# SPDX-License-Identifier: Apache-2.0
"""Differences of the profiles: RFC 3095, 5.3-5.9 (RTP), 5.10, 5.11 (UDP), 5.12 (ESP), RFC 3843 (IP) and RFC 4019
(UDP-Lite).

A profile that is added later is one more entry here, a part in `chains` for its last header, and formats of its own
only where they differ.
"""

from collections.abc import Callable
from dataclasses import dataclass

from headroom.schemes.rohc.judge.framework import profiles
from headroom.schemes.rohc.judge.v1 import intervals


@dataclass(frozen=True)
class Profile:
    """`after_ip` names the headers behind the IP headers; `p_sn` gives p of the SN's interpretation interval."""

    number: int
    name: str
    after_ip: tuple[str, ...] = ()
    p_sn: Callable[[int], int] = intervals.p_sn_generated
    rtp: bool = False  # packet formats of 5.7 with timestamp; otherwise those of 5.11.3
    generated_sn: bool = False  # a sequence number of the compressor's own: increases by one for each packet
    constant_ip_id: bool = False  # the SID flag of RFC 3843, 3.3, and RFC 4019, 5.8
    checksum_context: bool = False  # a UDP checksum ends the compressed header, if the context has one
    coverage: bool = False  # checksum coverage, CFP and CFI; a checksum ends every compressed header: RFC 4019, 5.1
    sn_bits: int = 16  # width of the field that serves as SN
    any_depth: bool = False  # compressed headers carry IP headers beyond two: RFC 3843, 3.2; RFC 4019, 5.3.1
    cancels_modes: bool = False  # mode 0 declines a transition: RFC 3843, 3.4; RFC 4019, 5.6

    def __str__(self) -> str:
        return f"0x{self.number:04x} ({self.name})"

    @property
    def transport(self) -> str | None:
        """The header behind the IP headers: "UDP", "UDP-Lite", "ESP"; None if there is none of the profile's."""
        return self.after_ip[0] if self.after_ip else None


UNCOMPRESSED = Profile(0x0000, "Uncompressed")
RTP = Profile(0x0001, "RTP", ("UDP", "RTP"), intervals.p_sn_rtp, rtp=True, checksum_context=True)
UDP = Profile(0x0002, "UDP", ("UDP",), generated_sn=True, checksum_context=True)
ESP = Profile(0x0003, "ESP", ("ESP",), intervals.p_sn_rtp, sn_bits=32)
IP = Profile(0x0004, "IP", generated_sn=True, constant_ip_id=True, any_depth=True, cancels_modes=True)
RTP_LITE = Profile(
    0x0007,
    "RTP/UDP-Lite",
    ("UDP-Lite", "RTP"),
    intervals.p_sn_rtp,
    rtp=True,
    constant_ip_id=True,
    coverage=True,
    any_depth=True,
    cancels_modes=True,
)
UDP_LITE = Profile(
    0x0008,
    "UDP-Lite",
    ("UDP-Lite",),
    generated_sn=True,
    constant_ip_id=True,
    coverage=True,
    any_depth=True,
    cancels_modes=True,
)

# The other family's, read by `judge/tcp`; its name is all that is said of it here.
TCP = Profile(profiles.TCP, "ROHC-TCP", ("TCP",))

PROFILES = {profile.number: profile for profile in (UNCOMPRESSED, RTP, UDP, ESP, IP, RTP_LITE, UDP_LITE)}
