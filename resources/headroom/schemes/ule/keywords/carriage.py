# SPDX-License-Identifier: Apache-2.0
"""Keywords of ROHC over ULE."""

from __future__ import annotations

from robot.api.deco import keyword

from headroom.core import implementations, replay_metrics, replay_options
from headroom.core.results import collector
from headroom.keywords import verdicts
from headroom.keywords.artefacts import keep_captures
from headroom.keywords.base import current_run, library
from headroom.keywords.cases import Case
from headroom.schemes.rohc.scheme import SCHEME as INNER
from headroom.schemes.ule import carriage
from headroom.schemes.ule.keywords.conformance import JUDGE, asked
from headroom.schemes.ule.scheme import SCHEME


@library
class CarriageKeywords:
    """ROHC packets as PDUs of ULE, before encapsulator and receiver under test, and the judge made from RFC 4326."""

    @keyword("ROHC Should Be Carried")
    def carried(self, source: str, **named: str) -> None:
        """Packets of a profile are compressed, encapsulated, received and decompressed; every one comes out as it went
        in, and the judge reads every ROHC packet from the same TS packets. Named arguments are those of a replay of
        ROHC; those of ULE begin with `carrier.`. An implementation of ULE that has no ROHC carries the reference's.
        """
        run = current_run()
        config = replay_options.config_of(INNER, source, {"carrier": SCHEME.name, **named}, run)
        assert config.carrier is not None
        channel = config.carrier.config.channel
        for role, implementation in run.sides:
            needs = asked(role, channel, *(["concat"] if channel.get("concat", 1) > 1 else []))
            Case(SCHEME, JUDGE, role, run).require(**needs)
            setattr(config.carrier.config, role, implementation)
            if not any(capability["scheme"] == INNER.name for capability in implementation.capabilities):
                setattr(config, role, implementations.find("reference"))
        current = collector.current()
        current.parameters |= config.described()
        with verdicts.refusals_are_unsupported():
            result, packets = carriage.run(config)
        current.metric(replay_metrics.PACKETS, result.sent)
        current.metric(replay_metrics.LINK_PACKETS, len(packets))
        wrong = [*result.failures(), *carriage.read_by_the_judge(result, packets)]
        if result.count("identical") != result.sent:
            wrong.append(f"{result.sent - result.count('identical')} of {result.sent} packets did not come out.")
        if wrong:
            keep_captures(result)
            verdicts.must_not_be(" ".join(wrong))
