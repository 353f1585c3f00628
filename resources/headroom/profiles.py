# SPDX-License-Identifier: Apache-2.0
"""Traffic profiles: which packets are sent, when, and how their fields move.

One YAML file each under traffic-profiles/.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from headroom.errors import UsageError
from headroom.paths import PROFILES, shown
from headroom.yamlfile import check, read


def names(folder: Path = PROFILES) -> list[str]:
    """Names of all profiles, sorted. A profile's name is its path below the folder without `.yaml`."""
    return sorted(str(path.relative_to(folder).with_suffix("")) for path in folder.rglob("*.yaml"))


def path_of(name: str, folder: Path = PROFILES) -> Path:
    """File of a profile: a name of `names()`, or the path of a file of one's own (ending in .yaml)."""
    if name.endswith((".yaml", ".yml")):
        path = Path(name)
        if not path.is_file():
            raise UsageError(f"There is no traffic profile at {name}.")
        return path
    path = folder / f"{name}.yaml"
    if path.is_file():
        return path
    if Path(name).exists():
        raise UsageError(
            f"{name} is neither a capture file (its name would end in .pcap, .pcapng or .cap) nor a traffic profile "
            f"(.yaml). A capture under another name can be linked: ln -s {name} call.pcap"
        )
    import difflib

    close = difflib.get_close_matches(name, names(folder), 3)
    hint = f" Close to it: {', '.join(close)}." if close else ""
    raise UsageError(
        f"There is no traffic profile '{name}' in {shown(folder)}.{hint} `./headroom list profiles` names them all."
    )


def load(name: str, folder: Path = PROFILES) -> dict[str, Any]:
    """A profile as the JSON object that engine jobs carry.

    Raises UsageError with file and line when it is not valid.
    """
    return check(read(path_of(name, folder)), "traffic-profile").data
