# SPDX-License-Identifier: Apache-2.0
"""Cells of the interop matrix for SigComp: a pair, a mechanism, a transport, a link, and one SIP sequence each.

A row of suites/interop/sigcomp.robot has everything but the sequence in common. Its cells have the keys of ROHC's, so
that one page shows both: `profile` is the mechanism, `mode` the transport, `traffic` the sequence, `header_bytes` the
mean length of a message on the link.
"""

from __future__ import annotations

import gzip
import re
import shlex
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from headroom.core import implementations
from headroom.core.errors import UsageError
from headroom.core.paths import DEFAULT_BUILD
from headroom.schemes.rohc.interop.cell import ArtefactStore
from headroom.schemes.rohc.interop.matrix import unknown
from headroom.schemes.sigcomp import endpoints, loss_attribution
from headroom.schemes.sigcomp.interop import call as talk
from headroom.schemes.sigcomp.interop.call import Call, Row
from headroom.schemes.sigcomp.sip import sequences

MECHANISMS = (
    talk.DEFAULT,
    *("stateless-basic", "stateful-basic", "stateless-static", "stateful-static", "dynamic", "shared"),
)
MECHANISM_NAMES = {talk.DEFAULT: "as it is", **{name: name.replace("-", " ") for name in MECHANISMS[1:]}}
# Rows of the suite: mechanism, transport, link, and how many compartments have the call one after another.
ROWS = (
    *((mechanism, transport, "clean", 1) for mechanism in MECHANISMS for transport in ("udp", "tcp")),
    *((mechanism, "udp", "loss", 1) for mechanism in ("stateful-basic", "dynamic", "shared")),
    *((mechanism, "udp", "reorder", 1) for mechanism in ("dynamic", "shared")),
    ("dynamic", "udp", "duplicates", 1),
    *((mechanism, "udp", "clean", 3) for mechanism in ("stateful-basic", "dynamic")),
)
WORDS = ("scheme", "compressor", "decompressor", "profile", "mode", "cids", "traffic", "link")
LINK_NAMES = {"clean": "clean", "loss": "10 % lost", "reorder": "20 % late by 1", "duplicates": "20 % twice"}


def candidates(warn: implementations.Warn | None = None) -> list[str]:
    """Implementations that declare endpoints of SigComp, usable here or not."""
    return [one.name for one in implementations.all_valid(warn=warn) if declares(one.name)]


def declares(name: str) -> bool:
    return any(entry["scheme"] == endpoints.SCHEME for entry in implementations.find(name).capabilities)


def command(row: Row, sequence: str = "") -> str:
    """What repeats a row or one cell, to be typed in the repository's root. Calls in several compartments go with
    the others of their mechanism."""
    words = ["./headroom", "interop", "--scheme", endpoints.SCHEME, "--compressors", row.caller]
    words += ["--decompressors", row.called, "--mechanisms", row.mechanism]
    words += ["--transports", row.transport, "--links", row.link]
    words += ["--traffic", sequence] if sequence else []
    words += ["--build", row.build] if row.build != DEFAULT_BUILD else []
    return shlex.join([*words, "--seed", str(row.seed)])


def blank(row: Row, sequence: str, compartments: int = 1) -> dict[str, Any]:
    """The result of a cell before anything is known."""
    words = {
        "scheme": endpoints.SCHEME,
        "compressor": row.caller,
        "decompressor": row.called,
        "profile": row.mechanism,
        "mode": row.transport.upper(),
        "cids": "" if compartments == 1 else f"{compartments} compartments",
        "traffic": sequence,
        "link": row.link,
    }
    return unknown(words, command(row, sequence))


def without(row: Row, verdict: str, reason: str, compartments: int = 1) -> list[dict[str, Any]]:
    """Results of the cells of a row that could not be had: of one that nobody can be asked for, or that broke down."""
    signature = "" if verdict == "unsupported" else reason.splitlines()[0][:160]
    names = row.sequences or sequences.names()
    said = {"verdict": verdict, "reason": reason, "signature": signature}
    return [blank(row, name, compartments) | said for name in names]


def results(row: Row, calls: Sequence[Call], wrong: Sequence[str]) -> list[dict[str, Any]]:
    """Results of the cells of a row. `wrong` are the sentences of `talk.shortcomings` or `talk.confirmed`.

    A sentence that begins with a sequence is about its cell; any other is about them all.
    """
    found = []
    for call in calls:
        cell = blank(row, call.sequence, call.compartments)
        total = talk.totals([call])
        lost = sum(map(loss_attribution.lost, call.document["records"]))
        cell |= {
            "packets": total["messages"],
            "delivered": total["identical"],
            "lost": lost,
            "header_bytes": round(total["sent_octets"] / total["messages"], 1) if total["messages"] else None,
            "verdict": "pass",
        }
        mine = [one for one in wrong if _is_about(one, call.sequence)]
        if mine:
            more = f" And {len(mine) - 1} more." if len(mine) > 1 else ""
            cell |= {"verdict": "fail", "reason": f"{mine[0]}.{more}", "signature": _signature(mine[0])}
        found.append(cell)
    return found


def _is_about(sentence: str, sequence: str) -> bool:
    beginning = sentence.partition(", ")[0]
    return beginning == sequence or beginning not in sequences.names()


def _signature(sentence: str) -> str:
    """What is the same wherever the same goes wrong: whose fault it is, as far as the judge says, and what."""
    if found := re.search(r" from (\S+): what it is compressed to is restored by no judge \((.*)\)$", sentence):
        return f"{found[1]} · restored by no judge · {found[2]}"
    found = re.search(r" from (\S+) to (\S+) is ([a-z ]+?)(?: \(([^)]*)\))?(; .*)?$", sentence)
    if found is None:
        return re.sub(r"\d+", "n", sentence)
    sender, receiver, what, why, judge = found.groups()
    who = f"{sender} → {receiver}" if judge is None else sender if "cannot" in judge else receiver
    return " · ".join(filter(None, (who, what, why)))


def keep(
    cells: list[dict[str, Any]], calls: Sequence[Call], said: Sequence[str], folder: Path, shop: ArtefactStore
) -> None:
    """Packs the captures of a row, and writes what went wrong beside those whose cell did not pass. `folder` is where
    `talk.run` captured."""
    for cell, call in zip(cells, calls, strict=True):
        path = folder / f"{call.sequence}.pcapng"
        if path.is_file():
            packed = path.with_name(f"{path.name}.gz")
            packed.write_bytes(gzip.compress(path.read_bytes(), compresslevel=1, mtime=0))
            path.unlink()
            cell["capture"] = shop.name(packed)
        if cell["verdict"] in ("fail", "non-strict"):
            evidence = folder / f"{call.sequence}.txt"
            lines = [cell["reason"], "", *(one for one in said if _is_about(one, call.sequence)), "", _table(call)]
            lines += ["", f"repeat: {cell['command']}"]
            evidence.write_text("\n".join(lines) + "\n", encoding="utf-8")
            cell["evidence"] = shop.name(evidence)


def _table(call: Call) -> str:
    """Message by message: what became of it."""
    lines = []
    for record in call.document["records"]:
        compressed = record.get("compressed", {})
        what = ", ".join(loss_attribution.reasons(record)) or "-"
        fate = record.get("link", {}).get("fate", "-")
        lines.append(
            f"{record['message'] + 1:4} {record['from']} compartment {record['compartment']} "
            f"{call.of_record(record).name}: {record['length']} octets, {compressed.get('length', '-')} on the link, "
            f"{fate}, {record['verdict']}, {what}; {compressed.get('octets', '')[:64]}"
        )
    return "\n".join(lines)


def folder_of(row: Row, compartments: int, shop: ArtefactStore) -> Path:
    """Where the files of a row go."""
    names = [f"{row.caller}-to-{row.called}", f"{row.mechanism}-{row.transport}-{row.link}-{compartments}"]
    parts = [re.sub(r"[^A-Za-z0-9.]+", "-", name).strip("-") for name in names]
    return shop.folder.joinpath("artefacts", "interop", "sigcomp", *parts)


def check(names: Iterable[str]) -> None:
    """Raises UsageError where a name is no SIP sequence."""
    known = sequences.names()
    for name in names:
        if name not in known:
            raise UsageError(f"There is no SIP sequence '{name}'. Known: {', '.join(known)}.")
