# SPDX-License-Identifier: Apache-2.0
"""The fewest packets with which a conformance case still fails. The case runs repeatedly with fewer of the packets of
its traffic profile, and its own keywords decide whether it fails in the same way.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from headroom.core import replay_options
from headroom.core.captures import engine_pcapng
from headroom.core.errors import HeadroomError
from headroom.core.replay import Packets
from headroom.core.results import store
from headroom.core.run import session
from headroom.core.run.session import Plan
from headroom.core.scheme_kit.minimise import minimise
from headroom.judge import judgement
from headroom.judge.causes import CAPTURE, JOB, Cause, Sighting, causes
from headroom.judge.judgement import Judgement
from headroom.report.unreadable import readable

FOLDER = "minimised"  # below artefacts/
RAW_IP = 101  # LINKTYPE of a source of IP packets
MOST_PACKETS, MOST_TRIALS, MOST_SECONDS = 5_000, 60, 12.0  # limits of one minimisation
MOST_CAUSES, MOST_SIGHTINGS = 12, 3


def minimise_all(judged: Judgement, say: Callable[[str], None]) -> None:
    """Looks for the fewest packets of the first causes, and records them in judge.json. Causes that cannot be made
    smaller stay as they are.
    """
    records = readable(causes, store.read_all(judged.folder), "The search for the fewest packets")
    by_test = {(record["test"]["id"], record.get("part", "")): record for record in records}
    for cause in causes(records)[:MOST_CAUSES]:
        if cause.example.packets is not None:
            continue
        folder = judged.folder / "artefacts" / FOLDER / str(len(judged.minimised) + 1)
        tried = (_smaller(judged, cause, sighting, by_test, folder) for sighting in cause.seen[:MOST_SIGHTINGS])
        if smaller := next(filter(None, tried), None):
            say(f"      {smaller.packets} packets suffice for a cause: {smaller.where}")
            judged.minimised[cause.identity] = smaller
            judgement.keep(judged)


def _smaller(
    judged: Judgement, cause: Cause, sighting: Sighting, records: dict[tuple[str, str], dict[str, Any]], folder: Path
) -> Sighting | None:
    record = records.get((sighting.where, sighting.part))
    plan = next((part.plan for part in judged.parts if part.name == sighting.part), None)
    source = sighting.files.get(f"{CAPTURE}source")
    if record is None or plan is None or source is None or record["parameters"].get("kind") != "replay":
        return None
    packets = _packets(judged.folder / source)
    if not 0 < len(packets) <= MOST_PACKETS:
        return None

    def still_fails(chosen: list[dict[str, Any]]) -> bool:
        again = _run(plan, record, chosen, folder)
        return again is not None and [other.key for other in causes([again])] == [cause.key]

    try:
        if not still_fails(packets):
            return None
        left = minimise(packets, still_fails, MOST_TRIALS, MOST_SECONDS)
    except HeadroomError:
        return None
    last = _run(plan, record, left, folder, keep=True) if len(left) < len(packets) else None
    if last is None:
        return None
    files = {entry["kind"]: f"artefacts/{FOLDER}/{folder.name}/{entry['path']}" for entry in last["artefacts"]}
    job = files.get(JOB, "")
    debug = last.get("debug", "")
    return replace(
        sighting, files=files, packets=len(left), debug=debug if job else sighting.debug, sentence=last["reason"]
    )


def _packets(path: Path) -> Packets:
    """The packets of a source as a replay takes them; none if they are not IP packets of one channel."""
    try:
        packets = list(engine_pcapng.read(path))
    except (OSError, HeadroomError):
        return []
    if any(packet.interface or packet.link_type != RAW_IP for packet in packets):
        return []
    return [{"time_ns": packet.time_ns, "channel": 0, "hex": packet.octets.hex()} for packet in packets]


def _run(
    plan: Plan, record: dict[str, Any], packets: list[dict[str, Any]], folder: Path, keep: bool = False
) -> dict[str, Any] | None:
    """The record of a case that sends other packets. Its files are kept in `folder` if `keep` is set. None if the case
    gave no record.
    """
    with tempfile.TemporaryDirectory(prefix="headroom-minimal-") as scratch:
        into = folder if keep else Path(scratch)
        suite = record["test"]["id"].removesuffix(f"/{record['test']['name']}")
        settings = replace(plan.settings, folder=into)
        alone = Plan(settings, [suite], cases=[record["test"]["name"]])
        with replay_options.carrying(packets):
            outcome = session.run_robot(alone)
        if outcome.interrupted:
            raise KeyboardInterrupt
        return next(iter(store.read_all(into)), None)
