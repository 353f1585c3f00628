# SPDX-License-Identifier: Apache-2.0
"""The sentinels of user planes, fixed work that each night measures: with one rule for each direction, with fifty
rules, and with flow inspection in addition.

The downlink encapsulates and is the stage compress; the uplink decapsulates and is the stage decompress.
"""

import atexit
import tempfile
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from headroom.bench.load import WrongOutput
from headroom.core import engine, metrics, scratch
from headroom.core.sentinels import Arm, Sentinel, Values, Work
from headroom.schemes.gtpu import load, rule_files
from headroom.schemes.gtpu.load import LoadConfig, Rules, Traffic
from headroom.schemes.gtpu.rule_files import RuleFiles

TRAFFIC = Traffic(access_users=12_000)  # of which 6,000 send
PACKETS = 200_000


@dataclass(frozen=True)
class UserPlaneSentinel(Sentinel):
    """Work of one user plane, the arm's compressor. Instructions are not counted: no function of the engine through
    which packets go stands for one of the two directions."""

    rules: Rules = "basic"

    def lacks(self, arm: Arm) -> str:
        implementation = arm.compressor
        features = ["inspection"] if self.rules == "dpi" else []
        no_n4 = (
            ""
            if implementation.declared(self.scheme).get("n4")
            else f"{implementation.name} has no N4, by which sessions and rules come"
        )
        return implementation.lacks("user-plane", self.scheme, features=features) or no_n4

    def measure(self, work: Work) -> Values:
        job, folders = self.job(work), []
        if self.rules == "dpi":
            files = _files(work.seed, work.arm.compressor.library_path(work.build).resolve())
            job["user_plane"]["config"]["inspection"] = files.as_config()
            folders = [files.folder]
        return self.read(engine.run(self.command, job, self.timeout_s, work.build, folders))

    def count(self, work: Work) -> Values:
        return {}


@cache
def _folder() -> Path:
    """A folder that lasts as long as the process."""
    stack = ExitStack()
    atexit.register(stack.close)
    return stack.enter_context(scratch.folder("headroom-sentinel-rules-"))


@cache
def _files(seed: int, library: Path) -> RuleFiles:
    """Rule files for one adapter, whose cache no other one writes: two builds may have caches that differ."""
    folder = _folder() / f"{_files.cache_info().currsize:04}"
    folder.mkdir()
    return rule_files.write(folder, seed)


@cache
def _named_files(seed: int) -> RuleFiles:
    """Returns the files by their names alone, and the hosts of their rules: a job names them so every night."""
    with tempfile.TemporaryDirectory(prefix="headroom-rules-") as folder:
        files = rule_files.write(Path(folder), seed)
    return replace(files, l7=Path(files.l7.name), l3=Path(files.l3.name), cache=Path(files.cache.name))


def sentinels() -> tuple[Sentinel, ...]:
    return (
        _sentinel("A User Plane", "basic"),
        _sentinel("A User Plane With Rules", "rules"),
        _sentinel("A User Plane With Inspection", "dpi"),
    )


def _sentinel(name: str, rules: Rules) -> Sentinel:
    def job(work: Work) -> dict[str, Any]:
        config = LoadConfig(
            user_plane=work.arm.compressor,
            rules=rules,
            cpus=() if work.core is None else (work.core,),
            traffic=TRAFFIC,
            packets=PACKETS,
            trials=1,
            seed=work.seed,
            build=work.build,
        )
        return load.job(config, _named_files(work.seed) if rules == "dpi" else None)

    return UserPlaneSentinel(
        name=name,
        scheme="gtpu",
        profile=f"upf-carrier-{rules}",
        command="load",
        job=job,
        read=_read,
        operations=lambda document: PACKETS,
        rules=rules,
    )


def _read(document: dict[str, Any]) -> Values:
    load.require_no_threads(document)
    (trial,) = document["trials"]
    outcomes = trial["outcomes"]
    if outcomes["sent"] != outcomes["packets"]:
        raise WrongOutput(f"{outcomes['packets'] - outcomes['sent']} packets did not go on.")
    if wrong := outcomes.get("wrong", 0):  # kept engines of earlier nights do not say it
        raise WrongOutput(f"{wrong} packets went on with another tunnel, user, length or interface than theirs.")
    floor = trial["loop_median_ns"]
    return {
        metrics.STAGE_NS(stage="compress"): trial["median_downlink_ns"] - floor,
        metrics.STAGE_NS(stage="decompress"): trial["median_uplink_ns"] - floor,
        metrics.LINK_OCTETS: trial["octets_n3"],
    }
