# SPDX-License-Identifier: Apache-2.0
"""The cells of ROHC, as the interop matrix has them."""

from headroom.core.contract import CellTitles, Interop
from headroom.schemes.rohc.interop import cell, traffic
from headroom.schemes.rohc.interop.matrix import traffic_of, unsupported

INTEROP = Interop(
    titles=CellTitles(
        sender="Compressor",
        traffic="Traffic",
        size="header_bytes",
        size_title="octets of header per packet",
        size_format=".2f",
        evidence="both decodes side by side",
        passed="Over a clean link, and one that loses feedback, every packet came out as it went in. Over any other "
        "link no more wrong packets came out than CRCs may miss by chance, and most packets that arrived came out.",
        what="each compressor with each decompressor: profiles, modes, CID types, traffic and link conditions",
    ),
    unsupported=unsupported,
    traffic=traffic_of,
    traffic_names=traffic.names,
    run=cell.run,
    captures=True,
    judges_packets=True,
)
