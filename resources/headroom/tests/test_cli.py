# SPDX-License-Identifier: Apache-2.0
"""The command line as a user meets it: exit status, JSON last on stdout, help, dry runs, runs that are cut short."""

from __future__ import annotations

import errno
import json
import os
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from headroom.cli import listing, replay
from headroom.core import matrix
from headroom.core.errors import UsageError, disk_error
from headroom.core.paths import ROOT
from headroom.core.results import store
from headroom.core.scheme_registry import all_schemes, in_matrix
from headroom.tests.command_line import call, start
from headroom.tests.runs import replay_of

pytestmark = pytest.mark.slow

COMMANDS = (
    *("run", "check", "new-adapter", "test", "report", "verify", "reproduce", "list", "doctor", "render"),
    *("replay", "decode", "talk", "udvm", "reference", "judge", "site", "completion"),
)


def test_help_names_every_command_and_the_exit_status() -> None:
    done = start("--help")
    assert done.returncode == 0
    assert all(f" {command} " in done.stdout for command in COMMANDS)
    assert "3 the environment lacks something" in done.stdout.replace("\n", " ").replace("│", "")


@pytest.mark.parametrize("command", COMMANDS)
def test_each_command_has_help_with_examples(command: str) -> None:
    done = call(command, "--help")
    assert done.returncode == 0
    after = done.stdout.partition("Examples:")[2]
    assert f"./headroom {command}" in after
    lines = [line.strip() for line in after.splitlines() if line.strip()]
    assert all(line.startswith(f"./headroom {command}") for line in lines), "each on a line of its own"


@pytest.mark.parametrize("words", [["--help"], ["--version"], ["completion", "bash"]])
def test_what_must_be_quick_loads_nothing_heavy(words: list[str]) -> None:
    heavy = ("pandas", "pyarrow", "altair", "vl_convert", "robot", "jsonschema", "jinja2")
    check = (
        "import sys, runpy, contextlib\n"
        f"sys.argv = ['headroom', *{words}]\n"
        "with contextlib.suppress(SystemExit): runpy.run_module('headroom', run_name='__main__')\n"
        f"sys.exit(', '.join(name for name in {heavy} if name in sys.modules) or None)"
    )
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "resources")}
    done = subprocess.run([sys.executable, "-c", check], capture_output=True, text=True, env=environment)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["frobnicate"], "No such command"),
        (["run", "--frobnicate"], "No such option"),
        (["run", "nothing/of_the_kind"], "There is no suite 'nothing/of_the_kind'"),
        (["run", "performance/voip_flow_pair"], "Close to it: performance/voip_flow_pairs"),
        (["run", "--compressor", "nobody"], "There is no implementation 'nobody'"),
        (["run", "--profile", "voip-amr-nb-ipv5"], "There is no traffic profile 'voip-amr-nb-ipv5'"),
        (["run", "--cpus", "2c-l9"], "'2c-l9' is not a CPU configuration"),
        (["run", "--build", "gcc-O9"], "There is no build 'gcc-O9'"),
        (["run", "--seed", "-1"], "seed must be between"),
        (["run", "--resume", "20000101-000000-none"], "There is no run"),
        (["report", "20000101-000000-none"], "There is no run"),
        (["reproduce", "nobody-1999"], "There is no paper 'nobody-1999'"),
        (["list", "everything"], "There is no list of 'everything'"),
        (["replay", "voip-amr-nb-ipv6", "--mode", "X"], "The mode must be U, O or R"),
        (["replay", "voip-amr-nb-ipv6", "reoder=0.1"], "'reoder' is not known here; 'reorder' is meant?"),
        (["replay", "voip-amr-nb-ipv6", "--mode", "r"], "The mode must be U, O or R"),
        (["replay", "/dev/null"], "/dev/null is neither a capture file"),
        (["replay", "/tmp"], "/tmp is neither a capture file"),
        (["render", "/dev/null", "-o", "x.pcap"], "/dev/null is neither a capture file"),
        (["replay", "voip-amr-nb-ipv6", "--compressor", "none", "--decompressor", "none"], "nothing to replay"),
        (["decode", "nothing.pcap"], "There is no file nothing.pcap"),
        (["decode", "/tmp"], "/tmp is a folder, not a capture"),
        (["decode", "/dev/null"], "/dev/null is not a regular file"),
        (["decode", "x.pcap", "--packets", "20-10"], "--packets takes a range such as 10-20"),
        (["decode", "x.pcap", "--cid", "huge"], "--cid is small or large, not 'huge'"),
        (["decode", "x.pcap", "--cid", "small", "--max-cid", "16"], "Small CIDs go to 15"),
        (["decode", "x.pcap", "--profiles", "0x0999"], "The judge knows no ROHC profile '0x0999'"),
        (["decode", "x.pcap", "--rtp-port", "70000"], "--rtp-port takes UDP ports"),
        (["talk", "no-such-call"], "There is no SIP sequence"),
        (["talk", "nosuch.txt"], "There is no file nosuch.txt"),
        (["talk", "../../nowhere/passwd"], "There is no file ../../nowhere/passwd"),
        (["talk", "basic-voice-call", "drop=0,99"], "there is no message 99. The caller sends 3 in this sequence"),
        (["talk", "basic-voice-call", "drop=-1"], "drop must be numbers of messages such as 0,3, not '-1'"),
        (["talk", "basic-voice-call", "guard={'work':1}"], "guard={'work':1} is no JSON"),
        (["talk", "basic-voice-call", "guard=[NaN]"], "NaN is not a number that JSON has"),
        (["talk", "basic-voice-call", "--link", "/nosuch/a.pcapng"], "there is no folder /nosuch"),
        (["talk", "basic-voice-call", "--link", "/tmp"], "--link /tmp is a folder"),
        (["talk", "basic-voice-call", "mechanism"], "'mechanism' is not of the form name=value"),
        (["talk", "basic-voice-call", "mechanism=telepathy"], "It has stateless-basic"),
        (
            ["talk", "basic-voice-call", "pace=fast"],
            "reference does not have the option pace=fast",
        ),
        (["talk", "basic-voice-call", "--called", "null"], "do not have the same on the link"),
        (["talk", "basic-voice-call", "loss=2"], "loss must be a share between 0 and 1"),
        (["talk", "basic-voice-call", "transport=pigeon"], "The transport is udp or tcp, not 'pigeon'"),
        (["talk", "basic-voice-call", "state_memory_size=much"], "state_memory_size must be 0, 2048,"),
        (["talk", "basic-voice-call", "decompression_memory_size=5000"], "65536 or 131072, not '5000'"),
        (["talk", "basic-voice-call", "nacks=maybe"], "nacks must be yes or no, not 'maybe'"),
        (["talk", "basic-voice-call", "--called", "example"], "example does not declare the scheme sigcomp"),
        (["udvm", "assemble", "nothing.udvm"], "There is no file nothing.udvm"),
        (["udvm", "disassemble", "/tmp"], "/tmp is a folder"),
        (["udvm", "trace", "/dev/null"], "/dev/null is empty"),
        (["udvm", "trace", "/dev/zero"], "has more than 262144 octets"),
        (["udvm", "disassemble", "x.bin", "--start", "64"], "--start is for --code"),
        (["udvm", "assemble", "x.udvm", "--code", "--input", "y.bin"], "--input is for messages"),
        (["replay", "voip-amr-nb-ipv6", "reorder"], "'reorder' is not of the form name=value"),
    ],
)
def test_wrong_usage_is_status_2_and_a_sentence(out: Path, words: list[str], sentence: str) -> None:
    done = call(*words, out=out)
    assert done.returncode == 2, done.stderr
    assert sentence in done.stderr.replace("\n", " ")
    assert "Traceback" not in done.stderr
    assert not list(out.iterdir()), "nothing was begun"


def test_wrong_usage_ends_a_process_with_status_2(out: Path) -> None:
    for words, sentence in ((["frobnicate"], "No such command"), (["list", "everything"], "There is no list of")):
        done = start(*words, out=out)
        assert (done.returncode, done.stdout) == (2, "")
        assert sentence in done.stderr
        assert "Traceback" not in done.stderr


def test_a_wrong_profile_names_its_line(out: Path, tmp_path: Path) -> None:
    good = (ROOT / "traffic-profiles" / "voip-amr-nb-ipv6.yaml").read_text()
    path = tmp_path / "mine.yaml"
    path.write_text(good.replace("interval_ms: 20", "interval_ms: twenty"))
    line = next(n for n, text in enumerate(path.read_text().splitlines(), 1) if "twenty" in text)
    done = call("run", "performance", "--profile", str(path), out=out)
    assert done.returncode == 2
    assert f"mine.yaml:{line}: " in done.stderr
    assert "twenty" in done.stderr


def test_no_engine_is_status_3(out: Path, tmp_path: Path) -> None:
    done = call("replay", "voip-amr-nb-ipv6", "--build", str(tmp_path / "no" / "build"), out=out)
    assert done.returncode in (2, 3)
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("what", ["suites", "profiles", "implementations", "papers", "cpus", "builds", "runs"])
def test_lists_print_tables_and_json(out: Path, what: str) -> None:
    assert call("list", what, out=out).returncode == 0
    rows = json.loads(call("list", what, "--json", out=out).stdout)[what]
    assert isinstance(rows, list)
    if what != "runs":
        assert rows
        assert all(row["name"] for row in rows)


def test_the_columns_of_implementations_are_those_of_the_schemes() -> None:
    rows = {row["name"]: row for row in listing.implementation_rows()}
    listed = [key for scheme in all_schemes().values() for key in scheme.listed]
    assert {"profiles", "transports"} <= set(listed)
    assert all(list(row)[4:-3] == list(dict.fromkeys(listed)) for row in rows.values())
    assert rows["null"]["schemes"] and rows["reference"]["transports"] == ["tcp", "udp"]


def test_a_listed_capability_may_be_a_number() -> None:
    declared = [{"scheme": "x", "max_channels": 16}, {"scheme": "y", "max_channels": 4, "modes": ["U"]}]
    assert listing._declared(declared, "max_channels") == ["16", "4"]
    assert listing._declared(declared, "modes") == ["U"]


@pytest.mark.long
def test_the_command_of_a_row_is_one_of_the_command_line() -> None:
    for scheme in in_matrix().values():
        row = matrix.Row(scheme, "reference", "reference", {axis.name: axis.names[0] for axis in scheme.axes})
        done = start(*shlex.split(row.command())[1:], "--dry-run")
        assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("compressor", "decompressor", "scheme"),
    [("reference", "null", "rohc"), ("reference", "ule-crate", "ule"), ("none", "ule-crate", "ule")],
)
def test_a_replay_is_of_what_the_implementations_declare(compressor: str, decompressor: str, scheme: str) -> None:
    assert replay._declared(compressor, decompressor).name == scheme


def test_a_replay_of_implementations_without_a_common_scheme_says_so() -> None:
    with pytest.raises(UsageError, match="declare no common scheme with replays"):
        replay._declared("null", "ule-crate")


def test_every_profile_and_implementation_of_the_tree_is_valid() -> None:
    for what in ("profiles", "implementations"):
        rows = json.loads(call("list", what, "--json").stdout)[what]
        assert [row for row in rows if "not valid" in row["about"]] == []


def test_doctor_says_what_each_lack_costs() -> None:
    checks = json.loads(call("doctor", "--json").stdout)["checks"]
    names = {check["name"] for check in checks}
    assert {
        "compiler",
        "cmake",
        "tshark",
        "cores",
        "SMT siblings",
        "last-level cache",
        "governor",
        "hugepages",
    } <= names
    assert {"Docker", "TRex", "clock", "isolated CPUs", "steal", "transparent hugepages"} <= names
    assert all(check["cost"] for check in checks if check["status"] == "lacking")


def test_a_case_that_does_not_exist(out: Path, real_build: str) -> None:
    done = start("run", "smoke", "--case", "No Such Case", "--build", real_build, out=out)
    assert done.returncode == 2
    assert "No case matched" in done.stderr
    assert not list(out.iterdir()), "no empty run is left"


def test_dry_run_runs_nothing(out: Path) -> None:
    done = start("run", "smoke", "--dry-run", out=out)
    assert done.returncode == 0
    assert "smoke/first_packets/RTP Over IPv6, U-Mode" in done.stdout
    assert not [line for line in done.stderr.splitlines() if line.rstrip().endswith("subject:")]
    assert not list(out.iterdir())
    plan = json.loads(
        start("run", "performance/voip_flow_pairs", "--cpus", "1c", "--dry-run", "--json", out=out).stdout
    )
    assert len(plan["cases"]) == 3
    assert all("One Core" in case for case in plan["cases"])


def test_smoke_run_from_end_to_end(out: Path, real_build: str) -> None:
    done = start("run", "smoke", "--build", real_build, "--json", "--seed", "7", out=out)
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    assert set(document) == {"report", "results", "verdicts", "capacity"}
    assert set(document["verdicts"]) == {"pass", "non-strict", "fail", "unsupported", "error"}
    assert document["verdicts"]["pass"] == sum(document["verdicts"].values()) > 10
    assert Path(document["report"]).is_file()
    records = store.read_all(Path(document["results"]).parent)
    assert all(record["seed"] == 7 for record in records)
    assert all(record["compressor"]["sha256"] for record in records)
    # The lines of a log: one for each case, to stderr.
    assert done.stderr.count("] pass ") == len(records)
    # The report can be made again, and the figures exported.
    again = start("report", "--json", "--parquet", str(out / "f.parquet"), "-o", str(out / "r.html"), out=out)
    assert json.loads(again.stdout)["verdicts"] == document["verdicts"]
    assert (out / "f.parquet").stat().st_size > 1000
    assert (out / "r.html").is_file()


def test_a_failure_is_status_1(out: Path, real_build: str, tmp_path: Path) -> None:
    suite = tmp_path / "failing.robot"
    suite.write_text("*** Test Cases ***\nFails\n    Should Be Equal    1    2\n")
    done = start("run", str(suite), "--build", real_build, out=out)
    assert done.returncode == 1
    assert "1 != 2" in done.stdout
    assert "report.html" in done.stdout.splitlines()[-1]


def test_a_command_of_a_record_repeats_it(out: Path, real_build: str) -> None:
    import shlex

    start("run", "smoke/first_packets", "--build", real_build, "--case", "RTP Over IPv4, U-Mode", out=out)
    first = store.read_all(store_of(out))[0]
    words = shlex.split(first["command"])
    assert words[0] == "./headroom"
    time.sleep(1.1)  # runs are named by the second
    assert start(*words[1:], out=out).returncode == 0
    second = store.read_all(store_of(out))[0]
    assert second["run"] != first["run"]
    assert [metric["value"] for metric in second["metrics"]] == [metric["value"] for metric in first["metrics"]]


def store_of(out: Path) -> Path:
    return sorted(path.parent for path in out.glob("*/run.json"))[-1]


@pytest.mark.long
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_a_run_that_is_cut_short_can_be_resumed(out: Path, real_build: str, number: signal.Signals) -> None:
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "resources"), "HEADROOM_OUT": str(out)}
    suites = ("smoke/first_packets", "performance/voip_flow_pairs")
    words = ["run", *suites, "--cpus", "1c", "--quick", "--build", real_build]
    process = subprocess.Popen(
        [sys.executable, "-P", "-m", "headroom", *words],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    deadline = time.monotonic() + 120
    while len(list(out.glob("*/results/*.json"))) < 5 and time.monotonic() < deadline and process.poll() is None:
        time.sleep(0.05)
    time.sleep(0.5)  # into the first load trial
    process.send_signal(number)
    _, said = process.communicate(timeout=60)
    kept = {path.name for path in out.glob("*/results/*.json")}
    assert 5 <= len(kept) < 8
    assert process.returncode == (130 if number == signal.SIGINT else -signal.SIGKILL)
    if number == signal.SIGINT:
        assert "results are kept" in said
        assert "--resume" in said
    done = start("run", "--resume", "last", "--json", out=out)
    document = json.loads(done.stdout)
    assert len(list(out.glob("*/run.json"))) == 1, "the same run goes on"
    assert sum(document["verdicts"].values()) == 8
    assert document["verdicts"]["fail"] == 0
    assert {path.name for path in out.glob("*/results/*.json")} >= kept
    assert {entry["cpus"] for entry in document["capacity"]} <= {"1c"}


@pytest.mark.long
def test_reproduce_the_paper(out: Path, real_build: str) -> None:
    words = ("reproduce", "effnet-2007", "--quick", "--cpus", "1c", "--build", real_build, "--json")
    done = start(*words, out=out)
    document = json.loads(done.stdout)
    assert set(document) == {"paper", "report", "items"}
    assert document["paper"] == "effnet-2007"
    fields = {"where", "quantity", "unit", "paper", "measured", "ratio", "kind", "verdict", "model", "bound"}
    assert all(set(item) == fields for item in document["items"])
    assert {item["kind"] for item in document["items"]} == {"must-match", "shape", "context"}
    must = [item for item in document["items"] if item["kind"] == "must-match"]
    assert len(must) == 24
    assert [item for item in must if item["verdict"] != "pass"] == []
    assert not any(item["verdict"] == "pass" for item in document["items"] if item["kind"] == "context")
    by_name = {item["quantity"]: item for item in document["items"]}
    assert by_name["Octets sent"]["measured"] == 112
    assert by_name["IP6/UDP/RTP: smallest compressed header"]["measured"] == 3
    absent = by_name["2 cores, same processor, 30 %"]
    assert (absent["measured"], absent["verdict"]) == (None, "unsupported")


def test_render_and_replay_by_hand(out: Path, tmp_path: Path, real_build: str) -> None:
    capture = tmp_path / "call.pcap"
    done = call("render", "voip-g711-ipv4", "-o", str(capture), "--packets", "100", "--build", real_build, out=out)
    assert done.returncode == 0, done.stderr
    assert capture.stat().st_size > 100 * 200
    done = call("replay", str(capture), "--mode", "O", "--build", real_build, "--json", out=out)
    assert json.loads(done.stdout)["forward"]["verdicts"]["identical"] == 100
    words = ("mode=O", "drop=50-59", "compressor_options=repeats=2")
    done = call("replay", str(capture), *words, "--build", real_build, "--json", out=out)
    found = json.loads(done.stdout)["forward"]
    assert (found["verdicts"]["lost_on_link"], found["verdicts"]["identical"]) == (10, 90)


CALL = ("replay", "voip-amr-nb-ipv6", "--packets", "50")


@pytest.mark.parametrize(
    ("words", "status", "sentence"),
    [
        ((*CALL, "--cids", "medium"), 2, 'must be one of "small", "large"'),
        ((*CALL, "--max-cid", "100"), 2, "from 0 to 15"),
        ((*CALL, "delay=-5"), 2, "(at link.forward.delay_ns)"),
        ((*CALL, "--flows", "999999999999"), 2, "--flows must be a number of flows from 1 to"),
        (("replay", "NOISE"), 2, "is no capture that can be read"),
        ((*CALL, "--link", "/dev/full"), 3, "cannot be written"),
        (("render", "voip-amr-nb-ipv6", "-o", "/dev/full"), 3, "cannot be written"),
        ((*CALL, "--decompressor", "null"), 1, "50 packets came out different from what went in: packet 1 came out"),
        ((*CALL, "--decompressor", "none"), 0, ""),
        ((*CALL, "mode=O", "delay=5"), 0, ""),
        ((*CALL, "drop=0-9"), 1, "No packet came out: none of the 40 packets"),
        ((*CALL, "--flows", "20"), 0, "all 16 CIDs are taken"),
        ((*CALL, "--flows", "20", "channels=2"), 0, ""),
        ((*CALL, "--flows", "20", "--cids", "large", "--max-cid", "16383"), 0, ""),
    ],
)
def test_exit_status_of_a_replay(
    out: Path, tmp_path: Path, real_build: str, words: tuple[str, ...], status: int, sentence: str
) -> None:
    noise = tmp_path / "noise.pcap"
    noise.write_bytes(bytes(range(200)))
    words = tuple(word.replace("NOISE", str(noise)) for word in words)
    done = call(*words, "--build", real_build, out=out)
    assert done.returncode == status, done.stderr
    assert sentence in done.stderr
    assert ("CIDs" in done.stderr) == ("CIDs" in sentence)
    assert "Traceback" not in done.stderr


FORWARD = {"verdicts": {"identical": 0, "not_delivered": 0, "mismatched": 0}, "source": {"packets": 200}}


@pytest.mark.parametrize(
    ("asked", "changed", "sentences"),
    [
        ({}, {}, []),
        (
            {},
            {
                "promise_broken": {
                    "side": "compressor",
                    "direction": "forward",
                    "function": "compress",
                    "packet": 3,
                    "message": "it lies.",
                }
            },
            ["A promise was broken: the compressor broke a promise of the ABI in compress (packet 4): it lies."],
        ),
        (
            {},
            {"not_delivered": 200},
            ["200 of 200 packets did not come out, though the link does nothing to them (200 ERR_CRC)."],
        ),
        ({"forward": {"loss": 0.1}}, {"not_delivered": 200}, []),
        ({"forward": {"loss": 0.0, "delay_ns": 5}}, {"not_delivered": 200}, ["200 of 200"]),
        ({"compressor": None}, {"not_delivered": 200}, []),
    ],
)
def test_what_is_wrong_with_a_replay(asked: dict[str, Any], changed: dict[str, Any], sentences: list[str]) -> None:
    from headroom.core.replay import Replay

    count = changed.get("not_delivered", 0)
    verdicts = {**FORWARD["verdicts"], "not_delivered": count, "not_delivered_by_status": {"ERR_CRC": count}}
    document = {"promise_broken": changed.get("promise_broken"), "forward": {**FORWARD, "verdicts": verdicts}}
    found = Replay(replay_of(source="voip-amr-nb-ipv6", **asked), document).failures()
    assert len(found) == len(sentences)
    assert all(text in one for text, one in zip(sentences, found, strict=True))


def test_a_broken_promise_is_status_1(out: Path, tmp_path: Path, real_build: str) -> None:
    from headroom.core.machine.build import build_folder

    folder = tmp_path / "faulty"
    folder.mkdir()
    library = build_folder(real_build) / "lib" / "faulty" / "faulty_claims_too_many_octets.so"
    (folder / "implementation.yaml").write_text(
        f"name: faulty\nvendor: Me\nlicence: MIT\nobtain: Ask me.\nadapter: {{library: {library}}}\n"
        "capabilities:\n  - scheme: rohc\n    roles: [compressor, decompressor]\n"
    )
    words = ("--compressor", str(folder), "--decompressor", str(folder), "--build", real_build)
    done = start(*CALL, *words, out=out)
    assert done.returncode == 1, done.stderr
    assert "A promise was broken: the compressor broke a promise of the ABI in compress" in done.stderr
    assert start(*CALL, *words, "--json", out=out).returncode == 1


def test_a_capture_that_is_cut_short_says_how_to_keep_the_rest(out: Path, tmp_path: Path, real_build: str) -> None:
    capture = tmp_path / "call.pcap"
    call("render", "voip-g711-ipv4", "-o", str(capture), "--packets", "10", "--build", real_build, out=out)
    capture.write_bytes(capture.read_bytes()[:-7])
    done = call("replay", str(capture), "--build", real_build, out=out)
    assert done.returncode == 2
    assert "packet 10 is cut short" in done.stderr
    assert f"The 9 packets before it are whole: keep them with `editcap {capture} whole.pcapng`" in done.stderr


def test_only_a_run_speaks_of_resuming(out: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "resources")}
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, "-P", "-m", "headroom", "list", "suites"],
            stdout=full, stderr=subprocess.PIPE, text=True, env=environment,
        )  # fmt: skip
    assert done.returncode == 3
    assert "The disk is full" in done.stderr
    assert "--resume" not in done.stderr
    assert "--resume" in str(disk_error(OSError(errno.ENOSPC, ""), "writing a result"))


def test_a_run_continues_in_its_own_folder() -> None:
    locked = OSError(errno.EROFS, os.strerror(errno.EROFS), "out/mine")
    assert str(disk_error(locked, "writing a result")).endswith("Make the folder writable and continue by --resume.")
    assert "HEADROOM_OUT" in str(disk_error(locked, "writing a page", resumable=False))


def test_whoever_stops_reading_is_no_error() -> None:
    command = f"{sys.executable} -P -m headroom list suites --cases | head -1"
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "resources")}
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, env=environment)
    assert "Traceback" not in done.stderr


@pytest.mark.long
def test_plain_robot_works(tmp_path: Path, real_build: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "robot", "--outputdir", tmp_path, "--variable", f"BUILD:{real_build}", "suites/smoke"],
        cwd=ROOT, capture_output=True, text=True, env={**os.environ, "PYTHONPATH": str(ROOT / "resources")},
    )  # fmt: skip
    assert done.returncode == 0, done.stdout
    assert "0 failed" in done.stdout


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["loss=0.1", "--loss", "0.2"], "loss is given twice"),
        (["loss=0.1", "loss=0.2"], "loss is given twice"),
        (["--compressor", "example"], "example and reference declare no common scheme with replays"),
        (["--scheme", "vj", "--tcp-space", "3"], "--tcp-space is an option of IPHC and TAROC; VJ has no such option"),
        (["--scheme", "vj", "--mode", "O"], "--mode is an option of ROHC; VJ has no such option"),
        (["--max-slot-id", "3"], "--max-slot-id is an option of VJ; ROHC has no such option"),
        (["--packets", "0"], "--packets must be a number of packets from 1 to 20,000,000, not 0"),
        (["--scheme", "ule", "feedback=own"], "ULE has no feedback: leave out feedback."),
        (["--scheme", "vj", "feedback_loss=0.1", "feedback_delay=4"], "leave out feedback_loss, feedback_delay."),
    ],
)
def test_a_replay_that_contradicts_itself_is_refused(out: Path, words: list[str], sentence: str) -> None:
    done = call("replay", "voip-amr-nb-ipv6", *words, "--dry-run", out=out)
    assert done.returncode == 2
    assert sentence in done.stderr.replace("\n", " ")


@pytest.mark.engine
def test_options_that_an_adapter_refuses_are_named(out: Path, real_build: str) -> None:
    words = ("--scheme", "ule", "compressor_options=foo=1", "--build", real_build)
    done = call("replay", "voip-amr-nb-ipv6", *words, out=out)
    assert done.returncode == 2
    assert 'reference refuses compressor_options=foo=1: unknown key "foo"' in done.stderr.replace("\n", " ")


def test_a_replay_of_which_nothing_comes_out_is_no_success(out: Path, tmp_path: Path, real_build: str) -> None:
    words = ("replay", "voip-amr-nb-ipv6", "--packets", "20", "--build", real_build)
    done = call(*words, "drop=0", "profiles=0x0001", "--decompressor", "null", out=out)
    assert done.returncode == 1, done.stdout + done.stderr
    done = call(*words, "drop=0-9", out=out)
    assert done.returncode == 1, done.stdout + done.stderr
    assert "No packet came out: none of the 10 packets" in done.stderr
    done = call(*words, "drop=0", out=out)
    assert done.returncode == 0, "some are lost, the rest comes out"
