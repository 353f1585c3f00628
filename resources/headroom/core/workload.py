# SPDX-License-Identifier: Apache-2.0
"""How a scheme is measured: the channels that loads, nodes on the wire and containers make of it.

A scheme that has a `Workload` gets capacity, churn, throughput, latency and container rows: suites name the scheme
in a column, and nothing outside the scheme's folder knows what its configuration holds.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

# What the null adapter does that belongs to no scheme: each packet is copied. The floor under a scheme that the null
# adapter does not declare.
COPY = "copy"


@dataclass(frozen=True)
class Channel:
    """The configuration that both ends of a channel have, and how nodes carry its packets.

    `words` is its configuration as a row of a suite names it, such as `O own`; "" is all that there is. `config` is for
    adapters, without the scheme. `needs` are the capabilities that both sides have to declare
    (`Implementation.lacks`). `parameters` are for result records. `feedback` is the node's: `none`, `own` (frames of
    its own) or `piggybacked`. `image_config` is added where one side is a container image, and `environment` are that
    image's variables (docker/README.md). `hints` are options of `decode` for captures of its link. `in_datagrams`: link
    packets of one length travel in datagrams of UDP.
    """

    scheme: str
    words: str = ""
    config: Mapping[str, object] = field(default_factory=dict, hash=False)
    needs: Mapping[str, object] = field(default_factory=dict, hash=False)
    parameters: Mapping[str, object] = field(default_factory=dict, hash=False)
    feedback: str = "none"
    image_config: Mapping[str, object] = field(default_factory=dict, hash=False)
    environment: Mapping[str, str] = field(default_factory=dict, hash=False)
    hints: Mapping[str, object] = field(default_factory=dict, hash=False)
    in_datagrams: bool = False

    def adapter_config(self) -> dict[str, object]:
        """The configuration of an adapter."""
        return {"scheme": self.scheme, **self.config}

    def stream(self, role: str) -> dict[str, object]:
        """The stream of the node in a role, in its job; {} where link packets have frames of their own. Each node sends
        to the other's multicast group of the local scope (RFC 2365, 6.1)."""
        if not self.in_datagrams:
            return {}
        mine, other = STREAM_GROUPS if role == "compressor" else STREAM_GROUPS[::-1]
        send = {"address": other, "port": STREAM_PORT, "source": STREAM_SOURCE}
        return {"stream": {"send": send, "receive": {"address": mine, "port": STREAM_PORT}}}

    def image_environment(self, role: str) -> dict[str, str]:
        """The variables of a container image that takes a role in this channel."""
        config = json.dumps({**self.config, **self.image_config})
        stream = self.stream(role)
        return {
            "HEADROOM_TEST": "forward",
            "HEADROOM_SCHEME": self.scheme,
            "HEADROOM_CONFIG": config,
            "HEADROOM_FEEDBACK": self.feedback,
            **({"HEADROOM_STREAM": json.dumps(stream["stream"])} if stream else {}),
            **self.environment,
        }


STREAM_GROUPS = ("239.255.0.1", "239.255.0.2")  # of the compressor's node, and of the decompressor's
STREAM_PORT = 5000
STREAM_SOURCE = "192.0.2.1"  # RFC 5737, 3: it stands in examples, and no router takes it

COPIES = Channel(COPY)  # each packet as it is: what a control does that stands beside any scheme

# (words of a row, flows that share the channel, what each side declares for the scheme) -> the channel. Raises
# ValueError on words that name none.
ChannelOf = Callable[[str, int, Sequence[Mapping[str, object]]], Channel]


@dataclass(frozen=True)
class Workload:
    """How a scheme of compressors and decompressors is measured.

    `load` gives the channels of a load of so many flow pairs on a core; `flow_pair` says what one of them is, in a
    sentence. `channel` gives the one channel of a node's worker. `most_flow_pairs` says how many a load may have, from
    what each side declares; None: as many as memory takes.
    """

    flow_pair: str
    load: Callable[[int], Channel]
    channel: ChannelOf
    most_flow_pairs: Callable[[Sequence[Mapping[str, object]]], int | None] = lambda declared: None
