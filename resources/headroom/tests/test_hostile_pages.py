# SPDX-License-Identifier: Apache-2.0
"""Pages of records whose every text is hostile, in a browser: no text becomes markup, and no script runs but the
page's own, even where one does."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from headroom.campaigns import page as campaign_page
from headroom.campaigns.measured import CampaignData
from headroom.campaigns.progress import Result
from headroom.judge import page as judge_page
from headroom.judge import summary
from headroom.report import comparison, comparison_page, interop_page, render, template
from headroom.tests import browser, damaged_records, sample
from headroom.tests.campaigns.helpers import campaign
from headroom.tests.judge.test_page import judged

pytestmark = pytest.mark.slow

FOLDER = Path(f"<img src=x onerror={browser.HARM}>\x1b]0;x\x07")
NAMES = ("kind", "unit", "target_load", "goal", "name")  # by which sections find what is theirs
SCRIPTED = ("report", "interop", "comparison", "campaign")  # pages with a script of their own


@cache
def records(text: str, spared: tuple[str, ...] = ()) -> list[dict[str, Any]]:
    """A record of each kind of the sample, every text of which is another one wherever the schema lets it be."""
    change = lambda value: text if isinstance(value, str) else value  # noqa: E731
    return [damaged_records._everywhere(one, change, spared) for one in damaged_records._kinds(sample.records())]


def report(text: str) -> str:
    return render.render(records(text, NAMES), FOLDER)


def interop(text: str) -> str:
    words = ("compressor", "decompressor", "profile", "mode", "cids", "traffic", "link", "reason", "signature")
    files = dict.fromkeys(("capture", "job", "evidence", "command"), text)
    unknown = dict.fromkeys(("header_bytes", "ns_per_packet", "packets", "delivered"))
    cell = {**unknown, **dict.fromkeys(words, text), **files, "verdict": "fail", "minimised": {"packets": 1, **files}}
    return interop_page.render([sample.record("interop/rohc/x", "fail", text, cells=[cell]).as_json()], FOLDER)


def compared(text: str) -> str:
    others = records(browser.HOSTILE[1 - browser.HOSTILE.index(text)], NAMES)
    found = comparison.compare(FOLDER, FOLDER, records(text, NAMES), others)
    return render.html_of(comparison_page.page(found))


def campaigned(text: str) -> str:
    data = CampaignData(campaign(machines=("east", "west")), {})
    for cell in data.campaign.cells():
        data.records[cell] = records(text, NAMES)
        data.results[cell] = Result("whole", text, "fail", text, (text,), text, text, {text: 1})
    return render.html_of(campaign_page.page(data))


def of_judgement(text: str) -> str:
    made = judged(FOLDER)
    made.command = text
    return judge_page.render(summary.of(made, records(text, NAMES)))


PAGES: dict[str, Callable[[str], str]] = {
    "report": report,
    "interop": interop,
    "comparison": compared,
    "campaign": campaigned,
    "judge": of_judgement,
}


@pytest.fixture(scope="module")
def chromium() -> Iterator[browser.Browser]:
    if browser.program() is None:
        pytest.skip("no Chromium on this machine; ./headroom test installs it where it may")
    with browser.Browser() as opened:
        yield opened


def opened(chromium: browser.Browser, html: str, folder: Path) -> list[str]:
    """Opens a page; returns what its texts have done."""
    path = folder / "page.html"
    path.write_text(html, encoding="utf-8")
    chromium.complaints.clear()
    chromium.requests.clear()
    chromium.open(path)
    found: list[str] = chromium.evaluate(browser.DONE)
    return found


@pytest.mark.long
@pytest.mark.parametrize("text", browser.HOSTILE, ids=("markup", "address"))
@pytest.mark.parametrize("name", PAGES)
def test_texts_stay_texts(chromium: browser.Browser, tmp_path: Path, name: str, text: str) -> None:
    html = PAGES[name](text)
    assert opened(chromium, html, tmp_path) == []
    assert chromium.complaints == []
    assert [one for one in chromium.requests if not one.startswith(("file:", "data:"))] == []
    assert browser.HARM in chromium.evaluate("document.body.textContent"), "the texts are there"
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e\ufffe]", html)


@pytest.mark.parametrize("name", PAGES)
def test_the_policy_keeps_markup_from_running(chromium: browser.Browser, tmp_path: Path, name: str) -> None:
    html = browser.with_markup(PAGES[name](browser.HOSTILE[1]))
    found = opened(chromium, html, tmp_path)
    chromium.evaluate("document.getElementById('trap').click()")
    assert found and chromium.evaluate("window.harm") is None
    assert any("Content Security Policy" in one for one in chromium.complaints)
    if name in SCRIPTED:
        script = "document.querySelector('th button, form:not([hidden])') !== null"
        assert chromium.evaluate(script), "the page's own script has run"


def test_a_chart_is_drawn_under_the_policy(chromium: browser.Browser, tmp_path: Path) -> None:
    assert opened(chromium, render.render(sample.records(), tmp_path), tmp_path) == []
    shown = "[...document.querySelectorAll('figure .wide svg')].map(one => one.getBoundingClientRect().height)"
    heights = chromium.evaluate(shown)
    assert len(heights) > 5 and min(heights) > 50
    assert chromium.complaints == []


@pytest.mark.parametrize(
    ("path", "address"),
    [
        ("artefacts/a b.pcap", "artefacts/a%20b.pcap"),
        ("javascript:alert(1)", "javascript%3Aalert%281%29"),
        ("//example.invalid/x", "#"),
        ("/etc/passwd", "#"),
        ("artefacts/../../x", "#"),
        ("\ud800", "%3F"),
    ],
)
def test_pages_link_to_files_below_their_folder(path: str, address: str) -> None:
    assert template.address(path) == address
