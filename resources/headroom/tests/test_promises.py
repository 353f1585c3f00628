# SPDX-License-Identifier: Apache-2.0
"""Each scheme has the parts that its `SCHEME` promises: a part that is missing is a sentence here, not a traceback in a
run."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

import pytest

from headroom.core import implementations, matrix, requirements
from headroom.core.captures.dissection import LinkDissector, PayloadDissector
from headroom.core.contract import CLEAN, Framing, Interop, Scheme
from headroom.core.declarations import schema_of
from headroom.core.metrics import Metric
from headroom.core.papers.measured import MeasuredPaper
from headroom.core.paths import ROOT, SUITES
from headroom.core.replay_options import ReplayWords
from headroom.core.scheme_registry import FOLDER, all_schemes
from headroom.core.sentinels import Sentinel
from headroom.core.workload import Workload
from headroom.core.yamlfile import schema

ONE_WAY = {"compressor", "decompressor"}


def broken(scheme: Scheme) -> list[str]:
    """Sentences about the promises of a scheme that it does not keep."""
    return [f"{scheme.title} {sentence}" for check in CHECKS for sentence in check(scheme)]


def of_judge(scheme: Scheme) -> Iterator[str]:
    folder = FOLDER / scheme.name
    if not (folder / "judge.py").is_file() and not (folder / "judge" / "__init__.py").is_file():
        yield f"has no judge: schemes/{scheme.name}/judge is neither a package nor a module."


def of_matrix(scheme: Scheme) -> Iterator[str]:
    parts = {"axes": scheme.axes, "links": scheme.links, "interop": scheme.interop}
    if missing := [name for name, part in parts.items() if not part]:
        if len(missing) < len(parts):
            yield f"is half in the matrix: it has no {' and no '.join(missing)}."
        return
    if scheme.links[0].name != CLEAN or not scheme.links[0].harmless:
        yield f"does not have the link condition '{CLEAN}', which does no harm, as its first."
    if not isinstance(scheme.cells(), Interop):
        yield "does not say in `interop` how cells of the matrix run."
    if not (SUITES / "interop" / f"{scheme.name}.robot").is_file():
        yield f"is in the matrix without rows: suites/interop/{scheme.name}.robot is not there."
    if not any(one.scheme == scheme.name for one in requirements.load().values()):
        yield "is judged in the matrix, and resources/requirements has no document of it."


def of_capabilities(scheme: Scheme) -> Iterator[str]:
    """A row for implementations that do not declare the scheme is refused with a sentence that names one of them."""
    known = {*schema("implementation")["$defs"]["capability"]["properties"]}
    known |= {*schema_of(scheme.name, "capabilities").get("properties", {})}
    if unknown := {*scheme.described, *scheme.listed} - known:
        yield f"names capabilities that nobody may declare: {', '.join(sorted(unknown))}."
    strangers = [name for name in implementations.names() if not implementations.find(name).declared(scheme.name)]
    for row in matrix.rows(scheme, strangers[:1], strangers[:1]) if scheme.axes and scheme.interop else ():
        reason = scheme.cells().unsupported(row)
        if strangers[0] not in reason or not reason.endswith("."):
            values = ", ".join(row.axes.values())
            yield f"lets {strangers[0]} run the row {values}, which it does not declare: '{reason}'"


def of_suites(scheme: Scheme) -> Iterator[str]:
    for folder in (scheme.suites, *scheme.more_suites) if scheme.suites else ():
        if not [*(SUITES / folder).glob("*.robot")]:
            yield f"has no suite in suites/{folder}."
    if scheme.interop and not scheme.suites:
        yield "is in the matrix and names no folder of conformance suites."


def of_measurement(scheme: Scheme) -> Iterator[str]:
    if scheme.workload:
        if not isinstance(scheme.workload(), Workload):
            yield "has a workload that is none."
        if not {*scheme.roles} >= ONE_WAY:
            yield "has a workload of flow pairs without the roles of a compressor and a decompressor."
        tag = re.compile(rf"\bscheme:{scheme.name}\b")
        if not any(tag.search(path.read_text(encoding="utf-8")) for path in (SUITES / "performance").glob("*.robot")):
            yield f"has a workload without rows: no suite of suites/performance has the tag scheme:{scheme.name}."
    if scheme.streams and not (ROOT / "traffic-profiles" / "trex" / scheme.streams.program).is_file():
        yield f"has no program traffic-profiles/trex/{scheme.streams.program}."
    if wrong := [name for name, paper in scheme.papers().items() if not isinstance(paper, MeasuredPaper)]:
        yield f"does not say how it measures {', '.join(wrong)}."
    for what, kind, found in (("metric", Metric, scheme.metrics()), ("sentinel", Sentinel, scheme.sentinels())):
        if not all(isinstance(one, kind) for one in found):
            yield f"has a {what} that is none."


def of_captures(scheme: Scheme) -> Iterator[str]:
    dissector = scheme.dissector and scheme.dissector()
    if dissector is None and (scheme.framing != Framing() or scheme.decode_options):
        yield "says how captures carry its packets, and has no dissector."
    if dissector is not None and not isinstance(dissector, LinkDissector | PayloadDissector):
        yield "has a dissector that is none."
    if scheme.replay_options and not (scheme.replay and isinstance(scheme.replay(), ReplayWords)):
        yield "has options of replays, and no `replay` that reads them."


def of_others(scheme: Scheme) -> Iterator[str]:
    if unknown := {*scheme.carries} - {*all_schemes()}:
        yield f"carries schemes that there are not: {', '.join(sorted(unknown))}."


CHECKS = (of_judge, of_matrix, of_capabilities, of_suites, of_measurement, of_captures, of_others)


@pytest.mark.parametrize("scheme", all_schemes().values(), ids=all_schemes())
def test_promised_parts_are_there(scheme: Scheme) -> None:
    assert broken(scheme) == []


ANY = next(one for one in all_schemes().values() if one.workload and one.interop)


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        (replace(ANY, name="morse"), "has no judge: schemes/morse/judge is neither a package nor a module."),
        (replace(ANY, name="morse"), "is in the matrix without rows: suites/interop/morse.robot is not there."),
        (
            replace(ANY, name="morse"),
            "has a workload without rows: no suite of suites/performance has the tag",
        ),
        (replace(ANY, name="morse"), "is judged in the matrix, and resources/requirements has no document of it."),
        (replace(ANY, interop=None), "is half in the matrix: it has no interop."),
        (replace(ANY, axes=(), links=()), "is half in the matrix: it has no axes and no links."),
        (replace(ANY, links=ANY.links[1:]), f"does not have the link condition '{CLEAN}'"),
        (replace(ANY, described=("colour",)), "names capabilities that nobody may declare: colour."),
        (
            replace(ANY, interop=lambda: replace(ANY.cells(), unsupported=lambda row: "")),
            ", which it does not declare: ''",
        ),
        (replace(ANY, suites=""), "is in the matrix and names no folder of conformance suites."),
        (replace(ANY, suites="conformance/morse"), "has no suite in suites/conformance/morse."),
        (replace(ANY, roles=("endpoint",)), "without the roles of a compressor and a decompressor."),
        (replace(ANY, papers=lambda: {"one-2026": object()}), "does not say how it measures one-2026."),
        (replace(ANY, metrics=lambda: ("colour",)), "has a metric that is none."),
        (replace(ANY, dissector=None), "says how captures carry its packets, and has no dissector."),
        (replace(ANY, replay=None), "has options of replays, and no `replay` that reads them."),
        (replace(ANY, carries=("morse",)), "carries schemes that there are not: morse."),
    ],
)
def test_a_broken_promise_is_a_sentence(changed: Scheme, sentence: str) -> None:
    assert any(sentence in one and one.startswith(ANY.title) for one in broken(changed))
