# SPDX-License-Identifier: Apache-2.0
"""The chain of a campaign: cells, and the records of their runs, that are changed, removed or added are named."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from headroom.campaigns import client, measured, page, progress
from headroom.campaigns.campaign import Campaign
from headroom.cli.app import _add_commands, app
from headroom.core.results import chain
from headroom.tests.campaigns.helpers import campaign, program
from headroom.tests.campaigns.test_client import accepted, edit, repacked, reply_of

pytestmark = pytest.mark.slow


@pytest.fixture
def done(out: Path) -> Campaign:
    """A campaign of two cells that has ended."""
    one = campaign(repeats=2)
    results = client.run_campaign(one, b"text", program=program()).results
    assert [result.state for result in results.values()] == ["whole", "whole"]
    return one


def verified(*words: str) -> tuple[int, dict[str, Any]]:
    if not app.registered_commands:
        _add_commands()
    found = CliRunner().invoke(app, ["verify", *words, "--json"], catch_exceptions=False)
    return found.exit_code, json.loads(found.stdout)


def run_of(one: Campaign, number: int) -> Path:
    folder = progress.cell_folder(one, one.cells()[number])
    return next(path.parent for path in folder.glob("*/run.json"))


def test_a_campaign_as_it_was_measured(done: Campaign) -> None:
    status, document = verified("test")
    assert (status, document["kind"], document["records"], document["problems"]) == (0, "campaign", 2, [])
    state = json.loads((done.folder / progress.STATE).read_text())
    assert document["head"] == state["head"] == chain.head(done.folder)
    assert f"Head of the cells' chain: {state['head']}." in page.page(measured.read(done)).footer


def test_a_record_of_a_cell_that_is_changed_is_named(done: Campaign) -> None:
    (path,) = run_of(done, 0).glob("results/*.json")
    path.write_text(path.read_text().replace('"reason": ""', '"reason": "odd"'))
    status, document = verified("test")
    assert (status, [one["file"] for one in document["problems"]]) == (1, [f"results/{path.name}"])
    told: list[str] = []
    shown = page.page(measured.read(done, told.append))
    assert any(path.name in one for one in told) and any(path.name in one for one in shown.warnings)


def test_a_verdict_of_a_cell_that_is_changed_is_named(done: Campaign) -> None:
    path = progress.cell_folder(done, done.cells()[0]) / "cell.json"
    path.write_text(path.read_text().replace('"verdict": "pass"', '"verdict": "fail"'))
    told: list[str] = []
    measured.read(done, told.append)
    assert any("cell.json was changed" in one for one in told)
    assert verified("test")[0] == 1


def test_a_run_with_a_chain_of_its_own_is_not_that_of_the_cell(done: Campaign) -> None:
    run = run_of(done, 0)
    (path,) = run.glob("results/*.json")
    path.write_text(path.read_text().replace('"reason": ""', '"reason": "odd"'))
    (run / chain.FILE).unlink()
    chain.append(run, f"results/{path.name}", path.read_bytes())
    status, document = verified(str(done.folder))
    assert (status, len(document["problems"])) == (1, 1)
    assert "has changed since its cell ended" in document["problems"][0]["sentence"]


def test_a_run_that_was_changed_before_it_came_back_is_refused(out: Path, tmp_path: Path) -> None:
    one = campaign()
    result = accepted(one, repacked(reply_of(one), edit("results/*.json", reason="odd"), tmp_path / "changed"))
    assert result.status == "unusable" and "its records were changed" in result.reason
