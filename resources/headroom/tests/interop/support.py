# SPDX-License-Identifier: Apache-2.0
"""What the tests of the matrix share: implementations made for a test, one of them broken."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from headroom.core import scheme_registry
from headroom.core.matrix import ArtefactStore, Cell, Result, Row
from headroom.core.paths import build_folder
from headroom.core.replay import CAPTURES
from headroom.schemes.rohc.interop import traffic
from headroom.schemes.rohc.interop.cell import RUNNER

DECLARATION = """
name: {name}
vendor: Nobody
licence: Apache-2.0
obtain: Never.
{how}
capabilities:
  - scheme: rohc
    roles: [compressor, decompressor]
    profiles: [{profiles}]
    modes: [U, O]
    cids: [small, large]
    max_cid: 16383
    feedback: [own]
    {wire}
{more}
"""

# Every tenth packet begins with an octet that some faulty adapters cannot bear.
GARBAGE = """
name: garbage
title: Packets of which some begin with 0xff
description: For tests of adapters that do what they must not.
variants:
  - headers:
      - {protocol: raw, octets: "ff01020304"}
    payload: {length: 20}
    timing: {interval_ms: 20}
"""


def implementation(
    root: Path, name: str, how: str, profiles: str = '"0x0000"', wire: str = "wire: copy", more: str = ""
) -> str:
    """Writes an implementation's folder and returns its path, which serves as its name."""
    folder = root / name
    folder.mkdir(parents=True, exist_ok=True)
    text = DECLARATION.format(name=name, how=how, profiles=profiles, wire=wire, more=more)
    (folder / "implementation.yaml").write_text(text)
    return str(folder)


def faulty(root: Path, build: str, fault: str, more: str = "") -> str:
    """A faulty adapter of the engine's tests. It copies octets, as null does, and has profile 0x0000 and small CIDs."""
    library = build_folder(build) / "lib" / "faulty" / f"faulty_{fault}.so"
    assert library.is_file(), f"{library} belongs to the build's tests"
    return implementation(root, f"f-{fault.replace('_', '-')}", f"adapter: {{library: {library}}}", more=more)


def row(compressor: str, decompressor: str, *values: str, scheme_name: str = "rohc", **more: Any) -> Row:
    """A row with values of the axes in their order."""
    of = scheme_registry.find(scheme_name)
    return Row(of, compressor, decompressor, dict(zip((axis.name for axis in of.axes), values, strict=True)), **more)


def cell(
    compressor: str,
    decompressor: str,
    build: str,
    source: str = "udp-dns-like-ipv4",
    link: str = "clean",
    packets: int = 60,
    profile: str = "0x0000",
    mode: str = "U",
) -> Cell:
    carried = traffic.capture(source) if source.endswith(CAPTURES) else traffic.Traffic(source, 1, packets)
    return Cell(row(compressor, decompressor, profile, mode, "small", build=build), carried, link)


def result_of(cell: Cell, store: ArtefactStore) -> Result:
    """The result of one cell of ROHC."""
    return RUNNER.run([cell], store)[0]


def store(folder: Path) -> ArtefactStore:
    folder.mkdir(parents=True, exist_ok=True)
    return ArtefactStore(folder)


def faulty_endpoint(root: Path, build: str, fault: str, wire: str = "faulty") -> str:
    """A faulty endpoint of the engine's tests, with a wire of its own; the fault `copies` is no endpoint but null."""
    library = build_folder(build) / "lib" / "faulty" / f"faulty_endpoint_{fault}.so"
    if fault == "copies":
        library = build_folder(build) / "lib" / "null.so"
    root.mkdir(parents=True, exist_ok=True)
    (root / "implementation.yaml").write_text(
        f"name: {root.name}\nvendor: Headroom\nlicence: Apache-2.0\nobtain: Built with the project.\n"
        f"adapter: {{library: {library}}}\n"
        f"capabilities:\n  - {{scheme: sigcomp, roles: [endpoint], wire: {wire}, transports: [udp, tcp], "
        "features: [compression, nack]}\n",
        encoding="utf-8",
    )
    return str(root)
