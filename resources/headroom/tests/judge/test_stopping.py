# SPDX-License-Identifier: Apache-2.0
"""A judgement of an adapter that does not load, or hangs again and again, comes to an end soon."""

from __future__ import annotations

from pathlib import Path

from headroom.core.machine.build import build_folder
from headroom.core.results import store
from headroom.core.run import session
from headroom.core.run.session import Plan
from headroom.core.settings import Settings
from headroom.judge import judgement, parts
from headroom.judge.parts import Extent

SUITE = """
*** Test Cases ***
One    No Operation
Two    No Operation
Three    No Operation
"""
YAML = """
name: faulty
vendor: Nobody
licence: Apache-2.0
obtain: Never.
adapter: {{library: {library}}}
capabilities:
  - {{scheme: rohc, roles: [compressor], profiles: ["0x0000"], modes: [U], cids: [small], max_cid: 15}}
"""


def test_no_case_begins_once_it_is_enough(tmp_path: Path) -> None:
    suite = tmp_path / "three.robot"
    suite.write_text(SUITE)
    plan = Plan(Settings(folder=tmp_path), [str(suite)])
    seen: list[str] = []
    outcome = session.run_robot(plan, on_end=lambda record: seen.append(record.test.name), is_enough=lambda: bool(seen))
    assert (seen, outcome.stopped, outcome.interrupted, outcome.cases) == (["One"], True, False, 1)
    assert [record["test"]["name"] for record in store.read_all(tmp_path)] == ["One"]


def test_of_an_adapter_that_does_not_load_only_the_promises_are_asked(
    tmp_path: Path, out: Path, real_build: str
) -> None:
    folder = tmp_path / "faulty"
    folder.mkdir()
    library = build_folder(real_build) / "lib" / "faulty" / "faulty_no_table.so"
    (folder / "implementation.yaml").write_text(YAML.format(library=library))
    judged = judgement.begin(str(folder), "", Extent(build=real_build), judgement.KINDS)
    assert [part.kind for part in judged.parts if part.plan] == [parts.ABI]
    assert all("does not describe itself" in part.left_out for part in judged.parts if not part.plan)
    assert judgement.recall(judged.folder.name).parts[1].left_out == judged.parts[1].left_out
