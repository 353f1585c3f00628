# SPDX-License-Identifier: Apache-2.0
"""Contexts of a replay: whether there are enough of them."""

from headroom.core.declarations import CAPTURES
from headroom.core.replay import Replay

# RFC 5795, 5.1.1: MAX_CID; small CIDs end at 15.
LARGEST_SMALL_CID, LARGEST_CID = 15, 16383


def crowded(result: Replay) -> str:
    """A sentence when flows keep taking each other's CIDs, so that nearly everything is IR; "" otherwise."""
    if not result.config.compressor:
        return ""
    channel = result.config.channel
    channels = int(channel.get("channels", 1))
    cids = channels * (int(channel.get("max_cid", LARGEST_SMALL_CID)) + 1)
    compressor = result.direction().get("compressor", {})
    types = result.packet_types
    whole = sum(count for name, count in types.items() if name in ("IR", "IR-DYN"))
    full = int(compressor.get("contexts", 0)) >= cids
    # A capture's flows are not counted; there, that each CID was set up again and again tells.
    if not full or 2 * whole < sum(types.values()) or (result.config.flows <= cids and whole < 10 * cids):
        return ""
    more = ["--cids large --max-cid 16383"] if cids < channels * (LARGEST_CID + 1) else []
    if isinstance(result.config.source, str) and not result.config.source.endswith(CAPTURES):
        more.append(f"channels=N (flows are spread over N channels; now {channels})")
    return (
        f"There are more flows than contexts: all {cids} CIDs are taken and flows replace each other, so "
        f"{whole} of {sum(types.values())} packets are IR. {' or '.join(more) or 'Fewer flows'} "
        f"give{'' if len(more) == 2 else 's'} more room."
    )
