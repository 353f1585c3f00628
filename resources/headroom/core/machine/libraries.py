# SPDX-License-Identifier: Apache-2.0
"""External libraries that an adapter opens at run time: finds out if this machine has one, and its version.

The library is opened in a process of its own, because its initialisation may do anything.
"""

import hashlib
import json
import os
import stat
import subprocess
import sys
from dataclasses import dataclass
from functools import cache
from typing import Any

from headroom.core import excess
from headroom.core.sandbox import MOST_LIBRARY, Walls

PATIENCE_S = 20.0

# Prints one JSON document: the file that was opened, its version, and its missing symbols; or the reason why it cannot
# be opened.
_PROBE = """
import ctypes, json, sys
name, version, symbols = json.loads(sys.argv[1])
try:
    library = ctypes.CDLL(name)
except OSError as error:
    print(json.dumps({"reason": str(error)}))
    sys.exit()
missing = [symbol for symbol in symbols if not hasattr(library, symbol)]
text = None
if version and hasattr(library, version):
    function = getattr(library, version)
    function.restype = ctypes.c_char_p
    text = (function() or b"").decode("utf-8", "replace")[:100]
with open("/proc/self/maps") as maps:
    files = {line.split(maxsplit=5)[5].strip() for line in maps if line.count("/")}
base = name.rpartition("/")[2]
path = next((file for file in sorted(files) if file.rpartition("/")[2].startswith(base)), name)
print(json.dumps({"path": path, "version": text, "missing": missing}))
"""


@dataclass(frozen=True)
class Requirement:
    """A library that the adapter opens, from `requires` in implementation.yaml: see the schema."""

    library: str
    variable: str = ""
    symbols: tuple[str, ...] = ()
    version: str = ""


@dataclass(frozen=True)
class LibrarySearch:
    """The result of a search for a library. `reason` is empty if it exists and is new enough."""

    path: str = ""
    version: str = ""
    reason: str = ""


def look_for(needed: Requirement) -> LibrarySearch:
    """Opens a library as an adapter would: the file that the variable names, or else its name on the loader's path."""
    named = os.environ.get(needed.variable, "") if needed.variable else ""
    return _look(named or needed.library, needed.variable if named else "", needed)


@cache
def _look(name: str, variable: str, needed: Requirement) -> LibrarySearch:
    where = f"{name}, which {variable} names," if variable else name
    probe = [sys.executable, "-I", "-c", _PROBE, json.dumps([name, needed.version, list(needed.symbols)])]
    try:
        walls = Walls(reads=(name,) if "/" in name else (), cpu_s=int(PATIENCE_S))
        status, answer_text = excess.hear(probe, walls, PATIENCE_S)
        answer = _checked(json.loads(answer_text)) if status == 0 else {}
    except excess.TakesTooMuch as error:
        return LibrarySearch(reason=f"{where} cannot be opened: the process that opens it {error.reason}")
    except subprocess.TimeoutExpired:
        return LibrarySearch(reason=f"{where} takes more than {PATIENCE_S:g} s to open")
    except (ValueError, RecursionError):
        answer = {}
    if "reason" in answer:
        hint = f"; the variable {needed.variable} may name its file" if needed.variable and not variable else ""
        return LibrarySearch(reason=f"{where} cannot be opened ({answer['reason']}){hint}")
    if "path" not in answer:
        return LibrarySearch(reason=f"{where} ends the process that opens it (exit status {status})")
    if answer["missing"]:
        old = f" (version {answer['version']})" if answer["version"] else ""
        lacks = f"{where}{old} has no {_few(answer['missing'])}"
        # A library without any of the required symbols is hardly an old version.
        other = (
            "it is too old"
            if len(answer["missing"]) < len(needed.symbols)
            else f"it is no {needed.library}, or too old"
        )
        return LibrarySearch(answer["path"], answer["version"] or "", f"{lacks}: {other}")
    return LibrarySearch(answer["path"], answer["version"] or "")


def _checked(answer: Any) -> dict[str, Any]:
    """The answer of the probe. Raises ValueError for another: the library that it opens may have printed it."""
    json.dumps(answer, ensure_ascii=False).encode()  # raises it for half of a surrogate pair
    match answer:
        case {"reason": str()}:
            return dict(answer)
        case {"path": str(), "version": None | str(), "missing": [*missing]} if {*map(type, missing)} <= {str}:
            return dict(answer)
    raise ValueError("no answer of the probe")


def _few(symbols: list[str]) -> str:
    """The first symbol, and the number of the others: mangled names are long."""
    return symbols[0] + (f" and {len(symbols) - 1} more of its functions" if len(symbols) > 1 else "")


@cache
def digest(path: str) -> str | None:
    """The SHA-256 of a library's file, as hexadecimal digits; None if it cannot be read, or is too large. A run opens
    the same file repeatedly, so it is read once.
    """
    try:
        with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
            about = os.fstat(file.fileno())
            if not stat.S_ISREG(about.st_mode) or about.st_size > MOST_LIBRARY:
                return None  # a library may name a device as its file, which would be read without an end
            return hashlib.file_digest(file, "sha256").hexdigest()  # it may be larger than our memory
    except (OSError, ValueError):  # a name with a NUL
        return None
