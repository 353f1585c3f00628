# SPDX-License-Identifier: Apache-2.0
"""Rows of the interop matrix: a pair of endpoints, a mechanism, a transport and compartments."""

from headroom.core.contract import CellTitles, Interop
from headroom.core.matrix import Row, Traffic
from headroom.schemes.sigcomp.interop import cells
from headroom.schemes.sigcomp.sip import sequences


def traffic_of(row: Row) -> list[Traffic]:
    """The SIP sequences that a row names, or all."""
    return [Traffic(name) for name in sequences.names() if not row.traffic or name in row.traffic]


INTEROP = Interop(
    titles=CellTitles(
        sender="Caller's",
        traffic="SIP sequence",
        size="message_bytes",
        size_title="octets per message",
        size_format=".0f",
        evidence="the outcome of each message",
        passed="Every message that the link did not lose came out, except those that refer to state that the link lost "
        "or delayed. Over a clean link two judges read each message, too, and at least one of them restored it.",
        what="the caller's endpoint with the called party's: mechanisms, transports, compartments, SIP sequences and "
        "link conditions",
    ),
    unsupported=cells.unsupported,
    traffic=traffic_of,
    traffic_names=sequences.names,
    run=cells.run,
)
