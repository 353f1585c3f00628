# SPDX-License-Identifier: Apache-2.0
"""The optimistic approach as the link shows it: how many packets in a row carry a change, and which losses do harm.

RFC 3095, 5.3.1.1.1: a compressor repeats a change "in several packets" and then assumes that it has arrived; it is free
to choose their number. This module finds the number on the link: the largest number of packets, from the change on,
that may all be lost while the judge, a decompressor without any repair, restores all later packets.
"""

from collections.abc import Iterable, Sequence

from headroom.schemes.rohc.conformance.observation import ObservedPacket
from headroom.schemes.rohc.judge import Decompressor, Outcome, Parameters
from headroom.schemes.rohc.judge.tcp.chains import Context as TcpContext
from headroom.schemes.rohc.judge.v1.context import Channel, Context

Contexts = dict[int, Context | TcpContext]  # by CID

LONGEST = 16  # losses in a row that are tried; no compressor needs to survive so many
REACH = 24  # packets of a context after a loss that are looked at: by then an error has shown


def survived(packets: Sequence[ObservedPacket], change: int, parameters: Parameters, longest: int = LONGEST) -> int:
    """The number of packets from `packets[change]` on that may all be lost without harm to a later packet; 0 if the
    loss of the first one alone does harm."""
    before = contexts_before(packets)[change]
    for count in range(1, longest + 1):
        if hurt_by(packets, change, count, before, parameters) is not None:
            return count - 1
    return longest


def hurt_by(
    packets: Sequence[ObservedPacket], first: int, count: int, before: Contexts, parameters: Parameters
) -> int | None:
    """The first packet that the judge does not restore when `count` packets from `first` on are lost; None if all
    are.

    Looked at are packets of the CIDs that lost any, up to `REACH` of each, until nothing of the loss is left because
    the context is as it would have been. Those of the other CIDs, which may be replicated, go on as if nothing was
    lost.
    """
    judge = Decompressor()
    judge.channel = _channel(parameters, before)
    left = dict.fromkeys((seen.cid for seen in packets[first : first + count]), REACH)
    for seen in packets[first + count :]:
        if not left:
            return None
        if seen.link is None or seen.outcome is None:
            continue
        if seen.cid not in left:
            if isinstance(now := _after(seen.outcome), TcpContext) and seen.cid is not None:
                judge.channel.tcp_contexts[seen.cid] = now
            continue
        outcome = judge.decompress(seen.link, seen.time_ns)
        if outcome.delivered != seen.original:
            return seen.index
        left[seen.cid] -= 1
        if _after(outcome) == _after(seen.outcome) or not left[seen.cid]:
            del left[seen.cid]
    return None


def single_losses(
    packets: Sequence[ObservedPacket], parameters: Parameters, but: Iterable[int] = ()
) -> list[tuple[int, int]]:
    """Every packet whose loss alone keeps the judge from restoring a later one, and which one that is."""
    spared = set(but)
    required = {n for n, seen in enumerate(packets) if seen.link is not None and n not in spared}
    before = contexts_before(packets)
    results = []
    for n in sorted(required):
        hurt = hurt_by(packets, n, 1, before[n], parameters)
        if hurt is not None:
            results.append((packets[n].index, hurt))
    return results


def contexts_before(packets: Sequence[ObservedPacket]) -> list[Contexts]:
    """The judge's contexts before each packet, nothing lost. No context is ever changed in place."""
    contexts: Contexts = {}
    results = []
    for seen in packets:
        results.append(contexts)
        after = _after(seen.outcome)
        if after is not None and seen.cid is not None and contexts.get(seen.cid) is not after:
            contexts = {**contexts, seen.cid: after}
    return results


def _after(outcome: Outcome | None) -> Context | TcpContext | None:
    """The context after a packet, whatever its family."""
    if outcome is None:
        return None
    if outcome.packet is not None and outcome.packet.tcp is not None:
        return outcome.packet.tcp.context if outcome.error is None else None
    return outcome.after


def _channel(parameters: Parameters, contexts: Contexts) -> Channel:
    of_tcp = {cid: context for cid, context in contexts.items() if isinstance(context, TcpContext)}
    others = {cid: context for cid, context in contexts.items() if not isinstance(context, TcpContext)}
    return Channel(parameters, others, tcp_contexts=of_tcp)
