# SPDX-License-Identifier: Apache-2.0
"""The fixed work by which nights watch what a user plane costs: with one rule for each direction, and with
fifty.

The downlink encapsulates and the uplink decapsulates: they are the stages compress and decompress.
"""

from typing import Any

from headroom.bench.load import WrongOutput
from headroom.core import metrics
from headroom.core.sentinels import Arm, Sentinel, Values, Work
from headroom.schemes.gtpu import load
from headroom.schemes.gtpu.load import LoadConfig, Rules, Traffic

TRAFFIC = Traffic(access_users=12_000)  # of which 6,000 send
PACKETS = 200_000


class UserPlaneSentinel(Sentinel):
    """Work of one user plane, the arm's compressor. Instructions are not counted: no function of the engine through
    which packets go stands for one of the two directions."""

    def lacks(self, arm: Arm) -> str:
        found = arm.compressor
        no_n4 = (
            "" if found.declared(self.scheme).get("n4") else f"{found.name} has no N4, by which sessions and rules come"
        )
        return found.lacks("user-plane", self.scheme) or no_n4

    def count(self, work: Work) -> Values:
        return {}


def sentinels() -> tuple[Sentinel, ...]:
    return _sentinel("A User Plane", "basic"), _sentinel("A User Plane With Rules", "rules")


def _sentinel(name: str, rules: Rules) -> Sentinel:
    def job(work: Work) -> dict[str, Any]:
        return load.job(
            LoadConfig(
                user_plane=work.arm.compressor,
                rules=rules,
                cpus=() if work.core is None else (work.core,),
                traffic=TRAFFIC,
                packets=PACKETS,
                trials=1,
                seed=work.seed,
                build=work.build,
            )
        )

    return UserPlaneSentinel(
        name=name,
        scheme="gtpu",
        profile=f"upf-carrier-{rules}",
        command="load",
        job=job,
        read=_read,
        operations=lambda document: PACKETS,
    )


def _read(document: dict[str, Any]) -> Values:
    (trial,) = document["trials"]
    outcomes = trial["outcomes"]
    if outcomes["sent"] != outcomes["packets"]:
        raise WrongOutput(f"{outcomes['packets'] - outcomes['sent']} packets did not go on.")
    floor = trial["loop_median_ns"]
    return {
        metrics.STAGE_NS(stage="compress"): trial["median_downlink_ns"] - floor,
        metrics.STAGE_NS(stage="decompress"): trial["median_uplink_ns"] - floor,
        metrics.LINK_OCTETS: trial["octets_n3"],
    }
