# SPDX-License-Identifier: Apache-2.0
"""The verdict of a replay as a cell: pass, non-strict, fail or error, with the reason."""

from headroom.core.contract import LinkCondition
from headroom.core.replay import Replay
from headroom.core.results.record import Verdict
from headroom.core.text import nth
from headroom.schemes.rohc.interop.study import Fault
from headroom.schemes.rohc.interop.undetected_errors import Chance

NO_CHANCE = Chance()


def of(result: Replay, condition: LinkCondition, chance: Chance = NO_CHANCE) -> tuple[Verdict, str]:
    """The verdict on a replay over a link condition.

    Over a link that does no harm everything must come out as it went in. Over any other, nothing wrong may come out,
    but for packets at risk that the CRCs are bound to miss, and most of what arrived should come out.
    """
    if result.promise_broken:
        return "error", f"{result.promise_broken[:1].upper()}{result.promise_broken[1:]}"
    if not result.sent:
        return "error", "The traffic has no packets, so that nothing was tested."
    if missing := result.count("not_compressed"):
        sentence = _by_status(result, "not_compressed_by_status")
        return "fail", f"The compressor put {missing} of {result.sent} packets not on the link{sentence}."
    wrong = result.differing
    if wrong and (condition.harmless or wrong > chance.allowed or chance.unexplained):
        sentence = f"{wrong} of {result.sent} packets came out wrong"
        if chance.unexplained:
            sentence += f", {len(chance.unexplained)} of them undamaged and after no damage (the first: "
            sentence += f"{nth('packet', chance.unexplained[0])})"
        elif not condition.harmless:
            sentence += f", where chance explains {chance.allowed} at most"
        return "fail", f"{sentence}: {result.first_difference()}."
    arrived = result.sent - result.count("lost_on_link")
    if not arrived:
        return "error", f"The link lost all {result.sent} packets, so that the decompressor was not tested."
    came = delivered(result)
    undelivered = result.count("not_delivered")
    sentence = _by_status(result, "not_delivered_by_status")
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


def by_irs(reason: str, irs: list[int]) -> str:
    """The reason of a cell in which nothing came out, though IR packets arrived."""
    return (
        f"{reason} {len(irs)} are IR packets that arrived undamaged and need no context, {nth('packet', irs[0])} first."
    )


def delivered(result: Replay) -> int:
    """Packets that came out as they went in."""
    return result.count("identical") + result.count("withheld")


def _by_status(result: Replay, key: str) -> str:
    outcome = result.direction()["verdicts"].get(key, {})
    return f" ({', '.join(f'{count} {status}' for status, count in outcome.items())})" if outcome else ""
