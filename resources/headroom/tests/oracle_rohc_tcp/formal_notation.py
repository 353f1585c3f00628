# SPDX-License-Identifier: Apache-2.0
"""A reader of the formal notation of RFC 4997, as far as RFC 6846, 8.2, uses it: its text becomes the same structures
that formats.yaml does, so that one can be compared with the other."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from headroom.schemes.rohc.judge.tcp.notation import (
    BITS,
    CALL,
    CHECK,
    CRC,
    DISTANCE,
    INFERRED,
    IRREGULAR,
    LIST,
    LSB,
    NONE,
    STATIC,
    VALUE,
)

CONSTANT = re.compile(r"IP_ID_BEHAVIOR_(?:SEQUENTIAL_)?(\w+)")
PAGE = re.compile(r"(?m)^(Pelletier, et al\..*|RFC 6846 .*|\f)$")
TOKEN = re.compile(r"=:=|==|!=|<=|&&|\|\||'[01]+'|\"[^\"]*\"|0[xb][0-9A-Fa-f]+|[\w.]+|[^\s\w]")


@dataclass
class Written:
    """A statement: `=:=` and what encodes the field, without "UVALUE" and the like; widths as they stand."""

    name: str
    encoding: str
    arguments: tuple[str, ...]
    widths: tuple[str, ...]


@dataclass
class Block:
    kind: str  # UNCOMPRESSED, COMPRESSED, DEFAULT, CONTROL, INITIAL
    name: str
    fields: list[Written] = field(default_factory=list)
    conditions: list[str] = field(default_factory=list)


@dataclass
class WrittenMethod:
    name: str
    parameters: tuple[str, ...]
    blocks: list[Block] = field(default_factory=list)

    def compressed(self) -> list[Block]:
        return [one for one in self.blocks if one.kind == "COMPRESSED"]


def section(text: str) -> str:
    """Section 8.2 without page breaks and comments."""
    start = text.index("8.2.  Formal Definition of Header Formats\n\n//")
    end = text.index("\n8.3.  Feedback Formats and Options", start)
    return re.sub(r"//[^\n]*", "", PAGE.sub("", text[start:end])).split("\n", 1)[1]


def read(text: str) -> dict[str, WrittenMethod]:
    tokens = TOKEN.findall(section(text))
    return {one.name: one for one in _Reader(tokens).methods()}


class _Reader:
    def __init__(self, tokens: list[str]) -> None:
        self.tokens = tokens
        self.at = 0

    def peek(self) -> str:
        return self.tokens[self.at] if self.at < len(self.tokens) else ""

    def take(self, expected: str = "") -> str:
        token = self.peek()
        assert not expected or token == expected, f"{expected} expected: {self.tokens[self.at - 8 : self.at + 4]}"
        self.at += 1
        return token

    def until(self, *ends: str) -> list[str]:
        """Tokens up to one of `ends` that is in no parentheses."""
        found, depth = [], 0
        while depth or self.peek() not in ends:
            token = self.take()
            depth += {"(": 1, ")": -1}.get(token, 0)
            found.append(token)
        return found

    def methods(self) -> Iterator[WrittenMethod]:
        while self.peek():
            name = self.take()
            if self.peek() in ("=", "{") and name.isupper():  # a constant, or the global control fields
                self.until(";") if self.peek() == "=" else self.until("}")
                self.take()
            elif self.peek().startswith('"'):  # defined in words
                self.take()
                self.take(";")
            else:
                yield self.method(name)

    def method(self, name: str) -> WrittenMethod:
        parameters: list[str] = []
        if self.peek() == "(":
            self.take()
            parameters = [token for token in self.until(")") if token != ","]
            self.take(")")
        method = WrittenMethod(name, tuple(parameters))
        self.take("{")
        while self.peek() != "}":
            block = Block(self.take(), "")
            if self.peek() != "{":
                block.name = self.take()
            self.take("{")
            while self.peek() != "}":
                self.statement(block)
            self.take("}")
            method.blocks.append(block)
        self.take("}")
        return method

    def statement(self, block: Block) -> None:
        name = self.take()
        if name == "ENFORCE":
            self.take("(")
            block.conditions += _conditions(self.until(")"))
            self.take(")")
            self.take(";")
            return
        encoding: list[str] = []
        widths: list[str] = []
        if self.peek() == "=:=":
            self.take()
            encoding = self.until("[", ";")
        if self.peek() == "[":
            self.take()
            widths = "".join(self.until("]")).split(",")
            self.take("]")
        if self.peek() == ";":  # which one statement lacks
            self.take()
        block.fields.append(_written(name, encoding, [_plain(one) for one in widths]))


def _plain(expression: str) -> str:
    """An expression as formats.yaml writes it."""
    for suffix in (".UVALUE", ".CVALUE", ".ULENGTH"):
        expression = expression.replace(suffix, "")
    expression = CONSTANT.sub(lambda found: found[1], expression).replace("&&", "&")
    return re.sub(r"0[xb][0-9A-Fa-f]+", lambda found: str(int(found[0], 0)), expression)


def _conditions(tokens: list[str]) -> list[str]:
    text = _plain("".join(tokens).replace("true", "1").replace("false", "0"))
    choice = re.fullmatch(r"\((\w+)==(\w+)\)\|\|\(\1==(\w+)\)", text)
    return [f"{choice[1]} in ({choice[2]},{choice[3]})" if choice else text]


def _written(name: str, tokens: list[str], widths: list[str]) -> Written:
    if not tokens:
        return Written(name, "", (), tuple(widths))
    if tokens[0].startswith("'"):
        return Written("", BITS, (tokens[0].strip("'"),), ())
    method, arguments = tokens[0], _plain("".join(tokens[2:-1])).split(",") if len(tokens) > 1 else []
    match method:
        case "irregular":
            assert widths in ([], arguments), (name, widths, arguments)
            return Written(name, IRREGULAR, (), tuple(arguments))
        case "one_bit_choice":
            return Written(name, IRREGULAR, (), ("1",))
        case "lsb":
            assert widths == arguments[:1], (name, widths, arguments)
            return Written(name, LSB, tuple(arguments), tuple(widths))
        case "uncompressed_value" | "compressed_value" if arguments[0] == "0":
            return Written(name, NONE, (), ())
        case "uncompressed_value":
            return Written(name, VALUE, (arguments[1],), (arguments[0],))
        case "compressed_value":
            assert widths in ([], arguments[:1]), (name, widths, arguments)
            return Written(name, CHECK, (arguments[1],), (arguments[0],))
        case "static":
            return Written(name, STATIC, (), ())
        case "list_tcp_options":
            return Written(name, LIST, (), ())
        case "crc3" | "crc7":
            return Written(name, CRC, (), (method[-1],))
        case _ if method.startswith("inferred_"):
            return Written(name, INFERRED, (), tuple(widths))
    return Written(name, f"{CALL} {method}", tuple(arguments), ())


__all__ = ["DISTANCE", "Block", "Written", "WrittenMethod", "read"]
