# SPDX-License-Identifier: Apache-2.0
"""The requirements as data: valid, complete in their numbering, and selectable."""

from __future__ import annotations

import re

import pytest

from headroom.core import implementations, requirements
from headroom.core.contract import RequirementWords, Scheme
from headroom.core.errors import UsageError
from headroom.core.scheme_registry import all_schemes

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
    sides = {"compressor", "decompressor", "either", "user-plane", "channel", "application"}
    assert {one.side for one in known.values()} == sides


def test_selection() -> None:
    known = requirements.load()
    for one in known.select(level="must", side="compressor", use={"profiles": "0x0001", "modes": "U"}):
        assert one.level == "must" and one.side in ("compressor", "either") and one.feature is None
        assert "0x0001" in one.applies.get("profiles", {"0x0001"})
        assert "U" in one.applies.get("modes", {"U"})
    without = set(known.select(use={"modes": "R"}))
    with_r = set(known.select(use={"modes": "R"}, features={"r-mode"}))
    assert without < with_r and all(one.feature == "r-mode" for one in with_r - without)
    udp = {"profiles": "0x0002"}
    assert known["RFC3095-5.7.6.4-1"] in known.select(side="decompressor", use=udp)
    assert known["RFC3095-5.7.6.7-1"] not in known.select(side="decompressor", use=udp, features={"timer-based"})


def test_features_that_nobody_has() -> None:
    """Only they excuse a requirement from having a case; each is in use, and no implementation here declares it."""
    known = requirements.load().values()
    declared = {
        (entry["scheme"], feature)
        for name in implementations.names()
        for entry in implementations.find(name).capabilities
        for feature in entry.get("features", ())
    }
    not_yet = {(name, one) for name, scheme in all_schemes().items() for one in scheme.requirement_words.not_yet}
    assert not_yet and not declared & not_yet
    assert not_yet == {(one.scheme, one.feature) for one in known if one.not_yet}
    excused = [one for one in known if one.not_yet and one.side not in requirements.SURROUNDINGS]
    assert all(one.why_untested.endswith("no case tests it.") for one in excused)


def test_unknown_id() -> None:
    with pytest.raises(UsageError, match=r"case 7: RFC3095-5\.7\.1-99 is no requirement .* Is RFC3095-5\.7\.1"):
        requirements.load().get_known("RFC3095-5.7.1-99", "case 7")


def test_wrong_level(tmp_path) -> None:
    write(tmp_path, ENTRY.format(id="RFC3095-5.7-1", level="shall"))
    with pytest.raises(UsageError, match=r"rfc3095\.yaml:6: .*'shall'"):
        requirements.load(tmp_path)


def test_the_words_of_a_scheme_are_used() -> None:
    """A feature that no requirement names would be a slip of the pen in one of the two."""
    known = requirements.load().values()
    for name, scheme in all_schemes().items():
        words = scheme.requirement_words
        assert {*words.features, *words.not_yet} == {one.feature for one in known if one.scheme == name} - {None}
        assert {*words.applies} <= {word for one in known if one.scheme == name for word in one.applies}
        assert not {*words.applies} & {axis.option for axis in scheme.axes} and not {*words.features} & {*words.not_yet}


@pytest.mark.parametrize(
    ("applies", "sentence"),
    [
        ("{profiles: [RTP]}", "applies/profiles/0: 'RTP' is none of the profiles of ROHC. Known: 0x0000, 0x0001, "),
        ("{modes: [U, B]}", "applies/modes/1: 'B' is none of the modes of ROHC. Known: U, O, R."),
        (
            "{sessions: [new]}",
            "applies/sessions: 'sessions' is none of the words that requirements of ROHC apply to. "
            "Known: profiles, modes, cids.",
        ),
        ("all, feature: nack", "feature: 'nack' is none of the features of ROHC. Known: r-mode, list-compression, "),
        ("{profiles: []}", "applies/profiles: "),
    ],
)
def test_words_that_the_scheme_does_not_have(tmp_path, applies: str, sentence: str) -> None:
    entry = ENTRY.format(id="RFC3095-5.7-1", level="must").replace("applies: all", f"applies: {applies}")
    write(tmp_path, entry)
    with pytest.raises(UsageError, match=re.escape(f"rfc3095.yaml:6: /requirements/0/{sentence}")):
        requirements.load(tmp_path)


def test_a_scheme_that_there_is_not(tmp_path) -> None:
    (tmp_path / "rfc3095.yaml").write_text(
        HEAD.replace("rohc", "morse") + ENTRY.format(id="RFC3095-5.7-1", level="may")
    )
    with pytest.raises(UsageError, match=r"rfc3095\.yaml:3: /scheme: There is no scheme 'morse'\. Known: .*rohc"):
        requirements.load(tmp_path)


def test_words_of_another_scheme(tmp_path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Words besides axes, and features, are data of the scheme alone."""
    words = RequirementWords({"types": ("OPEN", "MORE")}, not_yet={"farewell": "how a session is closed"})
    monkeypatch.setattr(
        requirements, "find", lambda name: Scheme(name, "Toy", roles=("endpoint",), requirement_words=words)
    )
    entry = ENTRY.format(id="RFC3095-5.7-1", level="must")
    write(
        tmp_path,
        entry.replace("applies: all", "applies: {types: [MORE]}"),
        entry.replace("5.7-1", "5.7-2").replace("applies: all", "applies: all, feature: farewell"),
    )
    known = requirements.load(tmp_path)
    more, farewell = known.values()
    assert more.is_binding({"types": "MORE"}) and not more.is_binding({"types": "OPEN"}) and not more.why_untested
    assert farewell.why_untested == "It is about how a session is closed; no case tests it."
    assert not farewell.is_binding({}) and farewell.is_binding({}, {"farewell"})


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
