# SPDX-License-Identifier: Apache-2.0
"""Locks on files and folders (flock), which end with the process that holds them."""

from __future__ import annotations

import errno
import fcntl
import sys

# What flock says of a file system that has no locks, or whose lock service does not answer, as on networks.
_NO_LOCKS = (errno.ENOLCK, errno.EOPNOTSUPP, errno.ENOSYS, errno.EINVAL)
_warned = False


def take(descriptor: int, shared: bool = False, wait: bool = True) -> bool:
    """Locks an open file or folder. Returns False if another process has the lock and `wait` is false.

    Where the file system has no locks, nothing keeps other processes away: a warning says so once, and True comes back.
    Raises OSError.
    """
    global _warned
    operation = fcntl.LOCK_SH if shared else fcntl.LOCK_EX
    try:
        fcntl.flock(descriptor, operation if wait else operation | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError as error:
        if error.errno not in _NO_LOCKS:
            raise
        if not _warned:
            sentence = f"this file system has no locks ({error.strerror}): run no other command at the same time."
            print(f"warning: {sentence}", file=sys.stderr, flush=True)
        _warned = True
    return True
