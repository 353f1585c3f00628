# SPDX-License-Identifier: Apache-2.0
"""Keywords that send packets through compressor, link and decompressor, and that say what must be true of it."""

from dataclasses import replace
from typing import Any

from robot.api import SkipExecution
from robot.api.deco import keyword

from headroom.core import replay, replay_metrics, replay_options
from headroom.core.options import split_names
from headroom.core.results import collector
from headroom.core.text import nth, nths, some
from headroom.keywords import verdicts
from headroom.keywords.artefacts import keep_captures
from headroom.keywords.base import current_run, library
from headroom.schemes.rohc.conformance.capabilities import needs_of
from headroom.schemes.rohc.scheme import SCHEME


@library
class ReplayKeywords:
    """One replay at a time: `Replay …` runs it, the keywords that follow judge it.

    Named arguments of every `Replay …`, all optional:
    - of the channel: mode (U, O or R), cids (small or large), max_cid, profiles (such as 0x0001,0x0002), mrru,
      ppp_option (the ROHC option of IPCP, RFC 3241, in hexadecimal: MAX_CID, MRRU and profiles),
      largest_packet (octets on the link; longer ones go as segments if mrru allows);
    - of the traffic: flows, packets, duration (in seconds), burst, timeout (in seconds);
    - of the link: loss, ber, header_errors and payload_errors (drop or deliver), reorder and depth, duplicate, delay
      and jitter (milliseconds),
      encapsulation (of its captures: ethernet or ppp),
      drop (link packets from 0, such as 5,6), flip (packet:bit, such as 7:3),
      burst_loss (good_to_bad:bad_to_good:loss_bad);
    - of the way back: feedback (none, own, interspersed, piggybacked), feedback_loss, feedback_ber, feedback_delay,
      reverse (yes: traffic both ways);
    - of the implementations: compressor, decompressor, compressor_options and decompressor_options (name=value,
      separated by semicolons).
    """

    def __init__(self) -> None:
        self.last: replay.Replay | None = None

    @keyword("Replay Profile")
    def replay_profile(self, profile: str, **named: str) -> None:
        self._run(replay_options.config_of(SCHEME, profile, named, current_run()))

    @keyword("Replay Capture")
    def replay_capture(self, path: str, **named: str) -> None:
        self._run(replay_options.config_of(SCHEME, str(replay_options.file_of(path)), named, current_run()))

    @keyword("Replay Packets")
    def replay_packets(self, *packets: str, **named: str) -> None:
        """Literal packets as hexadecimal octets, 20 ms apart."""
        literal = [
            {"time_ns": n * 20_000_000, "channel": 0, "hex": replay_options.octets(text)}
            for n, text in enumerate(packets)
        ]
        self._run(replay_options.config_of(SCHEME, literal, named, current_run()))

    def _run(self, config: replay.ReplayConfig) -> None:
        self.last = None
        identify(config)
        self.last = replay.run(replace(config, records="all"))
        note(self.last)
        if self.last.promise_broken:
            raise AssertionError(self.last.promise_broken[:1].upper() + self.last.promise_broken[1:])

    @property
    def done(self) -> replay.Replay:
        if self.last is None:
            raise RuntimeError("Nothing has been replayed yet: this keyword comes after a `Replay …`.")
        return self.last

    # ---- what came out

    @keyword("Every Packet Should Come Out As It Went In")
    def every_packet_identical(self) -> None:
        good = self.done.count("identical") == self.done.sent and not self.done.differing
        self._expect(good, self._what_happened())

    @keyword("No Packet Should Come Out Different")
    def nothing_different(self) -> None:
        """A packet is delivered as it was, or not at all."""
        self._expect(self.done.differing == 0, self._what_happened())

    @keyword("At Least ${share} % Should Come Out")
    def at_least_delivered(self, share: float) -> None:
        """SHARE counts among the packets that the link delivered."""
        arrived = self.done.sent - self.done.count("lost_on_link") - self.done.count("not_compressed")
        got = 100.0 * self.done.count("identical") / arrived if arrived else 0.0
        collector.current().metric(replay_metrics.DELIVERED, got)
        self._expect(
            arrived > 0 and got >= share,
            f"{got:.2f} % of {arrived} packets that arrived came out; {self._what_happened()}",
        )

    @keyword("Packets Not Delivered Should Be ${first} To ${last}")
    def not_delivered_within(self, first: int, last: int) -> None:
        """Indices, from 0, of the source packets that the decompressor does not deliver lie in a range."""
        outside = [
            r["packet"]
            for r in self.done.records
            if r.get("verdict") == "not_delivered" and not first <= r["packet"] <= last
        ]
        self._expect(not outside, f"packets {some(nths(outside))} were not delivered either")

    @keyword("Nothing Should Come Out")
    def nothing_delivered(self) -> None:
        delivered = self.done.count("identical") + self.done.count("delivered") + self.done.differing
        self._expect(delivered == 0, f"{delivered} packets came out; {self._what_happened()}")

    # ---- what was on the link

    @keyword("First ${count} Packets Should Be ${types}")
    def first_packets(self, count: int, types: str) -> None:
        """Types of the first packets on the link; several types are separated by commas, and each is allowed."""
        allowed = split_names(types)
        seen = [(r["packet"], r["compressor"].get("type")) for r in self.done.records[:count] if "compressor" in r]
        wrong = [f"{nth('packet', packet)} is {kind}" for packet, kind in seen if kind not in allowed]
        self._expect(len(seen) >= count and not wrong, f"expected {types} for the first {count}: {some(wrong)}")

    @keyword("Packet ${index} Should Be ${types}")
    def packet_type(self, index: int, types: str) -> None:
        """INDEX is that of a packet of the source, from 0."""
        result = next(
            (r["compressor"].get("type") for r in self.done.records if r.get("packet") == index and "compressor" in r),
            None,
        )
        self._expect(result in split_names(types), f"{nth('packet', index)} is {result}, expected {types}")

    @keyword("Packet Types Should Include")
    def packet_types_include(self, *types: str) -> None:
        missing = [name for name in types if not self.done.packet_types.get(name)]
        self._expect(not missing, f"no packet of type {', '.join(missing)} was sent; types: {self.done.packet_types}")

    @keyword("Packet Types Should Be Only")
    def packet_types_only(self, *types: str) -> None:
        other = {name: count for name, count in self.done.packet_types.items() if name not in types and count}
        self._expect(not other, f"other types were sent: {other}")

    @keyword("Smallest Header Should Be ${octets} Octets")
    def smallest_header(self, octets: int) -> None:
        result = self.done.header_length.get("min")
        self._expect(result == octets, f"the smallest header has {result} octets, expected {octets}")

    @keyword("Average Header Should Be At Most ${octets} Octets")
    def average_header(self, octets: float) -> None:
        value = float(self.done.header_length.get("mean") or "inf")
        self._expect(value <= octets, f"the average header has {value:.3f} octets, expected at most {octets}")

    # ---- modes, states, feedback

    @keyword("${side} Should Reach ${what} ${name}")
    def should_reach(self, side: str, what: str, name: str) -> None:
        """`Compressor Should Reach Mode O`, `Decompressor Should Reach State FC`."""
        transitions = self._transitions(side)
        reached = [t for t in transitions if t["what"] == what.lower() and t["to"] == name]
        collector.current().parameters.setdefault("reached", []).append(f"{side} {what} {name}")
        seen = [
            f"{t['from']}→{t['to']} at {nth('packet', t['packet'])}" for t in transitions if t["what"] == what.lower()
        ]
        self._expect(
            bool(reached),
            f"the {side.lower()} never reached {what.lower()} {name}; it went {some(seen)}",
        )

    @keyword("${side} Should Never Reach ${what} ${name}")
    def should_never_reach(self, side: str, what: str, name: str) -> None:
        reached = [t for t in self._transitions(side) if t["what"] == what.lower() and t["to"] == name]
        where = some([nth("packet", t["packet"]) for t in reached])
        self._expect(not reached, f"the {side.lower()} reached {what.lower()} {name} at {where}")

    @keyword("Feedback Should Be Sent")
    def feedback_sent(self) -> None:
        self._expect(self.done.direction()["feedback"]["messages"] > 0, "the decompressor sent no feedback")

    @keyword("No Feedback Should Be Sent")
    def no_feedback_sent(self) -> None:
        count = self.done.direction()["feedback"]["messages"]
        self._expect(count == 0, f"the decompressor sent {count} feedback messages")

    def _transitions(self, side: str) -> list[dict[str, Any]]:
        return self.done.direction().get(side.lower(), {}).get("transition_list", [])

    def _what_happened(self) -> str:
        counts = ", ".join(
            f"{count} {name.replace('_', ' ')}"
            for name, count in self.done.direction()["verdicts"].items()
            if isinstance(count, int) and count
        )
        statuses = self.done.direction()["verdicts"].get("not_delivered_by_status", {})
        reasons = f" ({', '.join(f'{count} {status}' for status, count in statuses.items())})" if statuses else ""
        first = self.done.first_difference()
        return f"of {self.done.sent} packets: {counts}{reasons}" + (f"; {first}" if first else "")

    def _expect(self, met: bool, otherwise: str) -> None:
        if not met:
            keep_captures(self.done)
            raise AssertionError(otherwise[:1].upper() + otherwise[1:])


def identify(config: replay.ReplayConfig) -> None:
    """Notes the implementations under test; skips the case if one does not declare a feature that it needs."""
    for role, implementation in config.sides:
        if reason := implementation.lacks(role, SCHEME.name, **needs_of(config.channel)):
            raise SkipExecution(f"{reason}.")
        verdicts.note(role, implementation, config.build)


def note(result: replay.Replay) -> None:
    """Leaves the replay and its outcome for the result record."""
    current = collector.current()
    current.parameters |= result.config.described()
    current.metric(replay_metrics.PACKETS, result.sent)
    for metric in (*replay_metrics.OUTCOMES, replay_metrics.LOST_ON_LINK):
        current.metric(metric, result.count(metric.name))
    if result.config.compressor and result.header_length:
        for figure in ("mean", "min", "max"):
            current.metric(replay_metrics.HEADER(figure=figure), result.header_length[figure])
