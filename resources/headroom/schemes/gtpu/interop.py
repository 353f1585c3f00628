# SPDX-License-Identifier: Apache-2.0
"""Cells of the interop matrix: a story of two user planes in a chain (`chain`), with users and tunnels of one IP
version. The compressor's place has the user plane at the base station, the decompressor's that at the data network."""

from __future__ import annotations

import re
from collections.abc import Sequence

from headroom.core import capabilities
from headroom.core.capabilities import NotDeclared
from headroom.core.contract import CellTitles, Interop
from headroom.core.errors import HeadroomError
from headroom.core.finding import Finding
from headroom.core.implementations import Implementation, find
from headroom.core.matrix import ArtefactStore, Cell, Row, Traffic
from headroom.core.results import collector
from headroom.core.scheme_kit.cells import Runner, Trial, link_of
from headroom.schemes.gtpu import chain, user_plane
from headroom.schemes.gtpu.conformance.check import Check
from headroom.schemes.gtpu.conversation import Conversation, Facts
from headroom.schemes.gtpu.pfcp.message import PfcpError

ROLE = "user-plane"
IP_VERSIONS = {"ipv4": 4, "ipv6": 6}
FEATURES = {"ipv4": chain.NEEDED, "ipv6": (*chain.NEEDED, "ipv6-transport", "ipv6-users")}


def unsupported(row: Row) -> str:
    """Returns the reason why two user planes cannot run a row, as a sentence; "" if both can."""
    for implementation in _planes(row):
        reason = implementation.lacks(ROLE, row.scheme.name, features=FEATURES[row["ip_version"]])
        if not reason and not Facts.of(implementation).n4:
            reason = f"{implementation.name} does not declare n4"
        if not reason and not implementation.library:
            reason = f"{implementation.name} has no adapter, and a chain of user planes runs in the engine"
        if reason := reason or implementation.unusable(row.build):
            return f"{reason}."
    return ""


def _planes(row: Row) -> tuple[Implementation, Implementation]:
    return find(row.compressor), find(row.decompressor)


def traffic_of(row: Row) -> list[Traffic]:
    """The stories that a row names, or all."""
    return [Traffic(name) for name in chain.STORIES if not row.traffic or name in row.traffic]


def _trial(cells: Sequence[Cell], store: ArtefactStore) -> list[Trial]:
    return [_tried(cell, store) for cell in cells]


def _tried(cell: Cell, store: ArtefactStore) -> Trial:
    row, story = cell.row, chain.STORIES[cell.traffic.name]
    planes = _planes(row)
    needed = (*FEATURES[row["ip_version"]], *story.features)
    try:
        for implementation in planes:
            capabilities.require(implementation, ROLE, row.scheme, row.build, features=needed)
    except NotDeclared as lacking:
        return Trial("unsupported", str(lacking))
    checks = (Check(), Check())
    first, second = map(Facts.of, planes)
    near = user_plane.of_implementation(planes[0], first.config(), row.build, capture=link_of(cell, store))
    far = user_plane.of_implementation(planes[1], chain.second_config(second), row.build)
    told = chain.Chain(Conversation(near, first), Conversation(far, second), checks, IP_VERSIONS[row["ip_version"]])
    try:
        with near, far:
            told.first.associate()
            told.second.associate()
            story.tell(told)
            for talk, check in zip((told.first, told.second), checks, strict=True):
                check.nothing_late(talk, chain.GOES_ON)
            near.end()
            far.end()
    except (HeadroomError, PfcpError) as failure:
        # Each of these follows from an answer, or from its absence.
        is_near = near.asked_s > far.asked_s
        place = f"{planes[0].name}, at the base station" if is_near else f"{planes[1].name}, at the data network"
        return _trial_of_failure(cell, failure, f"{place}: ")
    return judged([(result, check.findings) for result, check in zip(planes, checks, strict=True)])


def judged(sides: Sequence[tuple[Implementation, Sequence[Finding]]]) -> Trial:
    """The trial of a cell with these findings about its user planes. Findings against requirements from which a user
    plane declares to deviate do not count. A broken MUST fails the cell; a missed SHOULD makes it "non-strict".
    """
    results = []
    for plane, findings in sides:
        aside = capabilities.declared_deviations(plane, ROLE)
        results += [(plane.name, entry) for entry in findings if entry.requirement not in aside]
    collector.current().findings += [entry for _, entry in results]
    for severity, verdict in (("must", "fail"), ("should", "non-strict")):
        if wrong := [(name, entry) for name, entry in results if entry.severity == severity]:
            name, finding = wrong[0]
            more = f" And {len(wrong) - 1} more." if len(wrong) > 1 else ""
            signature = f"{name} · {finding.requirement} · {re.sub(r'[0-9]+', 'n', finding.sentence)[:120]}"
            return Trial(
                verdict,  # type: ignore[arg-type]
                f"{name}: {finding}{more}",
                signature,
                text=lambda: [f"{name}: {entry}" for name, entry in results],
            )
    return Trial("pass")


def _trial_of_failure(cell: Cell, failure: Exception, place: str = "") -> Trial:
    reason = f"{place}{failure}"
    return Trial("error", reason, (reason.splitlines() or [""])[0][:160])


INTEROP = Interop(
    titles=CellTitles(
        sender="At the base station",
        traffic="Story",
        evidence="the findings",
        passed="Packets of several sizes came out at the other end as they went in. Every message on N9 conformed to "
        "its specifications, and control messages had the required effect on the other user plane.",
        what="the user plane at the base station with the one at the data network, over N9: IP versions and stories",
    ),
    unsupported=unsupported,
    traffic=traffic_of,
    traffic_names=lambda: [*chain.STORIES],
    run=Runner(_trial, failed=_trial_of_failure).run,
)
