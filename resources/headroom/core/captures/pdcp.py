# SPDX-License-Identifier: Apache-2.0
"""PDCP of LTE and NR (3GPP TS 36.323 and TS 38.323, 6) in captures: alone, or in datagrams with a header of tags.

Wireshark reads such datagrams by "pdcp-lte" or "pdcp-nr" in front; the tags give what the PDU does not: plane, octets
of its header, UE, bearer, and whether headers are compressed. A PDU alone is read as one of a data radio bearer.
"""

from dataclasses import dataclass

LTE, NR = "pdcp-lte", "pdcp-nr"
TITLES = {LTE: "PDCP of LTE", NR: "PDCP of NR"}
# Bits of sequence numbers of data radio bearers; signalling bearers have 5 (LTE) and 12 (NR)
SN_BITS = {LTE: (7, 12, 15, 18), NR: (12, 18)}
USUAL_SN_BITS = 12
EXTRAS = {LTE: (), NR: ("sdap", "mac")}  # a header of SDAP (TS 37.324) in front, a MAC-I behind
MAC_I = 4  # octets after a PDU that is integrity protected
FEEDBACK = 1  # PDU type of a control PDU: interspersed feedback (TS 36.323, 6.3.8; TS 38.323, 6.3.8)
_CONTROL = {0: "status report", 2: "LWA status report"}
_SIGNALLING = 1  # value of the octet in front of the tags that gives the plane
_PAYLOAD = 0x01
# Octets after each tag, and the tags that are used here.
_LTE_TAGS = {2: 1, 3: 1, 4: 1, 5: 1, 6: 2, 7: 1, 8: 1, 9: 1, 10: 1, 11: 1, 12: 2, 13: 2, 14: 2}
_NR_TAGS = {2: 1, 3: 1, 4: 1, 5: 1, 6: 2, 7: 0, 8: 1, 9: 0, 10: 0, 11: 1, 12: 0, 13: 0, 14: 2, 15: 0, 16: 1, 17: 0}
_SN_TAG, _DIRECTION_TAG = 2, 3
_LTE_LARGE, _LTE_CHANNEL, _LTE_UE = 8, 13, 14
_NR_BEARER, _NR_UE, _NR_COMPRESSED, _NR_LARGE, _NR_MAC, _NR_SDAP = 5, 6, 7, 10, 15, 16
_DIRECTIONS = {0: "uplink", 1: "downlink"}


@dataclass(frozen=True)
class Bearer:
    """A bearer, as far as it is known. `compressed` and `large_cids` are None if unknown. `name` tells bearers apart:
    UE, bearer and direction.
    """

    kind: str
    sn_bits: int = USUAL_SN_BITS
    is_signalling: bool = False
    has_header: bool = True
    compressed: bool | None = None
    large_cids: bool | None = None
    has_mac: bool = False
    sdap_octets: int = 0
    name: str = ""


@dataclass(frozen=True)
class Pdu:
    """A PDCP PDU. `payload` is the content of a data PDU, or feedback; `what` describes the PDU in words. `error` is
    the reason why reading ended early.
    """

    what: str
    payload: bytes = b""
    sn: int | None = None
    is_data: bool = False
    is_feedback: bool = False
    error: str = ""


def has_tags(datagram: bytes) -> bool:
    """True if a datagram begins with tags of a PDU."""
    return datagram.startswith((LTE.encode(), NR.encode()))


def read_datagram(datagram: bytes) -> tuple[Bearer, bytes] | None:
    """The bearer that the tags name, and the PDU; None if the tags are wrong or cut short."""
    kind = LTE if datagram.startswith(LTE.encode()) else NR
    at = len(kind)
    fixed = datagram[at : at + (3 if kind == LTE else 1)]
    at += 3 if kind == LTE else 1
    known = _LTE_TAGS if kind == LTE else _NR_TAGS
    tags: dict[int, int] = {}
    while datagram[at : at + 1] and (tag := datagram[at]) != _PAYLOAD:
        if tag not in known or len(datagram) < at + 1 + known[tag]:
            return None
        tags[tag] = int.from_bytes(datagram[at + 1 : at + 1 + known[tag]], "big")
        at += 1 + known[tag]
    if len(datagram) <= at:
        return None
    bearer = _lte_bearer(fixed, tags) if kind == LTE else _nr_bearer(fixed, tags)
    return bearer, datagram[at + 1 :]


def _lte_bearer(fixed: bytes, tags: dict[int, int]) -> Bearer:
    no_header, plane, compressed = fixed
    return Bearer(
        LTE,
        tags.get(_SN_TAG, USUAL_SN_BITS),
        is_signalling=plane == _SIGNALLING,
        has_header=not no_header,
        compressed=bool(compressed),
        large_cids=bool(tags.get(_LTE_LARGE)),
        name=_name(tags, _LTE_UE, _LTE_CHANNEL),
    )


def _nr_bearer(fixed: bytes, tags: dict[int, int]) -> Bearer:
    direction = tags.get(_DIRECTION_TAG)
    return Bearer(
        NR,
        tags.get(_SN_TAG, USUAL_SN_BITS),
        is_signalling=fixed[0] == _SIGNALLING,
        compressed=_NR_COMPRESSED in tags,
        large_cids=_NR_LARGE in tags,
        has_mac=_NR_MAC in tags,
        # A bit for each direction, uplink first.
        sdap_octets=tags.get(_NR_SDAP, 0) >> direction & 1 if direction in _DIRECTIONS else 0,
        name=_name(tags, _NR_UE, _NR_BEARER),
    )


def _name(tags: dict[int, int], ue: int, bearer: int) -> str:
    parts = [f"UE {tags[ue]}"] if ue in tags else []
    parts += [f"bearer {tags[bearer]}"] if bearer in tags else []
    parts += [_DIRECTIONS[tags[_DIRECTION_TAG]]] if tags.get(_DIRECTION_TAG) in _DIRECTIONS else []
    return " ".join(parts)


def described(kind: str, text: str) -> Bearer | None:
    """A data radio bearer of a kind: the bits of its sequence numbers, and optional parts of its PDUs (EXTRAS), as in
    "18+sdap". None if there is no such bearer.
    """
    bits, *extras = text.split("+")
    if (bits and bits not in map(str, SN_BITS[kind])) or set(extras) - set(EXTRAS[kind]):
        return None
    return Bearer(kind, int(bits or USUAL_SN_BITS), has_mac="mac" in extras, sdap_octets=int("sdap" in extras))


def word_of(kind: str) -> str:
    """The formats of a kind, as the user writes them."""
    return f"{kind}[:{'|'.join(map(str, SN_BITS[kind]))}]" + "".join(f"[+{extra}]" for extra in EXTRAS[kind])


def read(pdu: bytes, bearer: Bearer) -> Pdu:
    """A PDU of a bearer: TS 36.323, 6.2; TS 38.323, 6.2."""
    title = TITLES[bearer.kind]
    if bearer.is_signalling:
        return Pdu(f"{title}: signalling")
    if not bearer.has_header:
        return Pdu(title, pdu, is_data=True)
    if bearer.sn_bits not in SN_BITS[bearer.kind]:
        return Pdu(title, error=f"{title} with sequence numbers of {bearer.sn_bits} bits, which are not of user data")
    if not pdu:
        return Pdu(title, error=f"{title}: an empty PDU")
    if not pdu[0] & 0x80:
        kind = pdu[0] >> 4
        if kind == FEEDBACK:
            return Pdu(f"{title}: feedback", pdu[1:], is_feedback=True)
        return Pdu(f"{title}: {_CONTROL.get(kind, f'control PDU of type {kind}')}")
    octets = {7: 1, 12: 2, 15: 2, 18: 3}[bearer.sn_bits]
    front = octets + bearer.sdap_octets
    end = len(pdu) - (MAC_I if bearer.has_mac else 0)
    if end <= front:
        return Pdu(title, error=f"{title}: a data PDU of {len(pdu)} octets, which is too short")
    sn = int.from_bytes(pdu[:octets], "big") & ((1 << bearer.sn_bits) - 1)
    return Pdu(f"{title}, SN {sn}", pdu[front:end], sn, is_data=True)
