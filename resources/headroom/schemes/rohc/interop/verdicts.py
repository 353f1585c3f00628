# SPDX-License-Identifier: Apache-2.0
"""The verdict of a replay as a cell: pass, non-strict, fail or error, with the reason."""

from headroom.core.contract import LinkCondition
from headroom.core.replay import Replay
from headroom.core.results.record import Verdict
from headroom.core.text import nth
from headroom.schemes.rohc.interop.study import Fault
from headroom.schemes.rohc.interop.undetected_errors import Chance

NO_CHANCE = Chance()


def of(done: Replay, condition: LinkCondition, chance: Chance = NO_CHANCE) -> tuple[Verdict, str]:
    """The verdict on a replay over a link condition.

    Over a link that does no harm everything must come out as it went in. Over any other, nothing wrong may come out,
    but for packets at risk that the CRCs are bound to miss, and most of what arrived should come out.
    """
    if done.promise_broken:
        return "error", f"{done.promise_broken[:1].upper()}{done.promise_broken[1:]}"
    if not done.sent:
        return "error", "The traffic has no packets, so that nothing was tested."
    if missing := done.count("not_compressed"):
        sentence = _by_status(done, "not_compressed_by_status")
        return "fail", f"The compressor put {missing} of {done.sent} packets not on the link{sentence}."
    wrong = done.differing
    if wrong and (condition.harmless or wrong > chance.allowed or chance.unexplained):
        sentence = f"{wrong} of {done.sent} packets came out wrong"
        if chance.unexplained:
            sentence += f", {len(chance.unexplained)} of them undamaged and behind no damage (the first: "
            sentence += f"{nth('packet', chance.unexplained[0])})"
        elif not condition.harmless:
            sentence += f", where chance explains {chance.allowed} at most"
        return "fail", f"{sentence}: {done.first_difference()}."
    arrived = done.sent - done.count("lost_on_link")
    if not arrived:
        return "error", f"The link lost all {done.sent} packets, so that the decompressor was not tested."
    came = delivered(done)
    undelivered = done.count("not_delivered")
    sentence = _by_status(done, "not_delivered_by_status")
    if condition.share >= 1.0 and undelivered:
        return "fail", f"{undelivered} of {arrived} packets arrived and did not come out{sentence}."
    if came < condition.share * arrived:
        return "non-strict", (
            f"{came} of {arrived} packets that arrived came out{sentence}; {condition.share:.0%} should.".replace(
                "%", " %"
            )
        )
    return "pass", ""


def by_faults(faults: list[Fault]) -> str:
    """The compressor's first fault on the link, as a sentence."""
    first = faults[0]
    return (
        f"The compressor caused {len(faults)} packets that did not come out right: no decompressor could restore them, "
        f"even over a clean link. The first is "
        f"{nth('packet', first.packet)}, {first.kind}: {first.sentence}"
    )


def delivered(done: Replay) -> int:
    """Packets that came out as they went in."""
    return done.count("identical") + done.count("withheld")


def _by_status(done: Replay, key: str) -> str:
    found = done.direction()["verdicts"].get(key, {})
    return f" ({', '.join(f'{count} {status}' for status, count in found.items())})" if found else ""
