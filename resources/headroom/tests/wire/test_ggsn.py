# SPDX-License-Identifier: Apache-2.0
"""osmo-ggsn between two veth pairs, where it is installed: sessions by GTPv1-C, both directions, verdicts."""

import shutil

import pytest

from headroom.core import process_group, sandbox
from headroom.core.errors import EnvironmentLacks, UsageError
from headroom.core.implementations import find, identity
from headroom.schemes.gtpu import ggsn, packets
from headroom.schemes.gtpu.conversation import Conversation, Facts, tunnelled
from headroom.schemes.gtpu.user_plane import N3, N6
from headroom.testbed import choice, images, netns

BUILD = "gcc-O2"
LACKS = netns.lacks() or choice.build_lacks(BUILD)


@pytest.mark.skipif(bool(LACKS) or shutil.which("osmo-ggsn") is None, reason=LACKS or "osmo-ggsn is not installed")
def test_sessions_of_a_ggsn_carry_packets_both_ways() -> None:
    found = find("osmo-ggsn")
    with ggsn.of_program(found, BUILD) as plane:
        (program,) = (one for one in plane._made.crew.services if one.name == "user plane")
        assert sandbox.lacking(ports=True) or process_group.is_walled(program.process)
        talk = Conversation(plane, Facts.of(found), plane.open_session)
        sessions = [talk.establish() for _ in range(3)]
        assert len({session.user for session in sessions}) == 3
        for session in sessions:
            up, down = talk.to_network(session, 700), talk.to_user(session, 1000)
            (arrived,) = talk.uplink(session, up).sent(N6)
            assert packets.differences(up, arrived) == ""
            (tunnel,) = tunnelled(talk.downlink(down), N3)
            assert tunnel.message is not None and tunnel.message.teid == session.access_teid
            assert packets.differences(down, tunnel.message.inner) == ""
        plane.end()
    assert identity(found)["sha256"], "a record names the program by its digest"


def test_it_is_refused_where_it_cannot_run(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UsageError, match="with --topology netns alone"):
        images.require("osmo-ggsn", "process", BUILD)
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(EnvironmentLacks, match=r"osmo-ggsn does not exist\. How to get it: apt-get"):
        images.require("osmo-ggsn", "netns", BUILD)
