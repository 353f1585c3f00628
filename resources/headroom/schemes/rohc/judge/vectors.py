# SPDX-License-Identifier: Apache-2.0
"""The hand-derived vectors of resources/vectors/rohc: link packets with what a decompressor must make of them, and why.

What the files hold is described in resources/vectors/rohc/README.md.
"""

from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any

from headroom.core.errors import UsageError
from headroom.core.paths import VECTORS, shown
from headroom.core.yamlfile import Document, check, read
from headroom.schemes.rohc.judge.context import Parameters

FOLDER = VECTORS / "rohc"
PACKET_INTERVAL_NS = 20_000_000


@dataclass(frozen=True)
class ExplainedField:
    """One field of a link packet: its width in bits, its value, and where the value comes from."""

    name: str
    bits: int
    value: int
    why: str = ""


@dataclass(frozen=True)
class Step:
    """One link packet. `outcome` is delivered, nothing or discarded; `packet` is what is delivered."""

    link: bytes
    outcome: str
    packet: bytes | None = None
    because: str | None = None  # requirement for which it is discarded
    passes_on: tuple[bytes, ...] = ()  # feedback data for the compressor on the same side
    replies: tuple[dict[str, Any], ...] = ()  # feedback that the decompressor sends
    fields: tuple[ExplainedField, ...] = ()


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
    fields: tuple[ExplainedField, ...]
    means: dict[str, Any] | None
    because: str | None


@cache
def documents(folder: Path = FOLDER) -> list[Document]:
    """All vector files, valid against schemes/rohc/vector.schema.json. Raises UsageError with file and line."""
    paths = sorted(folder.glob("*.yaml"))
    if not paths:
        raise UsageError(f"{shown(folder)} holds no vectors (*.yaml).")
    return [check(read(path), "schemes/rohc/vector") for path in paths]


def load(folder: Path = FOLDER) -> list[Vector]:
    """All vectors of packets, in the order of the files."""
    return [vector for document in documents(folder) for vector in _vectors(document)]


def load_feedback(folder: Path = FOLDER) -> list[FeedbackVector]:
    return [_feedback(entry) for document in documents(folder) for entry in document.data.get("feedback", [])]


def _vectors(document: Document) -> list[Vector]:
    prologues = {
        name: tuple(step for entry in prologue["packets"] for step in _steps(entry))
        for name, prologue in document.data.get("prologues", {}).items()
    }
    vectors = []
    for number, entry in enumerate(document.data.get("vectors", [])):
        before: tuple[Step, ...] = ()
        if "after" in entry:
            if entry["after"] not in prologues:
                sentence = f"'{entry['after']}' is no prologue of this file (there are: {', '.join(prologues)})."
                raise UsageError(document.complaint(("vectors", number, "after"), sentence))
            before = prologues[entry["after"]]
        vectors.append(
            Vector(
                entry["name"],
                entry["shows"],
                tuple(entry["rests_on"]),
                tuple(entry["requirements"]),
                entry["channel"],
                before + tuple(step for one in entry["packets"] for step in _steps(one)),
                len(before),
                entry.get("feature"),
                document.path,
            )
        )
    return vectors


def _steps(entry: dict[str, Any]) -> list[Step]:
    """The steps of an entry: one, or with `cut` one for each length that the packet is cut to."""
    step = _step(entry)
    if "cut" not in entry:
        return [step]
    shortest, longest = entry["cut"]
    return [
        replace(step, link=step.link[:length], fields=_cut(step.fields, 8 * length))
        for length in range(shortest, longest + 1)
    ]


def _cut(fields: tuple[ExplainedField, ...], bits: int) -> tuple[ExplainedField, ...]:
    """The fields of the first `bits` bits; the last one may lose its less significant part."""
    kept = []
    for one in fields:
        width = min(one.bits, bits)
        if not width:
            break
        kept.append(ExplainedField(one.name, width, one.value >> one.bits - width, one.why))
        bits -= width
    return tuple(kept)


def _step(entry: dict[str, Any]) -> Step:
    return Step(
        bytes.fromhex(entry["link"]),
        entry["outcome"],
        bytes.fromhex(entry["packet"]) if "packet" in entry else None,
        entry.get("because"),
        tuple(bytes.fromhex(one) for one in entry.get("passes_on", [])),
        tuple(entry.get("replies", [])),
        tuple(_explained(one) for one in entry.get("fields", [])),
    )


def _explained(entry: dict[str, Any]) -> ExplainedField:
    if "hex" in entry:
        value = bytes.fromhex(entry["hex"])
        return ExplainedField(entry["name"], 8 * len(value), int.from_bytes(value, "big"), entry.get("why", ""))
    return ExplainedField(entry["name"], entry["bits"], entry["value"], entry.get("why", ""))


def _feedback(entry: dict[str, Any]) -> FeedbackVector:
    return FeedbackVector(
        entry["name"],
        entry["shows"],
        tuple(entry["requirements"]),
        entry["cids"] == "large",
        bytes.fromhex(entry["element"]),
        tuple(_explained(one) for one in entry["fields"]),
        entry.get("means"),
        entry.get("because"),
    )


def octets(fields: tuple[ExplainedField, ...]) -> bytes:
    """The octets that explained fields make up. Raises ValueError unless they fill whole octets."""
    value = bits = 0
    for one in fields:
        if one.value >= 1 << one.bits:
            raise ValueError(f"{one.name} is {one.value}, which does not fit into {one.bits} bits.")
        value = value << one.bits | one.value
        bits += one.bits
    if bits % 8:
        raise ValueError(f"The fields make up {bits} bits, which is not a number of whole octets.")
    return value.to_bytes(bits // 8, "big")
