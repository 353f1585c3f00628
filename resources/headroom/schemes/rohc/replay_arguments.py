# SPDX-License-Identifier: Apache-2.0
"""Named arguments of `Replay …` that are about a ROHC channel."""

from headroom.core import implementations
from headroom.core.options import split_names
from headroom.core.replay import Replay, ReplayConfig
from headroom.core.replay_options import ReplayWords, into, octets
from headroom.schemes.rohc import contexts, ppp

OR = " or "  # between modes, of which that is meant which both sides have


def _ppp_option(made: ReplayConfig, text: str) -> None:
    made.channel |= ppp.parse(bytes.fromhex(octets(text))).channel()
    made.encapsulation = "ppp"


ARGUMENTS = {
    "mode": into("channel", "mode", str),
    "cids": into("channel", "cids", str),
    "max_cid": into("channel", "max_cid", int),
    "profiles": into("channel", "profiles", lambda text: list(split_names(text))),
    "mrru": into("channel", "mrru", int),
    "largest_packet": into("channel", "largest_packet", int),
    "ppp_option": _ppp_option,
}


def choose_mode(made: ReplayConfig) -> None:
    """Replaces a list of modes by the first mode that both sides declare."""
    if OR in str(made.channel.get("mode", "")):
        ends = {"compressor": made.compressor, "decompressor": made.decompressor}
        modes = made.channel["mode"].split(OR)
        made.channel["mode"] = implementations.first_declared(made.scheme, "modes", modes, ends)


def remarks(done: Replay) -> list[str]:
    crowded = contexts.crowded(done)
    return [crowded] if crowded else []


WORDS = ReplayWords(ARGUMENTS, choose_mode, remarks)
