# SPDX-License-Identifier: Apache-2.0
"""The launcher, in a small tree of its own: an empty lock file and a package that says how it was called."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import headroom
from headroom.core import version
from headroom.core.paths import ROOT

HELP = ROOT / "resources" / "headroom" / "cli" / "help.txt"
REMAKE = "COLUMNS=100 ./headroom --help | sed 's/ *$//' > resources/headroom/cli/help.txt"

pytestmark = pytest.mark.launcher

PACKAGE = """
import json, os, sys
print(json.dumps({"arguments": sys.argv[1:], "path": sys.path, "cwd": os.getcwd()}))
sys.exit(int(os.environ.get("STATUS", "0")))
"""


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    root = tmp_path / "a tree with spaces"
    package = root / "resources" / "headroom"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("")
    (package / "__main__.py").write_text(PACKAGE)
    (root / "requirements.lock").write_text("# nothing\n")
    shutil.copy(ROOT / "headroom", root / "headroom")
    return root


def launch(root: Path, *words: str, path: str | None = None, **more: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, **more}
    if path is not None:
        environment["PATH"] = path
    return subprocess.run(
        [str(root / "headroom"), *words], capture_output=True, text=True, env=environment, timeout=120
    )


def tools(folder: Path, *without: str) -> str:
    """A PATH with the programs that the launcher itself uses, and python3, but for some."""
    folder.mkdir()
    names = {
        "bash",
        "env",
        "readlink",
        "dirname",
        "flock",
        "mktemp",
        "mv",
        "rm",
        "tail",
        "head",
        "grep",
        "sed",
        "python3",
        "setpriv",
    }
    for name in names - set(without):
        (folder / name).symlink_to("/usr/bin/python3" if name == "python3" else shutil.which(name) or "/bin/false")
    return str(folder)


def test_sets_up_once_and_hands_over(tree: Path, tmp_path: Path) -> None:
    first = launch(tree, "list", "a b", "--json", STATUS="7")
    assert first.returncode == 7, "the status of what it handed over to"
    assert '"arguments": ["list", "a b", "--json"]' in first.stdout
    assert first.stdout.count("\n") == 1, "nothing else on stdout"
    assert first.stderr == "headroom: making .venv with the Python packages of requirements.lock (once)\n"
    second = launch(tree, "list")
    assert (second.returncode, second.stderr) == (0, "")


def command_line(*words: str) -> subprocess.CompletedProcess[str]:
    """Returns what the command line answers, plain, 100 columns wide, without white space at the ends of lines."""
    plain = {
        "COLUMNS": "100",
        "NO_COLOR": "1",
        "TERM": "dumb",
        "PYTHONUTF8": "1",
        "PYTHONPATH": str(ROOT / "resources"),
    }
    environment = {name: value for name, value in os.environ.items() if name in ("PATH", "HOME", "LANG")} | plain
    words = (sys.executable, "-m", "headroom", *words)
    done = subprocess.run(words, capture_output=True, encoding="utf-8", env=environment, timeout=120)
    done.stdout = "".join(f"{line.rstrip()}\n" for line in done.stdout.rstrip().splitlines())
    return done


def test_the_help_without_python_packages_is_that_of_the_command_line() -> None:
    assert HELP.read_text(encoding="utf-8").rstrip() == command_line("--help").stdout.rstrip(), (
        f"make it again: {REMAKE}"
    )


@pytest.mark.parametrize("words", [(), ("-h",), ("--help",), ("--help", "run"), ("--version",)])
def test_help_and_version_need_no_environment(tree: Path, tmp_path: Path, words: tuple[str, ...]) -> None:
    """No Python is there at all, and nothing is made; status and text are those of the command line."""
    for path in (HELP, ROOT / "resources" / "headroom" / "__init__.py"):
        copy = tree / path.relative_to(ROOT)
        copy.parent.mkdir(exist_ok=True)
        shutil.copy(path, copy)
    before = sorted(tree.rglob("*"))
    done = launch(tree, *words, path=tools(tmp_path / "bin", "python3"), LC_ALL="C.UTF-8")
    expected = command_line(*words)
    text = re.sub(r"^(headroom [\d.]+)\+.*", r"\1", expected.stdout)  # no repository is here
    assert (done.returncode, done.stdout, done.stderr) == (expected.returncode, text, "")
    assert sorted(tree.rglob("*")) == before


def test_the_version_names_the_commit_but_for_a_release(
    tree: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The launcher and the command line say the same."""
    monkeypatch.setattr(version, "ROOT", tree)
    monkeypatch.setattr(version, "STAMP", tree / "commit")
    for name in ("GIT_AUTHOR", "GIT_COMMITTER"):
        monkeypatch.setenv(f"{name}_NAME", "A")
        monkeypatch.setenv(f"{name}_EMAIL", "a@example.com")
    shutil.copy(ROOT / "resources" / "headroom" / "__init__.py", tree / "resources" / "headroom")
    number = headroom.__version__

    def git(*words: str) -> str:
        return subprocess.run(["git", *words], cwd=tree, check=True, capture_output=True, text=True).stdout.strip()

    def said() -> str:
        done = launch(tree, "--version")
        assert (done.returncode, done.stderr) == (0, "")
        assert done.stdout == f"headroom {version.with_commit()}\n"
        return done.stdout.split()[1]

    assert said() == number, "no repository"
    git("init", "--quiet")
    git("add", "--all")
    git("commit", "--quiet", "--message", "one")
    assert said() == f"{number}+{git('rev-parse', '--short=8', 'HEAD')}"
    git("tag", f"v{number}")
    assert said() == number
    with (tree / "headroom").open("a") as launcher:
        launcher.write("# changed\n")
    assert said() == f"{number}+changed"
    git("commit", "--quiet", "--all", "--message", "two")
    assert said() == f"{number}+{git('rev-parse', '--short=8', 'HEAD')}"
    (tree / "commit").write_text(f"{'0123456789' * 4}.changed\n")
    assert said() == f"{number}+01234567.changed"


def test_the_version_stands_in_one_place() -> None:
    assert re.fullmatch(r"\d+\.\d+\.\d+", headroom.__version__)
    for path in ("CMakeLists.txt", "pyproject.toml", "headroom"):
        assert headroom.__version__ not in (ROOT / path).read_text(encoding="utf-8")
    headings = re.findall(r"^## (.*)", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert headings[0] == f"Unreleased ({headroom.__version__})" or headings[0].startswith(f"{headroom.__version__} – ")


def test_the_help_of_a_command_says_that_it_needs_the_environment(tree: Path) -> None:
    first, second = launch(tree, "run", "--help"), launch(tree, "run", "--help")
    assert first.stderr.splitlines() == [
        "headroom: the help of a command needs the Python packages; ./headroom --help needs none",
        "headroom: making .venv with the Python packages of requirements.lock (once)",
    ]
    assert (second.returncode, second.stderr) == (0, "")
    assert '"arguments": ["--help"]' in launch(tree, "--help").stdout, "with an environment, the command line answers"


def test_any_locale_under_any_path(tree: Path) -> None:
    """The package is found under a path that no ASCII has, by plain programs of .venv/, too."""
    root = tree.rename(tree.with_name("Prüfstand mit Ümläuten"))
    for locale in ("C", "POSIX", "C.UTF-8"):
        done = launch(root, "list", "Prüfung", LC_ALL=locale)
        assert done.returncode == 0, done.stderr
        assert json.loads(done.stdout)["arguments"] == ["list", "Prüfung"]
        said = subprocess.run(
            [root / ".venv" / "bin" / "python", "-c", "import headroom; print(ascii(headroom.__file__))"],
            capture_output=True,
            text=True,
            env={**{name: value for name, value in os.environ.items() if name != "PYTHONPATH"}, "LC_ALL": locale},
        )
        assert said.returncode == 0, said.stderr
        assert said.stdout.strip() == ascii(str(root / "resources" / "headroom" / "__init__.py"))


@pytest.mark.long
def test_the_site_has_packages_of_its_own(tree: Path) -> None:
    """They are added when the site is first asked for, and again when their lock changes; other commands go without."""
    lock = tree / "resources" / "headroom" / "site" / "requirements.lock"
    lock.parent.mkdir()
    lock.write_text("# nothing\n")
    added = "headroom: adding the Python packages of the documentation site to .venv (once)\n"
    assert added not in launch(tree, "list").stderr
    assert [launch(tree, "site").stderr for _ in range(2)] == [added, ""]
    lock.write_text("nowhere-to-be-found==1 --hash=sha256:00\n")
    done = launch(tree, "site", PIP_NO_INDEX="1")
    assert done.returncode == 0 and "they cannot be installed here (ERROR" in done.stderr


@pytest.mark.long
def test_two_at_once(tree: Path) -> None:
    both = [
        subprocess.Popen([str(tree / "headroom"), "list"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    said = [process.communicate(timeout=120) for process in both]
    assert [process.returncode for process in both] == [0, 0]
    assert sum("making .venv" in errors for _, errors in said) == 1, "one sets up, the other waits"


@pytest.mark.long
def test_a_tree_that_moved_is_set_up_again(tree: Path, tmp_path: Path) -> None:
    launch(tree, "list")
    moved = tmp_path / "moved"
    tree.rename(moved)
    done = launch(moved, "list")
    assert done.returncode == 0
    assert "making .venv" in done.stderr
    assert str(moved / "resources") in done.stdout


@pytest.mark.long
def test_a_changed_lock_is_set_up_again(tree: Path) -> None:
    launch(tree, "list")
    (tree / "requirements.lock").write_text("# changed\n")
    assert "making .venv" in launch(tree, "list").stderr


@pytest.mark.long
def test_packages_are_not_taken_from_a_command_that_goes_on(tree: Path) -> None:
    launch(tree, "list")
    (tree / "resources/headroom/__main__.py").write_text("import time\nprint('on', flush=True)\ntime.sleep(60)\n")
    going = subprocess.Popen([str(tree / "headroom"), "list"], stdout=subprocess.PIPE, text=True)
    try:
        assert going.stdout is not None and going.stdout.readline() == "on\n"
        (tree / "requirements.lock").write_text("# changed\n")
        done = launch(tree, "list")
        assert done.returncode == 3
        assert "another command works with" in done.stderr
        assert (tree / ".venv/bin/python").exists()
    finally:
        going.kill()
        going.wait()
    (tree / "resources/headroom/__main__.py").write_text(PACKAGE)
    assert "making .venv" in launch(tree, "list").stderr


@pytest.mark.long
def test_an_installation_that_was_cut_short_is_repeated(tree: Path) -> None:
    launch(tree, "list")
    (tree / ".venv" / "headroom.stamp").unlink()
    assert "making .venv" in launch(tree, "list").stderr


def test_a_package_that_cannot_be_installed_is_status_3(tree: Path) -> None:
    (tree / "requirements.lock").write_text(f"nothing-of-the-kind==1.0 --hash=sha256:{'0' * 64}\n")
    done = launch(tree, "list", PIP_NO_INDEX="1", PIP_FIND_LINKS="")
    assert done.returncode == 3
    assert done.stdout == ""
    assert "Python packages could not be installed" in done.stderr
    assert "Is there a network?" in done.stderr


def test_a_venv_that_is_a_link_is_not_emptied(tree: Path, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "kept").touch()
    (tree / ".venv").symlink_to(tmp_path / "other")
    done = launch(tree, "list")
    assert done.returncode == 3 and "is a link" in done.stderr
    assert (tmp_path / "other" / "kept").exists()


@pytest.mark.parametrize("command", ["run", "judge", "check"])
def test_missing_system_packages_without_a_way_to_install_are_status_3(
    tree: Path, tmp_path: Path, command: str
) -> None:
    done = launch(tree, command, path=tools(tmp_path / "bin"))
    assert done.returncode == 3
    assert done.stdout == ""
    assert "g++" in done.stderr
    assert "cmake" in done.stderr
    assert "Install them as root" in done.stderr
    assert "clang" not in done.stderr, "only what the command needs"
    assert "chromium" not in done.stderr


def test_commands_that_need_no_compiler_ask_for_none(tree: Path, tmp_path: Path) -> None:
    path = tools(tmp_path / "bin")
    commands = (["list"], ["doctor"], ["report"], ["--help"], ["run", "--help"], ["run", "--dry-run"])
    reading = (["show"], ["--history", "x", "accept", "last"], ["reopen", "last"], ["event", "bisect"], ["--dry-run"])
    reading = tuple(["nightly", *words] for words in reading)
    for words in (*commands, *reading):
        done = launch(tree, *words, path=path)
        assert done.returncode == 0, done.stderr


def test_nights_and_bisections_build(tree: Path, tmp_path: Path) -> None:
    path = tools(tmp_path / "bin")
    for words in ([], ["--quick"], ["bisect", "last"]):
        done = launch(tree, "nightly", *words, path=path)
        assert done.returncode == 3
        assert "cmake" in done.stderr


def test_only_what_a_build_needs(tree: Path, tmp_path: Path) -> None:
    done = launch(tree, "reproduce", "effnet-2007", "--builds", "all", path=tools(tmp_path / "bin"))
    assert "clang" in done.stderr
    assert "chromium" not in done.stderr


def test_a_python_without_venv_is_passed_over(tree: Path, tmp_path: Path) -> None:
    path = tools(tmp_path / "bin", "python3")
    broken = tmp_path / "bin" / "python3"
    broken.write_text("#!/bin/bash\nexit 1\n")
    broken.chmod(0o755)
    done = launch(tree, "list", path=path)
    if subprocess.run(["/usr/bin/python3", "-c", "import ensurepip"], capture_output=True).returncode == 0:
        assert done.returncode == 0, done.stderr
    else:
        assert done.returncode == 3
        assert "python3-venv" in done.stderr


@pytest.mark.parametrize(
    ("end", "sentence"),
    [
        ("kill -9 $$", "could not be made: it was ended by SIGKILL and said nothing"),
        ("exit 5", "could not be made: it ended with status 5 and said nothing"),
        ("echo no space; exit 1", "could not be made: no space"),
    ],
)
def test_a_python_that_makes_no_venv(tree: Path, tmp_path: Path, end: str, sentence: str) -> None:
    path = tools(tmp_path / "bin", "python3")
    broken = tmp_path / "bin" / "python3"
    broken.write_text(f"#!/bin/bash\n[[ $1 == -c ]] && exit 0\n{end}\n")
    broken.chmod(0o755)
    done = launch(tree, "list", path=path)
    assert done.returncode == 3
    assert sentence in done.stderr


def test_called_from_elsewhere_and_through_a_link(tree: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    (elsewhere / "headroom").mkdir(parents=True)
    (elsewhere / "headroom" / "__main__.py").write_text("print('the wrong package')")
    link = tmp_path / "link"
    link.symlink_to(tree / "headroom")
    done = subprocess.run([str(link), "list"], capture_output=True, text=True, cwd=elsewhere, timeout=120)
    assert '"arguments": ["list"]' in done.stdout
    assert f'"cwd": "{elsewhere}"' in done.stdout


def test_continuous_integration_runs_the_tests() -> None:
    text = (ROOT / ".ci" / "run").read_text()
    assert text.rstrip().endswith("exec ./headroom test --all")
    assert os.access(ROOT / ".ci" / "run", os.X_OK)


def test_the_lock_pins_everything_and_names_no_host() -> None:
    lock = (ROOT / "requirements.lock").read_text()
    packages = [line for line in lock.splitlines() if line and line[0].isalnum()]
    assert len(packages) > 20
    assert all("==" in line for line in packages)
    assert lock.count("--hash=sha256:") >= len(packages)
    assert "http" not in lock
    assert "index-url" not in lock


def test_a_shell_that_may_open_few_files(tree: Path) -> None:
    assert launch(tree, "list").returncode == 0
    limited = ["bash", "-c", 'ulimit -n 10 && exec "$0" list', str(tree / "headroom")]
    done = subprocess.run(limited, capture_output=True, text=True, timeout=120)
    assert done.returncode == 3 and "ulimit -n" in done.stderr and "unbound" not in done.stderr
