# SPDX-License-Identifier: Apache-2.0
"""Assembly of test messages: the mnemonics of RFC 3320, 9 and RFC 4464, each operand in three octets.

Shares no code with any implementation's assembler. All operands have one length, which wastes space, but gives the
address of each label without iteration. The source may have instructions, `:label`, `set (name, expression)`,
`byte (…)`, `word (…)`, `hex (octets)`, `pad (n)` and `;` comments.
"""

import ast
import operator
import re

from headroom.core.errors import UsageError
from headroom.schemes.sigcomp.judge.udvm import NAMES

# Operands by instruction: # literal, $ reference, % multitype, @ address; the last group repeats where it has a star.
OPERANDS = {
    "DECOMPRESSION-FAILURE": "", "AND": "$%", "OR": "$%", "NOT": "$", "LSHIFT": "$%", "RSHIFT": "$%", "ADD": "$%",
    "SUBTRACT": "$%", "MULTIPLY": "$%", "DIVIDE": "$%", "REMAINDER": "$%", "SORT-ASCENDING": "%%%",
    "SORT-DESCENDING": "%%%", "SHA-1": "%%%", "LOAD": "%%", "MULTILOAD": "%#%*", "PUSH": "%", "POP": "%", "COPY": "%%%",
    "COPY-LITERAL": "%%$", "COPY-OFFSET": "%%$", "MEMSET": "%%%%", "JUMP": "@", "COMPARE": "%%@@@", "CALL": "@",
    "RETURN": "", "SWITCH": "#%@*", "CRC": "%%%@", "INPUT-BYTES": "%%@", "INPUT-BITS": "%%@", "INPUT-HUFFMAN": "%@#%*",
    "STATE-ACCESS": "%%%%%%", "STATE-CREATE": "%%%%%", "STATE-FREE": "%%", "OUTPUT": "%%", "END-MESSAGE": "%%%%%%%",
}  # fmt: skip
_LINE = re.compile(r"(?P<word>[A-Za-z][A-Za-z0-9-]*)\s*(?:\((?P<rest>.*)\))?$")
_OPERATORS = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv,
    ast.USub: operator.neg,
}


def assemble(source: str, at: int = 128) -> bytes:
    """The octets of a program that is loaded at address `at`. Raises UsageError with the line of an error."""
    lines = [(number, line.partition(";")[0].strip()) for number, line in enumerate(source.splitlines(), 1)]
    names: dict[str, int] = {}
    place = at
    for number, line in lines:  # once for the labels
        place += _length(line, place, names, number)
    code = bytearray()
    for number, line in lines:
        code += _octets(line, at + len(code), names, number)
    return bytes(code)


def _split(line: str, number: int) -> tuple[str, list[str]]:
    match = _LINE.fullmatch(line)
    if match is None:
        raise UsageError(f"line {number}: '{line}' is no line of assembly.")
    rest = (match["rest"] or "").strip()
    return match["word"], [part.strip() for part in rest.split(",")] if rest else []


def _length(line: str, place: int, names: dict[str, int], number: int) -> int:
    if not line:
        return 0
    if line.startswith(":"):
        names[line[1:].strip()] = place
        return 0
    word, rest = _split(line, number)
    match word:
        case "set":
            names[rest[0]] = _value(rest[1], names, number)
            return 0
        case "byte":
            return len(rest)
        case "hex":
            return len(_hex(rest, number))
        case "word":
            return 2 * len(rest)
        case "pad":
            return _value(rest[0], names, number)
        case _:
            return 1 + 3 * len(rest)


def _octets(line: str, place: int, names: dict[str, int], number: int) -> bytes:
    if not line or line.startswith(":"):
        return b""
    word, rest = _split(line, number)
    match word:
        case "set":
            return b""
        case "byte":
            return bytes(_value(part, names, number) & 0xFF for part in rest)
        case "hex":
            return _hex(rest, number)
        case "word":
            return b"".join((_value(part, names, number) & 0xFFFF).to_bytes(2, "big") for part in rest)
        case "pad":
            return bytes(_value(rest[0], names, number))
    if word not in OPERANDS:
        raise UsageError(f"line {number}: {word} is no instruction of the UDVM.")
    kinds = OPERANDS[word]
    if kinds.endswith("*"):
        kinds = kinds[:-2] + kinds[-2] * max(0, len(rest) - len(kinds) + 2)
    if len(kinds) != len(rest):
        raise UsageError(f"line {number}: {word} has {len(kinds)} operands, not {len(rest)}.")
    code = bytes([NAMES.index(word)])
    for kind, part in zip(kinds, rest, strict=True):
        code += _operand(kind, part, place, names, number)
    return code


def _operand(kind: str, part: str, place: int, names: dict[str, int], number: int) -> bytes:
    memory = part.startswith("$")
    value = _value(part.removeprefix("$"), names, number)
    if kind == "@" and not memory:
        value -= place
    if (memory and kind == "#") or (not memory and kind == "$"):
        raise UsageError(f"line {number}: '{part}' cannot be an operand of the kind {kind}.")
    lead = 0xC0 if kind in "#$" else 0x81 if memory else 0x80
    return bytes([lead]) + (value & 0xFFFF).to_bytes(2, "big")


def _hex(rest: list[str], number: int) -> bytes:
    try:
        return bytes.fromhex("".join(rest))
    except ValueError as error:
        raise UsageError(f"line {number}: '{''.join(rest)}' is not hexadecimal.") from error


def _value(text: str, names: dict[str, int], number: int) -> int:
    """An expression of numbers, names, +, -, * and //."""

    def of(node: ast.expr) -> int:
        match node:
            case ast.Constant(value=int(value)):
                return value
            case ast.Name(id=name) if name in names:
                return names[name]
            case ast.BinOp(left=left, op=op, right=right) if type(op) in _OPERATORS:
                return _OPERATORS[type(op)](of(left), of(right))
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return -of(operand)
        raise UsageError(f"line {number}: '{text}' is no number; names are {', '.join(names) or 'none'}.")

    try:
        return of(ast.parse(text, mode="eval").body)
    except (SyntaxError, ZeroDivisionError) as error:
        raise UsageError(f"line {number}: '{text}' is no number.") from error
