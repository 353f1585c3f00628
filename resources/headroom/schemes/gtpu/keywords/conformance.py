# SPDX-License-Identifier: Apache-2.0
"""Keywords of the conformance suites of GTP-U and PFCP.

The user plane under test is the implementation that --compressor names, or --decompressor where it alone is named: a
user plane is both sides.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

from robot.api.deco import keyword

from headroom import __version__
from headroom.core import capabilities
from headroom.core.capabilities import Inconclusive, NotDeclared
from headroom.core.errors import UsageError
from headroom.core.results import collector
from headroom.core.results.record import in_process
from headroom.keywords import cases, verdicts
from headroom.keywords.artefacts import artefact_folder
from headroom.keywords.base import library, requirements_of_case
from headroom.keywords.cases import Case
from headroom.schemes.gtpu import ggsn, user_plane, wire_plane
from headroom.schemes.gtpu.conformance import (
    gtpu_stories,
    hostile,
    n4_stories,
    rule_stories,
    uplink,
    usage_stories,
)
from headroom.schemes.gtpu.conformance.check import Check, Stories
from headroom.schemes.gtpu.conversation import OTHER_HOSTS, Conversation, Facts
from headroom.schemes.gtpu.pfcp.message import PfcpError
from headroom.schemes.gtpu.scheme import SCHEME
from headroom.testbed.choice import NotOnThisTopology

ROLE = "user-plane"
JUDGE = "judge (TS 29.281, TS 29.244)"
STORIES: dict[str, Stories] = {
    "path": gtpu_stories.PATH,
    "tunnels": gtpu_stories.TUNNELS,
    "associations": n4_stories.ASSOCIATIONS,
    "sessions": n4_stories.SESSIONS,
    "errors": n4_stories.ERRORS,
    "rules": rule_stories.RULES,
    "qos": rule_stories.QOS,
    "usage": usage_stories.USAGE,
}


@library
class UserPlaneKeywords:
    """Uplink packets by the words of `conformance.uplink`, stories by their names, and hostile input."""

    topologies = wire_plane.TOPOLOGIES  # over which cases run in a node

    @keyword("Uplink Packet Should Be Forwarded")
    def forwarded(self, or_dropped: bool = False, **words: str) -> None:
        """A G-PDU of a session's uplink, as the words have it: its T-PDU goes to the data network, and nothing is
        answered. OR_DROPPED: or nothing goes on, where the specification leaves that open."""
        with _opened() as (talk, check):
            uplink.must_be_forwarded(talk, check, words, or_dropped)

    @keyword("Uplink Packet Should Be Dropped")
    def dropped(self, answers: int = 0, **words: str) -> None:
        """Likewise, and nothing goes to the data network. ANSWERS: how many messages may come back."""
        with _opened() as (talk, check):
            uplink.must_be_dropped(talk, check, words, int(answers))

    @keyword("User Plane Should Follow")
    def followed(self, group: str, name: str) -> None:
        """A story of a group, such as `path` or `rules`, by its name."""
        stories = STORIES.get(group)
        if stories is None or name not in stories:
            known = ", ".join(stories or STORIES)
            raise UsageError(f"There is no story '{name}' of '{group}'. Known: {known}.")
        story = stories[name]
        if story.fragmented and about().run.topology == "compose":
            raise NotOnThisTopology(
                "The kernel puts fragments together on the bridges between containers, because Docker's rules track "
                "connections: name --topology process or netns."
            )
        with _opened(story.features, story.n4, story.associated) as (talk, check):
            collector.current().parameters |= {"kind": "story", "group": group, "story": name}
            story.tell(talk, check)
            if isinstance(talk.plane, user_plane.EngineUserPlane):
                check.nothing_late(talk)

    @keyword("User Plane Should Withstand")
    def withstood(self, attack: str) -> None:
        """Hostile packets or messages, by name: none of them makes the adapter crash or break a promise, and sessions
        work afterwards as before, old ones and new ones."""
        entry = hostile.ATTACKS.get(attack)
        if entry is None:
            raise UsageError(f"There is no attack '{attack}'. Known: {', '.join(hostile.ATTACKS)}.")
        with _opened(entry.features, entry.n4) as (talk, check):
            collector.current().parameters |= {"kind": "attack", "attack": attack}
            hostile.withstand(entry, talk, check)


def about() -> Case:
    """The running case. Ends it where the implementation under test is no user plane."""
    from headroom.keywords.base import current_run

    return cases.about(
        SCHEME, JUDGE, "decompressor" if current_run().settings.subject == "decompressor" else "compressor"
    )


@contextmanager
def _opened(
    features: Sequence[str] = (), n4: bool = False, associated: bool = True
) -> Iterator[tuple[Conversation, Check]]:
    """A conversation with the user plane under test, and a check whose findings become the verdict."""
    case = about()
    implementation, build = case.found, case.run.build
    capabilities.require(implementation, ROLE, SCHEME, build, features=list(features))
    facts = Facts.of(implementation)
    if n4 and not facts.n4:
        raise NotDeclared(f"{implementation.name} does not declare n4.")
    requirements = sorted(requirements_of_case())
    check = Check(requirements[0] if requirements else "")
    capture = _capture()
    with _plane(case, facts, capture) as plane:
        if isinstance(plane, wire_plane.WireUserPlane):
            collector.current().traffic = in_process(__version__) | {"topology": plane.place}
        talk = Conversation(plane, facts, plane.open_session if isinstance(plane, ggsn.GgsnUserPlane) else None)
        try:
            if associated:
                talk.associate()
            yield talk, check
        except PfcpError as error:
            sentence = f"The octets received over N4 are no PFCP message: {error}"
            if not check.requirement.startswith("TS29244"):  # a case about something else was not reached
                raise Inconclusive(sentence) from None
            check.expect(False, sentence)
        plane.end()
    if capture is not None:
        if check.findings:
            collector.current().files.append((capture, "capture: all interfaces"))
        else:
            capture.unlink(missing_ok=True)
    verdicts.conclude(check.findings, case.role)


def _plane(
    case: Case, facts: Facts, capture: Path | None
) -> AbstractContextManager[user_plane.EngineUserPlane | wire_plane.WireUserPlane]:
    """The user plane where the run's topology has it: in the engine, or in a node between interfaces."""
    implementation, build = case.found, case.run.build
    if implementation.control == "gtpv1-c":
        return ggsn.of_program(implementation, build)
    if case.run.topology == "process":
        return user_plane.of_implementation(implementation, facts.config(), build, capture)
    if case.run.topology not in wire_plane.TOPOLOGIES:
        raise NotOnThisTopology("Cases of user planes run with --topology process, netns or compose.")
    return wire_plane.of_implementation(
        implementation, facts.config(), list(OTHER_HOSTS.values()), build, case.run.topology
    )


def _capture() -> Path | None:
    folder = artefact_folder()
    return None if folder is None else folder / "packets.pcapng"
