# SPDX-License-Identifier: Apache-2.0
"""One cell: its replay, its verdict, and where it did not pass what a reader needs to see why."""

from __future__ import annotations

import gzip
import hashlib
import json
import re
import shlex
import threading
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from headroom.core import engine, implementations, replay, replay_options
from headroom.core.errors import HeadroomError
from headroom.core.replay import ReplayConfig
from headroom.core.results.record import Verdict
from headroom.core.results.store import write_atomically
from headroom.core.run.run import Run
from headroom.core.settings import Settings
from headroom.schemes.rohc.interop import carried, deviations, links, recordings, side_by_side, signature, verdicts
from headroom.schemes.rohc.interop.matrix import Cell, blank, not_declared_for, recordings_of
from headroom.schemes.rohc.interop.minimise import minimise
from headroom.schemes.rohc.interop.study import Study, study
from headroom.schemes.rohc.scheme import SCHEME

PATIENCE_S = 20.0  # a cell takes a fraction of a second; what takes longer hangs
FEEDBACK_LOST = "feedback_loss"


@dataclass
class MinimisedFailure:
    """The fewest packets that show a failure, and where they are."""

    packets: int
    capture: str
    job: str
    command: str
    evidence: str


@dataclass
class ArtefactStore:
    """What the cells of a run share: where files go, and failures that were minimised once already.

    Two cells with the same signature between the same implementations in the same profile need one minimised capture.
    """

    folder: Path
    known: dict[tuple[str, ...], Future[MinimisedFailure | None]] = field(default_factory=dict)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def once(self, key: tuple[str, ...], make: Callable[[], MinimisedFailure | None]) -> MinimisedFailure | None:
        with self.lock:
            future = self.known.get(key)
            if mine := future is None:
                future = self.known[key] = Future()
        assert future is not None
        if mine:
            try:
                future.set_result(make())
            except BaseException as error:
                future.set_exception(error)
                raise
        return future.result()

    def name(self, path: Path) -> str:
        """A file as results name it: relative to the run."""
        return str(path.resolve().relative_to(self.folder.resolve()))


def wanted_of(cell: Cell) -> ReplayConfig:
    """The replay that a cell is."""
    row = cell.row
    run = Run.of(Settings(row.compressor, row.decompressor, build=cell.build, seed=cell.seed))
    named = dict(links.find(cell.link).words)
    if not cell.traffic.is_capture and not cell.recording:
        named |= {"flows": str(cell.traffic.flows), "packets": str(cell.traffic.packets)}
    made = replay_options.wanted(SCHEME, cell.traffic.source, named, run)
    made.channel = row.channel()
    if cell.recording:
        found = next(one for one in recordings_of(row) if one.name == cell.recording)
        made.source, made.expected = str(found.file(implementations.ROHC)), str(found.file(implementations.SOURCE))
        made.compressor = None
        made.channel["max_cid"] = found.max_cid
        made.feedback = {}
    made.timing = True
    made.timeout_s = PATIENCE_S
    return made


def run(cell: Cell, workshop: ArtefactStore) -> dict[str, Any]:
    """The result of a cell. Whatever an adapter does is a result; raises only what keeps every other cell from running
    too."""
    result = blank(cell)
    if implementations.find(cell.row.decompressor).recordings:
        return result | recordings.judge(cell)
    if reason := not_declared_for(cell):
        return result | {"verdict": "unsupported", "reason": reason}
    folder = workshop.folder / "artefacts" / "interop" / slug(cell)
    folder.mkdir(parents=True, exist_ok=True)
    capture = folder / "link.pcapng"
    wanted = replace(wanted_of(cell), outputs={"link": capture})
    try:
        done = replay.run(wanted)
    except engine.EngineFailure as failure:
        return result | _no_result(cell, wanted, failure, folder, workshop)
    result |= figures(cell, done, capture)
    condition = links.find(cell.link)
    verdict, reason, seen = _judged(wanted, done, condition, folder)
    if verdict in ("pass", "non-strict") and (unasked := carried.unasked(cell, done, capture)):
        verdict, reason, seen = "unsupported", unasked, None
    result |= {"verdict": verdict, "reason": reason}
    if verdict in ("pass", "unsupported"):
        if verdict == "pass":
            result |= {"reason": carried.remarks(cell, done)} | deviations.passed(cell, condition, capture)
        result["capture"] = workshop.name(_packed(capture))
        for name in ("source", "decompressed"):
            (folder / f"{name}.pcapng").unlink(missing_ok=True)
        return result
    seen = seen or study(wanted, folder, _expected(wanted))
    result |= _evidence(cell, wanted, seen, verdict, folder, workshop)
    return result | deviations.declared(cell, result, seen, condition)


def _judged(
    wanted: ReplayConfig, done: replay.Replay, condition: links.Condition, folder: Path
) -> tuple[Verdict, str, Study | None]:
    """Verdict and reason. Where the link may be to blame, the judge looks at each packet: chance excuses what was at
    risk, and nothing excuses a compressor whose packets cannot be read even before the link."""
    verdict, reason = verdicts.of(done, condition)
    if condition.harmless or verdict == "error" or not (done.differing or done.count("not_delivered")):
        return verdict, reason, None
    seen = study(wanted, folder, _expected(wanted), judge=bool(done.differing))
    verdict, reason = verdicts.of(done, condition, seen.chance())
    if verdict in ("pass", "non-strict") and seen.faults:
        verdict, reason = "fail", verdicts.by_faults(seen.faults)
    return verdict, reason, seen if done.differing else None  # without a judge, it is no evidence


def figures(cell: Cell, done: replay.Replay, capture: Path) -> dict[str, Any]:
    """What was counted and timed."""
    forward = done.direction()
    times = {
        name: round(forward[side]["ns_per_packet"], 1)
        for name, side in (("compress", "compressor"), ("decompress", "decompressor"))
        if forward.get(side, {}).get("ns_per_packet") is not None
    }
    header = done.header_length.get("mean") if done.wanted.compressor else recordings.header_octets(cell, capture)
    return {
        "header_bytes": None if header is None else round(header, 3),
        "ns_per_packet": times or None,
        "packets": done.sent,
        "delivered": verdicts.delivered(done),
        "lost": done.count("lost_on_link"),
    }


def slug(cell: Cell) -> str:
    """The folder of a cell's files, below artefacts/interop."""
    row = cell.row
    names = [f"{row.compressor}-to-{row.decompressor}", f"{row.profile}-{row.mode}-{row.cids}"]
    carried = cell.recording or cell.traffic.name
    if cell.traffic.is_capture:  # two captures may have one name
        carried += f"-{hashlib.sha256(cell.traffic.source.encode()).hexdigest()[:8]}"
    names.append(f"{carried}--{cell.link}")
    # A name may be a path, and must not lead out of the run's folder.
    return "/".join(re.sub(r"[^A-Za-z0-9.]+", "-", name).strip("-") for name in names)


def _expected(wanted: ReplayConfig) -> list[bytes] | None:
    return recordings.frames(wanted.expected, wanted.build) if isinstance(wanted.expected, str) else None


def _packed(capture: Path) -> Path:
    """The capture compressed, as Wireshark and tshark read it too."""
    packed = capture.with_name(f"{capture.name}.gz")
    packed.write_bytes(gzip.compress(capture.read_bytes(), compresslevel=1, mtime=0))
    capture.unlink()
    return packed


def _no_result(
    cell: Cell, wanted: ReplayConfig, failure: engine.EngineFailure, folder: Path, workshop: ArtefactStore
) -> dict[str, Any]:
    """A crash, a hang and the like: whose it is, and on which packets."""
    if failure.kind in ("job", "input", "output"):
        raise failure
    side = _side(wanted, failure)
    said = {"verdict": "error", "reason": f"{side}: {failure}", "signature": signature.of_failure(failure, side)}
    small = None
    if failure.kind != "refused":
        small = workshop.once(
            _key(cell, said["signature"]), lambda: _smallest(cell, wanted, None, said, folder, workshop)
        )
    text = [
        f"{cell.row.title}, {cell.words()['traffic']}, {cell.link}",
        said["reason"],
        "",
        f"repeat: {cell.command()}",
    ]
    return said | _kept(folder, workshop, text, small)


def _side(wanted: ReplayConfig, failure: engine.EngineFailure) -> str:
    """Who of the two kept the engine from ending: the compressor when it does so alone."""
    for side in ("compressor", "decompressor"):
        if failure.where.startswith(f"/{side}"):
            return side
    if wanted.compressor is None:
        return "decompressor"
    try:
        replay.run(replace(wanted, decompressor=None, feedback={}, outputs={}, timeout_s=PATIENCE_S / 2))
    except engine.EngineFailure:
        return "compressor"
    return "decompressor"


def _evidence(
    cell: Cell, wanted: ReplayConfig, seen: Study, verdict: str, folder: Path, workshop: ArtefactStore
) -> dict[str, Any]:
    """Signature, both decodes, minimised capture."""
    short = verdict == "non-strict"
    found = signature.of_shortfall(seen.done) if short else signature.of_study(seen, cell.row.profile)
    said: dict[str, Any] = {"signature": found}
    first = seen.first_bad()
    if first is not None:
        said["first"] = first["packet"]
    small = None
    if not short:  # that is about many packets, not about one
        small = workshop.once(_key(cell, found), lambda: _smallest(cell, wanted, seen, said, folder, workshop))
    text = [
        f"{cell.row.compressor} to {cell.row.decompressor}, {cell.row.title}, {cell.words()['traffic']}, {cell.link}",
        f"signature: {found}",
        f"repeat:    {cell.command()}",
        "",
        side_by_side.text(seen, cell.row.profile),
    ]
    return said | _kept(folder, workshop, text, small)


def _key(cell: Cell, found: str) -> tuple[str, ...]:
    return (found, cell.row.compressor, cell.row.decompressor, cell.row.profile)


def _kept(folder: Path, workshop: ArtefactStore, text: list[str], small: MinimisedFailure | None) -> dict[str, Any]:
    path = folder / "evidence.txt"
    if small is not None:
        text += ["", f"The fewest packets that show it: {small.packets}. {small.command}"]
    path.write_text("\n".join(text) + "\n", encoding="utf-8")
    kept: dict[str, Any] = {"evidence": workshop.name(path)}
    if (folder / "link.pcapng").is_file():
        kept["capture"] = workshop.name(folder / "link.pcapng")
    if small is not None:
        kept["minimised"] = {
            "packets": small.packets,
            "capture": small.capture,
            "job": small.job,
            "evidence": small.evidence,
            "command": small.command,
        }
    return kept


# ---- minimising


def _smallest(
    cell: Cell, wanted: ReplayConfig, seen: Study | None, said: dict[str, Any], folder: Path, workshop: ArtefactStore
) -> MinimisedFailure | None:
    """The fewest packets with the same signature, as captures, as a job and as a command; None where it does not show
    again."""
    profile, wished = cell.row.profile, str(said["signature"])
    try:
        items = _items(wanted, seen, folder)
    except HeadroomError:
        return None  # not even the source can be had, so that there is nothing to make smaller
    plans = [_scripted] if links.find(cell.link).harmless else [_scripted, _as_it_was]
    for plan in plans:

        def shows(chosen: list[dict[str, Any]], plan: Callable[..., ReplayConfig] = plan) -> bool:
            return _signature(plan(wanted, chosen), profile, folder) == wished

        if seen is not None and (first := seen.first_bad()) is not None:
            start = [item for item in items if item["index"] <= first["packet"]]
            start = start if shows(start) else items
        else:
            start = items
        if not start or not (start is not items or shows(start)):
            continue
        left = minimise(start, shows)
        return _write(cell, plan(wanted, left), left, profile, folder, workshop)
    return None


def _items(wanted: ReplayConfig, seen: Study | None, folder: Path) -> list[dict[str, Any]]:
    """The packets of the source, each with what the link did to it, so far as that is known."""
    if seen is None or seen.done.promise_broken:  # the run did not get to its end: the source alone
        alone = replace(wanted, feedback={}, forward={}, timing=False)
        if wanted.compressor is not None:
            alone = replace(alone, compressor="null", decompressor=None)
        else:
            alone = replace(alone, decompressor="null")
        seen = study(alone, folder, _expected(wanted), judge=False)
    items = []
    for index, record in sorted(seen.records.items()):
        item: dict[str, Any] = {"index": index, "time_ns": record["time_ns"], "channel": record["channel"]}
        if wanted.compressor is None:
            item |= {"hex": record["link"], "expected": seen.originals[index].hex()}
        else:
            item["hex"] = seen.originals[index].hex()
        item["lost"] = bool(replay.parts_of(record)) and not replay.arrives(record)
        item["flipped"] = record.get("flipped", []) if not item["lost"] else []
        items.append(item)
    return items


def _scripted(wanted: ReplayConfig, chosen: list[dict[str, Any]]) -> ReplayConfig:
    """The same link, its losses and bit errors written down packet by packet."""
    forward: dict[str, Any] = {}
    drop = [number for number, item in enumerate(chosen) if item["lost"]]
    flip = [{"packet": number, "bit": bit} for number, item in enumerate(chosen) for bit in item["flipped"]]
    if drop:
        forward["drop"] = drop
    if flip:
        forward |= {"flip": flip, "header_errors": "deliver"}
    if "reorder" in wanted.forward:
        forward["reorder"] = wanted.forward["reorder"]
    return _literal(wanted, chosen, forward)


def _as_it_was(wanted: ReplayConfig, chosen: list[dict[str, Any]]) -> ReplayConfig:
    """The same link, left to chance with the same seed."""
    return _literal(wanted, chosen, wanted.forward)


def _literal(wanted: ReplayConfig, chosen: list[dict[str, Any]], forward: dict[str, Any]) -> ReplayConfig:
    packets = [{name: item[name] for name in ("time_ns", "channel", "hex")} for item in chosen]
    expected = [{"hex": item["expected"]} for item in chosen] if wanted.compressor is None else None
    return replace(wanted, source=packets, expected=expected, forward=forward, outputs={}, timing=False)


def _signature(wanted: ReplayConfig, profile: str, folder: Path) -> str:
    scratch = folder / "trial"
    scratch.mkdir(exist_ok=True)
    try:
        seen = study(wanted, scratch, _originals(wanted))
        return signature.of_study(seen, profile)
    except engine.EngineFailure as failure:
        return signature.of_failure(failure, _side(wanted, failure))
    finally:
        for path in scratch.iterdir():
            path.unlink()
        scratch.rmdir()


def _originals(wanted: ReplayConfig) -> list[bytes] | None:
    if wanted.compressor is not None or not isinstance(wanted.expected, list):
        return None
    return [bytes.fromhex(item["hex"]) for item in wanted.expected]


def _write(
    cell: Cell, wanted: ReplayConfig, left: list[dict[str, Any]], profile: str, folder: Path, workshop: ArtefactStore
) -> MinimisedFailure:
    """The minimised failure on disk: its captures, its job, both decodes."""
    kept = folder / "minimised"
    kept.mkdir(exist_ok=True)
    job = kept / "job.json"
    write_atomically(job, json.dumps(replay.job(replace(wanted, records="all")), indent=1).encode() + b"\n")
    text = [f"{len(left)} packets, of the source's {', '.join(str(item['index']) for item in left)}"]
    try:
        seen = study(wanted, kept, _originals(wanted))
        text += ["", side_by_side.text(seen, profile)]
        record = seen.first_bad()
        if record is not None and (kept / "link.pcapng").is_file():
            text += ["", "tshark reads on the link (it checks no CRC, and knows small CIDs and RTP best):"]
            text.append(side_by_side.tshark(kept / "link.pcapng", record["packet"]))
    except engine.EngineFailure as failure:
        text += ["", str(failure)]
    capture = kept / "source.pcapng"
    if not capture.is_file():  # the engine did not live to finish it
        alone = replace(
            wanted, compressor=implementations.null() if wanted.compressor else None, decompressor=None, feedback={}
        )
        if wanted.compressor:
            replay.run(replace(alone, forward={}, outputs={"source": capture}))
    by_job = f"{shlex.quote(str(engine.engine_program(wanted.build)))} replay --job {shlex.quote(str(job))}"
    path = kept / "evidence.txt"
    path.write_text("\n".join([*text, "", f"repeat: {by_job}"]) + "\n", encoding="utf-8")
    return MinimisedFailure(
        packets=len(left),
        capture=workshop.name(capture) if capture.is_file() else "",
        job=workshop.name(job),
        command=_by_hand(cell, wanted, capture) or by_job,
        evidence=workshop.name(path),
    )


def _by_hand(cell: Cell, wanted: ReplayConfig, capture: Path) -> str:
    """The command of `./headroom replay` that repeats a minimised failure; "" where it takes more than that."""
    if wanted.compressor is None or not capture.is_file() or set(wanted.forward) - {"drop", "flip", "header_errors"}:
        return ""
    channel = wanted.channel
    parts = ["./headroom", "replay", str(capture), "--compressor", cell.row.compressor]
    parts += ["--decompressor", cell.row.decompressor, "--mode", channel["mode"], "--cids", channel["cids"]]
    parts += ["--max-cid", str(channel["max_cid"]), f"profiles={','.join(channel['profiles'])}"]
    if "drop" in wanted.forward:
        parts.append(f"drop={','.join(map(str, wanted.forward['drop']))}")
    if "flip" in wanted.forward:
        flips = ",".join(f"{one['packet']}:{one['bit']}" for one in wanted.forward["flip"])
        parts += [f"flip={flips}", "header_errors=deliver"]
    if FEEDBACK_LOST in links.find(cell.link).words:
        parts.append(f"{FEEDBACK_LOST}=1")
    if cell.seed != 1:
        parts += ["--seed", str(cell.seed)]
    return shlex.join(parts)
