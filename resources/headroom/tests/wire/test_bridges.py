# SPDX-License-Identifier: Apache-2.0
"""Rules for the host's bridges: made once, found again by the project's name, and nobody else's touched."""

from __future__ import annotations

from pathlib import Path

import pytest

from headroom.wire import bridges

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
