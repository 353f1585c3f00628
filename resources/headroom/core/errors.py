# SPDX-License-Identifier: Apache-2.0
"""Errors for the user: one sentence that says what happened and what to do, and the exit code."""

import errno
import os
import signal
from pathlib import Path

EXIT_PASSED = 0
EXIT_FAILED = 1
EXIT_USAGE = 2
EXIT_ENVIRONMENT = 3
EXIT_INTERRUPTED = 128 + signal.SIGINT  # a shell's status of a program that Ctrl-C ended


class HeadroomError(Exception):
    """Raised if something failed. The message is a sentence for the user; `exit_code` is the command's exit status."""

    exit_code = EXIT_FAILED
    ROBOT_SUPPRESS_NAME = True


class UsageError(HeadroomError):
    """Raised if the request is wrong: an unknown name, a wrong file, an impossible value."""

    exit_code = EXIT_USAGE


class EnvironmentLacks(HeadroomError):
    """Raised if the environment lacks something: a program is missing, the disk is full, a build fails."""

    exit_code = EXIT_ENVIRONMENT


ELSEWHERE = "Name a folder that can be written (HEADROOM_OUT, or the command's own option)"
# What to do about an error of the operating system.
_REMEDIES = {
    errno.EMFILE: "Raise the number of files that a process may open (ulimit -n)",
    errno.ENFILE: "End processes that hold many files open",
    errno.EAGAIN: "End some processes, or raise how many there may be (ulimit -u)",
    errno.ENOMEM: "End processes that take much memory, or raise how much a process may have (ulimit -v)",
    errno.EFBIG: "Raise the size that a file may have (ulimit -f)",
    errno.ENOLCK: "Keep runs on a disk of this machine (HEADROOM_OUT)",
    errno.EROFS: ELSEWHERE,
    errno.ENOTDIR: ELSEWHERE,
    errno.EACCES: ELSEWHERE,
    errno.EPERM: ELSEWHERE,
}
# What to do in a run, which continues where it is.
_REMEDIES_OF_RUN = {
    **_REMEDIES,
    errno.EROFS: "Make the folder writable",
    errno.EACCES: "Make the folder writable",
    errno.EPERM: "Make the folder writable",
}
_EXHAUSTED = (errno.EMFILE, errno.ENFILE, errno.EAGAIN, errno.ENOMEM)


def disk_error(error: OSError, doing: str, resumable: bool = True, again: str = "try again") -> EnvironmentLacks:
    """The sentence for a file that could not be written, or a process that could not be started, from the operating
    system's error.

    `resumable` if it happened in a run, which keeps its results and continues by --resume; otherwise `again` says what
    to do once there is space.
    """
    then = "continue by --resume" if resumable else again
    kept_results = "Every finished result is kept. " if resumable else ""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        if _is_out_of_inodes(error.filename):
            lack, remedy = "The file system has no inodes left for more files", "Remove files that are not needed"
        else:
            lack, remedy = "The disk is full", "Free some space"
        return EnvironmentLacks(f"{lack}: {doing} failed. {kept_results}{remedy} and {then}.")
    where = f" ({error.filename})" if error.filename else ""
    sentence = f"{doing[:1].upper()}{doing[1:]} failed: {error.strerror or error}{where}."
    remedy = (_REMEDIES_OF_RUN if resumable else _REMEDIES).get(error.errno or 0, "")
    return EnvironmentLacks(f"{sentence} {kept_results}{remedy} and {then}." if remedy else sentence)


def exhaustion(error: BaseException) -> OSError | None:
    """The operating system's error if a process may have no more files, processes, threads or memory; None for any
    other error.
    """
    if isinstance(error, RuntimeError) and str(error) == "can't start new thread":  # CPython's words
        return OSError(errno.EAGAIN, os.strerror(errno.EAGAIN))
    return error if isinstance(error, OSError) and error.errno in _EXHAUSTED else None


def _is_out_of_inodes(path: object) -> bool:
    """True if the file system of a path that could not be created has space, but no inodes."""
    try:
        statistics = os.statvfs(Path(os.fsdecode(path)).parent)  # type: ignore[arg-type]
    except (OSError, TypeError):
        return False
    return bool(statistics.f_files) and statistics.f_ffree == 0
