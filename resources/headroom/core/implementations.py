# SPDX-License-Identifier: Apache-2.0
"""Implementations under test: the folders with an implementation.yaml in implementations/, and in the folders that
$HEADROOM_IMPLEMENTATIONS_PATH names.
"""

import hashlib
import os
import re
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, Literal, get_args

from headroom.core import adapter_files, declarations, engine
from headroom.core.contract import Scheme
from headroom.core.errors import EnvironmentLacks, HeadroomError, UsageError
from headroom.core.machine import libraries
from headroom.core.paths import (
    DEFAULT_BUILD,
    IMPLEMENTATIONS,
    IMPLEMENTATIONS_PATH,
    below,
    build_folder,
    out_folder,
    shown,
)
from headroom.core.sandbox import MOST_LIBRARY, is_library
from headroom.core.text import printable, shortened
from headroom.core.yamlfile import Document, check, read_joined

OURS = ("null", "reference")  # names that other implementations must not take
MOST_NAMED = 200  # most characters of a version or a build in a record
_SINGULAR = {"dictionaries": "dictionary"}  # the singular of capabilities, for sentences

Warn = Callable[[str], None]
Role = Literal["compressor", "decompressor", "endpoint", "user-plane"]
ROLES: tuple[Role, ...] = get_args(Role)


@dataclass(frozen=True)
class Deviation:
    """A known deviation: from a requirement, in single cases, or in cells of the interop matrix.

    In cells, it may concern only some packets: a compressor's packets that break one of `breaks`, or packets that have
    all of `fields` at once.
    """

    reason: str
    requirement: str = ""
    cases: tuple[str, ...] = ()
    roles: tuple[str, ...] = ROLES
    cells: dict[str, tuple[str, ...]] = field(default_factory=dict)  # words of the interop matrix
    scheme: str = ""  # the scheme of these cells
    breaks: tuple[str, ...] = ()  # requirements
    fields: tuple[str, ...] = ()  # fields as the judge names them, or name=value
    crashes: bool = False  # its process may end because of it
    by_chance: bool = False  # it is not met every time, so a case that passes proves nothing

    def is_about(self, role: str) -> bool:
        """True if a role deviates. An implementation that is both sides, such as an endpoint, deviates as
        either side.
        """
        return role in self.roles or not {"compressor", "decompressor"} & {*self.roles}

    @property
    def is_of_packets(self) -> bool:
        """True if it concerns single packets, rather than every cell that it is declared for."""
        return bool(self.breaks or self.fields)

    @property
    def is_of_cells(self) -> bool:
        return bool(self.cells) or self.is_of_packets


# Stems of a recording's files; the file of the link is named after the scheme.
SOURCE, RESTORED = "source", "uncompressed"
MOST_RECORDED = 256 << 20  # octets of each: judges read it packet by packet


@dataclass(frozen=True)
class Recording:
    """Capture files in place of an adapter: input, link, and output.

    `axes` are those of the matrix; `config` is the rest of the configuration.
    """

    folder: Path
    scheme: str
    axes: dict[str, str]
    compressor: str  # the implementation that compressed
    config: dict[str, Any] = field(default_factory=dict)

    @property
    def name(self) -> str:
        return self.folder.name

    def lacks(self, owner: str) -> str:
        """A sentence about a missing file of the recording; "" if none is missing. `owner` is its implementation's
        name.
        """
        if not self.folder.is_dir():
            return f"The recording {self.name} of {owner} has no folder: {shown(self.folder)} does not exist."
        for stem in (SOURCE, self.scheme if self.compressor == owner else RESTORED):
            if not self.file(stem):
                return f"The recording {self.name} of {owner} has no {stem}.pcap (or .pcapng) in {shown(self.folder)}."
        for path in self.folder.glob("*.pcap*"):
            if path.is_file() and path.stat().st_size > MOST_RECORDED:
                return f"The recording {self.name} of {owner} is too large: {path.name} has more than 256 MiB."
        return ""

    def file(self, stem: str) -> Path | None:
        """The recording's file with a stem; None if it does not exist."""
        candidates = (self.folder / f"{stem}{suffix}" for suffix in (".pcap", ".pcapng"))
        return next((path for path in candidates if path.is_file()), None)


@dataclass(frozen=True, eq=False)
class Implementation:
    """The declarations of implementation.yaml. Each implementation is one object until its file changes, so that caches
    may use it.
    """

    name: str
    folder: Path
    vendor: str
    licence: str
    obtain: str
    version: str = ""  # version of the product, if its folder tells it
    description: str = ""
    library: str = ""
    config: dict[str, Any] = field(default_factory=dict)
    capabilities: tuple[dict[str, Any], ...] = ()
    deviations: tuple[Deviation, ...] = ()
    requires: libraries.Requirement | None = None
    recordings: tuple[Recording, ...] = ()
    image: str = ""  # image of a container, which is driven on the wire
    digest: str = ""
    program: str = ""  # a command, which is driven on the wire
    control: str = ""  # the protocol by which the program gets its sessions

    @property
    def word(self) -> str:
        """Its argument on a command line: its name, or its folder if it lives elsewhere."""
        return self.name if self.folder.parent in roots() else str(self.folder)

    def library_path(self, build: str = DEFAULT_BUILD) -> Path:
        """The file of the adapter for one build. Raises UsageError if the implementation has no adapter."""
        if not self.library:
            raise UsageError(f"{self.name} has no adapter (a shared library), so it cannot run inside the engine.")
        text = self.library.replace("{build}", str(build_folder(build)))
        path = Path(text)
        return path if path.is_absolute() else self.folder / path

    def is_ours(self) -> bool:
        """True if the adapter is built with the project, once per build."""
        return "{build}" in self.library

    def declared(self, scheme: str) -> dict[str, Any]:
        """Its capabilities for a scheme; {} if it does not declare the scheme."""
        return next((entry for entry in self.capabilities if entry["scheme"] == scheme), {})

    def lacks(self, role: Role, scheme: str, **needs: Any) -> str:
        """The reason why a case does not apply to this implementation by its declarations; "" if it does.

        `needs` holds capabilities by their name in implementation.yaml, such as `profiles=["0x0001"]`, `modes=["O"]`,
        `max_channels=100`; `min_…` are lower bounds, other numbers upper bounds.
        """
        capabilities = self.declared(scheme)
        if not capabilities:
            return f"{self.name} does not declare the scheme {scheme}"
        if role not in capabilities["roles"]:
            return f"{self.name} does not declare to be a {role}"
        for name, needed in needs.items():
            declared = capabilities.get(name)
            if isinstance(needed, int):
                beyond = declared is not None and (needed < declared if name.startswith("min_") else needed > declared)
                if beyond:
                    return f"{self.name} declares {name} {declared}; {needed} is needed"
            elif missing := [item for item in needed if item not in (declared or ())]:
                return f"{self.name} does not declare {_SINGULAR.get(name, name.rstrip('s'))} {', '.join(missing)}"
        return self.missing()

    def options_for(self, feature: str, role: Role, scheme: str) -> dict[str, Any]:
        """The `options` without which a declared feature is off; {} if it is always on."""
        options: dict[str, Any] = self.declared(scheme).get("feature_options", {}).get(feature, {}).get(role, {})
        return dict(options)

    def missing(self) -> str:
        """The reason why its adapter or program cannot work on this machine, for lack of another product's file; else
        "".
        """
        if self.program and shutil.which(self.program) is None:
            return f"{self.name} cannot be used here: the program {self.program} does not exist"
        reason = libraries.look_for(self.requires).reason if self.requires else ""
        return f"{self.name} cannot be used here: {reason}" if reason else ""

    def unusable(self, build: str = DEFAULT_BUILD) -> str:
        """The reason why it cannot be driven on this machine, such as a missing file; "" if it can."""
        if self.program:
            return self.missing()
        if not self.library:
            return "" if self.recordings else f"{self.name} is a container image, driven over --topology compose alone"
        path = self.library_path(build)
        if not self.is_ours() and not is_library(str(path)):
            wrong = "a folder" if path.is_dir() else "not an ELF file" if path.exists() else ""
            wrong = "too large" if wrong and path.stat().st_size > MOST_LIBRARY else wrong
            wrong = f"{wrong}, not a shared library" if wrong else "not there"
            how = "; its implementation.yaml says how to obtain it" if self.obtain else ""
            return f"{self.name} cannot be used here: its adapter {shown(path)} is {wrong}{how}"
        return self.missing()


def load(folder: Path) -> Implementation:
    """Reads an implementation. Raises UsageError with file and line if its YAML is not valid, and if the path is not
    UTF-8, which jobs, records and Robot's log are.
    """
    if re.search("[\ud800-\udfff]", str(folder)):
        raise UsageError(f"The path {printable(str(folder))} is not UTF-8: give the folder another name.")
    try:
        changed = tuple(path.stat().st_mtime_ns for path in _files(folder))
    except OSError:
        changed = ()  # `_load` then raises the error, with a sentence
    return _load(folder, changed)


def read_declarations(folder: Path) -> Document:
    """The declarations of implementation.yaml, joined with those of declarations.yaml in its subfolders, such as one of
    a scheme. Raises UsageError with file and line if one is not valid.
    """
    path, *parts = _files(folder)
    return check(read_joined(path, parts, ("capabilities", "deviations")), "implementation")


def _files(folder: Path) -> list[Path]:
    return [folder / "implementation.yaml", *sorted(folder.glob("*/declarations.yaml"))]


@lru_cache(maxsize=64)
def _load(folder: Path, changed: tuple[int, ...]) -> Implementation:
    """Loads an implementation. `changed` are the times of the files' last changes, a key of the cache: a run asks for
    the same implementations again and again.
    """
    document = read_declarations(folder)
    data = document.data
    # Below the roots, an implementation is found by the name of its folder.
    if data["name"] != folder.name and folder.parent in roots():
        raise UsageError(
            document.complaint(("name",), f"the folder is called '{folder.name}', so the name must be the same")
        )
    # Those below out/ are the harness's own copies, such as a campaign's.
    if data["name"] in OURS and folder.parent not in roots() and not folder.is_relative_to(out_folder().resolve()):
        raise UsageError(
            document.complaint(
                ("name",), f"'{data['name']}' is Headroom's own, and records go by names: choose another name"
            )
        )
    declarations.check_all(document, {*names(), *names(folder.parent)})
    adapter, container = data.get("adapter", {}), data.get("container", {})
    library = adapter.get("library", "")
    if "{build}" in library:
        _require_in_build(document, library)
    return Implementation(
        name=data["name"],
        folder=folder,
        vendor=data["vendor"],
        licence=data["licence"],
        obtain=data["obtain"],
        version=data.get("version", ""),
        description=data.get("description", ""),
        library=library,
        config=adapter.get("config", {}),
        image=container.get("image", ""),
        program=data.get("program", {}).get("command", ""),
        control=data.get("program", {}).get("control", ""),
        digest=container.get("digest", ""),
        requires=_requirement(adapter.get("requires")),
        recordings=tuple(_recording(*numbered, document) for numbered in enumerate(data.get("captures", ()))),
        capabilities=tuple(data["capabilities"]),
        deviations=tuple(_deviation(entry, document) for entry in data.get("deviations", ())),
    )


def _require_in_build(document: Document, library: str) -> None:
    """Raises UsageError unless a library belongs to the build, under a name that ninja knows. Other names are those of
    its tasks, such as `clean`."""
    name = library.removeprefix("{build}/")
    if "{build}" in name or name.startswith(("/", "-")) or ".." in Path(name).parts or Path(name).suffix != ".so":
        sentence = "a library of the project's build is {build}/ and its path there, such as {build}/lib/mine.so"
        raise UsageError(document.complaint(("adapter", "library"), sentence))


def _deviation(entry: dict[str, Any], document: Document) -> Deviation:
    fields = {key: tuple(value) if isinstance(value, list) else value for key, value in entry.items()}
    if case := fields.pop("case", None):
        fields.setdefault("cases", (case,))
    fields["cells"] = {name: tuple(values) for name, values in fields.get("cells", {}).items()}
    return Deviation(**fields | {"scheme": declarations.scheme_of_deviation(entry, document)})


def _recording(number: int, entry: dict[str, Any], document: Document) -> Recording:
    scheme = declarations.scheme_of_capture(entry)
    axes = {axis.name: entry[axis.name] for axis in scheme.axes}
    compressor = entry.get("compressor", document.data["name"])
    config = {key: entry[key] for key in declarations.own_keys(scheme) if key in entry}
    try:
        folder = below(document.path.parent, entry["folder"])
        for path in folder.glob("*.pcap*"):
            below(folder, path.name)
    except UsageError as error:
        raise UsageError(document.complaint(("captures", number, "folder"), str(error))) from error
    return Recording(folder, scheme.name, axes, compressor, config)


def _requirement(entry: dict[str, Any] | None) -> libraries.Requirement | None:
    if entry is None:
        return None
    symbols = tuple(entry.get("symbols", ()))
    return libraries.Requirement(entry["library"], entry.get("variable", ""), symbols, entry.get("version", ""))


def require_usable(name: str, build: str = DEFAULT_BUILD) -> Implementation:
    """The implementation of a name. Raises EnvironmentLacks, with how to obtain it, if the file of its adapter, or a
    library that the adapter opens, does not exist.
    """
    implementation = find(name)
    if reason := implementation.unusable(build):
        raise EnvironmentLacks(f"{reason}. How to get it: {implementation.obtain.strip()}")
    return implementation


def require_adapter(name: str, build: str = DEFAULT_BUILD) -> Implementation:
    """The implementation of a name, which has to run inside the engine. Raises UsageError if it is known only by
    capture files, otherwise as `require_usable`.
    """
    implementation = require_usable(name, build)
    if not implementation.library:
        raise UsageError(
            f"{implementation.name} has no adapter, so it cannot run here; capture files are judged by "
            f"`./headroom interop --implementations {name},reference`."
        )
    return implementation


def roots() -> list[Path]:
    """The folders whose subfolders are implementations, the project's own first. Raises UsageError if the path names a
    folder that does not exist.
    """
    more = [Path(name).resolve() for name in os.environ.get(IMPLEMENTATIONS_PATH, "").split(":") if name]
    if missing := [root for root in more if not root.is_dir()]:
        raise UsageError(f"The implementations' path names {shown(missing[0])}, which is not a folder.")
    return [IMPLEMENTATIONS, *more]


def names(root: Path | None = None) -> list[str]:
    """The names of implementations, in one folder or in all."""
    folders = (
        path.parent.name
        for root_folder in ([root] if root else roots())
        for path in root_folder.glob("*/implementation.yaml")
    )
    return sorted(set(folders))


def find(name: str, root: Path | None = None) -> Implementation:
    """The implementation of a name, or of the path of its folder if it lives elsewhere. Of two with one name, the
    project's own is meant. Raises UsageError if there is none.
    """
    folders = [root_folder / name for root_folder in ([root] if root else roots()) if "/" not in name and name != "."]
    folders += [Path(name)] if root is None or not folders else []
    for folder in folders:
        if (folder / "implementation.yaml").is_file():
            return load(folder.resolve())
    here = f", nor does {name}/implementation.yaml here" if root is None and len(folders) > 1 else ""
    raise UsageError(
        f"There is no implementation '{name}': {shown(folders[0] / 'implementation.yaml')} does not exist{here}. "
        f"Known: {', '.join(names(root))}."
    )


def null() -> Implementation:
    """The implementation that copies octets: the floor under every measurement."""
    return find("null")


def short_names(names: Mapping[str, str]) -> dict[str, str]:
    """Short names for words of command lines, given the name of the implementation that each word means: that name,
    unless another word means an implementation of the same name.
    """
    return {word: name if list(names.values()).count(name) == 1 else word for word, name in names.items()}


def all_valid(root: Path | None = None, warn: Warn | None = None) -> list[Implementation]:
    """Every implementation whose implementation.yaml is valid; `warn` gets a sentence on each other implementation. A
    mistake in one vendor's folder must not stop commands about others.
    """
    valid = []
    for name in names(root):
        try:
            valid.append(find(name, root))
        except UsageError as error:
            if warn:
                warn(f"{name} is left out: {error}")
    return valid


def ninja_targets(root: Path = IMPLEMENTATIONS, warn: Warn | None = None) -> list[str]:
    """The files of the engine and of every adapter of ours in the build folder."""
    libraries = [
        implementation.library.removeprefix("{build}/")
        for implementation in all_valid(root, warn)
        if implementation.is_ours()
    ]
    return ["bin/headroom-engine", *libraries]


def describe(implementation: Implementation, build: str = DEFAULT_BUILD) -> dict[str, Any]:
    """The adapter's description, with the SHA-256 of its library."""
    return engine.run("describe", {"library": str(implementation.library_path(build))}, timeout_s=20, build=build)


def first_declared(scheme: str, name: str, values: Sequence[str], needs: Mapping[Role, Implementation | None]) -> str:
    """The first of some values of a capability that every one of `needs` declares. If there is none, the first of all:
    the case then reports that value as not declared.
    """
    pairs = [(need, role) for role, need in needs.items() if need]
    return next(
        (
            value
            for value in values
            if not any(implementation.lacks(role, scheme, **{name: [value]}) for implementation, role in pairs)
        ),
        values[0],
    )


def untrue(implementation: Implementation, role: Role, scheme: Scheme, build: str = DEFAULT_BUILD, **needs: Any) -> str:
    """A sentence about those of `needs` that implementation.yaml declares and the adapter's own description does not;
    "" if they agree, or if the adapter gives no description, which is reported elsewhere.

    `needs` is as for `Implementation.lacks`; capabilities that are not among the scheme's `described` are skipped.
    """
    if not implementation.library:
        return ""
    schemes = _described(implementation.library_path(build), build)
    if schemes is None:
        return ""
    described = next((entry for entry in schemes if entry.get("scheme") == scheme.name), None)
    if described is None:
        return f"{implementation.name}: implementation.yaml says scheme {scheme.name}, describe does not."
    wrong = [] if role in described.get("roles", ()) else [role]
    for name in (name for name in scheme.described if name in needs):
        needed, theirs = needs[name], described.get(name)
        if isinstance(needed, int):
            wrong += [f"{name} {needed}"] if theirs is not None and needed > theirs else []
        else:
            missing = [str(item) for item in needed if item not in (theirs or ())]
            wrong += [f"{name.removesuffix('s')} {', '.join(missing)}"] if missing else []
    more = f"{implementation.name}: implementation.yaml says {' and '.join(wrong)}, describe does not."
    return more if wrong else ""


@cache
def _described(library: Path, build: str) -> list[dict[str, Any]] | None:
    """The schemes of an adapter's description, read once a run; None if it gives none."""
    try:
        document = engine.run("describe", {"library": str(library)}, timeout_s=20, build=build)
    except HeadroomError:
        return None
    schemes = document.get("schemes")
    return schemes if isinstance(schemes, list) else None


def identity(implementation: Implementation, build: str = DEFAULT_BUILD) -> dict[str, Any]:
    """The identity of an implementation for result records: name, version, build and digest; a reason if the adapter
    does not load. The version is that of implementation.yaml, or the adapter's own; the digest is that of the file that
    ran, or of its recordings, which covers neither `opens`, the external library that it opens, nor `beside`, libraries
    in its folder, by their paths there.
    """
    result: dict[str, Any] = {"name": implementation.name, "version": implementation.version or None}
    if implementation.program:
        digest = libraries.digest(shutil.which(implementation.program) or "")
        return result | {"build": implementation.program, "sha256": digest}
    if not implementation.library:
        reason = "known by capture files alone" if implementation.recordings else implementation.unusable(build)
        return result | {"build": None, "sha256": _recorded(implementation), "reason": reason}
    # The harness's build does not concern other people's libraries.
    preset = build if implementation.is_ours() else None
    try:
        described = describe(implementation, build)
    except engine.EngineFailure as failure:
        digest = libraries.digest(str(implementation.library_path(build)))
        return result | {"build": preset, "sha256": digest, "reason": str(failure)}
    # A description may have 16 MiB, and each record has these texts: a run would fill the disk, and then the memory.
    version, built = (shortened(described.get(key) or "", MOST_NAMED) for key in ("version", "build"))
    result["version"] = result["version"] or version or None
    result |= {"build": built or preset, "sha256": described.get("sha256")}
    if not implementation.is_ours():
        adapter = implementation.library_path(build)
        beside = {name: libraries.digest(str(adapter.parent / name)) for name in adapter_files.beside(adapter)}
        result |= {"beside": beside} if beside else {}
    if implementation.requires:
        opened = libraries.look_for(implementation.requires).path
        # The library can name any file as its own: one of the user's, or one without an end, such as /proc/…/pagemap.
        result["opens"] = {"path": opened, "sha256": libraries.digest(opened) if is_library(opened) else None}
    return result


def _recorded(implementation: Implementation) -> str | None:
    """The SHA-256 over the digests of its capture files; None if there are none."""
    files = sorted(path for recording in implementation.recordings for path in recording.folder.glob("*.pcap*"))
    digests = "\n".join(f"{path.parent.name}/{path.name} {libraries.digest(str(path))}" for path in files)
    return hashlib.sha256(digests.encode()).hexdigest() if files else None
