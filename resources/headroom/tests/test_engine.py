# SPDX-License-Identifier: Apache-2.0
"""Whatever happens to an engine becomes a sentence and a kind, and no engine outlives its caller."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from headroom.core import engine, engine_result, process_group, sandbox
from headroom.core.errors import EXIT_FAILED, EnvironmentLacks
from headroom.core.paths import build_folder
from headroom.core.sandbox import Walls
from headroom.core.text import shortened
from headroom.schemes.rohc.conformance import faulty_adapters

pytestmark = pytest.mark.slow


def test_a_job_goes_in_and_a_document_comes_out(fake_build: str) -> None:
    document = engine.run("replay", {"seed": 7, "text": "ä" * 300_000}, build=fake_build)
    assert document["command"] == "replay"
    assert document["job"]["seed"] == 7
    assert len(document["job"]["text"]) == 300_000
    assert "seal" not in document


def test_nothing_runs_in_a_dry_run(fake_build: str) -> None:
    with engine.dry_run() as asked:
        with pytest.raises(engine.NothingRuns):
            engine.run("replay", {}, build=fake_build)
        with pytest.raises(engine.EngineFailure) as caught:
            engine.run("describe", {}, build=fake_build)
        assert caught.value.kind == "dry-run"
        assert asked == ["replay", "describe"]
    assert engine.run("replay", {}, build=fake_build)["command"] == "replay"


@pytest.mark.parametrize(
    ("fake", "kind", "sentence"),
    [
        ("crash", "crash", "died from SIGSEGV while it ran the adapter. Its last words: the adapter's last words"),
        ("sanitizer", "crash", "SIGABRT.*SUMMARY: AddressSanitizer: heap-use-after-free"),
        ("garbage", "garbage", "not one JSON document.*adapter was here"),
        ("list", "garbage", "not an object"),
        ("not-utf8", "garbage", "not one JSON document"),
        ("nothing", "garbage", r"headroom-engine replay ended with exit status 0 and printed no result: .*\(exit\)"),
        ("refuse", "refused", r"no such library \(at library\)"),
        ("no-capture", "input", "cannot open the capture"),
        ("full-disk", "output", "cannot be written"),
        ("wrong-job", "job", r"loss must be 0\.\.1 \(at link\.forward\.loss\)"),
        ("silent-exit", "garbage", "exit status 7 and printed no result"),
        ("forged", "garbage", "no result of this job: it does not bear its seal"),
        ("forged-seal", "garbage", "no result of this job: it does not bear its seal"),
    ],
)
def test_failures_have_a_kind_and_a_sentence(fake_build: str, fake: str, kind: str, sentence: str) -> None:
    with pytest.raises(engine.EngineFailure, match=sentence) as caught:
        engine.run("replay", {"fake": fake}, timeout_s=20, build=fake_build)
    assert caught.value.kind == kind
    assert caught.value.verdict == "error"


@pytest.mark.parametrize(("fake", "where"), [("blames-with-seal", "/decompressor/config"), ("blames", "")])
def test_an_error_without_the_seal_does_not_say_which_adapter_it_is_about(
    fake_build: str, fake: str, where: str
) -> None:
    sides = {side: {"library": f"/{side}.so"} for side in ("compressor", "decompressor")}
    with pytest.raises(engine.EngineFailure, match="refuses the configuration") as caught:
        engine.run("replay", {"fake": fake, **sides}, build=fake_build)
    assert (caught.value.kind, caught.value.where) == ("refused", where)
    assert str(caught.value).startswith("An error without the seal of its job") == (not where)


@pytest.mark.parametrize("fake", ["no-capture", "full-disk", "wrong-job"])
@pytest.mark.parametrize("sides", [("compressor",), ("compressor", "decompressor")])
def test_an_error_without_the_seal_blames_neither_job_nor_files(
    fake_build: str, fake: str, sides: tuple[str, ...]
) -> None:
    """An adapter may have written it: a decompressor that ended the process had the job blamed, and the harness."""
    with pytest.raises(engine.EngineFailure) as caught:
        engine.run("replay", {"fake": fake, **{side: {"library": f"/{side}.so"} for side in sides}}, build=fake_build)
    assert (caught.value.kind, caught.value.exit_code) == ("refused", EXIT_FAILED)


def test_an_error_without_the_seal_begins_with_our_own_words(fake_build: str) -> None:
    """Robot takes a message that begins with *HTML* for markup of its log."""
    with pytest.raises(engine.EngineFailure, match="no such library") as caught:
        engine.run("replay", {"fake": "refuse", "library": "/one.so"}, build=fake_build)
    assert str(caught.value).startswith("An error without the seal of its job")


@pytest.mark.parametrize("fake", ["shut", "full"])
def test_a_file_that_an_adapter_shut_is_no_full_disk(fake_build: str, fake: str) -> None:
    """The whole row of the matrix ended without cells, and blamed the file."""
    with pytest.raises(engine.EngineFailure, match="cannot be written") as caught:
        engine.run("replay", {"fake": fake, "library": "/one.so"}, build=fake_build)
    assert (caught.value.kind, caught.value.exit_code) == ("tampered", EXIT_FAILED)


@pytest.mark.parametrize("fake", ["result-and-2", "error-and-0", "error-and-2"])
def test_the_exit_status_makes_an_error_neither_a_result_nor_one_of_the_job(fake_build: str, fake: str) -> None:
    """An adapter's destructor chose it, and had the harness blamed in the matrix, or an error read as a result."""
    with pytest.raises(engine.EngineFailure, match=r"exit status 2|no such library") as caught:
        engine.run("replay", {"fake": fake, "library": "/one.so"}, build=fake_build)
    assert (caught.value.kind, caught.value.exit_code) == ("refused", EXIT_FAILED)


@pytest.mark.parametrize("fake", ["half-characters", "half-characters-with-seal"])
def test_an_error_can_be_logged(fake_build: str, fake: str) -> None:
    """Robot's log refused half of a surrogate pair, which ended the run with all later cases."""
    with pytest.raises(engine.EngineFailure, match="such library") as caught:
        engine.run("replay", {"fake": fake, "library": "/one.so"}, build=fake_build)
    assert str(caught.value).encode()
    assert caught.value.message.encode()


def test_an_error_without_the_seal_has_no_place(fake_build: str) -> None:
    """A lone decompressor that ended the process with the refusal of a step had an unsupported case."""
    with pytest.raises(engine.EngineFailure) as caught:
        engine.run("replay", {"fake": "refuse", "library": "/one.so"}, build=fake_build)
    assert caught.value.where == ""


@pytest.mark.parametrize(
    ("mode", "words"), [(0o644, "could not be started, as while"), (0o755, "likely an adapter ended")]
)
def test_a_program_that_cannot_be_started_is_no_adapter_s_fault(fake_build: str, mode: int, words: str) -> None:
    (Path(fake_build) / "bin" / "headroom-engine").chmod(mode)
    with pytest.raises(engine.EngineFailure, match=words):
        engine.run("replay", {"fake": "silent-exit"}, timeout_s=20, build=fake_build)


def test_errors_of_the_engine_bear_the_seal(real_build: str) -> None:
    sides = {side: {"library": f"/nowhere/{side}.so", "config": {}} for side in ("compressor", "decompressor")}
    with pytest.raises(engine.EngineFailure) as caught:
        engine.run("replay", {"scheme": "rohc", "source": {"packets": []}, **sides}, build=real_build)
    assert caught.value.where.startswith("/")


@pytest.mark.parametrize(
    ("then", "is_whole"),
    [
        (":", True),
        ('printf other! > "$1"', False),
        ('printf s >> "$1"', False),
        ('truncate -s 1T "$1"', False),
        ('rm "$1"', False),
        ('rm "$1"; mkfifo "$1"', False),
    ],
)
def test_an_output_that_an_adapter_changed_is_not_read(
    fake_build: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, then: str, is_whole: bool
) -> None:
    monkeypatch.setattr(sandbox, "lacking", lambda ports=False: "it is not there")  # adapters can do most then
    monkeypatch.setattr(sandbox, "has_landlock", lambda: False)
    path = tmp_path / "link.pcapng"
    job = {"fake": "writes", "then": then, "outputs": {"link": str(path)}}
    if is_whole:
        engine.run("replay", job, timeout_s=20, build=fake_build)
        assert path.read_bytes() == b"octets"
        return
    with pytest.raises(engine.EngineFailure, match=r"link\.pcapng is not what headroom-engine replay wrote") as caught:
        engine.run("replay", job, timeout_s=20, build=fake_build)
    assert (caught.value.kind, caught.value.verdict) == ("tampered", "error")
    assert not path.exists()


def test_an_output_into_a_pipe_is_left_to_its_reader(fake_build: str, tmp_path: Path) -> None:
    os.mkfifo(path := tmp_path / "link.pcapng")
    assert engine.run("replay", {"fake": "writes", "then": ":", "outputs": {"link": str(path)}}, build=fake_build)


@pytest.mark.parametrize(
    ("where", "words"),
    [
        ("/endpoints/b/config", "the configuration of endpoint B"),
        ("/messages/0", "message 1"),
        ("/messages/3/hex", "messages.3.hex"),
        ("/source/profile/a~1b~0", "source.profile.a/b~"),
    ],
)
def test_a_place_in_the_job_is_told_in_words(where: str, words: str) -> None:
    assert engine_result.place(where) == words


@pytest.mark.parametrize(
    ("fake", "exit_code"),
    [
        ("crash", 1),
        ("nothing", 1),
        ("refuse", 1),
        ("refuse-config", 2),
        ("wrong-job", 2),
        ("no-capture", 2),
        ("full-disk", 3),
    ],
)
def test_failures_have_an_exit_code(fake_build: str, fake: str, exit_code: int) -> None:
    with pytest.raises(engine.EngineFailure) as caught:
        engine.run("replay", {"fake": fake}, timeout_s=20, build=fake_build)
    assert caught.value.exit_code == exit_code


@pytest.mark.parametrize("fake", ["crash", "nothing"])
def test_a_death_names_the_adapters_and_how_to_check_them(fake_build: str, fake: str) -> None:
    job = {"fake": fake, "compressor": {"library": "/lib/mine.so"}, "decompressor": {"library": "/lib/other.so"}}
    with pytest.raises(engine.EngineFailure) as caught:
        engine.run("replay", job, timeout_s=20, build=fake_build)
    assert """echo '{"library": "/lib/mine.so"}' | """ in str(caught.value)
    assert """headroom-engine check --job -; echo '{"library": "/lib/other.so"}' | """ in str(caught.value)
    if fake == "nothing":
        assert "with mine.so as compressor and other.so as decompressor ended" in str(caught.value)


@pytest.mark.usefixtures("no_sandbox")
@pytest.mark.parametrize(
    ("fake", "kind", "timeout_s"),
    [("forks", "left-behind", 30), ("forks-and-hangs", "timeout", 0.7), ("forks", "", 0.7)],
)
def test_what_an_adapter_starts_neither_holds_us_up_nor_survives(
    fake_build: str, tmp_path: Path, fake: str, kind: str, timeout_s: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(process_group, "GRACE_S", 0.2)
    marker = tmp_path / "pid"
    began = time.monotonic()
    with pytest.raises(engine.EngineFailure) as caught:
        engine.run("replay", {"fake": fake, "marker": str(marker)}, timeout_s=timeout_s, build=fake_build)
    assert time.monotonic() - began < 10
    assert not kind or caught.value.kind == kind
    if kind == "left-behind":
        assert "headroom-engine replay left a process behind (it was ended)" in str(caught.value)
    assert gone(int(marker.read_text()))


def test_patience_is_less_than_what_a_caller_allows(fake_build: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process_group, "GRACE_S", 0.2)
    with engine.patience(0.7), pytest.raises(engine.EngineFailure, match=r"after 0\.7 s"):
        engine.run("replay", {"fake": "hang"}, build=fake_build)


@pytest.mark.usefixtures("no_sandbox")
@pytest.mark.parametrize("fake", ["forks-silently", "forks-and-leaves"])
def test_a_process_that_keeps_nothing_open_does_not_survive_either(fake_build: str, tmp_path: Path, fake: str) -> None:
    marker = tmp_path / "pid"
    assert engine.run("replay", {"fake": fake, "marker": str(marker)}, build=fake_build) == {}
    assert gone(int(marker.read_text()))


def gone(pid: int) -> bool:
    """Whether a process has been ended; another process reaps orphans, in its own time."""
    deadline = time.monotonic() + 5
    while exists(pid) and time.monotonic() < deadline:
        time.sleep(0.02)
    return not exists(pid)


@pytest.mark.parametrize("fake", ["hang", "close-and-hang"])
def test_a_hang_is_ended(fake_build: str, fake: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process_group, "GRACE_S", 0.2)
    with pytest.raises(engine.EngineFailure, match=r"still busy after 0\.5 s") as caught:
        engine.run("replay", {"fake": fake}, timeout_s=0.5, build=fake_build)
    assert caught.value.kind == "timeout"


def test_a_flood_is_ended(fake_build: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "MAX_OUTPUT", 1 << 20)
    with pytest.raises(engine.EngineFailure, match="printed more than"):
        engine.run("replay", {"fake": "flood"}, timeout_s=30, build=fake_build)


def test_a_result_that_an_adapter_forges_is_found(real_build: str) -> None:
    """It finds the descriptor of the engine's output, writes what it would like to be said, and ends the process."""
    library = build_folder(real_build) / "lib" / "faulty" / "faulty_endpoint_forges_a_result.so"
    job = {
        "endpoints": {"a": {"library": str(library), "config": {"scheme": "sigcomp"}}},
        "messages": [{"to": "a", "compartment": 0, "hex": "f8"}],
        "compartments": [{"number": 0}],
    }
    with pytest.raises(engine.EngineFailure, match=r"it does not bear its seal\. Most likely an adapter") as caught:
        engine.run("messages", job, build=real_build)
    assert caught.value.kind == "garbage"


def test_an_output_that_is_too_large_is_no_crash(
    real_build: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if sandbox.in_force() == "none":
        pytest.skip("without a sandbox files have no limit")
    monkeypatch.setattr(shutil, "disk_usage", lambda path: SimpleNamespace(free=2 << 12))
    job = {
        "compressor": {"library": str(build_folder(real_build) / "lib" / "null.so"), "config": {"scheme": "rohc"}},
        "source": {"packets": 100 * [{"hex": "45" * 100}]},
        "outputs": {"source": str(tmp_path / "source.pcapng")},
    }
    with pytest.raises(engine.EngineFailure, match="cannot be written: File too large") as caught:
        engine.run("replay", job, build=real_build)
    assert caught.value.kind == "output"
    assert not any(tmp_path.iterdir())


def test_several_at_once_answer_in_order(fake_build: str) -> None:
    documents = engine.run_together("load", [{"core": core} for core in range(4)], build=fake_build)
    assert [document["job"]["core"] for document in documents] == [0, 1, 2, 3]
    assert len({document["began_ns"] for document in documents}) == 4


def test_no_more_run_at_once_than_asked(fake_build: str, monkeypatch: pytest.MonkeyPatch) -> None:
    start, running, most = process_group.start, [], 0

    def counted(*args: Any, **more: Any) -> Any:
        nonlocal most
        running.append(start(*args, **more))
        most = max(most, sum(not one.stdout.closed for one in running))
        return running[-1]

    monkeypatch.setattr(process_group, "start", counted)
    documents = engine.run_together("load", [{"core": core} for core in range(6)], build=fake_build, at_once=2)
    assert [document["job"]["core"] for document in documents] == list(range(6))
    assert most == 2


def test_behind_one_that_crashes_the_others_do_not_begin(fake_build: str, monkeypatch: pytest.MonkeyPatch) -> None:
    start, started = process_group.start, []
    monkeypatch.setattr(process_group, "start", lambda *args, **more: started.append(1) or start(*args, **more))
    with pytest.raises(engine.EngineFailure, match="SIGSEGV"):
        engine.run_together("load", [{"fake": "crash"}] + 20 * [{}], timeout_s=60, build=fake_build, at_once=1)
    assert len(started) < 20


def test_one_that_crashes_stops_the_others_and_is_the_reason(fake_build: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process_group, "GRACE_S", 0.2)
    with pytest.raises(engine.EngineFailure, match="SIGSEGV"):
        engine.run_together("load", [{"fake": "hang"}, {"fake": "crash"}], timeout_s=60, build=fake_build)


def test_no_engine(tmp_path: Path) -> None:
    with pytest.raises(EnvironmentLacks, match="There is no engine at"):
        engine.run("replay", {}, build=str(tmp_path / "nowhere"))


def alive(pattern: str) -> list[int]:
    """Processes of ours whose command line holds a text."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if pattern in path.read_bytes().replace(b"\0", b" ").decode(errors="replace"):
                found.append(int(path.parent.name))
        except OSError:
            continue
    return [pid for pid in found if pid != os.getpid()]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_no_engine_outlives_its_caller(fake_build: str, number: signal.Signals) -> None:
    code = textwrap.dedent(f"""
        from headroom.core import engine, process_group
        process_group.GRACE_S = 0.2
        engine.run("replay", {{"fake": "hang"}}, timeout_s=120, build={fake_build!r})
    """)
    caller = subprocess.Popen(
        [sys.executable, "-c", code], stderr=subprocess.DEVNULL, env={**os.environ, "PYTHONPATH": ":".join(sys.path)}
    )
    marker = "fake_engine.py replay --job -"
    deadline = time.monotonic() + 20
    while not (mine := [pid for pid in alive(marker) if descends(pid, caller.pid)]) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert mine, "the engine has started"
    time.sleep(0.3)  # until it ignores SIGTERM
    caller.send_signal(number)
    caller.wait(20)
    while any(exists(pid) for pid in mine) and time.monotonic() < deadline + 20:
        time.sleep(0.05)
    assert not any(exists(pid) for pid in mine)


def descends(pid: int, ancestor: int) -> bool:
    while pid > 1:
        if pid == ancestor:
            return True
        try:
            pid = int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
        except (OSError, ValueError):
            return False
    return False


def exists(pid: int) -> bool:
    try:
        return "Z" not in Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False


def test_an_adapter_that_leaks_ends_before_the_machine_does(real_build: str, monkeypatch: pytest.MonkeyPatch) -> None:
    library = build_folder(real_build) / "lib" / "faulty" / "faulty_leaks_on_feedback.so"
    assert library.is_file(), f"{library} belongs to the build"
    monkeypatch.setattr(engine, "memory_limit", lambda program, engines: 256 << 20)
    with pytest.raises(engine.EngineFailure, match=r"as compressor and .* GiB of memory that it may have") as caught:
        engine.run("replay", faulty_adapters.job(library), timeout_s=20, build=real_build)
    assert (caught.value.kind, caught.value.verdict, caught.value.exit_code) == ("memory", "error", 1)
    assert f"of the {0.25:.2f} GiB" in str(caught.value)


@pytest.mark.parametrize(
    ("code", "out", "sentence"),
    [
        (1, b'{"error": {"kind": "input", "message": "The port is gone."}}', "^The port is gone"),
        (-9, b"", "died from SIGKILL"),
        (-6, b"", "GiB of memory that it may have"),
    ],
)
def test_the_memory_of_the_process_that_started_an_engine_is_not_its_own(
    monkeypatch: pytest.MonkeyPatch, code: int, out: bytes, sentence: str
) -> None:
    process = SimpleNamespace(returncode=code)
    monkeypatch.setattr(engine_result.process_group, "stop", lambda process: None)
    monkeypatch.setattr(engine_result.process_group, "most_memory", lambda process: 10 << 30)
    ended = engine_result.EngineExit(process, Path("engine"), "link", {}, memory=4 << 30, out=bytearray(out))
    with pytest.raises(engine.EngineFailure, match=sentence):
        engine_result.document(ended)


def test_a_death_that_has_nothing_to_do_with_memory_is_a_crash(real_build: str) -> None:
    library = build_folder(real_build) / "lib" / "faulty" / "faulty_aborts_on_feedback.so"
    with pytest.raises(engine.EngineFailure, match="SIGABRT") as caught:
        engine.run("replay", faulty_adapters.job(library), timeout_s=20, build=real_build)
    assert caught.value.kind == "crash"
    assert re.search(r" It died in faulty_aborts_on_feedback\.so, (\w+, )?at offset 0x[0-9a-f]+\.", str(caught.value))


def test_engines_share_the_memory_and_sanitized_ones_have_no_limit(tmp_path: Path) -> None:
    def program(name: str, sanitizers: str) -> Path:
        (tmp_path / name / "bin").mkdir(parents=True)
        (tmp_path / name / "CMakeCache.txt").write_text(
            f"A:STRING=\nHEADROOM_SANITIZERS:STRING={sanitizers}\nB:BOOL=ON\n"
        )
        return tmp_path / name / "bin" / "headroom-engine"

    plain = program("plain", "")
    one, four, hundred = (engine.memory_limit(plain, engines) for engines in (1, 4, 10_000))
    assert one is not None and four is not None
    assert one >= 4 * four > 0 or four == process_group.LEAST_MEMORY
    assert hundred == process_group.LEAST_MEMORY
    assert engine.memory_limit(program("asan", "address,undefined"), 1) is None
    assert engine.memory_limit(tmp_path / "elsewhere" / "headroom-engine", 1) == one, "built by others: no cache file"


def test_who_was_run_is_named_and_the_suspect_is_checked_first(fake_build: str) -> None:
    sides = {"compressor": {"library": "/x/reference.so"}, "decompressor": {"library": "/x/mine.so"}}
    with pytest.raises(engine.EngineFailure) as caught:
        engine.run("replay", {"fake": "crash", **sides}, 10, fake_build)
    said = str(caught.value)
    assert "died from SIGSEGV while it ran reference.so as compressor and mine.so as decompressor." in said
    checks = said.partition("finds such things")[2]
    assert 0 < checks.index("/x/mine.so") < checks.index("/x/reference.so")
    with pytest.raises(engine.EngineFailure, match=r"mine\.so as decompressor: it was still busy"):
        engine.run("replay", {"fake": "hang", **sides}, 0.3, fake_build)


def test_adapters_of_other_roles_and_inside_other_keys_are_named(fake_build: str) -> None:
    plane = {"user_plane": {"library": "/x/mine.so", "config": {"options": {"library": "/x/its-own.so"}}}}
    with pytest.raises(engine.EngineFailure, match=r"mine\.so as user plane\. .*finds such things.*/x/mine"):
        engine.run("load", {"fake": "crash", **plane}, 10, fake_build)
    codec = {"codec": {"compressor": {"library": "/x/one.so"}, "decompressor": {"library": "/x/two.so"}}}
    with pytest.raises(engine.EngineFailure, match=r"one\.so as compressor and two\.so as decompressor"):
        engine.run("transfer", {"fake": "crash", **codec}, 10, fake_build)


def test_what_is_cut_is_cut_between_words_and_shows_it() -> None:
    assert shortened("of /a/long/path and more", 99) == "of /a/long/path and more"
    assert shortened("of /a/long/path and more", 18) == "of /a/long/path …"


def test_an_engine_whose_sandbox_could_not_be_made_is_started_again(monkeypatch: pytest.MonkeyPatch) -> None:
    starts: list[str] = []
    failures = [engine_result.EngineFailure("sandbox", "no") for _ in range(2)]

    def run_once(command: str, *_: Any) -> list[dict[str, Any]]:
        starts.append(command)
        if failures:
            raise failures.pop()
        return [{}]

    monkeypatch.setattr(engine, "_run_once", run_once)
    assert engine.run("load", {}) == {} and len(starts) == 3
    for kind, count in (("sandbox", 3), ("garbage", 1)):
        starts[:] = []
        failures[:] = [engine_result.EngineFailure(kind, kind) for _ in range(4)]  # type: ignore[arg-type]
        with pytest.raises(engine_result.EngineFailure, match=kind):
            engine.run("load", {})
        assert len(starts) == count


@pytest.mark.parametrize(
    ("walled", "out", "complaint", "kind"),
    [
        (True, b"", b"bwrap: Can't bind mount /oldroot/ on /newroot/", "sandbox"),
        (True, b"", b"error\nbwrap: Can't bind mount", "garbage"),
        (True, b"{", b"bwrap: Can't bind mount", "garbage"),
        (False, b"", b"bwrap: Can't bind mount", "garbage"),
    ],
)
def test_a_sandbox_that_could_not_be_made_is_no_fault_of_an_adapter(
    walled: bool, out: bytes, complaint: bytes, kind: str, tmp_path: Path
) -> None:
    with subprocess.Popen([sys.executable, "-c", "raise SystemExit(1)"]) as process:
        process.wait()
    process.is_walled = walled  # type: ignore[attr-defined]
    ended = engine_result.EngineExit(process, tmp_path, "load", {"": "adapter.so"})
    ended.out += out
    ended.complaint += complaint
    with pytest.raises(engine_result.EngineFailure) as caught:
        engine_result.document(ended)
    assert caught.value.kind == kind


def test_the_place_of_a_death_is_what_the_engine_says_last(tmp_path: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", ""]) as process:
        process.wait()
    ended = engine_result.EngineExit(process, tmp_path, "replay", {"decompressor": "/mine.so"})
    for library in ("reference.so", "mine.so"):  # the adapter's words, and the engine's
        ended.complaint += f"{engine_result.DIED_IN}{library}, at offset 0x1.\n".encode()
    assert engine_result.last_words(ended) == " It died in mine.so, at offset 0x1."


def test_the_words_of_bubblewrap_are_no_excuse_for_a_program_that_began(tmp_path: Path) -> None:
    """A process whose sandbox could not be made is begun again, so that a crash now and then would not be seen."""
    if reason := sandbox.lacking():
        pytest.skip(reason)
    command = ["/bin/sh", "-c", "echo 'bwrap: no' >&2; exit 1"]
    process = process_group.start(command, walls=Walls(), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stderr is not None
    ended = engine_result.EngineExit(process, tmp_path, "replay", {"decompressor": "/mine.so"})
    ended.complaint += process.stderr.read()
    while ended.code is None:
        time.sleep(0.01)
    with pytest.raises(engine_result.EngineFailure) as caught:
        engine_result.document(ended)
    process_group.stop(process)
    assert caught.value.kind == "garbage"
