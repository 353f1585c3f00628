# SPDX-License-Identifier: Apache-2.0
"""A campaign on this machine gives the records that `./headroom run` gives."""

from __future__ import annotations

import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from headroom.campaigns import client, progress
from headroom.core.paths import ROOT
from headroom.core.results import golden, store
from headroom.tests.campaigns.helpers import campaign, configuration


@pytest.mark.long
def test_a_cell_has_the_records_of_a_run(real_build: str, out: Path) -> None:
    suite = "smoke/first_packets"
    one = campaign(
        builds=(real_build,), configurations={"packets": replace(configuration(suite=suite), name="packets")}
    )
    (result,) = client.run_campaign(one, b"").results.values()
    assert (result.state, result.status) == ("whole", "pass"), result.reason
    words = ["run", suite, "--quick", "--build", real_build, "--seed", "1", "--json"]
    subprocess.run([str(ROOT / "headroom"), *words], check=True, capture_output=True, timeout=600)
    records = store.read_all(progress.cell_folder(one, one.cells()[0]) / result.run)
    alone = store.read_all(store.find_run("last"))
    assert golden.of_records(records) == golden.of_records(alone)
    assert all(outcome.octets != golden.NONE for outcome in golden.of_records(records).values())
    assert [set(record) for record in records] == [set(record) for record in alone]
