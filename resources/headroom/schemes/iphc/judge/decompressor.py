# SPDX-License-Identifier: Apache-2.0
"""The decompressor of RFC 2507: what each link packet is with the contexts that full headers have made."""

from __future__ import annotations

from dataclasses import dataclass, field

from headroom.schemes.iphc.judge import chain as chains
from headroom.schemes.iphc.judge import link
from headroom.schemes.iphc.judge.chain import RANDOM, Chain, Subheader
from headroom.schemes.iphc.judge.link import NotIphc, Octets, TcpFront

ERROR = 0xFFFF  # the report of a damaged frame


class NotKnown(Exception):
    """A packet of a context whose contents depend on the decompressor."""


@dataclass
class Parameters:
    """Section 14. `reordering` is EXPECT_REORDERING: TCP streams have packet sequence numbers (11.2). `compress` says
    which spaces have contexts: all, tcp, non-tcp (RFC 3544, 2.4)."""

    tcp_space: int = 15
    non_tcp_space: int = 15
    max_header: int = 168
    f_max_period: int = 256
    f_max_time: int = 5
    reordering: bool = False
    compress: str = "all"


@dataclass
class Context:
    """ "The uncompressed version of the last header". `data` is the number of octets after the header; `number` is its
    packet sequence number with the number of values that this can have. `sure` is False if a TCP checksum was wrong
    in or after the last header that was sent whole: a decompressor may have repaired the context or not.
    """

    chain: Chain
    data: int
    generation: int = 0
    sure: bool = True
    number: tuple[int, int] = (0, 1)

    def is_next(self, number: int) -> bool:
        """True if a packet with this sequence number follows immediately, as far as the number of this one is known.
        "The packet sequence number zero MUST be skipped over." """
        known, values = self.number
        return number != 0 and ((number - known) % values == 1 % values or (number == 1 and known == values - 1))


@dataclass
class Outcome:
    """The outcome of a link packet. `restored` is None if no packet is restored, and `reason` then says why; `other`
    may be delivered in place of `restored`. `free` is True if the RFC does not say what is delivered.
    """

    restored: bytes | None
    reason: str = ""
    cid: int | None = None
    front: TcpFront | None = None
    other: bytes | None = None
    free: bool = False


@dataclass
class Decompressor:
    """The decompressor of one link. It adds the changes of a compressed TCP header once (RFC 2507, 6; RFC 1144).

    If the TCP checksum of a restored packet is wrong, decompressors may deliver or discard the packet, and may repair
    the context or not (10.1). The outcomes of this packet and of the following ones are `free`, until a packet carries
    its whole TCP header.
    """

    parameters: Parameters = field(default_factory=Parameters)
    tcp: dict[int, Context | None] = field(default_factory=dict)  # None: what is saved is not known
    non_tcp: dict[int, Context | None] = field(default_factory=dict)

    def receive(self, type_: int, octets: bytes) -> Outcome:
        """Decompresses a link packet of a type."""
        if type_ in (link.IPV4, link.IPV6):
            return Outcome(octets)
        if type_ not in link.TYPE_NAMES:
            return Outcome(None, "nothing comes out of a damaged frame, or of a packet of an unknown type")
        try:
            if type_ == link.FULL:
                return self._full(octets)
            if type_ == link.NON_TCP:
                return self._non_tcp(Octets(octets))
            return self._tcp(Octets(octets)) if type_ == link.TCP else self._no_delta(Octets(octets))
        except NotIphc as error:
            return Outcome(None, str(error))
        except NotKnown:
            return Outcome(None, "the content of the context is not known", free=True)

    def _full(self, octets: bytes) -> Outcome:
        chain = chains.read(octets, self.parameters.max_header)
        places = chain.length_places()
        if not places or chain.jumbo:
            raise NotIphc("a full header begins with an IP header whose length can be inferred (5.3)")
        data = octets[chain.length :]
        if chain.tcp:
            cid, context = octets[places[0] + 1], Context(chain, len(data), number=link.tcp_number(octets, places))
            space, contexts = self.parameters.tcp_space, self.tcp
        else:
            front = link.non_tcp_fields(octets, places)
            cid, context = front.cid, Context(chain, len(data), front.generation)
            space, contexts = self.parameters.non_tcp_space, self.non_tcp
        if cid > space:
            raise NotIphc(f"CID {cid} is beyond the space, which ends with {space} (section 14)")
        if not chain.infer(len(octets), as_is=True):
            raise NotIphc("the packet would be longer than its length fields can say")
        right = chain.copy()
        right.infer(len(octets))
        if right.octets() != chain.octets():
            # The checksum of a damaged header: to find it is not required, and what is saved of it is not known.
            contexts[cid] = None
            return Outcome(None, "its IP checksum is wrong", cid, free=True)
        contexts[cid] = context
        return Outcome(chain.octets() + data, cid=cid)

    def _front(self, octets: Octets, context: Context, identification: bool) -> Chain:
        """The subheaders in front of TCP, or all, with the RANDOM fields of the packet."""
        chain = context.chain.copy()
        for number, part in enumerate(chain.parts):
            if part.kind == "TCP":
                continue
            if part.as_is:
                chain.parts[number] = self._as_is(octets, part, last=number == len(chain.parts) - 1)
                continue
            names = [field.name for field in part.fields if field.cls == RANDOM]
            if identification and part is chain.unit and part.kind == "IPv4":
                names.append("Identification")
            bits = sum(field.bits for field in part.fields if field.name in names)
            number_ = octets.number(bits // 8, f"the RANDOM fields of {part.kind}")
            for header_field in reversed([each for each in part.fields if each.name in names]):
                header_field.value, number_ = number_ & ((1 << header_field.bits) - 1), number_ >> header_field.bits
        if chain.length > self.parameters.max_header:
            raise NotIphc("the header would be longer than MAX_HEADER (RFC 2507, 5.2)")
        return chain

    def _as_is(self, octets: Octets, saved: Subheader, last: bool) -> Subheader:
        subheader = chains.read_ipv4(octets.rest)
        if (
            subheader is None
            or subheader.kind != saved.kind
            or (not last and subheader["Protocol"] != saved["Protocol"])
        ):
            raise NotIphc(f"there is no {saved.kind} header as the context has one (7.13)")
        octets.take(subheader.length, saved.kind)
        return subheader

    def _known(self, contexts: dict[int, Context | None], cid: int, space: int) -> Context:
        if cid > space:
            raise NotIphc(f"CID {cid} is beyond the space, which ends with {space} (section 14)")
        if cid not in contexts:
            raise NotIphc(f"no full header has initialized the context of CID {cid} (section 9)")
        if (context := contexts[cid]) is None:
            raise NotKnown
        return context

    def _non_tcp(self, octets: Octets) -> Outcome:
        front = link.non_tcp_front(octets)
        context = self._known(self.non_tcp, front.cid, self.parameters.non_tcp_space)
        if context.generation != front.generation:
            raise NotIphc(f"the context has generation {context.generation}, not {front.generation} (section 9)")
        chain = self._front(octets, context, identification=False)
        if not chain.infer(chain.length + len(octets.rest)):
            raise NotIphc("the packet would be longer than its length fields can say")
        return Outcome(chain.octets() + octets.rest, cid=front.cid)

    def _tcp(self, octets: Octets) -> Outcome:
        front = link.tcp_front(octets, self.parameters.reordering)
        context = self._known(self.tcp, front.cid, self.parameters.tcp_space)
        if front.number is not None and not context.is_next(front.number):
            self.tcp[front.cid] = None  # whether it waits for others, and how long, is the decompressor's choice
            raise NotKnown
        chain = self._front(octets, context, identification=False)
        link.tcp_changes(octets, front)
        tcp, unit = chain.tcp, chain.unit
        assert tcp is not None
        if "O" in front.flags and "Options" in tcp:
            tcp["Options"] = octets.number(tcp.length - 20, "the options")
        if "I" in front.flags and (unit is None or unit.kind != "IPv4"):
            raise NotIphc("the I flag is set without an IPv4 header in front of TCP (6 a)")
        apply(front, context, chain)
        return self._finish(octets, chain, context, front.cid, front)

    def _no_delta(self, octets: Octets) -> Outcome:
        cid = octets.number(1, "the CID")
        if self.parameters.reordering:  # where a packet sequence number would stand, the RFC does not say
            self.tcp[cid] = None
        context = self._known(self.tcp, cid, self.parameters.tcp_space)
        chain = self._front(octets, context, identification=True)
        saved = chain.parts.pop()
        offset = octets.rest[8] >> 4 if len(octets.rest) > 8 else 0
        if offset < 5:
            raise NotIphc("the packet has no whole TCP header (RFC 2507, 6 b)")
        ports = saved.octets()[:4]
        whole = chains.read_tcp(ports + octets.take(offset * 4 - 4, "the TCP header"))
        chain.parts.append(whole)
        if chain.length > self.parameters.max_header:
            raise NotIphc("the header would be longer than MAX_HEADER (RFC 2507, 5.2)")
        return self._finish(octets, chain, context, cid, None)

    def _finish(self, octets: Octets, chain: Chain, context: Context, cid: int, front: TcpFront | None) -> Outcome:
        """Saves the header, R-octet's values apart, and returns the packet."""
        data = octets.rest
        if not chain.infer(chain.length + len(data)):
            raise NotIphc("the packet would be longer than its length fields can say")
        restored = chain.octets() + data
        kept = chain.copy()
        if front is not None and front.r_octet is not None:
            put_r_octet(kept, r_octet(context.chain))
        right = chains.has_right_tcp_checksum(restored, self.parameters.max_header)
        sure = right and (context.sure or front is None)
        number = (front.number, 1 << 16) if front is not None and front.number is not None else context.number
        self.tcp[cid] = Context(kept, len(data), sure=sure, number=number)
        return Outcome(restored, cid=cid, front=front, free=not sure)


def r_octet(chain: Chain) -> int:
    """ "Bits 0-5 … the actual value of the Reserved field, and bits 6 and 7 … of bits 6 and 7 in the TOS or Traffic
    Class field" (6 a)."""
    tcp = chain.tcp
    assert tcp is not None
    return tcp["Reserved"] << 2 | (chain.parts[-2].get("TOS bits 6 and 7") or 0)


def put_r_octet(chain: Chain, value: int) -> None:
    tcp, unit = chain.tcp, chain.unit
    assert tcp is not None
    tcp["Reserved"] = value >> 2
    if unit is not None:
        unit["TOS bits 6 and 7"] = value & 3


def apply(front: TcpFront, context: Context, chain: Chain) -> None:
    """Adds the changes (7.12.1; RFC 1144, 3.2.4)."""
    tcp, unit = chain.tcp, chain.unit
    assert tcp is not None

    def change(letter: str) -> int:
        return front.changes[letter][0] if letter in front.changes else 0

    tcp["Checksum"] = front.checksum
    tcp["Psh"], tcp["Ack"], tcp["Rst"], tcp["Syn"], tcp["Fin"] = "P" in front.flags, 1, 0, 0, 0
    if front.special:
        tcp["Sequence Number"] += context.data
        tcp["Acknowledgment Number"] += context.data if front.special == link.ECHOED else 0
        tcp["Urg"] = 0
    else:
        tcp["Sequence Number"] += change("S")
        tcp["Acknowledgment Number"] += change("A")
        tcp["Window"] += change("W")
        tcp["Urg"] = "U" in front.flags
        if "U" in front.flags:
            tcp["Urgent Pointer"] = change("U")
    if unit is not None and unit.kind == "IPv4":
        unit["Identification"] += change("I") if "I" in front.flags else 1
    if front.r_octet is not None:
        put_r_octet(chain, front.r_octet)
