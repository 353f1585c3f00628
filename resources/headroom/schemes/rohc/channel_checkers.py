# SPDX-License-Identifier: Apache-2.0
"""The judges of a replay's channels, which get all that the compressor sends, in its order."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Collection
from dataclasses import replace
from typing import Any

from headroom.core import replay
from headroom.core.finding import Finding
from headroom.schemes.rohc.judge import Checker, Outcome, Parameters
from headroom.schemes.rohc.judge.v1.checker import NotJudged

JUDGE = "headroom.schemes.rohc.judge"


class ChannelCheckers:
    """One `Checker` for each channel. `options` are those of `Checker`; `judged` are the judged channels, None for all.

    The packets of the source are given to `take` one by one. What the compressor sends besides goes to the judge where
    it was sent: it may change contexts (an IR packet without payload), but no packet may come out of it.
    """

    def __init__(self, replayed: replay.Replay, judged: Collection[int] | None = None, **options: Any) -> None:
        parameters = Parameters.of(replayed.config.channel)
        self._checkers: dict[int, Checker] = defaultdict(lambda: Checker(parameters, **options))
        self._positions: dict[int, list[int]] = defaultdict(list)  # of the link packets of each channel, in the source
        self._besides = deque(replayed.sent_besides)
        self._judged = judged

    def of(self, channel: int) -> Checker:
        return self._checkers[channel]

    def take_besides(self, packet: int) -> None:
        """Gives the judges all that was sent besides before a packet of the source."""
        while self._besides and self._besides[0]["before"] <= packet:
            record = self._besides.popleft()
            channel = record["channel"]
            self._positions[channel].append(max(record["before"] - 1, 0))
            if self._is_judged(channel):
                self.of(channel).take(bytes.fromhex(record["link"]), None, record["time_ns"])

    def take(self, record: dict[str, Any], original: bytes, arrival_ns: int | None = None) -> Outcome | None:
        """The outcome of a packet of the source: that of the link packet from which it comes out, or of its last one.
        None if there is none, or its channel is not judged."""
        channel, parts = record["channel"], replay.parts_of(record)
        self._positions[channel] += [record["packet"]] * len(parts)
        result: Outcome | None = None
        for part in parts if self._is_judged(channel) else ():
            is_out = result is not None and result.delivered is not None
            outcome = self.of(channel).take(
                bytes.fromhex(part["link"]),
                None if is_out else original,
                arrival_ns,
                goes_on=part is not parts[-1],
            )
            result = result if is_out else outcome
        return result

    def finish(self) -> tuple[list[Finding], list[tuple[int, NotJudged]]]:
        """All findings, and what was not judged, each with its packet of the source."""
        findings, left_out = [], []
        for channel, checker in self._checkers.items():
            checker.finish()
            at = self._positions[channel]
            findings += [replace(each, packet=at[each.packet or 0], judge=JUDGE) for each in checker.findings]
            left_out += [(at[each.packet_index], each) for each in checker.not_judged]
        return findings, left_out

    @property
    def restored(self) -> int:
        return sum(checker.restored for checker in self._checkers.values())

    def _is_judged(self, channel: int) -> bool:
        return self._judged is None or channel in self._judged
