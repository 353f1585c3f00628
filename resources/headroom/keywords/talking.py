# SPDX-License-Identifier: Apache-2.0
"""Keywords about two SigComp endpoints that have calls with each other."""

from __future__ import annotations

from robot.api.deco import keyword

from headroom import settings, words
from headroom.interop import talk
from headroom.keywords import verdicts
from headroom.keywords.base import library
from headroom.oracle.sigcomp import tshark
from headroom.results import collector
from headroom.results.record import Finding


@library
class Talking:
    """Rows about pairs of endpoints. `headroom.interop.talk` decides what is right."""

    @keyword("Calls Should Be Understood")
    def understood(self, mechanism: str = talk.DEFAULT, transport: str = "udp", link: str = "clean") -> None:
        """Every sequence between caller and called party, with new endpoints for each.

        Over a link that does no harm, every message comes out, and a judge restores it, too. Over any other, none comes
        out different, and one that does not come out was lost, or refers to state that was on its way.
        """
        _conclude(_row(mechanism, transport, link), 1)

    @keyword("Calls In Several Compartments Should Be Understood")
    def understood_in_several(self, mechanism: str = talk.DEFAULT, compartments: int = 3) -> None:
        """The same call in one compartment after another, so that they create the same state."""
        _conclude(_row(mechanism, "udp", "clean"), int(compartments))


def _row(mechanism: str, transport: str, link: str) -> talk.Row:
    asked = settings.from_robot()
    verdicts.note("compressor", asked.compressor, asked.build)
    verdicts.note("decompressor", asked.decompressor, asked.build)
    collector.current().parameters |= {"mechanism": mechanism, "transport": transport, "link": link}
    return talk.Row(asked.compressor, asked.decompressor, mechanism, transport, link, asked.seed, asked.build)


def _conclude(row: talk.Row, compartments: int) -> None:
    calls = talk.run(row, compartments)
    current = collector.current()
    found = talk.totals(calls)
    current.metric("messages", found["messages"], "messages")
    current.metric("identical", found["identical"], "messages", "higher")
    current.metric("compressed", 100.0 * found["sent_octets"] / found["plain_octets"], "%", "lower")
    current.metric("nacks", found["nacks"], "messages", "lower")
    wrong = talk.shortcomings(row, calls)
    if row.link == "clean" and compartments == 1 and not wrong:
        wrong = talk.confirmed(row, calls, _second_opinion(row, calls))
    if wrong:
        current.findings += [Finding(sentence, judge="headroom") for sentence in wrong[: verdicts.MOST_FINDINGS]]
        raise AssertionError(f"{words.some(wrong, 3)}.")


def _second_opinion(row: talk.Row, calls: list[talk.Call]) -> list[bytes | None]:
    """What tshark's UDVM makes of the messages, which errs in some instructions and so is no witness against anybody;
    nothing where there is no tshark."""
    current = collector.current()
    if not talk.is_sigcomp(row):
        return []
    if not tshark.available():
        current.findings.append(Finding("tshark is not installed, so the second judge is missing.", severity="note"))
        return []
    sent = talk.on_the_link(row, calls)
    seen = [one.output for one in tshark.read([(sender, octets) for sender, octets, _ in sent])]
    count = sum(one == message for one, (_, _, message) in zip(seen, sent, strict=True))
    current.metric("confirmed_by_tshark", count, "messages", "higher")
    return seen
