# SPDX-License-Identifier: Apache-2.0
"""formats.yaml against the formal notation of RFC 6846, 8.2, where HEADROOM_TEXTS names a folder that has its text; and
what must hold of formats whatever they are."""

from __future__ import annotations

import os
import re
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from headroom.core.quotes import TEXTS
from headroom.schemes.rohc.judge.tcp import notation
from headroom.schemes.rohc.judge.tcp.notation import (
    BITS,
    CALL,
    DISTANCE,
    INFERRED,
    LSB,
    STATIC,
    VALUE,
    Expression,
    Field,
    Format,
)
from headroom.tests.oracle_rohc_tcp import formal_notation
from headroom.tests.oracle_rohc_tcp.formal_notation import Block, Written, WrittenMethod

FORMATS = notation.load()
EXPRESSED_OTHERWISE = {"one_bit_choice", "crc3", "crc7", "field_scaling"}
# Relations between values, which are the reader's: no choice of a format rests on them.
RELATION = re.compile(r"ip_id_offset|ip_id_nbo|sack_field|checksum_and_res|sequence_number")
# Where the text cannot mean what it says: what is read instead.
MISPRINTS = {
    ("tcp", "tcp_replicate", "urg_point"): "urg_ptr",
    ("ip_rout_opt", "rout_opt_0_replicate", "second"): "rout_opt_1_replicate",
    ("tcp_opt_sack", "sack3_irregular", "block_3"): "block_2&4294967295",
}


@cache
def written() -> dict[str, WrittenMethod]:
    folder = os.environ.get(TEXTS)
    text = Path(folder or "", "rfc6846.txt")
    if not folder or not text.is_file():
        pytest.skip(f"{TEXTS} names no folder with rfc6846.txt")
    return formal_notation.read(text.read_text())


def row_of(fields: tuple[Field, ...]) -> list[Written]:
    def decimal(one: Expression) -> str:
        return re.sub(r"0x[0-9A-Fa-f]+", lambda found: str(int(found[0], 16)), one.text)

    found = []
    for one in fields:
        arguments = (one.bits,) if one.encoding == BITS else tuple(map(decimal, one.arguments))
        encoding = f"{CALL} {one.method}" if one.encoding == CALL else "" if one.encoding == DISTANCE else one.encoding
        widths = (one.width.text,) if one.width and one.encoding != BITS else ()
        found.append(Written(one.name, encoding, () if one.encoding == DISTANCE else arguments, widths))
    return found


def compared(method: str, block: Block) -> tuple[list[Written], set[str]]:
    """The row of fields of a block, and its conditions, as this project reads them."""
    row = []
    for one in block.fields:
        meant = MISPRINTS.get((method, block.name, one.name), "")
        if one.name.startswith("block_") and meant:
            row.append(replace(one, arguments=(meant,)))
        else:
            row.append(replace(one, name=meant or one.name))
    return row, {one for one in block.conditions if not RELATION.search(one)}


def conditions_of(one: Format) -> set[str]:
    if one.condition is None:
        return set()
    return {re.sub(r" (==|!=|-) ", r"\1", part).replace(", ", ",") for part in one.condition.text.split(" and ")}


def test_every_method_is_there() -> None:
    assert set(written()) - EXPRESSED_OTHERWISE == set(FORMATS.methods)


@pytest.mark.parametrize("name", FORMATS.methods)
def test_formats_are_those_of_the_text(name: str) -> None:
    theirs, ours = written()[name], FORMATS.methods[name]
    assert ours.parameters == theirs.parameters
    blocks: dict[str, Block] = {}
    for block in theirs.compressed():
        key = block.name or "block"
        if key in blocks:
            key = MISPRINTS[name, key, "second"]
        blocks[key] = block
    assert list(blocks) == list(ours.formats)
    for key, block in blocks.items():
        found = ours.formats[key]
        row, conditions = row_of(found.fields), conditions_of(found)
        if name == "tcp_opt_sack":  # the length that a format is for is the value that it gives
            conditions |= {f"length=={one.arguments[0]}" for one in row if one.encoding == VALUE}
            row = [one for one in row if one.encoding != VALUE]
        expected, wanted = compared(name, block)
        assert row == expected, f"{name}/{key}"
        assert conditions == wanted, f"{name}/{key}"


@pytest.mark.parametrize("name", sorted(set(FORMATS.methods) - {"co_baseheader"}))
def test_headers_are_those_of_the_text(name: str) -> None:
    block = next(one for one in written()[name].blocks if one.kind == "UNCOMPRESSED")
    expected = [(one.name, "|".join(one.widths)) for one in block.fields]
    ours = [(one.name, one.width.text if one.width else "") for one in FORMATS.methods[name].header]
    assert ours == [(field, width or "0") for field, width in expected]


@pytest.mark.parametrize("name", FORMATS.methods)
def test_defaults_are_those_of_the_text(name: str) -> None:
    method = FORMATS.methods[name]
    known = {one.name for one in method.header}
    theirs: dict[str, tuple[str, ...]] = {}
    for block in written()[name].blocks:
        stated = block.kind == "DEFAULT"
        for one in block.fields:
            inferred = block.kind == "UNCOMPRESSED" and one.encoding == INFERRED
            if one.name in known and one.encoding != STATIC and (stated or inferred):
                theirs[one.name] = (one.encoding, *one.arguments)
    assert {one.name: (one.encoding, *map(str, one.arguments)) for one in method.defaults.values()} == theirs


def test_fields_of_constant_width_fill_octets() -> None:
    """Items of chains and options end where an octet ends: RFC 6846, 6.2, and so do base headers."""
    for method in FORMATS.methods.values():
        for one in method.formats.values():
            whole = one.name.endswith(("_static", "_dynamic", "_replicate", "_list_item"))
            if not whole and not one.name.startswith(("rnd_", "seq_", "co_")):
                continue
            inner = sum(_inner(field) for field in one.fields if field.encoding == CALL)
            assert (_bits(one.fields) + inner) % 8 == 0, one.name


def _bits(fields: tuple[Field, ...]) -> int:
    found = [
        int(one.width.text) for one in fields if one.width and one.encoding != VALUE and one.width.text.isdecimal()
    ]
    return sum(found)


def _inner(field: Field) -> int:
    """Bits of what a method makes, modulo 8: the same whichever of its formats it takes, or those of fl_enc's."""
    if field.method == "ip_id_lsb":
        return int(field.arguments[1].text)
    sizes = {_bits(found.fields) % 8 for found in FORMATS.methods[field.method].formats.values()}
    return sizes.pop() if len(sizes) == 1 else 0


def test_discriminators_of_a_set_tell_formats_apart() -> None:
    """No bits begin with those of another format of the same set, co_common's included."""
    base = FORMATS.methods["co_baseheader"].formats
    for prefix in ("rnd_", "seq_"):
        begins = [one.fields[0].bits for one in base.values() if one.name.startswith((prefix, "co_"))]
        assert len(begins) == 9
        for a in begins:
            assert not any(b is not a and b.startswith(a) for b in begins), a
        # A first octet of 111xxxxx belongs to the framework, but for co_common (RFC 5795, 5.2).
        assert not any(one.startswith("111") for one in begins if one != "1111101")


def test_lsb_fields_are_of_the_header_or_of_the_context() -> None:
    for method in FORMATS.methods.values():
        known = {one.name for one in method.header} | set(FORMATS.control)
        for one in method.formats.values():
            assert {field.name for field in one.fields if field.encoding == LSB} <= known, one.name
