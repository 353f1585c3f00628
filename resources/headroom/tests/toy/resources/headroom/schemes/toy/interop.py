# SPDX-License-Identifier: Apache-2.0
"""Rows of the interop matrix."""

from headroom.schemes.toy.line import LINE

from headroom.core.contract import CellTitles

INTEROP = LINE.cells(("udp-60", "voip-amr-nb-ipv6"), packets=100).interop(
    CellTitles(
        sender="Compressor",
        traffic="Traffic",
        size="header_bytes",
        size_title="octets of header",
        size_format=".2f",
        evidence="the judge's findings",
        passed="Packets come out as they went in.",
        what="each compressor with each decompressor",
    )
)
