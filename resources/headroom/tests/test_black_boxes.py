# SPDX-License-Identifier: Apache-2.0
"""Somebody else's implementation, of which nothing is known but its adapter and what it declares, before the suites.

It is the reference's library under another name that declares profile RTP alone: what it declares is asked of it, the
rest is unsupported, and nothing is a failure.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from headroom.core.paths import build_folder
from headroom.core.results import store
from headroom.core.run import session
from headroom.core.settings import Settings

Verdicts = dict[str, str]


@pytest.fixture
def judge(out: Path, tmp_path: Path, real_build: str) -> Any:
    """Runs suites against a black box in one role; verdicts by suite and name of the case."""

    def run(role: str, *suites: str, cases: tuple[str, ...] = (), subject: str = "") -> Verdicts:
        folder = tmp_path / "mine"
        folder.mkdir()
        library = build_folder(real_build) / "lib" / "reference.so"
        (folder / "implementation.yaml").write_text(
            f"{{name: mine, vendor: Somebody, licence: L, obtain: Ask., adapter: {{library: {library}}}, "
            f'capabilities: [{{scheme: rohc, roles: [{role}], profiles: ["0x0000", "0x0001"], modes: [U], '
            "cids: [small], max_cid: 15}]}"
        )
        run_folder = out / "run"
        run_folder.mkdir()
        named = {role: str(folder), "build": real_build, "folder": run_folder, "subject": subject}
        settings = Settings(**named)  # type: ignore[arg-type]
        session.run_robot(session.Plan(settings, list(suites), cases=list(cases)))
        return {
            record["test"]["id"].removeprefix("conformance/rohc/"): record["verdict"]
            for record in store.read_all(run_folder)
        }

    return run


@pytest.mark.long
def test_a_decompressor_is_asked_every_vector_of_what_it_declares(judge: Any) -> None:
    verdicts = judge("decompressor", "conformance/rohc/initialisation", "conformance/rohc/profile_udp")
    assert set(verdicts.values()) == {"pass", "unsupported"}
    assert verdicts["initialisation/IR And IR-DYN Without Payload"] == "pass"
    assert verdicts["initialisation/Refreshes"] == "pass"
    assert verdicts["profile_udp/Profile Switches"] == "unsupported", "to a profile that it does not declare"


def test_a_compressor_is_asked_for_what_it_declares(judge: Any) -> None:
    cases = ("IPv4 Header Changes", "CSRC Lists Of The Compressor", "Compressor: With Checksum")
    suites = ("conformance/rohc/header_fields", "conformance/rohc/initialisation", "conformance/rohc/profile_udp")
    assert judge("compressor", *suites, cases=cases) == {
        "header_fields/IPv4 Header Changes": "pass",
        "initialisation/CSRC Lists Of The Compressor": "unsupported",  # for who has no lists, such packets are UDP
        "profile_udp/Compressor: With Checksum": "unsupported",
    }


@pytest.mark.long
def test_what_the_other_side_does_is_not_counted_for_the_one_that_the_run_is_about(judge: Any) -> None:
    suites = ("conformance/rohc/crc", "conformance/rohc/packet_types", "smoke/adapters")
    verdicts = judge("compressor", *suites, subject="compressor")
    assert "crc/CRC-3" not in verdicts, "vectors are sent to a decompressor"
    assert "crc/Packets With A Wrong CRC Change Nothing" not in verdicts, "a story of a decompressor"
    assert "smoke/adapters/Reference" not in verdicts
    assert "smoke/adapters/The Compressor Asked" in verdicts
    assert "smoke/adapters/The Decompressor Asked" not in verdicts, "the reference"
    assert "pass" in verdicts.values(), "and what asks it is there"
