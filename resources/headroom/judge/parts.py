# SPDX-License-Identifier: Apache-2.0
"""The parts of a judgement: runs of suites that share one folder, each about the implementation in one role.

In this order: the promises of the ABI; conformance and hostile input in each role; the matrix with what else is here;
cost beside `null` and the reference. What cannot be asked of the implementation is a part without a plan, and says why.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from headroom.core import implementations, matrix
from headroom.core.contract import Scheme
from headroom.core.errors import UsageError
from headroom.core.implementations import Implementation
from headroom.core.run.selection import suite_files, uses_interfaces
from headroom.core.run.session import Plan
from headroom.core.scheme_registry import all_schemes, in_matrix
from headroom.core.settings import Settings

ABI, CONFORMANCE, MATRIX, COST, WIRE = "abi", "conformance", "matrix", "cost", "wire"  # kinds of parts
REFERENCE = "reference"
HOSTILE = "robustness"
NOT_ABOUT_IT = ("robustness/freedoms", "robustness/misbehaving_adapters")  # which run adapters of the project's own
ADAPTERS, COSTS = "smoke/adapters", "judge/cost"


@dataclass(frozen=True)
class Part:
    """A part of a judgement: its plan, or why there is none. `title` says what is asked."""

    kind: str
    title: str
    scheme: str = ""
    plan: Plan | None = None
    left_out: str = ""

    @property
    def name(self) -> str:
        return self.plan.settings.part if self.plan else ""


@dataclass(frozen=True)
class Extent:
    """The extent of a judgement: `whole_matrix` takes every link condition of the matrix, not only the `brief` ones."""

    whole_matrix: bool = False
    quick: bool = False
    seed: int = 1
    build: str = implementations.DEFAULT_BUILD


def parts_of(found: Implementation, schemes: Sequence[Scheme], extent: Extent) -> list[Part]:
    """All parts of the judgement of an implementation, for some of the schemes that it declares."""
    result: list[Part] = []
    if found.library:
        plan = Plan(_settings(found, extent, "abi", subject=False), [ADAPTERS], cases=["The Compressor Asked"])
        result.append(Part(ABI, "the promises of the ABI", plan=plan))
    else:
        result.append(
            Part(ABI, "the promises of the ABI", left_out="There is no adapter, so the ABI does not concern it.")
        )
    for scheme in schemes:
        result += _of_scheme(found, scheme, extent)
    return result


def _of_scheme(found: Implementation, scheme: Scheme, extent: Extent) -> Iterator[Part]:
    if found.image or found.program:
        yield _on_the_wire(found, scheme, extent)
        return
    if found.library:
        yield from (_conformance(found, scheme, role, extent) for role in found.declared(scheme.name)["roles"])
    else:
        told = "It is known by capture files, which answer no question: only the matrix reads them."
        yield Part(CONFORMANCE, f"{scheme.title}: conformance", scheme.name, left_out=told)
    yield from _matrix(found, scheme, extent)
    if found.library:
        tag = f"scheme:{scheme.name}"
        settings = _settings(found, extent, f"{scheme.name}-cost", both=True)
        plan = Plan(settings, [COSTS], tags=[tag])
        yield Part(COST, f"{scheme.title}: cost", scheme.name, plan)


def _settings(
    found: Implementation, extent: Extent, part: str, role: str = "compressor", subject: bool = True, both: bool = False
) -> Settings:
    """Settings of a run about an implementation: of which side it is when it is one whole is a habit of the suites."""
    side = "decompressor" if role in ("decompressor", "endpoint") else "compressor"
    names = {"compressor": found.word, "decompressor": found.word} if both else {side: found.word}
    of_subject = side if subject and not both else ""
    return Settings.of(
        {
            **names,
            "subject": of_subject,
            "part": part,
            "quick": extent.quick,
            "seed": extent.seed,
            "build": extent.build,
        }
    )


def hostile_suites() -> list[str]:
    """The suites of robustness that ask the implementation under test."""
    files = sorted(suite_files([HOSTILE])[0].glob("*.robot"))
    return [name for path in files if (name := f"{HOSTILE}/{path.stem}") not in NOT_ABOUT_IT]


def _conformance(found: Implementation, scheme: Scheme, role: str, extent: Extent) -> Part:
    settings = _settings(found, extent, f"{scheme.name}-{role}", role)
    suites = [scheme.suites, *scheme.more_suites, *hostile_suites()]
    plan = Plan(settings, suites, tags=[f"scheme:{scheme.name}"])
    return Part(CONFORMANCE, f"{scheme.title}: conformance, as {role}", scheme.name, plan)


def _matrix(found: Implementation, scheme: Scheme, extent: Extent) -> Iterator[Part]:
    title = f"{scheme.title}: interoperability"
    if scheme.name not in in_matrix():
        yield Part(MATRIX, title, scheme.name, left_out=f"{scheme.title} has no matrix.")
        return
    others = [name for name in matrix.candidates(scheme) if _can_meet(name, found, scheme, extent.build)]
    me = found.word
    links = [one.name for one in scheme.links if extent.whole_matrix or one.brief]
    for way, sides in (("from", ([me], [me, *others])), ("to", (others, [me]))):
        if not all(sides):
            continue
        lists = {option: list(names) for option, names in zip(("compressors", "decompressors"), sides, strict=True)}
        choice = {**lists, **{axis.option: [] for axis in scheme.axes}, "traffic": [], "links": links}
        settings = replace(Settings(), part=f"{scheme.name}-{way}", seed=extent.seed, build=extent.build)
        plan = Plan(settings, [f"interop/{scheme.name}"], matrix={scheme.name: choice})
        yield Part(MATRIX, f"{title}, {'it to others' if way == 'from' else 'others to it'}", scheme.name, plan)


def _can_meet(name: str, found: Implementation, scheme: Scheme, build: str) -> bool:
    """True if an implementation is another one, works on this machine and has the same link format."""
    other = implementations.find(name)
    same_format = other.declared(scheme.name).get("wire") == found.declared(scheme.name).get("wire")
    return other.folder != found.folder and same_format and not other.unusable(build)


def _on_the_wire(found: Implementation, scheme: Scheme, extent: Extent) -> Part:
    """The part of a container image or a program: the suites that send frames over interfaces."""
    topology = "compose" if found.image else "netns"
    settings = replace(_settings(found, extent, f"{scheme.name}-wire"), topology=topology)
    names = [path.stem for path in sorted(suite_files(["performance"])[0].glob("*.robot")) if uses_interfaces([path])]
    suites = [scheme.suites, *scheme.more_suites, *(f"performance/{name}" for name in names)]
    suites = [name for name in suites if name and uses_interfaces(suite_files([name]))]
    title = f"{scheme.title}: over interfaces ({topology})"
    if not suites:
        return Part(WIRE, title, scheme.name, left_out=f"No suite sends {scheme.title} over interfaces.")
    return Part(WIRE, title, scheme.name, Plan(settings, suites, tags=[f"scheme:{scheme.name}"]))


def schemes_of(found: Implementation, named: str = "") -> list[Scheme]:
    """The schemes to judge: the one named, else all that the implementation declares. Raises UsageError."""
    known = all_schemes()
    declared = [entry["scheme"] for entry in found.capabilities if entry["scheme"] in known]
    if named and named not in declared:
        raise UsageError(f"{found.name} does not declare the scheme '{named}', but {', '.join(declared) or 'none'}.")
    if not declared:
        raise UsageError(f"{found.name} declares no scheme that there is: {', '.join(known)}.")
    return [known[name] for name in ([named] if named else declared)]


def as_json(part: Part) -> dict[str, Any]:
    """A part as judge.json has it."""
    found = {"kind": part.kind, "title": part.title, "scheme": part.scheme, "left_out": part.left_out}
    return {**found, "plan": part.plan.as_json() if part.plan else None}


def from_json(document: dict[str, Any], folder: Path) -> Part:
    """The part that `as_json` wrote. Raises KeyError, TypeError or UsageError on anything else."""
    kind, title, scheme, left_out = (str(document[key]) for key in ("kind", "title", "scheme", "left_out"))
    plan = Plan.from_json(document["plan"], folder) if document["plan"] else None
    return Part(kind, title, scheme, plan, left_out)
