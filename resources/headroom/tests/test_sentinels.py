# SPDX-License-Identifier: Apache-2.0
"""Fixed work, measured in turns."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from headroom.bench import replay_sentinel
from headroom.bench.load import WrongOutput
from headroom.core import implementations, metrics, sentinels
from headroom.core.errors import HeadroomError
from headroom.core.machine.build import engine_program
from headroom.core.paths import build_folder
from headroom.core.sentinels import Arm, ArmFailed, Work, turns

NS = metrics.STAGE_NS(stage="compress")


class Recording:
    """Work that takes no engine, and keeps what it was made for: libraries, engine, and the files behind them."""

    def __init__(self) -> None:
        self.paths: list[tuple[Path, Path]] = []
        self.files: set[tuple[Path, Path]] = set()

    def measure(self, work: Work) -> sentinels.Values:
        library, engine = work.arm.libraries(work.build)[0], engine_program(work.build)
        self.paths.append((library, engine))
        self.files.add((library.resolve(), engine.resolve()))
        if "broken" in library.read_text(encoding="utf-8"):
            raise HeadroomError(f"{library} crashed.")
        return {NS: 1.0}


@pytest.fixture
def recording() -> Any:
    return Recording()


def arm_of(folder: Path, name: str, text: str = "sound") -> Arm:
    path = folder / name / "adapter.so"
    path.parent.mkdir(parents=True)
    path.write_text(text, encoding="utf-8")
    null = implementations.null()
    return Arm(null, null).with_library(path)


def test_turns_go_forward_and_backward() -> None:
    assert list(turns("abc", 3)) == list("abccbaabc")


def test_paths_have_one_length_and_lead_to_the_files(fake_build: str, tmp_path: Path, recording: Any) -> None:
    arms = {"a": arm_of(tmp_path, "short"), "b": arm_of(tmp_path, "a folder with a much longer name")}
    arms["other engine"] = Arm(arms["a"].compressor, arms["a"].decompressor, engine=fake_build)
    found = sentinels.measure(recording, arms, 4, fake_build, 0, 1, count=False)
    assert {name: trials[NS] for name, trials in found.items()} == dict.fromkeys(arms, [1.0] * 4)
    assert len({tuple(len(str(path)) for path in pair) for pair in recording.paths}) == 1
    assert recording.files == {(arm.libraries(fake_build)[0], engine_program(fake_build)) for arm in arms.values()}
    assert not any(library.is_symlink() for library, _ in recording.paths)  # nothing is left


def test_an_arm_that_fails_is_named_with_its_file(fake_build: str, tmp_path: Path, recording: Any) -> None:
    arms = {"new": arm_of(tmp_path, "new"), "old": arm_of(tmp_path, "old", "broken")}
    with pytest.raises(ArmFailed) as failed:
        sentinels.measure(recording, arms, 2, fake_build, 0, 1, count=False)
    assert failed.value.arm == "old"
    assert str(failed.value) == f"{tmp_path}/old/adapter.so crashed."


def test_an_adapter_that_is_not_there_is_named(fake_build: str, tmp_path: Path, recording: Any) -> None:
    arm = arm_of(tmp_path, "new")
    arm.libraries(fake_build)[0].unlink()
    with pytest.raises(ArmFailed, match=r"no adapter at .*/new/adapter\.so"):
        sentinels.measure(recording, {"new": arm}, 2, fake_build, 0, 1, count=False)


def test_every_sentinel_is_measured_and_counted(real_build: str) -> None:
    reference = implementations.find("reference")
    able = Counter()
    for one in sentinels.all_sentinels().values():
        arm = Arm(reference, reference)
        assert not one.lacks(arm)
        found = sentinels.measure(one, {"new": arm}, 1, real_build, None, 1, count=False)["new"]
        able[one.scheme] += 1
        assert {metric.name for metric in found} >= {"compress_ns", "decompress_ns"}
        assert all(value > 0 for values in found.values() for value in values)
    assert len(able) >= 4
    assert (build_folder(real_build) / "lib").is_dir()


def test_the_job_of_an_inspection_is_the_same_in_every_process() -> None:
    """Its digest is a condition of a series: a path of a temporary folder would begin a new series each night."""
    reference, one = implementations.find("reference"), sentinels.find("A User Plane With Inspection")
    job = one.job(Work(Arm(reference, reference)))
    files = job["user_plane"]["config"]["inspection"]
    assert files == {"l7": "l7.rules", "l3": "l3.rules", "cache": "l7.cache"}
    assert len(job["traffic"]["hosts"]) == 1000
    assert one.job(Work(Arm(reference, reference), seed=2))["traffic"]["hosts"] != job["traffic"]["hosts"]


def test_a_user_plane_without_inspection_has_no_such_work() -> None:
    example = implementations.find("example-user-plane")
    lacking = sentinels.find("A User Plane With Inspection").lacks(Arm(example, example))
    assert lacking == "example-user-plane does not declare feature inspection"


def replayed(**verdicts: int) -> dict[str, Any]:
    side = {"ns_per_packet": 10.0}
    sides = {"compressor": side, "decompressor": side}
    forward = {"verdicts": {"identical": 9} | verdicts, "link": {"octets": 90}, "source": {"packets": 9}, **sides}
    return {"promise_broken": None, "forward": forward, "cpu_ns": 100_000_000, "other_threads_cpu_ns": 1_000_000}


def test_a_replay_to_which_threads_of_an_adapter_helped_has_no_values() -> None:
    assert replay_sentinel._read(replayed())[metrics.LINK_OCTETS] == 10
    with pytest.raises(WrongOutput, match=r"used 2\.5 ms of processor time, beside 100\.0 ms"):
        replay_sentinel._read(replayed() | {"other_threads_cpu_ns": 2_500_000})


@pytest.mark.parametrize("verdict", ["mismatched", "not_delivered", "not_compressed", "withheld"])
def test_a_replay_has_no_values_unless_all_packets_come_out(verdict: str) -> None:
    """A compressor that refuses packets would look fast."""
    with pytest.raises(WrongOutput, match=f"'{verdict}': 1"):
        replay_sentinel._read(replayed(**{"identical": 8, verdict: 1}))
