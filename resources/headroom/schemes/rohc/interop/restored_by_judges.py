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
from headroom.core.results.record import Verdict
from headroom.core.text import nth
from headroom.schemes.rohc.conformance.capabilities import is_declared
from headroom.schemes.rohc.interop.recordings import ETHERNET_HEADER
from headroom.schemes.rohc.interop.study import judge_of
from headroom.schemes.rohc.judge.framework.errors import Unsupported

SIGNATURE = "restored by no judge"
PATIENCE_S = 20.0
BOTH = "Both sides share a process: one of them may have changed the other."


def verdict(config: ReplayConfig, link: Path, source: Path) -> tuple[Verdict, str]:
    """The verdict on the capture of the link, and its reason: "fail" if neither judge restores the packets of `source`
    from it, "pass" if one does. `config` is the replay that gave both captures.

    If no judge knows a feature on the link, nobody can tell. Then a pass has a remark if both sides declare the
    feature, and the verdict is "unsupported" if not.
    """
    sent = [packet.octets for packet in engine_pcapng.read(source)]
    try:
        wrong = _first_unrestored(config, link, sent)
    except Unsupported as unknown:
        if _is_restored_by_reference(config, link, sent):
            return "pass", ""
        lacking = [side.name for _, side in config.sides if not is_declared(side, unknown.feature)]
        if not lacking:
            return "pass", f"The link was not read: no judge here knows {unknown.feature}."
        return "unsupported", (
            f"No judge here can read what is on the link: {unknown.sentence} It would need {unknown.feature}, which "
            f"{lacking[0]} does not declare. {BOTH}"
        )
    if wrong is None or _is_restored_by_reference(config, link, sent):
        return "pass", ""
    return (
        "fail",
        f"{nth('Packet', wrong)} came out right, but neither judge restores it from what is on the link. {BOTH}",
    )


def _first_unrestored(config: ReplayConfig, link: Path, sent: Sequence[bytes]) -> int | None:
    """The number of the first packet that the judge does not restore; None if it restores all of them. Raises
    Unsupported where it does not know a feature."""
    judge = judge_of(config.channel)
    if judge is None:
        feature = f"profile-{config.channel['profiles'][0]}"
        raise Unsupported("RFC5795-5.1.2-5", "The judge does not know the profiles of the channel.", feature)
    restored = 0
    for packet in engine_pcapng.read(link):
        if packet.interface != 0:
            continue
        outcome = judge.decompress(packet.octets[ETHERNET_HEADER:], packet.time_ns)
        if isinstance(outcome.error, Unsupported):
            raise outcome.error
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
