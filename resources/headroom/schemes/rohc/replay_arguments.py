# SPDX-License-Identifier: Apache-2.0
"""Named arguments of `Replay …` that are about a ROHC channel."""

from headroom.core import implementations
from headroom.core.options import split_names
from headroom.core.replay import Replay, ReplayConfig
from headroom.core.replay_options import ReplayWords, into, octets
from headroom.schemes.rohc import contexts, ppp

OR = " or "  # between modes, of which that is meant which both sides have


def _ppp_option(config: ReplayConfig, text: str) -> None:
    config.channel |= ppp.parse(bytes.fromhex(octets(text))).channel()
    config.encapsulation = "ppp"


ARGUMENTS = {
    "mode": into("channel", "mode", str),
    "cids": into("channel", "cids", str),
    "max_cid": into("channel", "max_cid", int),
    "profiles": into("channel", "profiles", lambda text: list(split_names(text))),
    "mrru": into("channel", "mrru", int),
    "largest_packet": into("channel", "largest_packet", int),
    "ppp_option": _ppp_option,
}


def choose_mode(config: ReplayConfig) -> None:
    """Replaces a list of modes by the first mode that both sides declare."""
    if OR in str(config.channel.get("mode", "")):
        ends = {"compressor": config.compressor, "decompressor": config.decompressor}
        modes = config.channel["mode"].split(OR)
        config.channel["mode"] = implementations.first_declared(config.scheme, "modes", modes, ends)


def remarks(result: Replay) -> list[str]:
    crowded = contexts.crowded(result)
    return [crowded] if crowded else []


WORDS = ReplayWords(ARGUMENTS, choose_mode, remarks)
