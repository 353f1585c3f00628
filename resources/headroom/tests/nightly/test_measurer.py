# SPDX-License-Identifier: Apache-2.0
"""What the engine's measurer says of the product: the version of the adapter that a night measures."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from headroom.core import implementations
from headroom.core.errors import EnvironmentLacks
from headroom.core.paths import build_folder
from headroom.core.sandbox import MOST_LIBRARY
from headroom.nightly.measurer import default_measurer


def test_the_version_is_that_of_the_adapter_unless_its_folder_tells_one(tmp_path: Path, real_build: str) -> None:
    library = build_folder(real_build) / "lib" / "null.so"
    own = implementations.describe(implementations.null(), real_build)["version"]
    assert own and default_measurer(tmp_path, "null", real_build).version(library) == own
    assert default_measurer(tmp_path, "null", real_build).version(tmp_path / "gone.so") == ""
    folder = tmp_path / "codec"
    folder.mkdir()
    shutil.copy(library, folder / "codec.so")
    (folder / "implementation.yaml").write_text(
        "{name: codec, vendor: V, version: '2.1', licence: L, obtain: Ask., adapter: {library: codec.so}, "
        "capabilities: [{scheme: copy, roles: [compressor, decompressor], max_channels: 1}]}"
    )
    assert default_measurer(tmp_path, str(folder), real_build).version(library) == "2.1"


def test_an_adapter_too_large_to_be_read_is_not_measured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("headroom.core.machine.build.ensure", lambda *words, **more: None)
    (tmp_path / "codec.so").write_bytes(b"\x7fELF")
    os.truncate(tmp_path / "codec.so", MOST_LIBRARY + 1)
    (tmp_path / "implementation.yaml").write_text(
        "{name: codec, vendor: V, licence: L, obtain: Ask., adapter: {library: codec.so}, "
        "capabilities: [{scheme: copy, roles: [compressor], max_channels: 1}]}"
    )
    with pytest.raises(EnvironmentLacks, match="is too large, not a shared library"):
        default_measurer(tmp_path, str(tmp_path), "gcc-O2").source()
