# SPDX-License-Identifier: Apache-2.0
"""The content security policy of the site's pages: its own files, and the scripts that the theme's pages contain."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from importlib.util import find_spec
from pathlib import Path

from headroom.report import template

CHARSET = '<meta charset="utf-8">'
MISSING = "404.html"


def protect(folder: Path, pages: Iterable[str]) -> None:
    """Writes the policy into pages of a site, named by their paths below its folder."""
    scripts = _of_the_theme()
    for name in (*pages, MISSING):
        page = folder / name
        # A server sends this page for any path, so its links begin at the root.
        base = "/" if name == MISSING else os.path.relpath(folder, page.parent)
        policy = template.policy([re.sub(r"{{.*?}}", base, script) for script in scripts], "'self'")
        text = page.read_text(encoding="utf-8")
        meta = f'{CHARSET}<meta http-equiv="Content-Security-Policy" content="{policy}">'
        page.write_text(text.replace(CHARSET, meta, 1), encoding="utf-8")


def _of_the_theme() -> list[str]:
    """The scripts of the theme's templates, in which `{{ … }}` stands for the path to the site's root."""
    theme = find_spec("material")
    assert theme and theme.origin
    folder = Path(theme.origin).parent / "templates" / "partials" / "javascripts"
    texts = [path.read_text(encoding="utf-8") for path in sorted(folder.glob("*.html"))]
    return [script for text in texts for script in re.findall(r"<script>(.*?)</script>", text, re.DOTALL)]
