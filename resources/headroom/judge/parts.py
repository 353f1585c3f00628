# SPDX-License-Identifier: Apache-2.0
"""The parts of a judgement: runs of suites that share one folder, each about the implementation in one role.

Their order: the promises of the ABI; conformance and hostile input in each role; the matrix with other implementations;
cost beside `null` and the reference. A part that does not apply to the implementation has no plan, but a reason.
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
from headroom.core.results.listener import OF_HARNESS
from headroom.core.run.selection import has_interface_cases, suite_files
from headroom.core.run.session import Plan
from headroom.core.scheme_registry import all_schemes, in_matrix
from headroom.core.settings import Settings

ABI, CONFORMANCE, MATRIX, COST, WIRE = "abi", "conformance", "matrix", "cost", "wire"  # kinds of parts
REFERENCE = "reference"
HOSTILE = "robustness"
ADAPTERS, COSTS = "smoke/adapters", "judge/cost"


@dataclass(frozen=True)
class Part:
    """A part of a judgement: its plan, or the reason why there is none. `title` names its subject."""

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


def parts_of(implementation: Implementation, schemes: Sequence[Scheme], extent: Extent) -> list[Part]:
    """All parts of the judgement of an implementation, for some of the schemes that it declares."""
    result: list[Part] = []
    if implementation.library:
        plan = Plan(_settings(implementation, extent, "abi", subject=False), [ADAPTERS], cases=["The Compressor Asked"])
        result.append(Part(ABI, "the promises of the ABI", plan=plan))
    else:
        result.append(
            Part(ABI, "the promises of the ABI", left_out="It has no adapter, so the checks of the ABI do not apply.")
        )
    for scheme in schemes:
        result += _of_scheme(implementation, scheme, extent)
    return result


def _of_scheme(implementation: Implementation, scheme: Scheme, extent: Extent) -> Iterator[Part]:
    if implementation.image or implementation.program:
        yield _on_the_wire(implementation, scheme, extent)
        return
    if implementation.library:
        yield from (
            _conformance(implementation, scheme, role, extent) for role in implementation.declared(scheme.name)["roles"]
        )
    else:
        reason = "It is known by capture files, which cannot be run: only the matrix reads them."
        yield Part(CONFORMANCE, f"{scheme.title}: conformance", scheme.name, left_out=reason)
    yield from _matrix(implementation, scheme, extent)
    if implementation.library:
        tag = f"scheme:{scheme.name}"
        settings = _settings(implementation, extent, f"{scheme.name}-cost", both=True)
        plan = Plan(settings, [COSTS], tags=[tag])
        yield Part(COST, f"{scheme.title}: cost", scheme.name, plan)


def _settings(
    implementation: Implementation,
    extent: Extent,
    part: str,
    role: str = "compressor",
    subject: bool = True,
    both: bool = False,
) -> Settings:
    """The settings of a run about an implementation. An endpoint is named as the decompressor, a user plane as the
    compressor, as the suites expect. With `both`, it takes both roles; without `subject`, no role is the subject.
    """
    side = "decompressor" if role in ("decompressor", "endpoint") else "compressor"
    names = (
        {"compressor": implementation.word, "decompressor": implementation.word}
        if both
        else {side: implementation.word}
    )
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
    """The suites of robustness that test the implementation under test."""
    files = sorted(suite_files([HOSTILE])[0].glob("*.robot"))
    names = [f"{HOSTILE}/{path.stem}" for path in files]
    return [name for name in names if f"{name}/" not in OF_HARNESS]


def _conformance(implementation: Implementation, scheme: Scheme, role: str, extent: Extent) -> Part:
    settings = _settings(implementation, extent, f"{scheme.name}-{role}", role)
    suites = [scheme.suites, *scheme.more_suites, *hostile_suites()]
    plan = Plan(settings, suites, tags=[f"scheme:{scheme.name}"])
    return Part(CONFORMANCE, f"{scheme.title}: conformance, as {role}", scheme.name, plan)


def _matrix(implementation: Implementation, scheme: Scheme, extent: Extent) -> Iterator[Part]:
    title = f"{scheme.title}: interoperability"
    if scheme.name not in in_matrix():
        yield Part(MATRIX, title, scheme.name, left_out=f"{scheme.title} has no matrix.")
        return
    others = [name for name in matrix.candidates(scheme) if _can_meet(name, implementation, scheme, extent.build)]
    me = implementation.word
    links = [link.name for link in scheme.links if extent.whole_matrix or link.brief]
    for way, sides in (("from", ([me], [me, *others])), ("to", (others, [me]))):
        if not all(sides):
            continue
        lists = {option: list(names) for option, names in zip(("compressors", "decompressors"), sides, strict=True)}
        choice = {**lists, **{axis.option: [] for axis in scheme.axes}, "traffic": [], "links": links}
        settings = replace(Settings(), part=f"{scheme.name}-{way}", seed=extent.seed, build=extent.build)
        plan = Plan(settings, [f"interop/{scheme.name}"], matrix={scheme.name: choice})
        yield Part(MATRIX, f"{title}, {'it to others' if way == 'from' else 'others to it'}", scheme.name, plan)


def _can_meet(name: str, implementation: Implementation, scheme: Scheme, build: str) -> bool:
    """True if the named implementation is a different one, works on this machine and has the same link format."""
    other = implementations.find(name)
    same_format = other.declared(scheme.name).get("wire") == implementation.declared(scheme.name).get("wire")
    return other.folder != implementation.folder and same_format and not other.unusable(build)


def _on_the_wire(implementation: Implementation, scheme: Scheme, extent: Extent) -> Part:
    """The part of a container image or a program: the suites that send frames over interfaces."""
    topology = "compose" if implementation.image else "netns"
    settings = replace(_settings(implementation, extent, f"{scheme.name}-wire"), topology=topology)
    names = [
        path.stem for path in sorted(suite_files(["performance"])[0].glob("*.robot")) if has_interface_cases([path])
    ]
    suites = [scheme.suites, *scheme.more_suites, *(f"performance/{name}" for name in names)]
    suites = [name for name in suites if name and has_interface_cases(suite_files([name]))]
    title = f"{scheme.title}: over interfaces ({topology})"
    if not suites:
        return Part(WIRE, title, scheme.name, left_out=f"No suite sends {scheme.title} over interfaces.")
    return Part(WIRE, title, scheme.name, Plan(settings, suites, tags=[f"scheme:{scheme.name}"]))


def schemes_of(implementation: Implementation, named: str = "") -> list[Scheme]:
    """The schemes to judge: the named one, or all that the implementation declares. Raises UsageError."""
    known = all_schemes()
    declared = [entry["scheme"] for entry in implementation.capabilities if entry["scheme"] in known]
    if named and named not in declared:
        raise UsageError(
            f"{implementation.name} does not declare the scheme '{named}', but {', '.join(declared) or 'none'}."
        )
    if not declared:
        raise UsageError(f"{implementation.name} declares no known scheme; known are {', '.join(known)}.")
    return [known[name] for name in ([named] if named else declared)]


def as_json(part: Part) -> dict[str, Any]:
    """The part as it stands in judge.json."""
    document = {"kind": part.kind, "title": part.title, "scheme": part.scheme, "left_out": part.left_out}
    return {**document, "plan": part.plan.as_json() if part.plan else None}


def from_json(document: dict[str, Any], folder: Path) -> Part:
    """The part that `as_json` wrote. Raises KeyError, TypeError or UsageError if the document is damaged."""
    kind, title, scheme, left_out = (str(document[key]) for key in ("kind", "title", "scheme", "left_out"))
    plan = Plan.from_json(document["plan"], folder) if document["plan"] else None
    return Part(kind, title, scheme, plan, left_out)
