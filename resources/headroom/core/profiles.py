# SPDX-License-Identifier: Apache-2.0
"""Traffic profiles: the packets, their times, and the changes of their fields.

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

SEQUENCES = "sip"  # a folder of messages and of data about them, which are not profiles


def names(folder: Path = PROFILES) -> list[str]:
    """The names of all profiles, sorted. A profile's name is its path below the folder without `.yaml`."""
    paths = [path.relative_to(folder) for path in folder.rglob("*.yaml")]
    return sorted(str(path.with_suffix("")) for path in paths if path.parts[0] != SEQUENCES)


def path_of(name: str, folder: Path = PROFILES) -> Path:
    """The file of a profile: a name of `names()`, or the path of another file that ends in .yaml."""
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
    """A profile as the JSON object in engine jobs.

    Raises UsageError with file and line if it is not valid.
    """
    path = path_of(name, folder)
    try:
        changed = path.stat().st_mtime_ns
    except OSError:
        changed = 0  # `_load` then raises the error, with a sentence
    return copy.deepcopy(_load(path, changed))


@lru_cache(maxsize=128)
def _load(path: Path, changed: int) -> dict[str, Any]:
    """Loads a profile. `changed` is the time of the file's last change, a key of the cache: a matrix asks for the same
    profiles again and again.
    """
    return check(read(path), "traffic-profile").data


@contextmanager
def located_by_line(name: str, place: str, folder: Path = PROFILES) -> Iterator[None]:
    """Reports an error of the engine in a profile by its file and line, instead of the place in the job.

    The schema cannot check everything: the engine checks that a network has enough bits, or that ports do not run
    backwards. `place` is the profile's place in the job, such as "/source/profile".
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
