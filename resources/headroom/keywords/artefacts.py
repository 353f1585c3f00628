# SPDX-License-Identifier: Apache-2.0
"""Files that belong to the result of the running case, where a run keeps any."""

from dataclasses import replace
from pathlib import Path

from headroom.core import replay
from headroom.core.results import collector
from headroom.core.text import printable_json, spelled_out
from headroom.keywords.base import current_run


def artefact_folder() -> Path | None:
    """A folder of the running case for its files; None when no run keeps any."""
    from robot.libraries.BuiltIn import BuiltIn

    from headroom.core.results.listener import test_id
    from headroom.core.results.store import file_name

    run = current_run()
    base = run.folder
    if base == Path():
        return None
    source = BuiltIn().get_variable_value("${SUITE_SOURCE}")
    case = test_id(source, BuiltIn().get_variable_value("${TEST_NAME}") or "")
    name = file_name(case, run.settings.part).removesuffix(".json")
    folder = base / "artefacts" / name
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def keep_text(name: str, text: str, kind: str) -> None:
    """A file of text."""
    folder = artefact_folder()
    if folder is not None:
        path = folder / name
        clean = printable_json if path.suffix == ".json" else spelled_out
        path.write_text(clean(text) + "\n", encoding="utf-8")
        collector.current().files.append((path, kind))


def keep_captures(done: replay.Replay) -> None:
    """Replays once more, with captures of what went in, was on the link and came out: same seed, same octets."""
    folder = artefact_folder()
    if folder is None:
        return
    outputs = {name: folder / f"{name}.pcapng" for name in ("source", "link", "decompressed")}
    if done.config.decompressor is None:
        del outputs["decompressed"]
    replay.run(replace(done.config, records="none", outputs=outputs))
    collector.current().files += [(path, f"capture: {name}") for name, path in outputs.items()]
