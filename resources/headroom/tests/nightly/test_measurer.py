# SPDX-License-Identifier: Apache-2.0
"""What the engine's measurer says of the product: the version of the adapter that a night measures."""

from __future__ import annotations

import shutil
from pathlib import Path

from headroom.core import implementations
from headroom.core.paths import build_folder
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
