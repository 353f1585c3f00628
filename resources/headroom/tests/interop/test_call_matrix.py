# SPDX-License-Identifier: Apache-2.0
"""The interop matrix for SigComp: which schemes are meant, rows and cells, verdicts, signatures, the page."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from robot import running, variables
from robot.running.arguments import ArgumentSpec
from robot.running.arguments.argumentresolver import NamedArgumentResolver

from headroom.cli import interop
from headroom.core import deviations
from headroom.core import matrix as core_matrix
from headroom.core.capabilities import Misbehaviour
from headroom.core.errors import UsageError
from headroom.core.implementations import Deviation
from headroom.core.paths import SUITES
from headroom.core.results import store
from headroom.core.run import pairs
from headroom.core.scheme_registry import find, in_matrix
from headroom.schemes.sigcomp.conformance.endpoint_stories import announcement
from headroom.schemes.sigcomp.conformance.peer import FarEnd
from headroom.schemes.sigcomp.interop import call as talk
from headroom.schemes.sigcomp.interop import cells as of_calls
from headroom.schemes.sigcomp.interop.call import Call, Exchange
from headroom.schemes.sigcomp.judge.endpoint import Offer
from headroom.schemes.sigcomp.sip import sequences
from headroom.tests.interop import support
from headroom.tests.interop.test_matrix import headroom

pytestmark = pytest.mark.long

NAMES = ("compressors", "decompressors", "profiles", "modes", "cids", "mechanisms", "transports", "traffic", "links")
WORDS: dict[str, tuple[str, ...]] = dict.fromkeys(NAMES, ())
ROHC, SIGCOMP = "rohc", "sigcomp"
SEQUENCES = ("basic-voice-call", "push-to-talk")


def row(compressor: str, decompressor: str, link: str = "clean", **more: Any) -> core_matrix.Row:
    values = ("dynamic", "udp", "1")
    more = {"traffic": SEQUENCES, "links": (link,), **more}
    return support.row(compressor, decompressor, *values, scheme_name=SIGCOMP, **more)


ROW = row("alice", "bob")
CELLS = core_matrix.cells(ROW)
STORE = core_matrix.ArtefactStore(Path("nowhere"))  # nothing is kept


# ---- what is meant


@pytest.mark.parametrize(
    ("words", "schemes"),
    [
        ({}, [ROHC, SIGCOMP]),
        ({"profiles": ("rtp",)}, [ROHC]),
        ({"mechanisms": ("dynamic",)}, [SIGCOMP]),
        ({"transports": ("tcp",), "modes": ("U",)}, [ROHC, SIGCOMP]),
        ({"traffic": ("push-to-talk",)}, [SIGCOMP]),
        ({"traffic": ("voip-mixed",)}, [ROHC]),
        ({"links": ("clean",)}, [ROHC, SIGCOMP]),
        ({"links": ("loss-1",)}, [ROHC]),
        ({"links": ("clean", "duplicates")}, [SIGCOMP]),
        ({"compressors": ("opensigcomp", "reference")}, [SIGCOMP]),
        ({"compressors": ("librohc",)}, [ROHC]),
    ],
)
def test_the_schemes_that_are_meant(words: dict[str, tuple[str, ...]], schemes: list[str]) -> None:
    found = [one.name for one in interop.schemes_of({**WORDS, **words})]
    assert [name for name in found if name in (ROHC, SIGCOMP)] == schemes


@pytest.mark.parametrize(
    ("words", "asked", "sentence"),
    [
        ({}, ("morse",), f"There is no scheme 'morse' in the matrix. Known: {', '.join(in_matrix())}."),
        ({"mechanisms": ("dynamic",)}, (ROHC,), "--mechanisms does not belong to ROHC."),
        ({"traffic": ("voip-mixed",)}, (SIGCOMP,), "--traffic has no value that belongs to SigComp."),
        ({"links": ("loss",)}, (ROHC, SIGCOMP), "--links has no value that belongs to ROHC."),
        ({"mechanisms": ("telepathy",)}, (), "There is no mechanism 'telepathy'."),
        ({"transports": ("sctp",)}, (), "There is no transport 'sctp'. Known: udp, tcp."),
        (
            {"compressors": ("librohc",), "decompressors": ("opensigcomp",)},
            (),
            "There is no scheme of the matrix that librohc and opensigcomp declare.",
        ),
        ({"compressors": ("librohc",)}, (SIGCOMP,), "librohc does not declare SigComp. Those that do:"),
    ],
)
def test_what_cannot_be_meant_is_refused(
    words: dict[str, tuple[str, ...]], asked: tuple[str, ...], sentence: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from headroom.core import implementations

    monkeypatch.setattr(implementations, "require_usable", lambda name, build: implementations.find(name))
    with pytest.raises(UsageError, match=re.escape(sentence)):
        interop.plan_of({**WORDS, **words}, asked)


def test_a_plan_of_both() -> None:
    plan = interop.plan_of({**WORDS, "compressors": ("null",), "decompressors": ("reference",)})
    assert {"interop/rohc", "interop/sigcomp"} <= {*plan.suites}
    assert {ROHC, SIGCOMP} <= {*plan.matrix}
    for asked in plan.matrix.values():
        assert (asked["compressors"], asked["decompressors"], asked["traffic"]) == (["null"], ["reference"], [])
    only = interop.plan_of({**WORDS, "traffic": ("push-to-talk",)})
    assert only.suites == ["interop/sigcomp"] and list(only.matrix) == [SIGCOMP]


@pytest.mark.parametrize("name", [ROHC, SIGCOMP])
def test_the_suite_has_every_cell_of_the_matrix_once(name: str) -> None:
    suite = running.TestSuite.from_file_system(SUITES / "interop" / f"{name}.robot")
    of, found = find(name), []
    for words in map(pairs.words_of, suite.tests):
        assert words is not None
        links = tuple(filter(None, words.pop("links", "").split(",")))
        found += core_matrix.cells(core_matrix.Row(of, "null", "null", core_matrix.row_axes(of, words), links=links))
    spanned = [cell for each in core_matrix.rows(of, ["null"], ["null"]) for cell in core_matrix.cells(each)]
    assert sorted(map(str, (cell.words() for cell in found))) == sorted(map(str, (cell.words() for cell in spanned)))


def test_rows_become_pairs() -> None:
    suite = running.TestSuite.from_file_system(SUITES / "interop" / "sigcomp.robot")
    names = ["null", "reference"]
    asked = {"compressors": names, "decompressors": ["reference"], "mechanisms": ["dynamic"], "transports": ["udp"]}
    suite.visit(pairs.Pairs({SIGCOMP: {**asked, "links": ["clean", "loss"], "traffic": ["push-to-talk"]}}))
    assert [test.name for test in suite.tests] == [
        f"{one} to reference: {row}"
        for one in names
        for row in ("Dynamic, UDP", "Dynamic, Loss", "Several Compartments, Dynamic")
    ]
    words = pairs.words_of(suite.tests[1])
    assert words is not None
    assert (words["compressor"], words["decompressor"], words["links"]) == ("null", "reference", "loss")
    assert words["traffic"] == "push-to-talk"


def test_names_of_folders_are_no_code_of_robot_framework(tmp_path: Path) -> None:
    folders = [str(tmp_path / number / "${{pow(2, 3)}}=%{HOME}") for number in "12"]
    roles = {"scheme": "vj", "roles": ["compressor", "decompressor"]}
    declared = {**dict.fromkeys(("vendor", "licence", "obtain"), "x"), "name": "mine", "capabilities": [roles]}
    for folder in map(Path, folders):
        folder.mkdir(parents=True)
        (folder / "implementation.yaml").write_text(json.dumps({**declared, "adapter": {"library": "x.so"}}))
    suite = running.TestSuite.from_file_system(SUITES / "interop" / "vj.robot")
    suite.visit(pairs.Pairs({"vj": {"compressors": folders, "decompressors": [folders[0]], "links": ["clean"]}}))
    row = suite.tests[-1]
    values = variables.Variables()
    _, named = NamedArgumentResolver(ArgumentSpec(var_named="axes")).resolve(row.body[0].args, values)
    read = {name: values.replace_scalar(word) for name, word in named}
    assert [read["compressor"], read["decompressor"]] == [folders[1], folders[0]]
    assert values.replace_string(row.name).startswith(f"{folders[1]} to {folders[0]}: ")


# ---- cells


def call(sequence: str, *verdicts: str) -> Call:
    records = [
        {"message": number, "from": "a", "compartment": 0, "length": 9, "verdict": verdict, "arrivals": []}
        for number, verdict in enumerate(verdicts)
    ]
    way = {
        "messages": len(records),
        "verdicts": {"identical": verdicts.count("identical")},
        "plain_octets": 100,
        "sent_octets": 40,
        "nacks": {"messages": 0},
    }
    none = {"messages": 0, "verdicts": {}, "plain_octets": 0, "sent_octets": 0, "nacks": {"messages": 0}}
    messages = sequences.load(sequences.path_of(sequence))
    return Call(sequence, messages, {"records": records, "a_to_b": way, "b_to_a": none})


CALLS = [call("basic-voice-call", "identical", "not_delivered"), call("push-to-talk", "identical")]


@pytest.mark.parametrize(
    ("before", "conclusive", "by_chance", "after"),
    [
        (("fail", "pass"), True, False, ["unsupported", "pass"]),
        (("pass", "pass"), True, False, ["fail", "fail"]),
        (("pass", "pass"), False, False, ["pass", "pass"]),  # with less traffic it may just not have been met
        (("pass", "pass"), True, True, ["pass", "pass"]),
    ],
)
def test_a_deviation_of_a_row_that_passes_is_no_more(
    before: tuple[str, ...], conclusive: bool, by_chance: bool, after: list[str]
) -> None:
    cells = [cell.result(verdict=one) for cell, one in zip(CELLS, before, strict=True)]
    declared = Deviation("It has always been so.", cases=("interop/sigcomp/Dynamic, UDP",), by_chance=by_chance)
    asked = replace(ROW, traffic=() if conclusive else SEQUENCES)
    assert bool(deviations.settle_row(cells, asked, ("bob", declared))) == ("fail" in before)
    assert [cell["verdict"] for cell in cells] == after
    reasons = [cell["reason"] for cell in cells if cell["verdict"] in ("fail", "unsupported")]
    assert all("It has always been so." in reason for reason in reasons)
    assert ("fail" in after) == any("remove the declaration" in reason for reason in reasons)


@pytest.mark.parametrize(
    ("link", "words", "verdicts"),
    [
        ({}, "cells: {mechanisms: [dynamic], transports: [udp]}", ["unsupported", "fail"]),
        ({}, "cells: {mechanisms: [dynamic], transports: [udp]}, by_chance: true", ["unsupported", "pass"]),
        ({}, "cells: {traffic: [basic-voice-call]}", ["unsupported", "pass"]),
        ({}, "cells: {traffic: [push-to-talk], peers: [reference]}", ["fail", "fail"]),
        ({"link": "loss"}, "cells: {transports: [udp]}", ["unsupported", "pass"]),  # it may just not have been met
        ({"link": "duplicates"}, "cells: {links: [duplicates]}", ["unsupported", "fail"]),
        ({"link": "loss"}, "cells: {links: [duplicates]}", ["fail", "pass"]),
        ({}, "cells: {transports: [tcp]}", ["fail", "pass"]),
        ({}, "cells: {transports: [udp], peers: ['null']}", ["fail", "pass"]),
        ({}, "cells: {transports: [udp]}, roles: [compressor]", ["fail", "pass"]),
        ({}, "cells: {transports: [udp]}, roles: [decompressor]", ["unsupported", "fail"]),
    ],
)
def test_a_deviation_in_cells(tmp_path: Path, link: dict[str, str], words: str, verdicts: list[str]) -> None:
    """One of two cells failed, the other did not."""
    theirs = tmp_path / "theirs"
    theirs.mkdir()
    (theirs / "implementation.yaml").write_text(
        "name: theirs\nvendor: Them\nlicence: L\nobtain: Ask them.\nadapter: {library: x.so}\n"
        "capabilities: [{scheme: sigcomp, roles: [endpoint], transports: [udp, tcp]}]\n"
        f"deviations: [{{reason: It has always been so., {words}}}]\n"
    )
    asked = core_matrix.cells(row("reference", str(theirs), **link))
    assert [cell.traffic.name for cell in asked] == list(SEQUENCES)
    before = [asked[0].result(verdict="fail", reason="It went wrong."), asked[1].result(verdict="pass")]
    cells = [result | deviations.settle(cell, result) for cell, result in zip(asked, before, strict=True)]
    assert [cell["verdict"] for cell in cells] == verdicts
    changed = [cell["reason"] for cell, was in zip(cells, before, strict=True) if cell["verdict"] != was["verdict"]]
    assert all("It has always been so." in reason for reason in changed)


def test_which_deviation_a_row_has() -> None:
    case = "interop/sigcomp/Several Compartments, Dynamic"
    found = deviations.of_row(row("reference", "tinysigcomp"), case, ())
    assert found and found[0] == "tinysigcomp" and case in found[1].cases
    assert deviations.of_row(row("reference", "tinysigcomp"), "interop/sigcomp/Dynamic, UDP", ()) is None
    assert deviations.of_row(row("reference", "opensigcomp"), case, ()) is None


def test_a_sentence_is_about_its_cell_or_all() -> None:
    one = "basic-voice-call, message 2 (100 Trying) from alice to bob is not delivered (SEGFAULT)"
    first, second = (of_calls.trial_of(cell, call, [one], STORE) for cell, call in zip(CELLS, CALLS, strict=True))
    assert (first.verdict, second.verdict) == ("fail", "pass")
    assert (first.reason, first.signature) == (f"{one}.", "alice → bob · not delivered · SEGFAULT")
    found = first.figures
    assert (found["packets"], found["delivered"], found["message_bytes"], second.figures["lost"]) == (2, 1, 20.0, 0)
    said = ["bob compresses none of its 9 messages"]
    both = [of_calls.trial_of(cell, call, said, STORE) for cell, call in zip(CELLS, CALLS, strict=True)]
    assert [trial.signature for trial in both] == ["bob compresses none of its n messages"] * 2


@pytest.mark.parametrize(
    ("sentence", "signature"),
    [
        ("x, message 1 (INVITE) from a to b is not delivered (X); the judge restores it", "b · not delivered · X"),
        ("x, message 1 (INVITE) from a to b is mismatched; the judge cannot restore it either", "a · mismatched"),
        (
            "x, message 1 (INVITE) from a to b is not delivered (X); the judge restores it, and so does b in an engine "
            "of its own",
            "a → b · not delivered · X",
        ),
        (
            "x, message 3 (200 OK) from a: what it is compressed to is restored by no judge (plain)",
            "a · restored by no judge · plain",
        ),
        (
            "x, message 1 (INVITE) from a announces cycles per bit 128 and offers 16",
            "a · announces cycles per bit 128 and offers 16",
        ),
    ],
)
def test_the_same_has_the_same_signature(sentence: str, signature: str) -> None:
    assert of_calls.signature(sentence) == signature


def test_the_name_of_a_folder_adds_no_words_to_a_sentence() -> None:
    """Such a folder had its own failures signed with the name of its peer."""
    folder = "/bob is different; the judge cannot restore it either"
    exchange = Exchange("alice", folder, link="duplicates")  # which no judge reads
    (sentence,) = talk.shortcomings(exchange, CALLS)
    assert of_calls.signature(sentence) == f"alice → {folder.replace(' ', '_')} · not delivered"


def test_cells_of_rows_that_nobody_can_be_asked_for(real_build: str) -> None:
    chosen = {"mechanisms": ["default"]}
    more = {"traffic": ("push-to-talk",), "build": real_build}
    rows = list(core_matrix.rows(find(SIGCOMP), ["null"], ["reference", "null"], chosen, **more))
    assert all(len(core_matrix.cells(one)) == 1 for one in rows)
    assert [(one.decompressor, one["transport"], bool(of_calls.unsupported(one))) for one in rows] == [
        ("reference", "udp", True),
        ("reference", "tcp", True),
        ("null", "udp", False),
        ("null", "tcp", False),
    ]


def test_less_is_offered_where_less_is_declared(tmp_path: Path, real_build: str) -> None:
    small = support.faulty_endpoint(tmp_path / "small", real_build, "none")
    path = tmp_path / "small" / "implementation.yaml"
    limits = "max_state_memory_size: 4096, version: 1, features"
    path.write_text(path.read_text().replace("features", limits), encoding="utf-8")
    offer = talk.offer_of(Exchange("reference", small, transport="tcp"))
    assert (offer.state_memory_size, offer.version, offer.decompression_memory_size) == (4096, 1, 8192)
    assert offer.stream and talk.unsupported(Exchange(small, small, build=real_build)) == ""


# ---- the whole


@pytest.fixture(scope="module")
def matrix(tmp_path_factory: pytest.TempPathFactory, real_build: str) -> tuple[Path, list[dict[str, Any]], int]:
    base = tmp_path_factory.mktemp("calls")
    drops = support.faulty_endpoint(base / "drops", real_build, "drops_everything", "sigcomp")
    copies = support.faulty_endpoint(base / "copies", real_build, "copies", "sigcomp")
    names = f"reference,{drops},{copies}"
    done = headroom(
        base / "out",
        *("--compressors", names, "--decompressors", names, "--mechanisms", "default,shared", "--links", "clean"),
        *("--transports", "udp", "--traffic", "push-to-talk", "--build", real_build, "--json"),
    )
    document = json.loads(done.stdout)
    return Path(document["report"]).parent, document["cells"], done.returncode


def test_every_cell_has_the_verdict_that_it_must_have(matrix: tuple[Path, list[dict[str, Any]], int]) -> None:
    folder, cells, status = matrix
    assert status == 1 and len(cells) == 9 * 2
    by = {(Path(c["compressor"]).name, Path(c["decompressor"]).name, c["mechanism"]): c for c in cells}
    assert by["reference", "reference", "default"]["verdict"] == "pass"
    assert by["reference", "reference", "shared"]["verdict"] == "pass"
    assert by["drops", "drops", "shared"]["verdict"] == "unsupported"
    assert "has the mechanism shared" in by["drops", "drops", "shared"]["reason"]
    copied = by["copies", "copies", "default"]
    assert copied["verdict"] == "fail" and copied["packets"] == copied["delivered"]
    assert copied["signature"].endswith("copies · restored by no judge · plain")
    assert copied["minimised"]["packets"] == 1
    job = json.loads((folder / copied["minimised"]["job"]).read_text(encoding="utf-8"))
    assert len(job["messages"]) == 1
    for pair in (("drops", "drops"), ("reference", "drops"), ("drops", "reference")):
        cell = by[*pair, "default"]
        assert cell["verdict"] == "fail" and "drops" in cell["signature"]
        assert "repeat: ./headroom interop --scheme sigcomp" in (folder / cell["evidence"]).read_text()
        assert cell["minimised"]["packets"] < cell["packets"]
    assert all((folder / cell["capture"]).is_file() for cell in cells if cell["verdict"] in ("pass", "fail"))


def test_the_page_shows_both_words_and_files(matrix: tuple[Path, list[dict[str, Any]], int]) -> None:
    folder, _, _ = matrix
    page = (folder / "interop.html").read_text(encoding="utf-8")
    assert '<th scope="col">Mechanism</th><th scope="col">Transport</th><th scope="col">Compartments</th>' in page
    assert "ns to compress</th>" not in page
    assert "no judge · plain" in page and "as it is" in page
    files = re.findall(r'href="(artefacts/[^"]+)"', page)
    assert files and all((folder / name.replace("%20", " ")).is_file() for name in files)
    assert len(store.read_all(folder)) == 9 * 2


def test_what_a_peer_does_with_too_large_an_announcement_is_no_fault_of_its_own() -> None:
    exchange = Exchange("reference", "reference", sequences=("basic-voice-call",))
    messages = sequences.load(sequences.path_of("basic-voice-call"))
    offer = talk.offer_of(exchange)
    records = [{"message": 0, "from": "a", "verdict": "identical"}, {"message": 1, "from": "b", "verdict": "identical"}]

    def played(announced: Offer) -> Call:
        said = FarEnd().says(messages[0].octets, returned=announcement(announced))
        for record, octets in zip(records, (said, b"\xf8\x00\x11\x00"), strict=True):
            record["compressed"] = {"octets": octets.hex()}
        return Call("basic-voice-call", messages, {"records": records})

    honest = of_calls.shortcomings(exchange, [played(offer)], lambda *_: [])
    assert len(honest) == 1 and "message 2 (100 Trying) from reference: what it is compressed to" in honest[0]
    liar = of_calls.shortcomings(exchange, [played(replace(offer, cycles_per_bit=128))], lambda *_: [])
    where = "basic-voice-call, message 1 (INVITE) from reference"
    assert liar == [f"{where} announces cycles per bit 128 and offers 16"]


@pytest.mark.parametrize(("side", "who"), [("a", "near"), ("b", "far"), (None, "An endpoint")])
def test_who_broke_a_promise_of_the_abi(monkeypatch: pytest.MonkeyPatch, side: str | None, who: str) -> None:
    broken = {"side": side, "function": "drain", "message": 0, "sentence": "it never ends."}
    monkeypatch.setattr(talk, "job", lambda *_: {})
    monkeypatch.setattr(talk.engine, "run_together", lambda *_: [{"promise_broken": broken}])
    with pytest.raises(Misbehaviour, match=rf"^{who} broke a promise of the ABI in drain: it never ends\.$"):
        talk.play(Exchange("near", "far"), {"3gpp-registration": ()})
