# SPDX-License-Identifier: Apache-2.0
"""Our own reading of an uncompressed packet: IP headers, what they carry, and the user's packet in GTP-U.

Sources: RFC 791, 8200, 768, 3828, 3550, 9293, 4303; TS 29.281 through `headroom.schemes.gtpu.judge`; SigComp
through `signalling`.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable

from headroom.decode.reading import Ours, Value
from headroom.decode.signalling import Signalling
from headroom.schemes.gtpu import judge
from headroom.schemes.rohc.judge import headers

TCP, UDP, UDP_LITE, ESP = 6, 17, 136, 50
PROTOCOLS = {1: "ICMP", TCP: "TCP", UDP: "UDP", ESP: "ESP", 58: "ICMPv6", UDP_LITE: "UDP-Lite", 59: "nothing"}
MOST_TUNNELS = 4  # GTP-U in GTP-U: deeper nesting is left as payload

Flow = tuple[bytes, bytes, int, int]  # addresses and ports


def read(
    packet: bytes,
    rtp_flows: frozenset[Flow] = frozenset(),
    rtp: bool = False,
    signalling: Signalling | None = None,
) -> Ours:
    """Reads an IP packet. UDP of `rtp_flows` carries RTP, and the outermost UDP does if `rtp` says so; `signalling` is
    that of the packets before it."""
    ours = Ours()
    _read(packet, ours, rtp_flows, rtp, 0, signalling)
    return ours


def _read(
    packet: bytes, ours: Ours, rtp_flows: frozenset[Flow], rtp: bool, depth: int, signalling: Signalling | None
) -> None:
    original = headers.parse(packet, protocols=()) or headers.parse(packet, ip_headers=1, protocols=())
    if original is None:
        _note(ours, "it is cut short, or no IP packet")
        return
    for ip in original.ips:
        version = f"IPv{ip.version}"
        _add(ours, f"{version} source", str(ipaddress.ip_address(ip.source)))
        _add(ours, f"{version} destination", str(ipaddress.ip_address(ip.destination)))
        if ip.version == 4:
            _add(ours, "IP-ID", ip.identification)
    inner = original.ips[-1]
    protocol = inner.following
    names = " in ".join(reversed([f"IPv{ip.version}" for ip in original.ips]))
    if any(ip.fragment & 0x3FFF for ip in original.ips) or protocol == 44:
        _title(ours, f"fragment in {names}")
        _note(ours, "fragments are not put together")
        return
    if not inner.length_matches:
        _note(ours, f"the IPv{inner.version} header says another length than there is")
    behind = packet[original.end :]
    if protocol == UDP:
        flow = _udp(behind, ours, (inner.source, inner.destination))
        payload = behind[8:]
        if flow is None:
            _title(ours, f"UDP in {names}")
        elif judge.PORT in flow[2:] and depth < MOST_TUNNELS:
            _gtpu(payload, ours, names, rtp_flows, depth, signalling)
        elif (rtp or flow in rtp_flows) and _rtp(payload, ours):
            _title(ours, f"RTP in UDP in {names}")
            ours.rtp = True
        elif signalling and (what := signalling.read(flow[:2], flow[2:], payload, ours)):
            _title(ours, f"{what} in UDP in {names}")
        else:
            _title(ours, f"UDP in {names}")
        return
    _title(ours, f"{PROTOCOLS.get(protocol, f'protocol {protocol}')} in {names}")
    if protocol == TCP and len(behind) >= 20:
        _ports(behind, ours, "TCP")
    elif protocol == UDP_LITE and len(behind) >= 8:
        _ports(behind, ours, "UDP")
    elif protocol == ESP and len(behind) >= 8:
        ours.values["SPI"] = int.from_bytes(behind[:4], "big")
        ours.values["SN"] = int.from_bytes(behind[4:8], "big")


def _add(ours: Ours, name: str, value: int | str) -> None:
    known = ours.values.setdefault(name, [])
    assert isinstance(known, list)
    known.append(value)


def _title(ours: Ours, title: str) -> None:
    ours.title = f"{ours.title}: {title}" if ours.title else title


def _note(ours: Ours, sentence: str) -> None:
    ours.notes.append(sentence)


def _ports(octets: bytes, ours: Ours, name: str) -> tuple[int, int]:
    source, destination = int.from_bytes(octets[:2], "big"), int.from_bytes(octets[2:4], "big")
    _add(ours, f"{name} source port", source)
    _add(ours, f"{name} destination port", destination)
    return source, destination


def _udp(octets: bytes, ours: Ours, addresses: tuple[bytes, bytes]) -> Flow | None:
    if len(octets) < 8:
        _note(ours, "the UDP header is cut short")
        return None
    source, destination = _ports(octets, ours, "UDP")
    length = int.from_bytes(octets[4:6], "big")
    if length and length != len(octets):
        _note(ours, f"the UDP header says {length} octets, {len(octets)} are there")
    return (*addresses, source, destination)


def _rtp(octets: bytes, ours: Ours) -> bool:
    if len(octets) < 12 or octets[0] >> 6 != 2:
        return False
    ours.values |= {
        "SN": int.from_bytes(octets[2:4], "big"),
        "TS": int.from_bytes(octets[4:8], "big"),
        "SSRC": int.from_bytes(octets[8:12], "big"),
        "M": octets[1] >> 7,
        "PT": octets[1] & 0x7F,
    }
    return True


def _gtpu(
    octets: bytes,
    ours: Ours,
    names: str,
    rtp_flows: frozenset[Flow],
    depth: int,
    signalling: Signalling | None,
) -> None:
    try:
        message = judge.read(octets)
    except judge.GtpuError as error:
        _title(ours, f"GTP-U in {names}")
        ours.error = str(error)
        return
    _title(ours, f"GTP-U {message.name} in {names}")
    for name, value in message_values(message).items():
        if depth == 0:
            ours.values[name] = value
    for remark in message.remarks:
        _note(ours, remark)
    if message.inner:
        if message.inner[0] >> 4 in (4, 6):
            _read(message.inner, ours, rtp_flows, False, depth + 1, signalling)
        else:
            _note(ours, f"the T-PDU of {len(message.inner)} octets is no IP packet")


def message_values(message: judge.Message) -> dict[str, Value]:
    """The values of a GTP-U message by the names of `reading`."""
    values: dict[str, Value] = {"message": message.type, "GTP-U length": message.length, "TEID": message.teid}
    if message.sequence is not None:
        values["sequence"] = message.sequence
    if message.npdu is not None:
        values["N-PDU"] = message.npdu
    if message.extensions:
        values["extension headers"] = [f"0x{one.type:02x}" for one in message.extensions]
    if container := message.container:
        values |= {"PDU type": container.pdu_type, "QFI": container.qfi}
        values |= {name: v for name, v in (("RQI", container.rqi), ("PPI", container.ppi)) if v is not None}
    return values


def rtp_flows(packets: Iterable[bytes], ports: frozenset[int] = frozenset()) -> frozenset[Flow]:
    """UDP flows that carry RTP, by all of their packets: version 2, even ports, one SSRC, at least two packets.

    What goes from or to one of `ports` is taken for RTP whatever it looks like.
    """
    seen: dict[Flow, tuple[bytes, int]] = {}
    refused: set[Flow] = set()
    told: set[Flow] = set()
    for packet in packets:
        for flow, payload in _udp_of(packet):
            if ports & set(flow[2:]):
                told.add(flow)
            elif flow not in refused and _looks_like_rtp(flow, payload):
                ssrc, count = seen.get(flow, (payload[8:12], 0))
                seen[flow] = (ssrc, count + 1)
                if ssrc != payload[8:12]:
                    refused.add(flow)
            else:
                refused.add(flow)
    return frozenset(told | {flow for flow, (_, count) in seen.items() if count > 1 and flow not in refused})


def _looks_like_rtp(flow: Flow, payload: bytes) -> bool:
    return (
        len(payload) >= 12
        and payload[0] >> 6 == 2
        and not (flow[2] & 1 or flow[3] & 1)
        and judge.PORT not in flow[2:]
        and payload[1] & 0x7F not in range(72, 77)  # RTCP: RFC 5761, 4
    )


def _udp_of(packet: bytes) -> Iterable[tuple[Flow, bytes]]:
    """The UDP flow of a packet with its payload, and that of the user's packet in GTP-U."""
    for _ in range(1 + MOST_TUNNELS):
        original = headers.parse(packet, ("UDP",), protocols=())
        if original is None or original.ips[-1].fragment & 0x3FFF:
            return
        inner = original.ips[-1]
        payload = packet[original.udp + 8 :]
        flow = (inner.source, inner.destination, *original.ports)
        yield flow, payload
        if judge.PORT not in flow[2:]:
            return
        try:
            packet = judge.read(payload).inner
        except judge.GtpuError:
            return
