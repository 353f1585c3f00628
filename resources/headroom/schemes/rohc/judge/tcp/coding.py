# SPDX-License-Identifier: Apache-2.0
"""Reading and writing by the formats of notation.py: one method at a time, with the values that the context has.

Values are numbers by the names of fields; None is that of a field that is not there. What a format leaves out is not
set: whether that means "as in the context" is for whoever knows which formats belong together.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from headroom.schemes.rohc.judge.framework import lsb
from headroom.schemes.rohc.judge.framework.bits import TRUNCATED, Bits
from headroom.schemes.rohc.judge.framework.errors import MalformedPacket
from headroom.schemes.rohc.judge.framework.fields import Field as Traced
from headroom.schemes.rohc.judge.tcp import notation
from headroom.schemes.rohc.judge.tcp.notation import Expression, Field, Format, Method, Undefined

Values = dict[str, int | None]
FORMATS = notation.load()
# What the formats of a method rest on: the last number of an id of RFC 6846, 8.2, by the kind of format if they differ.
_RESTS_ON: dict[str, int | dict[str, int]] = {
    "ip_dest_opt": 2,
    "ip_hop_opt": 2,
    "ip_rout_opt": 3,
    "gre": 4,
    "mine": 5,
    "ah": 6,
    "ipv6": {"static": 8, "dynamic": 9, "replicate": 10, "irregular": 11},
    "ipv4": {"static": 12, "dynamic": 13, "replicate": 14, "irregular": 15},
    "co_baseheader": {"co_common": 35}
    | {f"{kind}_{n}": first + n for kind, first in (("rnd", 35), ("seq", 43)) for n in range(1, 9)},
    "tcp": {"static": 29, "dynamic": 30, "replicate": 31, "irregular": 32},
}


class NoMatch(Exception):
    """The bits, or the values, are not of this format."""


class NoFormat(MalformedPacket):
    """The bits are of none of a method's formats."""


class BitReader:
    """A cursor over octets, bit by bit; `fields` is what has been read, for the trace."""

    def __init__(self, octets: bytes, position: int = 0) -> None:
        self.octets = octets
        self.position = position  # in bits
        self.fields: list[Traced] = []
        self.needed = 0  # bits, of the longest attempt that ran out of octets

    def read(self, width: int, name: str) -> int:
        end = self.position + width
        if width < 0:  # a length that leaves out what it counts, of AH or of an option
            raise NoMatch
        if end > 8 * len(self.octets):
            self.needed = max(self.needed, end)
            raise NoMatch
        first, last = self.position // 8, (end + 7) // 8
        value = int.from_bytes(self.octets[first:last], "big") >> 8 * last - end & (1 << width) - 1
        self.fields.append(Traced(name, self.position, width, value))
        self.position = end
        return value

    def rewind(self, position: int) -> None:
        self.position = position
        while self.fields and self.fields[-1].position + self.fields[-1].width > position:
            self.fields.pop()

    def rest(self) -> bytes:
        """Returns the octets that follow. Raises ValueError within an octet."""
        if self.position % 8:
            raise ValueError("A format has ended within an octet.")
        return self.octets[self.position // 8 :]


class BitWriter:
    def __init__(self) -> None:
        self.value = 0
        self.width = 0

    def write(self, value: int, width: int) -> None:
        if not 0 <= value < 1 << width:
            raise NoMatch
        self.value = self.value << width | value
        self.width += width

    def octets(self) -> bytes:
        if self.width % 8:
            raise ValueError("A format has ended within an octet.")
        return self.value.to_bytes(self.width // 8, "big")


@dataclass
class Scope:
    """Values of names: `new` values of this packet, arguments of the method, `old` values of the context. `on_list`
    reads or writes a list of TCP options."""

    old: Mapping[str, int | None]
    new: Values = field(default_factory=dict)
    arguments: Mapping[str, int | None] = field(default_factory=dict)
    on_list: Callable[[Scope], None] | None = None

    def __call__(self, name: str) -> int | None:
        if name in self.new:
            return self.new[name]
        if name in self.arguments:
            return self.arguments[name]
        if name in FORMATS.constants:
            return FORMATS.constants[name]
        return self.old.get(name)

    def value(self, expression: Expression | None) -> int:
        if expression is None:
            raise Undefined
        return expression.value(self)

    def known(self, expression: Expression) -> int | None:
        try:
            return self.value(expression)
        except Undefined:
            return None

    def is_allowed(self, candidate: Format) -> bool:
        """True if no part of the condition is known to be wrong."""
        return all(self.known(part) in (None, 1) for part in candidate.parts)


def width_of(method: Method, name: str) -> int:
    """The longest width of a field of the header, or that of a control field."""
    return method.widths.get(name) or FORMATS.control.get(name, 0)


def _inner(outer: Field, scope: Scope) -> tuple[Method, Scope]:
    """The method that encodes a field, and what names mean there: its own header's field is the outer one."""
    inner = FORMATS.methods[outer.method]
    arguments = dict(zip(inner.parameters, map(scope.known, outer.arguments), strict=True))
    old = {**scope.old, **{name: value for name, value in scope.new.items() if name != outer.name}}
    old.update(_split(inner, scope.old.get(outer.name)))
    return inner, Scope(old, arguments=arguments, on_list=scope.on_list)


def _split(inner: Method, value: int | None) -> Values:
    """A value by the fields of a method's header, the last one least significant."""
    values: Values = {}
    for part in reversed(inner.header):
        width = width_of(inner, part.name)
        values[part.name] = value if value is None or len(inner.header) == 1 else value & (1 << width) - 1
        value = None if value is None else value >> width
    return values


def _joined(inner: Method, values: Mapping[str, int | None]) -> int | None:
    joined: int | None = None
    for part in inner.header:
        if (value := values.get(part.name)) is not None:
            joined = (joined or 0) << width_of(inner, part.name) | value
    return joined


# --- reading ----------------------------------------------------------------------------------------------------------


def read(bits: BitReader, method: Method, candidates: Iterable[Format], scope: Scope) -> Format:
    """Reads by the first of the formats that fits, and sets `scope.new`. Raises NoFormat when none does."""
    start, furthest, nearest = bits.position, -1, ""
    for candidate in candidates:
        trial = Scope(scope.old, dict(scope.new), scope.arguments, scope.on_list)
        try:
            for field in candidate.fields:
                _read_field(bits, method, field, trial)
            if trial.is_allowed(candidate):
                scope.new.update(trial.new)
                return candidate
        except (NoMatch, Undefined):
            pass
        if bits.position > furthest:
            furthest, nearest = bits.position, candidate.name
        bits.rewind(start)
    if bits.needed > 8 * len(bits.octets):
        raise NoFormat(TRUNCATED, f"The packet ends in a part of the method {method.name}.")
    requirement = requirement_of(method.name, nearest)
    raise NoFormat(requirement, f"The bits from bit {start} on are of no format of the method {method.name}.")


def requirement_of(method: str, name: str) -> str:
    """The requirement that a format is one of; of what has none of its own, that no packet is parsed in error."""
    number = _RESTS_ON.get(method)
    if isinstance(number, dict):
        number = next(value for part, value in number.items() if part in name)
    return f"RFC6846-8.2-{number}" if number else TRUNCATED


def _read_field(bits: BitReader, method: Method, field: Field, scope: Scope) -> None:
    name = field.name
    match field.encoding:
        case notation.BITS:
            if bits.read(len(field.bits), "discriminator") != int(field.bits, 2):
                raise NoMatch
        case notation.IRREGULAR | notation.CRC:
            scope.new[name] = bits.read(scope.value(field.width), name)
        case notation.LSB:
            width, offset = map(scope.value, field.arguments)
            sent = Bits(bits.read(width, name), width)
            scope.new[name] = lsb.decode(_reference(scope, name), sent, offset, 1 << width_of(method, name))
        case notation.VALUE:
            scope.new[name] = scope.value(field.arguments[0])
        case notation.CHECK:
            sent_value = bits.read(scope.value(field.width), name)
            if scope.known(field.arguments[0]) not in (None, sent_value):
                raise NoMatch
            scope.new[name] = sent_value
        case notation.DISTANCE:
            distance = bits.read(scope.value(field.width), name)
            scope.new[name] = (scope.value(field.arguments[0]) + distance) % (1 << width_of(method, name))
        case notation.STATIC:
            if name in scope.old:
                scope.new[name] = scope.old[name]
        case notation.NONE:
            scope.new[name] = None
        case notation.LIST:
            if scope.on_list is None:
                raise Undefined(name)
            scope.on_list(scope)
        case notation.CALL:
            inner, inside = _inner(field, scope)
            before = len(bits.fields)
            try:
                read(bits, inner, inner.formats.values(), inside)
            except NoFormat as error:
                raise NoMatch from error
            for traced in range(before, len(bits.fields)):  # under the outer name
                part = bits.fields[traced]
                if len(inner.header) == 1 and part.name == inner.header[0].name:
                    bits.fields[traced] = part._replace(name=name)
            if any(part.name in inside.new for part in inner.header):
                scope.new[name] = _joined(inner, inside.new)
            scope.new.update({control: inside.new[control] for control in FORMATS.control if control in inside.new})


def _reference(scope: Scope, name: str) -> int:
    reference = scope.old.get(name)
    if reference is None:
        raise Undefined(name)
    return reference


# --- writing ----------------------------------------------------------------------------------------------------------


def write(bits: BitWriter, method: Method, candidates: Iterable[Format], scope: Scope) -> Format:
    """Writes `scope.new` by the first of the formats that can carry it. Raises NoMatch when none can."""
    before = bits.value, bits.width
    for candidate in candidates:
        try:
            for field in candidate.fields:
                _write_field(bits, method, field, scope)
            if scope.is_allowed(candidate):
                return candidate
        except (NoMatch, Undefined):
            pass
        bits.value, bits.width = before
    raise NoMatch(f"No format of the method {method.name} can carry these values.")


def _write_field(bits: BitWriter, method: Method, field: Field, scope: Scope) -> None:
    name, value = field.name, scope.new.get(field.name)
    match field.encoding:
        case notation.BITS:
            bits.write(int(field.bits, 2), len(field.bits))
        case notation.IRREGULAR | notation.CRC:
            bits.write(_there(value, name), scope.value(field.width))
        case notation.LSB:
            width, offset = map(scope.value, field.arguments)
            modulus = 1 << width_of(method, name)
            if not lsb.can_decode(_reference(scope, name), _there(value, name), width, offset, modulus):
                raise NoMatch
            bits.write(_there(value, name) & (1 << width) - 1, width)
        case notation.VALUE:
            if value not in (None, scope.value(field.arguments[0])):
                raise NoMatch
        case notation.CHECK:
            expected = scope.known(field.arguments[0])
            if value is not None and expected is not None and value != expected:
                raise NoMatch
            bits.write(_there(expected if value is None else value, name), scope.value(field.width))
        case notation.DISTANCE:
            distance = (_there(value, name) - scope.value(field.arguments[0])) % (1 << width_of(method, name))
            bits.write(distance, scope.value(field.width))
        case notation.STATIC:
            if name in scope.new and value != scope.old.get(name):
                raise NoMatch
        case notation.NONE:
            if value is not None:
                raise NoMatch
        case notation.LIST:
            if scope.on_list is None:
                raise Undefined(name)
            scope.on_list(scope)
        case notation.CALL:
            inner, inside = _inner(field, scope)
            if name in scope.new:
                inside.new.update(_split(inner, value))
            inside.new.update({control: scope.new[control] for control in FORMATS.control if control in scope.new})
            write(bits, inner, inner.formats.values(), inside)


def _there(value: int | None, name: str) -> int:
    if value is None:
        raise Undefined(name)
    return value
