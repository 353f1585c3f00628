# SPDX-License-Identifier: Apache-2.0
"""A user plane in a container: the reference as a node of the engine, and our image in the place of a vendor's."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from headroom.core.engine_result import EngineFailure
from headroom.core.implementations import Implementation, find
from headroom.schemes.gtpu import packets, wire_load, wire_plane
from headroom.schemes.gtpu.conversation import N4_HOST, OTHER_HOSTS, Conversation, Facts, tunnelled
from headroom.schemes.gtpu.pfcp.tables import Cause, Ie
from headroom.schemes.gtpu.user_plane import N3, N6
from headroom.testbed import choice, compose, containers
from headroom.tests.runs import run_of
from headroom.tests.wire.test_compose import left, with_docker

pytestmark = pytest.mark.usefixtures("state")
YAML = """
name: acme
vendor: Acme
licence: proprietary
obtain: docker/build
container: {{image: headroom/engine, digest: "{digest}"}}
capabilities:
  - scheme: gtpu
    roles: [user-plane]
    n4: true
    features: [ftup, n9]
"""


@pytest.fixture
def acme(tmp_path: Path) -> Implementation:
    """Our image as an implementation that has nothing else."""
    folder = tmp_path / "acme"
    folder.mkdir()
    digest = containers.image("headroom/engine").get("Id", f"sha256:{'cd' * 32}")
    (folder / "implementation.yaml").write_text(YAML.format(digest=digest))
    return find(str(folder))


def implementation(name: str, acme: Implementation) -> Implementation:
    return acme if name == "acme" else find(name)


def test_an_image_is_told_of_both_sides(acme: Implementation, monkeypatch: pytest.MonkeyPatch) -> None:
    """In the variables that docker/compose.yaml passes on."""
    made = choice.make("compose", wire_plane.SHAPE, [0], "gcc-O2")
    monkeypatch.setattr(made, "mac", lambda role, port: f"02:00:00:00:00:0{port}")
    words = wire_plane.image_environment(made, Facts.of(acme).config())
    assert json.loads(words.pop("HEADROOM_CONFIG"))["n4"] == {"address": N4_HOST}
    assert words == {
        "HEADROOM_SCHEME": "gtpu",
        "HEADROOM_N3_ADDRESS": "172.17.0.1",
        "HEADROOM_N3_NEXT_HOP": "172.17.0.254",
        "HEADROOM_N3_NEXT_HOP_MAC": "02:00:00:00:00:01",
        "HEADROOM_N4_ADDRESS": N4_HOST,
        "HEADROOM_N6_ADDRESS": "203.0.113.1",
        "HEADROOM_N6_NEXT_HOP": "203.0.113.2",
        "HEADROOM_N6_NEXT_HOP_MAC": "02:00:00:00:00:00",
        "HEADROOM_N9_ADDRESS": "172.18.0.1",
    }
    passed_on: dict[str, Any] = yaml.safe_load(compose.FILE.read_text())["services"]["user-plane"]["environment"]
    assert words.keys() < passed_on.keys()


@with_docker
@pytest.mark.parametrize("name", ["reference", "acme"])
def test_a_conversation_with_a_container(name: str, acme: Implementation) -> None:
    found = implementation(name, acme)
    facts, peers = Facts.of(found), list(OTHER_HOSTS.values())
    with wire_plane.of_implementation(found, facts.config(), n9_peers=peers, topology="compose") as plane:
        talk = Conversation(plane, facts)
        answer = talk.associate()
        assert answer is not None
        assert answer.value(Ie.CAUSE) == Cause.REQUEST_ACCEPTED
        session = talk.establish()
        up, down = talk.to_network(session, 700), talk.to_user(session, 1300)
        assert [packets.differences(up, one) for one in talk.uplink(session, up).sent(N6)] == [""]
        (tunnel,) = tunnelled(talk.downlink(down), N3)
        assert tunnel.message is not None
        assert (tunnel.message.teid, packets.differences(down, tunnel.message.inner)) == (session.access_teid, "")
        assert not talk.step.taken, "nothing but what was asked for"
        plane.end()
        assert (plane.place["name"], plane.place["shape"]) == ("compose", "node")
        assert plane.statistics["compressed"] == plane.statistics["decompressed"] == 1
        project = plane._made.project  # type: ignore[attr-defined]
    assert left(project) == []


@with_docker
@pytest.mark.parametrize("name", ["reference", "acme"])
def test_packets_of_a_profile_go_through_a_container_both_ways(name: str, acme: Implementation) -> None:
    asked = run_of(topology="compose", quick=True, compressor=implementation(name, acme).word)
    with wire_load.line(asked, (0,), "asked", "gtpu-imix", 20) as made:
        trial = made.trial(500, 0.5)
        (worker,) = made.watched["compressor"].statistics()["workers"]
    assert [(one.received, one.lost, one.unexpected) for one in trial.directions] == [(250, 0, 0)] * 2
    assert worker["compressed"] == worker["decompressed"] >= 250


@with_docker
def test_a_bare_bridge_in_a_container() -> None:
    with wire_load.line(run_of(topology="compose", quick=True), (0,), "bridge", "gtpu-imix", 20) as made:
        assert [one.lost for one in made.trial(500, 0.5).directions] == [0, 0]


@with_docker
def test_an_image_refuses_a_scheme_without_a_user_plane(acme: Implementation) -> None:
    with choice.make("compose", wire_plane.SHAPE, [0], "gcc-O2") as made:
        assert isinstance(made, compose.Compose)
        made.start_image(wire_plane.ROLE, acme.image, {"HEADROOM_SCHEME": "rohc"})
        with pytest.raises(EngineFailure, match=r"does not support this test .*127\): .*scheme rohc as a user-plane"):
            made.crew.wait_until_ready(60)
