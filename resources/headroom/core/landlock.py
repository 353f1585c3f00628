# SPDX-License-Identifier: Apache-2.0
"""The sandbox where bubblewrap does not work: a program that gives up rights by Landlock, then becomes another.

    python landlock.py '{"reads": […], "writes": […], "net": false, "rights": [], "filter": "", "oom_score_adj": 1000,
                         "limits": {"RLIMIT_CORE": 0}}' PROGRAM …

It then reads files below `reads`, writes those below `writes`, traces no process but those that it starts, and gets no
rights of other users. Where the kernel can do so, it opens no TCP connection or port, and signals no other process.
Source: landlock(7), linux/landlock.h.
"""

import ctypes
import json
import os
import resource
import struct
import sys

CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446
VERSION = 1  # flag: asks for the version
PATH_BENEATH = 1  # type of a rule
NO_NEW_PRIVS = 38  # PR_SET_NO_NEW_PRIVS
CAPABILITIES = 0x20080522  # _LINUX_CAPABILITY_VERSION_3
SECCOMP, SECCOMP_MODE_FILTER = 22, 2  # PR_SET_SECCOMP
READ = 1 << 2 | 1 << 3  # files, folders
WRITE_FILE, REMOVE_FILE, MAKE_REG = 1 << 1, 1 << 5, 1 << 8
WRITE = WRITE_FILE | sum(1 << bit for bit in range(4, 13))  # files; make and remove all kinds
# Of a folder that may be written. The harness writes there, too, and would write where a link leads.
GIVEN = READ | WRITE_FILE | REMOVE_FILE | MAKE_REG
REFER, TRUNCATE = 1 << 13, 1 << 14  # of versions 2 and 3
OF_FILES = 1 << 1 | 1 << 2 | TRUNCATE  # rights that a rule about a file may have
TCP = 1 << 0 | 1 << 1  # bind, connect: version 4
SCOPES = 1 << 0 | 1 << 1  # abstract sockets, signals: version 6

_libc = ctypes.CDLL(None, use_errno=True)


def version() -> int:
    """The version of Landlock that the kernel has; 0 if it has none."""
    return max(0, int(_libc.syscall(CREATE_RULESET, None, 0, VERSION)))


def _checked(result: int) -> int:
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result


def restrict(reads: list[str], writes: list[str], net: bool) -> None:
    """Gives up all rights but some. Raises OSError."""
    known = version()
    write = WRITE | (REFER if known >= 2 else 0) | (TRUNCATE if known >= 3 else 0)
    parts = [READ | write]
    if known >= 4:
        parts.append(0 if net else TCP)
    if known >= 6:
        parts.append(SCOPES)
    attributes = struct.pack(f"={len(parts)}Q", *parts)
    rules = _checked(_libc.syscall(CREATE_RULESET, attributes, len(attributes), 0))
    given = GIVEN | write & (REFER | TRUNCATE)
    for rights, paths in ((READ, reads), (given, writes)):
        for path in paths:
            try:
                descriptor = os.open(path, os.O_PATH | os.O_CLOEXEC)
            except OSError:
                continue  # it has gone
            allowed = rights if os.path.isdir(path) else rights & OF_FILES
            rule = struct.pack("=Qi", allowed, descriptor)
            _checked(_libc.syscall(ADD_RULE, rules, PATH_BENEATH, rule, 0))
            os.close(descriptor)
    _checked(_libc.prctl(NO_NEW_PRIVS, 1, 0, 0, 0))
    _checked(_libc.syscall(RESTRICT_SELF, rules, 0))


def keep_rights(kept: list[int]) -> None:
    """Gives up all capabilities but some, after `restrict`. Raises OSError. Source: capget(2)."""
    header, found = struct.pack("=Ii", CAPABILITIES, 0), ctypes.create_string_buffer(24)
    _checked(_libc.capget(header, found))
    mask = struct.unpack("=6I", found.raw)[1] & sum(1 << right for right in kept)  # of what it has
    _checked(_libc.capset(header, struct.pack("=6I", mask, mask, 0, 0, 0, 0)))


def install(program: bytes) -> None:
    """Installs a filter of system calls, after `restrict`. Raises OSError. Source: seccomp(2)."""
    if program:
        octets = ctypes.create_string_buffer(program, len(program))
        whole = struct.pack("@HP", len(program) // 8, ctypes.addressof(octets))  # struct sock_fprog
        _checked(_libc.prctl(SECCOMP, SECCOMP_MODE_FILTER, whole, 0, 0))


def main() -> None:
    given = json.loads(sys.argv[1])
    for name, value in given["limits"].items():
        resource.setrlimit(getattr(resource, name), (value, value))
    with open("/proc/self/oom_score_adj", "w", encoding="ascii") as file:
        file.write(str(given["oom_score_adj"]))
    restrict(given["reads"], given["writes"], given["net"])
    keep_rights(given["rights"])
    install(bytes.fromhex(given["filter"]))
    os.execvp(sys.argv[2], sys.argv[2:])


if __name__ == "__main__":
    main()
