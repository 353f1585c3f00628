# SPDX-License-Identifier: Apache-2.0
"""Adapters that crash, hang, lie or return garbage: each is a verdict on the implementation, and the run goes on."""

from __future__ import annotations

import textwrap
from pathlib import Path
from typing import Any

import pytest

from headroom.core.adapter_check import by_cause, differences, examine
from headroom.core.finding import Finding
from headroom.core.implementations import Implementation, find
from headroom.core.paths import ROOT, build_folder
from headroom.core.results import store
from headroom.core.run import session
from headroom.core.settings import Settings

SUITE = f"""
*** Settings ***
Resource    {ROOT}/resources/keywords/replay.resource

*** Test Cases ***
Garbage
    Replay Packets    ff00ff00    4500001c    timeout=3
    Every Packet Should Come Out As It Went In

Call
    Flow Should Come Out As It Went In    voip-amr-nb-ipv4    packets=50
"""


@pytest.fixture
def run(out: Path, tmp_path: Path, real_build: str) -> Any:
    """Runs the two cases with a faulty adapter and returns their records by name."""

    def run_with(fault: str) -> dict[str, dict[str, Any]]:
        library = build_folder(real_build) / "lib" / "faulty" / f"faulty_{fault}.so"
        assert library.is_file(), f"{library} belongs to the build"
        folder = tmp_path / "implementations" / "faulty"
        folder.mkdir(parents=True)
        (folder / "implementation.yaml").write_text(
            textwrap.dedent(f"""
            name: faulty
            vendor: Nobody
            licence: Apache-2.0
            obtain: Never.
            adapter: {{library: {library}}}
            capabilities:
              - scheme: rohc
                roles: [compressor, decompressor]
                profiles: ["0x0000"]
                modes: [U, O]
                cids: [small]
                max_cid: 15
            """)
        )
        suite = tmp_path / "faults.robot"
        suite.write_text(SUITE)
        run_folder = out / "run"
        run_folder.mkdir()
        settings = Settings(compressor=str(folder), decompressor=str(folder), build=real_build, folder=run_folder)
        session.run_robot(session.Plan(settings, [str(suite)]))
        return {record["test"]["name"]: record for record in store.read_all(run_folder)}

    return run_with


def test_the_adapter_as_it_should_be(run: Any) -> None:
    records = run("none")
    assert {name: record["verdict"] for name, record in records.items()} == {"Garbage": "pass", "Call": "pass"}
    assert records["Call"]["compressor"]["name"] == "faulty"
    assert len(records["Call"]["compressor"]["sha256"]) == 64


@pytest.mark.parametrize(
    ("fault", "sentence"),
    [
        (
            "aborts_on_garbage",
            "died from SIGABRT while it ran faulty_aborts_on_garbage.so as compressor and faulty_aborts",
        ),
        ("hangs_on_garbage", "still busy after 3 s"),
        ("forks_on_garbage", "left a process behind (it was ended)"),
        ("exits_on_garbage", "ended with exit status 0 and printed no result"),
    ],
)
def test_the_run_goes_on_after(run: Any, fault: str, sentence: str) -> None:
    records = run(fault)
    assert records["Garbage"]["verdict"] == "error"
    assert sentence in records["Garbage"]["reason"]
    assert records["Call"]["verdict"] == "pass", "the next case is not touched"


def test_an_exception_breaks_a_promise_and_the_run_goes_on(run: Any) -> None:
    records = run("throws_on_garbage")
    assert records["Garbage"]["verdict"] == "fail"
    assert "broke a promise of the ABI" in records["Garbage"]["reason"]
    assert "garbage came in" in records["Garbage"]["reason"]
    assert records["Call"]["verdict"] == "pass"


@pytest.mark.parametrize(
    "fault",
    ["claims_too_many_octets", "claims_success_without_octets", "has_a_status_of_its_own"],
)
def test_a_lie_is_a_failure(run: Any, fault: str) -> None:
    record = run(fault)["Call"]
    assert record["verdict"] in ("fail", "error")
    assert record["reason"]
    if record["verdict"] == "fail":
        assert "broke a promise of the ABI" in record["reason"]


def test_a_wrong_octet_is_shown_and_kept(run: Any, out: Path) -> None:
    record = run("spoils_an_octet")["Call"]
    assert record["verdict"] == "fail"
    assert "came out different from octet" in record["reason"]
    kinds = {artefact["kind"]: artefact for artefact in record["artefacts"]}
    assert set(kinds) == {"capture: source", "capture: link", "capture: decompressed", "job"}
    assert all((out / "run" / artefact["path"]).stat().st_size == artefact["octets"] for artefact in kinds.values())


def test_what_is_not_declared_is_unsupported(out: Path, tmp_path: Path, real_build: str) -> None:
    suite = tmp_path / "asks.robot"
    suite.write_text(
        f"*** Settings ***\nResource    {ROOT}/resources/keywords/replay.resource\n\n*** Test Cases ***\n"
        "Version 2\n    Replay Profile    voip-amr-nb-ipv4    profiles=0x0101\n"
        "Wrong Word\n    Replay Profile    voip-amr-nb-ipv4    modus=R\n"
        "Wrong Profile\n    Replay Profile    voip-amr-nb-ipv5\n"
    )
    folder = out / "run"
    folder.mkdir()
    session.run_robot(session.Plan(Settings(build=real_build, folder=folder), [str(suite)]))
    found = {record["test"]["name"]: (record["verdict"], record["reason"]) for record in store.read_all(folder)}
    assert found["Version 2"] == ("unsupported", "reference does not declare profile 0x0101.")
    assert found["Wrong Word"] == ("error", "'modus' is not known here; 'mode' is meant?")
    assert found["Wrong Profile"][0] == "error"
    assert "Close to it: voip-amr-nb-ipv6" in found["Wrong Profile"][1]


def test_declarations_are_compared_with_what_the_adapter_says() -> None:
    declared = Implementation(
        "mine", Path(), "", "", "", capabilities=({"scheme": "rohc", "roles": ["compressor"], "max_cid": 15},)
    )
    described = {
        "name": "yours",
        "schemes": [{"scheme": "rohc", "roles": ["compressor", "decompressor"], "max_cid": 15}],
    }
    assert differences(declared, described) == [
        "the adapter calls itself 'yours'",
        "rohc: roles is declared as ['compressor'], the adapter says ['compressor', 'decompressor']",
    ]
    assert differences(declared, {"name": "mine", "schemes": []}) == [
        "the adapter does not know the declared scheme rohc"
    ]


def test_findings_of_one_cause_are_one_line() -> None:
    overflow = "AddressSanitizer: heap-buffer-overflow, in f a.c:1"
    found = [
        Finding(f"{name}: {sentence}", severity="must")
        for name, sentence in (
            ("outcome", f"{overflow} while x was given."),
            ("drain", f"{overflow}."),
            ("quiet", "it printed."),
        )
    ]
    assert [(checks, finding.sentence) for checks, finding in by_cause(found)] == [
        ("outcome, drain", f"outcome: {overflow} while x was given."),
        ("quiet", "quiet: it printed."),
    ]


def test_a_declared_scheme_that_is_not_described_is_a_finding(tmp_path: Path, real_build: str) -> None:
    """The engine calls it a mistake in the job, which is the harness's."""
    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / "implementation.yaml").write_text(
        textwrap.dedent(f"""
        name: mine
        vendor: Example
        licence: Apache-2.0
        obtain: Never.
        adapter: {{library: {build_folder(real_build) / "lib" / "example.so"}}}
        capabilities:
          - {{scheme: vj, roles: [compressor]}}
        """)
    )
    sentences = [finding.sentence for finding in examine(find(str(folder)), real_build).findings]
    assert "implementation.yaml: the adapter does not know the declared scheme vj" in sentences
