# SPDX-License-Identifier: Apache-2.0
"""The workload of a scheme: the channels of loads, nodes on the wire and containers.

A scheme that has a `Workload` gets rows for capacity, churn, throughput, latency and containers: suites name the scheme
in a column, and nothing outside the scheme's folder knows the content of its configuration.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

# The null adapter's work without any scheme: it copies each packet. The floor under a scheme that the null adapter does
# not declare.
COPY = "copy"


@dataclass(frozen=True)
class Channel:
    """The configuration that both ends of a channel have, and the way in which nodes carry its packets.

    `words` is its configuration in a row of a suite, such as `O own`; "" for the plainest. `config` is for adapters,
    without the scheme. `needs` are the capabilities that both sides have to declare (`Implementation.lacks`).
    `parameters` are for result records. `feedback` is the node's: `none`, `own` (frames of its own) or `piggybacked`.
    `image_config` is added if one side is a container image, and `environment` are that image's variables
    (docker/README.md). `hints` are options of `decode` for captures of its link. `in_datagrams`: link packets of one
    length travel in datagrams of UDP.
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
        """The stream of the node in a role, in its job; {} if link packets have frames of their own. Each node sends to
        the other's multicast group of the local scope (RFC 2365, 6.1).
        """
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


STREAM_GROUPS = ("239.255.0.1", "239.255.0.2")  # where the compressor's node receives, and where the decompressor's
STREAM_PORT = 5000
STREAM_SOURCE = "192.0.2.1"  # RFC 5737, 3: an address for examples, which no router forwards

COPIES = Channel(COPY)  # each packet unchanged: the control beside any scheme

# (words of a row, flows that share the channel, each side's declarations for the scheme) -> the channel. Raises
# ValueError for unknown words.
ChannelOf = Callable[[str, int, Sequence[Mapping[str, object]]], Channel]


@dataclass(frozen=True)
class Workload:
    """The measurement of a scheme of compressors and decompressors.

    `load` gives the channels of a load of so many flow pairs on a core; `flow_pair` explains a flow pair, in a
    sentence. `channel` gives the one channel of a node's worker. `most_flow_pairs` limits a load, from each side's
    declarations; None: as many as fit into memory.
    """

    flow_pair: str
    load: Callable[[int], Channel]
    channel: ChannelOf
    most_flow_pairs: Callable[[Sequence[Mapping[str, object]]], int | None] = lambda declared: None
