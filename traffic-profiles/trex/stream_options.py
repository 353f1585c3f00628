# SPDX-License-Identifier: GPL-2.0-or-later
"""The options of all profiles of streams in TRex's console, and the end of their streams."""

import argparse
import os
import sys

from trex.stl.api import STLProfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from field_engine import latency_stream


def parser(description, profile, which, flows, of):
    """A parser of tunables: `profile` is the one unless given, of those that `which` names; likewise `flows`, `of`."""
    made = argparse.ArgumentParser(description=description, formatter_class=argparse.ArgumentDefaultsHelpFormatter)
    made.add_argument("--profile", default=profile, help=f"{which}, or the path of one")
    made.add_argument("--flows", type=int, default=flows, help=of)
    made.add_argument("--seed", type=int, default=1)
    made.add_argument("--duration", type=float, default=0.0, help="seconds of sending; 0: for ever")
    made.add_argument("--latency-pps", type=float, default=0.0, help="packets/s of one more flow; 0: none")
    made.add_argument("--cores", type=int, default=1, help="of TRex for each pair of ports (`c` of its settings)")
    made.add_argument("--engine", help="the headroom-engine that renders the profile")
    return made


def with_latency(made, given, profile, direction, one_more_flow):
    """The streams as TRex takes them, with the one that measures latency where it was asked for."""
    if given.latency_pps:
        run = one_more_flow(profile, given.flows, given.seed, direction == 1, given.engine)
        made.append(latency_stream(run, direction, given.latency_pps, given.duration))
    return STLProfile(made).get_streams()
