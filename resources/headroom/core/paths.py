# SPDX-License-Identifier: Apache-2.0
"""Where things are in the repository."""

import os
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
SUITES = ROOT / "suites"
SCHEMAS = ROOT / "resources" / "schemas"
IMPLEMENTATIONS = ROOT / "implementations"
PROFILES = ROOT / "traffic-profiles"
PAPERS = ROOT / "reports" / "papers"
TEMPLATES = ROOT / "reports" / "templates"
VECTORS = ROOT / "resources" / "vectors"

DEFAULT_BUILD = "gcc-O2"


def build_folder(build: str) -> Path:
    """Folder of a build. `build` names a CMake preset; a path is taken as it is, for builds made elsewhere."""
    return Path(build).resolve() if "/" in build else ROOT / "build" / build


def out_folder() -> Path:
    """Where runs are kept: `out/`, or $HEADROOM_OUT."""
    return Path(os.environ.get("HEADROOM_OUT") or ROOT / "out")


def shown(path: Path) -> str:
    """A path as messages show it: relative to the repository when it lies inside."""
    try:
        return str(path.resolve().relative_to(ROOT))
    except ValueError:
        return str(path)
