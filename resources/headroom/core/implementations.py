# SPDX-License-Identifier: Apache-2.0
"""Implementations under test: the folders of implementations/ that have an implementation.yaml, and those of the
folders that $HEADROOM_IMPLEMENTATIONS_PATH names."""

import hashlib
import os
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, Literal, get_args

from headroom.core import declarations, engine
from headroom.core.contract import Scheme
from headroom.core.errors import EnvironmentLacks, HeadroomError, UsageError
from headroom.core.machine import libraries
from headroom.core.paths import DEFAULT_BUILD, IMPLEMENTATIONS, IMPLEMENTATIONS_PATH, below, build_folder, shown
from headroom.core.yamlfile import Document, check, read_joined

_SINGULAR = {"dictionaries": "dictionary"}  # of capabilities, in sentences

Warn = Callable[[str], None]
Role = Literal["compressor", "decompressor", "endpoint", "user-plane"]
ROLES: tuple[Role, ...] = get_args(Role)


@dataclass(frozen=True)
class Deviation:
    """A known deviation: from a requirement, in single cases, or in cells of the interop matrix.

    In cells, it may be one that not every packet meets: a compressor's packets that break one of `breaks`, or packets
    that have all of `fields` at once.
    """

    reason: str
    requirement: str = ""
    cases: tuple[str, ...] = ()
    roles: tuple[str, ...] = ROLES
    cells: dict[str, tuple[str, ...]] = field(default_factory=dict)  # words of the interop matrix
    scheme: str = ""  # whose cells they are
    breaks: tuple[str, ...] = ()  # requirements
    fields: tuple[str, ...] = ()  # as the judge names them, or name=value
    crashes: bool = False  # its process may end of it
    by_chance: bool = False  # it is not met every time, so that a case that passes proves nothing

    def concerns(self, role: str) -> bool:
        """True if a role deviates. What is both sides at once, such as an endpoint, deviates as either side."""
        return role in self.roles or not {"compressor", "decompressor"} & {*self.roles}

    @property
    def is_of_packets(self) -> bool:
        """Whether single packets meet it, rather than every cell that it is declared for."""
        return bool(self.breaks or self.fields)

    @property
    def is_of_cells(self) -> bool:
        return bool(self.cells) or self.is_of_packets


SOURCE, RESTORED = "source", "uncompressed"  # stems of a recording's files; that of the link is called as the scheme


@dataclass(frozen=True)
class Recording:
    """Capture files in place of an adapter: what went in, what was on the link, what came out.

    `axes` are those of the matrix; `config` is what else the configuration was.
    """

    folder: Path
    scheme: str
    axes: dict[str, str]
    compressor: str  # who compressed what was on the link
    config: dict[str, Any] = field(default_factory=dict)

    @property
    def name(self) -> str:
        return self.folder.name

    def lacks(self, owner: str) -> str:
        """What is not there of what it takes, as a sentence; "" when all is. `owner` is whose recording it is."""
        if not self.folder.is_dir():
            return f"The recording {self.name} of {owner} has no folder: {shown(self.folder)} is not there."
        for stem in (SOURCE, self.scheme if self.compressor == owner else RESTORED):
            if not self.file(stem):
                return f"The recording {self.name} of {owner} has no {stem}.pcap (or .pcapng) in {shown(self.folder)}."
        return ""

    def file(self, stem: str) -> Path | None:
        """One of its three files; None when it is not there."""
        found = (self.folder / f"{stem}{suffix}" for suffix in (".pcap", ".pcapng"))
        return next((path for path in found if path.is_file()), None)


@dataclass(frozen=True, eq=False)
class Implementation:
    """The declarations of implementation.yaml. Each is one object until its file changes, so that caches may use it."""

    name: str
    folder: Path
    vendor: str
    licence: str
    obtain: str
    version: str = ""  # of the product, where its folder tells it
    description: str = ""
    library: str = ""
    config: dict[str, Any] = field(default_factory=dict)
    capabilities: tuple[dict[str, Any], ...] = ()
    deviations: tuple[Deviation, ...] = ()
    requires: libraries.Requirement | None = None
    recordings: tuple[Recording, ...] = ()
    image: str = ""  # of a container, which is driven on the wire
    digest: str = ""
    program: str = ""  # a command, which is driven on the wire
    control: str = ""  # the protocol by which the program gets its sessions

    @property
    def word(self) -> str:
        """Its argument on a command line: its name, or its folder where it lives elsewhere."""
        return self.name if self.folder.parent in roots() else str(self.folder)

    def library_path(self, build: str = DEFAULT_BUILD) -> Path:
        """File of the adapter for one build. Raises UsageError when the implementation has no adapter."""
        if not self.library:
            raise UsageError(f"{self.name} has no adapter (a shared library), so it cannot run inside the engine.")
        text = self.library.replace("{build}", str(build_folder(build)))
        path = Path(text)
        return path if path.is_absolute() else self.folder / path

    def is_ours(self) -> bool:
        """Whether the adapter is built with the project, once per build."""
        return "{build}" in self.library

    def declared(self, scheme: str) -> dict[str, Any]:
        """Its capabilities for a scheme; {} when it does not declare the scheme."""
        return next((entry for entry in self.capabilities if entry["scheme"] == scheme), {})

    def lacks(self, role: Role, scheme: str, **needs: Any) -> str:
        """Why a case is not for this implementation, as declared: "" when it is.

        `needs` holds capabilities by their name in implementation.yaml, such as `profiles=["0x0001"]`, `modes=["O"]`,
        `max_channels=100`; `min_…` are the least there may be, other numbers the most.
        """
        found = self.declared(scheme)
        if not found:
            return f"{self.name} does not declare the scheme {scheme}"
        if role not in found["roles"]:
            return f"{self.name} does not declare to be a {role}"
        for name, needed in needs.items():
            declared = found.get(name)
            if isinstance(needed, int):
                beyond = declared is not None and (needed < declared if name.startswith("min_") else needed > declared)
                if beyond:
                    return f"{self.name} declares {name} {declared}; {needed} is needed"
            elif missing := [item for item in needed if item not in (declared or ())]:
                return f"{self.name} does not declare {_SINGULAR.get(name, name.rstrip('s'))} {', '.join(missing)}"
        return self.missing()

    def options_for(self, feature: str, role: Role, scheme: str) -> dict[str, Any]:
        """`options` without which a feature that it declares is off; {} where it is always on."""
        options: dict[str, Any] = self.declared(scheme).get("feature_options", {}).get(feature, {}).get(role, {})
        return dict(options)

    def missing(self) -> str:
        """Returns why its adapter or program cannot work on this machine, for lack of a file of others; or ""."""
        if self.program and shutil.which(self.program) is None:
            return f"{self.name} cannot be used here: the program {self.program} is not there"
        reason = libraries.look_for(self.requires).reason if self.requires else ""
        return f"{self.name} cannot be used here: {reason}" if reason else ""

    def unusable(self, build: str = DEFAULT_BUILD) -> str:
        """Why it cannot be driven on this machine, be it a file that is not there; "" when it can."""
        if self.program:
            return self.missing()
        if not self.library:
            return "" if self.recordings else f"{self.name} is a container image, driven over --topology compose alone"
        path = self.library_path(build)
        if not self.is_ours() and not path.is_file():
            wrong = "a folder, not a shared library" if path.is_dir() else "not there"
            how = "; its implementation.yaml says how to obtain it" if self.obtain else ""
            return f"{self.name} cannot be used here: its adapter {shown(path)} is {wrong}{how}"
        return self.missing()


def load(folder: Path) -> Implementation:
    """Reads one implementation. Raises UsageError with file and line when its YAML is not valid."""
    try:
        changed = tuple(path.stat().st_mtime_ns for path in _files(folder))
    except OSError:
        changed = ()  # reading it says what is wrong
    return _load(folder, changed)


def read_declarations(folder: Path) -> Document:
    """implementation.yaml, joined with what declarations.yaml of folders in its own, such as one of a scheme, declare.
    Raises UsageError with file and line when it is not valid."""
    path, *parts = _files(folder)
    return check(read_joined(path, parts, ("capabilities", "deviations")), "implementation")


def _files(folder: Path) -> list[Path]:
    return [folder / "implementation.yaml", *sorted(folder.glob("*/declarations.yaml"))]


@lru_cache(maxsize=64)
def _load(folder: Path, changed: tuple[int, ...]) -> Implementation:
    """`changed` are the times at which the files changed last: a run asks for the same implementations again and
    again."""
    document = read_declarations(folder)
    data = document.data
    if data["name"] != folder.name and folder.parent in roots():  # where it is found by its name
        raise UsageError(document.complaint(("name",), f"the folder is called '{folder.name}', so must be the name"))
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
        recordings=tuple(_recording(*one, document) for one in enumerate(data.get("captures", ()))),
        capabilities=tuple(data["capabilities"]),
        deviations=tuple(_deviation(entry, document) for entry in data.get("deviations", ())),
    )


def _require_in_build(document: Document, library: str) -> None:
    """Raises UsageError unless a library is one of the build's, which ninja makes by that name."""
    name = library.removeprefix("{build}/")
    if "{build}" in name or name.startswith(("/", "-")) or ".." in Path(name).parts:
        sentence = "a library of the project's build is {build}/ and its path there, such as {build}/lib/mine.so"
        raise UsageError(document.complaint(("adapter", "library"), sentence))


def _deviation(entry: dict[str, Any], document: Document) -> Deviation:
    found = {key: tuple(value) if isinstance(value, list) else value for key, value in entry.items()}
    if case := found.pop("case", None):
        found.setdefault("cases", (case,))
    found["cells"] = {name: tuple(words) for name, words in found.get("cells", {}).items()}
    return Deviation(**found | {"scheme": declarations.scheme_of_deviation(entry, document)})


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
    """An implementation by name. Raises EnvironmentLacks, saying how to get it, when the file of its adapter, or a
    library of others that this opens, is not there."""
    found = find(name)
    if reason := found.unusable(build):
        raise EnvironmentLacks(f"{reason}. How to get it: {found.obtain.strip()}")
    return found


def require_adapter(name: str, build: str = DEFAULT_BUILD) -> Implementation:
    """The same of one that has to run inside the engine. Raises UsageError when it is known by its capture files
    alone."""
    found = require_usable(name, build)
    if not found.library:
        raise UsageError(
            f"{found.name} has no adapter, so it cannot run here; capture files are judged by "
            f"`./headroom interop --implementations {name},reference`."
        )
    return found


def roots() -> list[Path]:
    """The folders whose subfolders are implementations: that of the project first. Raises UsageError where the path
    names a folder that is not there."""
    more = [Path(name).resolve() for name in os.environ.get(IMPLEMENTATIONS_PATH, "").split(":") if name]
    if missing := [root for root in more if not root.is_dir()]:
        raise UsageError(f"The implementations' path names {shown(missing[0])}, and there is no such folder.")
    return [IMPLEMENTATIONS, *more]


def names(root: Path | None = None) -> list[str]:
    """Names of implementations, in one folder or in all."""
    found = (path.parent.name for one in ([root] if root else roots()) for path in one.glob("*/implementation.yaml"))
    return sorted(set(found))


def find(name: str, root: Path | None = None) -> Implementation:
    """An implementation by name, else by the path of its folder when it lives elsewhere. Of two with one name, that of
    the project is meant. Raises UsageError where there is none."""
    folders = [one / name for one in ([root] if root else roots()) if "/" not in name and name != "."]
    folders += [Path(name)] if root is None or not folders else []
    for folder in folders:
        if (folder / "implementation.yaml").is_file():
            return load(folder.resolve())
    raise UsageError(
        f"There is no implementation '{name}': {shown(folders[0] / 'implementation.yaml')} is "
        f"not there. Known: {', '.join(names(root))}."
    )


def null() -> Implementation:
    """The one that copies octets: the floor under every measurement."""
    return find("null")


def short_names(names: Mapping[str, str]) -> dict[str, str]:
    """Names to show for words of command lines, given the name of the implementation that each means: that name, unless
    another word means one of the same name."""
    return {word: name if list(names.values()).count(name) == 1 else word for word, name in names.items()}


def all_valid(root: Path | None = None, warn: Warn | None = None) -> list[Implementation]:
    """Every implementation whose implementation.yaml is valid; `warn` hears of the others. A mistake in the folder of
    one vendor is not to stop those who do not name him."""
    found = []
    for name in names(root):
        try:
            found.append(find(name, root))
        except UsageError as error:
            if warn:
                warn(f"{name} is left out: {error}")
    return found


def ninja_targets(root: Path = IMPLEMENTATIONS, warn: Warn | None = None) -> list[str]:
    """The files in the build folder of the engine and every adapter of ours."""
    libraries = [one.library.removeprefix("{build}/") for one in all_valid(root, warn) if one.is_ours()]
    return ["bin/headroom-engine", *libraries]


def describe(implementation: Implementation, build: str = DEFAULT_BUILD) -> dict[str, Any]:
    """The adapter's description, with the SHA-256 of its library."""
    return engine.run("describe", {"library": str(implementation.library_path(build))}, timeout_s=20, build=build)


def first_declared(scheme: str, name: str, values: Sequence[str], needs: Mapping[Role, Implementation | None]) -> str:
    """The first of some values of a capability that every one of `needs` declares. Where there is none, the first
    of all: the case then reports that value as not declared."""
    found = [(one, role) for role, one in needs.items() if one]
    return next(
        (value for value in values if not any(one.lacks(role, scheme, **{name: [value]}) for one, role in found)),
        values[0],
    )


def untrue(found: Implementation, role: Role, scheme: Scheme, build: str = DEFAULT_BUILD, **needs: Any) -> str:
    """What of `needs` implementation.yaml declares and the adapter's own description does not, as a sentence; "" when
    they agree, or when the adapter gives no description, which shows by itself.

    `needs` is as for `Implementation.lacks`; what the scheme has not among `described` is left out.
    """
    if not found.library:
        return ""
    schemes = _described(found.library_path(build), build)
    if schemes is None:
        return ""
    described = next((entry for entry in schemes if entry.get("scheme") == scheme.name), None)
    if described is None:
        return f"{found.name}: implementation.yaml says scheme {scheme.name}, describe does not."
    wrong = [] if role in described.get("roles", ()) else [role]
    for name in (name for name in scheme.described if name in needs):
        needed, theirs = needs[name], described.get(name)
        if isinstance(needed, int):
            wrong += [f"{name} {needed}"] if theirs is not None and needed > theirs else []
        else:
            missing = [str(item) for item in needed if item not in (theirs or ())]
            wrong += [f"{name.removesuffix('s')} {', '.join(missing)}"] if missing else []
    more = f"{found.name}: implementation.yaml says {' and '.join(wrong)}, describe does not."
    return more if wrong else ""


@cache
def _described(library: Path, build: str) -> list[dict[str, Any]] | None:
    """The schemes of an adapter's description, read once a run; None where it gives none."""
    try:
        document = engine.run("describe", {"library": str(library)}, timeout_s=20, build=build)
    except HeadroomError:
        return None
    schemes = document.get("schemes")
    return schemes if isinstance(schemes, list) else None


def identity(implementation: Implementation, build: str = DEFAULT_BUILD) -> dict[str, Any]:
    """Name, version, build and digest of an implementation for result records; a reason where the adapter does not
    load. The version is that of implementation.yaml, else the adapter's own; the digest is that of the file that ran,
    or of its recordings. `opens` is the library of others that it loads: the adapter's digest says nothing of it."""
    found: dict[str, Any] = {"name": implementation.name, "version": implementation.version or None}
    if implementation.program:
        digest = libraries.digest(shutil.which(implementation.program) or "")
        return found | {"build": implementation.program, "sha256": digest}
    if not implementation.library:
        reason = "known by capture files alone" if implementation.recordings else implementation.unusable(build)
        return found | {"build": None, "sha256": _recorded(implementation), "reason": reason}
    preset = build if implementation.is_ours() else None  # the harness's build says nothing of others' libraries
    try:
        described = describe(implementation, build)
    except engine.EngineFailure as failure:
        digest = libraries.digest(str(implementation.library_path(build)))
        return found | {"build": preset, "sha256": digest, "reason": str(failure)}
    found["version"] = found["version"] or described.get("version")
    found |= {"build": described.get("build") or preset, "sha256": described.get("sha256")}
    if implementation.requires:
        opened = libraries.look_for(implementation.requires)
        found["opens"] = {"path": opened.path, "sha256": libraries.digest(opened.path)}
    return found


def _recorded(implementation: Implementation) -> str | None:
    """SHA-256 over the digests of its capture files; None where there is none."""
    files = sorted(path for one in implementation.recordings for path in one.folder.glob("*.pcap*"))
    digests = "\n".join(f"{path.parent.name}/{path.name} {libraries.digest(str(path))}" for path in files)
    return hashlib.sha256(digests.encode()).hexdigest() if files else None
