# SPDX-License-Identifier: GPL-2.0-or-later
"""Batches of a GTP-U profile for one trial after the other, whose packets are the same but for how many there are.

A search sends the first packets of a profile at many rates. What it takes to learn what differs between them is done
once, as far as a search has needed it, and kept in this process: rendering, and reading off the columns of a batch.
"""

import bisect
import json
import os
import sys
from collections import OrderedDict

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import columns
import rendered

MOST_KEPT = 400_000  # packets of a direction: 690 octets each on average; beyond it nothing is kept
MOST_SOURCES = 4  # such as two directions, with and without a warm-up
AHEAD = 1.5  # times as many packets as are asked for: the next trial may ask for more


class Source:
    """The packets of a profile behind the first `skip`, in kinds; `render(count)` makes the first ones of all."""

    def __init__(self, render, skip, most):
        self._render, self._skip, self._most = render, skip, most
        self._count = 0
        self._kinds = {}  # what is common to a kind -> (places among all, packets)
        self._made = {}  # (kind, first packet, packets) -> batch

    def batches(self, count):
        """The first `count` packets as `columns.batches` cuts them."""
        if count > self._count:
            self._make(min(round(AHEAD * count), MOST_KEPT) if count < MOST_KEPT else count)
        found = []
        for kind, (key, (places, packets)) in enumerate(self._kinds.items()):  # in order of their first packets
            there = bisect.bisect_left(places, count)
            for begin in range(0, there, self._most):
                end = min(begin + self._most, there)
                whole = (key, begin, end)
                if whole not in self._made:
                    self._made[whole] = columns.batch_of(kind, places[begin], packets[begin:end], *columns.cut_of(key))
                found.append(self._made[whole])
        return found

    def _make(self, count):
        for number, packet in enumerate(self._render(self._skip + count)[self._skip :]):
            if number >= self._count:
                places, packets = self._kinds.setdefault(columns.kind_of(number, packet), ([], []))
                places.append(number)
                packets.append(packet)
        self._count = count


_sources = OrderedDict()
_more = OrderedDict()


def streams(
    profile, packets, flows=1, seed=1, reverse=False, skip=0, engine=None, most=columns.MOST_VALUES, tunnels=None
):
    """As `columns.streams`."""
    columns.refuse_other_than_gtpu(profile)

    def render(count):
        limit = {"packets": count}
        return [packet for _, packet in rendered.render(profile, flows, seed, reverse, limit, engine, tunnels)]

    if packets > MOST_KEPT:
        return columns.batches(render(skip + packets)[skip:], most)
    key = json.dumps([profile, flows, seed, reverse, skip, engine, most, tunnels])
    return _kept(_sources, key, lambda: Source(render, skip, most)).batches(packets)


def one_more_flow(profile, flows, seed, reverse, engine=None, tunnels=None):
    """As `columns.one_more_flow`."""
    key = json.dumps([profile, flows, seed, reverse, engine, tunnels])
    return _kept(_more, key, lambda: columns.one_more_flow(profile, flows, seed, reverse, engine, tunnels))


def _kept(known, key, make):
    """What stands under a key, made where nothing does; the oldest go."""
    if key not in known:
        known[key] = make()
    known.move_to_end(key)
    while len(known) > MOST_SOURCES:
        known.popitem(last=False)
    return known[key]
