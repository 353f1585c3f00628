# SPDX-License-Identifier: Apache-2.0
"""Renders the templates of pages. Texts from outside stay text, and a browser runs only the page's own script."""

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
    """A page as HTML text: the template `name` with its style sheets and its script, each given by its file's name.
    The template
    writes `values`, and may use `own_filters`.
    """
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
    """The content security policy of a page: it allows only the given scripts, and no network. `files` is the source of
    its files, such as 'self'; none when left out. Source: Content Security Policy Level 3, 2.3.1.
    """
    digests = (base64.b64encode(hashlib.sha256(script.encode()).digest()).decode() for script in scripts)
    allowed = " ".join(filter(None, (files, *(f"'sha256-{digest}'" for digest in digests))))
    return (
        f"default-src {files or NOTHING}; script-src {allowed or NOTHING}; style-src {files} 'unsafe-inline'; "
        f"img-src {files} data:; base-uri 'none'; form-action 'none'"
    )


def address(path: str) -> str:
    """The address of a file below the page's folder; `NOWHERE` for any other file."""
    return NOWHERE if path.startswith("/") or ".." in path.split("/") else anchor(path)


def anchor(text: str) -> str:
    """A text as a part of an address."""
    return quote(text, errors="replace")


def _read(name: str) -> str:
    return (TEMPLATES / name).read_text(encoding="utf-8")
