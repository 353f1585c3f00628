# SPDX-License-Identifier: Apache-2.0
"""The documentation site: every link leads somewhere, nothing is fetched, all that data holds is shown as text, and the
search finds identifiers and options."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import escape, unescape
from html.parser import HTMLParser
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
import typer.main
from typer.core import TyperGroup

from headroom.cli import app
from headroom.core import implementations, reference, requirements
from headroom.core.errors import UsageError
from headroom.core.papers import paper
from headroom.core.paths import ROOT
from headroom.core.run import selection
from headroom.site import abi, build, command_pages, guides, implementation_pages, paper_pages, requirement_pages
from headroom.site import markdown as md
from headroom.site.pages import Page, Site
from headroom.site.results import golden_source, run_source
from headroom.site.suites import page_of as suite_page
from headroom.tests import browser, sample

pytestmark = pytest.mark.slow

needs_mkdocs = pytest.mark.skipif(find_spec("material") is None, reason="the packages of the site are not installed")

HOSTILE = """</code></pre><script>window.harm=1</script><img src=x onerror="window.harm=1"> | {: #a } `b` [c](d)"""


MARKUP = [
    *("- a", "+ a", "* a", "1. a", "12. a", "# a", "a #", "> a", ": a", "!!! note", "---", "===", "~~~", "```"),
    *("<b>", "*a*", "_a_", "__a__", "`a`", "{: #a }", "a { .b }", "&lt;", "[a](b)", "![a](b)", "[a]: b", "<http://a>"),
    *("http://a", "--a", "a\\b", "1) a", "'a' \"b\"", "a | b", "|a|", "a\nb"),
]


def command_line() -> TyperGroup:
    if not app.app.registered_commands:
        app._add_commands()
    found = typer.main.get_command(app.app)
    assert isinstance(found, TyperGroup)
    return found


class Reader(HTMLParser):
    """What a page links to, loads, and has as targets of links; its text, and that of its scripts."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.links: list[str] = []
        self.loads: list[str] = []
        self.targets: set[str] = set()
        self.in_script = False
        self.scripts = ""
        self.handlers: list[str] = []
        self.text = ""
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        found = dict(attributes)
        self.in_script = tag == "script"
        self.handlers += [name for name in found if name.startswith("on")]
        self.targets |= {str(found[name]) for name in ("id", "name") if found.get(name)}
        if tag == "a" and found.get("href"):
            self.links.append(str(found["href"]))
        elif tag in ("script", "img", "iframe", "source") and found.get("src"):
            self.loads.append(str(found["src"]))
        elif tag == "link" and found.get("rel") != "canonical" and found.get("href"):
            self.loads.append(str(found["href"]))

    def handle_endtag(self, tag: str) -> None:
        self.in_script = False

    def handle_data(self, data: str) -> None:
        if self.in_script:
            self.scripts += data
        else:
            self.text += data


def broken(folder: Path) -> list[str]:
    """What is wrong with a site, as sentences: links without a target, and files that are fetched from elsewhere."""
    pages = {path: Reader(path) for path in sorted(folder.rglob("*.html")) if path.name != "404.html"}
    wrong = []
    for path, page in pages.items():
        name = path.relative_to(folder)
        wrong += [f"{name} loads {one}" for one in page.loads if urlsplit(one).scheme not in ("", "data")]
        for link in dict.fromkeys([*page.links, *page.loads]):
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            if not target.is_file():
                wrong.append(f"{name}: no file {link}")
            elif parts.fragment and target in pages and unquote(parts.fragment) not in pages[target].targets:
                wrong.append(f"{name}: no place {link}")
    return wrong


@pytest.fixture(scope="module")
def composed() -> Site:
    return build.compose(command_line(), [golden_source()])


@pytest.fixture(scope="module")
def built(composed: Site, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site") / "html"
    build.build(composed, folder, "A footer.")
    return folder


# ---- what is on the pages


def test_everything_has_a_page(composed: Site) -> None:
    known = requirements.load()
    expected = [requirement_pages.page_of(name) for name in (*known, *known.documents)]
    expected += [implementation_pages.page_of(name) for name in implementations.names()]
    expected += [paper_pages.page_of(key) for key in paper.names()]
    expected += [suite_page(name) for name in selection.suite_names()]
    expected += [f"reference/{name}.md" for name in reference.titles()]
    expected += [abi.page_of(path.name) for path in abi.FOLDER.glob("*.h")]
    expected += [guides.page_of(path) for path in guides.files()]
    assert sorted(set(expected) - composed.pages.keys()) == []


def test_a_command_has_a_page_with_a_heading_for_each_option(composed: Site) -> None:
    def check(command: TyperGroup, words: tuple[str, ...]) -> int:
        text = composed.pages[command_pages.page_of(words)].text()
        options = [name for one in command.params for name in one.opts if name.startswith("--")]
        headings = unescape("\n".join(re.findall("^### (.*)", text, re.MULTILINE)))
        assert [name for name in options if name not in headings] == [], words
        inner = getattr(command, "commands", {})
        return len(options) + sum(check(one, (*words, name)) for name, one in inner.items())

    assert check(command_line(), ()) > 100
    run = composed.pages[command_pages.page_of(("run",))].text()
    assert md.escape("[default: reference]") in run, "what follows a help text is kept"


def test_a_requirement_says_who_passes_and_links_its_cases(composed: Site) -> None:
    suites = {case.id: case for case in selection.cases([ROOT / "suites" / "conformance"])}
    known = requirements.load()
    case = next(case for case in suites.values() if any(tag.startswith("req:") for tag in case.tags))
    name = next(tag.removeprefix("req:") for tag in case.tags if tag.startswith("req:"))
    text = composed.pages[requirement_pages.page_of(name)].text()
    assert f"[{md.escape(case.id)}](../{suite_page(case.suite)}#" in text
    assert md.escape(known[name].quote) in text
    assert f"{md.verdict('pass')} reference, golden outcomes" in text


def test_a_requirement_without_a_case_says_why(composed: Site) -> None:
    named = {tag.removeprefix("req:") for case in selection.cases([ROOT / "suites"]) for tag in case.tags}
    one = next(one for name, one in requirements.load().items() if name not in named and one.why_untested)
    assert md.prose(one.why_untested) in composed.pages[requirement_pages.page_of(one.id)].text()


def test_outcomes_of_a_run_are_shown(tmp_path: Path) -> None:
    records = sample.records()
    site = Site()
    implementation_pages.add(site, [run_source(tmp_path / "a-run", records)])
    text = site.pages[implementation_pages.page_of("reference")].text()
    mine = [one for one in records if "reference" in str(one["compressor"]) + str(one["decompressor"])]
    failed = next(one for one in mine if one["verdict"] == "fail")
    assert f"**{md.escape('Run a-run')}**" in text
    assert f"{md.verdict('fail')} {md.escape(failed['test']['id'])}: {md.escape(failed['reason'])}" in text


def test_an_implementation_may_have_the_name_of_a_page(tmp_path: Path) -> None:
    (tmp_path / "index").mkdir()
    (tmp_path / "index" / "implementation.yaml").write_text(
        "{name: index, vendor: V, licence: L, obtain: Ask., adapter: {library: x.so}, "
        "capabilities: [{scheme: copy, roles: [compressor], max_channels: 1}]}"
    )
    site = Site()
    assert len(implementation_pages.add(site, [], tmp_path)) == len(site.pages) == 2


def test_guides_lead_to_pages_and_to_files_of_the_project(composed: Site) -> None:
    text = composed.pages["guides/implementations.md"].text()
    assert "[`abi/headroom.h`](../abi/headroom.md)" in text
    site = Site()
    page = site.page("guides/a.md", "A")
    code = "    [x](README.md)\n\n```\n[y](README.md)\n```\n"
    assert guides.localized(site, page, Path(), f"{code}[z](README.md)", {"README.md": "b.md"}) == f"{code}[z](../b.md)"
    assert guides.localized(site, page, Path(), "[z](nowhere.md)", {}) == "z"
    file = guides.localized(site, page, Path("implementations"), "[z](null/null.cc)", {})
    assert file == "[z](../source/implementations/null/null.cc.md)"


# ---- Markdown


@needs_mkdocs
@pytest.mark.parametrize("text", MARKUP)
def test_escaped_text_is_shown_as_it_is(text: str) -> None:
    renderer = pytest.importorskip("markdown").Markdown

    extensions = [name for name in build.settings(Site(), "")["markdown_extensions"] if isinstance(name, str)]
    escaped = md.escape(text)
    for around in ("{}", "- {}", "### {}", "| a |\n| --- |\n| {} |", "**{}** a", "a\n{}", "> {}"):
        shown = renderer(extensions=extensions).convert(around.format(escaped))
        plain = renderer(extensions=extensions).convert(around.format("PLAIN"))
        assert unescape(shown) == unescape(plain.replace("PLAIN", escape(" ".join(text.split())))), around


def test_a_fence_is_longer_than_those_within() -> None:
    assert md.block("a\n````\nb", "sh") == "`````sh\na\n````\nb\n`````"


def test_only_addresses_of_the_web_are_links() -> None:
    assert "<a" not in md.external("javascript:alert(1)")
    assert md.external('https://a/"><b>') == ('<a href="https://a/%22%3E%3Cb%3E">https://a/"&#62;&#60;b&#62;</a>')


def test_headings_have_anchors_of_their_own() -> None:
    page = Page("a.md", "A")
    assert [page.heading(name) for name in ("A b", "a-B", "–")] == ["a-b", "a-b-2", "section"]


# ---- the site as built


def test_a_folder_of_others_is_not_replaced(tmp_path: Path) -> None:
    (tmp_path / "letter.txt").write_text("mine")
    with pytest.raises(UsageError, match="holds files that are not a site"):
        build.check_target(tmp_path)
    (tmp_path / build.MARK).write_text("{}")
    build.check_target(tmp_path)


def test_what_is_pinned_agrees_with_the_other_lock() -> None:
    pins = [
        dict(re.findall(r"^(\S+)==(\S+)", path.read_text(), re.MULTILINE))
        for path in (ROOT / "requirements.lock", build.LOCK)
    ]
    assert {name: (pins[0][name], pin) for name, pin in pins[1].items() if pins[0].get(name, pin) != pin} == {}
    assert "mkdocs-material" in pins[1]


@pytest.mark.long
@needs_mkdocs
def test_the_whole_site_is_sound(built: Path) -> None:
    assert broken(built) == []


@needs_mkdocs
def test_what_is_broken_is_found(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text('<a href="b.html">b</a><a href="#no">c</a><script src="https://x/y.js"></script>')
    assert broken(tmp_path) == [
        "a.html loads https://x/y.js",
        "a.html: no file b.html",
        "a.html: no place #no",
    ]


def hostile_implementation(root: Path) -> None:
    text = HOSTILE.replace('"', '\\"')
    (root / "hostile").mkdir(parents=True)
    (root / "hostile" / "implementation.yaml").write_text(
        f"""name: hostile
vendor: "{text}"
licence: "{text}"
homepage: "https://example.com/{text.replace(" ", "")}"
description: "{text}"
obtain: "{text}"
adapter: {{library: /nowhere.so}}
capabilities:
  - {{scheme: vj, roles: [compressor], max_slot_id: 15, slot_ids: [explicit], max_channels: 1, feedback: [],
      features: []}}
deviations:
  - {{case: "conformance/vj/compressor/Fragments", reason: "{text}"}}
"""
    )


@needs_mkdocs
def test_markup_in_data_is_shown_as_text(tmp_path: Path) -> None:
    hostile_implementation(tmp_path / "implementations")
    record = {**sample.records()[0], "verdict": "fail", "reason": HOSTILE, "compressor": {"name": "hostile"}}
    record["test"] = {**record["test"], "id": f"conformance/vj/compressor/{HOSTILE.replace('/', '')}"}
    source = run_source(tmp_path / HOSTILE.replace("/", ""), [record])
    site = Site()
    site.tabs["Start"] = implementation_pages.add(site, [source], tmp_path / "implementations")
    page = site.page("hostile.md", f"</title>{HOSTILE}")
    page.heading(HOSTILE)
    page.add(md.block(HOSTILE), md.table([md.escape(HOSTILE)], [[md.code(HOSTILE)]]))
    site.page("index.md", "Start")
    site.tabs["Start"] += [page.path, "index.md"]
    folder = tmp_path / "site"
    build.build(site, folder, "A footer.")
    for name in ("hostile.html", "implementations/hostile.html"):
        found = Reader(folder / name)
        assert "harm" not in found.scripts, name
        assert found.handlers == [], name
        assert [link for link in found.links if re.search(r"""["'<>` ]""", link)] == [], name
        assert "window.harm=1" in found.text
    text = Reader(folder / "implementations/hostile.html").text
    assert text.replace("`", "").count(HOSTILE.replace("`", "")) == 7, "vendor, licence, four sentences, a title"
    if browser.program():
        with browser.Browser() as chromium:
            for name in ("hostile.html", "implementations/hostile.html"):
                chromium.open(folder / name)
                assert chromium.evaluate(browser.DONE) == []
                assert chromium.complaints == []
            path = folder / "hostile.html"
            path.write_text(browser.with_markup(path.read_text(encoding="utf-8")), encoding="utf-8")
            chromium.open(path)
            chromium.evaluate("document.getElementById('trap').click()")
            assert chromium.evaluate("window.harm") is None, "the policy keeps markup from running"


# ---- in the browser

FIND = """
(async () => {
  const wait = (ms) => new Promise((done) => setTimeout(done, ms));
  const toggle = document.querySelector("#__search");
  if (!toggle.checked) toggle.click();
  const input = document.querySelector(".md-search__input");
  input.value = QUERY;
  input.dispatchEvent(new KeyboardEvent("keyup", { bubbles: true }));
  for (let tries = 0; tries < 400; ++tries) {
    const found = [...document.querySelectorAll(".md-search-result__link")].map((link) => link.getAttribute("href"));
    if (found.length) return found.map((href) => href.replace(/[?#].*/, "").replace(/.*\\/html\\//, ""));
    await wait(100);
  }
  return [];
})()
"""


@pytest.fixture(scope="module")
def chromium() -> Iterator[browser.Browser]:
    if browser.program() is None:
        pytest.skip("there is no Chromium")
    with browser.Browser() as opened:
        yield opened


@pytest.mark.long
@needs_mkdocs
@pytest.mark.parametrize(
    ("query", "page"),
    [
        ("RFC3095-5.7.1-2", "requirements/RFC3095-5.7.1-2.html"),
        ("--max-cid", "commands/decode.html"),
        ("--compressor", "commands/replay.html"),
        ("headroom_packet", "abi/headroom.html"),
    ],
)
def test_the_search_finds(built: Path, chromium: browser.Browser, query: str, page: str) -> None:
    chromium.open(built / "index.html")
    hits = chromium.evaluate(FIND.replace("QUERY", f'"{query}"'))
    assert page in hits[:3]


@pytest.mark.long
@needs_mkdocs
@pytest.mark.parametrize(("width", "mobile"), [(1280, False), (400, True)])
def test_pages_fit_and_can_be_read(built: Path, chromium: browser.Browser, width: int, mobile: bool) -> None:
    for name in ("index", "commands/run", "requirements/RFC3095-5.7.1-2", "suites/index", "implementations/reference"):
        for dark in (False, True):
            chromium.open(built / f"{name}.html", width=width, mobile=mobile, dark=dark)
            assert chromium.evaluate(
                "document.documentElement.scrollWidth <= document.documentElement.clientWidth + 1"
            ), name
    assert [one for one in chromium.requests if urlsplit(one).scheme not in ("file", "data", "about")] == []
    assert chromium.complaints == []
