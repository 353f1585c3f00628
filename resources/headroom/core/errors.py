# SPDX-License-Identifier: Apache-2.0
"""Errors that a user sees: one sentence that says what happened and what to do, and the exit code that goes with it."""

import signal

EXIT_PASSED = 0
EXIT_FAILED = 1
EXIT_USAGE = 2
EXIT_ENVIRONMENT = 3
EXIT_INTERRUPTED = 128 + signal.SIGINT  # what a shell reports of a program that Ctrl-C ended


class HeadroomError(Exception):
    """Something failed. The message is a sentence for the user; `exit_code` is what the command ends with."""

    exit_code = EXIT_FAILED
    ROBOT_SUPPRESS_NAME = True


class UsageError(HeadroomError):
    """The request makes no sense: an unknown name, a wrong file, an impossible value."""

    exit_code = EXIT_USAGE


class EnvironmentLacks(HeadroomError):
    """The machine cannot do it: a program is missing, the disk is full, a build fails."""

    exit_code = EXIT_ENVIRONMENT


def disk_error(error: OSError, doing: str, resumable: bool = True, again: str = "try again") -> EnvironmentLacks:
    """The sentence for a file that could not be written, from the error of the operating system.

    `resumable` where what failed belongs to a run, which keeps its results and goes on with --resume; `again` is what
    to do elsewhere, once there is space.
    """
    import errno

    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        on = "Every finished result is kept; free some space and go on with --resume." if resumable else ""
        return EnvironmentLacks(f"The disk is full: {doing} failed. {on or f'Free some space and {again}.'}")
    where = f" ({error.filename})" if error.filename else ""
    return EnvironmentLacks(f"{doing[:1].upper()}{doing[1:]} failed: {error.strerror or error}{where}.")
