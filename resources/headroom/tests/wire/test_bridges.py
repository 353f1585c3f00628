# SPDX-License-Identifier: Apache-2.0
"""Rules for the host's bridges: made once, found again by the project's name, and nobody else's touched."""

from __future__ import annotations

from pathlib import Path

import pytest

from headroom.core.yamlfile import violations
from headroom.report import traffic_section
from headroom.testbed import bridges
from headroom.tests import sample

TABLE = """#!/bin/sh
# A stand-in for iptables that keeps its rules in a file.
rules=$(dirname "$0")/$(basename "$0").rules
touch "$rules"
shift 4 # -w 5 -t raw
what=$1
chain=$2
shift 2 || true
case $what in
  -C) grep -qxF -- "-A $chain $*" "$rules" ;;
  -A) printf '%s\\n' "-A $chain $*" >> "$rules" ;;
  -S) echo "-P $chain ACCEPT"; cat "$rules" ;;
  -D) grep -vxF -- "-A $chain $*" "$rules" > "$rules.new"; mv "$rules.new" "$rules" ;;
esac
"""


@pytest.fixture
def rules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for program in bridges.FILTERS:
        (tmp_path / program).write_text(TABLE)
        (tmp_path / program).chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    return tmp_path / "iptables.rules"


def test_rules_are_made_once_and_removed(rules: Path) -> None:
    rules.write_text("-A PREROUTING -i eth0 -j DROP\n")
    bridges.settle("hr-1", ["0123456789abcdef", "fedcba9876543210"])
    bridges.settle("hr-1", ["0123456789abcdef"])
    bridges.settle("hr-12", ["aaaaaaaaaaaa"])
    made = rules.read_text().splitlines()
    assert len(made) == 4
    assert made[1] == "-A PREROUTING -i br-0123456789ab -m comment --comment hr-1 -j CT --notrack"
    assert rules.with_name("ip6tables.rules").read_text().splitlines() == made[1:]
    bridges.forget("hr-1")
    assert rules.read_text().splitlines() == [made[0], made[3]]


def test_without_a_packet_filter_nothing_happens(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    bridges.settle("hr-1", ["0123456789abcdef"])
    bridges.forget("hr-1")


def test_what_could_not_be_settled_is_said(tmp_path: Path, rules: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    networks = ["0123456789abcdef", "fedcba9876543210"]
    assert bridges.settle("hr-1", networks) == []
    monkeypatch.setenv("PATH", "/none")
    monkeypatch.setattr(bridges.os, "geteuid", lambda: 0)
    (said,) = bridges.settle("hr-2", networks)
    assert "iptables is not installed (apt-get install iptables): Docker's address translation may change" in said
    monkeypatch.setattr(bridges.os, "geteuid", lambda: 1000)
    (said,) = bridges.settle("hr-2", networks)
    assert "only root may say otherwise" in said and "counts as arrivals for TRex" in said
    monkeypatch.setattr(bridges.os, "geteuid", lambda: 0)
    (rules.parent / "iptables").write_text("#!/bin/sh\nexit 3\n")
    monkeypatch.setenv("PATH", f"{rules.parent}:/usr/bin:/bin")
    (said,) = bridges.settle("hr-3", networks)
    assert "iptables takes no rule of its table raw" in said


def test_the_report_says_it() -> None:
    topology = {"name": "compose", "shape": "full", "notes": ["the kernel tracks what passes."]}
    found = {"generator": {"name": "memory", "version": "1"}, "topology": topology}
    made = sample.record("performance/throughput/One", traffic=found).as_json()
    assert violations(made, "result") == []
    shown = traffic_section.traffic([made])
    assert shown is not None and shown.notes == ["compose: the kernel tracks what passes."]
