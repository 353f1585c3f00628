# SPDX-License-Identifier: GPL-2.0-or-later
"""VoIP flow pairs: N RTP flows in each direction, as one of our voice profiles has them (traffic-profiles/voip-*.yaml).

A port with an even number sends the flows of the forward direction, one with an odd number those of the reverse
direction. Each flow has the addresses, ports, SSRC, sequence numbers, time stamps, IP-IDs, markers and checksums that
headroom-engine gives it for the same profile and seed, packet by packet; payloads are its pattern.

    trex> start -f …/traffic-profiles/trex/voip_flow_pairs.py -p 0 1 -t --profile voip-amr-nb-ipv6 --flows 100
    $ ./stl-sim -f …/voip_flow_pairs.py -o calls.pcap -l 1000 -t --flows 10
"""

import os
import sys

from trex.stl.api import STLStream, STLTXCont, STLTXSingleBurst

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import rendered
import stream_options
from field_engine import builder


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
        parser = stream_options.parser("VoIP flow pairs", "voip-amr-nb-ipv4", "a voice profile", 10, "flow pairs")
        parser.add_argument("--start", type=float, default=0.0, help="seconds of the profile that are left out")
        parser.add_argument("--speed", type=float, default=1.0, help="how many times faster than the profile says")
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
        return stream_options.with_latency(made, given, profile, direction, rendered.one_more_flow)


def register():
    return VoipFlowPairs()
