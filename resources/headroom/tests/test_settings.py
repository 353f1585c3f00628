# SPDX-License-Identifier: Apache-2.0
"""What a run is about: settings, and the options that say the same again."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from headroom.cli.run import Asked, plan_of
from headroom.errors import EnvironmentLacks, UsageError
from headroom.settings import Settings


@pytest.mark.parametrize(
    ("compressor", "decompressor", "subject", "options"),
    [
        ("", "", "", []),
        ("null", "", "compressor", ["--compressor", "null"]),
        ("reference", "", "compressor", ["--compressor", "reference"]),
        ("", "null", "decompressor", ["--decompressor", "null"]),
        ("null", "reference", "", ["--compressor", "null", "--decompressor", "reference"]),
    ],
)
def test_a_side_that_is_named_alone_is_what_the_run_is_about(
    compressor: str, decompressor: str, subject: str, options: list[str]
) -> None:
    settings = plan_of(Asked(["conformance"], compressor, decompressor)).settings
    assert settings.subject == subject
    assert settings.options() == [*options, "--seed", "1"], "they say the same again"
    assert Settings.from_json(settings.as_json(), Path()) == replace(settings, folder=Path())


YAML = (
    "{{name: theirs, vendor: V, licence: L, obtain: Ask them., {how}, "
    "capabilities: [{{scheme: rohc, roles: [compressor], profiles: ['0x0001'], modes: [U], cids: [small]}}]}}"
)


@pytest.mark.parametrize(
    ("how", "error", "sentence"),
    [
        ("adapter: {library: /nonexistent/x.so}", EnvironmentLacks, r"/nonexistent/x\.so is not there.*Ask them"),
        ('captures: [{folder: f, profile: "0x0001", mode: U, cids: small}]', UsageError, "has no adapter.*interop"),
    ],
)
def test_nothing_is_asked_of_what_is_not_there(tmp_path: Path, how: str, error: type[Exception], sentence: str) -> None:
    folder = tmp_path / "theirs"
    folder.mkdir()
    (folder / "implementation.yaml").write_text(YAML.format(how=how))
    with pytest.raises(error, match=sentence):
        plan_of(Asked(["conformance"], str(folder)))
