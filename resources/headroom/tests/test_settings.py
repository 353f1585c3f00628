# SPDX-License-Identifier: Apache-2.0
"""What a run is about: settings, and the options that say the same again."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from headroom.cli.run import plan_of
from headroom.cli.run_options import RunOptions
from headroom.core.errors import EnvironmentLacks, UsageError
from headroom.core.settings import Settings, options, scheme_options


@pytest.mark.parametrize(
    ("compressor", "decompressor", "subject", "words"),
    [
        ("", "", "", []),
        ("null", "", "compressor", ["--compressor", "null"]),
        ("reference", "", "compressor", ["--compressor", "reference"]),
        ("", "null", "decompressor", ["--decompressor", "null"]),
        ("null", "reference", "", ["--compressor", "null", "--decompressor", "reference"]),
    ],
)
def test_a_side_that_is_named_alone_is_what_the_run_is_about(
    compressor: str, decompressor: str, subject: str, words: list[str]
) -> None:
    settings = plan_of(RunOptions(["conformance"], compressor=compressor, decompressor=decompressor)).settings
    assert settings.subject == subject
    assert settings.words() == [*words, "--seed", "1"], "they say the same again"
    assert Settings.from_json(settings.as_json(), Path()) == replace(settings, folder=Path())


def test_calls_are_asked_for() -> None:
    asked = RunOptions(["performance/sip_calls"], calls=500, holding=60.0, answer=2.5)
    settings = plan_of(asked).settings
    assert settings.of_schemes == {"calls": 500, "holding": 60.0, "answer": 2.5}
    assert settings.words() == ["--seed", "1", *("--calls", "500", "--holding", "60.0", "--answer", "2.5")]
    assert Settings.from_json(settings.as_json(), Path()) == replace(settings, folder=Path())
    variables = dict(one.split(":", 1) for one in settings.robot_variables())
    assert (variables["CALLS"], variables["ANSWER"]) == ("500", "2.5")
    said = dict(one.split(":", 1) for one in Settings().robot_variables())
    assert [options()[name].value(said[name.upper()]) for name in scheme_options()] == [None] * 3, "nothing was said"
    assert settings.words(lambda one: False) == ["--seed", "1"], "for rows that refuse them"
    older = {name: value for name, value in Settings().as_json().items() if name not in scheme_options()}
    assert Settings.from_json(older, Path()) == replace(Settings(), folder=Path())


@pytest.mark.parametrize(
    ("asked", "sentence"),
    [
        (RunOptions(["performance"], calls=0), "--calls must be a number of calls from 1 to 4,000,000, not 0"),
        (RunOptions(["performance"], calls=5_000_000), "from 1 to 4,000,000, not 5,000,000"),
        (
            RunOptions(["performance"], holding=0),
            r"--holding must be a number of seconds from 0\.1 to 1,000,000, not 0",
        ),
        (
            RunOptions(["performance"], answer=float("nan")),
            "--answer must be a number of seconds from 0 to 1,000,000, not nan",
        ),
        (RunOptions(["performance"], holding="long"), "--holding must be a number of seconds, not 'long'"),
        (
            RunOptions(["conformance"], calls=5),
            "No case of conformance has calls through a P-CSCF .* so --calls would",
        ),
        (
            RunOptions(["performance/sip_calls"], case=["Pool*"], holding=5),
            "No case of 'Pool Or Pinned, Two Workers', 'Pool Or Pinned, Four Workers' has calls .* so --holding would",
        ),
    ],
)
def test_calls_that_cannot_be(asked: RunOptions, sentence: str) -> None:
    with pytest.raises(UsageError, match=sentence):
        plan_of(asked)


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
        plan_of(RunOptions(["conformance"], compressor=str(folder)))
