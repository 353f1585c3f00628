# SPDX-License-Identifier: Apache-2.0
"""What endpoints are configured with: who decides a key, and which options an implementation is given."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest

from headroom.core.capabilities import NotDeclared
from headroom.core.implementations import find
from headroom.schemes.sigcomp import call_load, endpoints, messages
from headroom.schemes.sigcomp.conformance import endpoint_engine
from headroom.schemes.sigcomp.conformance.endpoint_session import Act
from headroom.schemes.sigcomp.endpoints import Endpoint
from headroom.schemes.sigcomp.interop import call
from headroom.schemes.sigcomp.judge.endpoint import Offer
from headroom.schemes.sigcomp.papers import maenpaa_2005_runs
from headroom.tests.runs import REFERENCE, calls_of, conversation_of, run_of

# An implementation whose implementation.yaml says something of nearly every key of the configuration.
YAML = """
name: vendor
vendor: Somebody
licence: Apache-2.0
obtain: "It is made by a test."
adapter:
  library: "{library}"
  config:
    scheme: rohc
    transport: tcp
    state_memory_size: 4096
    cycles_per_bit: 128
    peer: {{cycles_per_bit: 128}}
    compartments: 7
    of_the_vendor: 1
    options: {{search: linear, mechanism: stateless-basic, checkpoint_every: 9}}
capabilities:
  - scheme: sigcomp
    roles: [endpoint]
    transports: [udp, tcp]
    version: 2
    max_decompression_memory_size: 65536
    max_state_memory_size: 131072
    max_cycles_per_bit: 128
    max_compartments: 4096
    dictionaries: [sip-sdp]
    features: [compression]
"""


@pytest.fixture
def vendor(tmp_path: Path, real_build: str) -> str:
    """The reference's adapter under another declaration."""
    folder = tmp_path / "vendor"
    folder.mkdir()
    library = endpoints.adapter(Endpoint(find("reference"), build=real_build))["library"]
    (folder / "implementation.yaml").write_text(YAML.format(library=library), encoding="utf-8")
    return str(folder)


def test_the_case_decides_before_the_declaration_key_by_key(vendor: str) -> None:
    silent = endpoints.configuration(Endpoint(find(vendor)))
    assert (silent["scheme"], silent["transport"]) == ("sigcomp", "udp"), "these the case always says"
    assert (silent["state_memory_size"], silent["of_the_vendor"], silent["peer"]) == (4096, 1, {"cycles_per_bit": 128})
    assert "decompression_memory_size" not in silent and "seed" not in silent, "that is up to the implementation"
    offer = {"state_memory_size": 2048, "dictionaries": ["sip-sdp"]}
    told = endpoints.configuration(Endpoint(find(vendor), "tcp", offer, offer, {"mechanism": "dynamic"}, 5))
    assert (told["transport"], told["state_memory_size"], told["cycles_per_bit"], told["seed"]) == ("tcp", 2048, 128, 5)
    assert told["peer"] == {"state_memory_size": 2048}, "nobody knows what dictionaries a peer has"
    assert told["options"] == {"search": "linear", "mechanism": "dynamic", "checkpoint_every": 9}


def of_messages(name: str, build: str) -> dict[str, Any]:
    wanted = conversation_of((), name, name, options={"mechanism": "dynamic"}, build=build)
    return messages.job(wanted)["endpoints"]["b"]


def of_talk(name: str, build: str) -> dict[str, Any]:
    return call.job(call.Exchange(name, name, "dynamic", build=build), "", [])["endpoints"]["a"]


def of_conformance(name: str, build: str) -> dict[str, Any]:
    asked = endpoint_engine.EndpointUnderTest(find(name), Offer(), Offer(), {"mechanism": "dynamic"}, build=build)
    return endpoint_engine.job(asked, [])["endpoints"]["a"]


def of_calls(name: str, build: str) -> dict[str, Any]:
    return call_load.job(calls_of(name, name, mechanism="dynamic", build=build))["endpoint"]


def of_the_thesis(name: str, build: str) -> dict[str, Any]:
    configuration = maenpaa_2005_runs.Configuration("basic-voice-call", 1, "udp", 8192, "dynamic")
    return endpoints.adapter(configuration.endpoint(find(name), build))


EVERYWHERE = [of_messages, of_talk, of_conformance, of_calls, of_the_thesis]


@pytest.mark.parametrize("made", EVERYWHERE)
def test_it_is_the_same_wherever_endpoints_are_made(
    made: Callable[[str, str], dict[str, Any]], vendor: str, real_build: str
) -> None:
    config = made(vendor, real_build)["config"]
    assert (config["scheme"], config["transport"], config["of_the_vendor"]) == ("sigcomp", "udp", 1)
    assert config["state_memory_size"] != 4096 and config["peer"]["state_memory_size"] == config["state_memory_size"]
    assert config["options"]["mechanism"] == "dynamic" and config["options"]["checkpoint_every"] == 9
    assert config["cycles_per_bit"] == (128 if made is of_messages else config["peer"]["cycles_per_bit"])


@pytest.mark.parametrize("made", [one for one in EVERYWHERE if one is not of_conformance])
def test_nobody_is_given_options_that_he_does_not_have(
    made: Callable[[str, str], dict[str, Any]], real_build: str
) -> None:
    assert "options" not in made("null", real_build)["config"]


def test_on_the_wire_it_is_as_declared(vendor: str, real_build: str) -> None:
    config = endpoints.node_job(find(vendor), real_build, "compressor")["endpoint"]["config"]
    assert (config["transport"], config["state_memory_size"], config["options"]["search"]) == ("udp", 4096, "linear")


def test_options_that_there_are(real_build: str) -> None:
    assert endpoints.has_option(find("reference"), "mechanism", "shared", real_build)
    assert endpoints.has_option(find("reference"), "checkpoint_every", 3, real_build)
    assert not endpoints.has_option(find("reference"), "mechanism", "telepathy", real_build)
    assert not endpoints.has_option(find("reference"), "colour", "blue", real_build)
    assert not endpoints.has_option(find("null"), "mechanism", "shared", real_build)
    wanted = {"mechanism": "dynamic", "search": "linear", "length_bits": 6}
    assert endpoints.fitting(wanted, find("reference"), real_build) == wanted
    assert endpoints.fitting(wanted, find("opensigcomp"), real_build) == {"mechanism": "dynamic"}
    end = Endpoint(find("opensigcomp"), options={"checkpoint_every": 3}, build=real_build)
    assert endpoints.unknown(end) == "opensigcomp does not describe the option checkpoint_every 3"
    assert endpoints.unknown(Endpoint(find("reference"), options=wanted, build=real_build)) == ""


def test_a_conversation_asks_nobody_for_what_he_does_not_have(real_build: str) -> None:
    with pytest.raises(NotDeclared, match="null does not describe the option mechanism dynamic"):
        endpoint_engine.require(
            endpoint_engine.EndpointUnderTest(find("null"), None, options={"mechanism": "dynamic"}, build=real_build)
        )


def test_what_is_asked_is_within_what_is_declared(vendor: str) -> None:
    assert endpoints.lacking(Endpoint(find(vendor), "tcp"), ["compression"]) == ""
    for end, said in (
        (Endpoint(find(vendor), "sctp"), "does not declare transport sctp"),
        (Endpoint(find(vendor), offer={"decompression_memory_size": 131072}), "max_decompression_memory_size 65536"),
        (Endpoint(find(vendor), offer={"compartments": 5000}), "declares max_compartments 4096; 5000 is needed"),
        (Endpoint(find(vendor), offer={"dictionaries": ["presence"]}), "presence"),
        (Endpoint(find("example")), "example does not declare the scheme sigcomp"),
    ):
        assert said in endpoints.lacking(end)
    assert "nack" in endpoints.lacking(Endpoint(find(vendor)), ["nack"])
    offer = endpoints.numbers(Offer())
    assert endpoints.lacking(Endpoint(find(vendor), offer=offer, peer=offer)) == ""
    other = Endpoint(find(vendor), offer=offer, peer={**offer, "cycles_per_bit": 64})
    assert "does not declare feature peer" in endpoints.lacking(other)


def test_a_job() -> None:
    end = Endpoint(find("null"))
    job = endpoints.conversation(
        {"a": end}, [{"to": "a", "hex": ""}], {"nacks": "drop"}, Path("/x/link.pcapng"), seed=3
    )
    assert set(job["endpoints"]) == {"a"} and job["endpoints"]["a"]["library"].endswith("null.so")
    assert (job["link"], job["outputs"], job["seed"]) == ({"nacks": "drop"}, {"link": "/x/link.pcapng"}, 3)
    bare = endpoints.conversation({"a": end}, [])
    assert set(bare) == {"endpoints", "messages"}


def test_the_thesis_says_what_is_missing(real_build: str) -> None:
    configuration = maenpaa_2005_runs.Configuration("basic-voice-call", 1, "udp", 8192, "shared")
    found = maenpaa_2005_runs.exchange(
        configuration, run_of(compressor="opensigcomp", decompressor="opensigcomp", build=real_build)
    )
    assert found.sent == [] and found.missing  # the library, where it is not installed, else the mechanism


def test_the_default_offer_is_what_every_endpoint_declares(vendor: str, tmp_path: Path) -> None:
    assert endpoints.generous(find(vendor), REFERENCE) == endpoints.GENEROUS
    small = tmp_path / "small" / "vendor"
    small.mkdir(parents=True)
    text = (Path(vendor) / "implementation.yaml").read_text(encoding="utf-8")
    small.joinpath("implementation.yaml").write_text(
        text.replace("max_state_memory_size: 131072", "max_state_memory_size: 8192"), encoding="utf-8"
    )
    assert endpoints.generous(REFERENCE, find(str(small))) == {**endpoints.GENEROUS, "state_memory_size": 8192}


@pytest.mark.parametrize(
    ("kinds", "is_wrong"),
    [(("compressed",), True), (("plain",), True), (("failed",), False), (("silent", "failed"), False)],
)
def test_only_what_failed_is_answered_with_a_nack(kinds: tuple[str, ...], is_wrong: bool) -> None:
    """A declaration of NACKs changes nothing. On a stream, one may come with another message of the same piece."""
    arrivals = [{"status": "OK", "kind": kind, "nacks": []} for kind in kinds]
    arrivals[0]["nacks"] = [{"octets": "f80001"}]
    with pytest.raises(AssertionError, match="A NACK answers what did not fail") if is_wrong else nullcontext():
        endpoint_engine.results({"records": [{"arrivals": arrivals}]}, [Act("decompress", b"")])
