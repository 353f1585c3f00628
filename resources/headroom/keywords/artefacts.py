# SPDX-License-Identifier: Apache-2.0
"""Files that belong to the result of the running case, if the run keeps files."""

from dataclasses import replace
from pathlib import Path

from headroom.core import replay
from headroom.core.results import collector
from headroom.core.text import printable_json, spelled_out
from headroom.keywords.base import current_run


def artefact_folder() -> Path | None:
    """A folder for files of the running case; None if the run keeps none."""
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
    """Keeps a text as a file of the case."""
    folder = artefact_folder()
    if folder is not None:
        path = folder / name
        clean = printable_json if path.suffix == ".json" else spelled_out
        path.write_text(clean(text) + "\n", encoding="utf-8")
        collector.current().files.append((path, kind))


def keep_captures(result: replay.Replay) -> None:
    """Repeats a replay and keeps captures of its source, link and output: the same seed gives the same octets."""
    folder = artefact_folder()
    if folder is None:
        return
    outputs = {name: folder / f"{name}.pcapng" for name in ("source", "link", "decompressed")}
    if result.config.decompressor is None:
        del outputs["decompressed"]
    replay.run(replace(result.config, records="none", outputs=outputs))
    collector.current().files += [(path, f"capture: {name}") for name, path in outputs.items()]
