# SPDX-License-Identifier: Apache-2.0
"""The measurement of ULE: all flows share a PID, in SNDUs with a destination address."""

from collections.abc import Mapping, Sequence
from typing import Any

from headroom.core.workload import Channel, Workload

PACKING = ("packing", "padding")  # RFC 4326, 6.2
ADDRESS = ("present", "absent")  # RFC 4326, 4.1: the D bit
LARGEST_PDU = 2000  # octets: a frame of Ethernet and more


def load(flow_pairs: int) -> Channel:
    """One packing stream: how many flows there are makes no difference to an encapsulator."""
    del flow_pairs
    return _channel("packing", "present", {"channels": 1})


def channel(text: str, flows: int, declared: Sequence[Mapping[str, Any]]) -> Channel:
    """A stream from `packing` or `padding`, and whether SNDUs have a destination address: `packing absent`."""
    del flows, declared
    packing, _, address = (text.strip() or "packing").partition(" ")
    address = address.strip() or ADDRESS[0]
    if packing not in PACKING or address not in ADDRESS:
        raise ValueError(f"'{text}' is no way to fill TS packets, such as packing, padding or packing absent")
    return _channel(packing, address, {"mrru": LARGEST_PDU, "threshold_us": 500})


def _channel(packing: str, address: str, more: Mapping[str, Any]) -> Channel:
    said = {"packing": packing, "address": address}
    return Channel(
        "ule",
        f"{packing} {address}",
        {**said, **more},
        {name: [value] for name, value in said.items()},
        said,
        environment={f"HEADROOM_{name.upper()}": value for name, value in said.items()},
        in_datagrams=True,
    )


WORKLOAD = Workload(
    "A flow pair is two flows of UDP that share a PID with all others: a PDU of each direction in every tick.",
    load,
    channel,
)
