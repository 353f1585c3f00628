# SPDX-License-Identifier: Apache-2.0
"""The page of a history: alerts first, nothing cut off, nothing from outside, names that are markup stay text, and
hundreds of series in a file that a browser takes at once."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from html import unescape
from html.parser import HTMLParser
from pathlib import Path

import pytest

from headroom.core.errors import EnvironmentLacks
from headroom.history.alerts import Alert, ChangedSeries
from headroom.history.store import History, default_folder
from headroom.nightly import chart, page, snapshot
from headroom.tests import browser
from headroom.tests.history.support import HOSTILE, KEY, night, point
from headroom.tests.nightly import sample_history as drawn

pytestmark = pytest.mark.slow

MOST_OCTETS_PER_SERIES = 8_000
MOST_ELEMENTS_PER_SERIES = 30


@pytest.fixture(scope="module")
def written(sample: History, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("page") / "index.html"
    page.write(sample, path)
    return path


@pytest.fixture(scope="module")
def hostile_page(hostile: History, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("hostile-page") / "index.html"
    page.write(hostile, path)
    return path


@pytest.fixture(scope="module")
def chromium() -> Iterator[browser.Browser]:
    if browser.program() is None:
        pytest.skip("no Chromium on this machine; ./headroom test installs it where it may")
    with browser.Browser() as opened:
        yield opened


@pytest.fixture
def quiet(chromium: browser.Browser) -> Iterator[browser.Browser]:
    """A browser that must not complain, nor ask anybody for anything."""
    chromium.complaints.clear()
    chromium.requests.clear()
    yield chromium
    assert chromium.complaints == []
    assert [one for one in chromium.requests if not one.startswith(("file:", "data:"))] == []


# ---- what it says


def test_it_is_one_file_that_asks_for_nothing(written: Path) -> None:
    text = written.read_text(encoding="utf-8")
    assert not re.search(r"(src|href)=[\"'](?!#|data:)", text)
    assert "http://" not in text.replace("http://www.w3.org/2000/svg", "")
    assert "https://" not in text
    assert "default-src 'none'" in text


def test_alerts_come_first_with_all_that_they_hold(written: Path, sample: History) -> None:
    text = unescape(written.read_text(encoding="utf-8"))
    assert text.index('id="alerts"') < text.index('id="last-night"') < text.index('id="series"')
    for alert, action, reason in drawn.alerts():
        assert alert.id in text
        assert reason in text
        assert f"{alert.old_commit[:8]}..{alert.new_commit[:8]}" in text
        for one in alert.series:
            assert one.label in text
            assert one.evidence in text
            assert f"{one.ratio:.3f}" in text
            assert page.signed(one.step) in text
        for case in alert.cases:
            assert str(case) in text
        for command in page.commands(replace(alert, state="ignored" if action else "open"), sample.folder):
            assert f"<code>{command}</code>" in text


def test_events_bridges_drift_and_precision_are_there(written: Path) -> None:
    text = unescape(written.read_text(encoding="utf-8"))
    for event in drawn.events():
        assert event.sentence in text
        for ratio in event.bridge.values():
            assert f": {ratio:.3f}</div>" in text
            assert f"measured in one session, new over old: {ratio:.3f}" in text, "beside its epoch"
    assert "1 of 2 alerts were right" in text
    assert "kernel: 6.1.0-25-amd64 → 6.1.0-26-amd64" in text
    assert "Not measured, 5 series: The engine was killed for lack of memory." in text
    assert "no longer measured" in text
    drifting = drawn.sentinels()[3].test
    assert drifting in text[text.index('id="drift"') : text.index('id="events"')]


def test_states_of_the_last_night(sample: History) -> None:
    found = {one.machine: one for one in page.content(snapshot.take(sample)).last_nights}
    assert (found[drawn.RACK].state, found[drawn.RACK].measured) == ("measured", "69 of 69 series, 30 trials")
    assert (found[drawn.LAB].state, found[drawn.LAB].measured) == ("measured in part", "64 of 69 series, 30 trials")


def test_the_last_night_names_its_commit(tmp_path: Path) -> None:
    history = History(tmp_path)
    history.add([point(0)])
    assert "<code>c0ffee0</code>" in page.render(snapshot.take(history))
    history.add([point(1, changed=True)])
    (only,) = page.content(snapshot.take(history)).last_nights
    assert (only.commit, only.is_changed, only.measured) == ("c0ffee0", True, "1 of 1 series, 2 trials")
    assert "<code>c0ffee0</code> with changes" in page.render(snapshot.take(history))


@pytest.mark.parametrize(
    ("kind", "when", "state"),
    [
        ("machine", 1, "cannot tell"),
        ("cannot tell", 1, "cannot tell"),
        ("not measured", 1, "cannot tell"),
        ("in part", 1, "measured in part"),
        ("not measured", 2, "not measured"),
        ("user", 1, "measured"),
        ("cannot tell", 0, "measured"),
    ],
)
def test_events_decide_the_state(tmp_path: Path, kind: str, when: int, state: str) -> None:
    from headroom.history.events import Event

    history = History(tmp_path)
    for index in range(2):
        history.add([point(index)])
    history.append("events", [Event(night(when), "rack", kind, "why").as_json()])  # type: ignore[arg-type]
    (only,) = page.content(snapshot.take(history)).last_nights
    assert only.state == state
    assert any("why" in one for one in only.words) is (when > 0)


def test_an_unconfirmed_alert_of_the_night_cannot_tell(tmp_path: Path) -> None:
    history = History(tmp_path)
    history.add([point(0)])
    history.append("alerts", [Alert("x", night(0), "rack", "regression", False, "", "").opened()])
    (only,) = page.content(snapshot.take(history)).last_nights
    assert only.state == "cannot tell"


def test_a_confirmed_regression_is_the_state_of_a_night_that_cannot_tell(tmp_path: Path) -> None:
    history = History(tmp_path)
    history.add([point(0)])
    history.append("alerts", [Alert("x", night(0), "rack", "regression", True, "", "").opened()])
    history.append("alerts", [Alert("y", night(0), "rack", "regression", False, "", "").opened()])
    (only,) = page.content(snapshot.take(history)).last_nights
    assert (only.state, only.look) == ("regression", "fail")
    assert only.words[0] == "A confirmed regression is open (x). Other series are undecided tonight."


def test_the_last_night_names_its_product_and_a_first_look(tmp_path: Path) -> None:
    history = History(tmp_path)
    history.add([point(0, digests={"adapter": "ab" * 32, "version": "2.1", "quick": "yes"})])
    (only,) = page.content(snapshot.take(history)).last_nights
    assert (only.product, only.is_quick) == (f"{KEY.compressor} 2.1 (SHA-256 abababababab)", True)
    text = page.render(snapshot.take(history))
    assert only.product in text and "a first look (--quick)" in text
    history.add([point(1, digests={"adapter": "cd" * 32})])
    (only,) = page.content(snapshot.take(history)).last_nights
    assert (only.product, only.is_quick) == (f"{KEY.compressor} SHA-256 cdcdcdcdcdcd", False)


def test_builds_of_no_commit_are_named_by_their_libraries(tmp_path: Path) -> None:
    history = History(tmp_path)
    for index, digest in enumerate(("ab", "cd")):
        history.add([point(index, commit="", digests={"adapter": digest * 32, "version": f"2.{index}"})])
    changed = ChangedSeries(KEY.id, "label", KEY.test, KEY.metric, "ns", 1.0, 2.0, 1.0, night(1))
    history.append("alerts", [Alert("x", night(1), "rack", "regression", True, "", "", (changed,)).opened()])
    (shown,) = page.content(snapshot.take(history)).open
    assert shown.commits == "2.0 (SHA-256 abababababab) → 2.1 (SHA-256 cdcdcdcdcdcd)"
    text = page.render(snapshot.take(history))
    assert "nightly bisect" not in text and "unknown" not in text
    assert page._shown(Alert("y", night(0), "rack", "verdict", True, "", ""), snapshot.take(history)).commits == (
        "builds without a commit"
    )


@pytest.mark.parametrize(
    ("kinds", "look", "words"),
    [
        ([], "pass", "no open alert"),
        ([("in part", 0)], "non-strict", "no open alert, but the last night of rack: measured in part"),
        ([("machine", 0)], "non-strict", "no open alert, but the last night of rack: cannot tell"),
        ([("not measured", 1)], "error", "no open alert, but the last night of rack: not measured"),
    ],
)
def test_no_open_alert_is_green_only_where_all_was_measured(
    tmp_path: Path, kinds: list[tuple[str, int]], look: str, words: str
) -> None:
    from headroom.history.events import Event

    history = History(tmp_path)
    assert page.content(snapshot.take(history)).without_alert == ("unsupported", "nothing was measured yet")
    history.add([point(0)])
    for kind, when in kinds:
        history.append("events", [Event(night(when), "rack", kind, "why").as_json()])  # type: ignore[arg-type]
    assert page.content(snapshot.take(history)).without_alert == (look, words)
    assert f'<li><span class="verdict {look}">{words}</span></li>' in page.render(snapshot.take(history))


def test_a_night_without_any_value_is_not_measured(tmp_path: Path) -> None:
    history = History(tmp_path)
    history.add([point(0)])
    history.add([point(1, value=None, reason="It crashed.")])
    (only,) = page.content(snapshot.take(history)).last_nights
    assert (only.state, only.look, only.measured) == ("not measured", "error", "0 of 1 series, 2 trials")


def test_only_commits_become_commands() -> None:
    alert = Alert("an id; rm -rf /", night(0), "rack", "regression", True, "$(id)", "--output=x")
    assert page.commands(alert, default_folder()) == [
        "./headroom nightly show 'an id; rm -rf /'",
        "./headroom nightly accept 'an id; rm -rf /' --reason '…'",
        "./headroom nightly ignore 'an id; rm -rf /' --reason '…'",
    ]
    both = replace(alert, id="a", old_commit="0" * 40, new_commit="f" * 40)
    assert "./headroom nightly bisect a" in page.commands(both, default_folder())
    known = replace(alert, id="a", old_commit="0" * 40, new_commit="f" * 40, state="fixed")
    assert page.commands(known, default_folder()) == ["./headroom nightly show a", "git log 000000000000..ffffffffffff"]


@pytest.mark.parametrize(
    ("step", "text"), [(0.0449, "+4.5 %"), (-0.06, "−6.0 %"), (0.0004, "0.0 %"), (-0.0004, "0.0 %"), (1e9, "from 0")]
)
def test_steps(step: float, text: str) -> None:
    assert page.signed(step) == text


def test_an_empty_history_has_a_page(tmp_path: Path) -> None:
    page.write(History(tmp_path / "none"), tmp_path / "index.html")
    text = (tmp_path / "index.html").read_text(encoding="utf-8")
    assert "The history has no night yet" in text
    assert "Nothing was measured yet." in text and "no open alert" not in text


def test_a_page_that_cannot_be_written_is_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(EnvironmentLacks, match=r"page .* failed"):
        page.write(History(tmp_path / "none"), tmp_path / "file" / "index.html")


def test_context_is_drawn_and_never_judged(tmp_path: Path) -> None:
    """Nor is it missed in a night that leaves it out."""
    history = History(tmp_path)
    weekly = replace(KEY, metric="flow_pairs")
    for index in range(16):
        history.add([point(index), point(index, 100.0 if index < 13 else 50.0, weekly, kind="context")])
    history.add([point(16)])
    cards = {card.title: card for group in page.content(snapshot.take(history)).groups for card in group.cards}
    found = cards["flow_pairs"]
    assert (found.badge, found.look, found.changed) == ("", "", False)
    assert found.value == "last measured on 2026-09-16 02:00: 50.0 ns"
    assert not cards["compress_ns"].changed


# ---- charts


def _drawn(values: list[float | None], **more: object) -> str:
    from headroom.history.assessment import judge
    from headroom.tests.history.support import series

    one = series(values, **more)
    judged = judge(one, [], one.nights[-1])
    return chart.draw(judged, chart.axis_of(one.nights), [], [], "title", {}).svg


def _places(svg: str, style: str) -> str:
    found = re.search(rf'<path class="{style}" d="([^"]*)"', svg)
    return found[1] if found else ""


@pytest.mark.parametrize(
    "values", [[5.0], [0.0] * 20, [-3.0] * 20, [1e308, -1e308], [None] * 3, [None], [5e-324, 1.0], [1e300] * 20]
)
def test_any_values_can_be_drawn(values: list[float | None]) -> None:
    svg = _drawn(values)
    assert "nan" not in svg
    assert "inf" not in svg
    for y in re.findall(r"[ML][\d.]+ (-?[\d.]+)", svg):
        assert 0 <= float(y) <= chart.HEIGHT
    assert _places(svg, "d").count("M") == sum(value is not None for value in values)


def test_a_night_without_a_value_is_a_gap() -> None:
    assert re.sub(r"[\d. ]", "", _places(_drawn([1.0, 2.0, None, 3.0, 4.0]), "l")) == "MLML"


def test_nights_that_are_not_there_are_a_gap(tmp_path: Path) -> None:
    from headroom.history.assessment import judge
    from headroom.tests.history.support import grouped

    (one,) = grouped(point(index).as_row() for index in (0, 1, 2, 6, 7)).values()
    svg = chart.draw(judge(one, [], night(7)), chart.axis_of(one.nights), [], [], "title", {}).svg
    assert re.sub(r"[\d. ]", "", _places(svg, "l")) == "MLLML"


def test_the_band_begins_with_the_epoch(sample: History) -> None:
    text = _svg(sample, drawn._series(drawn.RACK, 0, "compress_ns").id)
    (left,) = re.findall(r'<rect class="b" x="([\d.]+)"', text)
    lines = [float(x) for x in re.findall(r'<path class="epoch" d="M([\d.]+) ', text)]
    assert float(left) == max(lines)
    assert len(lines) == 2, "another kernel, another harness"
    assert text.count('<circle class="x"') == 1, "the night in which the machine moved is hollow"
    assert f">{drawn.commit(drawn.REGRESSED)[:8]}</text>" in text


def _svg(history: History, identity: str) -> str:
    groups = page.content(snapshot.take(history)).groups
    (svg,) = [card.svg for group in groups for card in group.cards if card.anchor == f"s-{identity}"]
    return svg


def test_only_the_last_nights_are_drawn() -> None:
    svg = _drawn([float(index) for index in range(chart.MOST_NIGHTS + 30)])
    assert _places(svg, "d").count("M") == chart.MOST_NIGHTS


# ---- hostile names


class Tags(HTMLParser):
    """Names of all elements and attributes."""

    def __init__(self) -> None:
        super().__init__()
        self.found: set[str] = set()
        self.attributes: set[str] = set()

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.found.add(tag)
        self.attributes |= {name for name, _ in attributes}


def test_names_that_are_markup_stay_text(hostile_page: Path, written: Path) -> None:
    tags, usual = Tags(), Tags()
    tags.feed(hostile_page.read_text(encoding="utf-8"))
    usual.feed(written.read_text(encoding="utf-8"))
    assert tags.found <= usual.found
    assert "img" not in tags.found
    assert tags.attributes <= usual.attributes
    text = hostile_page.read_text(encoding="utf-8")
    assert text.count("<script") == written.read_text(encoding="utf-8").count("<script") == 2
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in text


def test_hostile_names_do_nothing_in_a_browser(quiet: browser.Browser, hostile_page: Path) -> None:
    for width, mobile in ((1280, False), (390, True)):
        quiet.open(hostile_page, width=width, mobile=mobile)
        assert quiet.evaluate("document.querySelectorAll('img, main script').length") == 0
        assert quiet.evaluate(browser.CUT_OFF) == []
        shown = quiet.evaluate("[...document.querySelectorAll('.group > h3')].map(one => one.textContent)")
        assert set(HOSTILE[:2]) <= set(shown)
        assert quiet.evaluate(browser.DONE) == []


def test_the_policy_keeps_markup_from_running(chromium: browser.Browser, hostile_page: Path, tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    path.write_text(browser.with_markup(hostile_page.read_text(encoding="utf-8")), encoding="utf-8")
    chromium.open(path)
    chromium.evaluate("document.getElementById('trap').click()")
    assert chromium.evaluate("window.harm") is None
    assert chromium.evaluate("!document.getElementById('filter').hidden"), "the page's own script has run"


# ---- in a browser


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize(("width", "mobile"), [(1280, False), (900, False), (390, True)])
def test_nothing_is_cut_off(quiet: browser.Browser, written: Path, width: int, mobile: bool, dark: bool) -> None:
    quiet.open(written, width=width, dark=dark, mobile=mobile)
    quiet.evaluate("document.querySelectorAll('details').forEach(one => (one.open = true))")
    assert quiet.evaluate(browser.CUT_OFF) == []
    assert quiet.evaluate(browser.LOW_CONTRAST) == []
    sizes = "[...document.querySelectorAll('.small-chart')].map(one => one.getBoundingClientRect().height)"
    assert min(quiet.evaluate(sizes)) > 100


def test_colours_of_charts_can_be_told_from_their_ground(quiet: browser.Browser, written: Path) -> None:
    """Dots, lines of alerts and labels: at least 3 to 1 (WCAG 2.1, 1.4.11), labels 4.5 to 1."""
    script = """
    (() => {
      const channels = text => text.match(/[\\d.]+/g).map(Number);
      const linear = c => (c /= 255) <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
      const luminance = text => channels(text).slice(0, 3).map(linear)
        .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
      const ground = luminance(getComputedStyle(document.body).backgroundColor);
      const ratio = text => {
        const own = luminance(text);
        return (Math.max(own, ground) + 0.05) / (Math.min(own, ground) + 0.05);
      };
      const worst = (selector, property) => Math.min(...[...document.querySelectorAll(`.small-chart ${selector}`)]
        .map(one => ratio(getComputedStyle(one)[property])));
      return [worst(".d", "stroke"), worst("path.open", "stroke"), worst("path.epoch", "stroke"),
        worst(".x", "stroke"), worst("text", "fill")];
    })()
    """
    for dark in (False, True):
        quiet.open(written, dark=dark)
        *marks, texts = quiet.evaluate(script)
        assert min(marks) >= 3
        assert texts >= 4.5


def test_a_point_says_its_night_commit_and_trials(quiet: browser.Browser, written: Path) -> None:
    identity = drawn._series(drawn.RACK, 0, "compress_ns").id
    quiet.open(written)
    words = quiet.evaluate(
        f"""
        (() => {{
          const svg = document.querySelector("#s-{identity} svg");
          svg.scrollIntoView();
          const box = svg.getBoundingClientRect();
          const at = document.querySelector("#s-{identity} path.open").getBoundingClientRect();
          const where = {{ clientX: at.left, clientY: box.top + box.height / 2, bubbles: true }};
          svg.dispatchEvent(new PointerEvent("pointermove", where));
          const tip = document.getElementById("tip");
          return tip.hidden ? "" : tip.textContent;
        }})()
        """
    )
    lines = words.split("\n")
    assert lines[0] == f"2026-11-06 02:00 UTC, commit {drawn.commit(drawn.REGRESSED)[:8]}"
    assert re.fullmatch(r"[\d.]+ ns", lines[1])
    assert re.fullmatch(r"trials from [\d.]+ to [\d.]+ ns", lines[2])
    assert lines[3].startswith("regression: 2 series (open), ")


def _keys(chromium: browser.Browser, *names: str) -> None:
    for name in names:
        for kind in ("keyDown", "keyUp"):
            chromium.call("Input.dispatchKeyEvent", type=kind, key=name, code=name)


def test_charts_can_be_read_with_the_keyboard(quiet: browser.Browser, written: Path) -> None:
    identity = drawn._series(drawn.RACK, 0, "compress_ns").id
    quiet.open(written)
    quiet.evaluate(f"document.querySelector('#s-{identity} svg').focus()")
    tip = "document.getElementById('tip').hidden ? '' : document.getElementById('tip').textContent"
    _keys(quiet, "Home")
    assert quiet.evaluate(tip).startswith("2026-09-01 02:00 UTC")
    _keys(quiet, "ArrowRight", "ArrowRight", "ArrowLeft")
    assert quiet.evaluate(tip).startswith("2026-09-02 02:00 UTC")
    _keys(quiet, "End")
    assert quiet.evaluate(tip).startswith("2026-11-09 02:00 UTC")
    for _ in range(drawn.NIGHTS - 1 - drawn.HARNESS):
        _keys(quiet, "ArrowLeft")
    said = quiet.evaluate(tip)
    assert said.startswith("2026-10-11 02:00 UTC")
    assert "An epoch begins: harness: " in said
    assert "new over old: 0.972" in said
    _keys(quiet, "Escape")
    assert quiet.evaluate(tip) == ""


SHOWN = """
(() => {
  const shown = [...document.querySelectorAll("main figure")].filter(one => one.getBoundingClientRect().height);
  return [shown.length, document.querySelector("#filter output").textContent];
})()
"""


def test_the_filter_leaves_what_was_asked_for(quiet: browser.Browser, written: Path) -> None:
    quiet.open(written)
    type_ = "(() => {{ const field = document.querySelector('#filter input'); field.value = {}; "
    type_ += "field.dispatchEvent(new Event('input', {{ bubbles: true }})); }})()"
    assert quiet.evaluate(SHOWN) == [148, "148 series"]
    quiet.evaluate(type_.format(json.dumps(f"COMPRESS_ns {drawn.LAB} pinned")))
    assert quiet.evaluate(SHOWN) == [3, "3 series"]
    quiet.evaluate(type_.format(json.dumps("no such series")))
    assert quiet.evaluate(SHOWN) == [0, "0 series"]
    assert quiet.evaluate("[...document.querySelectorAll('.group')].every(one => one.hidden)")
    quiet.evaluate(type_.format('""'))
    quiet.evaluate("document.querySelector('#filter input[type=checkbox]').click()")
    assert quiet.evaluate(SHOWN) == [4, "4 series"]


def test_links_of_alerts_lead_to_their_charts(quiet: browser.Browser, written: Path) -> None:
    quiet.open(written)
    missing = """
    [...document.querySelectorAll('a[href^="#"]')].map(one => decodeURIComponent(one.hash.slice(1)))
      .filter(name => !document.getElementById(name))
    """
    assert quiet.evaluate(missing) == []


def test_commands_can_be_copied(quiet: browser.Browser, written: Path, sample: History) -> None:
    quiet.open(written)
    quiet.evaluate("document.querySelector('.copy').click()")
    assert quiet.evaluate("getSelection().toString()") == (
        f"./headroom nightly show {drawn.alerts()[2][0].id} --history {sample.folder.resolve()}"
    )
    labels = "[...document.querySelectorAll('.copy')].map(one => one.getAttribute('aria-label'))"
    assert all(one.startswith("copy ") for one in quiet.evaluate(labels))


def test_print(quiet: browser.Browser, written: Path, tmp_path: Path) -> None:
    quiet.open(written, width=700)
    quiet.call("Emulation.setEmulatedMedia", media="print")
    assert quiet.evaluate("getComputedStyle(document.querySelector('nav')).display") == "none"
    quiet.pdf(tmp_path / "page.pdf")
    assert (tmp_path / "page.pdf").stat().st_size > 10_000


@pytest.mark.long
def test_hundreds_of_series_make_a_page_of_bounded_size(quiet: browser.Browser, tmp_path: Path) -> None:
    """888 series of 70 nights. Sizes are asserted, for times depend on the machine: what a browser spends grows with
    octets and elements."""
    history = History(tmp_path / "history")
    for index in range(drawn.NIGHTS):
        for machine in (drawn.RACK, drawn.LAB):
            if found := drawn.points(machine, index, copies=6):
                history.add(found)
    page.write(history, tmp_path / "index.html")
    quiet.open(tmp_path / "index.html", width=390, mobile=True)
    count = quiet.evaluate("document.querySelectorAll('main figure').length")
    assert count == 888
    assert (tmp_path / "index.html").stat().st_size < count * MOST_OCTETS_PER_SERIES
    assert quiet.evaluate("document.querySelectorAll('*').length") < count * MOST_ELEMENTS_PER_SERIES
    assert quiet.evaluate("document.querySelector('#filter output').textContent") == "888 series"
