# SPDX-License-Identifier: Apache-2.0
"""The requirements as data: valid, complete in their numbering, and selectable."""

from __future__ import annotations

import re

import pytest

from headroom.core import implementations, requirements
from headroom.core.errors import UsageError

HEAD = (
    "document: {key: RFC3095, name: RFC 3095, kind: RFC, title: T, url: https://rfc-editor.org/rfc/rfc3095}\n"
    "scope: S\nscheme: rohc\n\nrequirements:\n"
)
ENTRY = (
    '  - {{id: {id}, level: {level}, side: compressor, section: "5.7", text: A sentence of ours., '
    "quote: The words of the RFC, applies: all}}\n"
)


def write(folder, *entries: str) -> None:
    (folder / "rfc3095.yaml").write_text(HEAD + "".join(entries))


def test_the_files_are_valid() -> None:
    known = requirements.load()
    assert {"RFC1144", "RFC3095", "RFC3320", "RFC4326", "RFC5795"} <= set(known.documents)
    for one in known.values():
        assert one.id == f"{one.document.key}-{one.section}-{one.id.rpartition('-')[2]}"
        assert one.text.endswith(".") and not re.search(r"\s\s", one.text)
        assert one.source == f"{one.document.name}, {one.section}"


def test_every_level_and_side_is_used() -> None:
    known = requirements.load()
    assert {one.level for one in known.values()} == set(requirements.LEVELS)
    sides = {"compressor", "decompressor", "either", "channel", "application"}
    assert {one.side for one in known.values()} == sides


def test_selection() -> None:
    known = requirements.load()
    for one in known.select(level="must", side="compressor", profile="0x0001", mode="U"):
        assert one.level == "must" and one.side in ("compressor", "either") and one.feature is None
        assert one.profiles is None or "0x0001" in one.profiles
        assert one.modes is None or "U" in one.modes
    without = set(known.select(mode="R"))
    with_r = set(known.select(mode="R", features=frozenset({"r-mode"})))
    assert without < with_r and all(one.feature == "r-mode" for one in with_r - without)
    assert known["RFC3095-5.7.6.4-1"] in known.select(side="decompressor", profile="0x0002")
    assert known["RFC3095-5.7.6.7-1"] not in known.select(
        side="decompressor", profile="0x0002", features=frozenset({"timer-based"})
    )


def test_features_that_nobody_has() -> None:
    """Only they excuse a requirement from having a case; each is in use, and no implementation here declares it."""
    known = requirements.load().values()
    declared = {
        feature
        for name in implementations.names()
        for entry in implementations.find(name).capabilities
        for feature in entry.get("features", ())
    }
    assert not declared & set(requirements.NOT_YET)
    assert set(requirements.NOT_YET) == {one.feature for one in known if one.not_yet}
    excused = [one for one in known if one.not_yet and one.side not in requirements.SURROUNDINGS]
    assert all(one.why_untested.endswith("no case asks for it.") for one in excused)


def test_unknown_id() -> None:
    with pytest.raises(UsageError, match=r"case 7: RFC3095-5\.7\.1-99 is no requirement .* Is RFC3095-5\.7\.1"):
        requirements.load().get_known("RFC3095-5.7.1-99", "case 7")


def test_wrong_level(tmp_path) -> None:
    write(tmp_path, ENTRY.format(id="RFC3095-5.7-1", level="shall"))
    with pytest.raises(UsageError, match=r"rfc3095\.yaml:6: .*'shall'"):
        requirements.load(tmp_path)


def test_without_the_words_of_the_rfc(tmp_path) -> None:
    entry = ENTRY.format(id="RFC3095-5.7-1", level="must").replace("quote: The words of the RFC, ", "")
    write(tmp_path, entry)
    with pytest.raises(UsageError, match=r"rfc3095\.yaml:6: .*'quote' is a required property"):
        requirements.load(tmp_path)


def test_gap_in_the_numbers(tmp_path) -> None:
    write(tmp_path, ENTRY.format(id="RFC3095-5.7-1", level="must"), ENTRY.format(id="RFC3095-5.7-3", level="must"))
    with pytest.raises(UsageError, match=r"rfc3095\.yaml:7: .*it is RFC3095-5\.7-2"):
        requirements.load(tmp_path)


def test_withdrawn_ids_are_not_given_again(tmp_path) -> None:
    ids = ("RFC3095-5.7-1", "RFC3095-5.7-4")
    head = HEAD.replace("requirements:", "withdrawn: [RFC3095-5.7-2, RFC3095-5.7-3]\nrequirements:")
    (tmp_path / "rfc3095.yaml").write_text(head + "".join(ENTRY.format(id=one, level="must") for one in ids))
    assert list(requirements.load(tmp_path)) == list(ids)
    other = tmp_path / "other"
    other.mkdir()
    again = (ids[0], "RFC3095-5.7-2")
    (other / "rfc3095.yaml").write_text(head + "".join(ENTRY.format(id=one, level="must") for one in again))
    with pytest.raises(UsageError, match=r"rfc3095\.yaml:8: .*it is RFC3095-5\.7-4"):
        requirements.load(other)


def test_same_id_twice(tmp_path) -> None:
    write(tmp_path, ENTRY.format(id="RFC3095-5.7-1", level="must") * 2)
    with pytest.raises(UsageError, match=r"stands in .* already"):
        requirements.load(tmp_path)


def test_empty_folder(tmp_path) -> None:
    with pytest.raises(UsageError, match="holds no requirements"):
        requirements.load(tmp_path)
