# SPDX-License-Identifier: Apache-2.0
"""Bit errors in headers, by mode and packet type: a CRC of w bits misses a wrong header with the probability 2^-w.

That is a mean. One wrong bit of a scaled field changes the header by a power of two times its stride, in one flow by
the same pattern each time, which a CRC misses always or never. What the judge misses is therefore expected for certain,
and so is what follows in a context that a wrong packet has spoilt.

The CRC that counts is that of the type which the octets have as they arrive. In R-mode one wrong bit makes of 110, the
first bits of UOR-2, those of R-1, 10, which has no CRC (RFC 3095, 5.7.2). So of n bits in a header of UOR-2 one goes
unnoticed, and of the others one in 128: 2 to 4 % where the header has 24 to 64 bits.
"""

from __future__ import annotations

from headroom.core import implementations, replay_options
from headroom.core.contract import Scheme
from headroom.core.damaged_links import DamagedType
from headroom.core.run.run import Run
from headroom.core.settings import Settings
from headroom.schemes.rohc.conformance import arrivals
from headroom.schemes.rohc.conformance.observation import observe

LINK = {"packets": "1500", "ber": "0.001", "header_errors": "deliver"}
TRAFFIC = (
    ("voip-amr-nb-ipv6", {"mode": "U"}),
    ("voip-amr-nb-ipv4-silence", {"mode": "O"}),
    ("voip-amr-nb-ipv4-silence", {"mode": "R"}),
    ("tcp-acknowledgements", {"mode": "O", "profiles": "0x0000,0x0006"}),
)
ALWAYS_OR_NEVER = " on average; one bit of a scaled field always or never"
THEORY = {
    0: "no CRC: what the packet carries updates no context (RFC 3095, 5.7.1 and 5.7.2)",
    3: "a CRC of 3 bits misses 1 of 8" + ALWAYS_OR_NEVER,
    7: "a CRC of 7 bits misses 1 of 128" + ALWAYS_OR_NEVER,
    8: "a CRC of 8 bits misses 1 of 256",
}
TO_R_1 = "; in R-mode one wrong bit of the type makes it R-1, which has no CRC"


def damaged(scheme: Scheme, seed: int) -> list[DamagedType]:
    damaged_types: dict[str, DamagedType] = {}
    reference = implementations.find(Settings().compressor)
    for source, named in TRAFFIC:
        run = Run(reference, reference, Settings(seed=seed))
        seen = observe(replay_options.config_of(scheme, source, {**LINK, **named}, run))
        for judgement in arrivals.judged(seen):
            kind = judgement.arrival.seen.kind
            width = arrivals.width_of(kind)
            theory = THEORY[width] + (TO_R_1 if named["mode"] == "R" and kind.startswith("UOR-2") else "")
            row = damaged_types.setdefault(f"{named['mode']}-mode, {kind}", DamagedType("", theory))
            row.packets += 1
            row.damaged += arrivals.has_damaged_header(judgement.arrival.seen)
            row.wrong += judgement.arrival.seen.verdict == "mismatched"
            row.expected += 1.0 if judgement.is_missed or judgement.follows else arrivals.ATTEMPTS * judgement.chance
    for name, row in damaged_types.items():
        row.name = name
    return list(damaged_types.values())
