# SPDX-License-Identifier: Apache-2.0
"""Judges a compressor according to RFC 2507 from its packets and link packets.

A decompressor with the same contexts must restore each packet from its link packet. The judge also checks what the RFC
requires of fields that need a full header, of retransmissions, of generations, and of the coding of changes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from headroom.core.finding import Finding
from headroom.schemes.iphc.judge import chain as chains
from headroom.schemes.iphc.judge import link
from headroom.schemes.iphc.judge.chain import Chain
from headroom.schemes.iphc.judge.decompressor import Context, Decompressor, Outcome, Parameters, r_octet
from headroom.schemes.iphc.judge.link import ECHOED, FULL, NODELTA, NON_TCP, TCP, UNIDIRECTIONAL, TcpFront

MIN_WRAP_NS = 3_000_000_000
# What a link packet breaks of which nothing comes out.
BROKEN = {FULL: "RFC2507-5.3.1-1", TCP: "RFC2507-9-1", NODELTA: "RFC2507-9-1", NON_TCP: "RFC2507-9-2"}
FIELDS = {"A": "Acknowledgment Number", "S": "Sequence Number", "W": "Window"}

Remark = tuple[str, str]  # a requirement and a sentence


@dataclass
class Stream:
    """The full headers of a non-TCP CID: F_PERIOD, C_NUM, F_LAST (3.3.3), and when each generation was used last.

    `period` is F_PERIOD by the pseudo code; `most` by 3.3.1, where it "is doubled each time a full header is sent"."""

    period: int = 1
    most: int = 1
    compressed: int = 0
    full_at: int = 0
    used_at: dict[int, int] = field(default_factory=dict)


@dataclass
class CompressorJudge:
    """Follows one link from its beginning on. Times are of the packets, in ns."""

    parameters: Parameters = field(default_factory=Parameters)
    waits: bool = True  # whether the compressor has to wait MIN_WRAP seconds with non-TCP headers
    count: int = 0
    decompressor: Decompressor = field(init=False)
    streams: dict[int, Stream] = field(default_factory=dict)
    requested: set[int] = field(default_factory=set)  # TCP CIDs that CONTEXT_STATE packets have named
    started_at: int | None = None

    def __post_init__(self) -> None:
        self.decompressor = Decompressor(self.parameters)

    def request(self, cids: bytes) -> None:
        """A CONTEXT_STATE packet has arrived at the compressor."""
        self.requested |= {*cids}

    def sent(self, source: bytes, type_: int, octets: bytes, time_ns: int = 0) -> list[Finding]:
        """The findings about the link packet of a packet."""
        number, self.count = self.count, self.count + 1
        results = self.remarks(source, type_, octets, time_ns)
        return [Finding(sentence, broken, number) for broken, sentence in results]

    def remarks(self, source: bytes, type_: int, octets: bytes, time_ns: int = 0) -> Iterator[Remark]:
        if self.started_at is None:
            self.started_at = time_ns
        if type_ not in link.TYPE_NAMES:
            yield "RFC3544-4-1", f"its type is 0x{type_:04x}, which is no type of IPHC"
            return
        if type_ in (link.IPV4, link.IPV6):
            if octets != source:
                yield "RFC2507-3.1-3", "a packet that is not compressed keeps its regular header"
            return
        chain = chains.read(source, self.parameters.max_header)
        if not chain.is_sound(source):
            yield "RFC2507-7.1-2", f"it goes as {link.TYPE_NAMES[type_]}, though its lengths or checksums do not match"
        if self.parameters.compress == ("non-tcp" if chain.tcp else "tcp"):
            yield "RFC3544-2.4-1", f"it goes as {link.TYPE_NAMES[type_]}, though the space has no contexts"
        before = {**self.decompressor.tcp}, {**self.decompressor.non_tcp}
        outcome = self.decompressor.receive(type_, octets)
        if outcome.restored is None:
            yield from self._nothing(type_, octets, outcome, before[0])
            return
        was = (before[0] if chain.tcp else before[1]).get(outcome.cid or 0)
        if type_ in (TCP, NODELTA):
            yield from self._needs_full(was, chain, len(source), type_)
        if outcome.restored != source:
            yield "RFC2507-7-1", "a decompressor with the same context restores another packet"
            return
        if type_ == TCP and was is not None and outcome.front is not None:
            yield from self._coding(was, chain, outcome.front)
        if chain.tcp:
            yield from self._requests(outcome, type_)
            if self.parameters.reordering:
                yield from self._numbers(was, outcome, type_)
            elif type_ == FULL:
                yield from self._octets_of_full(chain, octets)
        elif outcome.cid is not None:
            yield from self._generations(was, chain, outcome.cid, type_, time_ns)

    def _octets_of_full(self, chain: Chain, octets: bytes) -> Iterator[Remark]:
        places = chain.length_places()
        others = [octets[places[0]], *(octet for at in places[1:] for octet in octets[at : at + 2])]
        if any(others):
            yield "RFC2507-5.3.1-1", "the octets for packet sequence numbers are not zero"

    def _nothing(
        self, type_: int, octets: bytes, outcome: Outcome, before: Mapping[int, Context | None]
    ) -> Iterator[Remark]:
        """The remarks on a link packet from which nothing is restored. `before` are the TCP contexts before it."""
        if not outcome.free:
            yield BROKEN[type_], f"nothing comes out of it: {outcome.reason}"
        elif type_ == FULL:
            yield BROKEN[FULL], outcome.reason
        elif type_ == TCP and self.parameters.reordering and before.get(octets[0]) is not None:
            number = int.from_bytes(octets[4:6])
            yield f"RFC2507-11.2-{2 if number else 3}", f"its packet sequence number, {number}, is not the next one"

    def _numbers(self, was: Context | None, outcome: Outcome, type_: int) -> Iterator[Remark]:
        """11.2. In COMPRESSED_TCP_NODELTA there is no place for a number."""
        now = self.decompressor.tcp[outcome.cid or 0]
        if type_ == NODELTA or now is None:
            return
        number, values = now.number
        if number == 0 and values == 1 << 16:
            yield "RFC2507-11.2-3", "its packet sequence number is zero"
        elif type_ == FULL and was is not None and was.number[1] > 1 and ends(was.chain) == ends(now.chain):
            known = was.number[0] % values
            if (number - known) % values != 1 and not (was.number[0] in (values - 1, 0xFFFF) and number == 1):
                yield "RFC2507-11.2-2", f"its packet sequence number is {number}, after {known}"

    def _requests(self, outcome: Outcome, type_: int) -> Iterator[Remark]:
        if outcome.cid in self.requested and type_ == TCP:
            yield "RFC2507-10.2-5", f"CID {outcome.cid} was requested, and a header with changes follows"
        self.requested.discard(outcome.cid if outcome.cid is not None else -1)

    def _needs_full(self, was: Context | None, chain: Chain, total: int, type_: int) -> Iterator[Remark]:
        """Fields and changes that a compressed header may not have."""
        if was is None or was.chain.tcp is None or chain.tcp is None:
            return
        ignored = {"Offset of TCP"} if type_ == NODELTA else set()
        if changed := [difference for difference in was.chain.differences(chain) if difference not in ignored]:
            yield "RFC2507-7-3", f"it has no full header, though {changed[0]} differs from the context"
        if is_repair(was, chain, total - chain.length):
            broken = "RFC2507-3.1-2" if type_ == NODELTA else "RFC2507-3.2-1"
            yield broken, "it has no full header, though TCP seems to retransmit"

    def _coding(self, was: Context, chain: Chain, front: TcpFront) -> Iterator[Remark]:
        saved, tcp = was.chain.tcp, chain.tcp
        assert saved is not None and tcp is not None
        for letter, (value, octets) in front.changes.items():
            if octets == 3 and 0 < value < 256:
                yield "RFC2507-7.12.1-2", f"the change of {letter}, {value}, takes three octets"
            if value == 0 and letter in "WAS":
                yield "RFC2507-7.12.1-2", f"the change of {letter} is zero, which is never sent"
        if "I" in front.flags and front.changes["I"][0] == 1:
            yield "", "the identification goes on by one, and the I flag is set (RFC 1144, 3.2.3)"
        if ("R" in front.flags) != (r_octet(was.chain) != r_octet(chain)) and not was.chain.parts[-2].as_is:
            yield "RFC2507-6-7", "the R flag does not say whether reserved field and TOS bits differ from the context"
        if ("O" in front.flags) != (saved.get("Options") != tcp.get("Options")):
            yield "RFC2507-6-6", "the O flag does not say whether the options differ from those before"
        special = special_of(was, chain)
        if special and not front.special and not saved["Urg"]:
            mask = "".join(sorted(special))
            yield "", f"the changes are those of the mask {mask}, which is not used (RFC 1144, 3.2.3)"

    def _generations(self, was: Context | None, chain: Chain, cid: int, type_: int, time_ns: int) -> Iterator[Remark]:
        """3.3 and section 8."""
        stream = self.streams.setdefault(cid, Stream())
        context = self.decompressor.non_tcp[cid]
        assert context is not None and self.started_at is not None
        if self.waits and time_ns - self.started_at < MIN_WRAP_NS:
            yield "RFC2507-3.3-5", "it goes as a non-TCP header in the first MIN_WRAP seconds"
        if type_ == NON_TCP:
            stream.compressed += 1
            if stream.compressed > stream.most:
                broken = "RFC2507-3.3.2-1" if stream.most == self.parameters.f_max_period else "RFC2507-3.3.1-1"
                yield broken, f"{stream.compressed} compressed headers follow a full one, not {stream.most}"
            most = self.parameters.f_max_time * 1_000_000_000
            if most and time_ns > stream.full_at + most:
                yield "RFC2507-3.3.2-2", "it is compressed more than F_MAX_TIME seconds after the last full header"
        else:
            yield from self._full(was, chain, context, stream, time_ns)
            stream.full_at = time_ns
        stream.used_at[context.generation] = time_ns

    def _full(
        self, was: Context | None, chain: Chain, context: Context, stream: Stream, time_ns: int
    ) -> Iterator[Remark]:
        if was is None:
            stream.period = stream.most = 1
        elif was.chain.differences(chain) or kinds(was.chain) != kinds(chain):
            stream.period = stream.most = 1
            if context.generation != (was.generation + 1) % 64:
                # 3.3 asks for another generation; "by one" is for new streams, and in what 3.3.3 recommends.
                is_must = context.generation == was.generation or ends(was.chain) != ends(chain)
                sentence = f"the context changes, and generation {was.generation} becomes {context.generation}"
                yield "RFC2507-8-2" if is_must else "", sentence
            used = stream.used_at.get(context.generation)
            if used is not None and time_ns - used < MIN_WRAP_NS:
                yield "RFC2507-3.3-3", f"generation {context.generation} comes again within MIN_WRAP seconds"
        else:
            if context.generation != was.generation:
                yield "RFC2507-3.3-2", "the generation changes, and the context does not"
            limit = self.parameters.f_max_period or 1 << 32
            seconds = self.parameters.f_max_time
            stream.most = min(2 * stream.most, limit)
            if stream.compressed >= stream.period:
                stream.period = min(2 * stream.period, limit)
            elif not seconds or time_ns <= stream.full_at + seconds * 1_000_000_000:
                yield "", f"a full header follows {stream.compressed} compressed ones, not {stream.period} (3.3.1)"
        stream.compressed = 0


def kinds(chain: Chain) -> list[str]:
    return [subheader.kind for subheader in chain.parts]


def ends(chain: Chain) -> list[int | None]:
    """Addresses and ports, by which no two headers of one stream differ."""
    names = ("Source Address", "Destination Address", "Source Port", "Destination Port")
    return [subheader.get(name) for subheader in chain.parts for name in names]


def changes_of(was: Context, chain: Chain) -> dict[str, int]:
    """The changes of S, A and W that there are, by letter."""
    saved, tcp = was.chain.tcp, chain.tcp
    assert saved is not None and tcp is not None
    changes = {text: (tcp[name] - saved[name]) % (1 << (16 if text == "W" else 32)) for text, name in FIELDS.items()}
    return {letter: value for letter, value in changes.items() if value}


def special_of(was: Context, chain: Chain) -> frozenset[str] | None:
    """The special case of RFC 1144 that the changes are."""
    assert chain.tcp is not None
    changes = changes_of(was, chain)
    if chain.tcp["Urg"]:
        return None
    if changes == {"S": was.data}:
        return UNIDIRECTIONAL
    return ECHOED if changes == {"S": was.data, "A": was.data} else None


def is_repair(was: Context, chain: Chain, data: int) -> bool:
    """True if "TCP retransmits" (RFC 2507, 3.2): the sequence number goes back, or is that of data sent before.

    `data` counts the octets of payload. RFC 1144, 3.2.3, takes some packets without data for retransmissions, too; RFC
    2507 does not mention them.
    """
    saved, tcp = was.chain.tcp, chain.tcp
    assert saved is not None and tcp is not None
    changes = changes_of(was, chain)
    urgent = tcp["Urg"] or tcp["Urgent Pointer"] != saved["Urgent Pointer"]
    again = not changes and not urgent and was.data != 0
    return data != 0 and (changes.get("S", 0) >> 31 != 0 or again)
