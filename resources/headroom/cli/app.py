# SPDX-License-Identifier: Apache-2.0
"""The application: its commands, and the exit status of each error."""

import errno
import os
import sys
from importlib import import_module
from pathlib import Path
from typing import Annotated

import typer

from headroom.cli.streams import outlast_readers
from headroom.core import process_group, sandbox
from headroom.core.console import say
from headroom.core.errors import EXIT_ENVIRONMENT, EXIT_INTERRUPTED, HeadroomError, disk_error, exhaustion
from headroom.core.paths import IMPLEMENTATIONS_PATH

COMMANDS = (
    *("run", "judge", "check", "new_adapter", "nightly", "campaign", "compare", "test", "report", "verify"),
    *("reproduce", "interop", "listing", "doctor", "replay", "decode", "reference", "site", "completion"),
)

app = typer.Typer(
    name="./headroom",
    help="A conformance and benchmarking harness for header and signalling compression.\n\nExit status: 0 all "
    "passed, 1 something failed, 2 wrong usage, 3 the environment lacks something, 130 after Ctrl-C.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _print_version(given: bool) -> None:
    if given:
        from headroom.core.version import with_commit

        print(f"headroom {with_commit()}")
        raise typer.Exit


Version = Annotated[
    bool, typer.Option("--version", is_eager=True, help="Print the version and exit.", callback=_print_version)
]


def _add_to_path(folders: list[Path] | None) -> None:
    """Adds folders to the implementations' path, for this process and those that it starts."""
    if folders:
        known = os.environ.get(IMPLEMENTATIONS_PATH)
        os.environ[IMPLEMENTATIONS_PATH] = ":".join([*map(str, folders), *([known] if known else [])])


ImplementationsPath = Annotated[
    list[Path] | None,
    typer.Option(
        "--implementations-path",
        metavar="FOLDER",
        help="A folder whose subfolders are implementations, besides implementations/ (repeatable); also "
        "$HEADROOM_IMPLEMENTATIONS_PATH, separated by colons.",
        callback=_add_to_path,
    ),
]


def _turn_sandbox_off(given: bool) -> None:
    """Turns the sandbox off for this process and those that it starts."""
    if given:
        os.environ[sandbox.OFF] = "1"


NoSandbox = Annotated[
    bool,
    typer.Option(
        "--no-sandbox",
        help="Run other people's code without a sandbox; the report says so. May also stand after the command.",
        callback=_turn_sandbox_off,
    ),
]


@app.callback()
def _options(version: Version = False, path: ImplementationsPath = None, no_sandbox: NoSandbox = False) -> None:
    pass


def _add_commands() -> None:
    from headroom.core.scheme_registry import all_schemes

    for name in COMMANDS:
        import_module(f"headroom.cli.{name}").add_to(app)
    for scheme in all_schemes().values():
        if scheme.commands:
            scheme.commands(app)


def _words(arguments: list[str]) -> list[str]:
    """The command line, with --no-sandbox moved to the front if it is an option of all commands."""
    end = arguments.index("--") if "--" in arguments else len(arguments)
    first = ["--no-sandbox"] if "--no-sandbox" in arguments[:end] else []
    return [*first, *(word for word in arguments[:end] if word != "--no-sandbox"), *arguments[end:]]


def _loop_of_links(error: BaseException) -> OSError | None:
    """The operating system's error if a path is a loop of links, which pathlib turns into a RuntimeError."""
    cause = error.__context__
    return cause if isinstance(cause, OSError) and cause.errno == errno.ELOOP else None


def main() -> None:
    """Runs the command line and ends the process with its exit status."""
    outlast_readers()
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # a process that may start no thread is interrupted instead
    try:
        _add_commands()
        with process_group.tidy_when_terminated():
            app(_words(sys.argv[1:]), prog_name="./headroom")
    except HeadroomError as error:
        say(f"headroom: {error}")
        sys.exit(error.exit_code)
    except KeyboardInterrupt:
        say("headroom: interrupted.")
        sys.exit(EXIT_INTERRUPTED)
    except MemoryError:
        lack = OSError(errno.ENOMEM, os.strerror(errno.ENOMEM))
        say(f"headroom: {disk_error(lack, 'allocating memory', resumable=False)}")
        sys.exit(EXIT_ENVIRONMENT)
    except (OSError, RuntimeError) as error:
        if (lacking := error if isinstance(error, OSError) else _loop_of_links(error) or exhaustion(error)) is None:
            raise
        say(f"headroom: {disk_error(lacking, 'a file operation', resumable=False)}")
        sys.exit(EXIT_ENVIRONMENT)
