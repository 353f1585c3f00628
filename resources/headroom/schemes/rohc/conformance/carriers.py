# SPDX-License-Identifier: Apache-2.0
"""Finds the profile for a packet, and checks that the implementations under test declare it and the compressor uses it.

A compressor that sends everything with profile Uncompressed breaks no rule of a packet format, but shows nothing about
the formats. Profiles that it does not declare are unsupported; profiles that it declares must work
(implementations/README.md).
"""

from collections import Counter
from collections.abc import Collection, Iterable, Sequence

from headroom.core.capabilities import NotDeclared
from headroom.core.implementations import Implementation
from headroom.schemes.rohc.conformance import capabilities
from headroom.schemes.rohc.judge.framework.profiles import TCP
from headroom.schemes.rohc.judge.tcp import checker as tcp
from headroom.schemes.rohc.judge.v1 import extension_headers, headers

UNCOMPRESSED, RTP, UDP, ESP, IP, RTP_LITE, UDP_LITE = 0x0000, 0x0001, 0x0002, 0x0003, 0x0004, 0x0007, 0x0008
LISTS = ("list-compression", "extension-headers")  # features that make more packets fit for a profile
NOT_COMPRESSED = (0, 43, 44, 60)  # IPv6 extension headers, without list compression
ENOUGH = 20  # packets for one profile, after which a compressor that compresses would have begun to


def profile_for(packet: bytes, features: Collection[str] = ()) -> int:
    """The most special profile that can carry a packet, for an implementation with these of the features `LISTS`.

    The profile is Uncompressed if no other profile can carry the packet: fragments, IPv4 options, IPv6 extension
    headers, wrong checksums and lengths, no IP, no payload. If there are more than two IP headers, or if a later one is
    not plain, profile IP carries the packet: its static chain may end after any IP header (RFC 3843, 3.1). A payload
    counts as RTP if its version is 2, it has no RTCP packet type and its ports are at least 1024. A CSRC list needs the
    feature list-compression, and extension headers need the feature extension-headers.
    """
    protocols = () if "extension-headers" in features else None
    original = headers.parse(packet, protocols=protocols)
    if original is None or not _is_plain(packet, original.ips[:1]):
        return UNCOMPRESSED
    if len(original.ips) > 2 or not _is_plain(packet, original.ips):
        return IP if len(original.ips) > 1 else UNCOMPRESSED
    if encrypted := headers.parse(packet, ("ESP",), protocols=protocols):
        return ESP if len(packet) > encrypted.end else UNCOMPRESSED
    transport, profile, with_rtp = "UDP", UDP, RTP
    if original.ips[-1].following == headers.UDP_LITE:
        transport, profile, with_rtp = "UDP-Lite", UDP_LITE, RTP_LITE
    inner = headers.parse(packet, (transport,), protocols=protocols)
    if inner is None:
        return IP if len(packet) > original.end else UNCOMPRESSED
    if profile == UDP and int.from_bytes(packet[inner.udp + 4 : inner.udp + 6], "big") != len(packet) - inner.udp:
        return UNCOMPRESSED
    may_be_rtp = min(inner.ports) >= 1024
    carried = headers.parse(packet, (transport, "RTP"), protocols=protocols) if may_be_rtp else None
    end = inner.end
    readable = carried is not None and ("list-compression" in features or carried.csrc_count == 0)
    if carried is not None and readable and not 64 <= packet[carried.rtp + 1] & 0x7F < 96:
        profile, end = with_rtp, carried.end
    # Without payload, an IR packet delivers nothing (RFC 3095, 5.7.7).
    return profile if len(packet) > end else UNCOMPRESSED


def _is_plain(packet: bytes, ips: Sequence[headers.IpHeader]) -> bool:
    """True if a chain can express all fields of these IP headers, which are the first of the packet."""
    for ip in ips:
        listless = ip.version == 6 and ip.following in NOT_COMPRESSED
        if not ip.length_matches or ip.options or ip.fragment or listless:
            return False
        if any(header.type == extension_headers.FRAGMENT for header in ip.extensions):
            return False
        if ip.version == 4 and not headers.checksum_is_right(packet[ip.start : ip.start + 20]):
            return False
    return True


def require(implementation: Implementation, profiles: Collection[str] | None, packets: Sequence[bytes]) -> None:
    """Raises NotDeclared if most packets fit a profile (of `profiles`, if given) that `implementation` lacks.

    Nothing is required where some packets can only go uncompressed: the case is about these.
    """
    features = _lists_of(implementation)
    chosen = _carriers(profiles, packets, features)
    if not chosen or any(profile_for(packet, features) == UNCOMPRESSED for packet in packets):
        return
    profile, count = chosen.most_common(1)[0]
    if 2 * count > len(packets) and not capabilities.is_declared(implementation, f"profile-0x{profile:04x}"):
        raise NotDeclared(f"{implementation.name} does not declare profile 0x{profile:04x}, which fits these packets.")


def unused(
    implementation: Implementation, profiles: Collection[str] | None, sent: Iterable[tuple[bytes, int | None]]
) -> str:
    """Returns a sentence if a compressor sends everything uncompressed though it declares a profile that fits many
    packets; "" otherwise.

    `sent`: originals with the profile of their link packet, None if that is not known.
    """
    known = [(packet, profile) for packet, profile in sent if profile is not None]
    chosen = _carriers(profiles, [packet for packet, _ in known], _lists_of(implementation))
    if any(profile != UNCOMPRESSED for _, profile in known):
        return ""
    for profile, count in chosen.most_common():
        if count >= ENOUGH and capabilities.is_declared(implementation, f"profile-0x{profile:04x}"):
            return (
                f"{implementation.name} declares profile 0x{profile:04x}, but sends {count} packets that fit it "
                "uncompressed, so nothing was tested"
            )
    return ""


def _lists_of(implementation: Implementation) -> list[str]:
    return [feature for feature in LISTS if capabilities.is_declared(implementation, feature)]


def _carriers(profiles: Collection[str] | None, packets: Sequence[bytes], features: Collection[str]) -> Counter[int]:
    """Counts, for each profile of the channel, the packets that fit it."""
    with_tcp = profiles is not None and f"0x{TCP:04x}" in profiles
    result = Counter(
        TCP if with_tcp and tcp.is_restorable(packet) else profile_for(packet, features) for packet in packets
    )
    del result[UNCOMPRESSED]
    return Counter(
        {profile: count for profile, count in result.items() if profiles is None or f"0x{profile:04x}" in profiles}
    )
