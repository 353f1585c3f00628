# SPDX-License-Identifier: GPL-2.0-or-later
"""VoIP flow pairs: N RTP flows in each direction, as one of our voice profiles has them (traffic-profiles/voip-*.yaml).

A port with an even number sends the flows of the forward direction, one with an odd number those of the reverse
direction. Each flow has the addresses, ports, SSRC, sequence numbers, time stamps, IP-IDs, markers and checksums that
headroom-engine gives it for the same profile and seed, packet by packet; payloads are its pattern.

    trex> start -f …/traffic-profiles/trex/voip_flow_pairs.py -p 0 1 -t --profile voip-amr-nb-ipv6 --flows 100
    $ ./stl-sim -f …/voip_flow_pairs.py -o calls.pcap -l 1000 -t --flows 10
"""

import argparse
import os
import sys

from trex.stl.api import STLProfile, STLStream, STLTXCont, STLTXSingleBurst

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import rendered
from field_engine import builder, latency_stream


def streams_of(runs, speed, cores):
    """The streams of one flow, each of which starts the next one. `speed`: how many times faster than the profile."""
    made = []
    for number, run in enumerate(runs):
        last = number + 1 == len(runs)
        made.append(
            STLStream(
                name=f"flow{run.flow}.{number}",
                next=None if last else f"flow{run.flow}.{number + 1}",
                self_start=number == 0,
                isg=run.gap_us / speed,
                packet=builder(run),
                mode=STLTXSingleBurst(total_pkts=run.count, pps=1e6 * speed / (run.interval_us or 20000)),
                core_id=run.flow % cores,
            )
        )
    return made


def endless(runs, speed, cores):
    """One stream for a flow that goes on as it began; after 2^32 / 160 packets its time stamps start over."""
    if len(runs) != 1 or any(field.kind != rendered.STEP for field in runs[0].fields):
        raise rendered.Refused(
            "with --duration 0 a flow goes on for ever by one rule, which flows with talk spurts, random IP-IDs or UDP "
            "checksums do not have. Say a --duration."
        )
    run = runs[0]
    return STLStream(
        name=f"flow{run.flow}",
        isg=run.gap_us / speed,
        packet=builder(run),
        mode=STLTXCont(pps=1e6 * speed / run.interval_us),
        core_id=run.flow % cores,
    )


class VoipFlowPairs:
    def get_streams(self, direction=0, tunables=(), **other):
        parser = argparse.ArgumentParser(
            description="VoIP flow pairs", formatter_class=argparse.ArgumentDefaultsHelpFormatter
        )
        parser.add_argument("--profile", default="voip-amr-nb-ipv4", help="a voice profile, or the path of one")
        parser.add_argument("--flows", type=int, default=10, help="flow pairs")
        parser.add_argument("--seed", type=int, default=1)
        parser.add_argument("--duration", type=float, default=0.0, help="seconds of sending; 0: for ever")
        parser.add_argument("--start", type=float, default=0.0, help="seconds of the profile that are left out")
        parser.add_argument("--speed", type=float, default=1.0, help="how many times faster than the profile says")
        parser.add_argument("--latency-pps", type=float, default=0.0, help="packets/s of one more flow; 0: none")
        parser.add_argument("--cores", type=int, default=1, help="of TRex for each pair of ports (`c` of its settings)")
        parser.add_argument("--engine", help="the headroom-engine that renders the profile")
        return self.make(direction % 2, parser.parse_args(list(tunables)))

    def make(self, direction, given):
        profile = rendered.read_profile(given.profile)
        flows = rendered.streams(
            profile,
            given.flows,
            given.seed,
            direction == 1,
            (given.duration or 1.0) * given.speed,
            given.start,
            given.engine,
        )
        if given.duration:
            made = [stream for runs in flows for stream in streams_of(runs, given.speed, given.cores)]
        else:
            made = [endless(runs, given.speed, given.cores) for runs in flows]
        if given.latency_pps:
            run = rendered.one_more_flow(profile, given.flows, given.seed, direction == 1, given.engine)
            made.append(latency_stream(run, direction, given.latency_pps, given.duration))
        return STLProfile(made).get_streams()


def register():
    return VoipFlowPairs()
