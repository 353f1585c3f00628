# SPDX-License-Identifier: Apache-2.0
"""The notation of formats.yaml, which says what RFC 6846, 8.2, says in the formal notation of RFC 4997.

A method has the fields of its uncompressed header, defaults for those that a format leaves out ("static" where nothing
is said), and its formats. A format is a row of fields in the order of the link, and a condition behind "if":

| field | RFC 4997, 4.11 |
|---|---|
| `'101` | these very bits |
| `name:8` | irregular(8) |
| `name~4/7` | lsb(4, 7) |
| `name=0:8` | uncompressed_value(8, 0): nothing on the link |
| `name#0:2` | compressed_value(2, 0): nothing but bits on the link |
| `name=static`, `name=inferred` | from the context; from the rest of the packet |
| `name=none` | a field of no bits, here and there |
| `name=list` | list_tcp_options (RFC 6846, 6.3.3) |
| `name-base:15` | so many bits of the distance from `base`, all others being 0 |
| `name^3` | crc3 of the uncompressed header |
| `name@method(a,b)` | as the method has it |

Numbers may be expressions of constants, parameters and fields.
"""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from headroom.core import yamlfile

FILE = Path(__file__).with_name("formats.yaml")

BITS, IRREGULAR, LSB, VALUE, CHECK, STATIC, INFERRED, NONE, LIST, DISTANCE, CRC, CALL = (
    "bits",
    "irregular",
    "lsb",
    "value",
    "check",
    "static",
    "inferred",
    "none",
    "list",
    "distance",
    "crc",
    "call",
)
_OPERATORS: dict[type[ast.AST], Callable[..., Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.BitAnd: operator.and_,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.In: lambda a, b: a in b,
}


class Undefined(Exception):
    """An expression has a name that has no value here."""


Names = Callable[[str], int | None]


@dataclass(frozen=True)
class Expression:
    """A number or a condition, of names."""

    text: str

    @cached_property
    def value(self) -> Callable[[Names], int]:
        """The function that calculates it: headers are read by millions of expressions."""
        return _calculation(ast.parse(self.text, mode="eval").body)

    def __str__(self) -> str:
        return self.text


def _calculation(node: ast.expr) -> Callable[[Names], Any]:
    match node:
        case ast.Constant(value=value):
            return lambda names: value
        case ast.Name(id=name):
            return lambda names: _defined(name, names(name))
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            positive = _calculation(operand)
            return lambda names: -positive(names)
        case ast.BinOp(left=left, op=op, right=right) | ast.Compare(left=left, ops=[op], comparators=[right]):
            calculate, first, second = _OPERATORS[type(op)], _calculation(left), _calculation(right)
            return lambda names: calculate(first(names), second(names))
        case ast.Tuple(elts=elements):
            items = [_calculation(element) for element in elements]
            return lambda names: [item(names) for item in items]
        case ast.BoolOp(op=ast.And(), values=values):
            conditions = [_calculation(element) for element in values]
            return lambda names: all(condition(names) for condition in conditions)
    raise ValueError(f"formats.yaml has an expression that its notation lacks: {ast.unparse(node)}")


def _defined(name: str, value: int | None) -> int:
    if value is None:
        raise Undefined(name)
    return value


@dataclass(frozen=True)
class Field:
    """One field. `arguments` are those of its encoding: bits of LSB and p, a value, a base, or those of `method`."""

    name: str
    encoding: str
    width: Expression | None = None
    arguments: tuple[Expression, ...] = ()
    method: str = ""
    bits: str = ""

    @cached_property
    def longest(self) -> Expression | None:
        """The last of the widths that a field of a header may have; None for one that has none."""
        return self.width and Expression(self.width.text.rpartition("|")[2])

    def __str__(self) -> str:
        arguments = ", ".join(map(str, self.arguments))
        return f"{self.name or self.bits}: {self.method or self.encoding}({arguments}) [{self.width or ''}]"


@dataclass(frozen=True)
class Format:
    name: str
    fields: tuple[Field, ...]
    condition: Expression | None

    @cached_property
    def parts(self) -> list[Expression]:
        """Returns the parts of the condition, all of which must hold."""
        return [Expression(part) for part in self.condition.text.split(" and ")] if self.condition else []


@dataclass(frozen=True)
class Method:
    """An encoding method: of a header, of a field, or of an option."""

    name: str
    parameters: tuple[str, ...]
    header: tuple[Field, ...]
    defaults: Mapping[str, Field]
    formats: Mapping[str, Format]

    @cached_property
    def widths(self) -> Mapping[str, int]:
        """The longest width in bits of each field of the header that has one of its own."""
        own = {field.name: field.width.text.split("|") for field in self.header if field.width}
        return {
            name: max((int(width) for width in widths if width.isdecimal()), default=0) for name, widths in own.items()
        }

    def of_kind(self, kind: str) -> list[Format]:
        """The formats of a chain: "static", "dynamic", "replicate", "irregular"; of an option also "list_item"."""
        return [row for row in self.formats.values() if row.name.endswith(f"_{kind}")]


@dataclass(frozen=True)
class Formats:
    constants: Mapping[str, int]
    control: Mapping[str, int]  # fields that no header has, with their widths
    methods: Mapping[str, Method]


def _row(text: str) -> tuple[Field, ...]:
    return tuple(_field(token) for token in text.split())


def _field(token: str) -> Field:
    if token.startswith("'"):
        return Field("", BITS, Expression(str(len(token) - 1)), bits=token[1:])
    parts = re.fullmatch(r"(\w+?)(?:([:~=#^@-])(.+))", token)
    if parts is None:
        raise ValueError(f"formats.yaml has a field that its notation lacks: {token}")
    name, mark, rest = parts.groups()
    if mark == "@":
        method, _, arguments = rest.removesuffix(")").partition("(")
        return Field(name, CALL, None, tuple(map(Expression, arguments.split(",") if arguments else ())), method)
    if mark == "~":
        bits, _, offset = rest.partition("/")
        return Field(name, LSB, Expression(bits), (Expression(bits), Expression(offset)))
    if mark == "=" and rest in (STATIC, INFERRED, NONE, LIST):
        return Field(name, rest)
    value, _, width = rest.rpartition(":")
    if mark in ":^":
        return Field(name, IRREGULAR if mark == ":" else CRC, Expression(rest))
    if mark == "=" and not value:  # a default, whose width is that of the header's field
        return Field(name, VALUE, None, (Expression(rest),))
    encoding = {"=": VALUE, "#": CHECK, "-": DISTANCE}[mark]
    return Field(name, encoding, Expression(width), (Expression(value),))


def _format(name: str, text: str) -> Format:
    row, _, condition = f" {text}".partition(" if ")
    return Format(name, _row(row), Expression(condition) if condition else None)


@cache
def load() -> Formats:
    data = yamlfile.read(FILE).data
    methods = {}
    for signature, content in data["methods"].items():
        name, _, parameters = signature.removesuffix(")").partition("(")
        methods[name] = Method(
            name,
            tuple(parameter.strip() for parameter in parameters.split(",") if parameter),
            _row(content["header"]),
            {field.name: field for field in _row(content.get("default", ""))},
            {title: _format(title, text) for title, text in content["formats"].items()},
        )
    return Formats(data["constants"], data["control"], methods)
