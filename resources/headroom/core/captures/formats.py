# SPDX-License-Identifier: Apache-2.0
"""Packet formats of link types, as the user names them: `--link-type 147=pdcp-nr:18`. The types 147 to 162 are left to
users (https://www.tcpdump.org/linktypes.html): a file with one of them does not tell its packet format.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cache

from headroom.core.captures import framing, pdcp, serial_line
from headroom.core.captures.framing import Frame
from headroom.core.captures.reading import CapturedPacket
from headroom.core.errors import UsageError
from headroom.core.options import split_names
from headroom.core.scheme_registry import all_schemes

USER_TYPES = range(147, 163)
OPTION = "--link-type"
_LINK_TYPES = {"ethernet": framing.ETHERNET, "ip": framing.RAW, "ppp": framing.PPP, "slip": serial_line.SLIP}


@dataclass(frozen=True)
class Format:
    """The format of the packets of a link type: another link type, a bearer of PDCP, or a scheme."""

    name: str
    link_type: int | None = None
    bearer: pdcp.Bearer | None = None
    scheme: str = ""
    form: str = ""


@cache
def _of_schemes() -> Mapping[str, Format]:
    return {
        word: Format(word, scheme=scheme.name, form=form)
        for scheme in all_schemes().values()
        for word, form in scheme.framing.formats.items()
    }


def names() -> list[str]:
    """The known formats, as the user writes them."""
    return [*_of_schemes(), *map(pdcp.word_of, pdcp.TITLES), *_LINK_TYPES]


def find(text: str) -> Format:
    """The format of a name. Raises UsageError if there is none."""
    word, _, bits = text.strip().lower().partition(":")
    if word in pdcp.TITLES and (bearer := pdcp.described(word, bits)):
        return Format(text, bearer=bearer)
    if not bits and word in _LINK_TYPES:
        return Format(word, _LINK_TYPES[word])
    if not bits and word in _of_schemes():
        return _of_schemes()[word]
    raise UsageError(f"There is no packet format '{text}'. Known: {', '.join(names())}.")


def chosen(text: str | None) -> dict[int, Format]:
    """The formats of link types, from "147=pdcp-nr:18,148=slip". Raises UsageError on anything else."""
    formats: dict[int, Format] = {}
    for part in split_names(text or ""):
        number, equals, name = part.partition("=")
        if not equals or not number.strip().isdecimal() or len(number) > 5:
            raise UsageError(f"{OPTION} takes a number and a packet format, such as 147=ppp, not '{part}'.")
        formats[int(number)] = find(name)
    if text is not None and not formats:
        raise UsageError(f"{OPTION} takes a number and a packet format, such as 147=ppp.")
    return formats


def apply(captured: CapturedPacket, formats: Mapping[int, Format]) -> CapturedPacket:
    """A captured packet with the link type that the user gives it."""
    chosen_format = formats.get(captured.interface.link_type)
    if chosen_format is None or chosen_format.link_type is None:
        return captured
    return replace(captured, interface=replace(captured.interface, link_type=chosen_format.link_type))


def unwrap(captured: CapturedPacket, formats: Mapping[int, Format]) -> Frame:
    """The content of a captured packet."""
    link_type = captured.interface.link_type
    chosen_format = formats.get(link_type)
    if chosen_format is None or chosen_format.link_type is not None:
        return framing.unwrap(link_type, captured.octets)
    return unwrap_as(chosen_format, captured.octets, f"link type {link_type}")


def unwrap_as(packet_format: Format, octets: bytes, where: str, bearer: str = "") -> Frame:
    """The content of octets of a format. `bearer` names their channel."""
    if packet_format.link_type is not None:
        return replace(framing.unwrap(packet_format.link_type, octets), bearer=bearer, is_derived=True)
    if packet_format.bearer:
        return from_pdcp(octets, replace(packet_format.bearer, name=bearer))
    return framing.of_scheme(packet_format.scheme, octets, where, packet_format.form, bearer)


def from_pdcp(octets: bytes, bearer: pdcp.Bearer) -> Frame:
    """The content of a PDCP PDU. The PDU does not tell if headers are compressed: if no tag does, an IPv4 packet is
    recognised by its checksum, and an IPv6 packet by its length.
    """
    pdu = pdcp.read(octets, bearer)
    if pdu.error or not (pdu.is_data or pdu.is_feedback):
        return Frame(framing.OTHER, octets, pdu.error or pdu.what)
    notes = (pdu.what,)
    is_plain = bearer.compressed is False or (bearer.compressed is None and framing.is_surely_ip(pdu.payload))
    if pdu.is_data and is_plain:
        frame = framing.unwrap(framing.RAW, pdu.payload)
        what = f"IP on {pdu.what}" if frame.kind == framing.IP else f"{pdu.what} with something that is no IP packet"
        return replace(frame, what=what, notes=notes, is_derived=True)
    frame_of_scheme = framing.in_pdcp(pdu.payload, bearer.large_cids, pdu.what)
    return replace(frame_of_scheme, bearer=bearer.name, notes=notes)


def remarks(link_types: Iterable[int], formats: Mapping[int, Format]) -> list[str]:
    """Sentences on how link types of the user's own were read, if the user has not given their format."""
    sentences = []
    for number in sorted(set(link_types)):
        if number not in USER_TYPES or number in formats:
            continue
        read = framing.title_of_link_type(number)
        how = f"was read as {read}" if read else "says nothing of its packets, which were not read"
        other = "chooses another format" if read else "says what they are"
        sentences.append(
            f"Link type {number}, one of those that users define, {how}: {OPTION} {number}=FORMAT {other}."
        )
    return sentences
