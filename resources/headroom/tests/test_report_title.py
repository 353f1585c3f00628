# SPDX-License-Identifier: Apache-2.0
"""The title of a report: whom it judges, and by what."""

from __future__ import annotations

from pathlib import Path

import pytest

from headroom.report import render
from headroom.tests import sample


@pytest.mark.parametrize(
    ("tags", "title"),
    [
        (["scheme:rohc", ""], "reference: header compression"),
        (["scheme:sigcomp"], "reference: signalling compression"),
        (["scheme:sigcomp", "scheme:rohc"], "reference: header compression and signalling compression"),
        (["scheme:gtpu"], "reference: user plane"),
        (
            ["scheme:sigcomp", "scheme:rohc", "scheme:gtpu"],
            "reference: user plane, header compression and signalling compression",
        ),
        (["scheme:vj", "scheme:rohc"], "reference: header compression"),
    ],
)
def test_the_title_says_what_was_asked(tags: list[str], title: str) -> None:
    made = [sample.record("smoke/One", tags=[tag] if tag else []).as_json() for tag in tags]
    assert render.page(made, Path("out")).title == title


def test_the_title_names_the_reference_only_where_it_is_judged() -> None:
    theirs = {"compressor": {**sample.SIDE, "name": "theirs"}}
    made = sample.record("smoke/One", tags=["scheme:rohc"]).as_json()
    assert render.page([made | theirs], Path("out")).title == "theirs: header compression"
    assert render.page([made | theirs, made], Path("out")).title == "reference, theirs: header compression"


def test_the_title_names_nobody_whom_only_smoke_looks_at() -> None:
    example = sample.record("smoke/adapters/Example").as_json() | {
        side: {**sample.SIDE, "name": "example"} for side in ("compressor", "decompressor")
    }
    assert render.page([example], Path("out")).title.startswith("example: ")
    judged = sample.record("conformance/rohc/crc/CRC-3", tags=["scheme:rohc"]).as_json()
    assert render.page([example, judged], Path("out")).title == "reference: header compression"


def test_the_title_names_who_was_judged_alone() -> None:
    alone = sample.record("smoke/One", tags=["scheme:sigcomp"]).as_json() | {"compressor": None}
    assert render.page([alone], Path("out")).title == "reference: signalling compression"
