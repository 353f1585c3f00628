# SPDX-License-Identifier: Apache-2.0
"""Adapters in a node attack what lies around it: the ports are open, and the rights to open them are gone."""

from __future__ import annotations

from pathlib import Path

import pytest

from headroom.core import process_group, sandbox
from headroom.schemes.rohc.conformance import faulty_adapters
from headroom.testbed import choice
from headroom.tests.wire.test_netns import root

walled = pytest.mark.skipif(bool(sandbox.lacking(ports=True)), reason="bubblewrap does not work here")


@root
@walled
@pytest.mark.parametrize(
    "attack", ["opens_a_raw_socket", "enters_a_user_namespace", "reaches_the_hypervisor", "uses_keys"]
)
def test_an_attack_in_a_node_comes_to_nothing(real_build: str, attack: str) -> None:
    if reason := choice.build_lacks(real_build):
        pytest.skip(reason)
    library = faulty_adapters.library(faulty_adapters.folder(real_build), attack)
    side = {"library": str(library), "config": {"scheme": "rohc"}}
    with choice.make("netns", "node", [0], real_build) as made:
        node = made.start_node("compressor", {"compressor": side, "decompressor": side})
        made.crew.wait_until_ready()
        (engine,) = (pid for pid in process_group.processes() if is_engine(pid, node.process.pid))
        assert rights(engine) == []
        (worker,) = made.crew.stop(node)["workers"]
    assert worker["statistics"]["compressor"]["contexts"] == 0, "the attack succeeded"


def is_engine(pid: int, group: int) -> bool:
    is_of_group = process_group.group_of(pid) == group
    return is_of_group and b"headroom-engine" in Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")[0]


def rights(pid: int) -> list[str]:
    """The capabilities that a thread of a process has, each as a line of its status."""
    threads = list(Path(f"/proc/{pid}/task").iterdir())
    assert len(threads) > 2, "DPDK has threads, too"
    lines = [line for thread in threads for line in (thread / "status").read_text().splitlines()]
    return [
        line for line in lines if line.startswith(("CapInh", "CapPrm", "CapEff", "CapAmb")) and line[-16:] != "0" * 16
    ]
