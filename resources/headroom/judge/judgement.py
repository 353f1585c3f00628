# SPDX-License-Identifier: Apache-2.0
"""A judgement on disk. judge.json, beside run.json, lists its parts, so that an interrupted judgement can continue."""

from __future__ import annotations

import json
import shlex
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

from headroom.core import implementations
from headroom.core.engine import EngineFailure
from headroom.core.errors import UsageError, disk_error
from headroom.core.implementations import Implementation
from headroom.core.options import split_names
from headroom.core.paths import document_of, shown
from headroom.core.results import store
from headroom.core.run import session
from headroom.judge import parts, subject
from headroom.judge.causes import Sighting
from headroom.judge.parts import Extent, Part

FILE = "judge.json"
NOT_DESCRIBED = "The adapter does not describe itself"  # begins the reason why only the checks of the ABI are asked
KINDS = (parts.ABI, parts.CONFORMANCE, parts.MATRIX, parts.COST, parts.WIRE)


@dataclass
class Judgement:
    """An implementation, the parts of its judgement, the folder of the run, the command that repeats it, and the names
    of the parts that are complete.
    """

    found: Implementation
    schemes: list[str]
    parts: list[Part]
    folder: Path
    command: str
    ended: list[str] = field(default_factory=list)
    stopped: dict[str, str] = field(default_factory=dict)  # the reasons for which parts ended early, by their names
    minimised: dict[str, Sighting] = field(default_factory=dict)  # sightings, by the identities of causes

    @property
    def is_whole(self) -> bool:
        """True if every part that has a plan is complete."""
        return all(part.name in self.ended for part in self.parts if part.plan)

    @property
    def is_described(self) -> bool:
        """False if parts were left out because the adapter did not describe itself."""
        return not any(part.left_out.startswith(NOT_DESCRIBED) for part in self.parts)

    def end(self, part: Part, stopped: str = "") -> None:
        """Records on disk that a part is complete, or the reason for which it ended early."""
        self.ended.append(part.name)
        if stopped:
            self.stopped[part.name] = stopped
        keep(self)


def kinds(text: str) -> tuple[str, ...]:
    """The kinds of parts that --only names; all if it is empty. Raises UsageError for an unknown kind."""
    names = split_names(text)
    if unknown := [name for name in names if name not in KINDS]:
        raise UsageError(f"A judgement has no part '{unknown[0]}'. Known: {', '.join(KINDS)}.")
    return names or KINDS


def begin(word: str, scheme: str, extent: Extent, only: tuple[str, ...]) -> Judgement:
    """Makes the folder of a new judgement. Raises UsageError if there is nothing to judge, EnvironmentLacks if the
    implementation does not work here.
    """
    implementation = subject.find(word, scheme, extent.build)
    if not implementation.image:
        implementations.require_usable(implementation.word, extent.build)
    schemes = parts.schemes_of(implementation, scheme)
    planned = [part for part in parts.parts_of(implementation, schemes, extent) if part.kind in only]
    if implementation.library and (reason := _does_not_load(implementation, extent.build)):
        planned = [part if part.kind == parts.ABI else replace(part, plan=None, left_out=reason) for part in planned]
    if not any(part.plan for part in planned):
        reasons = " ".join(dict.fromkeys(part.left_out for part in planned if part.left_out))
        raise UsageError(f"None of {', '.join(only)} applies to {implementation.name}. {reasons}".rstrip())
    folder = session.new_folder()
    planned = [_within(part, folder) for part in planned]
    first = next(part.plan for part in planned if part.plan)
    options = [
        *(["--scheme", scheme] if scheme else []),
        *(["--only", ",".join(only)] if only != KINDS else []),
        *(["--whole-matrix"] if extent.whole_matrix else []),
        *(["--quick"] if extent.quick else []),
        *["--seed", str(extent.seed)],
        *(["--build", extent.build] if extent.build != implementations.DEFAULT_BUILD else []),
    ]
    command = shlex.join(["./headroom", "judge", implementation.word, *options])
    judged = Judgement(implementation, [scheme.name for scheme in schemes], planned, folder, command)
    session.keep(first)
    keep(judged)
    return judged


def _does_not_load(implementation: Implementation, build: str) -> str:
    """The reason why only the checks of the ABI can run on an adapter; "" if it describes itself."""
    try:
        implementations.describe(implementation, build)
    except EngineFailure as failure:
        return f"{NOT_DESCRIBED}: {failure}"
    return ""


def _within(part: Part, folder: Path) -> Part:
    if part.plan is None:
        return part
    return replace(part, plan=replace(part.plan, settings=replace(part.plan.settings, folder=folder)))


def keep(judged: Judgement) -> None:
    """Writes judge.json."""
    document = {
        "schema": 1,
        "implementation": judged.found.word,
        "schemes": judged.schemes,
        "command": judged.command,
        "ended": judged.ended,
        "stopped": judged.stopped,
        "minimised": {cause: asdict(sighting) for cause, sighting in judged.minimised.items()},
        "parts": [parts.as_json(part) for part in judged.parts],
    }
    try:
        store.write_atomically(judged.folder / FILE, json.dumps(document, indent=1).encode() + b"\n")
    except OSError as error:
        raise disk_error(error, f"writing {FILE}") from error


def is_one(folder: Path) -> bool:
    """True if a run is a judgement."""
    return (folder / FILE).is_file()


def recall(name: str) -> Judgement:
    """The judgement of a run. Raises UsageError if the run is not a judgement, or if judge.json is damaged."""
    folder = store.find_run(name)
    path = folder / FILE
    if not is_one(folder):
        raise UsageError(f"The run {folder.name} is not a judgement; continue it with `./headroom run --resume`.")
    try:
        document = document_of(path)
        planned = [parts.from_json(part, folder) for part in document["parts"]]
        implementation = implementations.find(str(document["implementation"]))
        return Judgement(
            implementation,
            schemes=[str(scheme) for scheme in document["schemes"]],
            parts=planned,
            folder=folder,
            command=str(document["command"]),
            ended=[str(item) for item in document["ended"]],
            stopped={str(name): str(why) for name, why in document["stopped"].items()},
            minimised={str(cause): Sighting(**item) for cause, item in document["minimised"].items()},
        )
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise UsageError(
            f"{shown(path)} is damaged ({error}): judge the implementation again with `./headroom judge`."
        ) from error
