# SPDX-License-Identifier: Apache-2.0
"""Values of PFCP's information elements, built and read: TS 29.244, 8.2."""

from __future__ import annotations

import ipaddress
from collections.abc import Sequence
from dataclasses import dataclass

from headroom.schemes.gtpu.packets import address
from headroom.schemes.gtpu.pfcp.message import Element, PfcpError, group
from headroom.schemes.gtpu.pfcp.tables import Action, Ie, Interface, Method, Trigger

V6, V4, CHOOSE, CHOOSE_ID = 1, 2, 4, 8  # F-SEID, UE IP Address; V4 and V6 are swapped in the F-TEID
GTPU_IPV4, GTPU_IPV6 = 0x0100, 0x0200  # Outer Header Creation: 8.2.56
REMOVE_IPV4, REMOVE_IPV6, REMOVE_EITHER = 0, 1, 6  # Outer Header Removal: 8.2.64


def number(kind: int, value: int, octets: int) -> Element:
    return Element(kind, value.to_bytes(octets, "big"))


def text(kind: int, value: str) -> Element:
    return Element(kind, value.encode())


def _is_ipv6(host: str) -> bool:
    return ":" in host


def node_id(host: str) -> Element:
    """A Node ID with an IP address (8.2.38)."""
    return Element(Ie.NODE_ID, bytes([_is_ipv6(host)]) + address(host))


def recovery_time_stamp(seconds: int) -> Element:
    """A Recovery Time Stamp (8.2.65), in seconds since 1900."""
    return number(Ie.RECOVERY_TIME_STAMP, seconds, 4)


def f_seid(seid: int, host: str) -> Element:
    """An F-SEID (8.2.37)."""
    return Element(Ie.F_SEID, bytes([V6 if _is_ipv6(host) else V4]) + seid.to_bytes(8, "big") + address(host))


def f_teid(teid: int, *hosts: str) -> Element:
    """An F-TEID (8.2.3): a TEID at up to one address of each IP version."""
    flags = sum(2 if _is_ipv6(host) else 1 for host in hosts)
    ordered = sorted(hosts, key=_is_ipv6)
    return Element(Ie.F_TEID, bytes([flags]) + teid.to_bytes(4, "big") + b"".join(map(address, ordered)))


def choose_f_teid(version: int = 4, choose_id: int | None = None) -> Element:
    """An F-TEID (8.2.3) by which the user plane chooses the TEID and its address."""
    flags = CHOOSE | (1 if version == 4 else 2) | (CHOOSE_ID if choose_id is not None else 0)
    return Element(Ie.F_TEID, bytes([flags]) + (b"" if choose_id is None else bytes([choose_id])))


def ue_ip_address(host: str, destination: bool, prefix: int | None = None) -> Element:
    """A UE IP Address (8.2.62). `destination` is True if packets to the user match; `prefix` is the length of an IPv6
    prefix, None for /64."""
    flags = (V6 if _is_ipv6(host) else V4) | (4 if destination else 0) | (0 if prefix is None else 0x40)
    return Element(Ie.UE_IP_ADDRESS, bytes([flags]) + address(host) + (b"" if prefix is None else bytes([prefix])))


def sdf_filter(flow: str, identifier: int | None = None) -> Element:
    """An SDF Filter with a flow description (8.2.5)."""
    octets = flow.encode()
    flags = 1 | (0x10 if identifier is not None else 0)
    more = b"" if identifier is None else identifier.to_bytes(4, "big")
    return Element(Ie.SDF_FILTER, bytes([flags, 0]) + len(octets).to_bytes(2, "big") + octets + more)


def gate_status(uplink_open: bool, downlink_open: bool) -> Element:
    """8.2.7."""
    return number(Ie.GATE_STATUS, (0 if uplink_open else 4) | (0 if downlink_open else 1), 1)


def mbr(uplink: int, downlink: int) -> Element:
    """8.2.8: kilobits a second."""
    return Element(Ie.MBR, uplink.to_bytes(5, "big") + downlink.to_bytes(5, "big"))


def outer_header_creation(teid: int, host: str) -> Element:
    """8.2.56: GTP-U over UDP over IP."""
    kind = GTPU_IPV6 if _is_ipv6(host) else GTPU_IPV4
    return Element(Ie.OUTER_HEADER_CREATION, kind.to_bytes(2, "big") + teid.to_bytes(4, "big") + address(host))


def apply_action(action: Action) -> Element:
    """8.2.26, with both of its octets."""
    return Element(Ie.APPLY_ACTION, bytes([action & 0xFF, 0]))


def reporting_triggers(triggers: Trigger) -> Element:
    """8.2.19, with three octets."""
    return Element(Ie.REPORTING_TRIGGERS, bytes([triggers & 0xFF, triggers >> 8, 0]))


def _volume(kind: int, volumes: Sequence[int | None]) -> Element:
    flags = sum(1 << place for place, volume in enumerate(volumes) if volume is not None)
    return Element(
        kind, bytes([flags]) + b"".join(volume.to_bytes(8, "big") for volume in volumes if volume is not None)
    )


def volume_threshold(total: int | None = None, uplink: int | None = None, downlink: int | None = None) -> Element:
    """8.2.13: octets."""
    return _volume(Ie.VOLUME_THRESHOLD, (total, uplink, downlink))


def volume_quota(total: int | None = None, uplink: int | None = None, downlink: int | None = None) -> Element:
    """8.2.50: octets."""
    return _volume(Ie.VOLUME_QUOTA, (total, uplink, downlink))


# ---- rules: 7.5.2


def pdr(
    identifier: int,
    precedence: int,
    pdi: Sequence[Element],
    *,
    far: int | None = None,
    qers: Sequence[int] = (),
    urrs: Sequence[int] = (),
    removal: int | None = None,
    predefined: Sequence[str] = (),
    kind: int = Ie.CREATE_PDR,
) -> Element:
    """Create PDR or Update PDR. `removal` is an Outer Header Removal, `predefined` the names of rules to activate."""
    return group(
        kind,
        [
            number(Ie.PDR_ID, identifier, 2),
            number(Ie.PRECEDENCE, precedence, 4),
            group(Ie.PDI, list(pdi)) if pdi else None,
            None if removal is None else number(Ie.OUTER_HEADER_REMOVAL, removal, 1),
            None if far is None else number(Ie.FAR_ID, far, 4),
            *(number(Ie.URR_ID, value, 4) for value in urrs),
            *(number(Ie.QER_ID, value, 4) for value in qers),
            *(text(Ie.ACTIVATE_PREDEFINED_RULES, entry) for entry in predefined),
        ],
    )


def source_interface(interface: Interface) -> Element:
    return number(Ie.SOURCE_INTERFACE, interface, 1)


def interface_type_n9() -> Element:
    """8.2.118: the interface to another user plane."""
    return number(Ie.INTERFACE_TYPE, 15, 1)


def far(
    identifier: int,
    action: Action,
    destination: Interface | None = None,
    *,
    teid: int | None = None,
    host: str = "",
    bar: int | None = None,
    duplicate: Sequence[Element] = (),
    marking: int | None = None,
    end_marker: bool = False,
    n9: bool = False,
    update: bool = False,
) -> Element:
    """Create FAR or Update FAR. A TEID and host make an outer header; `marking` is the octet of a Transport Level
    Marking; `end_marker` asks for End Markers; `duplicate` are the members of Duplicating Parameters; `n9` is the type
    of the interface."""
    parameters = None
    if destination is not None:
        parameters = group(
            Ie.UPDATE_FORWARDING_PARAMETERS if update else Ie.FORWARDING_PARAMETERS,
            [
                number(Ie.DESTINATION_INTERFACE, destination, 1),
                None if teid is None else outer_header_creation(teid, host),
                None if marking is None else Element(Ie.TRANSPORT_LEVEL_MARKING, bytes([marking, 0xFC])),
                number(Ie.PFCPSMREQ_FLAGS, 2, 1) if end_marker else None,
                interface_type_n9() if n9 else None,
            ],
        )
    return group(
        Ie.UPDATE_FAR if update else Ie.CREATE_FAR,
        [
            number(Ie.FAR_ID, identifier, 4),
            apply_action(action),
            parameters,
            group(Ie.DUPLICATING_PARAMETERS, list(duplicate)) if duplicate else None,
            None if bar is None else number(Ie.BAR_ID, bar, 1),
        ],
    )


def qer(
    identifier: int,
    *,
    uplink_open: bool = True,
    downlink_open: bool = True,
    rates: tuple[int, int] | None = None,
    qfi: int | None = None,
    rqi: bool = False,
    kind: int = Ie.CREATE_QER,
) -> Element:
    """Create QER or Update QER. `rates` are the maximum bit rates up and down, kilobits a second."""
    return group(
        kind,
        [
            number(Ie.QER_ID, identifier, 4),
            gate_status(uplink_open, downlink_open),
            None if rates is None else mbr(*rates),
            None if qfi is None else number(Ie.QFI, qfi, 1),
            number(Ie.RQI, 1, 1) if rqi else None,
        ],
    )


def urr(
    identifier: int,
    triggers: Trigger,
    *more: Element,
    method: Method = Method.VOLUME,
    period: int | None = None,
    kind: int = Ie.CREATE_URR,
) -> Element:
    """Create URR or Update URR. `period` is the Measurement Period in seconds; `more` are thresholds and quotas."""
    return group(
        kind,
        [
            number(Ie.URR_ID, identifier, 4),
            number(Ie.MEASUREMENT_METHOD, method, 1),
            reporting_triggers(triggers),
            None if period is None else number(Ie.MEASUREMENT_PERIOD, period, 4),
            *more,
        ],
    )


def remove(kind: int, identifier: int) -> Element:
    """Remove PDR, FAR, URR, QER or BAR."""
    names = {Ie.REMOVE_PDR: (Ie.PDR_ID, 2), Ie.REMOVE_FAR: (Ie.FAR_ID, 4), Ie.REMOVE_URR: (Ie.URR_ID, 4)}
    names |= {Ie.REMOVE_QER: (Ie.QER_ID, 4), Ie.REMOVE_BAR: (Ie.BAR_ID, 1)}
    inner, octets = names[Ie(kind)]
    return group(kind, [number(inner, identifier, octets)])


# ---- values of what a user plane sends


@dataclass(frozen=True)
class Tunnel:
    """An F-TEID: 8.2.3."""

    teid: int
    ipv4: str = ""
    ipv6: str = ""

    def host(self, version: int) -> str:
        """Its address of an IP version. Raises PfcpError if it has none."""
        if not (host := self.ipv6 if version == 6 else self.ipv4):
            raise PfcpError("8.2.3", f"The F-TEID {self.teid:#x} has no IPv{version} address.")
        return host


@dataclass(frozen=True)
class Seid:
    """An F-SEID: 8.2.37."""

    seid: int
    ipv4: str = ""
    ipv6: str = ""


@dataclass(frozen=True)
class Volumes:
    """A Volume Measurement: 8.2.44. Octets and packets; None if it does not have them."""

    total: int | None = None
    uplink: int | None = None
    downlink: int | None = None
    total_packets: int | None = None
    uplink_packets: int | None = None
    downlink_packets: int | None = None


def _hosts(value: bytes, has_ipv4: bool, has_ipv6: bool, section: str) -> tuple[str, str]:
    at = 4 if has_ipv4 else 0
    if len(value) < at + (16 if has_ipv6 else 0):
        raise PfcpError(section, "The element ends within an address.")
    ipv4 = str(ipaddress.IPv4Address(value[:4])) if has_ipv4 else ""
    return ipv4, str(ipaddress.IPv6Address(value[at : at + 16])) if has_ipv6 else ""


def read_f_teid(element: Element) -> Tunnel:
    """Raises PfcpError."""
    if len(element.value) < 5 or element.value[0] & CHOOSE:
        raise PfcpError("8.2.3", "The F-TEID has no TEID.")
    hosts = _hosts(element.value[5:], bool(element.value[0] & 1), bool(element.value[0] & 2), "8.2.3")
    return Tunnel(int.from_bytes(element.value[1:5], "big"), *hosts)


def read_f_seid(element: Element) -> Seid:
    """Raises PfcpError."""
    if len(element.value) < 9:
        raise PfcpError("8.2.37", "The F-SEID has no SEID.")
    hosts = _hosts(element.value[9:], bool(element.value[0] & V4), bool(element.value[0] & V6), "8.2.37")
    return Seid(int.from_bytes(element.value[1:9], "big"), *hosts)


def read_node_id(element: Element) -> str:
    """An address, or the octets of a name. Raises PfcpError."""
    kind, rest = (element.value[:1] or b"\xff")[0] & 15, element.value[1:]
    if kind == 0 and len(rest) == 4:
        return str(ipaddress.IPv4Address(rest))
    if kind == 1 and len(rest) == 16:
        return str(ipaddress.IPv6Address(rest))
    if kind == 2 and rest:
        return rest.hex()
    raise PfcpError("8.2.38", f"The Node ID has type {kind} and {len(rest)} octets.")


def read_volumes(element: Element) -> Volumes:
    """Raises PfcpError."""
    flags, rest = (element.value[:1] or b"\0")[0], element.value[1:]
    results: list[int | None] = []
    for place in range(6):
        if flags >> place & 1:
            if len(rest) < 8:
                raise PfcpError("8.2.44", "The Volume Measurement ends within a number.")
            results.append(int.from_bytes(rest[:8], "big"))
            rest = rest[8:]
        else:
            results.append(None)
    return Volumes(*results)


def read_triggers(element: Element) -> int:
    """A Usage Report Trigger or Reporting Triggers, the first octet in the low bits. Raises PfcpError."""
    return int.from_bytes(element.number().to_bytes(len(element.value), "big"), "little")
