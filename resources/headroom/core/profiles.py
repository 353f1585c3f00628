# SPDX-License-Identifier: Apache-2.0
"""Traffic profiles: which packets are sent, when, and how their fields move.

One YAML file each under traffic-profiles/.
"""

import copy
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Any

from headroom.core.engine import EngineFailure
from headroom.core.errors import UsageError
from headroom.core.paths import PROFILES, shown
from headroom.core.yamlfile import check, read

SEQUENCES = "sip"  # a folder of messages, and of what is known of them: no profiles


def names(folder: Path = PROFILES) -> list[str]:
    """Names of all profiles, sorted. A profile's name is its path below the folder without `.yaml`."""
    found = [path.relative_to(folder) for path in folder.rglob("*.yaml")]
    return sorted(str(path.with_suffix("")) for path in found if path.parts[0] != SEQUENCES)


def path_of(name: str, folder: Path = PROFILES) -> Path:
    """File of a profile: a name of `names()`, or the path of a file of one's own (ending in .yaml)."""
    if name.endswith((".yaml", ".yml")):
        path = Path(name)
        if not path.is_file():
            raise UsageError(f"There is no traffic profile at {name}.")
        return path
    path = folder / f"{name}.yaml"
    if path.is_file() and not Path(name).is_absolute() and ".." not in Path(name).parts:
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
    path = path_of(name, folder)
    try:
        changed = path.stat().st_mtime_ns
    except OSError:
        changed = 0  # reading it says what is wrong
    return copy.deepcopy(_load(path, changed))


@lru_cache(maxsize=128)
def _load(path: Path, changed: int) -> dict[str, Any]:
    """`changed` is the time at which the file changed last: a matrix asks for the same profiles again and again."""
    return check(read(path), "traffic-profile").data


@contextmanager
def located_by_line(name: str, place: str, folder: Path = PROFILES) -> Iterator[None]:
    """Reports what the engine finds wrong with a profile by its file and line, not by the job.

    The schema cannot say all: that a network has so many bits, or that ports do not run backwards, the engine finds.
    `place` is where the profile stands in the job, such as "/source/profile".
    """
    try:
        yield
    except EngineFailure as failure:
        if failure.kind != "job" or not f"{failure.where}/".startswith(f"{place}/"):
            raise
        parts = [part.replace("~1", "/").replace("~0", "~") for part in failure.where[len(place) :].split("/") if part]
        pointer = tuple(int(part) if part.isdigit() else part for part in parts)
        sentence = read(path_of(name, folder)).complaint(pointer, failure.message)
        raise EngineFailure("job", sentence, failure.where) from failure
