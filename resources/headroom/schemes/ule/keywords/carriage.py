# SPDX-License-Identifier: Apache-2.0
"""Keywords of ROHC over ULE."""

from __future__ import annotations

import tempfile
from pathlib import Path

from robot.api.deco import keyword

from headroom.core import replay, replay_metrics, replay_options
from headroom.core.captures import engine_pcapng
from headroom.core.replay import Replay
from headroom.core.results import collector
from headroom.keywords import verdicts
from headroom.keywords.artefacts import keep_captures
from headroom.keywords.base import current_run, library
from headroom.schemes.rohc.scheme import SCHEME as INNER
from headroom.schemes.ule.judge.receiver import Receiver
from headroom.schemes.ule.scheme import SCHEME

ETHER_TYPE = 0x22F1  # of ROHC
WHOLE_FRAME = 0x6558  # what the judge says of a bridged frame that it leaves whole
MAC_HEADER = 14
FORWARD = 0  # interface of the engine's captures; feedback is on the other one


@library
class CarriageKeywords:
    """ROHC packets as PDUs of ULE: both decompressor and receiver under test, and the judge made from RFC 4326."""

    @keyword("ROHC Should Be Carried")
    def carried(self, source: str, **named: str) -> None:
        """Packets of a profile are compressed, encapsulated, received and decompressed; every one comes out as it went
        in, and the judge reads every ROHC packet from the same TS packets. Named arguments are those of a replay of
        ROHC; those of ULE begin with `carrier.`.
        """
        run = current_run()
        verdicts.note_sides(run)
        config = replay_options.config_of(INNER, source, {"carrier": SCHEME.name, **named}, run)
        config.records = "all"
        collector.current().parameters |= config.described()
        with tempfile.TemporaryDirectory() as folder, verdicts.refusals_are_unsupported():
            config.outputs = {"link": Path(folder) / "link.pcapng"}
            done = replay.run(config)
            read = engine_pcapng.read(config.outputs["link"])
            packets = [one.octets for one in read if one.interface == FORWARD]
        current = collector.current()
        current.metric(replay_metrics.PACKETS, done.sent)
        current.metric(replay_metrics.LINK_PACKETS, len(packets))
        wrong = [*done.failures(), *_read_by_the_judge(done, packets)]
        if done.count("identical") != done.sent:
            wrong.append(f"{done.sent - done.count('identical')} of {done.sent} packets did not come out.")
        if wrong:
            keep_captures(done)
            verdicts.must_not_be(" ".join(wrong))


def _read_by_the_judge(done: Replay, packets: list[bytes]) -> list[str]:
    """Sentences about ROHC packets that the judge does not read from the TS packets as they were sent."""
    assert done.config.carrier is not None
    judge = Receiver(bridged=bool(done.config.carrier.config.channel.get("bridged")))
    units = [unit for packet in packets for unit in judge.take(packet)]
    header = MAC_HEADER if done.config.carrier.ethernet else 0
    type_of_units = WHOLE_FRAME if done.config.carrier.ethernet else ETHER_TYPE
    wrong = [f"The judge notes {count} times: {event}." for event, count in judge.events.items()]
    if types := {unit.type for unit in units} - {type_of_units}:
        wrong.append(f"The judge reads units of other types: {sorted(types)}.")
    sent = [record["link"] for record in done.records if "link" in record]
    read = [unit.octets[header:].hex() for unit in units]
    # Link packets of several channels are on several PIDs, which the multiplex may order otherwise.
    if sorted(read) != sorted(sent):
        wrong.append(f"The judge reads {len(set(read) & set(sent))} of {len(sent)} ROHC packets.")
    return wrong
