# SPDX-License-Identifier: Apache-2.0
"""The measurement of ROHC: channels with large CIDs, in a mode, with a way of feedback."""

from collections.abc import Mapping, Sequence
from typing import Any

from headroom.core.workload import Channel, Workload
from headroom.schemes.rohc.contexts import LARGEST_CID, LARGEST_SMALL_CID

MODES = ("U", "O", "R")
PATHS = ("none", "own", "piggybacked")
SMALL, TCP = ", small CIDs", ", TCP"
TCP_PROFILES = ["0x0000", "0x0006"]  # RFC 6846; no others have to be there


def load(flow_pairs: int) -> Channel:
    """Channels of as many contexts as large CIDs can say, in U-mode: nothing is fed back."""
    del flow_pairs  # the engine takes as many channels as they need
    config = {"cids": "large", "max_cid": LARGEST_CID, "mode": "U", "feedback": False}
    return Channel("rohc", "U", config, {"modes": ["U"], "cids": ["large"]}, {"mode": "U"})


def channel(text: str, flows: int, declared: Sequence[Mapping[str, Any]]) -> Channel:
    """A channel from `U`, or from a mode with a way of feedback, `O own` or `O piggybacked`. After it, `, small CIDs`
    says that CIDs are small, and `, TCP` that the channel has the profile of TCP beside that of uncompressed packets.
    It has as many contexts as both sides declare, which have to suffice for the flows."""
    is_tcp, text = text.endswith(TCP), text.removesuffix(TCP)
    cids = "small" if text.endswith(SMALL) else "large"
    mode, _, path = (text.removesuffix(SMALL).strip() or "U").partition(" ")
    feedback = path.strip() or "none"
    if mode not in MODES or feedback not in PATHS or (mode == "U") != (feedback == "none"):
        raise ValueError(f"'{text}' is no mode of a channel, such as U, O own or O piggybacked")
    largest = LARGEST_CID if cids == "large" else LARGEST_SMALL_CID
    max_cid = min([largest, *(int(side.get("max_cid", largest)) for side in declared)])
    profiles = sorted(set.intersection(*(set(side.get("profiles", ())) for side in declared))) if declared else []
    only = {"profiles": TCP_PROFILES} if is_tcp else {}
    if is_tcp:
        profiles = TCP_PROFILES
    needs = {"modes": [mode], "cids": [cids], "max_cid": flows - 1, **only}
    return Channel(
        "rohc",
        (f"{mode} {feedback}" if feedback != "none" else mode) + (TCP if is_tcp else ""),
        {"cids": cids, "max_cid": max_cid, "mode": mode, **only, **({} if feedback != "none" else {"feedback": False})},
        needs | ({"feedback": [feedback]} if feedback != "none" else {}),
        {"mode": mode, "feedback": feedback, "cids": cids, "max_cid": max_cid, **only},
        feedback,
        image_config={"profiles": profiles} if profiles else {},  # none named: all that both have
        environment={
            "HEADROOM_PROFILES": ",".join(profiles),
            "HEADROOM_MODE": mode,
            "HEADROOM_CIDS": cids,
            "HEADROOM_MAX_CID": str(max_cid),
        },
        hints={"cid": cids, "max_cid": max_cid},
    )


WORKLOAD = Workload("A flow pair is a call: a packet of each direction in every tick.", load, channel)
