# SPDX-License-Identifier: Apache-2.0
"""The cells of a row: the replay of each, its verdict, and the evidence if it did not pass."""

import shlex
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from headroom.core import engine, implementations, replay, replay_metrics, replay_options
from headroom.core.captures import engine_pcapng
from headroom.core.contract import CLEAN, LinkCondition
from headroom.core.errors import HeadroomError
from headroom.core.matrix import ArtefactStore, Cell, Result
from headroom.core.replay import ReplayConfig
from headroom.core.results import collector
from headroom.core.results.record import Verdict
from headroom.core.run.run import Run
from headroom.core.scheme_kit import evidence
from headroom.core.scheme_kit.cells import Runner, Trial, fewest, link_of
from headroom.core.scheme_kit.evidence import MinimisedFailure
from headroom.core.scheme_kit.signature import SEPARATOR, of_failure
from headroom.core.settings import Settings
from headroom.core.text import nths
from headroom.schemes.rohc.interop import (
    carried,
    deviation_match,
    matrix,
    recordings,
    restored_by_judges,
    side_by_side,
    signature,
    verdicts,
)
from headroom.schemes.rohc.interop.axes import FEEDBACK_LOSS
from headroom.schemes.rohc.interop.study import Study, study

PATIENCE_S = 20.0  # a cell takes a fraction of a second; what takes longer hangs


def config_of(cell: Cell) -> ReplayConfig:
    """The replay that a cell is."""
    row, traffic = cell.row, matrix.carried(cell)
    run = Run.of(Settings(row.compressor, row.decompressor, build=row.build, seed=row.seed))
    named = dict(cell.condition.words)
    if not traffic.is_capture and not traffic.is_recording:
        named |= {"flows": str(traffic.flows), "packets": str(traffic.packets)}
    config = replay_options.config_of(row.scheme, traffic.source, named, run)
    config.channel = matrix.channel_of(cell)
    if recording := matrix.recording_of(cell):
        config.source, config.expected = (
            str(recording.file(row.scheme.name)),
            str(recording.file(implementations.SOURCE)),
        )
        config.compressor = None
        config.feedback = {}
    config.timing = True
    config.timeout_s = PATIENCE_S
    return config


def trial(cell: Cell, store: ArtefactStore) -> Trial:
    """The outcome of a cell. Whatever an adapter does is an outcome; raises EngineFailure where the engine could not
    do its work."""
    if implementations.find(cell.row.decompressor).recordings:
        return recordings.judge(cell)
    if reason := matrix.unsupported_traffic(cell) or recordings.undeclared(cell):
        return Trial("unsupported", reason)
    capture = link_of(cell, store)
    config, source = replace(config_of(cell), outputs={"link": capture}), capture.with_name("source.pcapng")
    is_read = _can_be_read(cell, config)
    try:
        result = replay.run(replace(config, outputs={"link": capture, "source": source}) if is_read else config)
    except engine.EngineFailure as failure:
        return _no_result(cell, config, failure, store)
    counted = figures(cell, result, capture)
    verdict, reason, seen = _judged(config, result, cell.condition, capture.parent)
    if verdict in ("pass", "non-strict") and (unasked := carried.unasked(cell, result, capture)):
        verdict, reason, seen = "unsupported", unasked, None
    remark = ""
    if verdict == "pass" and is_read:
        verdict, reason = restored_by_judges.verdict(config, capture, source)
        if verdict == "fail":
            return Trial("fail", reason, restored_by_judges.SIGNATURE, counted)
        remark = reason
    if verdict in ("pass", "unsupported"):
        for name in ("source", "decompressed"):
            capture.with_name(f"{name}.pcapng").unlink(missing_ok=True)
        reason = " ".join(filter(None, (remark, carried.remarks(cell, result)))) if verdict == "pass" else reason
        return Trial(
            verdict,
            reason,
            figures=counted,
            was_met=lambda deviation: deviation_match.was_met(cell, capture, deviation),
        )
    seen = seen or study(config, capture.parent, _expected(config))
    short = verdict == "non-strict"
    text = signature.of_shortfall(seen.done) if short else signature.of_study(seen, cell.row["profile"])
    if (first := seen.first_bad()) is not None:
        counted["first"] = first["packet"]
    shown = text + _otherwise_alone(cell, config, seen, text)
    return Trial(
        verdict,
        reason,
        shown,
        counted,
        text=lambda: [side_by_side.text(seen, cell.row["profile"])],
        # Too little coming out is about many packets, not about one.
        smallest=None if short else lambda: _smallest(cell, config, seen, text, store),
        explained=lambda declared: deviation_match.explained(cell, seen, declared),
    )


def _can_be_read(cell: Cell, config: ReplayConfig) -> bool:
    """True if judges restore all packets of a cell that passes from its link."""
    return (
        config.compressor is not None
        and config.decompressor is not None
        and cell.condition.harmless
        and not matrix.is_copying(cell.row, cell.row.compressor)
    )


def of_failure_of_harness(cell: Cell, failure: HeadroomError) -> Trial:
    """The trial of a cell whose engine could not do its work."""
    reason, kind = str(failure), "harness"
    if isinstance(failure, engine.EngineFailure):
        reason, kind = recordings.misfit(cell, failure) or reason, f"{kind}{SEPARATOR}{failure.kind}"
    return Trial("error", reason, kind)


RUNNER = Runner(
    lambda cells, store: [trial(cell, store) for cell in cells],
    failed=of_failure_of_harness,
    minimised_for=lambda row: [row["profile"]],
)


def run(cells: Sequence[Cell], store: ArtefactStore) -> list[Result]:
    """Results of the cells of a row, in their order."""
    if reason := matrix.untrue(cells[0].row):
        signature = "implementation.yaml says more than describe"
        return [cell.result(reason=reason, signature=signature) for cell in cells]
    results = RUNNER.run(cells, store)
    _measure(results)
    return results


def _measure(results: Sequence[Result]) -> None:
    """The mean header over a clean link, for the record."""
    clean = (mapping["header_bytes"] for mapping in results if mapping["link"] == CLEAN)
    if headers := [header for header in clean if header is not None]:
        collector.current().metric(replay_metrics.HEADER(figure="mean"), sum(headers) / len(headers))


def _judged(
    config: ReplayConfig, result: replay.Replay, condition: LinkCondition, folder: Path
) -> tuple[Verdict, str, Study | None]:
    """Verdict and reason. If the link may be the cause, the judge looks at each packet: chance excuses packets that
    were at risk, and nothing excuses a compressor whose packets cannot be read even before the link."""
    verdict, reason = verdicts.of(result, condition)
    if condition.harmless or verdict == "error" or not (result.differing or result.count("not_delivered")):
        return verdict, reason, None
    nothing = not verdicts.delivered(result)
    seen = study(config, folder, _expected(config), judge=nothing or bool(result.differing))
    verdict, reason = verdicts.of(result, condition, seen.chance())
    if nothing and verdict == "non-strict" and (irs := seen.restored_irs()):
        return "fail", verdicts.by_irs(reason, irs), seen
    if verdict in ("pass", "non-strict") and seen.faults:
        verdict, reason = "fail", verdicts.by_faults(seen.faults)
    return verdict, reason, seen if result.differing else None  # without a judge, it is no evidence


def figures(cell: Cell, result: replay.Replay, capture: Path) -> dict[str, Any]:
    """The counts and times of a cell."""
    forward = result.direction()
    times = {
        name: round(forward[side]["ns_per_packet"], 1)
        for name, side in (("compress", "compressor"), ("decompress", "decompressor"))
        if forward.get(side, {}).get("ns_per_packet") is not None
    }
    header = result.header_length.get("mean") if result.config.compressor else recordings.header_octets(cell, capture)
    return {
        "header_bytes": None if header is None else round(header, 3),
        "ns_per_packet": times or None,
        "packets": result.sent,
        "delivered": verdicts.delivered(result),
        "lost": result.count("lost_on_link"),
    }


def _expected(config: ReplayConfig) -> list[bytes] | None:
    return recordings.frames(config.expected, config.build) if isinstance(config.expected, str) else None


def _no_result(cell: Cell, config: ReplayConfig, failure: engine.EngineFailure, store: ArtefactStore) -> Trial:
    """A crash, a hang and the like: whose it is, and on which packets."""
    if failure.kind in ("job", "input", "output", "sandbox"):
        raise failure
    side = _side(config, failure)
    text = of_failure(failure, side)
    return Trial(
        "error",
        f"{side}: {failure}",
        text,
        text=list,
        smallest=None if failure.kind == "refused" else lambda: _smallest(cell, config, None, text, store),
    )


def _side(config: ReplayConfig, failure: engine.EngineFailure) -> str:
    """The side that kept the engine from ending: the one that also fails alone, the decompressor with the compressor's
    packets from another process. "both" if neither does: in one process, either can damage the other. The compressor
    is opened first, so that only an error about the compressor tells."""
    if failure.where.startswith("/compressor"):
        return "compressor"
    if config.compressor is None:
        return "decompressor"
    with tempfile.TemporaryDirectory(prefix="headroom-side-") as folder:
        link = Path(folder) / "link.pcapng"
        alone = replace(config, feedback={}, outputs={}, timing=False, timeout_s=PATIENCE_S / 2)
        try:
            replay.run(replace(alone, decompressor=None, forward={}, outputs={"link": link}))
        except engine.EngineFailure:
            return "compressor"
        try:
            replay.run(replace(alone, compressor=None, source=str(link)))
        except engine.EngineFailure as failed:
            if failed.kind not in ("job", "input", "output", "sandbox"):
                return "decompressor"
    return "both"


def _otherwise_alone(cell: Cell, config: ReplayConfig, seen: Study, text: str) -> str:
    """Returns an end for a signature that points at the decompressor; "" unless the decompressor does right in an
    engine of its own, behind a link that does no harm: in that of the cell the compressor may have damaged it, as the
    two share a process.
    """
    first = seen.first_bad()
    broken = (seen.done.document.get("promise_broken") or {}).get("side")
    restores = broken is None and first is not None and text.endswith(signature.RESTORES)
    if config.compressor is None or not cell.condition.harmless or not (restores or broken == "decompressor"):
        return ""
    with tempfile.TemporaryDirectory(prefix="headroom-side-") as folder:
        output = Path(folder) / "decompressed.pcapng"
        alone = replace(
            config, compressor=None, source=str(config.outputs["link"]), feedback={}, forward={}, timing=False
        )
        try:
            done = replay.run(replace(alone, outputs={"decompressed": output}, timeout_s=PATIENCE_S / 2))
            came_out = [packet.octets for packet in engine_pcapng.read(output)]
        except HeadroomError:
            return ""
    if done.promise_broken:
        return ""
    if not restores or first is None:
        return ", but none in an engine of its own"
    is_there = any(octets.endswith(seen.originals[first["packet"]]) for octets in came_out)
    return ", and so does the decompressor in an engine of its own" if is_there else ""


# ---- minimising


def _smallest(
    cell: Cell, config: ReplayConfig, seen: Study | None, wished: str, store: ArtefactStore
) -> MinimisedFailure | None:
    """The fewest packets with the same signature, as captures, as a job and as a command; None if it does not show
    again."""
    profile, folder = cell.row["profile"], store.folder_of(cell)
    try:
        items = _items(config, seen, folder)
    except HeadroomError:
        return None  # not even the source can be had, so that there is nothing to make smaller
    first = seen.first_bad() if seen is not None else None
    beginning = [item for item in items if first is not None and item["index"] <= first["packet"]]
    for plan in [_scripted] if cell.condition.harmless else [_scripted, _as_it_was]:

        def shown(chosen: list[dict[str, Any]], plan: Callable[..., ReplayConfig] = plan) -> str:
            return _signature(plan(config, chosen), profile, folder)

        if (left := fewest(beginning, shown, wished) or fewest(items, shown, wished)) is not None:
            return _write(cell, plan(config, left), left, profile, folder, store)
    return None


def _items(config: ReplayConfig, seen: Study | None, folder: Path) -> list[dict[str, Any]]:
    """The packets of the source, each with the effects of the link on it, as far as they are known."""
    if seen is None or seen.done.promise_broken:  # the run did not get to its end: the source alone
        alone = replace(config, feedback={}, forward={}, timing=False)
        if config.compressor is not None:
            alone = replace(alone, compressor=implementations.null(), decompressor=None)
        else:
            alone = replace(alone, decompressor=implementations.null())
        seen = study(alone, folder, _expected(config), judge=False)
    items = []
    for index, record in sorted(seen.records.items()):
        item: dict[str, Any] = {"index": index, "time_ns": record["time_ns"], "channel": record["channel"]}
        if config.compressor is None:
            item |= {"hex": record["link"], "expected": seen.originals[index].hex()}
        else:
            item["hex"] = seen.originals[index].hex()
        item["lost"] = bool(replay.parts_of(record)) and not replay.has_arrived(record)
        item["flipped"] = record.get("flipped", []) if not item["lost"] else []
        items.append(item)
    return items


def _scripted(config: ReplayConfig, chosen: list[dict[str, Any]]) -> ReplayConfig:
    """The configuration with the losses and bit errors of the link written down packet by packet."""
    forward: dict[str, Any] = {}
    drop = [number for number, item in enumerate(chosen) if item["lost"]]
    flip = [{"packet": number, "bit": bit} for number, item in enumerate(chosen) for bit in item["flipped"]]
    if drop:
        forward["drop"] = drop
    if flip:
        forward |= {"flip": flip, "header_errors": "deliver"}
    if "reorder" in config.forward:
        forward["reorder"] = config.forward["reorder"]
    return _literal(config, chosen, forward)


def _as_it_was(config: ReplayConfig, chosen: list[dict[str, Any]]) -> ReplayConfig:
    """The configuration with the same random link and seed."""
    return _literal(config, chosen, config.forward)


def _literal(config: ReplayConfig, chosen: list[dict[str, Any]], forward: dict[str, Any]) -> ReplayConfig:
    packets = [{name: item[name] for name in ("time_ns", "channel", "hex")} for item in chosen]
    expected = [{"hex": item["expected"]} for item in chosen] if config.compressor is None else None
    return replace(config, source=packets, expected=expected, forward=forward, outputs={}, timing=False)


def _signature(config: ReplayConfig, profile: str, folder: Path) -> str:
    scratch = folder / "trial"
    scratch.mkdir(exist_ok=True)
    try:
        seen = study(config, scratch, _originals(config))
        return signature.of_study(seen, profile)
    except engine.EngineFailure as failure:
        return of_failure(failure, _side(config, failure))
    finally:
        for path in scratch.iterdir():
            path.unlink()
        scratch.rmdir()


def _originals(config: ReplayConfig) -> list[bytes] | None:
    if config.compressor is not None or not isinstance(config.expected, list):
        return None
    return [bytes.fromhex(item["hex"]) for item in config.expected]


def _write(
    cell: Cell, config: ReplayConfig, left: list[dict[str, Any]], profile: str, folder: Path, store: ArtefactStore
) -> MinimisedFailure:
    """The minimised failure on disk: its captures, its job, both decodes."""
    kept, job = evidence.folder_and_job(folder, config)
    numbers = ", ".join(map(str, nths(item["index"] for item in left)))
    text = [f"{len(left)} packets, of the source's {numbers}"]
    try:
        seen = study(config, kept, _originals(config))
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
            config, compressor=implementations.null() if config.compressor else None, decompressor=None, feedback={}
        )
        if config.compressor:
            replay.run(replace(alone, forward={}, outputs={"source": capture}))
    return evidence.minimised(len(left), capture, job, text, store, config.build, _by_hand(cell, config, capture))


def _by_hand(cell: Cell, config: ReplayConfig, capture: Path) -> str:
    """The command of `./headroom replay` that repeats a minimised failure; "" if no command can repeat it."""
    if config.compressor is None or not capture.is_file() or set(config.forward) - {"drop", "flip", "header_errors"}:
        return ""
    channel = config.channel
    parts = ["./headroom", "replay", str(capture), "--compressor", cell.row.compressor]
    parts += ["--decompressor", cell.row.decompressor, "--mode", channel["mode"], "--cids", channel["cids"]]
    parts += ["--max-cid", str(channel["max_cid"]), f"profiles={','.join(channel['profiles'])}"]
    if "drop" in config.forward:
        parts.append(f"drop={','.join(map(str, config.forward['drop']))}")
    if "flip" in config.forward:
        flips = ",".join(f"{entry['packet']}:{entry['bit']}" for entry in config.forward["flip"])
        parts += [f"flip={flips}", "header_errors=deliver"]
    if FEEDBACK_LOSS in cell.condition.words:
        parts.append(f"{FEEDBACK_LOSS}=1")
    if cell.row.seed != 1:
        parts += ["--seed", str(cell.row.seed)]
    return shlex.join(parts)
