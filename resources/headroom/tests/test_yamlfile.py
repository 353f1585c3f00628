# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from pathlib import Path

import pytest

from headroom.core import yamlfile
from headroom.core.errors import UsageError


def write(tmp_path: Path, text: str | bytes) -> Path:
    path = tmp_path / "file.yaml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def test_every_value_knows_its_line(tmp_path: Path) -> None:
    document = yamlfile.read(write(tmp_path, "a: 1\nb:\n  c: [1,\n    2]\n  d: text\n"))
    assert document.data == {"a": 1, "b": {"c": [1, 2], "d": "text"}}
    assert document.line(("a",)) == 1
    assert document.line(("b", "c", 1)) == 4
    assert document.line(("b", "missing", "deeper")) == 2


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("a: [1,\n  2\nb: 3\n", r"file\.yaml:3: not YAML"),
        ("a: 1\na: 2\n", r"file\.yaml:2: the key 'a' stands twice"),
        ("1: x\n", r"file\.yaml:1: the key 1 is not text"),
        ("a: &x [1]\nb: *x\n", r"aliases \(\*name\) are not allowed"),
        ("a: !!python/object:os.system x\n", r"file\.yaml:1: could not determine a constructor"),
        ("a: 0x\n? [1, 2]\n: 3\n", r"file\.yaml:2: a key must be a plain word"),
        (b"a: \xff\n", r"is not UTF-8 text"),
        ("[" * 100_000, r"file\.yaml nests lists or mappings far more than 50 levels deep"),
        ("a:\n  " + "[" * 60 + "]" * 60, r"file\.yaml:2: more than 50 levels of nesting"),
        ("a: 1\nb: .nan\n", r"file\.yaml:2: \.nan is no number that can be used"),
        ("a: [1,\n -.inf]\n", r"file\.yaml:2: -\.inf is no number"),
    ],
)
def test_what_is_not_plain_data_is_refused(tmp_path: Path, text: str | bytes, complaint: str) -> None:
    with pytest.raises(UsageError, match=complaint):
        yamlfile.read(write(tmp_path, text))


def test_dates_stay_text(tmp_path: Path) -> None:
    assert yamlfile.read(write(tmp_path, "when: 2007-02-01\n")).data == {"when": "2007-02-01"}


def test_huge_file(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="is surely not meant"):
        yamlfile.read(write(tmp_path, b" " * (yamlfile.MAX_OCTETS + 1)))


def test_missing_file(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be read: No such file"):
        yamlfile.read(tmp_path / "none.yaml")


GOOD = """
name: mine
vendor: Me
licence: MIT
obtain: Ask me.
adapter: {library: mine.so}
capabilities:
  - scheme: rohc
    roles: [compressor]
"""


def test_valid_document(tmp_path: Path) -> None:
    assert yamlfile.check(yamlfile.read(write(tmp_path, GOOD)), "implementation").data["name"] == "mine"


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        (("vendor: Me", "vendro: Me"), r"'vendro' is not known here; 'vendor' is meant\?"),
        (("[compressor]", "[compresor]"), r"file\.yaml:9: /capabilities/0/roles/0: 'compresor' is not one of"),
        (("{library: mine.so}", "{library: 5}"), r"file\.yaml:6: /adapter/library: this is read as the number 5, and"),
        (
            ("adapter: {library: mine.so}", "description: x"),
            r"one of these is needed: adapter or captures or container",
        ),
    ],
)
def test_complaints_name_the_line(tmp_path: Path, change: tuple[str, str], complaint: str) -> None:
    with pytest.raises(UsageError, match=complaint):
        yamlfile.check(yamlfile.read(write(tmp_path, GOOD.replace(*change))), "implementation")


def test_empty_file_is_complained_about(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"file\.yaml:1: nothing stands here; a mapping, such as `name: value`"):
        yamlfile.check(yamlfile.read(write(tmp_path, "# nothing\n")), "implementation")
