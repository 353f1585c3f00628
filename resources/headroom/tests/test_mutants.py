# SPDX-License-Identifier: Apache-2.0
"""Defects on purpose: which there are, what a hunt is, and what is made of what the suites say."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from robot import api

from headroom.core import implementations
from headroom.core.errors import HeadroomError, UsageError
from headroom.core.mutation import campaign, catalogue, hunt
from headroom.core.mutation.catalogue import Mutant
from headroom.core.mutation.hunt import CaseResult, Outcome, Task
from headroom.core.paths import IMPLEMENTATIONS, SUITES
from headroom.tests.command_line import start

POINT = re.compile(r'mutant\("([^"]*)"\)')


# ---- the catalogue


def test_there_are_as_many_as_promised_on_both_sides() -> None:
    known = catalogue.load()
    assert len(known) >= 190
    assert {one.side for one in known} == {"compressor", "decompressor", "endpoint", "user-plane"}
    assert {one.scheme for one in known} >= {"rohc", "sigcomp", "gtpu"}
    assert sum(one.side == "endpoint" for one in known) >= 42
    assert sum(one.side == "user-plane" for one in known) >= 30
    assert sum(one.quick for one in known) >= 8, "what `./headroom test` asks for"


def test_every_mutant_has_a_place_in_the_sources_and_every_place_a_mutant() -> None:
    folder = IMPLEMENTATIONS / "reference"
    sources = [path for suffix in ("cc", "h") for path in folder.glob(f"*/**/*.{suffix}")]
    places = {name for path in sources for name in POINT.findall(path.read_text(encoding="utf-8"))}
    assert places == {one.name for one in catalogue.load()}


ENTRY = '- {name: a-b, side: compressor, section: "RFC 3095, 5.9", suites: [crc], breaks: It is broken.}\n'


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (ENTRY + ENTRY, r":3: .*a-b stands here twice"),
        (ENTRY.replace("crc", "nowhere"), r":2: .*there is no suite conformance/rohc/nowhere"),
        (ENTRY.replace("compressor", "both"), r":2: .*'both' is not one of"),
        (ENTRY.replace("RFC 3095, 5.9", "5.9"), r":2: .*does not match"),
        (ENTRY.replace("a-b", "A B"), r":2: .*does not match"),
        ("[]\n", "mutants"),
    ],
)
def test_a_wrong_catalogue_is_refused_with_its_line(tmp_path: Path, text: str, sentence: str) -> None:
    path = tmp_path / "rohc" / "mutants.yaml"
    path.parent.mkdir()
    path.write_text("mutants:\n" + text if text.startswith("-") else "mutants: " + text)
    with pytest.raises(UsageError, match=sentence):
        catalogue.load(tmp_path)


def test_mutants_are_chosen_by_name() -> None:
    known = catalogue.load()
    assert catalogue.choose([], known) == known
    assert [one.name for one in catalogue.choose(["no-ir-refresh", "no-ir-refresh"], known)] == ["no-ir-refresh"]
    with pytest.raises(UsageError, match=r"There is no mutant .no-ir-refreshes.\. Close to it: no-ir-refresh"):
        catalogue.choose(["no-ir-refreshes"], known)


# ---- one hunt


def task(tmp_path: Path, **more: object) -> Task:
    return Task(**{"name": "a-b", "mutant": "a-b", "side": "compressor", "library": "/lib/mutants.so",
                   "build": "gcc-O2", "folder": str(tmp_path), **more})  # fmt: skip


def test_a_mutant_is_an_implementation_like_the_reference(tmp_path: Path) -> None:
    found = implementations.find(str(hunt.write_implementation(task(tmp_path))))
    reference = implementations.find("reference")
    assert found.name == "a-b"
    assert str(found.library_path()) == "/lib/mutants.so"
    assert found.config["options"]["mutant"] == "a-b"
    assert found.capabilities == reference.capabilities


def test_the_reference_without_a_mutant_is_told_of_none(tmp_path: Path) -> None:
    found = implementations.find(str(hunt.write_implementation(task(tmp_path, mutant=""))))
    assert "mutant" not in found.config.get("options", {})


def test_the_suites_that_matter_come_first_and_all_others_follow() -> None:
    files = hunt.suites_in_order(["conformance/rohc/timestamp", "conformance/rohc/crc"], "rohc")
    assert [path.stem for path in files[:2]] == ["timestamp", "crc"]
    assert sorted(files) == sorted((SUITES / "conformance" / "rohc").glob("*.robot"))


def test_a_suite_that_is_not_of_conformance_is_asked_where_a_mutant_names_it() -> None:
    guard = next(one for one in catalogue.load() if one.name == "sigcomp-failures-forgiven")
    assert guard.suites == ("robustness/hostile_bytecode",)
    files = hunt.suites_in_order(guard.suites, "sigcomp")
    assert files[0] == SUITES / "robustness" / "hostile_bytecode.robot"
    assert SUITES / "conformance" / "sigcomp" / "udvm.robot" in files


def test_an_endpoint_is_asked_by_the_suites_of_its_scheme() -> None:
    files = hunt.suites_in_order(["conformance/sigcomp/state"], "sigcomp")
    assert files[0].stem == "state"
    assert sorted(files) == sorted((SUITES / "conformance" / "sigcomp").glob("*.robot"))
    suite = api.TestSuite.from_file_system(SUITES / "conformance" / "sigcomp" / "nack.robot")
    assert all(hunt.is_about(test, "endpoint") for test in suite.tests)


def test_cases_about_the_other_side_alone_are_left_out() -> None:
    suite = api.TestSuite.from_file_system(SUITES / "conformance" / "rohc" / "contexts.robot")
    by_name = {test.name: test for test in suite.tests}
    compressor = by_name["Compressor: A Reused CID Keeps Its Mode"]
    assert hunt.is_about(compressor, "compressor") and not hunt.is_about(compressor, "decompressor")
    for name, test in by_name.items():
        sides = {side for side in ("compressor", "decompressor") if hunt.is_about(test, side)}
        assert sides, f"{name} names a side"
        rows = [str(row.name) for row in test.body]
        if all(row == "Vectors Should Be Decompressed" for row in rows):
            assert sides == {"decompressor"}
        if any(row.startswith("Flow Should") for row in rows):
            assert sides == {"compressor", "decompressor"}


# ---- a campaign


def mutant(name: str) -> Mutant:
    return Mutant(name, "rohc", "compressor", "RFC 3095, 5.9", "It is broken.", ("conformance/rohc/crc",))


CASE = CaseResult("suite/Case", "fail", ["RFC3095-5.9.1-1"], "It is wrong.")


class Hunts:
    """Outcomes by mutant; `sound` are the cases that pass without any."""

    def __init__(self, sound: list[str] | None = None, **outcomes: Outcome | str) -> None:
        self.sound = sound
        self.outcomes = outcomes
        self.asked: list[Task] = []

    def __call__(self, task: Task) -> Outcome:
        self.asked.append(task)
        if task.name == campaign.UNCHANGED:
            if self.sound is None:
                raise HeadroomError("No.")
            return Outcome(task.name, passed=self.sound)
        outcome = self.outcomes[task.name]
        if isinstance(outcome, str):
            raise HeadroomError(outcome)
        return outcome


def run(hunts: Hunts, *names: str) -> list[campaign.Row]:
    return campaign.campaign([mutant(name) for name in names], "/lib.so", "/tmp/x", hunts, lambda _: None, jobs=2)


def test_verdicts_on_mutants() -> None:
    hunts = Hunts(
        sound=["suite/Case"],
        a=Outcome("a", caught=CASE, cases=3),
        b=Outcome("b", cases=300, passed=["suite/Case"]),
        c=Outcome("c", cases=300, errors=[CaseResult("suite/Other", "error", [], "A hang.")]),
        d="Robot could not run.",
    )
    rows = run(hunts, "a", "b", "c", "d")
    assert [(row.mutant.name, row.verdict) for row in rows] == [
        ("a", "caught"),
        ("b", "survived"),
        ("c", "error"),
        ("d", "error"),
    ]
    assert rows[1].reason == "none of 300 cases detects it"
    assert "suite/Other: A hang." in rows[2].reason
    assert rows[3].reason == "Robot could not run."
    assert campaign.exit_code(rows) == 1
    unchanged = hunts.asked[-1]
    assert (unchanged.mutant, unchanged.side, unchanged.cases) == ("", "both", ["suite/Case"])


def test_who_interrupts_does_not_wait_for_the_hunts() -> None:
    stopped: list[bool] = []

    def interrupted(task: Task) -> Outcome:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        campaign.campaign(
            [mutant("a")], "/lib.so", "/tmp/x", interrupted, lambda _: None, 2, lambda: stopped.append(True)
        )
    assert stopped == [True]


def test_a_case_that_fails_without_the_mutant_too_has_found_nothing() -> None:
    rows = run(Hunts(sound=[], a=Outcome("a", caught=CASE, cases=1)), "a")
    assert rows[0].verdict == "error" and "does not pass without the mutant either" in rows[0].reason
    rows = run(Hunts(sound=None, a=Outcome("a", caught=CASE, cases=1)), "a")
    assert rows[0].verdict == "error" and "could not run: No." in rows[0].reason


def test_all_caught_is_a_pass_and_none_asked_is_not() -> None:
    rows = run(Hunts(sound=["suite/Case"], a=Outcome("a", caught=CASE, cases=1)), "a")
    assert campaign.exit_code(rows) == 0
    assert campaign.exit_code([]) == 1
    document = campaign.document(rows)
    assert document["passed"] and document["verdicts"] == {"caught": 1, "survived": 0, "error": 0}
    assert document["mutants"][0]["case"] == "suite/Case"
    assert document["mutants"][0]["requirements"] == ["RFC3095-5.9.1-1"]


def test_what_a_hunt_prints() -> None:
    said = {"name": "a", "caught": vars(CASE), "cases": 2, "passed": ["x/Y"], "errors": [], "seconds": 1.5}
    said["found"] = [vars(CASE)]
    assert campaign.outcome_of(0, "noise\n" + json.dumps(said), "") == Outcome("a", CASE, 2, ["x/Y"], [], 1.5, [CASE])
    with pytest.raises(HeadroomError, match=r"It cannot\."):
        campaign.outcome_of(1, json.dumps({"error": "It cannot."}), "")
    for out in ("", "[]", "{}", "no JSON", json.dumps({**said, "caught": {"case": 1}})):
        with pytest.raises(HeadroomError, match="ended with exit status 0: the last line"):
            campaign.outcome_of(0, out, "first line\nthe last line\n")


# ---- the command line


def test_dry_run_names_what_each_breaks() -> None:
    done = start("test", "--mutants", "--mutant", "ts-stride-not-sent", "--dry-run")
    assert done.returncode == 0
    line = "ts-stride-not-sent: Extension 3 leaves out a new TS_STRIDE. (compressor; RFC 3095, 4.5.3)"
    assert done.stdout.strip() == line


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--mutant", "no-ir-refresh"], "give both"),
        (["--mutants", "--fast"], "leave out --fast"),
        (["--mutants", "--mutant", "nobody"], "There is no mutant 'nobody'"),
    ],
)
def test_usage(words: list[str], sentence: str) -> None:
    done = start("test", *words)
    assert done.returncode == 2
    assert sentence in " ".join(done.stderr.split())
