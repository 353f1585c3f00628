# SPDX-License-Identifier: Apache-2.0
"""A judgement on disk: judge.json beside run.json says which parts it has, so that one that was cut short goes on."""

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
from headroom.core.paths import shown
from headroom.core.results import store
from headroom.core.run import session
from headroom.judge import parts, subject
from headroom.judge.causes import Sighting
from headroom.judge.parts import Extent, Part

FILE = "judge.json"
KINDS = (parts.ABI, parts.CONFORMANCE, parts.MATRIX, parts.COST, parts.WIRE)


@dataclass
class Judgement:
    """An implementation, the parts of its judgement, the folder of the run, the command that repeats it, and the names
    of the parts that have come to their end."""

    found: Implementation
    schemes: list[str]
    parts: list[Part]
    folder: Path
    command: str
    ended: list[str] = field(default_factory=list)
    stopped: dict[str, str] = field(default_factory=dict)  # why parts were not asked to their end, by their names
    minimised: dict[str, Sighting] = field(default_factory=dict)  # sightings, by the identities of causes

    @property
    def is_whole(self) -> bool:
        """True if every part that has a plan has come to its end."""
        return all(part.name in self.ended for part in self.parts if part.plan)

    def end(self, part: Part, stopped: str = "") -> None:
        """Notes on disk that a part has come to its end, or why it was stopped before."""
        self.ended.append(part.name)
        if stopped:
            self.stopped[part.name] = stopped
        keep(self)


def kinds(text: str) -> tuple[str, ...]:
    """Kinds of parts that --only names, all where it names none. Raises UsageError on an unknown one."""
    found = split_names(text)
    if unknown := [name for name in found if name not in KINDS]:
        raise UsageError(f"A judgement has no part '{unknown[0]}'. Known: {', '.join(KINDS)}.")
    return found or KINDS


def begin(word: str, scheme: str, extent: Extent, only: tuple[str, ...]) -> Judgement:
    """Makes the folder of a new judgement. Raises UsageError where there is nothing to judge, EnvironmentLacks where it
    does not work here."""
    found = subject.find(word, scheme, extent.build)
    if not found.image:
        implementations.require_usable(found.word, extent.build)
    schemes = parts.schemes_of(found, scheme)
    made = [part for part in parts.parts_of(found, schemes, extent) if part.kind in only]
    if found.library and (reason := _does_not_load(found, extent.build)):
        made = [part if part.kind == parts.ABI else replace(part, plan=None, left_out=reason) for part in made]
    if not any(part.plan for part in made):
        reasons = " ".join(dict.fromkeys(part.left_out for part in made if part.left_out))
        raise UsageError(f"Nothing of {', '.join(only)} can be asked of {found.name}. {reasons}".rstrip())
    folder = session.new_folder()
    made = [_within(part, folder) for part in made]
    first = next(part.plan for part in made if part.plan)
    options = [
        *(["--scheme", scheme] if scheme else []),
        *(["--only", ",".join(only)] if only != KINDS else []),
        *(["--whole-matrix"] if extent.whole_matrix else []),
        *(["--quick"] if extent.quick else []),
        *["--seed", str(extent.seed)],
        *(["--build", extent.build] if extent.build != implementations.DEFAULT_BUILD else []),
    ]
    command = shlex.join(["./headroom", "judge", found.word, *options])
    judged = Judgement(found, [one.name for one in schemes], made, folder, command)
    session.keep(first)
    keep(judged)
    return judged


def _does_not_load(found: Implementation, build: str) -> str:
    """Returns why nothing but the checks of the ABI can be asked of an adapter; "" if it describes itself."""
    try:
        implementations.describe(found, build)
    except EngineFailure as failure:
        return f"The adapter does not describe itself: {failure}"
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
        "minimised": {cause: asdict(one) for cause, one in judged.minimised.items()},
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
    """The judgement of a run. Raises UsageError where the run is none, or judge.json is not whole."""
    folder = store.find_run(name)
    path = folder / FILE
    if not is_one(folder):
        raise UsageError(f"The run {folder.name} is no judgement; `./headroom run --resume` goes on with it.")
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
        made = [parts.from_json(one, folder) for one in document["parts"]]
        found = implementations.find(str(document["implementation"]))
        return Judgement(
            found,
            schemes=[str(one) for one in document["schemes"]],
            parts=made,
            folder=folder,
            command=str(document["command"]),
            ended=[str(one) for one in document["ended"]],
            stopped={str(name): str(why) for name, why in document["stopped"].items()},
            minimised={str(cause): Sighting(**one) for cause, one in document["minimised"].items()},
        )
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise UsageError(f"{shown(path)} does not say what was judged ({error}); start again.") from error
