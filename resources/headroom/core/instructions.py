# SPDX-License-Identifier: Apache-2.0
"""Instructions that an adapter executes in an engine job, counted by Valgrind's callgrind.

Counts of the same job differ by about 0.1 % whatever else the machine does, so they show small changes at once. They
are no times: a cache miss counts like an addition. Processor features that Valgrind lacks (AVX-512) are not used.
"""

from __future__ import annotations

import os
import re
import shutil
import stat
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from headroom.core import engine, scratch
from headroom.core.errors import EnvironmentLacks, HeadroomError

# Functions of resources/engine/adapter/caller.h through which all calls for packets go, by stage.
CALLERS = {"compress": "headroom::compress_in_adapter", "decompress": "headroom::decompress_in_adapter"}
MOST_PROFILE_OCTETS = 1 << 30
MOST_INSTRUCTIONS = 1 << 63
_NAME = re.compile(r"\((\d+)\)(?: (.*))?")


class CountFailed(HeadroomError):
    """The profile of a job under Valgrind cannot be read."""

    verdict = "error"


def lacking() -> str:
    """Returns the reason why instructions cannot be counted here; "" if they can."""
    return "" if shutil.which("valgrind") else "valgrind is not installed (apt-get install valgrind)"


def count(
    command: str, job: Mapping[str, Any], libraries: Iterable[Path], build: str, timeout_s: float = 300.0
) -> tuple[dict[str, int], dict[str, Any]]:
    """Runs a job under callgrind. Returns instructions within `libraries` by the function of the engine that called
    them (see `CALLERS`), and the engine's document. Raises EnvironmentLacks without valgrind or engine, EngineFailure
    where the job ends badly, and CountFailed."""
    if reason := lacking():
        raise EnvironmentLacks(f"Instructions cannot be counted: {reason}.")
    with scratch.folder("headroom-callgrind-") as folder:
        profile = folder / "profile"
        under = ["valgrind", "--quiet", "--vgdb=no", "--tool=callgrind", f"--callgrind-out-file={profile}"]
        document = engine.run(command, dict(job), timeout_s, build, [folder], under)
        try:
            return calls_between(_text(profile), {str(path.resolve()) for path in libraries}), document
        except (OSError, ValueError, IndexError, KeyError) as error:
            raise CountFailed(f"Callgrind's profile cannot be read: {error}") from error


def _text(profile: Path) -> str:
    """Reads the profile of Callgrind. An adapter may have put a pipe or a link to a device in its place. Raises OSError
    and CountFailed."""
    descriptor = os.open(profile, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    with open(descriptor, encoding="utf-8", errors="replace") as file:
        found = os.fstat(descriptor)
        if not stat.S_ISREG(found.st_mode) or found.st_size > MOST_PROFILE_OCTETS:
            raise CountFailed(f"What Callgrind wrote is no file, or has more than {MOST_PROFILE_OCTETS} octets.")
        return file.read()


def calls_between(text: str, libraries: set[str]) -> dict[str, int]:
    """Instructions within calls from other objects into some libraries, callees included, by the calling function's
    name without its arguments.

    `text` has Callgrind's profile format, with names compressed: `(3) name` the first time, `(3)` later.
    """
    names: dict[tuple[str, str], str] = {}
    found: Counter[str] = Counter()
    now = {"ob": "", "cob": "", "fn": "", "cfn": ""}
    is_call = False
    for line in text.splitlines():
        key, equals, value = line.partition("=")
        if equals and key in now:
            now[key] = _resolve(names, key.removeprefix("c"), value)
        elif key == "calls":
            is_call = True
        elif is_call:
            is_call = False
            if now["cob"] in libraries and now["ob"] != now["cob"]:
                cost = int(line.split()[1])
                if not 0 <= cost < MOST_INSTRUCTIONS:  # names of an adapter's functions may have line breaks
                    raise ValueError("it has a call of fewer instructions than none, or of more than there can be")
                found[now["fn"].split("(")[0]] += cost
            now["cob"] = ""  # without one, the next call stays within the object
    return dict(found)


def _resolve(names: dict[tuple[str, str], str], kind: str, value: str) -> str:
    match = _NAME.fullmatch(value)
    if match is None:
        return value
    if match[2] is not None:
        names[kind, match[1]] = match[2]
    return names[kind, match[1]]
