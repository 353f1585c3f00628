# SPDX-License-Identifier: Apache-2.0
"""`transfer` beside ns-2, the simulator of its time: the same path, the same TCP, other code."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import jsonschema
import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[3]
ENGINE = Path(os.environ.get("HEADROOM_ENGINE", ROOT / "build" / "gcc-O2" / "bin" / "headroom-engine"))
SCHEMAS = ROOT / "resources" / "schemas" / "jobs"
SCRIPT = Path(__file__).with_name("transfer.tcl")
SECOND = 1_000_000_000

needs_engine = pytest.mark.skipif(not ENGINE.is_file(), reason=f"there is no engine at {ENGINE}; build it first")
needs_ns = pytest.mark.skipif(shutil.which("ns") is None, reason="ns-2 is not installed (package ns2)")


def job_of(control: str, rate_bps: int, mtu: int, header: int, ber: float, seconds: int) -> dict[str, Any]:
    delay = {"delay_ns": SECOND // 10}
    return {
        "tcp": {"congestion_control": control},
        "mtu": mtu,
        "network": {"rate_bps": 8_000_000, **delay},
        "link": {"rate_bps": rate_bps, **delay, "queue_packets": 6, "ber": ber, "harmed_at": "before-queue"},
        "reverse_link": {"rate_bps": rate_bps, **delay},
        "compressed_header": header,
        "duration_ns": seconds * SECOND,
        "batches": {"fewest": 2, "most": 2},
        "seed": 1,
    }


def validate(document: dict[str, Any], kind: str) -> None:
    from referencing import Registry, Resource

    names = ("common", "transfer")
    resources = [
        (f"{name}.schema.json", Resource.from_contents(json.loads((SCHEMAS / f"{name}.schema.json").read_text())))
        for name in names
    ]
    schema = {"$ref": f"transfer.schema.json#/$defs/{kind}"}
    jsonschema.Draft202012Validator(schema, registry=Registry().with_resources(resources)).validate(document)


def transfers(*jobs: dict[str, Any]) -> list[dict[str, Any]]:
    job = {"transfers": jobs}
    validate(json.loads(json.dumps(job)), "job")
    done = subprocess.run(
        [ENGINE, "transfer", "--job", "-"], input=json.dumps(job), capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout
    result: dict[str, Any] = json.loads(done.stdout)
    validate(result, "result")
    found: list[dict[str, Any]] = result["transfers"]
    return found


def transfer(job: dict[str, Any]) -> dict[str, Any]:
    return transfers(job)[0]


def ns2(control: str, rate_bps: int, mtu: int, header: int, ber: float, seconds: int) -> float:
    """Returns octets of payload a second."""
    arguments = [control, rate_bps, mtu, header, ber, seconds, 1]
    done = subprocess.run(
        ["ns", SCRIPT, *map(str, arguments)], capture_output=True, text=True, check=True, stdin=subprocess.DEVNULL
    )
    return int(done.stdout) * (mtu - 40) / seconds


@needs_engine
@needs_ns
@pytest.mark.parametrize("control", ["tahoe", "reno", "sack"])
@pytest.mark.parametrize(
    ("rate_bps", "mtu", "header"),
    [(384_000, 576, 40), (114_000, 576, 4), (64_000, 296, 40), (64_000, 296, 4), (9_600, 576, 40)],
)
def test_without_errors_queues_and_recoveries_are_those_of_ns2(
    control: str, rate_bps: int, mtu: int, header: int
) -> None:
    case = (control, rate_bps, mtu, header, 0.0, 1000)
    assert transfer(job_of(*case))["throughput"] == pytest.approx(ns2(*case), rel=0.008)


@needs_engine
@needs_ns
@pytest.mark.parametrize("control", ["tahoe", "reno", "sack"])
@pytest.mark.parametrize(
    ("ber", "mtu", "header", "seconds", "within"),
    [
        (1e-6, 576, 40, 20_000, 0.03),
        (1e-5, 296, 4, 20_000, 0.03),
        (1e-4, 168, 40, 100_000, 0.03),
        (3e-4, 96, 4, 100_000, 0.1),
    ],
)
def test_with_errors_throughput_is_that_of_ns2(
    control: str, ber: float, mtu: int, header: int, seconds: int, within: float
) -> None:
    case = (control, 114_000, mtu, header, ber, seconds)
    assert transfer(job_of(*case))["throughput"] == pytest.approx(ns2(*case), rel=within)


@needs_engine
def test_a_wrong_job_is_refused_with_its_place() -> None:
    job = {"transfers": [job_of("reno", 64_000, 576, 40, 0, 1), job_of("reno", 64_000, 40, 40, 0, 1)]}
    done = subprocess.run([ENGINE, "transfer", "--job", "-"], input=json.dumps(job), capture_output=True, text=True)
    assert done.returncode == 2
    assert json.loads(done.stdout)["error"]["where"] == "/transfers/1/mtu"


@needs_engine
def test_the_error_of_a_mean_is_unknown_where_nothing_arrives() -> None:
    nothing = job_of("reno", 1, 9_000, 40, 0, 1)
    assert (transfer(nothing)["throughput"], transfer(nothing)["standard_error"]) == (0, None)


@needs_engine
def test_a_job_has_a_transfer() -> None:
    done = subprocess.run([ENGINE, "transfer", "--job", "-"], input='{"transfers": []}', capture_output=True, text=True)
    assert done.returncode == 2
    assert json.loads(done.stdout)["error"]["where"] == "/transfers"


@needs_engine
def test_transfers_of_one_job_are_those_of_jobs_of_their_own() -> None:
    jobs = [job_of("reno", 64_000, 576, 40, 1e-5, 100), job_of("tahoe", 64_000, 296, 4, 1e-4, 100)]
    assert transfers(*jobs) == [transfer(job) for job in jobs]
