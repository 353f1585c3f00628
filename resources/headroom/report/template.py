# SPDX-License-Identifier: Apache-2.0
"""Fills in the templates of pages. Texts of others stay text, and a browser runs no script but the page's own."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any
from urllib.parse import quote

from headroom.core.paths import TEMPLATES
from headroom.core.text import in_template

NOWHERE = "#"  # the address of a file that no page of ours links to
NOTHING = "'none'"


def render(
    name: str,
    css: Sequence[str],
    js: str = "",
    own_filters: Mapping[str, Callable[..., Any]] | None = None,
    **values: Any,
) -> str:
    """A page as HTML text: the template `name` with its style sheets and its script, all by their files' names, and
    `values`, which go through its filters."""
    import jinja2

    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(TEMPLATES),
        finalize=in_template,
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"address": address, "anchor": anchor, **(own_filters or {})}
    script = _read(js) if js else ""
    return environment.get_template(name).render(
        css="\n".join(map(_read, css)), js=script, policy=policy([script] if script else []), **values
    )


def policy(scripts: Sequence[str], files: str = "") -> str:
    """The content security policy of a page: no other scripts within it than some, and no network. `files` is where its
    files come from, such as 'self'; nowhere when left out. Source: Content Security Policy Level 3, 2.3.1."""
    digests = (base64.b64encode(hashlib.sha256(one.encode()).digest()).decode() for one in scripts)
    allowed = " ".join(filter(None, (files, *(f"'sha256-{digest}'" for digest in digests))))
    return (
        f"default-src {files or NOTHING}; script-src {allowed or NOTHING}; style-src {files} 'unsafe-inline'; "
        f"img-src {files} data:; base-uri 'none'; form-action 'none'"
    )


def address(path: str) -> str:
    """The address of a file below the page's folder, `NOWHERE` of any other."""
    return NOWHERE if path.startswith("/") or ".." in path.split("/") else anchor(path)


def anchor(text: str) -> str:
    """A text as a part of an address."""
    return quote(text, errors="replace")


def _read(name: str) -> str:
    return (TEMPLATES / name).read_text(encoding="utf-8")
