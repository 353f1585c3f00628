# SPDX-License-Identifier: Apache-2.0
"""The dissectors of all schemes, for those who do not know which schemes there are."""

from collections.abc import Mapping
from functools import cache

from headroom.core.captures.dissection import LinkDissector, PayloadDissector, Value
from headroom.core.scheme_registry import all_schemes

# Values that are shown in hexadecimal, with the digits they have on the wire; the others are the schemes' own.
_HEXADECIMAL = {"SSRC": 8, "SPI": 8}


@cache
def links() -> Mapping[str, LinkDissector]:
    """Dissectors of link packets, by scheme."""
    return {name: one for name, one in _all().items() if isinstance(one, LinkDissector)}


@cache
def payloads() -> Mapping[str, PayloadDissector]:
    """Dissectors of UDP payloads, by scheme, those of tunnels first."""
    found = {name: one for name, one in _all().items() if isinstance(one, PayloadDissector)}
    return dict(sorted(found.items(), key=lambda item: not item[1].is_tunnel))


@cache
def _all() -> Mapping[str, LinkDissector | PayloadDissector]:
    return {name: scheme.dissector() for name, scheme in all_schemes().items() if scheme.dissector}


@cache
def _hexadecimal() -> Mapping[str, int]:
    found = dict(_HEXADECIMAL)
    for one in _all().values():
        found |= one.hexadecimal
    return found


def shown(name: str, value: Value) -> str:
    """A value as people read it."""
    if isinstance(value, list):
        return ", ".join(shown(name, one) for one in value)
    if isinstance(value, int) and name in _hexadecimal():
        return f"0x{value:0{_hexadecimal()[name]}x}"
    return str(value)
