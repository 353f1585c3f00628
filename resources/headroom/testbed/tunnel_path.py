# SPDX-License-Identifier: Apache-2.0
"""The tunnels of a profile between the two ports of a generator, as the engine's jobs `generate` and `render` have
them."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal


@dataclass(frozen=True)
class TunnelPath:
    """Which of the ports have the tunnels of a profile: both (`whole`), the first one alone (`kept`), or the first one
    because a user plane ends them on the way (`ended`).

    `endpoints` are pairs of a TEID of the profile and the one to send instead. `endpoint_and_user` returns what is
    compared of a packet that arrives in a tunnel that it has entered on its way: the endpoint and the user's packet.
    """

    tunnels: Literal["whole", "kept", "ended"] = "whole"
    endpoints: tuple[tuple[int, int], ...] = ()
    endpoint_and_user: Callable[[bytes], bytes] = bytes

    def as_job(self) -> dict[str, Any]:
        """The keys of a job; none where nothing becomes of tunnels."""
        if self.tunnels == "whole":
            return {}
        return {"tunnels": self.tunnels, **({"endpoints": self.endpoints} if self.endpoints else {})}

    def known_by(self, packet: bytes, is_reverse: bool) -> bytes:
        """Returns what is compared of a packet that arrives, or is to arrive, in a direction."""
        return self.endpoint_and_user(packet) if is_reverse and self.tunnels == "ended" else packet


WHOLE = TunnelPath()
