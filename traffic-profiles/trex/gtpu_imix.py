# SPDX-License-Identifier: GPL-2.0-or-later
"""Users' packets in GTP-U: a mix of lengths from thousands of UEs, as gtpu-imix*.yaml and upf-carrier.yaml have them.

A port with an even number sends uplink, one with an odd number downlink. The packets are those that headroom-engine
makes for the same profile and seed: tunnels, QFI, addresses, ports, sequence numbers, IP-IDs, lengths, checksums;
payloads are its pattern. They are sent at even intervals, as the memory generator sends them. With --tunnels, a user
plane ends the tunnels on the way: port 1 sends users' packets without, and port 0 the TEIDs that the user plane chose.

    trex> start -f …/traffic-profiles/trex/gtpu_imix.py -p 0 1 -t --profile gtpu-imix-classic --pps 5000
    $ ./stl-sim -f …/gtpu_imix.py -o users.pcap -l 1000 -t --flows 60 --duration 1
"""

import functools
import os
import sys

from trex.stl.api import STLStream, STLTXCont, STLTXSingleBurst

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import columns
import prepared
import rendered
import stream_options
from field_engine import batch_builder

PERIOD_S = 2.0  # of an endless profile: after it, the packets start over


def streams_of(batches, pps, cores, endless):
    """The streams of all kinds at once, a kind's batches one after the other, and over again where `endless`.

    Together they send `pps`.
    """
    total, kinds, made = sum(batch.count for batch in batches), {}, []
    for batch in batches:
        kinds.setdefault(batch.kind, []).append(batch)
    for kind, parts in kinds.items():
        rate = pps * sum(batch.count for batch in parts) / total
        for number, batch in enumerate(parts):
            following = number + 1 if number + 1 < len(parts) else 0 if endless and len(parts) > 1 else None
            for_ever = endless and len(parts) == 1
            made.append(
                STLStream(
                    name=f"kind{kind}.{number}",
                    next=None if following is None else f"kind{kind}.{following}",
                    self_start=number == 0,
                    isg=1e6 / rate if number else 1e6 * batch.first / pps,
                    packet=batch_builder(batch),
                    mode=STLTXCont(pps=rate) if for_ever else STLTXSingleBurst(total_pkts=batch.count, pps=rate),
                    core_id=kind % cores,
                )
            )
    return made


class GtpuImix:
    def get_streams(self, direction=0, tunables=(), **other):
        parser = stream_options.parser(
            "Users' packets in GTP-U",
            profile="gtpu-imix",
            which="a profile of users in GTP-U",
            flows=6000,
            of="UEs that are active, of the profile's population",
        )
        parser.add_argument("--pps", type=float, default=10000.0, help="packets/s of each direction")
        parser.add_argument("--skip", type=int, default=0, help="packets that are left out before the first one")
        parser.add_argument("--tunnels", help=columns.TUNNELS)
        return self.make(direction % 2, parser.parse_args(list(tunables)))

    def make(self, direction, given):
        profile = rendered.read_profile(given.profile)
        packets = round((given.duration or PERIOD_S) * given.pps)
        if packets < 1 or given.skip < 0 or packets + given.skip > rendered.MOST_PACKETS:
            raise rendered.Refused(
                f"{packets} packets behind {given.skip} are to be made; 1 to {rendered.MOST_PACKETS} can be at once."
            )
        tunnels = columns.read_tunnels(given.tunnels)
        found = prepared.streams(
            profile, packets, given.flows, given.seed, direction == 1, given.skip, given.engine, tunnels=tunnels
        )
        if len(found) >= rendered.MOST_STREAMS:
            raise rendered.Refused(
                f"{packets} packets are {len(found)} streams, for each request is one, and TRex takes "
                f"{rendered.MOST_STREAMS} a port. Ask for a shorter time, or send the rendered capture."
            )
        made = streams_of(found, given.pps, given.cores, endless=not given.duration)
        one_more_flow = functools.partial(prepared.one_more_flow, tunnels=tunnels)
        return stream_options.with_latency(made, given, profile, direction, one_more_flow)


def register():
    return GtpuImix()
