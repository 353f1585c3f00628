# SPDX-License-Identifier: Apache-2.0
"""`./headroom run --dry-run`: what it foresees is what the run does."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from headroom.core import implementations
from headroom.core.paths import IMPLEMENTATIONS
from headroom.core.results import store
from headroom.tests.command_line import start

pytestmark = pytest.mark.slow

REFERENCE = IMPLEMENTATIONS / "reference"


def planned(out: Path, *words: str) -> dict[str, Any]:
    done = start("run", *words, "--dry-run", "--json", out=out)
    assert done.returncode == 0, done.stderr
    assert not list(out.iterdir()), "nothing ran"
    return json.loads(done.stdout)


def declaring_less(folder: Path) -> str:
    """The reference, declared with neither NACKs nor the presence dictionary."""
    document = implementations.read_declarations(REFERENCE).data
    sigcomp = next(one for one in document["capabilities"] if one["scheme"] == "sigcomp")
    sigcomp["features"].remove("nack")
    sigcomp["dictionaries"].remove("presence")
    mine = folder / "mine"
    mine.mkdir()
    (mine / "implementation.yaml").write_text(yaml.safe_dump(document | {"name": "mine", "deviations": []}))
    return str(mine)


@pytest.mark.long
def test_a_run_does_what_its_dry_run_foresees(out: Path, tmp_path: Path, real_build: str) -> None:
    words = (
        "conformance/sigcomp/nack",
        "conformance/sigcomp/messages",
        "--decompressor",
        declaring_less(tmp_path),
        "--build",
        real_build,
    )
    plan = planned(out, *words)
    assert "conformance/sigcomp/nack/Received: About Nothing" in plan["left_out"], "a case of those who compress"
    assert "mine does not declare feature nack." in plan["unsupported"].values()
    assert "mine does not declare dictionary presence." in plan["unsupported"].values()
    done = start("run", *words, "--json", out=out)
    assert done.returncode in (0, 1), done.stderr
    records = store.read_all(Path(json.loads(done.stdout)["results"]).parent)
    found = {record["test"]["id"]: record for record in records}
    # A case that has to ask an adapter what it has before it can say whom it asks is not foreseen.
    assert set(found) <= {*plan["cases"], *plan["unsupported"]} and not set(found) & set(plan["left_out"])
    unsupported = {name: record["reason"] for name, record in found.items() if record["verdict"] == "unsupported"}
    assert plan["unsupported"].items() <= unsupported.items()


def test_the_other_side_is_left_out_both_ways(out: Path) -> None:
    suite = "conformance/rohc/modes"
    words = (suite, "--case", "* U To O", "--case", "Both: *")
    for side, other in (("compressor", "decompressor"), ("decompressor", "compressor")):
        plan = planned(out, *words, f"--{side}", "reference")
        assert plan["left_out"] == [f"{suite}/{other.capitalize()}: U To O"]
        assert plan["cases"] == [f"{suite}/{side.capitalize()}: U To O", f"{suite}/Both: Modes Over A Link With Losses"]


def test_reasons_stand_above_their_cases(out: Path) -> None:
    done = start("run", "conformance/sigcomp/nack", "--decompressor", "null", "--dry-run", out=out)
    assert done.returncode == 0, done.stderr
    lines = done.stderr.splitlines()
    reason = next(at for at, line in enumerate(lines) if "would be unsupported: null does not declare" in line)
    assert lines[reason + 1].startswith("  conformance/sigcomp/nack/Sent: ")
    left_out = next(at for at, line in enumerate(lines) if "do not exercise it and are left out:" in line)
    assert lines[left_out + 1].startswith("  conformance/sigcomp/nack/Received: ")


def test_where_nothing_would_run_it_says_so(out: Path) -> None:
    done = start("run", "smoke", "--case", "No Such Case", "--dry-run", out=out)
    assert (done.returncode, "No case matched" in done.stderr) == (2, True)
    asked = ("conformance/rohc/modes", "--case", "Decompressor: U*", "--compressor", "reference")
    done = start("run", *asked, "--dry-run", out=out)
    assert (done.returncode, "No case exercises the subject" in done.stderr) == (2, True)


def test_cases_with_adapters_of_the_project_are_no_results_of_others(out: Path) -> None:
    words = ("run", "robustness/misbehaving_adapters", "--case", "Hangs On A Packet", "--dry-run")
    assert start(*words, out=out).returncode == 0
    done = start(*words, "--compressor", "null", out=out)
    assert done.returncode == 2 and "No case exercises the subject of this run" in done.stderr
