# SPDX-License-Identifier: Apache-2.0
"""The fixed work by which nights watch what SigComp costs: calls through a P-CSCF, in virtual time."""

from contextlib import AbstractContextManager
from typing import Any

from headroom.core import metrics
from headroom.core.sentinels import Arm, Sentinel, Values, Work
from headroom.schemes.sigcomp import call_load

CALLS, COUNTED_CALLS = 200, 50


class CallSentinel(Sentinel):
    """Work of which one adapter is the P-CSCF, and the other its users."""

    def lacks(self, arm: Arm) -> str:
        for side in (arm.decompressor, arm.compressor):
            if reason := side.lacks("endpoint", self.scheme):
                return reason
        return call_load.lacking(_config(Work(arm)))

    def prepared(self, work: Work) -> AbstractContextManager[dict[str, Any]]:
        return call_load.precomputed(_config(work), self.timeout_s)


def sentinels() -> tuple[Sentinel, ...]:
    return (
        CallSentinel(
            name="Voice Calls Through A P-CSCF",
            scheme="sigcomp",
            profile="basic-voice-call",
            command="load",
            job=lambda work: call_load.job(_config(work)),
            read=_read,
            operations=lambda document: document["messages"]["from_users"] + document["messages"]["from_core"],
        ),
    )


def _config(work: Work) -> call_load.CallLoadConfig:
    return call_load.CallLoadConfig(
        proxy=work.arm.decompressor,
        user=work.arm.compressor,
        simultaneous=COUNTED_CALLS if work.counted else CALLS,
        duration_s=20.0 if work.counted else 60.0,
        holding_s=30.0,
        cores=() if work.core is None else (work.core,),
        build=work.build,
        seed=work.seed,
    )


def _read(document: dict[str, Any]) -> Values:
    result = call_load.loaded(document)
    messages = document["messages"]
    values: Values = {
        metrics.STAGE_NS(stage="compress"): result.times["compressing"]["mean"],
        metrics.STAGE_NS(stage="decompress"): result.times["decompressing"]["mean"],
        metrics.LINK_OCTETS: messages["link_octets"] / (messages["from_users"] + messages["from_core"]),
    }
    if result.memory_per_call is not None:
        values[metrics.MEMORY_PER_FLOW] = result.memory_per_call
    return values
