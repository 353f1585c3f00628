# SPDX-License-Identifier: Apache-2.0
"""The hand-derived vectors of resources/vectors/rohc: link packets with what a decompressor must make of them, and why.

What the files hold is described in resources/vectors/rohc/README.md.
"""

from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any

from headroom.core import vectors
from headroom.core.paths import VECTORS
from headroom.core.vectors import Entry, Field
from headroom.core.yamlfile import Document
from headroom.schemes.rohc.judge.framework.parameters import Parameters

FOLDER = VECTORS / "rohc"
PACKET_INTERVAL_NS = 20_000_000


@dataclass(frozen=True)
class Step:
    """One link packet. `outcome` is delivered, nothing or discarded; `packet` is what is delivered."""

    link: bytes
    outcome: str
    packet: bytes | None = None
    because: str | None = None  # requirement for which it is discarded
    passes_on: tuple[bytes, ...] = ()  # feedback data for the compressor on the same side
    replies: tuple[dict[str, Any], ...] = ()  # feedback that the decompressor sends
    fields: tuple[Field, ...] = ()


@dataclass(frozen=True)
class Vector:
    """A sequence of link packets on a fresh channel. The first `prologue` steps only establish the context."""

    name: str
    shows: str
    rests_on: tuple[dict[str, Any], ...]
    requirements: tuple[str, ...]
    channel: dict[str, Any]
    steps: tuple[Step, ...]
    prologue: int
    feature: str | None
    path: Path = field(compare=False, default=FOLDER)

    @property
    def parameters(self) -> Parameters:
        return Parameters.of(self.channel)


@dataclass(frozen=True)
class FeedbackVector:
    """One feedback element as it travels, and what it means; `because` instead if it is to be ignored."""

    name: str
    shows: str
    requirements: tuple[str, ...]
    large_cids: bool
    element: bytes
    fields: tuple[Field, ...]
    means: dict[str, Any] | None
    because: str | None


@cache
def documents(folder: Path = FOLDER) -> list[Document]:
    """All vector files. Raises UsageError with file and line if one is not valid."""
    return vectors.documents(folder, "schemes/rohc/vector")


@cache
def load(folder: Path = FOLDER) -> dict[str, Vector]:
    """All vectors of packets by name, in the order of the files. Raises UsageError with file and line."""
    entries = vectors.entries(documents(folder), "vectors")
    prologues = {document.path: _prologues(document) for document in documents(folder)}
    return {name: _vector(entry, prologues[entry.document.path]) for name, entry in entries.items()}


@cache
def load_feedback(folder: Path = FOLDER) -> dict[str, FeedbackVector]:
    """All vectors of feedback elements by name. Raises UsageError with file and line."""
    return {name: _feedback(entry) for name, entry in vectors.entries(documents(folder), "feedback").items()}


def _prologues(document: Document) -> dict[str, list[Step]]:
    prologues = document.data.get("prologues", {}).items()
    return {name: _steps(Entry(name, data, document, ("prologues", name))) for name, data in prologues}


def _vector(entry: Entry, prologues: dict[str, list[Step]]) -> Vector:
    data = entry.data
    if "after" in data and data["after"] not in prologues:
        sentence = f"'{data['after']}' is no prologue of this file (there are: {', '.join(prologues)})."
        raise entry.error("after", sentence=sentence)
    before = prologues[data["after"]] if "after" in data else []
    return Vector(
        entry.name,
        data["shows"],
        tuple(data["rests_on"]),
        tuple(data["requirements"]),
        data["channel"],
        (*before, *_steps(entry)),
        len(before),
        data.get("feature"),
        entry.document.path,
    )


def _steps(entry: Entry) -> list[Step]:
    """The steps of an entry's packets: one each, or with `cut` one for each length that the packet is cut to."""
    steps = []
    for number, packet in enumerate(entry.data["packets"]):
        step = _step(entry, number, packet)
        shortest, longest = packet.get("cut", (len(step.link), len(step.link)))
        if not shortest <= longest <= len(step.link):
            sentence = f"a packet of {len(step.link)} octets cannot be cut to {shortest} to {longest} octets."
            raise entry.error("packets", number, "cut", sentence=sentence)
        steps += [
            replace(step, link=step.link[:length], fields=_cut(step.fields, 8 * length))
            for length in range(shortest, longest + 1)
        ]
    return steps


def _cut(fields: tuple[Field, ...], bits: int) -> tuple[Field, ...]:
    """The fields of the first `bits` bits; the last one may lose its less significant part."""
    kept = []
    for part in fields:
        width = min(part.bits, bits)
        if not width:
            break
        kept.append(Field(part.name, width, part.value >> part.bits - width, part.why))
        bits -= width
    return tuple(kept)


def _step(entry: Entry, number: int, packet: dict[str, Any]) -> Step:
    link = bytes.fromhex(packet["link"])
    return Step(
        link,
        packet["outcome"],
        bytes.fromhex(packet["packet"]) if "packet" in packet else None,
        packet.get("because"),
        tuple(bytes.fromhex(data) for data in packet.get("passes_on", [])),
        tuple(packet.get("replies", [])),
        entry.fields(packet["parts"], link, "packets", number, "parts"),
    )


def _feedback(entry: Entry) -> FeedbackVector:
    data = entry.data
    element = bytes.fromhex(data["element"])
    return FeedbackVector(
        entry.name,
        data["shows"],
        tuple(data["requirements"]),
        data["cids"] == "large",
        element,
        entry.fields(data["parts"], element, "parts"),
        data.get("means"),
        data.get("because"),
    )
