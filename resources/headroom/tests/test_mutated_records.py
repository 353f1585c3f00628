# SPDX-License-Identifier: Apache-2.0
"""Records of each kind with one value that is damaged: all that reads records ends with a page or a sentence."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from headroom.campaigns import page as campaign_page
from headroom.campaigns.measured import CampaignData
from headroom.cli.app import _add_commands, app
from headroom.core.errors import HeadroomError
from headroom.core.results import junit, store
from headroom.core.yamlfile import violations
from headroom.judge import page
from headroom.tests import damaged_records, sample
from headroom.tests.campaigns.helpers import campaign
from headroom.tests.judge.test_page import judged

Record = dict[str, Any]
MISSING = object()
DAMAGES: tuple[Any, ...] = (
    MISSING, None, "odd", "", "NaN", "\ud800", -1, 1e308, 10**300, True, [], {}, [[]], {"odd": None},
)  # fmt: skip
SEED, SAMPLES, PARTS = 33, 32, 4
MOST_ALIKE = 2  # entries of a list that are damaged


@cache
def kinds() -> list[Record]:
    """A record of each kind, with a row of the matrix and a part of a judgement."""
    cell = {
        "scheme": "rohc", "profile": "rtp", "mode": "U", "cids": "small", "traffic": "voip", "link": "clean",
        "compressor": "reference", "decompressor": "null", "verdict": "fail", "reason": "wrong octet",
        "signature": "octets differ", "header_bytes": 3.5, "ns_per_packet": {"compressor": 50.0},
        "packets": 100, "delivered": 90, "lost": 1, "first": 7, "capture": "artefacts/x.pcapng",
        "minimised": {"packets": 3, "capture": "artefacts/y.pcapng", "command": "gdb"}, "command": "./headroom replay",
    }  # fmt: skip
    row = sample.record("interop/rohc/Row", "fail", "wrong octet", cells=[cell]).as_json()
    parameters = {"work": "Calls", "beside": {"null": {"compress_ns": 10.0}}}
    cost = sample.record("judge/cost/Calls", part="cost", parameters=parameters).as_json()
    return [*damaged_records._kinds(sample.records()), row, cost]


def places(value: Any, at: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """The places of all values in a record."""
    if at:
        yield at
    entries = (
        value.items() if isinstance(value, dict) else enumerate(value[:MOST_ALIKE]) if isinstance(value, list) else ()
    )
    for key, item in entries:
        yield from places(item, (*at, key))


def damaged(base: Record, place: tuple[str | int, ...], damage: Any) -> Record:
    record = copy.deepcopy(base)
    holder: Any = record
    for key in place[:-1]:
        holder = holder[key]
    if damage is MISSING:
        del holder[place[-1]]
    else:
        holder[place[-1]] = damage
    return record


def samples(count: int, seed: int = SEED) -> Iterator[tuple[str, Record, Record]]:
    """Names, whole records, and the same with one value damaged so that the schema lets it through."""
    chosen = random.Random(seed)
    while count:
        base = chosen.choice(kinds())
        place, damage = chosen.choice(list(places(base))), chosen.choice(DAMAGES)
        record = damaged(base, place, damage)
        if not violations(record, "result"):
            count -= 1
            shown = "missing" if damage is MISSING else repr(damage)[:20]
            yield f"{base['test']['id']}: {'/'.join(map(str, place))} {shown}", base, record


def written(folder: Path, *records: Record) -> Path:
    (folder / "results").mkdir(parents=True)
    for number, record in enumerate(records):
        (folder / "results" / f"{number}.json").write_text(json.dumps(record), encoding="utf-8")
    return folder


def command(*words: str) -> None:
    """Gives a command, which ends with its output, one JSON document with --json, or with a sentence."""
    if not app.registered_commands:
        _add_commands()
    try:
        found = CliRunner().invoke(app, [*words], catch_exceptions=False)
    except HeadroomError:
        return
    assert found.exit_code in (0, 1), found.output
    if "--json" in words:
        json.loads(found.stdout)


@pytest.mark.long
@pytest.mark.parametrize("part", range(PARTS))
def test_whatever_reads_records_ends_with_a_page_or_a_sentence(part: int, tmp_path: Path) -> None:
    for number, (name, base, record) in enumerate(samples(SAMPLES // PARTS, SEED + part)):
        folder = tmp_path / f"{number}-run"
        whole = written(tmp_path / f"{number}-whole", kinds()[0], base)
        every = written(folder, kinds()[0], record, base)
        try:
            _read_all_ways(every, whole)
        except Exception as error:
            raise AssertionError(name) from error


def _read_all_ways(run: Path, whole: Path) -> None:
    records = store.read_all(run)
    assert kinds()[0]["test"]["id"] in [record["test"]["id"] for record in records]
    command("report", str(run), "--parquet", str(run / "figures.parquet"), "--json")
    assert (run / "report.html").is_file() and (run / "figures.parquet").is_file()
    command("compare", str(whole), str(run), "--html", str(run / "compare.html"), "--json")
    command("compare", str(run), str(whole), "--slower-than", "5%")
    junit.write(records, run)
    try:
        page.render(page.summary_of(judged(run), records))
        made = campaign(machines=("east", "north"))
        east, north = made.cells()
        data = CampaignData(made, {}, {east: records, north: store.read_all(whole)})
        campaign_page.page(campaign_page.readable_part(data))
    except HeadroomError:
        pass  # a sentence


def test_a_page_names_the_file_of_a_record_that_it_cannot_read(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    row = next(record for record in kinds() if record.get("cells"))
    run = written(tmp_path / "run", kinds()[0], damaged(row, ("cells", 0, "minimised"), {"capture": "x"}), row)
    command("report", str(run))
    assert "results/1.json" in (run / "report.html").read_text(encoding="utf-8") + capsys.readouterr().err


@pytest.mark.parametrize("text", ["NaN", "-Infinity", "1e999"])
def test_numbers_that_json_does_not_have_are_no_record(tmp_path: Path, text: str) -> None:
    run = written(tmp_path / "run", kinds()[0])
    path = run / "results" / "0.json"
    path.write_text(path.read_text().replace('"duration_s": 1.25', f'"duration_s": {text}'))
    told: list[str] = []
    assert store.read_all(run, told.append) == []
    assert "0.json is not a record (it has an impossibly large number); it is left out." in told[0]
