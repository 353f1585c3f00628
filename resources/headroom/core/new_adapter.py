# SPDX-License-Identifier: Apache-2.0
"""New adapters: folders with an adapter that builds and passes `check`, made of templates in resources/adapter-kit and
the scheme's own part.
"""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from textwrap import indent
from typing import Any

from headroom.core import scheme_registry, yamlfile
from headroom.core.contract import Scheme
from headroom.core.errors import UsageError
from headroom.core.paths import IMPLEMENTATIONS, ROOT

KIT = ROOT / "resources" / "adapter-kit"
LANGUAGES = {"c": "C", "cxx": "C++", "rust": "Rust"}
NAME = re.compile(r"[a-z][a-z0-9-]{0,39}")
HEADERS = {
    "codec": ("headroom.h",),
    "endpoint": ("headroom.h", "headroom_sessions.h", "headroom_messages.h"),
    "user-plane": ("headroom.h", "headroom_user_plane.h"),
}  # of the ABI, by kind of adapter: the kit has a folder for each kind


def write(name: str, scheme_name: str, language: str, folder: Path) -> list[Path]:
    """Writes the folder of a new adapter. Returns its files. Raises UsageError for a wrong name, scheme or language,
    and if the folder exists.
    """
    scheme = scheme_registry.find(scheme_name)
    if not NAME.fullmatch(name):
        raise UsageError(
            f"'{name}' is not a name of an adapter; use up to 40 small letters, digits and hyphens, such as my-codec."
        )
    if language not in LANGUAGES:
        raise UsageError(f"There is no template for the language '{language}'. Known: {', '.join(LANGUAGES)}.")
    if folder.name != name:
        raise UsageError(f"The folder is called {folder.name}, but must have the adapter's name: {name}.")
    if folder.exists() or folder.is_symlink():
        raise UsageError(f"{folder} exists already; nothing was written.")
    texts = files(name, scheme, language)
    written = []
    for path, text in texts.items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")
        written.append(target)
    for header in HEADERS[kind_of(scheme)]:
        (folder / "abi").mkdir(exist_ok=True)
        written.append(Path(shutil.copy(IMPLEMENTATIONS / "abi" / header, folder / "abi" / header)))
    return written


def kind_of(scheme: Scheme) -> str:
    """The kind of a scheme's adapters."""
    return next((role for role in scheme.roles if role in HEADERS), "codec")


def files(name: str, scheme: Scheme, language: str) -> dict[str, str]:
    """The text of each file of a new adapter except the headers, by its path in the folder."""
    kind, part = kind_of(scheme), scheme_folder(scheme)
    skeleton = yamlfile.read(part / "skeleton.yaml").data
    described = json.dumps(_description(name, skeleton))
    rust = language == "rust"
    values = {
        "NAME": name,
        "SCHEME": scheme.name,
        "TITLE": scheme.title,
        "LIBRARY": name.replace("-", "_"),
        "DESCRIPTION": f'r#"{described}"#' if rust else _c_string(described),
        "PART": (part / "part.c").read_text(encoding="utf-8"),
        "LANGUAGES": "C CXX" if language == "cxx" else "C",
        "SOURCES": "adapter.cc library.c" if language == "cxx" else "adapter.c library.c",
        "BUILD": "cargo build --release" if rust else "cmake -S . -B build && cmake --build build",
        "SANITIZED": _sanitized(rust),
        "HEADER": "src/lib.rs" if rust else f"adapter.{language.replace('cxx', 'cc')}",
        "ROOT": str(ROOT),
    }
    texts = {
        "library.c": _template(f"{kind}/library.c", values),
        "library.h": _template(f"{kind}/library.h", values),
        "settings.h": _template("settings.h", values),
        "README.md": _template("README.md.in", values),
        ".gitignore": "/target/\n/Cargo.lock\n" if rust else "/build/\n",
        "implementation.yaml": _declarations(
            name, skeleton, f"target/release/lib{values['LIBRARY']}.so" if rust else f"build/{name}.so"
        ),
    }
    if rust:
        return texts | {
            "Cargo.toml": _template("Cargo.toml.in", values),
            "build.rs": _template("build.rs", values),
            "src/abi.rs": _template("abi.rs", values),
            "src/lib.rs": _template(f"{kind}/adapter.rs", values),
        }
    shell = _template(f"{kind}/adapter.c", values)
    return texts | {
        "CMakeLists.txt": _template("CMakeLists.txt.in", values),
        values["HEADER"]: _of_language(shell, language),
    }


def scheme_folder(scheme: Scheme) -> Path:
    """The scheme's part of new adapters: part.c and skeleton.yaml. Raises UsageError if it has none."""
    folder = scheme_registry.FOLDER / scheme.name / "adapter"
    if not folder.is_dir():
        raise UsageError(f"There is no template for adapters of {scheme.title}.")
    return folder


def _template(path: str, values: dict[str, str]) -> str:
    text = (KIT / path).read_text(encoding="utf-8")
    return re.sub(r"@([A-Z]+)@", lambda match: values[match[1]], text)


def _of_language(text: str, language: str) -> str:
    """The kit's shell in C or in C++: lines that begin with //cxx are only for C++."""
    if language == "c":
        return re.sub(r"^//cxx.*\n", "", text, flags=re.MULTILINE)
    text = text.replace("#include <string.h>\n", "#include <string.h>\n\n#include <exception>\n", 1)
    return re.sub(r"^//cxx", "", text, flags=re.MULTILINE)


def _description(name: str, skeleton: dict[str, Any]) -> dict[str, Any]:
    capabilities = {key: value for key, value in skeleton["capabilities"].items() if key != "wire"}
    scheme = {**capabilities, **skeleton["describe"]}
    return {"name": name, "version": "0.1.0", "licence": "proprietary", "schemes": [scheme]}


def _c_string(text: str) -> str:
    """A literal of C over several lines, each of whole words."""
    pieces = [""]
    for part in re.findall(r"[^ ]* ?", text):
        if len(pieces[-1] + part) > 90:
            pieces.append("")
        pieces[-1] += part
    return "\n" + indent("\n".join(json.dumps(piece) for piece in pieces), "    ")


def _declarations(name: str, skeleton: dict[str, Any], library: str) -> str:
    """The text of implementation.yaml. A value of JSON is a value of YAML."""
    document = {
        "name": name,
        "vendor": "TODO",
        "licence": "proprietary",
        "description": f"{skeleton['description']} Made by `./headroom new-adapter`.",
        "obtain": "See README.md.",
    }
    lines = ["# The keys: `./headroom reference implementation`. The capabilities must be what DESCRIPTION says."]
    lines += [f"{key}: {json.dumps(value)}" for key, value in document.items()]
    lines += ["adapter:", f"  library: {library}", "capabilities:"]
    lines += [f"    {key}: {json.dumps(value)}" for key, value in skeleton["capabilities"].items()]
    lines[-len(skeleton["capabilities"])] = f"  - scheme: {skeleton['capabilities']['scheme']}"
    if deviations := skeleton.get("deviations"):
        lines += ["deviations:", *(f"  - {json.dumps(deviation)}" for deviation in deviations)]
    return "\n".join(lines) + "\n"


def _sanitized(rust: bool) -> str:
    if rust:
        return (
            "SANITIZE=1 cargo build --release  # library.c alone; a nightly compiler has -Zsanitizer=address for Rust"
        )
    return "cmake -S . -B build -DSANITIZE=ON && cmake --build build"
