# SPDX-License-Identifier: Apache-2.0
"""Checks of a cell that passed over a link without harm: what is on the link stands for the packets that came out.

Both sides of a cell share a process, in which either can change the other's code: two sides that only copy would
restore everything. Two judges in other processes read the link, and a cell fails only if neither restores it.
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from headroom.core import implementations, replay
from headroom.core.captures import engine_pcapng
from headroom.core.errors import HeadroomError
from headroom.core.replay import ReplayConfig
from headroom.core.text import nth
from headroom.schemes.rohc.interop.recordings import ETHERNET_HEADER
from headroom.schemes.rohc.interop.study import judge_of
from headroom.schemes.rohc.judge.framework.errors import Unsupported

SIGNATURE = "restored by no judge"
PATIENCE_S = 20.0
CANNOT_TELL = -1


def shortcoming(config: ReplayConfig, link: Path, source: Path) -> str:
    """A sentence if neither judge restores the packets of `source` from the capture of the link; "" if one does, or
    the first one cannot tell. `config` is the replay that gave both captures."""
    sent = [packet.octets for packet in engine_pcapng.read(source)]
    wrong = _first_unrestored(config, link, sent)
    if wrong in (None, CANNOT_TELL) or _is_restored_by_reference(config, link, sent):
        return ""
    assert wrong is not None
    return (
        f"{nth('Packet', wrong)} came out right, but neither judge restores it from what is on the link. Both sides "
        "share a process: one of them may have changed the other."
    )


def _first_unrestored(config: ReplayConfig, link: Path, sent: Sequence[bytes]) -> int | None:
    """The number of the first packet that the judge does not restore; None if it restores all of them, CANNOT_TELL if
    it does not know what it needs."""
    judge = judge_of(config.channel)
    if judge is None:
        return CANNOT_TELL
    restored = 0
    for packet in engine_pcapng.read(link):
        if packet.interface != 0:
            continue
        outcome = judge.decompress(packet.octets[ETHERNET_HEADER:], packet.time_ns)
        if isinstance(outcome.error, Unsupported):
            return CANNOT_TELL
        if outcome.error is None and outcome.delivered is None:
            continue  # feedback alone, or a segment that is not the last
        if restored >= len(sent) or outcome.delivered != sent[restored]:
            return restored
        restored += 1
    return None if restored == len(sent) else restored


def _is_restored_by_reference(config: ReplayConfig, link: Path, sent: Sequence[bytes]) -> bool:
    """True if the reference restores all packets, in an engine that hosts nothing else."""
    with tempfile.TemporaryDirectory(prefix="headroom-judge-") as folder:
        output = Path(folder) / "decompressed.pcapng"
        alone = replace(
            config,
            compressor=None,
            decompressor=implementations.find("reference"),
            source=str(link),
            feedback={},
            forward={},
            outputs={"decompressed": output},
            timing=False,
            timeout_s=PATIENCE_S,
        )
        try:
            replay.run(alone)
            return [packet.octets for packet in engine_pcapng.read(output)] == list(sent)
        except HeadroomError:
            return False
