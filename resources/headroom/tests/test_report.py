# SPDX-License-Identifier: Apache-2.0
"""The report: complete without a network, nothing cut off on a desk, a phone and paper, nothing that a browser
complains about.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from headroom.core import requirements
from headroom.core.metric_registry import all_metrics
from headroom.core.papers import paper as papers
from headroom.core.results import store
from headroom.core.results.record import Measurement
from headroom.core.yamlfile import violations
from headroom.report import (
    capacity_section,
    charts,
    data,
    page,
    paper_section,
    render,
    sections,
    wire_latency,
    wire_section,
)
from headroom.tests import browser, sample

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("run") / "20260102-030405-abcd"
    folder.mkdir()
    return render.write(sample.records(), folder / "report.html", folder)


@pytest.fixture(scope="module")
def chromium() -> Iterator[browser.Browser]:
    if browser.program() is None:
        pytest.skip("no Chromium on this machine; ./headroom test installs it where it may")
    with browser.Browser() as opened:
        yield opened


def test_the_sample_is_valid() -> None:
    assert [violations(record, "result") for record in sample.records()] == [[]] * len(sample.records())


def test_it_is_one_file_that_asks_for_nothing(report: Path) -> None:
    text = report.read_text(encoding="utf-8")
    without_names = re.sub(r'xmlns(:\w+)?="[^"]*"', "", text)
    assert not re.search(r"(src|href)=[\"'](?!#|data:)", without_names), "no reference to anything outside"
    assert "http://" not in without_names
    assert "https://" not in without_names
    assert "@import" not in text
    assert len(text) < 3_000_000


def test_every_case_requirement_and_command_is_there(report: Path) -> None:
    from html import unescape

    text = unescape(report.read_text(encoding="utf-8"))
    for record in sample.records():
        assert record["test"]["id"] in text
        assert record["command"] in text
        assert all(requirement in text for requirement in record["test"]["requirements"])


def test_what_failed_for_one_reason_stands_together() -> None:
    def case(name: str, verdict: str, reason: str) -> dict[str, object]:
        return {"verdict": verdict, "reason": reason, "test": {"id": name}}

    records = [
        case("a", "error", "no engine\n"),
        case("b", "fail", "wrong packet"),
        case("c", "error", "no engine"),
        case("d", "pass", ""),
        case("e", "fail", ""),
    ]
    assert data.not_passed(records) == [
        ("error", "no engine", ["a", "c"]),
        ("fail", "wrong packet", ["b"]),
        ("fail", "no reason given", ["e"]),
    ]


def test_markup_in_names_stays_text(report: Path) -> None:
    text = report.read_text(encoding="utf-8")
    assert "<b>Is</b>" not in text
    assert "&lt;b&gt;Is&lt;/b&gt;" in text


def test_the_paper_stands_beside_ours(report: Path) -> None:
    text = report.read_text(encoding="utf-8")
    for place in ("Table 1", "Table 2", "Figure 3", "Figure 4", "Figures 5 and 6", "Figure 7", "Table 4"):
        assert f">{place}</h3>" in text
    assert text.index(">Figure 3</h3>") < text.index(">Figure 7</h3>") < text.index(">Table 4</h3>"), (
        "in the paper's order"
    )


@pytest.mark.parametrize("part", [slice(0, 1), slice(0, 5), slice(5, 11), slice(11, 12), slice(12, None)])
def test_parts_of_a_run_make_a_report_too(tmp_path: Path, part: slice) -> None:
    html = render.render(sample.records()[part], tmp_path)
    assert "</html>" in html


@pytest.mark.parametrize(
    ("width", "mobile", "dark"),
    [
        (1280, False, False),
        (1280, False, True),
        (900, False, False),
        (768, True, False),
        (390, True, False),
        (340, True, True),
    ],
)
def test_nothing_is_cut_off(chromium: browser.Browser, report: Path, width: int, mobile: bool, dark: bool) -> None:
    chromium.complaints.clear()
    chromium.requests.clear()
    chromium.open(report, width=width, dark=dark, mobile=mobile)
    assert chromium.evaluate(browser.CUT_OFF) == []
    assert chromium.complaints == []
    assert [address for address in chromium.requests if not address.startswith(("file:", "data:"))] == []
    shown = "narrow" if width <= 720 else "wide"
    charts = f"[...document.querySelectorAll('.chart .{shown} svg')]"
    heights = f"{charts}.map(svg => svg.getBoundingClientRect().height)"
    assert min(chromium.evaluate(heights)) > 60


def test_text_can_be_read_against_its_ground(chromium: browser.Browser, report: Path) -> None:
    """Contrast of text of at least 4.5 to 1 (WCAG 2.1, 1.4.3), light and dark."""
    for dark in (False, True):
        chromium.open(report, dark=dark)
        assert chromium.evaluate(browser.LOW_CONTRAST) == []


def test_tables_sort_by_a_click(chromium: browser.Browser, report: Path) -> None:
    chromium.open(report)
    column = """
    (() => {
      const table = document.getElementById("t-cases");
      const titles = [...table.tHead.rows[0].cells];
      const at = titles.findIndex(title => title.textContent.startsWith("Verdict"));
      titles[at].querySelector("button").click();
      return [...table.tBodies[0].rows].map(row => row.cells[at].textContent.trim());
    })()
    """
    first = chromium.evaluate(column)
    assert first[:3] == ["error", "fail", "non-strict"], "the worst first"
    again = chromium.evaluate(column)
    assert again[0] == "pass"
    assert again[-3:] == ["non-strict", "fail", "error"]


def test_filters_leave_what_was_asked_for(chromium: browser.Browser, report: Path) -> None:
    chromium.open(report)
    shown = """
    (() => {
      const filter = document.querySelector('.filter[data-table="t-requirements"]');
      [...filter.querySelectorAll("button")].find(button => button.value === "fail").click();
      const rows = [...document.getElementById("t-requirements").tBodies[0].rows];
      return rows.filter(row => !row.hidden).map(row => row.cells[0].textContent.trim());
    })()
    """
    assert chromium.evaluate(shown) == ["RFC3095-5.9.1-1"]


def test_print(chromium: browser.Browser, report: Path, tmp_path: Path) -> None:
    chromium.open(report, width=700)
    chromium.call("Emulation.setEmulatedMedia", media="print")
    assert chromium.evaluate("getComputedStyle(document.querySelector('nav')).display") == "none"
    assert chromium.evaluate(browser.CUT_OFF) == []
    chromium.pdf(tmp_path / "report.pdf")
    assert (tmp_path / "report.pdf").stat().st_size > 50_000


# ---- what the report and the terminal take out of records


def test_a_column_that_says_nothing_is_left_out() -> None:
    columns = [page.Column("Quantity"), page.Column("±", optional=True), page.Column("Remark", optional=True)]
    bare = page.table("t", columns, [["a", None, ""], ["b", None, ""]])
    assert [column.title for column in bare.columns] == ["Quantity"]
    assert [[cell.text for cell in row.cells] for row in bare.rows] == [["a"], ["b"]]
    told = page.table("t", columns, [["a", None, ""], ["b", 0.5, ""]])
    assert [column.title for column in told.columns] == ["Quantity", "±"]


def test_percentiles_from_buckets() -> None:
    buckets = [[10.0, 90], [20.0, 9], [30.0, 1]]
    assert data.percentile(buckets, 0.5) == 10
    assert data.percentile(buckets, 0.99) == 20
    assert data.percentile(buckets, 0.999) == 30
    assert data.percentile([], 0.5) is None


def test_capacity_lines_and_absent_ones() -> None:
    found = sample.records()
    rows = data.capacity_rows(found)
    assert [row[0] for row in rows] == ["1c", "2c-l3"]
    assert rows[0][1:4] == ("48,000", "80,000", "152,000")
    assert data.absent_configurations(found) == ["2c-smt (SMT is off)"]


def test_capacity_as_the_command_line_prints_it() -> None:
    first = data.capacities(sample.records())[0].as_json()
    assert first == {
        "scheme": "",
        "compressor": "reference",
        "decompressor": "reference",
        "profile": "voip-amr-nb-ipv6",
        "cpus": "1c",
        "target_load": 0.3,
        "flow_pairs": 48_000,
        "rough": False,
        "ns_per_operation": 44.5,
        "flow_pairs_codec_only": 60_000,
        "null_ns_per_operation": 6.5,
        "ratio_to_null": 6.75,
        "harness_ns_per_packet": 11.5,
    }


def test_flow_pairs_codec_only_stand_beside_those_measured() -> None:
    section = capacity_section.capacity(sample.records())
    assert section is not None
    found = next(part.content for part in section.parts if getattr(part.content, "id", "") == "t-codec-only")
    texts = [[str(getattr(cell, "text", cell)) for cell in row.cells] for row in found.rows]
    assert texts[1] == ["1c", "50 % load", "80,000", "100,000", "44.5", "6.5", "6.75", "11.5"]
    assert len(texts) == 6, "each CPU configuration at each load"
    words = " ".join(part.content for part in section.parts if isinstance(part.content, str))
    assert "11.5 of 56.0 ns with 1c" in words
    row = data.capacity_rows(sample.records())[0]
    assert row[4:7] == ("100,000", 44.5, 6.75)


def test_a_record_without_codec_only_figures_is_shown() -> None:
    records = sample.records()
    new = ("flow_pairs_codec_only", "ratio_to_null", "harness_ns")
    for record in records:
        record["metrics"] = [metric for metric in record["metrics"] if metric["name"] not in new]
    assert data.capacity_rows(records)[0][4:7] == ("–", 44.5, None)
    assert data.capacities(records)[0].as_json()["flow_pairs_codec_only"] is None
    assert capacity_section.capacity(records) is not None


def test_a_rough_figure_says_so() -> None:
    records = sample.records()
    first = data.capacities(records)[0]
    first.record["parameters"]["rough"] = True
    assert (first.shown, first.as_json()["rough"]) == ("≈ 48,000", True)
    assert data.capacity_rows(records)[0][1] == "≈ 48,000"


def test_flows_that_come_and_go() -> None:
    values = {"load": 0.123, "startup_ns": 501.5, "steady_ns": 60.25, "churn_ns": 77.75}
    found = [Measurement(all_metrics()[name], value).as_json() for name, value in values.items()]
    record = sample.records()[0] | {
        "parameters": {"kind": "churn", "cpus": "1c", "flow_pairs_per_core": 10_000, "replaced_per_second": 0.1},
        "metrics": found,
    }
    section = sections.flows_come_and_go([record])
    assert section is not None
    row = section.parts[0].content.rows[0].cells
    assert [str(getattr(cell, "text", cell)) for cell in row][-2:] == ["77.8", "12.3 %"]
    assert sections.flows_come_and_go([]) is None


def test_sections_sort_as_people_count() -> None:
    names = ["RFC3095-5.10-1", "RFC3095-5.9.1-2", "RFC3095-5.9.1-10"]
    assert sorted(names, key=data.natural) == ["RFC3095-5.9.1-2", "RFC3095-5.9.1-10", "RFC3095-5.10-1"]


def test_cards_count_what_was_asked() -> None:
    """An unsupported case was asked of nobody: it stands beside the others and is none that did not pass."""
    tags = ["req:RFC3095-5.9.1-1"]
    verdicts = ["pass"] * 12 + ["non-strict", "fail", "error"] + ["unsupported"] * 268
    records = [
        sample.record(f"a/{number}", verdict, tags=tags).as_json()  # type: ignore[arg-type]
        for number, verdict in enumerate(verdicts)
    ]
    cards = {card.title: (card.figure, card.of) for card in sections.summary(records).cards}
    assert cards["Cases"] == ("12 of 15", "passed; 268 more are unsupported")
    assert cards["Conformance"] == ("12 of 15", "cases that name a requirement passed; 268 more are unsupported")
    all_asked = sections.summary(records[:12]).cards
    assert (all_asked[0].figure, all_asked[0].of) == ("12 of 12", "passed")


def test_only_what_the_paper_prints_is_counted_as_the_papers() -> None:
    printed = {"id": "a", "where": "Table 1", "quantity": "q", "unit": "u", "paper": 10.0, "kind": "must-match"}
    figures = [
        papers.Figure(**printed),
        papers.Figure(**printed | {"id": "b", "paper": None, "model": 942.0}),
        papers.Figure(**printed | {"id": "c", "paper": None, "bound": {"at_least": 5}, "says": "more than 5"}),
        papers.Figure(**printed | {"id": "d", "kind": "context"}),
    ]
    items = [papers.beside(figure, figure.paper or figure.model or 6.0) for figure in figures]
    record = sample.record("papers/odd", parameters={"kind": "paper"}, items=items).as_json()
    (card,) = [card for card in sections.summary([record]).cards if card.title == "Paper"]
    assert (card.figure, card.of) == ("1 of 1", "printed figures that must match do match")
    section = paper_section.paper([record])
    assert section is not None
    counts, table = [part.content for part in section.parts if part.kind == "table"]
    assert [[cell.text for cell in row.cells] for row in counts.rows] == [
        ["Numbers that the paper prints", "must-match", "1", "1"],
        ["Statements of the paper in words", "must-match", "1", "1"],
        ["Our models and bounds", "must-match", "1", "1"],
        ["No comparison: context, or a cell that the paper does not give", "–", "1", "–"],
    ]
    titles = [column.title for column in table.columns]
    assert titles[:5] == ["Quantity", "Paper", "Model", "Bound", "Here"]
    assert [[cell.text for cell in row.cells[1:5]] for row in table.rows] == [
        ["10.0", "–", "–", "10.0"],
        ["–", "942", "–", "942"],
        ["–", "–", "at least 5", "6"],
        ["10.0", "–", "–", "10.0"],
    ]
    assert [row.cells[titles.index("Verdict")].text for row in table.rows] == ["pass", "pass", "pass", "measured"]
    assert table.rows[2].cells[titles.index("Remark")].text == "the paper: “more than 5”"


def test_coverage_of_an_rfc() -> None:
    found = {one.document: one for one in data.coverage(sample.records())}
    rfc = found["RFC 3095"]
    assert rfc.by_verdict == {"pass": 1, "non-strict": 1, "fail": 1, "unsupported": 1, "error": 0}
    assert rfc.known == sum(rfc.by_verdict.values()) + rfc.not_yet + rfc.not_selected + rfc.without_case
    assert rfc.not_selected > 100 and rfc.without_case > 0, "a few cases were asked of many"
    assert rfc.known > 200
    known = [one for one in requirements.load().values() if one.document.key == "RFC3095" and one.side != "channel"]
    assert rfc.known == len(known) and rfc.not_yet == sum(bool(one.not_yet) for one in known)


def test_coverage_of_a_level() -> None:
    must, should, may = data.levels(sample.records())
    assert [one.level for one in (must, should, may)] == ["must", "should", "may"]
    for one in (must, should, may):
        assert one.known == one.with_case + one.not_yet + one.not_selected + one.without_case
    assert sum(one.with_case for one in (must, should, may)) == len(data.requirements(sample.records()))
    assert 0 < must.with_case < must.known and must.not_yet > 5
    assert must.share == must.with_case / (must.known - must.not_yet)


FREEDOM = "Doubles that use the freedom"


def conformance_of(records: data.Records) -> tuple[page.Table, page.Table]:
    """The matrix of requirements and implementations, and what no case covers."""
    section = sections.conformance(records)
    assert section is not None
    tables = {part.content.id: part.content for part in section.parts if part.kind == "table"}
    return tables["t-requirements"], tables["t-untested"]


def test_requirements_by_implementation() -> None:
    records = sample.records()
    matrix, _ = conformance_of(records)
    assert [column.title for column in matrix.columns[2:-2]] == ["reference as compressor", "reference as decompressor"]
    rows = {row.cells[0].text: row for row in matrix.rows}
    crc = rows["RFC3095-5.9.1-1"]
    assert crc.verdict == "fail"
    assert [cell.verdict for cell in crc.cells[2:4]] == ["fail", "fail"], "it binds both sides"
    refresh = rows["RFC3095-5.3.1.1.2-1"]
    assert [cell.verdict for cell in refresh.cells[2:4]] == ["pass", ""], "it binds compressors"


def test_a_case_names_the_requirement_that_its_finding_is_about() -> None:
    records = sample.records()
    case = next(record for record in records if record["findings"])
    name = case["test"]["id"]
    case["test"]["requirements"] = ["RFC3095-5.9.1-1", "RFC3095-5.3.1.1.2-1"]
    rows = {row.cells[0].text: row for row in conformance_of(records)[0].rows}
    own, other = ([str(link.text) for link in rows[entry].cells[2].details] for entry in case["test"]["requirements"])
    assert f"fail: {name}" in own
    assert f"fail (finding: RFC3095-5.9.1-1): {name}" in other


def test_each_requirement_shows_the_words_of_its_document() -> None:
    matrix, untested = conformance_of(sample.records())
    known = requirements.load()
    for row in [*matrix.rows, *untested.rows]:
        (asked,) = [cell for cell in row.cells if cell.text == known[row.cells[0].text].text]
        assert asked.details == [known[row.cells[0].text].citation]
    crc = known["RFC3095-5.9.1-1"].citation
    assert crc.startswith('RFC 3095, 5.9.1: "The CRC in the IR and IR-DYN packet is calculated over the entire ')


def test_each_implementation_has_a_column_and_the_worst_case_comes_first() -> None:
    other = {**sample.SIDE, "name": "other"}
    tags = ["req:RFC3095-5.9.1-1", "level:must"]
    records = [
        sample.record("conformance/a/One", tags=tags).as_json(),
        sample.record("conformance/a/Two", "fail", "Wrong.", tags, decompressor=other).as_json(),
        sample.record("conformance/a/Three", "pass", "", tags, compressor=None, decompressor=other).as_json(),
    ]
    matrix, _ = conformance_of(records)
    titles = [column.title for column in matrix.columns[2:-2]]
    assert titles == ["reference as compressor", "other as decompressor", "reference as decompressor"]
    cells = matrix.rows[0].cells[2:-2]
    assert [cell.verdict for cell in cells] == ["fail", "fail", "pass"]
    assert cells[1].details == [
        page.Link("fail: conformance/a/Two", "case-1"),
        page.Link("conformance/a/Three", "case-2"),
    ]


def test_an_unsupported_case_is_no_verdict() -> None:
    tags = ["req:RFC3095-5.9.1-1", "level:must"]
    records = [sample.record("conformance/a/One", "unsupported", "No.", tags, compressor=None, decompressor=None)]
    matrix, _ = conformance_of([one.as_json() for one in records])
    assert [column.title for column in matrix.columns] == ["Requirement", "Level", "Requirement", FREEDOM]
    assert matrix.rows[0].verdict == "unsupported"


def test_every_link_of_the_page_leads_somewhere(report: Path) -> None:
    text = report.read_text(encoding="utf-8")
    targets = set(re.findall(r'href="#([^"]+)"', text))
    assert any(target.startswith("case-") for target in targets)
    places = re.findall(r' id="([^"]+)"', text)
    assert targets <= set(places)
    assert len(places) == len(set(places)), "each place has a name of its own"


def test_a_link_unfolds_what_it_leads_to(chromium: browser.Browser, tmp_path: Path) -> None:
    records = sample.records()[:5] * 20
    path = render.write(records, tmp_path / "report.html", tmp_path)
    chromium.open(path, width=1280)
    folded = "document.getElementById('case-7').closest('details')"
    assert chromium.evaluate(f"{folded}.open") is False
    chromium.evaluate("location.hash = '#case-7'")
    assert chromium.evaluate(f"new Promise(done => setTimeout(() => done({folded}.open), 300))") is True


def test_what_no_case_covers_has_a_reason() -> None:
    _, rest = conformance_of(sample.records())
    reasons = {row.cells[0].text: row.cells[-2].text for row in rest.rows}
    assert "RFC3095-5.9.1-1" not in reasons, "a case names it"
    assert reasons["RFC3095-4.1-3"].startswith("It binds what is below the scheme")
    assert reasons["RFC3095-5.3.2.2.3-6"].startswith("An attempt that fails leaves no trace")
    assert "MAY" in reasons["RFC3095-5.7.6.1-7"]
    assert re.fullmatch("Not tested in this run; cases of conformance/.* name it.", reasons["RFC3095-5.7.1-1"])
    assert not any(name.startswith("RFC3843") for name in reasons), "no case of the run is about that document"


def test_what_the_side_is_asked_that_was_not_there_is_not_without_a_case() -> None:
    alone = sample.record("smoke/One", tags=["req:RFC3320-7-1"]).as_json() | {"compressor": None}
    reasons = {row.cells[0].text: row.cells[-2].text for row in conformance_of([alone])[1].rows}
    assert reasons["RFC3320-5-1"].startswith("This run tested no compressor; cases of conformance/sigcomp/compression ")
    assert reasons["RFC3320-7.3-1"].startswith("Not tested in this run; cases of conformance/sigcomp/messages ")
    known = requirements.load()
    assert not any(reason == "No case names it." for name, reason in reasons.items() if known[name].level == "must")


def test_files_of_a_case_are_named() -> None:
    records = sample.records()[:2]
    records[1]["artefacts"] = [{"path": "artefacts/x/judge.txt", "kind": "text", "octets": 1, "sha256": "ab" * 32}]
    with_files = sections.all_cases(records).parts[0].content
    assert with_files.columns[-1].title == "Kept in the run's folder"
    assert with_files.rows[1].cells[-1].details == ["artefacts/x/judge.txt"]
    without = sections.all_cases(records[:1]).parts[0].content
    assert without.columns[-1].title == "Reason"


def test_parquet_holds_every_metric_and_trial(tmp_path: Path) -> None:
    import pandas as pd

    from headroom.core.results import parquet

    path = parquet.write(sample.records(), tmp_path / "figures.parquet")
    frame = pd.read_parquet(path)
    trials = frame[(frame.metric == "flow_pairs") & (frame.cpus == "1c") & (frame.target_load == 0.5)]
    assert list(trials.sort_values("trial").trial_value) == [0.98 * 80_000, 80_000, 1.02 * 80_000]
    assert set(frame.unit[frame.metric == "flow_pairs"]) == {"flow pairs"}
    assert frame.sha256_compressor.iloc[0] == "ab" * 32


def test_a_report_without_room(tmp_path: Path) -> None:
    from headroom.core.errors import HeadroomError

    with pytest.raises(HeadroomError, match="riting the report"):
        render.write(sample.records()[:1], Path("/proc/none/report.html"), tmp_path)
    assert store.read_all(tmp_path) == []


def test_the_wire_has_a_part_for_each_kind_of_measurement() -> None:
    shown = next(one for one in render.page(sample.records(), Path("out")).sections if one.id == "wire")
    headings = [part.id for part in shown.parts if part.kind == "heading"]
    kinds = ["throughput", "loads", "scaling", "delivery", "latency", "calls"]
    assert headings == [f"wire-{kind}" for kind in kinds]
    tables = {part.content.id: part.content for part in shown.parts if part.kind == "table"}
    rates = tables["t-throughput"].rows
    assert [cell.text for cell in rates[0].cells[:5]] == [
        "voip-amr-nb-ipv6, 1c",
        "NDR",
        "84,005",
        "93,332",
        "above 120,000",
    ]
    assert rates[2].cells[0].text == "voip-amr-nb-ipv6, 1c, O-mode, with feedback"
    loads = [[cell.text for cell in row.cells] for row in tables["t-loads"].rows]
    assert loads[0] == ["voip-amr-nb-ipv6, 1c, PDR", "compressor", "1", "100 %", "33 %", "99 %"]
    assert loads[2][-1] == "–"
    assert len(loads) == 3 * 6, "where there is a PDR, the loads at the NDR are left out"
    assert "busy share" in shown.notes[0] and "/proc/stat" in shown.notes[1]
    grown = tables["t-scaling"].rows[1].cells
    assert [grown[place].text for place in (0, 4, 5)] == ["2c-l3", "1.80", "90 %"]
    delays = [row.cells[0].text for row in tables["t-wire-latency"].rows]
    assert delays[:3] == [
        "1c at 10 % of PDR, forward",
        "1c at 10 % of PDR, reverse",
        "1c at 10 % of PDR, bare bridge, forward",
    ]
    called = [[cell.text for cell in row.cells[:9]] for row in tables["t-calls"].rows]
    assert called[0][:2] == ["basic-voice-call", "null codec"]
    assert called[0][6:8] == ["850", "20,843"]
    assert called[1][7] == "above 20,480"
    assert called[2][:2] == ["basic-voice-call", "SigComp"], "beside those through null nodes, and not in their place"
    assert called[2][7] == "6,120"


def test_rates_of_a_quick_run_say_how_far_they_go() -> None:
    records = [one for one in sample.records() if one["parameters"].get("kind") == "throughput"]
    plain = wire_section.on_the_wire(records)
    quick = wire_section.on_the_wire([{**one, "quick": True} for one in records])
    assert plain is not None and quick is not None
    assert len(plain.intro) == 1
    assert "trials of 0.5 s, in steps of 10 %" in quick.intro[1]


def test_a_rate_that_no_pdr_was_found_for_is_no_share_of_it() -> None:
    record = next(one for one in sample.records() if one["parameters"].get("kind") == "wire_latency")
    assert wire_latency._share(record) == "10 % of PDR"
    least = {"name": "pdr_at_least", "value": 3194.4, "unit": "packets/s", "core": None}
    record = {**record, "metrics": [*record["metrics"], least]}
    assert wire_latency._share(record) == "10 % of 3,194/s, PDR is above"
    assert wire_latency._rows(record)[0][0] == "1c at 10 % of 3,194/s, PDR is above, forward"


def test_a_distribution_is_of_all_packets() -> None:
    records = [one for one in sample.records() if one["parameters"].get("kind") == "wire_latency"]
    points = wire_latency._distributions(records)
    for name in {point["series"] for point in points}:
        assert sum(point["y"] for point in points if point["series"] == name) == pytest.approx(1.0)
    assert {point["series"] for point in points} == {
        "1c",
        "1c, O-mode, with feedback",
        "1c, O-mode, piggybacked",
        "bridge beside 1c",
    }


def test_no_point_of_a_logarithmic_axis_touches_its_edge() -> None:
    scale, ticks = charts._logarithmic([0.0, 20.0, 165_000.0])
    low, high = scale.domain
    assert low < 20 and high > 165_000
    assert ticks == [100.0, 1000.0, 10_000.0, 100_000.0]
    assert charts._logarithmic([600.0, 700.0])[1] == pytest.approx([500, 600, 700, 800]), "an axis has ticks"
    for least, most in ((1.2, 1.9), (130.0, 150.0), (5e3, 5e3), (0.03, 0.031), (9.0, 11.0), (1.0, 9.0)):
        scale, ticks = charts._logarithmic([least, most])
        assert 3 <= len(ticks) <= 9 and ticks == sorted(set(ticks)), (least, most, ticks)
        assert all(scale.domain[0] <= tick <= scale.domain[1] for tick in ticks)


def test_the_buckets_of_trex_are_explained_where_it_has_counted() -> None:
    records = [one for one in sample.records() if one["parameters"].get("kind") == "wire_latency"]
    assert "TRex" not in wire_latency._buckets_of(records)
    trex = {"generator": {"name": "trex", "version": "v3.08"}, "topology": {"name": "netns"}}
    shown = wire_latency._buckets_of([{**records[0], "traffic": trex}])
    assert "TRex has one bucket below 10 µs and then nine in each power of ten" in shown


def test_a_legend_is_never_wider_than_its_chart() -> None:
    long = ["1c, O-mode, piggybacked at 50 % of PDR"] * 4
    assert charts._legend_columns(["a", "b"], False) == 0
    assert charts._legend_columns(long, False) == 1
    assert charts._legend_columns(["bridge, 10 % of PDR"] * 6, False) == 3
    assert charts._legend_columns(long, True) == 1
