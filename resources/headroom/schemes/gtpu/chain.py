# SPDX-License-Identifier: Apache-2.0
"""Two user planes in a chain: the first between base station and N9, the second between N9 and the data network.

What one sends on N9 the other is given if there is nothing wrong with it: else the other would be blamed for dropping
it. Both are controlled over N4 by the same control plane.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from headroom.schemes.gtpu import judge, packets
from headroom.schemes.gtpu.conformance.check import Check
from headroom.schemes.gtpu.conformance.gtpu_stories import end_marker, error_indication
from headroom.schemes.gtpu.conversation import (
    N9_HOSTS,
    OTHER_HOSTS,
    Conversation,
    Facts,
    Session,
    Tunnelled,
    ends_of_tunnels,
    read_tunnelled,
    tunnelled,
)
from headroom.schemes.gtpu.pfcp import elements
from headroom.schemes.gtpu.pfcp.tables import Action, Ie, Interface, ReportType
from headroom.schemes.gtpu.user_plane import N3, N9

NEEDED = ("ftup", "n9")
GOES_ON, SIZES = "TS29244-8.2.26-2", (0, 1, 536, 1372)


def second_config(facts: Facts) -> dict[str, Any]:
    """The configuration of the second user plane, whose N9 has addresses of its own."""
    config = facts.config()
    return config | {"n9": {name: OTHER_HOSTS[int(name[-1])] for name in config["n9"]}}


@dataclass
class Chain:
    """The conversations with both user planes. `checks` have what each did wrong."""

    first: Conversation
    second: Conversation
    checks: tuple[Check, Check]
    ip: int = 4  # the version of users and tunnels
    access: Session | None = None  # the session of the first user plane as the base station sees it
    middle: Session | None = None  # that of the second as the first sees it
    back: Session | None = None  # that of the first as the second sees it

    def establish(self) -> bool:
        """Establishes a session in both user planes: the first one's uplink drops until the second one's tunnel is
        known. False if one of them chose a tunnel endpoint that is none of its own: the other is not given that.
        """
        access = self.first.new_session(self.ip, self.ip)
        removal = elements.REMOVE_IPV6 if self.ip == 6 else elements.REMOVE_IPV4
        far_side = [elements.source_interface(Interface.CORE), elements.choose_f_teid(self.ip)]
        rules = [
            elements.pdr(1, 100, self.first.pdi_up(access), far=1, removal=removal),
            elements.pdr(2, 100, far_side, far=2, removal=removal),
            elements.far(1, Action.DROP),
            self.first.far_down(access),
        ]
        access = self.first.establish(rules, access)
        back = _tunnel(access, 2, self.ip)
        own = ends_of_tunnels(self.first.facts.config())
        if not (self.checks[0].chosen(access, own) and self.checks[0].chosen(back, own)):
            return False
        middle = replace(self.second.new_session(self.ip, self.ip), access=back.host, access_teid=back.teid)
        up = [
            elements.source_interface(Interface.ACCESS),
            elements.interface_type_n9(),
            elements.choose_f_teid(self.ip),
        ]
        up.append(elements.ue_ip_address(middle.user, destination=False))
        rules = [
            elements.pdr(1, 100, up, far=1, removal=removal),
            elements.pdr(2, 100, self.second.pdi_down(middle), far=2, qers=[1]),
            elements.far(1, Action.FORWARD, Interface.CORE),
            self.second.far_down(middle, n9=True),
            elements.qer(1, qfi=middle.qfi),
        ]
        middle = _tunnel(self.second.establish(rules, middle), 1, self.ip)
        if not self.checks[1].chosen(middle, ends_of_tunnels(second_config(self.second.facts))):
            return False
        onward = {"teid": middle.teid, "host": middle.host}
        self.first.must_modify(access, elements.far(1, Action.FORWARD, Interface.CORE, update=True, **onward))
        self.access, self.middle, self.back = access, middle, back
        return True

    def both_ways(self, size: int) -> None:
        """A packet in each direction goes through, unchanged, and is a right G-PDU in between."""
        assert self.access is not None and self.middle is not None
        (first, second), middle = self.checks, self.middle
        packet = self.first.to_network(self.access, size)
        step = self.first.uplink(self.access, packet)
        if right(first, lambda: first.downlink(step, self.onward(), packet, GOES_ON, N9)):
            second.uplink(self.second.give(step.sent(N9)[0], N9), packet, GOES_ON)
        packet = self.second.to_user(self.middle, size)
        back = self.second.downlink(packet)
        if right(second, lambda: second.downlink(back, middle, packet, GOES_ON, N9)):
            first.downlink(self.first.give(back.sent(N9)[0], N9), self.access, packet, GOES_ON)

    def onward(self) -> Session:
        """The session whose tunnel leads from the first user plane to the second."""
        assert self.middle is not None and self.back is not None
        ends = {"access": self.middle.host, "access_teid": self.middle.teid, "host": self.back.host}
        return replace(self.middle, **ends, qfi=None)  # the container is one of the uplink


def right(check: Check, judged: Callable[[], Tunnelled | None]) -> bool:
    """True if the check of a message on N9 adds no finding. A message with an extension header that its receiver has to
    know and that no rule asks for adds one."""
    before = len(check.findings)
    output = judged()
    if output is not None and output.message is not None:
        for extension in output.message.extensions:
            known = not extension.type & 0x80 or extension.type == judge.PDU_SESSION_CONTAINER
            check.expect(known, f"The {output.message.name} has the {extension.name}, which no rule asks for.", GOES_ON)
    return len(check.findings) == before


def _tunnel(session: Session, pdr: int, transport: int) -> Session:
    """The session with the tunnel endpoint that was chosen for a PDR."""
    assert session.answer is not None
    for created in session.answer.all(Ie.CREATED_PDR):
        number, tunnel = created.find(Ie.PDR_ID), created.find(Ie.F_TEID)
        if number is not None and tunnel is not None and int.from_bytes(number.value, "big") == pdr:
            result = elements.read_f_teid(tunnel)
            return replace(session, teid=result.teid, host=result.host(transport))
    return session


def _host(teid: elements.FTeid, version: int) -> str:
    return teid.ipv6 if version == 6 else teid.ipv4


def _both_ways(chain: Chain) -> None:
    for size in SIZES if chain.establish() else ():
        chain.both_ways(size)


def _several(chain: Chain) -> None:
    """Each session has its own tunnels."""
    for _ in range(5):
        if not chain.establish():
            return
        chain.both_ways(64)


def _end_marker(chain: Chain) -> None:
    """The second user plane moves to another tunnel, and its End Marker comes to the base station."""
    if not chain.establish():
        return
    assert chain.access is not None and chain.middle is not None
    first, second = chain.checks
    moved = replace(chain.middle, access=N9_HOSTS[chain.ip], access_teid=0x0E000001)
    chain.second.must_modify(chain.middle, chain.second.far_down(moved, update=True, end_marker=True, n9=True))
    sent = [packet.octets for packet in chain.second.step.taken if packet.side == N9]
    if not second.expect(len(sent) == 1, f"{len(sent)} End Markers were sent, not one.", "TS29244-8.2.31-1"):
        return
    marker, left = read_tunnelled(sent[0], N9), chain.middle

    def ends_the_tunnel() -> Tunnelled:
        end_marker(second, marker, left.access, left.access_teid, "TS29244-8.2.31-1")
        return marker

    if right(second, ends_the_tunnel):
        outputs = tunnelled(chain.first.give(sent[0], N9), N3)
        sentence = f"An End Marker went in, and {len(outputs)} messages came out on the other side, not one."
        if first.expect(len(outputs) == 1, sentence, "TS29281-7.3.2-2"):
            end_marker(first, outputs[0], chain.access.access, chain.access.access_teid, "TS29281-7.3.2-2")


def _error_indication(chain: Chain) -> None:
    """The second user plane loses the session: its Error Indication makes the first one report the tunnel."""
    if not chain.establish():
        return
    assert chain.access is not None and chain.middle is not None
    first, second = chain.checks
    second.expect_accepted(chain.second.delete(chain.middle), "TS29244-7.5.7-1")
    packet = chain.first.to_network(chain.access)
    step, onward = chain.first.uplink(chain.access, packet), chain.onward()
    if not right(first, lambda: first.downlink(step, onward, packet, GOES_ON, N9)):
        return
    replies = chain.second.give(step.sent(N9)[0], N9).sent(N9)
    sentence = f"{len(replies)} answers came to a packet of a lost session, not one."
    if not second.expect(len(replies) == 1, sentence, "TS29281-7.3.1-2"):
        return
    reply = read_tunnelled(replies[0], N9)

    def is_about_the_tunnel() -> Tunnelled:
        error_indication(second, reply, onward.host, onward.access_teid, onward.access)
        return reply

    if not right(second, is_about_the_tunnel):
        return
    first.silent(chain.first.give(replies[0], N9), "TS29281-7.3.1-8")
    reports = chain.first.reports(ReportType.ERROR_INDICATION)
    sentence = f"{len(reports)} reports came about the Error Indication of the other user plane, not one."
    if first.expect(len(reports) == 1, sentence, "TS29244-5.10-1"):
        inside = reports[0].find(Ie.ERROR_INDICATION_REPORT)
        tunnel = inside.find(Ie.F_TEID) if inside else None
        ends = elements.read_f_teid(tunnel) if tunnel else None
        good = ends is not None and (ends.teid, _host(ends, chain.ip)) == (chain.middle.teid, chain.middle.host)
        first.expect(
            good, f"The report names {ends}, which is not the tunnel of the Error Indication.", "TS29244-5.10-1"
        )


def _echo(chain: Chain) -> None:
    """Either user plane answers an Echo Request from the address of the other."""
    octets = packets.gtpu(1, 0, b"", sequence=7)
    for talk, check, ends in (
        (chain.first, chain.checks[0], (OTHER_HOSTS[chain.ip], N9_HOSTS[chain.ip])),
        (chain.second, chain.checks[1], (N9_HOSTS[chain.ip], OTHER_HOSTS[chain.ip])),
    ):
        outputs = tunnelled(talk.give(packets.udp(*ends, judge.PORT, judge.PORT, octets), N9), N9)
        sentence = f"{len(outputs)} answers came to an Echo Request on N9, not one."
        if check.expect(len(outputs) == 1, sentence, "TS29281-7.2.2-1"):
            check.signalling(outputs[0], 2, "TS29281-7.2.2-1")


@dataclass(frozen=True)
class ChainStory:
    tell: Callable[[Chain], None]
    features: tuple[str, ...] = ()  # of both, beside NEEDED


STORIES = {
    "both-ways": ChainStory(_both_ways),
    "several-sessions": ChainStory(_several),
    "end-marker": ChainStory(_end_marker),
    "error-indication": ChainStory(_error_indication, ("error-indication-reports",)),
    "echo": ChainStory(_echo),
}
