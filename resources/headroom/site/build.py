# SPDX-License-Identifier: Apache-2.0
"""The whole site: all pages, and the HTML that MkDocs makes of them, which needs no server and no network."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from headroom import __version__
from headroom.core.errors import EnvironmentLacks, HeadroomError, UsageError
from headroom.core.paths import shown
from headroom.site import (
    abi,
    command_pages,
    guides,
    implementation_pages,
    landing,
    paper_pages,
    policy,
    requirement_pages,
    schema_pages,
    suites,
)
from headroom.site.pages import Site
from headroom.site.results import Source

if TYPE_CHECKING:
    from typer.core import TyperGroup

ASSETS = Path(__file__).parent / "assets"
LOCK = Path(__file__).parent / "requirements.lock"
MARK = "headroom-site.json"  # a folder with this file is a site and may be replaced
SEPARATOR = r"[\s\-,:;!=\[\]()\"`/]+|\.(?!\d)|&[lg]t;"  # separators of words in a search; 5.7.1 is one word


class SiteFailure(HeadroomError):
    """MkDocs could not make the site."""


def compose(command: TyperGroup, sources: Sequence[Source]) -> Site:
    """All pages of the site. `command` is the command line; `sources` are the outcomes that pages show."""
    site = Site()
    all_suites = suites.read()
    parts = {"All suites": suites.add(site, all_suites, sources)}
    parts["Requirements"] = requirement_pages.add(site, all_suites, sources)
    for source in sources:
        if source.run and (report := source.run / "report.html").is_file() and not report.is_symlink():
            site.files[f"runs/{source.run.name}/report.html"] = report
    parts["Known implementations"] = implementation_pages.add(site, sources)
    parts["Papers"] = paper_pages.add(site, sources)
    parts["Commands"] = command_pages.add(site, command)
    parts["Headers"] = abi.add(site)
    parts["Keys"] = schema_pages.add(site)
    landing.add(site, all_suites)
    landing.arrange(site, guides.add(site), parts)
    landing.add_cards(site)
    return site


def check_target(folder: Path) -> None:
    """Raises UsageError if a folder holds anything but a site, because the new site replaces its content."""
    if folder.is_dir() and any(folder.iterdir()) and not (folder / MARK).is_file():
        raise UsageError(f"{shown(folder)} holds files that are not a site of ours; name an empty or a new folder.")
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"{shown(folder)} is not a folder; name an empty or a new one.")


def build(site: Site, folder: Path, footer: str) -> None:
    """Makes the site in a folder, whole or not at all. Raises EnvironmentLacks without MkDocs, SiteFailure if MkDocs
    complains, of a broken link, for instance.
    """
    if find_spec("mkdocs") is None or find_spec("material") is None:
        raise EnvironmentLacks(f"MkDocs is not installed: ./headroom site installs it, from {shown(LOCK)}.")
    check_target(folder)
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".site-", dir=folder.parent) as name:
        work = Path(name)
        site.write(work / "docs")
        shutil.copytree(ASSETS, work / "docs" / "assets", dirs_exist_ok=True)
        (work / "mkdocs.yml").write_text(json.dumps(settings(site, footer), indent=1), encoding="utf-8")
        _run_mkdocs(work)
        policy.protect(work / "html", [str(Path(path).with_suffix(".html")) for path in site.pages])
        (work / "html" / MARK).write_text(json.dumps({"version": __version__}) + "\n", encoding="utf-8")
        if folder.is_dir():
            shutil.rmtree(folder)
        (work / "html").rename(folder)


def _run_mkdocs(work: Path) -> None:
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", "html"]
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1", "NO_COLOR": "1"}
    done = subprocess.run(command, cwd=work, env=environment, capture_output=True, encoding="utf-8", errors="replace")
    if done.returncode:
        raise SiteFailure(f"MkDocs could not make the site: {(done.stderr or done.stdout).strip()[-2000:]}")


def settings(site: Site, footer: str) -> dict[str, Any]:
    """The settings of MkDocs. `footer` is HTML."""
    return {
        "site_name": "Headroom",
        "copyright": footer,
        "use_directory_urls": False,
        "nav": site.navigation(),
        "theme": {
            "name": "material",
            "font": False,  # the system's font, so that none is fetched
            "palette": [
                {
                    "media": f"(prefers-color-scheme: {scheme})",
                    "scheme": name,
                    "primary": "indigo",
                    "accent": "indigo",
                    "toggle": {"icon": f"material/weather-{icon}", "name": f"Switch to {other}"},
                }
                for scheme, name, icon, other in (
                    ("light", "default", "sunny", "dark"),
                    ("dark", "slate", "night", "light"),
                )
            ],
            "features": [
                "navigation.tabs",
                "navigation.tabs.sticky",
                "navigation.indexes",
                "navigation.prune",
                "navigation.top",
                "toc.follow",
                "search.highlight",
                "content.code.copy",
            ],
        },
        "plugins": [{"search": {"lang": "en", "separator": SEPARATOR}}, "offline"],
        "extra": {"homepage": "index.html", "polyfills": ["assets/search-in-iframe-worker.js"]},
        "extra_css": ["assets/site.css"],
        "markdown_extensions": [
            "tables",
            "attr_list",
            "md_in_html",
            "sane_lists",
            "pymdownx.highlight",
            "pymdownx.superfences",
            {"toc": {"permalink": True, "toc_depth": 3}},
        ],
        "validation": {
            "nav": {"omitted_files": "ignore"},
            "links": {"not_found": "warn", "anchors": "warn", "absolute_links": "warn", "unrecognized_links": "warn"},
        },
    }
