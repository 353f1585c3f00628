# SPDX-License-Identifier: Apache-2.0
"""The TRex of this machine.

It is found at $TREX_ROOT, the folder of a release (or `scripts/` of a source tree that was built); nothing of it is
part of this repository.
"""

import os
import re
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from headroom.core.errors import EnvironmentLacks

KNOWN_TO_WORK = ("v3.08",)
CLIENT = Path("automation/trex_control_plane/interactive")


@dataclass(frozen=True)
class Installation:
    """A TRex that can be run: `folder` holds its programs, `version` is such as "v3.08"."""

    folder: Path
    version: str

    @property
    def program(self) -> Path:
        return self.folder / "_t-rex-64"

    @property
    def client(self) -> Path:
        return self.folder / CLIENT

    @property
    def notes(self) -> list[str]:
        if self.version in KNOWN_TO_WORK:
            return []
        return [f"TRex {self.version} has not been tried; known to work: {', '.join(KNOWN_TO_WORK)}."]

    @property
    def libraries(self) -> dict[str, str]:
        """Variables for the server and the client: TRex's own libraries."""
        libraries = f"{self.folder}:{self.folder / 'so' / os.uname().machine}"
        return {"LD_LIBRARY_PATH": libraries, "TREX_EXT_LIBS": str(self.folder / "external_libs")}

    def environment(self) -> dict[str, str]:
        """Our environment, with those variables."""
        return {**os.environ, **self.libraries}


def find(environment: Mapping[str, str] = os.environ) -> Installation:
    """The TRex at $TREX_ROOT. Raises EnvironmentLacks with the reason if there is none."""
    root = environment.get("TREX_ROOT")
    if not root:
        raise EnvironmentLacks(
            "TREX_ROOT is not set: it names the folder of a TRex release, the one that holds t-rex-64 "
            f"(known to work: {', '.join(KNOWN_TO_WORK)})."
        )
    folder = Path(root)
    for path in (Path("_t-rex-64"), CLIENT / "trex", Path("external_libs")):
        if not (folder / path).exists():
            raise EnvironmentLacks(f"TREX_ROOT is {root}, but there is no {path} in it: no TRex, or not built yet.")
    installation = Installation(folder.resolve(), "")
    version = _version(installation)
    if not version.startswith("v3."):
        raise EnvironmentLacks(
            f"The TRex at {root} is {version}; this works with version 3 (known to work: {', '.join(KNOWN_TO_WORK)})."
        )
    return Installation(installation.folder, version)


def _version(installation: Installation) -> str:
    try:
        process = subprocess.run(
            [installation.program, "--help"],
            cwd=installation.folder,
            env=installation.environment(),
            capture_output=True,
            text=True,
            errors="replace",
            timeout=20,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise EnvironmentLacks(f"The TRex server at {installation.program} does not run: {error}.") from error
    if match := re.search(r"^\s*Version\s*:\s*(\S+)", process.stdout, re.MULTILINE):
        return match[1]
    last_line = (process.stderr.strip() or process.stdout.strip() or "it prints nothing").splitlines()[-1]
    raise EnvironmentLacks(f"The TRex server at {installation.program} does not tell its version: {last_line}")
