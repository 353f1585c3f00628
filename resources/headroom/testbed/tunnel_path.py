# SPDX-License-Identifier: Apache-2.0
"""The tunnels of a profile between the two ports of a generator, as the engine's jobs `generate` and `render` have
them."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal


@dataclass(frozen=True)
class TunnelPath:
    """The ports at which a profile's packets are in tunnels.

    `whole`: both ports send packets in tunnels. `kept`: the first port sends packets in tunnels, the second port sends
    users' packets without tunnels, and all packets arrive as they were sent. `ended`: a user plane stands between the
    ports, so the first port sends and receives packets in tunnels, the second port users' packets without tunnels.

    `endpoints` are pairs: a TEID of the profile, and the TEID that the first port sends in its place. A packet that the
    user plane has put into a tunnel is compared by the result of `endpoint_and_user`: the TEID and the user's packet.
    """

    tunnels: Literal["whole", "kept", "ended"] = "whole"
    endpoints: tuple[tuple[int, int], ...] = ()
    endpoint_and_user: Callable[[bytes], bytes] = bytes

    def as_job(self) -> dict[str, Any]:
        """The keys of a job; {} if tunnels stay as they are."""
        if self.tunnels == "whole":
            return {}
        return {"tunnels": self.tunnels, **({"endpoints": self.endpoints} if self.endpoints else {})}

    def known_by(self, packet: bytes, is_reverse: bool) -> bytes:
        """The compared parts of a packet that arrives, or must arrive, in a direction."""
        return self.endpoint_and_user(packet) if is_reverse and self.tunnels == "ended" else packet


WHOLE = TunnelPath()
