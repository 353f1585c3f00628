# SPDX-License-Identifier: Apache-2.0
"""The tunnels of a profile between the two ports of a generator, as the engine's jobs `generate` and `render` have
them."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal


@dataclass(frozen=True)
class TunnelPath:
    """The ports at which a profile's packets are in tunnels: both (`whole`), the first alone (`kept`), or the first
    because a user plane ends the tunnels on the way (`ended`).

    `endpoints` are pairs of a TEID of the profile and the one to send instead. `endpoint_and_user` returns the compared
    parts of a packet that arrives in a tunnel which it has entered on its way: the endpoint and the user's packet.
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
