# SPDX-License-Identifier: Apache-2.0
"""The implementation that a judgement is about. The command line names it, or a folder with an implementation.yaml, or
a bare library.
"""

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from headroom.core import declarations, engine, implementations
from headroom.core.errors import UsageError, disk_error
from headroom.core.implementations import Implementation
from headroom.core.paths import DEFAULT_BUILD, out_folder, sha256_of, shown
from headroom.core.results.store import write_atomically
from headroom.core.scheme_registry import all_schemes
from headroom.core.yamlfile import schema

MOST_NAME = 40  # most characters of a name, which becomes a folder's name
KEPT = "adapters"  # the folder of out/ for declarations of bare libraries


def find(word: str, scheme: str = "", build: str = DEFAULT_BUILD) -> Implementation:
    """The implementation that a word of the command line names. Raises UsageError with advice if there is none,
    EngineFailure if a bare library does not describe itself.
    """
    path = Path(word)
    if (path / "implementation.yaml").is_file():
        return implementations.load(path.resolve())
    if path.is_file() and path.name == "implementation.yaml":
        return implementations.load(path.resolve().parent)
    if path.is_file():
        return of_library(path.resolve(), scheme, build)
    if path.is_dir():
        raise UsageError(_no_declaration(path))
    return implementations.find(word)


def _no_declaration(folder: Path) -> str:
    # Unlike glob, walk passes over folders that vanish meanwhile, such as those of other processes in /tmp.
    files = sorted(Path(at, name) for at, _, names in os.walk(folder) for name in names)
    libraries = [path for path in files if path.suffix == ".so"][:1]
    captures = [path for path in files if path.name.endswith(declarations.CAPTURES)][:1]
    reason = f"The folder {shown(folder)} has no implementation.yaml"
    if libraries:
        return (
            f"{reason}. To judge the library in it by its own description: ./headroom judge {libraries[0]} --scheme S."
        )
    if captures:
        return f"{reason} to describe its captures: see implementations/README.md, Capture files."
    return f"{reason}. `./headroom new-adapter` makes a folder to begin with."


def of_library(library: Path, scheme: str = "", build: str = DEFAULT_BUILD) -> Implementation:
    """An implementation made of a bare library and its own description. The declaration is kept below out/, by the
    library's digest, so that commands about it can be repeated.
    """
    described = engine.run("describe", {"library": str(library)}, timeout_s=20, build=build)
    by_scheme = {
        str(scheme.get("scheme")): scheme for scheme in described.get("schemes", ()) if isinstance(scheme, dict)
    }
    known = [name for name in by_scheme if name in all_schemes()]
    if not known:
        raise UsageError(
            f"{shown(library)} describes no known scheme ({', '.join(all_schemes())}), but "
            f"{', '.join(by_scheme) or 'none'}."
        )
    if scheme and scheme not in known:
        raise UsageError(f"{shown(library)} does not describe the scheme '{scheme}', but {', '.join(known)}.")
    name = re.sub(r"[^a-z0-9]+", "-", str(described.get("name", "")).lower())[:MOST_NAME].strip("-") or "adapter"
    if name in implementations.names():
        name += f"-{sha256_of(library)[:8]}"  # records go by names
    document = {
        "name": name,
        "vendor": "unknown",
        "licence": str(described.get("licence") or "unknown"),
        "obtain": f"The library {library}.",
        "description": "A bare library, declared by its own description.",
        "adapter": {"library": str(library)},
        "capabilities": [_capability(by_scheme[name_of_scheme]) for name_of_scheme in ([scheme] if scheme else known)],
    }
    folder = out_folder().resolve() / KEPT / sha256_of(library)[:12] / name
    try:
        write_atomically(folder / "implementation.yaml", yaml.safe_dump(document, sort_keys=False).encode())
    except OSError as error:
        raise disk_error(error, f"writing the declaration of {shown(library)}") from error
    return implementations.load(folder)


def _capability(described: Mapping[str, Any]) -> dict[str, Any]:
    """The capabilities of a scheme in a description, as far as implementation.yaml has such keys."""
    scheme = str(described["scheme"])
    common = schema("implementation")["$defs"]["capability"]["properties"]
    own = declarations.schema_of(scheme, "capabilities").get("properties", {})
    return {key: value for key, value in described.items() if key in {**common, **own}}
