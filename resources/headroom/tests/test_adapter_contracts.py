# SPDX-License-Identifier: Apache-2.0
"""`./headroom reference <scheme>/adapter`: the contract between a scheme and its adapters."""

from __future__ import annotations

import re
from typing import Any

import pytest

from headroom.core import engine, implementations, reference, yamlfile
from headroom.core.new_adapter import scheme_folder
from headroom.core.scheme_registry import all_schemes
from headroom.schemes.ule import events

SCHEMES = sorted(all_schemes())


def create_keys(name: str) -> dict[str, Any]:
    own = yamlfile.schema(f"schemes/{name}/adapter")["$defs"]["create"]["properties"]
    return {**yamlfile.schema("adapters")["$defs"]["create"]["properties"], **own}


def documented_config(name: str) -> dict[str, Any]:
    """A configuration with every key that has a default or an example."""
    config: dict[str, Any] = {}
    for key, found in create_keys(name).items():
        if "default" in found:
            config[key] = found["default"]
        elif "examples" in found and key != "groups":
            config[key] = found["examples"][0]
    return config | {"scheme": name}


@pytest.mark.parametrize("name", SCHEMES)
def test_each_key_and_status_is_described(name: str) -> None:
    schema = yamlfile.schema(f"schemes/{name}/adapter")
    for part in ("create", "status"):
        assert all(found["description"] for found in schema["$defs"][part]["properties"].values())
    assert {"MALFORMED", "UNSUPPORTED"} & {*schema["$defs"]["status"]["properties"]}


@pytest.mark.parametrize("name", SCHEMES)
def test_statuses_are_those_of_the_header(name: str) -> None:
    header = (implementations.IMPLEMENTATIONS / "abi" / "headroom.h").read_text()
    for document in (f"schemes/{name}/adapter", "adapters"):
        for status, found in yamlfile.schema(document)["$defs"]["status"]["properties"].items():
            assert re.search(rf"HEADROOM_ERR_{status} = {found['const']}\b", header), status


@pytest.mark.parametrize("name", SCHEMES)
def test_the_reference_takes_what_is_documented(name: str, real_build: str) -> None:
    config = documented_config(name)
    assert reference.violations(f"{name}/adapter", {"create": config}) == []
    library = str(implementations.find("reference").library_path(real_build))
    result = engine.run("check", {"library": library, "config": config}, timeout_s=120, build=real_build)
    assert {one["name"]: one["reason"] for one in result["checks"] if one["verdict"] == "fail"} == {}


@pytest.mark.parametrize("name", SCHEMES)
def test_new_adapters_read_documented_keys_alone(name: str) -> None:
    text = (scheme_folder(all_schemes()[name]) / "part.c").read_text()
    read = set(re.findall(r'(?:settings|read)_\w+\(&?\w+, "(\w+)"', text))
    known = set(re.findall(r'"(\w+)": ', str(create_keys(name)).replace("'", '"')))
    assert read and read <= known


def test_counters_of_a_receiver_are_those_that_cases_read() -> None:
    counters = yamlfile.schema("schemes/ule/adapter")["properties"]["statistics"]["properties"]
    assert set(counters) == set(events.ERRORS)
