# SPDX-License-Identifier: Apache-2.0
"""The packets of a capture or of a transport stream; packets of serial lines are taken out of SLIP."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from headroom.core.captures import formats, reading, serial_line, ts_file
from headroom.core.captures.formats import Format
from headroom.core.captures.framing import Frame
from headroom.core.captures.reading import CapturedPacket


@dataclass
class Source:
    """A file, and the user's formats of its link types."""

    path: Path
    given: Mapping[int, Format] = field(default_factory=dict)
    _types: set[int] = field(default_factory=set)
    _deframer: serial_line.Deframer = field(default_factory=serial_line.Deframer)
    _ts_octets: int = 0

    def packets(self) -> Iterator[tuple[CapturedPacket, Frame]]:
        """All packets in order, each with its content. Raises as `reading.read` does."""
        number = 0
        for captured in self._captured():
            self._types.add(captured.interface.link_type)
            for packet in self._unslipped(formats.apply(captured, self.given)):
                number += 1
                yield replace(packet, number=number), formats.unwrap(packet, self.given)

    @property
    def remarks(self) -> list[str]:
        """Sentences on the way in which the packets so far were read."""
        sentences = [f"A file of TS packets of {self._ts_octets} octets each."] if self._ts_octets else []
        sentences += formats.remarks(self._types, self.given)
        if self._deframer.split:
            sentences.append("SLIP packets are counted, not records: some held none, or several.")
        return sentences

    def _captured(self) -> Iterator[CapturedPacket]:
        if (layout := ts_file.layout(self.path)) is None:
            return reading.read(self.path)
        self._ts_octets = layout[1]
        return ts_file.read(self.path, *layout)

    def _unslipped(self, captured: CapturedPacket) -> Iterator[CapturedPacket]:
        if captured.interface.link_type != serial_line.SLIP:
            yield captured
            return
        for packet in self._deframer.packets(captured):
            is_split = self._deframer.split
            yield replace(packet, comments=(*packet.comments, f"record {captured.number}")) if is_split else packet
