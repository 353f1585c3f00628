# SPDX-License-Identifier: Apache-2.0
"""The dissectors of all schemes, for code that does not know the schemes."""

from collections.abc import Mapping
from functools import cache

from headroom.core.captures.dissection import LinkDissector, PayloadDissector, Value
from headroom.core.scheme_registry import all_schemes

# Values that are shown in hexadecimal, with their number of digits on the wire; schemes add their own.
_HEXADECIMAL = {"SSRC": 8, "SPI": 8}


@cache
def links() -> Mapping[str, LinkDissector]:
    """Dissectors of link packets, by scheme."""
    return {name: dissector for name, dissector in _all().items() if isinstance(dissector, LinkDissector)}


@cache
def payloads() -> Mapping[str, PayloadDissector]:
    """Dissectors of UDP payloads, by scheme, those of tunnels first."""
    dissectors = {name: dissector for name, dissector in _all().items() if isinstance(dissector, PayloadDissector)}
    return dict(sorted(dissectors.items(), key=lambda item: not item[1].is_tunnel))


@cache
def _all() -> Mapping[str, LinkDissector | PayloadDissector]:
    return {name: scheme.dissector() for name, scheme in all_schemes().items() if scheme.dissector}


@cache
def _hexadecimal() -> Mapping[str, int]:
    digits = dict(_HEXADECIMAL)
    for dissector in _all().values():
        digits |= dissector.hexadecimal
    return digits


def shown(name: str, value: Value) -> str:
    """A value as text."""
    if isinstance(value, list):
        return ", ".join(shown(name, element) for element in value)
    if isinstance(value, int) and name in _hexadecimal():
        return f"0x{value:0{_hexadecimal()[name]}x}"
    return str(value)
