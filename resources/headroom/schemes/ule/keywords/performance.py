# SPDX-License-Identifier: Apache-2.0
"""Keywords that measure the cost of encapsulating and receiving PDUs."""

from robot.api import SkipExecution
from robot.api.deco import keyword

from headroom.bench import load
from headroom.core import metrics, replay
from headroom.core.replay import ReplayConfig
from headroom.core.results import collector
from headroom.keywords import verdicts
from headroom.keywords.base import current_run, library
from headroom.keywords.load import note_costs
from headroom.schemes.ule.options import LARGEST_PDU

SCHEME = "ule"
FLOW_PAIRS = 200  # on one PID: how many flows there are makes no difference to an encapsulator


@library
class EncapsulationPerformanceKeywords:
    """Keywords that measure the time of one PDU, without pauses between PDUs."""

    @keyword("Encapsulation Should Be Measured")
    def encapsulation_should_be_measured(self, pdu: str, packing: str, address: str) -> None:
        """PDU is the length of each PDU in octets, of those for which there is a profile `udp-<octets>`; PACKING is
        `packing` or `padding`, and ADDRESS `present` or `absent`. Packets must come out as they went in; how long it
        takes is measured and not judged. Three trials."""
        run = current_run()
        for role, implementation in run.sides:
            if reason := implementation.lacks(role, SCHEME, packing=[packing], address=[address]):
                raise SkipExecution(f"{reason}.")
        config = load.LoadConfig(
            scheme=SCHEME,
            compressor=run.compressor,
            decompressor=run.decompressor,
            profile=f"udp-{pdu}",
            build=run.build,
            seed=run.seed,
            pacing="none",
            ticks=25 if run.quick else 100,
            channel={"packing": packing, "address": address, "channels": 1},
        )
        current = collector.current()
        current.parameters |= {"kind": "encapsulation", "pdu_octets": int(pdu), "packing": packing, "address": address}
        verdicts.note_sides(run)
        trials = [load.measure(config, FLOW_PAIRS) for _ in range(1 if run.quick else 3)]
        note_costs(trials, "asked")
        _note_octets(config)


def _note_octets(config: load.LoadConfig) -> None:
    """Leaves the octets of a PDU, and those that it takes in TS packets, from a replay of the same traffic."""
    result = replay.run(
        ReplayConfig(
            SCHEME,
            config.compressor,
            config.decompressor,
            config.profile,
            flows=FLOW_PAIRS,
            packets=2000,
            seed=config.seed,
            channel={**config.channel, "mrru": LARGEST_PDU},
            build=config.build,
        )
    )
    if result.failures():
        raise AssertionError(" ".join(result.failures()))
    current, direction = collector.current(), result.direction()
    current.metric(metrics.PLAIN_OCTETS, direction["source"]["octets"] / result.sent)
    current.metric(metrics.LINK_OCTETS, direction["link"]["octets"] / result.sent)
