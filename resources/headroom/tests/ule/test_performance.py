# SPDX-License-Identifier: Apache-2.0
"""Load on encapsulators and receivers: link packets carry several PDUs, or parts of them."""

from dataclasses import replace

import pytest

from headroom.bench import load
from headroom.bench.load import LoadConfig
from headroom.core.implementations import find

CONFIG = LoadConfig(
    "ule",
    find("reference"),
    find("reference"),
    "udp-690",
    pacing="none",
    ticks=5,
    verify_every=1,
    channel={"packing": "padding", "channels": 1},
)


def test_both_sides_have_the_channel_of_the_scheme() -> None:
    job = load.job(CONFIG, 10, None)
    for side in ("compressor", "decompressor"):
        assert job[side]["config"] == {"scheme": "ule", "packing": "padding", "channels": 1}
    assert load.job(replace(CONFIG, channel={}), 10, None)["compressor"]["config"]["packing"] == "packing"


@pytest.mark.engine
@pytest.mark.parametrize("packing", ["packing", "padding"])
def test_pdus_come_out_as_they_went_in(packing: str) -> None:
    trial = load.measure(replace(CONFIG, channel={"packing": packing, "channels": 1}), 20)
    costs = load.costs_of([trial])
    assert costs["compress"][0] > 0 < costs["decompress"][0]
